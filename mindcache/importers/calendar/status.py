"""What a calendar says became of an event, and what it doesn't say. Pure.

Four things that look alike are kept apart: *canceled* (the calendar says so),
*declined* (I said that I would not come, which makes it *missed*), *missed* (a person
says so, never a calendar), and *vanished* (the feed no longer has it, which says
nothing about it and changes no status).
"""

from __future__ import annotations

from collections.abc import Iterable

from mindcache.importers.calendar.events import Event, Person
from mindcache.links import fold

__all__ = ["is_me", "outcome_of", "status_properties"]


def is_me(person: Person, me: Iterable[str]) -> bool:
    """Whether a person goes by one of my addresses or names."""
    mine = {fold(each.strip()) for each in me if each.strip()}
    return bool(mine & {fold(person.address), fold(person.name)})


def outcome_of(event: Event, me: Iterable[str]) -> str:
    """`canceled`, `missed`, `occurred`, or "" where the calendar says nothing.

    An event that lies in the past did not happen for that: it stays open until
    somebody says so.
    """
    if event.status == "CANCELLED":
        return "canceled"
    if event.is_todo:
        return "occurred" if event.is_completed else ""
    declined = any(
        person.reply == "DECLINED" and is_me(person, me) for person in event.people
    )
    return "missed" if declined else ""


def status_properties(outcome: str) -> dict[str, str]:
    """The properties that say so; without an outcome the plan is open."""
    if not outcome:
        return {"status": "planned"}
    return {"status": outcome, "outcome": outcome}
