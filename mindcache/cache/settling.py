"""What is settled once the batches are written: where links lead, how tags are spelled.

Owns what waits for that: `pending_keys` are the keys of names that came or went, and
of new links, `pending_tags` the tags that a note got or lost. Inside the caller's
transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from mindcache.cache.rows import parts_of
from mindcache.links import Name, Names, fold, target_key

__all__ = ["mark_keys", "mark_tags", "mark_tags_of", "resolve_links", "tidy_tags"]

# Link keys that wait beyond which all links are read in one pass.
_MANY_KEYS = 2_000


def mark_keys(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Let the links under these keys be resolved again.

    Links meet an alias with a slash under its last part, as under a path.
    """
    marked = {k for key in keys for k in (key, target_key(key))}
    connection.executemany(
        "INSERT OR IGNORE INTO pending_keys (key) VALUES (?)",
        [(key,) for key in sorted(marked)],
    )


def mark_tags(connection: sqlite3.Connection, tag_ids: Iterable[int]) -> None:
    """Let these tags be tidied."""
    connection.executemany(
        "INSERT OR IGNORE INTO pending_tags VALUES (?)",
        [(tag_id,) for tag_id in tag_ids],
    )


def mark_tags_of(connection: sqlite3.Connection, file_ids: Sequence[int]) -> None:
    """Let the tags of these notes be tidied."""
    marks = ",".join("?" * len(file_ids))
    connection.execute(
        "INSERT OR IGNORE INTO pending_tags"
        f" SELECT tag_id FROM files_tags WHERE file_id IN ({marks})",
        file_ids,
    )


def resolve_links(connection: sqlite3.Connection) -> None:
    """Resolve the links under the keys that wait."""
    waiting = connection.execute("SELECT count(*) FROM pending_keys").fetchone()[0]
    # Few keys look up their links; with many, one pass over all links is quicker.
    tables = "pending_keys p CROSS JOIN links l"
    if waiting > _MANY_KEYS:
        tables = "links l JOIN pending_keys p"
    rows = connection.execute(
        "SELECT l.id, f.path, l.target, l.resolved, l.resolved_by"
        f" FROM {tables} ON p.key = l.key JOIN files f ON f.id = l.file_id"
    ).fetchall()
    keys = {k for row in rows for k in (target_key(row[2]), fold(row[2]))}
    names = Names(_names(connection, keys))
    changed: list[tuple[str | None, str, int]] = []
    for link_id, source, target, resolved, resolved_by in rows:
        found = names.resolve(source, target)
        now = (found.path, found.by) if found else (None, "")
        if now != (resolved, resolved_by):
            changed.append((*now, link_id))
    connection.executemany(
        "UPDATE links SET resolved = ?, resolved_by = ? WHERE id = ?", changed
    )
    connection.execute("DELETE FROM pending_keys")


def tidy_tags(connection: sqlite3.Connection) -> None:
    """Drop tags that no note has any more; give each its commonest spelling."""
    connection.execute(
        "DELETE FROM tags WHERE id IN (SELECT tag_id FROM pending_tags)"
        " AND NOT EXISTS (SELECT 1 FROM files_tags WHERE tag_id = tags.id)"
    )
    connection.execute(
        "UPDATE tags SET name = (SELECT spelled FROM files_tags"
        " WHERE tag_id = tags.id GROUP BY spelled"
        " ORDER BY count(*) DESC, spelled LIMIT 1)"
        " WHERE id IN (SELECT tag_id FROM pending_tags)"
    )
    connection.execute("DELETE FROM pending_tags")


def _names(connection: sqlite3.Connection, keys: Iterable[str]) -> Iterator[Name]:
    for part in parts_of(sorted(keys)):
        marks = ",".join("?" * len(part))
        rows = connection.execute(
            f"SELECT key, kind, path FROM names WHERE key IN ({marks})", part
        )
        yield from (Name(*row) for row in rows)
