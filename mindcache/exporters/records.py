"""A note as it goes out: the shape that the exports to JSON and SQLite share. Pure.

A record says what the note means (type, dates, edges) beside what it is (`head` and
`text`, or `base64` where these two can't give the file's bytes back). Only the latter
is read by a restore; the rest follows from it.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mindcache.note import block_end, decode

if TYPE_CHECKING:
    from mindcache.cache.read import (
        ChunkRow,
        EdgeRow,
        FactsRow,
        NodeRow,
        OccurrenceRow,
    )

__all__ = [
    "APPLICATION_ID",
    "FORMAT",
    "SCHEMA",
    "Record",
    "Refs",
    "Whole",
    "bytes_of",
    "record",
    "topic",
]

FORMAT = "mindcache-export"
# Of both forms. Bump it when a name or its meaning changes; new names don't.
SCHEMA = 1
# What tells our SQLite files from others: "MCEX".
APPLICATION_ID = 0x4D434558

Record = dict[str, object]


class Refs:
    """How notes are named in an export: by id where that is theirs alone, else by path."""

    def __init__(self, homes: Iterable[tuple[str, int, str]]) -> None:
        self._ids: dict[str, str] = {}
        taken: set[str] = set()
        for path, _, note_id in homes:
            if note_id and note_id not in taken:
                taken.add(note_id)
                self._ids[path] = note_id

    def name(self, path: str) -> str:
        """The note's id, or its path: of notes with one id, the first has it."""
        return self._ids.get(path, path)

    def ref(self, path: str) -> dict[str, str]:
        """`{id, path}` of a note that something leads to."""
        return {"id": self._ids.get(path, ""), "path": path}


@dataclass(frozen=True, slots=True)
class Whole:
    """All that is known of one note."""

    node: NodeRow
    facts: FactsRow
    data: bytes
    edges: Sequence[EdgeRow] = ()
    entries: Sequence[ChunkRow] = ()
    occurrences: Sequence[OccurrenceRow] = field(default_factory=tuple)


def record(whole: Whole, refs: Refs, *, with_occurrences: bool) -> Record:
    """The note as one JSON object; see `export.schema.json`."""
    node, facts, properties = whole.node, whole.facts, whole.facts.properties
    head, text, kept = _split(whole.data, properties)
    found: Record = {
        "id": node.id,
        "path": node.path,
        "type": node.type,
        "type_inferred": node.type_inferred,
        "title": node.title,
        "summary": node.summary,
        "summary_inferred": facts.summary_inferred,
        "tags": list(node.tags),
        "aliases": list(node.aliases),
        "status": node.status,
        "outcome": _text(properties, "outcome"),
        "project": node.project,
        "location": node.location,
        "lang": node.lang,
        "date": {
            "start": node.date_start,
            "end": node.date_end,
            "precise": node.date_precise,
            "by": facts.dated_by,
        },
        "time_start": _text(properties, "time_start"),
        "time_end": _text(properties, "time_end"),
        "all_day": properties.get("all_day") is True,
        "timezone": _text(properties, "timezone"),
        "recurrence": _text(properties, "recurrence"),
        "valid_from": facts.valid_from,
        "valid_until": node.valid_until,
        "created_at": _text(properties, "created_at", "created"),
        "updated_at": _text(properties, "updated_at", "updated"),
        "confidence": facts.confidence,
        "importance": facts.importance,
        "pinned": facts.pinned,
        "under_contract": node.under_contract,
        "source_ref": {
            key: _text(properties, key)
            for key in ("source_type", "source_id", "source_path", "external_ref")
        },
        "related_nodes": [_edge(each, refs) for each in whole.edges],
        "entries": [_entry(each) for each in whole.entries],
        "properties": _finite(properties),
        "head": head,
        "text": text,
        "base64": kept,
    }
    if with_occurrences:
        found["occurrences"] = [_occurrence(each) for each in whole.occurrences]
    return found


def bytes_of(head: str, text: str, kept: str) -> bytes:
    """The file that a record was made from. Raises ValueError when it says nothing."""
    if not kept:
        return (head + text).encode()
    try:
        return base64.b64decode(kept, validate=True)
    except binascii.Error as error:
        raise ValueError(f"base64 that can't be read: {error}") from error


def topic(
    whole: Whole, parents: Iterable[str], children: Iterable[str], refs: Refs
) -> Record:
    """A topic with its place in the tree; `parents` and `children` are paths."""
    node, properties = whole.node, whole.facts.properties
    above = sorted(set(parents))
    return {
        "id": node.id,
        "path": node.path,
        "title": node.title,
        "summary": node.summary,
        "parent_topic_id": refs.name(above[0]) if above else "",
        "child_topic_ids": [refs.name(path) for path in sorted(set(children))],
        "anchor_graph_nodes": _ends(
            (e for e in whole.edges if e.field.casefold() == "anchors"), refs
        ),
        "related_topic_ids": list(
            dict.fromkeys(
                refs.name(e.target) for e in whole.edges if e.relation == "same_topic"
            )
        ),
        "members": _ends((e for e in whole.edges if e.origin == "topic"), refs),
        "status": node.status,
        "first_seen": _text(properties, "first_seen"),
        "last_updated": _text(properties, "last_updated"),
        "importance": whole.facts.importance,
        "aliases": list(node.aliases),
        "pinned": whole.facts.pinned,
    }


def _ends(edges: Iterable[EdgeRow], refs: Refs) -> list[dict[str, str]]:
    return [refs.ref(path) for path in dict.fromkeys(e.target for e in edges)]


def _split(data: bytes, properties: Mapping[str, object]) -> tuple[str, str, str]:
    """The block of properties with its fences, the rest, and what these two lose.

    A block that says nothing may be one that can't be read: it stays in the text,
    which is where it is searched.
    """
    text, encoding, _ = decode(data)
    end = block_end(text) if properties and text.startswith("---") else 0
    is_plain = encoding.name == "utf-8" and not encoding.bom
    if is_plain and text.encode("utf-8", "surrogatepass") == data:
        return text[:end], text[end:], ""
    return text[:end], text[end:], base64.b64encode(data).decode("ascii")


def _text(properties: Mapping[str, object], *keys: str) -> str:
    """The first of these that says something, as text; a list is a line each."""
    for key in keys:
        value = properties.get(key)
        if isinstance(value, list):
            value = "\n".join(str(each) for each in value if each is not None)
        if value is not None and not isinstance(value, (bool, dict)):
            return str(value)
    return ""


def _finite(value: object) -> object:
    """The same in numbers that JSON has: 1e999 is text, as it was before it was read."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _edge(edge: EdgeRow, refs: Refs) -> Record:
    return {
        "relation": edge.relation,
        "origin": edge.origin,
        "weight": edge.weight,
        "property": edge.field,
        "line": edge.line,
        "target": refs.ref(edge.target),
    }


def _entry(chunk: ChunkRow) -> Record:
    return {
        "id": chunk.anchor.removeprefix("^"),
        "at": chunk.at,
        "lines": [chunk.line_start, chunk.line_end],
    }


def _occurrence(each: OccurrenceRow) -> Record:
    return {
        "key": each.key,
        "start": each.start,
        "end": each.end,
        "all_day": bool(each.all_day),
        "timezone": each.zone,
        "status": each.status,
        "because": each.because,
        "moved_from": each.moved_from,
        "anchor": each.anchor.removeprefix("^"),
    }
