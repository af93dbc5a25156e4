"""The step `fade`: what is not used becomes faint, what is used wakes.

Writes one property of notes under contract, and only where their band became, or is no
longer, faint; how strong a memory is otherwise is reckoned whenever somebody asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.digest.fading.reading import KIND, Remembered, read_memories
from mindcache.digest.fading.strength import strength
from mindcache.digest.step import Night, Outcome
from mindcache.errors import MindcacheError, Problem
from mindcache.memory import AWAKE, waking_status
from mindcache.note import Property, edit
from mindcache.vault import Entry, Replace

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["fade"]

# What becomes of a plan is kept beside its being faint.
_OUTCOMES = frozenset({"occurred", "missed", "canceled"})
# What a person put away, or what topics are; and what isn't a status of ours.
_FADES = frozenset({"", "active", "planned", *_OUTCOMES})


def fade(night: Night) -> Outcome:
    """The statuses of memories that became faint, or are awake again."""
    outcome = Outcome("fade")
    memories = read_memories(night.app, night.now)
    outcome.problems += memories.problems
    if not memories.is_tracked:
        return outcome  # what nobody counts can't be called unused
    today = night.now.date().toordinal()
    for key, memory in sorted(memories.by_key.items(), key=lambda e: e[1].node.path):
        if not memory.is_ours:
            continue
        is_faint = memory.status == "faint"
        if not is_faint and memory.was_faded and memory.status in _FADES:
            outcome.before.append(
                Entry("woken", KIND, key, id=memory.node.id, at=night.at, said="hand")
            )
        shall = not memory.keeps and strength(memory.life, today).band == "faint"
        if shall and not is_faint and memory.status in _FADES:
            _change(outcome, night, memory, "faded")
        elif not shall and is_faint and _may_wake(memory, today):
            _change(outcome, night, memory, "woken")
        elif shall and is_faint and not memory.was_faded and not memory.faded:
            # Written, and killed before it was noted.
            outcome.before.append(_entry(night, memory, "faded"))
    return outcome


def _may_wake(memory: Remembered, today: int) -> bool:
    """Whether its being faint is ours to take back; a use wakes it whoever said so."""
    last = strength(memory.life, today).last
    is_used = last is not None and today - last <= AWAKE.days
    return memory.was_faded or is_used


def _entry(night: Night, memory: Remembered, what: str) -> Entry:
    return Entry(
        what, KIND, memory.key, id=memory.node.id, path=memory.node.path, at=night.at
    )


def _change(outcome: Outcome, night: Night, memory: Remembered, what: str) -> None:
    path = memory.node.path
    try:
        data, changes = _wanted(night.app, memory, what)
        change = Replace(path, edit(data, changes), data)
    except OSError as error:
        message = f"can't be read: {error.strerror}"
        outcome.problems.append(Problem(path, 0, "fade", message))
        return
    except MindcacheError as error:
        outcome.problems.append(Problem(path, 0, "fade", error.message, error.mend))
        return
    if change.data == data:
        return
    outcome.changes.append(change)
    outcome.after.setdefault(path, []).append(_entry(night, memory, what))
    word = "faint   " if what == "faded" else "awake   "
    outcome.said.append(f"{word} {path}")


def _wanted(
    app: App, memory: Remembered, what: str
) -> tuple[bytes, dict[str, Property]]:
    """The note's bytes, and the properties that shall be others."""
    data, note, found = app.look(memory.node.path)
    outcome = note.properties.get("outcome")
    if what == "woken":
        return data, {"status": waking_status(found.type, outcome)}
    changes: dict[str, Property] = {"status": "faint"}
    if found.type == "plan" and found.status in _OUTCOMES and outcome in (None, ""):
        changes["outcome"] = found.status
    return data, changes
