"""Numbering the chunks anew, which a cache that lost most of them is smaller for."""

from __future__ import annotations

import sqlite3

from mindcache.cache.read import FTS_COLUMNS
from mindcache.cache.segments import Placed, Segments

__all__ = ["renumber"]


def renumber(connection: sqlite3.Connection, segments: Segments) -> None:
    """Give the chunks ids from 0 up, by note and place, with their vectors.

    Inside the caller's transaction.
    """
    order = connection.execute(
        "SELECT c.id, c.file_id, c.length, c.traits FROM chunks c"
        " JOIN files f ON f.id = c.file_id ORDER BY f.path, c.ord"
    ).fetchall()
    vectors = segments.vectors_of(old for old, *_ in order)
    connection.execute("CREATE TEMP TABLE renumbered (old INTEGER PRIMARY KEY, new)")
    connection.executemany(
        "INSERT INTO renumbered VALUES (?, ?)",
        [(old, new) for new, (old, *_) in enumerate(order)],
    )
    columns = ", ".join(FTS_COLUMNS)
    connection.execute(
        f"CREATE TEMP TABLE texts AS SELECT r.new AS id, {columns} FROM fts"
        " JOIN renumbered r ON r.old = fts.rowid"
    )
    connection.execute("DELETE FROM fts")
    connection.execute(
        f"INSERT INTO fts (rowid, {columns}) SELECT id, {columns} FROM texts"
        " ORDER BY id"
    )
    connection.execute("UPDATE chunks SET id = -1 - id")
    connection.execute(
        "UPDATE chunks SET id = (SELECT new FROM renumbered WHERE old = -1 - id)"
    )
    connection.execute("DROP TABLE texts")
    connection.execute("DROP TABLE renumbered")
    segments.clear()
    segments.write(
        {new: Placed(vectors[old], *rest) for new, (old, *rest) in enumerate(order)}
    )
