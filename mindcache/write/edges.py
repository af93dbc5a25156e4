"""Typed edges between notes: drawing one, taking one away, retiring a fact for another.

An edge is a quoted link in the property that is called like its relation. One that is
there already, in whatever form, is not written again.
"""

from __future__ import annotations

import re
from datetime import datetime

from mindcache.cache.read import NodeRow, Reader
from mindcache.errors import Refused
from mindcache.memory import (
    RELATIONS,
    WEIGHT_TYPED,
    EdgeSpec,
    Memory,
    moment,
)
from mindcache.note import DELETE, Delete, Note, Property, edit, links_in_text
from mindcache.write.names import link_to, resolves_to
from mindcache.write.remember import one_of
from mindcache.write.rewrite import Rewrite, Seen, stamped
from mindcache.write.update import Edits, update

__all__ = ["LINKABLE", "edge_is_drawn", "link", "relation_of", "retire", "unlink"]

# The properties that a person may draw an edge with.
LINKABLE = (*RELATIONS, "entities", "superseded_by")

_WIKILINK = re.compile(r"\s*!?\[\[[^\[\]]+\]\]\s*")
# Properties that say how a thing ended, which an archived note still has to tell.
_ENDED = frozenset({"occurred", "missed", "canceled"})
# How the line begins that says why a note was retired, and how long a day is after it.
_RETIRED, _DAY = "Retired on ", len("2026-03-05")


def relation_of(given: str) -> str:
    """The relation that is meant. Raises UsageError naming the nearest."""
    return one_of("relation", given, LINKABLE)


def link(
    reader: Reader,
    seen: Seen,
    relation: str,
    target: NodeRow,
    now: datetime,
    display: str = "",
) -> Rewrite:
    """The note with an edge to another; unchanged when it has that edge already.

    Raises Refused for an edge to itself, and where the property can't take it.
    """
    note = seen.note
    if target.path == note.path:
        raise Refused(f"{note.path} can't be linked to itself", mend="name two notes")
    if edge_is_drawn(reader, seen.memory, relation, target.path):
        remark = f"{note.path} is linked so already"
        return Rewrite(note.path, seen.data, seen.data, {}, (remark,))
    key = _key(note, relation)
    own = _items(note, key)
    written = link_to(reader, note.path, target, display)
    value: Property = [*own, written]
    if relation == "superseded_by":
        if own:
            raise Refused(
                f"{note.path} is superseded by {own[0]} already",
                mend="unlink that first",
            )
        value = written
    changes = stamped(seen, {key: value}, now)
    return Rewrite(note.path, seen.data, edit(seen.data, changes), changes)


def edge_is_drawn(reader: Reader, memory: Memory, relation: str, target: str) -> bool:
    """Whether the note has a typed edge of this relation to the note at `target`."""
    return bool(_drawn(reader, memory, relation, target))


def _drawn(
    reader: Reader, memory: Memory, relation: str, target: str
) -> list[EdgeSpec]:
    wanted = "involves" if relation == "entities" else relation
    return [
        spec
        for spec in memory.edges
        if spec.relation == wanted
        and spec.weight == WEIGHT_TYPED
        and resolves_to(reader, memory.path, spec.link.target) == target
    ]


def unlink(
    reader: Reader,
    seen: Seen,
    relation: str,
    target: NodeRow,
    now: datetime,
) -> Rewrite:
    """The note without its edges of this relation to another.

    Unchanged when it has none. Raises Refused for an edge that stands in the text,
    or among other words.
    """
    note = seen.note
    drawn = _drawn(reader, seen.memory, relation, target.path)
    inline = [spec.link.line for spec in drawn if spec.link.origin == "inline"]
    if inline:
        raise Refused(
            f"{note.path}:{inline[0]}: the link stands in the text, which is yours",
            mend="take it out there",
        )
    changes: dict[str, Property | Delete] = {}
    for key in dict.fromkeys(spec.link.field for spec in drawn):
        own = _items(note, key)
        kept = [item for item in own if not _leads_to(reader, note, item, target.path)]
        changes[key] = [*kept] if kept else DELETE
    if not changes:
        wanted = "involves" if relation == "entities" else relation
        lines = [
            spec.link.line
            for spec in seen.memory.edges
            if spec.relation == wanted
            and resolves_to(reader, note.path, spec.link.target) == target.path
        ]
        remark = f"a link in its text, line {lines[0]}, which is yours" if lines else ""
        return Rewrite(note.path, seen.data, seen.data, {}, (remark,) if lines else ())
    changes = stamped(seen, changes, now)
    return Rewrite(note.path, seen.data, edit(seen.data, changes), changes)


def _leads_to(reader: Reader, note: Note, item: str, path: str) -> bool:
    links = links_in_text(item)
    if not any(resolves_to(reader, note.path, each.target) == path for each in links):
        return False
    if len(links) == 1 and (_WIKILINK.fullmatch(item) or item.strip()[-1:] == ")"):
        return True
    raise Refused(
        f"{note.path}: {item!r} says more than that link", mend="change it by hand"
    )


def _key(note: Note, relation: str) -> str:
    """The property as the note spells it."""
    for key in note.properties:
        if key.replace("-", "_").replace(" ", "_").casefold() == relation:
            return key
    return relation


def _items(note: Note, key: str) -> list[str]:
    """What stands in a property of links, one by one."""
    value = note.properties.get(key)
    items = value if isinstance(value, list) else [value]
    found: list[str] = []
    for item in items:
        if item in (None, ""):
            continue
        if not isinstance(item, str):
            raise Refused(
                f"{note.path}: {key} holds something else than links",
                mend="mend it by hand first",
            )
        found.append(item)
    return found


def retire(
    reader: Reader,
    seen: Seen,
    successor: NodeRow | None,
    because: str,
    now: datetime,
    since: datetime | None = None,
) -> Rewrite:
    """The note as one that holds no longer: `valid_until`, archived, and for whom.

    `since` is when that began, where it wasn't just now. Raises Refused as `link` does.
    """
    changes: dict[str, Property | Delete] = {"status": "archived"}
    note, memory = seen.note, seen.memory
    until = note.properties.get("valid_until")
    ended = since if since is not None and since < now else now
    if until in (None, "") or str(until) > moment(ended):
        changes["valid_until"] = moment(ended.replace(microsecond=0))
    if memory.status in _ENDED and not note.properties.get("outcome"):
        changes["outcome"] = memory.status
    where = ""
    if successor is not None:
        for relation in ("contradicts", "superseded_by"):
            drawn = link(reader, seen, relation, successor, now)
            changes.update(drawn.changes)
        changes.pop("updated_at", None)
        where = f", see {link_to(reader, note.path, successor)}"
    reason = " ".join(because.split())
    line = f"{_RETIRED}{now.date().isoformat()}{where}: {reason}" if reason else None
    last = note.body.rstrip().rpartition("\n")[2]
    if (
        last.startswith(_RETIRED)
        and last[len(_RETIRED) + _DAY :] == f"{where}: {reason}"
    ):
        line = None  # it says so already: who was interrupted says it once more
    assign = {k: v for k, v in changes.items() if not isinstance(v, Delete)}
    own = note.properties
    assign = {k: v for k, v in assign.items() if k not in own or own[k] != v}
    if line is not None and line in note.body.splitlines():
        line = None
    return update(seen, Edits(assign=assign, append=line), now)
