"""Adopting a plain note: the properties that make it a memory under contract.

Nothing is guessed that a reader could not see in the note: the id is derived
from the note's date and content, so that the diff shown is the diff written.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from mindcache.errors import Refused
from mindcache.memory import Memory, moment
from mindcache.note import Note, Property, edit
from mindcache.when import time_of_ulid
from mindcache.write.ids import derived_id
from mindcache.write.rewrite import Rewrite

__all__ = ["adopt", "derived_id"]


def adopt(
    data: bytes, note: Note, memory: Memory, project: str, now: datetime
) -> Rewrite:
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
        key = hashlib.blake2b(data, digest_size=16).hexdigest()
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
    return Rewrite(note.path, data, edit(data, changes), changes)
