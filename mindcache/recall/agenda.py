"""What takes place, took place, or should have: plans by time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from mindcache.cache.read import NodeRow, Reader
from mindcache.errors import UsageError
from mindcache.memory import STATUSES
from mindcache.recall.filters import Filters, interval_of, select
from mindcache.recall.occasions import between
from mindcache.recurrence import Occurrence, local, window

__all__ = ["Agenda", "Kind", "Occasion", "Wanted", "agenda"]

Kind = Literal["", "upcoming", "due", "open"]

# What a plan can be; hot, warm and cool are for topics.
_STATUSES: Final = tuple(s for s in STATUSES if s not in {"hot", "warm", "cool"})

_BEGINNING: Final = datetime.min  # noqa: DTZ901  civil time

# How far an open end reaches where it begins past what the cache keeps.
_A_YEAR: Final = timedelta(days=366)

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

    `kind` "upcoming" is what isn't over nor archived, "due" what is over and still planned, "open"
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

    `low` and `high` are the days that were asked for (what is upcoming begins today,
    what is due ends today), `left_out` how many are past the limit,
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
    here = local(now, "", home)
    low, high = asked = _bounds(reader, wanted, here)
    today = here.replace(hour=0, minute=0, second=0, microsecond=0)
    if wanted.kind == "upcoming":
        low = max(low, here - _APART)
        asked = max(asked[0], today), asked[1]
    elif wanted.kind == "due":
        high = min(high, here + _APART)
        asked = asked[0], min(asked[1], today + timedelta(days=1))
    among = select(reader, wanted.filters, here)
    passing = [
        (file_id, each)
        for file_id, each in between(reader, low, high, among)
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
        *asked,
        "latest" if wanted.kind == "due" else "time",
        left_out=len(found) - len(shown),
        undated=len(reader.undated_plans(among)),
    )


def _by_time(each: Occasion) -> tuple[datetime, datetime, str, str]:
    occurrence = each.occurrence
    return occurrence.begins, occurrence.ends, each.node.path, occurrence.key


def _statuses(given: tuple[str, ...]) -> set[str]:
    wanted = {value.strip().casefold() for value in given if value.strip()}
    for value in sorted(wanted - set(_STATUSES)):
        mend = f"one of: {', '.join(_STATUSES)}"
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
        return each.status != "archived" and not each.is_over(now, home)
    if kind == "due":
        return each.status == "planned" and each.is_over(now, home)
    return kind != "open" or each.status == "planned"
