"""One VEVENT or VTODO as plain values: what it says, each value read or told why not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from mindcache.errors import Problem, Severity
from mindcache.importers.calendar.lines import Component, Line
from mindcache.importers.calendar.zones import Zones, find_zone
from mindcache.importers.prose import from_html, one_line, readable, unlinked

__all__ = ["Event", "Moment", "Person", "Recurrence", "brought", "read_event"]

_MOMENT = re.compile(
    r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):?([0-9]{2}):?([0-9]{2})?(?:\.[0-9]+)?([Zz])?)?"
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ADDRESS = re.compile(r"^mailto:\s*", re.IGNORECASE)
_RULE = re.compile(
    r"[A-Z-]+=[A-Z0-9,+:\-]*(?:;[A-Z-]+=[A-Z0-9,+:\-]*)*;?", re.IGNORECASE
)

# More dates than anybody writes by hand; a calendar of one event that lists more
# should have had a rule.
_MOST_DATES = 2_000
_MOST_PEOPLE = 500
_LONGEST_UID = 500
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A civil time in `zone` ("" for floating: the same clock everywhere)."""

    at: datetime
    zone: str = ""
    is_date: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who takes part; `reply` is their PARTSTAT."""

    name: str
    address: str
    reply: str = ""
    is_organizer: bool = False


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The rules as written, and the dates beside them; of a period its length too."""

    rules: tuple[str, ...] = ()
    more: tuple[tuple[Moment, timedelta | None], ...] = ()
    less: tuple[Moment, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What one component says. `end` is the day after the last for whole days.

    `number` is its line, `original` the occurrence it stands for (None for the event
    itself), with `and_later` for that and all that follow. `version` sorts behind
    older copies.
    """

    uid: str
    number: int
    title: str
    start: Moment | None
    end: datetime | None
    is_todo: bool = False
    original: Moment | None = None
    and_later: bool = False
    recurrence: Recurrence = field(default_factory=Recurrence)
    status: str = ""
    is_completed: bool = False
    description: str = ""
    location: str = ""
    url: str = ""
    people: tuple[Person, ...] = ()
    categories: tuple[str, ...] = ()
    sequence: int = 0
    created: str = ""
    modified: str = ""

    @property
    def length(self) -> timedelta | None:
        """How long it takes, None where nothing says so."""
        if self.start is None or self.end is None:
            return None
        return self.end - self.start.at


def brought(moment: Moment, zone: str) -> Moment:
    """The same instant in another zone; whole days and floating times stay."""
    if moment.is_date or not moment.zone or not zone or moment.zone == zone:
        return moment
    there, here = find_zone(moment.zone), find_zone(zone)
    if there is None or here is None:
        return moment
    try:
        at = moment.at.replace(tzinfo=there).astimezone(here).replace(tzinfo=None)
    except OverflowError:  # at the ends of time an hour more or less says nothing
        return moment
    return Moment(at, zone)


def read_event(
    component: Component, zones: Zones, name: str, method: str = ""
) -> tuple[Event | None, list[Problem]]:
    """The event, and what is wrong with it; None for one that can't be placed in time.

    `method` is the calendar's: one that is sent to cancel cancels all that is in it.
    """
    reading = _Reading(component, zones, name)
    event = reading.event()
    if event is not None and method == "CANCEL":
        event = replace(event, status="CANCELLED")
    return event, reading.problems


class _Reading:
    def __init__(self, component: Component, zones: Zones, name: str) -> None:
        self.component = component
        self.zones = zones
        self.name = name
        self.problems: list[Problem] = []
        self._told: set[str] = set()

    def tell(self, number: int, message: str, mend: str, *, lost: bool = False) -> None:
        if message in self._told:
            return
        self._told.add(message)
        severity: Severity = "error" if lost else "warning"
        self.problems.append(
            Problem(self.name, number, "calendar-event", message, mend, severity)
        )

    def event(self) -> Event | None:
        first = self.component.first
        is_todo = self.component.name == "VTODO"
        start = self._moment(first("DTSTART"))
        original = self._moment(first("RECURRENCE-ID"))
        if start is None and not is_todo:
            title = one_line(self._text("SUMMARY"), 60)
            named = f"the event {title!r}" if title else "an event without a name"
            self.tell(
                self.component.number,
                f"{named} says no day",
                "it is left out: give it a DTSTART",
                lost=True,
            )
            return None
        ending = self._moment(first("DUE" if is_todo else "DTEND"))
        if is_todo and start is None:
            start, ending = ending, None
        status = self._word("STATUS")
        line = first("RECURRENCE-ID")
        return Event(
            uid=one_line(self._raw("UID"), _LONGEST_UID),
            number=self.component.number,
            title=unlinked(one_line(from_html(self._text("SUMMARY")))),
            start=start,
            end=self._end(start, ending),
            is_todo=is_todo,
            original=original,
            and_later=bool(
                line and line.parameters.get("RANGE", "").upper() == "THISANDFUTURE"
            ),
            recurrence=self._recurrence(),
            status=status,
            is_completed=status == "COMPLETED" or bool(self._raw("COMPLETED")),
            description=self._description(),
            location=unlinked(one_line(from_html(self._text("LOCATION")))),
            url=one_line(self._raw("URL"), 1_000),
            people=tuple(self._people()),
            categories=tuple(self._categories()),
            sequence=self._sequence(),
            created=self._stamp("CREATED"),
            modified=self._stamp("LAST-MODIFIED") or self._stamp("DTSTAMP"),
        )

    # -- words -----------------------------------------------------------

    def _raw(self, name: str) -> str:
        line = self.component.first(name)
        return line.value.strip() if line else ""

    def _text(self, name: str) -> str:
        line = self.component.first(name)
        return unescaped(line.value) if line else ""

    def _word(self, name: str) -> str:
        return self._raw(name).upper()[:40]

    def _description(self) -> str:
        text = self._text("DESCRIPTION") or self._text("X-ALT-DESC")
        return readable(from_html(text))

    def _categories(self) -> Iterator[str]:
        for line in self.component.all("CATEGORIES"):
            for each in re.split(r"(?<!\\),", line.value):
                if word := one_line(unescaped(each), 60):
                    yield word

    def _sequence(self) -> int:
        text = self._raw("SEQUENCE")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0

    def _stamp(self, name: str) -> str:
        """A moment of the file's own making, in UTC, as text that sorts."""
        match = _MOMENT.fullmatch(self._raw(name))
        moment = _moment_of(match) if match else None
        return moment.isoformat(timespec="seconds") if moment else ""

    def _people(self) -> Iterator[Person]:
        seen: set[tuple[str, str]] = set()
        lines = [*self.component.all("ORGANIZER"), *self.component.all("ATTENDEE")]
        for line in lines[:_MOST_PEOPLE]:
            if line.parameters.get("CUTYPE", "").upper() in {"ROOM", "RESOURCE"}:
                continue
            value = line.value.strip()
            address = one_line(_ADDRESS.sub("", value), 200) if "@" in value else ""
            name = one_line(line.parameters.get("CN", ""), 100).strip("\"'")
            if not name and not address and not value.lower().startswith("mailto:"):
                name = one_line(value, 100)
            is_organizer = line.name == "ORGANIZER"
            if (not name and not address) or (name, address) in seen:
                # An organizer who also takes part: the reply counts.
                reply = line.parameters.get("PARTSTAT", "").upper()
                if reply and (name, address) in seen:
                    yield Person(name, address, reply)
                continue
            seen.add((name, address))
            reply = line.parameters.get("PARTSTAT", "").upper()
            yield Person(name, address, reply, is_organizer)

    # -- times -----------------------------------------------------------

    def _moment(self, line: Line | None) -> Moment | None:
        if line is None:
            return None
        match = _MOMENT.fullmatch(line.value.strip())
        at = _moment_of(match) if match else None
        if match is None or at is None:
            mend = "the line is passed over: write 20260310T090000"
            self.tell(line.number, f"{line.name}:{line.value[:40]} is not a date", mend)
            return None
        if match[4] is None:
            return Moment(at, is_date=True)
        if line.parameters.get("VALUE", "").upper() == "DATE":
            return Moment(at.replace(hour=0, minute=0, second=0), is_date=True)
        return Moment(at, self._zone(line, is_utc=bool(match[7])))

    def _zone(self, line: Line, *, is_utc: bool) -> str:
        if is_utc:
            return "UTC"
        tzid = line.parameters.get("TZID", "")
        if not tzid:
            return ""
        name, guessed = self.zones.name_of(tzid)
        if not name:
            mend = "its times are taken as they stand, without a zone"
            self.tell(line.number, guessed, mend)
        elif guessed:
            self.tell(line.number, guessed, "check that one of its events is right")
        return name

    def _end(self, start: Moment | None, ending: Moment | None) -> datetime | None:
        if start is None:
            return None
        line = self.component.first("DURATION")
        end: datetime | None = None
        try:
            if ending is not None:
                end = brought(ending, start.zone).at
                if ending.is_date and start.is_date and self.component.name == "VTODO":
                    end += _DAY  # a to-do is due on its day, not before it
            elif line is not None:
                end = self._after(start, _duration(line.value))
        except (ValueError, OverflowError):
            if line is not None:
                mend = "the event is taken to have no length"
                self.tell(line.number, f"DURATION:{line.value[:40]} is none", mend)
            return None
        if end is not None and start.is_date and (ending is None or not ending.is_date):
            whole = end.replace(hour=0, minute=0, second=0)
            end = whole if whole == end else whole + _DAY
        if end is not None and end < start.at:
            mend = "the event is taken to have no length"
            self.tell(self.component.number, "it ends before it begins", mend)
            return None
        return end

    def _after(self, start: Moment, length: timedelta) -> datetime:
        """The end of a length: days are days of the calendar, hours go by exactly."""
        zone = find_zone(start.zone)
        days = timedelta(days=length.days)
        at = start.at + days
        if zone is None or start.is_date or length == days:
            return start.at + length
        instant = at.replace(tzinfo=zone).astimezone(UTC) + (length - days)
        return instant.astimezone(zone).replace(tzinfo=None)

    # -- recurrence ------------------------------------------------------

    def _recurrence(self) -> Recurrence:
        rules: list[str] = []
        for line in self.component.all("RRULE"):
            value = line.value.strip().strip(";")
            if not _RULE.fullmatch(value) or "FREQ=" not in value.upper():
                mend = "the event is taken without it"
                self.tell(line.number, f"RRULE:{value[:40]} is no rule", mend)
                continue
            rules.append(value.upper())
        for line in self.component.all("EXRULE"):
            mend = "the dates that it takes out stay in: list them by EXDATE"
            self.tell(line.number, "EXRULE is not supported", mend)
        more = [
            (moment, length)
            for line in self.component.all("RDATE")
            for moment, length in self._dates(line)
        ]
        less = [
            moment
            for line in self.component.all("EXDATE")
            for moment, _ in self._dates(line)
        ]
        if len(more) > _MOST_DATES or len(less) > _MOST_DATES:
            message = f"more than {_MOST_DATES:,} dates are listed"
            self.tell(self.component.number, message, "the first of them are taken")
        return Recurrence(
            tuple(rules), tuple(more[:_MOST_DATES]), tuple(less[:_MOST_DATES])
        )

    def _dates(self, line: Line) -> Iterator[tuple[Moment, timedelta | None]]:
        for each in line.value.split(",", _MOST_DATES + 1)[: _MOST_DATES + 1]:
            text, _, rest = each.strip().partition("/")
            if not text:
                continue
            moment = self._moment(replace(line, value=text))
            if moment is not None:
                yield moment, self._period(line, moment, rest) if rest else None

    def _period(self, line: Line, start: Moment, rest: str) -> timedelta | None:
        """How long a period is: it names its end or its length."""
        try:
            if "P" in rest.upper():
                return self._after(start, _duration(rest)) - start.at
        except (ValueError, OverflowError):
            return None
        end = self._moment(replace(line, value=rest))
        return brought(end, start.zone).at - start.at if end is not None else None


def unescaped(text: str) -> str:
    r"""A TEXT value as it is meant: `\n` is a line end, `\,` a comma."""
    return _ESCAPE.sub(lambda m: "\n" if m[1] in "nN" else m[1], text)


def _moment_of(match: re.Match[str]) -> datetime | None:
    year, month, day, hour, minute, second = (int(g or 0) for g in match.groups()[:6])
    try:
        # A leap second is the minute's last; midnight may be written as 24:00.
        late = (
            timedelta(days=1)
            if hour == 24 and not minute and not second
            else timedelta()
        )
        at = datetime(year, month, day, 0 if late else hour, minute, min(second, 59))  # noqa: DTZ001  civil time
        return at + late
    except (ValueError, OverflowError):
        return None


def _duration(text: str) -> timedelta:
    """A DURATION. Raises ValueError."""
    from icalendar.prop import vDuration

    found = vDuration.from_ical(text.strip().upper())  # type: ignore[no-untyped-call]
    if not isinstance(found, timedelta):
        raise TypeError(text)
    return found
