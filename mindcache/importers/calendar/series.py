"""The components of one UID as one item: the event or series, with its exceptions.

Written in the form that plans have (design 3.1; `mindcache.recurrence`): civil times
in one zone, rules as lines of RFC 5545, and a list item with a block id for each
occurrence that is not as the rule has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from mindcache.errors import Problem
from mindcache.hashing import blake2b
from mindcache.importers.calendar.events import (
    Event,
    Moment,
    Person,
    Recurrence,
    brought,
)
from mindcache.importers.calendar.status import is_me, outcome_of, status_properties
from mindcache.importers.item import Context, Item, Stranger
from mindcache.importers.prose import escaped, one_line
from mindcache.memory import moment as written
from mindcache.note import Property
from mindcache.recurrence import Plan, expand

__all__ = ["Series", "item_of", "series_of"]

_UNTIL = re.compile(r"(?<=UNTIL=)([0-9]{8}(?:T[0-9]{6}Z?)?)")
# Rules by which one day may have several occurrences: their dates are given with times.
_FINE = re.compile(
    r"FREQ=(?:HOURLY|MINUTELY|SECONDLY)|BY(?:HOUR|MINUTE|SECOND)=[0-9]+,"
)

# People named in the text of a note; of an all-hands the first are enough.
_MOST_NAMED = 40
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Series:
    """Everything that a calendar has under one key, in its order."""

    key: str
    events: tuple[Event, ...]


def series_of(events: Iterable[Event]) -> list[Series]:
    """Events by their UIDs, in the order in which each comes first.

    Some programs give one UID to all events: as long as none of them is a newer copy
    of another, they are events of their own.
    """
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.uid or _made_up(event), []).append(event)
    return [each for key, group in found.items() for each in _parted(key, group)]


def _parted(key: str, group: Sequence[Event]) -> Iterator[Series]:
    masters = [each for each in group if each.original is None and each.start]
    versions = {_version(each) for each in masters}
    starts = {each.start: each for each in masters}
    if len(versions) > 1 or len(starts) < 2 or len(masters) < len(group):
        yield Series(key, tuple(group))
        return
    for start, event in starts.items():
        if start is not None:
            yield Series(f"{key}#{start.at:%Y%m%dT%H%M%S}", (event,))


def _made_up(event: Event) -> str:
    """A key for an event without a UID, of what and when it is."""
    when = event.start.at.isoformat() if event.start else ""
    text = f"{event.title}\n{when}\n{event.location}"
    return "without-uid-" + blake2b(text.encode(), digest_size=8).hexdigest()


def item_of(
    series: Series, name: str, context: Context, calendar_zone: str = ""
) -> tuple[Item, list[Problem], list[Stranger]]:
    """The item, what is wrong with it, and who takes part without a note of their own.

    `name` is the file's; `calendar_zone` the one that the calendar is shown in.
    """
    making = _Making(series, name, context, calendar_zone)
    return making.item(), making.problems, making.strangers


class _Making:
    def __init__(
        self, series: Series, name: str, context: Context, calendar_zone: str
    ) -> None:
        self.name = name
        self.context = context
        self.problems: list[Problem] = []
        self.strangers: list[Stranger] = []
        masters = [each for each in series.events if each.original is None]
        self.exceptions = _latest(e for e in series.events if e.original is not None)
        self.key = series.key
        if masters:
            self.master = max(masters, key=_version)
        else:
            self.master, self.exceptions = _orphaned(self.exceptions)
        self.is_whole = bool(masters)
        self.zone = self._zone(calendar_zone or context.zone)
        if self.is_whole:
            self._drop_outdated()
        self.exceptions = sorted(
            [*self.exceptions, *self._periods()], key=self._original
        )

    def _zone(self, home: str) -> str:
        """The zone the note's times are in. A single time in UTC comes home."""
        start = self.master.start
        if start is None or start.is_date:
            return ""
        repeats = bool(self.master.recurrence.rules or self.master.recurrence.more)
        if start.zone == "UTC" and home and not repeats:
            return home
        return start.zone

    def tell(self, number: int, message: str, mend: str) -> None:
        self.problems.append(
            Problem(self.name, number, "calendar-series", message, mend)
        )

    def _periods(self) -> list[Event]:
        """Dates of their own length, as exceptions of the rule that knows one only."""
        told = {self._original(each) for each in self.exceptions}
        return [
            replace(
                self.master,
                start=moment,
                end=moment.at + length,
                original=moment,
                status="",
            )
            for moment, length in self.master.recurrence.more
            if length is not None
            and length != self.master.length
            and brought(moment, self.zone).at not in told
        ]

    def _drop_outdated(self) -> None:
        """Leave out changes of occurrences that the series itself no longer has.

        A cancellation of such a one says nothing; a move counts unless the series was
        revised after it.
        """
        revised = self.master.sequence
        doubtful = [
            each
            for each in self.exceptions
            if each.sequence < revised or each.status == "CANCELLED"
        ]
        days = self._days_of(doubtful)
        if days is not None:
            outdated = [e for e in doubtful if self._original(e).date() not in days]
            self.exceptions = [e for e in self.exceptions if e not in outdated]

    def _days_of(self, exceptions: Sequence[Event]) -> set[date] | None:
        """The days of the series around these exceptions; None where they can't be told."""
        start = self.master.start
        if not exceptions or start is None:
            return None
        wanted = [self._original(each) for each in exceptions]
        plan = Plan(
            start=brought(start, self.zone).at,
            length=timedelta(),
            all_day=start.is_date,
            zone=self.zone,
            home=self.zone,
            status="planned",
            recurrence=tuple(self._recurrence().split("\n")),
        )
        try:
            found = expand(plan, _whole(min(wanted)), _whole(max(wanted)) + _DAY)
        except OverflowError:
            return None
        if found.is_cut or found.problems:
            return None
        return {each.start.date() for each in found.occurrences}

    def _original(self, event: Event) -> datetime:
        """Where an exception would begin by the rule, in the note's zone."""
        original = event.original or event.start or Moment(datetime.min)  # noqa: DTZ901  civil
        return brought(original, self.zone).at

    # -- the item --------------------------------------------------------

    def item(self) -> Item:
        event = self.master
        title = event.title or ("Untitled to-do" if event.is_todo else "Untitled event")
        links = self._links(title)
        lines = [line for each in self.exceptions if (line := self._line(each))]
        properties: dict[str, Property] = {
            "title": title,
            "summary": title,
            **status_properties(outcome_of(event, self.context.me)),
            **self._times(),
            "location": event.location or None,
            "entities": list(links) or None,
            "recurrence": self._recurrence() or None,
            "sequence": event.sequence or None,
            "external_ref": event.url or None,
        }
        created = event.created or event.modified
        once: dict[str, Property] = {"source_path": self.name}
        if created and created[:10] <= self.context.now.date().isoformat():
            stamp = Moment(datetime.fromisoformat(created), "UTC")
            once["created_at"] = written(brought(stamp, self.context.zone).at)
        start = event.start
        return Item(
            key=self.key,
            type="plan",
            title=title,
            when=brought(start, self.zone).at if start else None,
            properties={k: v for k, v in properties.items() if v is not None},
            once=once,
            body=self._body(lines),
            place=f"{self.name}:{event.number}",
            version=self._version(),
            is_part=not self.is_whole,
        )

    def _version(self) -> str:
        last = max((e.modified for e in self.exceptions), default="")
        event = self.master
        sequence = event.sequence if self.is_whole else 0
        return f"{sequence:09d} {event.modified or '-'} {last or '-'}"

    def _times(self) -> dict[str, Property]:
        event = self.master
        start = event.start
        if start is None:
            return {}
        if event.is_todo and event.end is None and not start.is_date:
            event = replace(event, end=start.at)  # what is due at a time ends there
        first = brought(start, self.zone)
        if start.is_date:
            last = event.end if event.end and event.end > start.at + _DAY else None
            return {
                "time_start": start.at.date().isoformat(),
                "time_end": last.date().isoformat() if last else None,
                "all_day": True,
            }
        end = None
        if event.end is not None and (event.end > start.at or event.is_todo):
            end = written(brought(Moment(event.end, start.zone), self.zone).at)
        return {
            "time_start": written(first.at),
            "time_end": end,
            "timezone": self.zone or None,
        }

    # -- people ----------------------------------------------------------

    def _people(self) -> list[Person]:
        people: dict[tuple[str, str], Person] = {}
        for person in self.master.people:
            if not is_me(person, self.context.me):
                people.setdefault((person.name, person.address), person)
        return list(people.values())

    def _links(self, title: str) -> dict[str, None]:
        links = dict.fromkeys(self.context.known.find(title))
        for person in self._people():
            if link := self._link(person):
                links[link] = None
            else:
                self.strangers.append(Stranger(person.name, person.address))
        return links

    def _link(self, person: Person) -> str:
        known = self.context.known
        return known.link_of(person.address) or known.link_of(person.name)

    def _body(self, lines: Sequence[str]) -> str:
        parts = [escaped(self.master.description)] if self.master.description else []
        if self.master.categories:
            parts.append("Categories: " + escaped(", ".join(self.master.categories)))
        if people := self._people():
            parts.append(self._with(people))
        if lines:
            parts.append("## Outcomes\n\n" + "\n".join(lines))
        return "".join(f"{part}\n" for part in _spaced(parts))

    def _with(self, people: Sequence[Person]) -> str:
        shown = [self._named(person) for person in people[:_MOST_NAMED]]
        more = len(people) - len(shown)
        rest = f" and {more} more" if more else ""
        return f"With {', '.join(shown)}{rest}."

    def _named(self, person: Person) -> str:
        name = self._link(person) or escaped(person.name or person.address)
        return f"{name} (organizer)" if person.is_organizer else name

    # -- recurrence ------------------------------------------------------

    def _recurrence(self) -> str:
        recurrence = self.master.recurrence
        lines = [f"RRULE:{self._rule(rule)}" for rule in recurrence.rules]
        more = [self._date(moment) for moment, _ in recurrence.more]
        less = [self._date(moment) for moment in recurrence.less]
        if more:
            lines.append("RDATE:" + ",".join(dict.fromkeys(sorted(more))))
        if less:
            lines.append("EXDATE:" + ",".join(dict.fromkeys(sorted(less))))
        return "\n".join(lines)

    def _rule(self, rule: str) -> str:
        """The rule with its end as civil time in the note's zone."""

        def civil(match: re.Match[str]) -> str:
            text = match[1]
            if not text.endswith("Z"):
                return text
            at = datetime.strptime(text, "%Y%m%dT%H%M%SZ")  # noqa: DTZ007  zone follows
            local = brought(Moment(at, "UTC"), self.zone).at
            return f"{local:%Y%m%dT%H%M%S}"

        try:
            return _UNTIL.sub(civil, rule)
        except ValueError:
            return rule

    def _date(self, moment: Moment) -> str:
        """A date of a rule: civil in the note's zone, a day where the days are whole."""
        at = brought(moment, self.zone).at
        start = self.master.start
        if moment.is_date or (start is not None and start.is_date):
            return f"{at:%Y%m%d}"
        return f"{at:%Y%m%dT%H%M%S}"

    # -- exceptions ------------------------------------------------------

    def _line(self, event: Event) -> str:
        """What became of one occurrence, as a list item; "" where nothing did."""
        if event.original is None or event.start is None:
            return ""
        original = self._original(event)
        timed = self._is_timed(event.original)
        key = f"{original:%Y%m%dT%H%M}" if timed else f"{original:%Y%m%d}"
        day = written(original) if timed else original.date().isoformat()
        if event.and_later:
            self.tell(
                event.number,
                "a change of all later occurrences (THISANDFUTURE) is not supported",
                f"only that of {day} is changed: export them as single changes",
            )
        outcome = outcome_of(event, self.context.me)
        moved = self._moved(event, original)
        why = self._why(event)
        if moved:
            what = f"moved to {moved}" + (f", {outcome}" if outcome else "")
        elif outcome:
            what = outcome
        elif why:
            return f"- {day}: {why} ^c-{key}"
        else:
            return ""
        return f"- {day} {what}{': ' if why else ''}{why} ^o-{key}"

    def _is_timed(self, original: Moment) -> bool:
        if original.is_date or self.master.start is None or self.master.start.is_date:
            return False
        recurrence = self.master.recurrence
        return bool(recurrence.more) or any(map(_FINE.search, recurrence.rules))

    def _moved(self, event: Event, original: datetime) -> str:
        """Where it went, "" where it stays as the rule has it."""
        master = self.master
        if event.start is None or master.start is None:
            return ""
        whole = master.start.is_date
        if not whole and event.original is not None and event.original.is_date:
            original = datetime.combine(
                original.date(), brought(master.start, self.zone).at.time()
            )
        start = brought(event.start, self.zone).at
        # Where it says no end, it is taken to be as long as the others.
        end = start + (event.length or master.length or timedelta())
        if whole:
            start, end = _whole(start), _whole(end)
            original = _whole(original)
        usual = master.length or (_DAY if whole else timedelta())
        length = end - start or (_DAY if whole else timedelta())
        if start == original and length == usual:
            return ""
        shown = start.date().isoformat() if whole else written(start)
        if length == usual:
            return shown
        if whole:
            return f"{shown} until {end.date().isoformat()}T00:00"
        until = (
            end.time().isoformat("minutes")
            if end.date() == start.date()
            else written(end)
        )
        return f"{shown} until {until}"

    def _why(self, event: Event) -> str:
        """What else is different about it."""
        parts = []
        if event.title and event.title != self.master.title:
            parts.append(event.title)
        if event.location and event.location != self.master.location:
            parts.append(f"at {event.location}")
        return one_line(escaped(", ".join(parts)), 200)


def _whole(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0)


def _spaced(parts: Sequence[str]) -> Iterator[str]:
    for number, part in enumerate(parts):
        yield part if not number else f"\n{part}"


def _version(event: Event) -> tuple[int, str]:
    return event.sequence, event.modified


def _latest(events: Iterator[Event]) -> list[Event]:
    """Of several changes of one occurrence the latest, by the occurrences' order."""
    found: dict[tuple[datetime, str], Event] = {}
    for event in events:
        if event.original is None:
            continue
        key = (event.original.at, event.original.zone)
        if key not in found or _version(event) >= _version(found[key]):
            found[key] = event
    return [found[key] for key in sorted(found)]


def _orphaned(exceptions: Sequence[Event]) -> tuple[Event, list[Event]]:
    """Single occurrences of a series that is not there, as a series of just them.

    Its dates are those where they take place; the event, and what is said of each.
    """
    placed = [each for each in exceptions if each.start is not None]
    if len(placed) < 2:
        return replace(exceptions[0], original=None, and_later=False), []
    placed = [replace(each, original=each.start, and_later=False) for each in placed]
    first = min(placed, key=lambda each: each.start or Moment(datetime.max))  # noqa: DTZ901  civil
    more = [(e.start, None) for e in placed if e.start is not None and e is not first]
    last = max(placed, key=_version)
    return replace(
        first,
        original=None,
        status="",
        people=last.people,
        description=last.description,
        recurrence=Recurrence(more=tuple(more)),
        sequence=last.sequence,
        modified=last.modified,
    ), placed
