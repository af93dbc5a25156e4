"""Adopting a plain note: the properties that make it a memory under contract.

Nothing is guessed that a reader could not see in the note: the id is derived
from the note's date and content, so that the diff shown is the diff written.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from mindcache.errors import Problem, Refused
from mindcache.hashing import blake2b
from mindcache.memory import Memory, moment
from mindcache.note import Note, Property, edit
from mindcache.when import time_of_ulid

__all__ = ["Adoption", "adopt", "derived_id"]

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  civil time


@dataclass(frozen=True, slots=True)
class Adoption:
    """What adopting one note would write: before, after, and the properties."""

    path: str
    before: bytes
    after: bytes
    changes: Mapping[str, Property]

    def diff(self) -> str:
        """The change as a unified diff, "" when there is none."""
        old = self.before.decode("utf-8", "replace").splitlines(keepends=True)
        new = self.after.decode("utf-8", "replace").splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, self.path, self.path, n=2)
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def derived_id(when: datetime, kind: str, key: str) -> str:
    """An id of ours made from the time of the thing and a hash of what it is."""
    millis = max(0, (when - _EPOCH) // timedelta(milliseconds=1))
    digest = blake2b(f"{kind}\n{key}".encode(), digest_size=10).digest()
    number = (millis & ((1 << 48) - 1)) << 80 | int.from_bytes(digest, "big")
    return "m-" + "".join(
        _CROCKFORD[(number >> shift) & 31] for shift in range(125, -5, -5)
    )


def adopt(
    data: bytes, note: Note, memory: Memory, project: str, now: datetime
) -> Adoption:
    """The properties that the note lacks under contract, written into its block.

    Raises Refused when the note can't be edited safely, and EditRefused (a kind
    of it) naming the line.
    """
    if note.frontmatter is not None and note.frontmatter.error is not None:
        raise Refused(str(note.frontmatter.error), mend="mend the frontmatter first")
    changes: dict[str, Property] = {}
    # An undated note becomes today's, to the day: the diff shown is the diff written.
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    when = memory.date.start if memory.date else today
    given = note.properties.get("id")
    if not isinstance(given, str) or time_of_ulid(given) is None:
        if given not in (None, ""):
            raise Refused(
                f"{note.path} has an id of another kind: {given}",
                mend="rename that property first, so that nothing is lost",
            )
        key = blake2b(data, digest_size=16).hexdigest()
        changes["id"] = derived_id(when, "adopt", f"{note.path}\n{key}")
    if note.properties.get("type") in (None, ""):
        changes["type"] = memory.type
    if memory.summary_inferred and memory.summary:
        changes["summary"] = memory.summary
    if not memory.scope:
        own = [tag.name for tag in note.tags if not tag.line]
        changes["tags"] = [*own, "scope/project"]
    if project and not memory.project:
        changes["project"] = project
    if note.properties.get("created_at") in (None, ""):
        changes["created_at"] = moment(when)
    return Adoption(note.path, data, edit(data, changes), changes)


def refusal(problems: list[Problem]) -> Refused:
    """The contract's breaches as one error."""
    return Refused(
        "; ".join(str(problem) for problem in problems), mend="nothing written"
    )
