"""A change of one note as it is shown before it is written: before, after, the diff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mindcache import lint
from mindcache.errors import Problem, Refused
from mindcache.memory import Memory, moment
from mindcache.note import Delete, Note, Property, parse, same_value
from mindcache.when import parse_interval
from mindcache.write.change import unified

__all__ = ["MeaningOf", "Rewrite", "Seen", "refusal", "refuse_new_breaches", "stamped"]

MeaningOf = Callable[[Note], Memory]

# What is true of a note's life and not of what it says.
_LIFE = frozenset({"status", "outcome"})


@dataclass(frozen=True, slots=True)
class Seen:
    """One note as it is on disk: its bytes, its parts, its meaning."""

    data: bytes
    note: Note
    memory: Memory


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What would be written to one note: its bytes before and after.

    `changes` are the properties that get another value, or none; `has_new_text` says
    that the text is another. `remarks` are what the writer should know of it.
    """

    path: str
    before: bytes
    after: bytes
    changes: Mapping[str, Property | Delete]
    remarks: tuple[str, ...] = ()
    has_new_text: bool = False

    @property
    def is_change(self) -> bool:
        """Whether anything would be written."""
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff, "" when there is none."""
        return unified(self.path, self.before, self.after)


def refusal(problems: Sequence[Problem], mend: str = "nothing written") -> Refused:
    """The contract's breaches as one error."""
    return Refused("; ".join(str(problem) for problem in problems), mend=mend)


def refuse_new_breaches(
    rewrite: Rewrite, meaning_of: MeaningOf, namespaces: Sequence[str]
) -> None:
    """Raise Refused, in the contract's words, for what this write would breach.

    What the note breached before is no reason to keep it from being mended.
    """

    def breaches(data: bytes) -> list[Problem]:
        note = parse(rewrite.path, data)
        return lint.check(note, meaning_of(note), namespaces)

    known = Counter((p.code, p.message) for p in breaches(rewrite.before))
    added: list[Problem] = []
    for problem in breaches(rewrite.after):
        key = (problem.code, problem.message)
        known[key] -= 1
        if known[key] < 0:
            added.append(problem)
    if added:
        raise refusal(added)


def stamped(
    seen: Seen,
    changes: Mapping[str, Property | Delete],
    now: datetime,
    *,
    has_new_text: bool = False,
) -> dict[str, Property | Delete]:
    """The changes with `updated_at`, which moves with content and never with status.

    A plain note without that property gets none.
    """
    stamp = _stamp(seen.note.properties, now)
    content = [
        key
        for key, value in changes.items()
        if key not in _LIFE and not _is_so(seen.note, key, value)
    ]
    wanted = seen.memory.under_contract or "updated_at" in seen.note.properties
    if not wanted or "updated_at" in changes or not (content or has_new_text):
        return dict(changes)
    return {**changes, "updated_at": stamp}


def _stamp(properties: Mapping[str, Property], now: datetime) -> str:
    """The moment of a change; that of the note's making, where that is later."""
    at = now.replace(microsecond=0, tzinfo=None)
    created = parse_interval(properties.get("created_at"))
    return moment(at if created is None else max(at, created.start))


def _is_so(note: Note, key: str, value: Property | Delete) -> bool:
    if isinstance(value, Delete):
        return key not in note.properties
    return key in note.properties and same_value(note.properties[key], value)
