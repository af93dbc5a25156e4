"""From a note that takes place sometime to the rows that say when. Pure."""

from __future__ import annotations

from mindcache.cache.rows import Planned
from mindcache.errors import Problem
from mindcache.memory import Memory
from mindcache.note import Note
from mindcache.recurrence import Plan, dump, expand, load, read_plan, window

__all__ = ["derive", "derive_again"]


def derive(
    note: Note, memory: Memory, zone: str, year: int
) -> tuple[Planned | None, list[Problem]]:
    """When a note takes place in the window of a year; None when it never does.

    `zone` is the vault's. The problems are those of the note and of its occurrences.
    """
    plan, problems = read_plan(note, memory.type, memory.status, zone)
    if plan is None:
        return None, problems
    planned, found = _expanded(note.path, plan, dump(plan), year)
    return planned, [*problems, *found]


def derive_again(path: str, source: str, year: int) -> tuple[Planned, list[Problem]]:
    """The same from what the cache keeps, with the problems of its occurrences."""
    return _expanded(path, load(source), source, year)


def _expanded(
    path: str, plan: Plan, source: str, year: int
) -> tuple[Planned, list[Problem]]:
    found = expand(plan, *window(year))
    problems = [problem._replace(path=path) for problem in found.problems]
    return Planned(source, year, found.is_cut, found.occurrences), problems
