"""When plans take place: their occurrences in any stretch of time.

Within the window that the cache keeps, its rows answer; outside of it, and for a
plan with more occurrences than are kept, what it keeps of the plan is expanded.
Standard library only, but for rules that repeat by week, month or year.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from mindcache.cache.read import NodeRow, OccurrenceRow, PlanRow, Reader
from mindcache.errors import UsageError
from mindcache.memory import STATUSES
from mindcache.recall.filters import Filters, interval_of, select
from mindcache.recurrence import Occurrence, expand, load, window
from mindcache.when import Interval

__all__ = ["Agenda", "Kind", "Occasion", "Wanted", "agenda", "dates_of", "taking_place"]

Kind = Literal["", "upcoming", "due", "open"]

_BEGINNING: Final = datetime.min  # noqa: DTZ901  civil time

# How far an open end reaches where it begins past what the cache keeps.
_A_YEAR: Final = timedelta(days=366)

# How far ahead a filter without an end looks for an occurrence.
_FAR: Final = timedelta(days=3653)

# No two zones are further apart: what is over somewhere may have yet to begin here.
_APART: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Occasion:
    """An occurrence and the note that it is of."""

    node: NodeRow
    occurrence: Occurrence


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which occurrences: `statuses` are theirs, `filters` those of their notes.

    `kind` "upcoming" is what isn't over, "due" what is over and still planned, "open"
    what is planned. `start` and `end` are dates as typed. `limit` None is no limit.
    """

    kind: Kind = ""
    start: str = ""
    end: str = ""
    statuses: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Agenda:
    """Occurrences by time ("latest" first where `order` says so).

    `low` and `high` are what was looked at, `left_out` how many are past the limit,
    `undated` how many plans among the notes never say when.
    """

    occasions: tuple[Occasion, ...]
    low: datetime
    high: datetime
    order: Literal["time", "latest"] = "time"
    left_out: int = 0
    undated: int = 0


def agenda(reader: Reader, wanted: Wanted, now: datetime, home: str) -> Agenda:
    """What takes place, took place, or should have.

    `now` is an instant, `home` the vault's zone. An end that isn't given is that of
    the window which the cache keeps; so is a start. Raises UsageError for a date or
    a value that isn't one.
    """
    statuses = _statuses(wanted.statuses)
    here = now.replace(tzinfo=None)
    low, high = _bounds(reader, wanted, here)
    if wanted.kind == "upcoming":
        low = max(low, here - _APART)
    elif wanted.kind == "due":
        high = min(high, here + _APART)
    among = select(reader, wanted.filters, here)
    passing = [
        (file_id, each)
        for file_id, each in _between(reader, low, high, among)
        if (not statuses or each.status in statuses)
        and _is_of_kind(each, wanted.kind, now, home)
    ]
    nodes = {n.file_id: n for n in reader.nodes({file_id for file_id, _ in passing})}
    found = [Occasion(nodes[file_id], each) for file_id, each in passing]
    found.sort(key=_by_time)
    if wanted.kind == "due":
        found.reverse()
    shown = found if wanted.limit is None else found[: wanted.limit]
    return Agenda(
        tuple(shown),
        low,
        high,
        "latest" if wanted.kind == "due" else "time",
        left_out=len(found) - len(shown),
        undated=len(reader.undated_plans(among)),
    )


def _by_time(each: Occasion) -> tuple[datetime, datetime, str, str]:
    occurrence = each.occurrence
    return occurrence.begins, occurrence.ends, each.node.path, occurrence.key


def _statuses(given: tuple[str, ...]) -> set[str]:
    wanted = {value.strip().casefold() for value in given if value.strip()}
    for value in sorted(wanted - set(STATUSES)):
        mend = f"one of: {', '.join(STATUSES)}"
        raise UsageError(f"no status is called {value!r}", mend=mend)
    return wanted


def _bounds(
    reader: Reader, wanted: Wanted, here: datetime
) -> tuple[datetime, datetime]:
    first, last = window(reader.window_year() or here.year)
    start, end = wanted.start.strip(), wanted.end.strip()
    low = interval_of(start, "--from", here).start if start else None
    high = interval_of(end, "--to", here).end if end else None
    if low is None:
        low = first if high is None or first < high else _BEGINNING
    if high is None:
        high = last if low < last else low + min(_A_YEAR, datetime.max - low)  # noqa: DTZ901  civil time
    if low >= high:
        raise UsageError("--from is not before --to", mend="swap the two")
    return low, high


def _is_of_kind(each: Occurrence, kind: Kind, now: datetime, home: str) -> bool:
    if kind == "upcoming":
        return not each.is_over(now, home)
    if kind == "due":
        return each.status == "planned" and each.is_over(now, home)
    return kind != "open" or each.status == "planned"


# -- any stretch of time -----------------------------------------------------


def _between(
    reader: Reader,
    low: datetime,
    high: datetime,
    among: Collection[int] | None = None,
) -> Iterator[tuple[int, Occurrence]]:
    """(file id, occurrence) of all that share a moment with [low, high)."""
    first, last = window(reader.window_year() or 1)
    is_kept = first <= low and high <= last
    cut = {p.file_id for p in _cut(reader)} if is_kept else set()
    if is_kept:
        for row in reader.occurrences(low.isoformat(), high.isoformat(), among):
            if row.file_id not in cut:
                yield row.file_id, _occurrence(row)
        if not cut:
            return
    for plan in reader.plans():
        if is_kept and plan.file_id not in cut:
            continue
        if among is None or plan.file_id in among:
            for each in expand(load(plan.source), low, high).occurrences:
                yield plan.file_id, each


def _cut(reader: Reader) -> list[PlanRow]:
    return [p for p in reader.plans() if p.is_cut] if reader.has_cut_plans() else []


def _occurrence(row: OccurrenceRow) -> Occurrence:
    return Occurrence(
        row.key,
        datetime.fromisoformat(row.start),
        datetime.fromisoformat(row.end),
        bool(row.all_day),
        row.zone,
        datetime.fromisoformat(row.begins),
        datetime.fromisoformat(row.ends),
        row.status,
        row.because,
        row.anchor,
        row.line,
        datetime.fromisoformat(row.moved_from) if row.moved_from else None,
    )


# -- for filters by date -----------------------------------------------------


def taking_place(reader: Reader, span: Interval, besides: Collection[int]) -> set[int]:
    """The notes, `besides` these, with an occurrence that shares a moment with a span.

    An open end reaches ten years past the beginning, or past what the cache keeps.
    """
    found: set[int] = set()
    for low, high in _pieces(reader, span):
        rest = {
            plan.file_id
            for plan in reader.plans()
            if plan.file_id not in found and plan.file_id not in besides
        }
        found.update(file_id for file_id, _ in _between(reader, low, high, rest))
    return found


def dates_of(
    reader: Reader, nodes: Collection[NodeRow], spans: Collection[Interval]
) -> dict[int, str]:
    """The date to show of those notes that only an occurrence brings into `spans`.

    That is the first occurrence in the first span which the note's own date misses:
    a day, or a minute, in the vault's zone.
    """
    shown: dict[int, str] = {}
    for span in spans:
        low, high = span.start.isoformat(), span.end.isoformat()
        missing = {
            n.file_id
            for n in nodes
            if n.file_id not in shown
            and not (n.date_start and n.date_start < high and n.date_end > low)
        }
        for piece in sorted(_pieces(reader, span)):
            found = list(_between(reader, *piece, missing)) if missing else []
            found.sort(key=lambda pair: pair[1].begins)
            for file_id, each in found:
                text = each.begins.isoformat(timespec="minutes")
                shown.setdefault(file_id, text[:10] if each.all_day else text)
            missing -= shown.keys()
    return shown


def _pieces(reader: Reader, span: Interval) -> list[tuple[datetime, datetime]]:
    """A span cut where the cache's window begins and ends, the inner piece first."""
    first, last = window(reader.window_year() or 1)
    low, high = span.start, span.end
    far = max(low, last)
    high = min(high, far + min(_FAR, datetime.max - far))  # noqa: DTZ901  civil time
    pieces = [
        (max(low, first), min(high, last)),
        (low, min(high, first)),
        (max(low, last), high),
    ]
    return [(start, end) for start, end in pieces if start < end]
