"""What the cache's readers and its writer agree on: its schema, and its rows as values.

Plain values; named tuples, because a cold start makes their classes and a search
hundreds of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = [
    "FTS_COLUMNS",
    "NO_FILE",
    "SCHEMA",
    "SEGMENT_ROWS",
    "ChunkRow",
    "EdgeRow",
    "EntryRow",
    "FactsRow",
    "LinkRow",
    "NodeRow",
    "OccurrenceRow",
    "PlanRow",
    "SeenFile",
    "TagCount",
]

# There are no migrations: a cache of another schema is built anew. Bump this
# whenever a table or the meaning of a column changes.
SCHEMA = 13

# Vectors lie side by side in blobs of this many chunk ids: large enough that a
# cold process reads 20,000 vectors in under a hundred rows, small enough that
# one changed note rewrites 64 KB.
SEGMENT_ROWS = 256

# What stands in place of a file's id where a row of a segment holds no chunk.
NO_FILE = -1

# The columns of the full-text table, in order.
FTS_COLUMNS = ("body", "heading", "title", "words")


class SeenFile(NamedTuple):
    """How a file looked when it was read last; see `tables.Stamps`."""

    kind: str
    size: int
    mtime_ns: int
    inode: int
    device: int
    hash: bytes
    path: str = ""


class NodeRow(NamedTuple):
    """A note as answers show it. `file_id` appears in no answer."""

    file_id: int
    path: str
    id: str
    type: str
    type_inferred: bool
    title: str
    summary: str
    status: str
    project: str
    location: str
    date_start: str
    date_end: str
    date_precise: bool
    lang: str
    valid_until: str
    under_contract: bool
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def date(self) -> str:
        """When the memory is about: a day, or a minute where one is known."""
        return self.date_start[:16] if self.date_precise else self.date_start[:10]


class FactsRow(NamedTuple):
    """What is known of a note beside its `NodeRow`; `properties` as they were read."""

    dated_by: str
    valid_from: str
    confidence: float
    importance: float
    pinned: bool
    summary_inferred: bool
    properties: dict[str, Any]


class EdgeRow(NamedTuple):
    """An edge from one note to another, by the property or line that draws it."""

    source: str
    target: str
    relation: str
    origin: str
    weight: float
    field: str
    line: int


class PlanRow(NamedTuple):
    """What decides when a note takes place; see `tables.Plans`."""

    file_id: int
    is_cut: bool
    source: str


class OccurrenceRow(NamedTuple):
    """One time that a note takes place; see `tables.Occurrences`."""

    file_id: int
    begins: str
    ends: str
    key: str
    start: str
    end: str
    all_day: bool
    zone: str
    status: str
    because: str
    anchor: str
    line: int
    moved_from: str


class EntryRow(NamedTuple):
    """An entry of the journal, its `at` a civil time (ISO), without its text."""

    at: str
    path: str
    ord: int
    chunk_id: int
    file_id: int
    block: str
    project: str


class ChunkRow(NamedTuple):
    """A chunk as answers show it; `at` is an entry's own civil time, ISO, else ""."""

    id: int
    file_id: int
    ord: int
    anchor: str
    heading: str
    line_start: int
    line_end: int
    text: str
    at: str = ""


class LinkRow(NamedTuple):
    """A link from one note, and the file it leads to ("" for nowhere)."""

    source: str
    target: str
    subpath: str
    display: str
    kind: str
    line: int
    field: str
    relation: str
    origin: str
    weight: float
    resolved: str
    resolved_by: str


class TagCount(NamedTuple):
    """A tag, the number of notes that have it, and a few of their spellings."""

    name: str
    key: str
    notes: int
