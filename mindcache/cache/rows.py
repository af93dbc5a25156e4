"""What is written into the cache: plain values, and the rows they become.

Pure. A sync builds these values; `store` writes them and nothing else does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from mindcache.errors import Problem
from mindcache.links import target_key
from mindcache.memory import EdgeSpec, Memory
from mindcache.tags import key as tag_key

if TYPE_CHECKING:
    from mindcache.recurrence import Occurrence

__all__ = [
    "Batch",
    "ChunkValues",
    "EntryValues",
    "NoteRows",
    "Planned",
    "Row",
    "StampValues",
    "chunk_row",
    "link_row",
    "node_row",
    "occurrence_row",
    "parts_of",
    "plan_row",
    "stamp_row",
    "tags_of",
]

Row = tuple[object, ...]

_T = TypeVar("_T")

# Below SQLite's oldest limit of 999 variables in one statement.
_VARIABLES = 900


@dataclass(frozen=True, slots=True)
class ChunkValues:
    """One chunk, ready to be written.

    `body`, `heading_terms`, `title_terms` and `words_terms` are index terms
    joined by spaces; `length` counts the body's; `vector` is int8. `traits` are those
    of `text.traits`, `subject` as in `tables.Chunks`.
    """

    anchor: str
    heading: str
    line_start: int
    line_end: int
    hash: bytes
    length: int
    traits: int
    subject: str
    text: str
    vector: bytes
    body: str
    heading_terms: str
    title_terms: str
    words_terms: str


@dataclass(frozen=True, slots=True)
class EntryValues:
    """What of a chunk makes it an entry of the journal; see `tables.Entries`."""

    block: str
    at: str
    project: str


@dataclass(frozen=True, slots=True)
class StampValues:
    """How a file looked when it was read; see `tables.Stamps`."""

    path: str
    kind: str
    size: int = 0
    mtime_ns: int = 0
    inode: int = 0
    device: int = 0
    hash: bytes = b""


@dataclass(frozen=True, slots=True)
class Planned:
    """When a note takes place; see `tables.Plans`."""

    source: str
    year: int
    is_cut: bool
    occurrences: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True)
class NoteRows:
    """Everything the cache keeps of one note.

    `entries` are by the place of their chunk; `planned` is None where it takes none.
    """

    memory: Memory
    chunks: tuple[ChunkValues, ...]
    lang: str
    mtime: float
    entries: Mapping[int, EntryValues] = field(default_factory=dict)
    planned: Planned | None = None


@dataclass(slots=True)
class Batch:
    """What one transaction does: forget `removed`, then write the rest.

    Every path in `stamps` is written anew; those with an entry in `notes` are
    indexed, the others only remembered.
    """

    notes: list[NoteRows] = field(default_factory=list)
    stamps: list[StampValues] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def tags_of(memory: Memory) -> list[str]:
    """The note's tags, one spelling for each key."""
    return list({tag_key(t): t for t in reversed(memory.tags) if tag_key(t)}.values())


def stamp_row(s: StampValues) -> Row:
    """A row of `stamps`."""
    return (s.path, s.kind, s.size, s.mtime_ns, s.inode, s.device, s.hash)


def node_row(file_id: int, note: NoteRows) -> Row:
    """A row of `nodes`."""
    memory = note.memory
    date = memory.date
    return (
        file_id,
        memory.id,
        memory.type,
        memory.type_inferred,
        memory.title,
        memory.status,
        memory.project,
        memory.location,
        date.start.isoformat() if date else "",
        date.end.isoformat() if date else "",
        bool(date and date.precise),
        memory.dated_by,
        memory.valid_from,
        memory.valid_until,
        memory.confidence,
        memory.importance,
        memory.pinned,
        memory.under_contract,
        memory.summary_inferred,
        note.lang,
        json.dumps(memory.aliases, ensure_ascii=False),
        json.dumps(dict(memory.properties), ensure_ascii=False),
    )


def plan_row(file_id: int, planned: Planned) -> Row:
    """A row of `plans`."""
    return (file_id, planned.year, planned.is_cut, planned.source)


def occurrence_row(file_id: int, each: Occurrence) -> Row:
    """A row of `occurrences`."""
    return (
        file_id,
        each.begins.isoformat(),
        each.ends.isoformat(),
        each.key,
        each.start.isoformat(),
        each.end.isoformat(),
        each.all_day,
        each.zone,
        each.status,
        each.because,
        each.anchor,
        each.line,
        each.moved_from.isoformat() if each.moved_from else "",
    )


def link_row(file_id: int, edge: EdgeSpec) -> Row:
    """A row of `links` but for its id and what resolving finds."""
    link = edge.link
    return (
        file_id,
        link.target,
        target_key(link.target),
        link.subpath,
        link.display,
        link.kind,
        link.line,
        link.field,
        edge.relation,
        edge.origin,
        edge.weight,
    )


def chunk_row(chunk_id: int, file_id: int, place: int, chunk: ChunkValues) -> Row:
    """A row of `chunks`."""
    return (
        chunk_id,
        file_id,
        place,
        chunk.anchor,
        chunk.heading,
        chunk.line_start,
        chunk.line_end,
        chunk.hash,
        chunk.length,
        chunk.traits,
        chunk.subject,
        chunk.text,
    )


def parts_of(values: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """The values in portions that one statement has room for."""
    for start in range(0, len(values), _VARIABLES):
        yield values[start : start + _VARIABLES]
