"""What a cache file may have lost, and how to notice.

A sound cache passes every check; one that doesn't is built anew.
"""

from __future__ import annotations

import sqlite3
from array import array

from mindcache.cache.read import NO_FILE, SEGMENT_ROWS

__all__ = ["find"]


def find(connection: sqlite3.Connection, dimension: int) -> list[str]:
    """What contradicts itself, in words with a count; [] for a sound cache."""
    checks = {
        "the file is damaged": "SELECT count(*) FROM pragma_quick_check"
        " WHERE quick_check != 'ok'",
        "notes without a node": "SELECT count(*) FROM files"
        " WHERE id NOT IN (SELECT file_id FROM nodes)",
        "notes without a chunk": "SELECT count(*) FROM files"
        " WHERE id NOT IN (SELECT file_id FROM chunks)",
        "chunks without a note": "SELECT count(*) FROM chunks"
        " WHERE file_id NOT IN (SELECT id FROM files)",
        "chunks without searchable text": "SELECT count(*) FROM chunks"
        " WHERE id NOT IN (SELECT id FROM fts_content)",
        "searchable text without a chunk": "SELECT count(*) FROM fts_content"
        " WHERE id NOT IN (SELECT id FROM chunks)",
        "chunks without a vector": "SELECT count(*) FROM chunks"
        f" WHERE id / {SEGMENT_ROWS} NOT IN (SELECT id FROM segments)",
        "vectors of the wrong size": "SELECT count(*) FROM segments"
        f" WHERE length(vectors) != {SEGMENT_ROWS * dimension}",
        "occurrences without a plan": "SELECT count(*) FROM occurrences"
        " WHERE file_id NOT IN (SELECT file_id FROM plans)",
        "plans without a note": "SELECT count(*) FROM plans"
        " WHERE file_id NOT IN (SELECT id FROM files)",
        "notes without a stamp": "SELECT count(*) FROM files"
        " WHERE path NOT IN (SELECT path FROM stamps WHERE kind = 'note')",
        "stamps without a note": "SELECT count(*) FROM stamps"
        " WHERE kind = 'note' AND path NOT IN (SELECT path FROM files)",
    }
    found: list[str] = []
    for fault, sql in checks.items():
        number = int(connection.execute(sql).fetchone()[0])
        if number:
            found.append(f"{fault}: {number}")
    if _placed(connection) != set(connection.execute("SELECT id, file_id FROM chunks")):
        found.append("arrays that don't hold the chunks there are")
    for table, column in (
        ("chunks", "text"),
        ("nodes", "properties"),
        ("files", "path"),
    ):
        try:
            for _ in connection.execute(f"SELECT {column} FROM {table}"):
                pass
        except sqlite3.DatabaseError:
            found.append(f"text in {table} that can't be read")
    try:
        connection.execute("INSERT INTO fts (fts) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as error:
        found.append(f"the full-text index is damaged: {error}")
    return found


def _placed(connection: sqlite3.Connection) -> set[tuple[int, int]]:
    """(chunk id, file id) of every row of the arrays that holds a chunk."""
    placed: set[tuple[int, int]] = set()
    for number, files in connection.execute("SELECT id, files FROM layout"):
        placed.update(
            (number * SEGMENT_ROWS + slot, file_id)
            for slot, file_id in enumerate(array("i", files))
            if file_id != NO_FILE
        )
    return placed
