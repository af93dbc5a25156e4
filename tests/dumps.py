"""What a cache says, without what may differ between two equal caches.

Row ids, stamps of the disk and times of syncing are left out; everything that
an answer can depend on is in.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from mindcache.cache.read import SEGMENT_ROWS

Dump = dict[str, list[tuple[object, ...]]]

_QUERIES = {
    "stamps": "SELECT path, kind, hash FROM stamps",
    "files": "SELECT path, summary, scope FROM files",
    "nodes": "SELECT f.path, n.* FROM nodes n JOIN files f ON f.id = n.file_id",
    "plans": "SELECT f.path, p.* FROM plans p JOIN files f ON f.id = p.file_id",
    "occurrences": "SELECT f.path, o.* FROM occurrences o"
    " JOIN files f ON f.id = o.file_id",
    "tags": "SELECT key, name FROM tags",
    "files_tags": "SELECT f.path, t.key, ft.spelled FROM files_tags ft"
    " JOIN files f ON f.id = ft.file_id JOIN tags t ON t.id = ft.tag_id",
    "names": "SELECT key, kind, path FROM names",
    "links": "SELECT f.path, l.target, l.key, l.subpath, l.display, l.kind, l.line,"
    " l.field, l.relation, l.origin, l.weight, l.resolved, l.resolved_by"
    " FROM links l JOIN files f ON f.id = l.file_id",
    "edges": "SELECT * FROM edges",
    "pending": "SELECT key FROM pending_keys",
    "problems": "SELECT * FROM problems",
    "chunks": "SELECT f.path, c.ord, c.anchor, c.heading, c.line_start, c.line_end,"
    " c.hash, c.length, c.traits, c.subject, c.text, t.body, t.heading, t.title, t.words FROM chunks c"
    " JOIN files f ON f.id = c.file_id JOIN fts t ON t.rowid = c.id",
}


def dump(cache_path: str | Path) -> Dump:
    """Every row that matters, sorted."""
    connection = sqlite3.connect(f"file:{cache_path}?mode=ro", uri=True)
    try:
        found: Dump = {}
        for name, sql in _QUERIES.items():
            rows = connection.execute(sql).fetchall()
            if name in {"nodes", "plans", "occurrences"}:
                rows = [(row[0], *row[2:]) for row in rows]
            found[name] = sorted(rows, key=repr)
        found["vectors"] = sorted(_vectors(connection), key=repr)
        found["unindexed"] = connection.execute(
            "SELECT count(*) FROM fts WHERE rowid NOT IN (SELECT id FROM chunks)"
        ).fetchall()
        return found
    finally:
        connection.close()


def _vectors(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    segments = dict(connection.execute("SELECT id, vectors FROM segments").fetchall())
    rows = connection.execute(
        "SELECT f.path, c.ord, c.id FROM chunks c JOIN files f ON f.id = c.file_id"
    ).fetchall()
    found = []
    for path, place, chunk_id in rows:
        number, slot = divmod(chunk_id, SEGMENT_ROWS)
        width = len(segments[number]) // SEGMENT_ROWS
        found.append((path, place, segments[number][slot * width : (slot + 1) * width]))
    return found
