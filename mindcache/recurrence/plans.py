"""A plan: everything in a note that decides when it takes place, as plain values.

Small enough to be kept beside the note's row, so that any stretch of time can be
looked at later without reading the note again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from mindcache.errors import Problem
from mindcache.recurrence.lines import OUTCOMES, Line, read_lines
from mindcache.recurrence.rules import midnight, read_rules, split_lines
from mindcache.recurrence.zones import find_zone
from mindcache.when import Interval, date_in_name, parse_interval

if TYPE_CHECKING:
    from mindcache.note import Note, Property

__all__ = ["Plan", "dump", "is_planned", "load", "read_plan"]

_NEWLINE = re.compile(r"\r\n|\r|\n")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Plan:
    """When something takes place, and what became of it.

    `start` is civil in `zone` ("" when none is known), `length` how long it lasts,
    `home` the vault's zone. `status` holds for every occurrence that no `lines` say
    something of. `rule_line` is the line of `recurrence` in the file.
    """

    start: datetime
    length: timedelta
    all_day: bool
    zone: str
    home: str
    status: str
    recurrence: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    rule_line: int = 0

    @property
    def repeats(self) -> bool:
        """Whether it is a series, whatever its lines are worth."""
        return bool(self.recurrence)


def is_planned(kind: str, properties: Mapping[str, Property]) -> bool:
    """Whether a note of this type has occurrences: a plan, or what repeats."""
    if properties.get("time_start") in (None, ""):
        return False
    return kind == "plan" or properties.get("recurrence") not in (None, "", [])


def read_plan(
    note: Note, kind: str, status: str, home: str
) -> tuple[Plan | None, list[Problem]]:
    """The plan that a note of type `kind` is, and what is wrong with it.

    None for a note without occurrences. `status` is the note's own, `home` the
    vault's zone. Nothing that is wrong loses the plan: what can't be understood is
    left out and told.
    """
    properties = note.properties
    if not is_planned(kind, properties):
        return None, []
    reading = _Reading(note)
    zone = reading.zone(home)
    span = reading.span(zone)
    if span is None:
        return None, reading.problems
    start, end, all_day = span
    recurrence = tuple(split_lines(properties.get("recurrence")))
    _, faults = read_rules(recurrence, zone, all_day=all_day)
    for fault in faults:
        reading.tell("recurrence", fault.message, fault.mend, fault.text)
    lines, unread = read_lines(note)
    return Plan(
        start,
        end - start,
        all_day,
        zone,
        home,
        _status(kind, status, properties.get("outcome")),
        recurrence,
        tuple(lines),
        reading.line("recurrence") if recurrence else 0,
    ), [*reading.problems, *unread]


def _status(kind: str, status: str, outcome: Property) -> str:
    """What holds for an occurrence of which nothing else is known."""
    kept = outcome.strip().casefold() if isinstance(outcome, str) else ""
    if status in {"faint", "archived"} and kept in OUTCOMES:
        return kept
    return "planned" if kind == "plan" and status == "active" else status


class _Reading:
    """One note being read, with the problems that turn up."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self.properties = note.properties
        self.problems: list[Problem] = []

    def tell(self, key: str, message: str, mend: str, text: str = "") -> None:
        line = self.line(key, text)
        path, code = self.note.path, f"plan-{key}"
        self.problems.append(Problem(path, line, code, f"{key}: {message}", mend))

    def line(self, key: str, text: str = "") -> int:
        """The line where a property stands, or the `text` within it."""
        front = self.note.frontmatter
        if front is None:
            return 0
        lines = _NEWLINE.split(self.note.text[front.start : front.end])
        first = re.compile(rf"""["']?{re.escape(key)}["']?\s*:""")
        home = next((n for n, each in enumerate(lines) if first.match(each)), None)
        if home is None:
            return 0
        for number, each in enumerate(lines[home:], home + 2):
            if text and text in each:
                return number
            if number > home + 2 and each[:1].strip() and each[0] not in "-#":
                break  # the next property
        return home + 2

    def zone(self, home: str) -> str:
        """The plan's zone; the vault's where its own is missing or unknown."""
        given = self.properties.get("timezone")
        if given in (None, ""):
            return home
        name = str(given).strip()
        if find_zone(name) is not None:
            return name
        mend = "use an IANA name such as Europe/Berlin"
        self.tell("timezone", f"no time zone is called {name!r}", mend)
        return home

    def span(self, zone: str) -> tuple[datetime, datetime, bool] | None:
        """(start, end, whole days), None when there is no start."""
        is_whole = self.properties.get("all_day") is True
        start = self._time("time_start", "" if is_whole else zone)
        if start is None:
            return None
        if not is_whole and start.precise:
            return (*self._timed(start, zone), False)
        first = midnight(start.start)
        last = first + _DAY if start.precise else start.end
        end = self._time("time_end", "")
        if end is not None:
            is_day = is_whole or end.precise
            last = _day_after(end, first) if is_day else end.end
            if last <= first:
                self._misordered()
                last = first + _DAY
        return first, last, True

    def _timed(self, start: Interval, zone: str) -> tuple[datetime, datetime]:
        end = self._time("time_end", zone)
        if end is None:
            return start.start, start.start
        last = end.start if end.precise else end.end
        if last < start.start:
            self._misordered()
            last = start.start
        return start.start, last

    def _misordered(self) -> None:
        self.tell("time_end", "lies before time_start", "swap the two, or mend one")

    def _time(self, key: str, zone: str) -> Interval | None:
        value = self.properties.get(key)
        if value in (None, ""):
            return None
        if isinstance(value, str) and value.startswith("[["):
            inner = value[2:].partition("]]")[0].partition("|")[0].partition("#")[0]
            found = date_in_name(inner)
        else:
            found = parse_interval(value, zone)
        if found is None:
            mend = f"write it as {key}: 2026-03-05T14:30 or {key}: 2026-03-05"
            self.tell(key, f"{str(value)[:40]!r} is not a date", mend)
        return found


def _day_after(end: Interval, first: datetime) -> datetime:
    """The day after the last one of whole days, whose `time_end` is that day already.

    An end on the first day itself is meant as that day.
    """
    day = midnight(end.start)
    if end.start > day or day == first:
        return day + _DAY
    return day


# -- as text -----------------------------------------------------------------


def dump(plan: Plan) -> str:
    """The plan as JSON, the same for equal plans."""
    values = asdict(plan)
    values["start"] = plan.start.isoformat()
    values["length"] = round(plan.length.total_seconds())
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


def load(text: str) -> Plan:
    """The plan that `dump` wrote."""
    values: dict[str, Any] = json.loads(text)
    values["start"] = datetime.fromisoformat(values["start"])
    values["length"] = timedelta(seconds=values["length"])
    values["recurrence"] = tuple(values["recurrence"])
    values["lines"] = tuple(Line(**each) for each in values["lines"])
    return Plan(**values)
