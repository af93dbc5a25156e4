"""What an agent may not write, whatever the contract allows a person.

An agent writes only what its own project is concerned with: what holds everywhere, what
was agreed to by a tick in a proposal, and what the digest keeps are not its to change.
"""

from __future__ import annotations

from mindcache import tags
from mindcache.errors import Refused
from mindcache.memory import Memory

__all__ = ["GLOBAL", "Forbidden", "allow", "promotion_refused"]

GLOBAL = "scope/global"

# Kinds of notes that have a hand of their own.
_KEPT = {
    "journal": "the journal is only ever added to; mindcache journal append does that",
    "proposal": "a proposal is decided by a person, in Obsidian or by mindcache digest",
}
_ORIGIN = ("source_type", "source_id", "source_path")


class Forbidden(Refused):
    """What a person may do, and an agent may not."""


def promotion_refused(path: str) -> Forbidden:
    """What an agent hears that wants to say what holds everywhere."""
    return Forbidden(
        f"{path}: what holds everywhere ({GLOBAL}) is not an agent's to say",
        mend="nothing written; of a note with a project it can be proposed: remember"
        f" with scope global, or update with {GLOBAL} in add_tags. The person says it"
        f" by mindcache update ID --remove-tag scope/project --add-tag {GLOBAL}",
    )


def allow(before: Memory | None, after: Memory) -> None:
    """Raise Refused where an agent may not make `after` out of `before`.

    `before` is None for a new note.
    """
    path = after.path
    if before is not None and before.type in _KEPT:
        raise Forbidden(f"{path}: {_KEPT[before.type]}", mend="nothing written")
    if before is not None and GLOBAL in map(tags.key, before.tags):
        raise Forbidden(
            f"{path}: what holds everywhere ({GLOBAL}) is not an agent's to say,"
            " and this note does",
            mend="nothing written; the person changes it, by mindcache update or by hand",
        )
    if GLOBAL in map(tags.key, after.tags):
        raise promotion_refused(path)
    own = before.properties if before is not None else {}
    for key in _ORIGIN:
        if after.properties.get(key) != own.get(key):
            raise Forbidden(
                f"{path}: {key} says where a note came from, and stays",
                mend="nothing written; say it in `source`",
            )
    if before is None:
        return
    if before.type == "topic":
        _keep_topic(before, after)
    elif after.type != before.type and after.type in {"topic", *_KEPT}:
        raise Forbidden(
            f"{path}: no note becomes a {after.type}", mend="nothing written"
        )


def _keep_topic(before: Memory, after: Memory) -> None:
    """A topic's properties place it in the tree; text may be added below."""
    names = {*before.properties, *after.properties} - {"updated_at", "last_updated"}
    changed = sorted(
        name
        for name in names
        if before.properties.get(name) != after.properties.get(name)
    )
    if changed:
        raise Forbidden(
            f"{after.path}: the digest keeps {', '.join(changed)} of a topic",
            mend="nothing written; append adds text to it",
        )
