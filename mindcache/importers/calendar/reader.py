"""A calendar file from its first line to its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mindcache.errors import Problem
from mindcache.importers.calendar.events import read_event
from mindcache.importers.calendar.lines import Component, components, opened
from mindcache.importers.calendar.series import item_of, series_of
from mindcache.importers.calendar.zones import Zones, find_zone
from mindcache.importers.item import Context, Item, Left, Read, Source, Stranger

__all__ = ["Calendar"]

# What a calendar holds beside events and to-dos, and why it makes no notes.
_LEFT = {
    "ATTACH": "attachments are left where they are",
    "VALARM": "reminders are the calendar's own affair",
    "VJOURNAL": "journal entries of a calendar are not plans",
    "VFREEBUSY": "when somebody is busy is no plan",
}
# Messages about an invitation rather than the event itself.
_MESSAGES = frozenset({"REPLY", "REFRESH", "COUNTER", "DECLINECOUNTER"})


@dataclass(slots=True)
class _File:
    """What a file holds, until its last zone is known."""

    events: list[Component] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    method: str = ""
    zone: str = ""
    is_whole: bool = True


class Calendar:
    """The importer for calendars; see `importers.item.Importer`."""

    name = "calendar"
    source_type = "calendar"
    short = "Events, series and to-dos of an .ics file."
    suffixes = (".ics", ".ical", ".ifb", ".icalendar")
    folder = "plans"

    def read(
        self, sources: Sequence[Source], context: Context
    ) -> Iterator[Item | Problem | Left | Stranger | Read]:
        """Everything in the files; see `importers.item.Importer`."""
        for source in sources:
            yield from self._read(source, context)

    def _read(
        self, source: Source, context: Context
    ) -> Iterator[Item | Problem | Left | Stranger | Read]:
        held = _File()
        zones = Zones(context.zone)
        with opened(source.path) as file:
            for each in components(file, source.name):
                if isinstance(each, Problem):
                    held.is_whole = held.is_whole and each.severity != "error"
                    yield each
                else:
                    _keep(held, zones, each)
        if held.is_whole and not held.events:
            message = "there is no event and no to-do in it"
            yield Problem(source.name, 0, "calendar-empty", message, "", "info")
        for name, count in sorted(held.left.items()):
            yield Left(name, _LEFT[name], count)
        if held.method in _MESSAGES:
            why = f"METHOD:{held.method} is a message about an event, not the event"
            yield Left("VEVENT", why, len(held.events))
            yield Read(source.name, whole=False)
            return
        yield from self._items(held, zones, source.name, context)
        yield Read(source.name, held.is_whole)

    def _items(
        self, held: _File, zones: Zones, name: str, context: Context
    ) -> Iterator[Item | Problem | Stranger]:
        told: set[str] = set()
        events = []
        for component in held.events:
            event, problems = read_event(component, zones, name, held.method)
            for problem in problems:
                # A zone that all events are in is worth one line, not a thousand.
                if problem.severity == "error" or problem.message not in told:
                    yield problem
                told.add(problem.message)
                held.is_whole = held.is_whole and problem.severity != "error"
            if event is not None:
                events.append(event)
        shown_in = held.zone if find_zone(held.zone) else ""
        for series in series_of(events):
            item, problems, strangers = item_of(series, name, context, shown_in)
            yield item
            yield from problems
            yield from strangers


def _keep(held: _File, zones: Zones, component: Component) -> None:
    if component.name in {"VEVENT", "VTODO"}:
        held.events.append(component)
    elif component.name == "VTIMEZONE":
        zones.define(component)
    elif component.name in _LEFT:
        held.left[component.name] += 1
    elif component.name == "VCALENDAR":
        method = component.first("METHOD")
        zone = component.first("X-WR-TIMEZONE")
        held.method = method.value.strip().upper() if method else held.method
        held.zone = zone.value.strip() if zone else held.zone
