"""When plans take place: their occurrences in any stretch of time.

Within the window that the cache keeps, its rows answer; outside of it, and for a
plan with more occurrences than are kept, what it keeps of the plan is expanded.
Standard library only, but for rules that repeat by week, month or year.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Final

from mindcache.cache.read import NodeRow, OccurrenceRow, PlanRow, Reader
from mindcache.recurrence import OUTCOMES, Occurrence, Plan, expand, load, window
from mindcache.when import Interval

__all__ = ["between", "dates_of", "settled", "taking_place"]

# How far ahead a filter without an end looks for an occurrence.
_FAR: Final = timedelta(days=3653)

# A day as an item writes it is within two of the day in any zone.
_NEAR: Final = timedelta(days=2)


def between(
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


def settled(
    reader: Reader, low: datetime, high: datetime
) -> list[tuple[int, Occurrence]]:
    """(file id, occurrence) of those in [low, high) that a list item settles."""
    first, last = window(reader.window_year() or 1)
    cut = {plan.file_id for plan in _cut(reader)}
    inner = max(low, first), min(high, last)
    found: dict[tuple[int, str], Occurrence] = {}
    if inner[0] < inner[1]:
        begins, ends = (each.isoformat() for each in inner)
        for row in reader.occurrences(begins, ends, told=True):
            if row.file_id not in cut:
                found[row.file_id, row.key] = _occurrence(row)
    if cut or low < first or last < high:
        for plan in reader.plans():
            for each in _told_of(load(plan.source), low, high):
                found.setdefault((plan.file_id, each.key), each)
    return [
        (file_id, each)
        for (file_id, _), each in found.items()
        if each.line and each.status in OUTCOMES
    ]


def _told_of(plan: Plan, low: datetime, high: datetime) -> tuple[Occurrence, ...]:
    """The occurrences in [low, high) around the days of which items tell."""
    days = [
        datetime.fromisoformat(text[:10])
        for line in plan.lines
        for text in (line.date, line.to)
        if text
    ]
    if not days:
        return ()
    low = max(low, _later(min(days), -_NEAR - plan.length))
    high = min(high, _later(max(days), _NEAR + plan.length))
    return expand(plan, low, high).occurrences if low < high else ()


def _later(day: datetime, by: timedelta) -> datetime:
    try:
        return day + by
    except OverflowError:
        return datetime.max if by > timedelta() else datetime.min  # noqa: DTZ901  civil time


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
        found.update(file_id for file_id, _ in between(reader, low, high, rest))
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
            found = list(between(reader, *piece, missing)) if missing else []
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
