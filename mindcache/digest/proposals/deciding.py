"""What carrying out a suggestion would do, as plain values; nothing is written here.

The same decision shows the change when it is proposed and makes it when it was
approved. What is to be done is done already: `Moot`; what can't be: `Refused`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Refused
from mindcache.generated import Section, find_section
from mindcache.hashing import blake2b
from mindcache.links import fold
from mindcache.note import Delete, Note, Property, edit
from mindcache.vault import Change, Replace, Trash
from mindcache.write import edges, merging
from mindcache.write.change import unified
from mindcache.write.entities import Wanted, created
from mindcache.write.rewrite import Rewrite, Seen, refuse_new_breaches, stamped
from mindcache.write.update import Edits, update

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow, Reader

__all__ = [
    "Deed",
    "Gone",
    "Moot",
    "Order",
    "decide",
    "fingerprint",
    "place",
    "places",
    "title",
]

# What comes and goes with a note's life or with each digest, and is not what it says.
LIFE = frozenset({"status", "outcome", "updated_at", "confidence"})
# Of a topic, what a digest says of it: all but its names.
_OF_TOPICS = frozenset({"aliases", "pinned"})

_GLOBAL, _PROJECT = "scope/global", "scope/project"


class Moot(MindcacheError):
    """There is nothing left to do; the words say why."""


class Gone(Moot):
    """A note that it is about is not there any more."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be decided: notes by their paths now, the one that stays first.

    `choice` is the way that was ticked, of two.
    """

    kind: str
    paths: tuple[str, ...]
    value: str = ""
    choice: str = ""


@dataclass(frozen=True, slots=True)
class Deed:
    """What would be written: `changes` in their order, or merges of pairs of notes.

    `merges` are (the note that goes, the one that stays), one after the other. `diff`
    shows it, `remarks` say what else happens.
    """

    changes: tuple[Change, ...] = ()
    merges: tuple[tuple[str, str], ...] = ()
    diff: str = ""
    remarks: tuple[str, ...] = ()


# -- what a proposal rests on -----------------------------------------------------


def fingerprint(kind: str, data: bytes, note: Note) -> str:
    """What a proposal of this kind goes by in a note: another one, another note.

    Of a topic, what a person says in it. Otherwise all but the life of the note.
    """
    if kind == "diverged":
        return blake2b(data, digest_size=16).hexdigest()
    if kind == "topics":
        section = find_section(note)
        text = _without(note, section) if isinstance(section, Section) else note.text
        kept = {k: v for k, v in note.properties.items() if k in _OF_TOPICS}
    else:
        text = note.body
        kept = {k: v for k, v in note.properties.items() if k not in LIFE}
    if note.frontmatter is not None and note.frontmatter.error is not None:
        text, kept = note.text, {}
    said = json.dumps(kept, sort_keys=True, default=str)
    whole = f"{said}\n{text}".encode("utf-8", "surrogatepass")
    return blake2b(whole, digest_size=16).hexdigest()


def _without(note: Note, section: Section) -> str:
    lines = note.text.split("\n")
    start = note.text.count("\n", 0, note.body_offset)
    return "\n".join([*lines[start : section.begin - 1], *lines[section.end :]])


def place(app: App, reader: Reader, path: str, note_id: str) -> str | None:
    """Where the note that had this path and id is now, None where it is gone."""
    node = reader.find_node(path)
    if node is not None and (not note_id or node.id == note_id):
        return path
    if node is None and not note_id and app.vault.exists(path):
        return path  # a copy that is held apart is no node
    others = reader.nodes_by_id(note_id) if note_id else []
    return others[0].path if len(others) == 1 else None


def places(
    app: App, reader: Reader, notes: Sequence[tuple[str, str, str]]
) -> tuple[str, ...]:
    """Where the notes (path, id, mark) are now, wherever they moved. Raises Gone."""
    found = []
    for path, note_id, _ in notes:
        now = place(app, reader, path, note_id)
        if now is None:
            raise Gone(f"{path} is gone")
        found.append(now)
    return tuple(found)


def title(kind: str, called: Sequence[str], value: str = "") -> str:
    """What a proposal asks, by the names (or links) of its notes."""
    first, others = called[0] if called else "", _listed(called[1:])
    match kind:
        case "merge":
            return f"Merge {others} into {first}"
        case "retire":
            return f"Retire {first}" + (f" for {others}" if others else "")
        case "entity":
            return f"Make a note about {value}"
        case "promote":
            gives = f"; {others} gives way to it" if len(called) == 2 else ""
            gives = f"; {others} give way to it" if len(called) > 2 else gives
            return f"Let {first} hold everywhere{gives}"
        case "topics":
            return f"Merge the topic {others} into {first}"
        case _:
            return f"Settle {first}, of which there is the copy {others}"


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


# -- deciding ---------------------------------------------------------------------


def decide(app: App, reader: Reader, order: Order, now: datetime) -> Deed:
    """What the order comes to, with the notes as they are.

    `reader` is one that is in step; where the vault was changed since, it may be closed
    afterwards, unless the order is one of `SETTLED`. Raises Moot where it is so already, Refused where it can't be done.
    """
    decided = _KINDS.get(order.kind)
    if decided is None:
        raise Refused(f"nobody knows how to {order.kind}")
    if len(order.paths) < _LEAST[order.kind]:
        raise Refused(f"too few notes to {order.kind}")
    try:
        return decided(app, reader, order, now)
    except OSError as error:
        raise Refused(f"a note can't be read: {error.strerror}") from error


def _merge(app: App, reader: Reader, order: Order, now: datetime) -> Deed:
    del now
    if len(set(order.paths)) < 2:
        raise Moot("they are one note")
    nodes = _nodes(reader, order.paths)
    diffs, remarks, pairs = [], [], []
    for other in nodes[1:]:
        plan = merging.decide(app, other, nodes[0], only_new=True)
        if plan.failed:
            raise plan.failed[0][1]
        diffs.append(unified(nodes[0].path, plan.into.before, plan.into.after))
        pairs.append((other.path, nodes[0].path))
        count = sum(len(text.rewrites) for text in plan.texts)
        if count:
            links = "1 link follows" if count == 1 else f"{count:,} links follow"
            remarks.append(f"{links}.")
    return Deed((), tuple(pairs), "".join(diffs), tuple(remarks))


def _retire(app: App, reader: Reader, order: Order, now: datetime) -> Deed:
    nodes = _nodes(reader, order.paths)
    after = nodes[1] if len(nodes) > 1 else None
    seen = _seen(app, nodes[0].path)
    is_archived = seen.memory.status == "archived"
    if is_archived and (
        after is None
        or edges.edge_is_drawn(reader, seen.memory, "superseded_by", after.path)
    ):
        raise Moot(f"{nodes[0].path} is retired already")
    since = _since(reader, nodes[0], after)
    rewrite = edges.retire(reader, seen, after, "", now, since)
    return _rewritten(app, [rewrite])


def _since(reader: Reader, node: NodeRow, after: NodeRow | None) -> datetime | None:
    """When the note that holds instead began to, if that is later than this one."""
    if after is None:
        return None
    facts = reader.facts([node.file_id, after.file_id])
    began = facts[after.file_id].valid_from or after.date_start
    if not began or began <= max(facts[node.file_id].valid_from, node.date_start):
        return None
    return datetime.fromisoformat(began).replace(tzinfo=None)


def _entity(app: App, reader: Reader, order: Order, now: datetime) -> Deed:
    del reader
    try:
        change, _ = created(app, Wanted(order.value), now)
    except Refused as error:
        if error.exit_code == Refused.exit_code and "goes by" in error.message:
            raise Moot(error.message) from error
        raise
    return Deed((change,), diff=unified(change.path, b"", change.data))


def _promote(app: App, reader: Reader, order: Order, now: datetime) -> Deed:
    nodes = _nodes(reader, order.paths)
    first = _seen(app, nodes[0].path)
    rewrites: list[Rewrite] = []
    if fold(_GLOBAL) not in {fold(tag.name) for tag in first.note.tags if not tag.line}:
        scoped = [
            tag.name
            for tag in first.note.tags
            if not tag.line and fold(tag.name) == _PROJECT
        ]
        edits = Edits(add_tags=[_GLOBAL], remove_tags=scoped)
        rewrites.append(update(first, edits, now))
    for node in nodes[1:]:
        seen = _seen(app, node.path)
        if seen.memory.status == "archived":
            continue
        drawn = edges.link(reader, seen, "superseded_by", nodes[0], now)
        changes: dict[str, Property | Delete] = {**drawn.changes, "status": "archived"}
        changes = stamped(seen, changes, now)
        rewrites.append(
            Rewrite(node.path, seen.data, edit(seen.data, changes), changes)
        )
    if not rewrites:
        raise Moot(f"{nodes[0].path} holds everywhere already")
    return _rewritten(app, rewrites)


def _diverged(app: App, reader: Reader, order: Order, now: datetime) -> Deed:
    """Way "a" keeps the note, way "b" what the copy says; the copy goes either way."""
    del now, reader
    path, copy = order.paths[:2]
    here, there = (_bytes(app, each) for each in (path, copy))
    if order.choice == "b":
        changes: tuple[Change, ...] = (
            *((Replace(path, there, here),) if here != there else ()),
            Trash(copy, there),
        )
    else:
        changes = (Trash(copy, there),)
    return Deed(changes, diff=unified(path, here, there))


_KINDS = {
    "merge": _merge,
    "retire": _retire,
    "entity": _entity,
    "promote": _promote,
    "topics": _merge,
    "diverged": _diverged,
}

SETTLED = frozenset({"retire", "promote", "diverged"})
"""Kinds that are decided with the reader that is at hand, and no other."""

_LEAST = {
    "merge": 2, "retire": 1, "entity": 0, "promote": 1, "topics": 2, "diverged": 2
}  # fmt: skip


def _bytes(app: App, path: str) -> bytes:
    data, _ = app.vault.read(path, app.settings.number("size_cap"))
    if data is None:
        raise Refused(f"{path} is larger than size_cap")
    return data


def _nodes(reader: Reader, paths: Sequence[str]) -> list[NodeRow]:
    found = []
    for path in paths:
        node = reader.find_node(path)
        if node is None:
            raise Refused(f"{path} is kept apart", mend="mindcache doctor says why")
        found.append(node)
    return found


def _seen(app: App, path: str) -> Seen:
    from mindcache import sync

    found = Seen(*app.look(path))
    if reason := sync.held_reason(found.note):
        raise Refused(f"{path}: {reason.message}", mend=reason.mend)
    return found


def _rewritten(app: App, rewrites: Sequence[Rewrite]) -> Deed:
    """These as changes. Raises Refused for what the contract forbids."""
    namespaces = app.settings.texts("namespaces")
    for each in rewrites:
        refuse_new_breaches(each, app.meaning_of, namespaces)
    return Deed(
        tuple(Replace(r.path, r.after, r.before) for r in rewrites if r.is_change),
        diff="".join(each.diff() for each in rewrites),
    )
