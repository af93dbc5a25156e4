"""What is asked of chunks, their terms and vectors; `Reader` says what each answer is."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from mindcache.cache.read.opening import asked
from mindcache.cache.read.values import FTS_COLUMNS, ChunkRow, EntryRow

__all__ = [
    "chunks",
    "chunks_of",
    "entries",
    "entries_of",
    "last_entry",
    "postings",
    "projects_since",
    "segments",
    "terms_from",
]

# Rows of the term table beyond which a term's postings are not read: a term in
# every second chunk of a million-word vault ranks nothing.
_MAX_OCCURRENCES = 2_000_000

_CODES = " ".join(
    f"WHEN '{column}' THEN doc * {len(FTS_COLUMNS)} + {place}"
    for place, column in enumerate(FTS_COLUMNS)
)
_POSTINGS = (
    f"SELECT group_concat(CASE col {_CODES} END) FROM"
    " (SELECT doc, col FROM fts_terms WHERE term = ? LIMIT ?)"
)

_CHUNKS = (
    "SELECT c.id, c.file_id, c.ord, c.anchor, c.heading, c.line_start, c.line_end,"
    " c.text, coalesce(e.at, '') FROM chunks c LEFT JOIN entries e"
    " ON e.file_id = c.file_id AND e.ord = c.ord"
)


def chunks(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, ChunkRow]:
    """See `Reader.chunks`."""
    rows = asked(
        connection,
        f"{_CHUNKS} WHERE c.id IN (SELECT value FROM json_each(?))",
        json.dumps(sorted(set(ids))),
    )
    # The tuple's own maker: a named tuple's is Python, and every search pays.
    make = tuple.__new__
    return {row[0]: make(ChunkRow, row) for row in rows}


def chunks_of(connection: sqlite3.Connection, file_id: int) -> list[ChunkRow]:
    """See `Reader.chunks_of`."""
    rows = asked(connection, f"{_CHUNKS} WHERE c.file_id = ? ORDER BY c.ord", file_id)
    return [ChunkRow(*row) for row in rows]


def entries(connection: sqlite3.Connection, block: str = "") -> list[EntryRow]:
    """See `Reader.entries`."""
    rows = asked(
        connection,
        "SELECT e.at, f.path, e.ord, c.id, e.file_id, e.block, e.project"
        " FROM entries e JOIN files f ON f.id = e.file_id"
        " JOIN chunks c ON c.file_id = e.file_id AND c.ord = e.ord"
        f" {'WHERE e.block = ?' if block else ''} ORDER BY 1, 2, 3",
        *([block] if block else []),
    )
    return [EntryRow(*row) for row in rows]


def entries_of(
    connection: sqlite3.Connection, file_ids: Iterable[int]
) -> dict[int, list[ChunkRow]]:
    """See `Reader.entries_of`."""
    rows = asked(
        connection,
        f"{_CHUNKS} WHERE e.at IS NOT NULL"
        " AND c.file_id IN (SELECT value FROM json_each(?))"
        " ORDER BY c.file_id, c.ord",
        json.dumps(sorted(set(file_ids))),
    )
    found: dict[int, list[ChunkRow]] = {}
    for row in rows:
        found.setdefault(row[1], []).append(ChunkRow(*row))
    return found


_OF = "coalesce(nullif(e.project, ''), n.project)"


def last_entry(connection: sqlite3.Connection, project: str) -> EntryRow | None:
    """See `Reader.last_entry`."""
    row = asked(
        connection,
        "SELECT e.at, f.path, e.ord, c.id, e.file_id, e.block, e.project"
        " FROM entries e JOIN files f ON f.id = e.file_id"
        " JOIN nodes n ON n.file_id = e.file_id"
        " JOIN chunks c ON c.file_id = e.file_id AND c.ord = e.ord"
        f" WHERE {_OF} = ? ORDER BY e.at DESC, f.path DESC, e.ord DESC LIMIT 1",
        project,
    ).fetchone()
    return EntryRow._make(row) if row else None


def projects_since(connection: sqlite3.Connection, at: str) -> list[tuple[str, int]]:
    """See `Reader.projects_since`."""
    return asked(
        connection,
        f"SELECT {_OF}, count(*) FROM entries e JOIN nodes n ON n.file_id = e.file_id"
        " WHERE e.at >= ? GROUP BY 1 ORDER BY 2 DESC, 1",
        at,
    ).fetchall()


def postings(connection: sqlite3.Connection, term: str) -> str:
    """See `Reader.postings`."""
    # One text takes a quarter of the time that as many rows do. Counting and
    # sorting here would cost more than the reading itself.
    row = asked(connection, _POSTINGS, term, _MAX_OCCURRENCES).fetchone()
    return row[0] or ""


def terms_from(connection: sqlite3.Connection, prefix: str, limit: int) -> list[str]:
    """See `Reader.terms_from`."""
    return [
        row[0]
        for row in asked(
            connection,
            "SELECT term FROM fts_vocabulary WHERE term >= ? AND term < ?"
            " ORDER BY term LIMIT ?",
            prefix,
            prefix + "\U0010ffff",
            limit,
        )
    ]


def segments(
    connection: sqlite3.Connection, numbers: Iterable[int] | None = None
) -> Iterator[tuple[int, bytes]]:
    """See `Reader.segments`."""
    sql = "SELECT id, vectors FROM segments"
    if numbers is None:
        yield from asked(connection, f"{sql} ORDER BY id")
    else:
        yield from asked(
            connection,
            f"{sql} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            json.dumps(sorted(set(numbers))),
        )
