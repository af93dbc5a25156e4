"""What is asked of names, links and edges; `Reader` says what each answer is."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from mindcache.cache.read.opening import asked
from mindcache.cache.read.values import EdgeRow, LinkRow
from mindcache.links import Name

__all__ = [
    "boxes",
    "contradicting",
    "edges",
    "edges_from",
    "edges_of",
    "linked_from",
    "linked_under",
    "linking",
    "links_by_alias",
    "links_from",
    "links_to",
    "names",
    "superseding",
    "unresolved",
]


def names(
    connection: sqlite3.Connection, keys: Iterable[str] | None = None
) -> list[Name]:
    """See `Reader.names`."""
    if keys is None:
        rows = asked(connection, "SELECT key, kind, path FROM names")
    else:
        rows = asked(
            connection,
            "SELECT key, kind, path FROM names"
            " WHERE key IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(keys))),
        )
    return [Name(*row) for row in rows]


def links_from(connection: sqlite3.Connection, path: str) -> list[LinkRow]:
    """See `Reader.links_from`."""
    return _links(connection, "WHERE f.path = ? ORDER BY l.line, l.id", path)


def links_to(connection: sqlite3.Connection, path: str) -> list[LinkRow]:
    """See `Reader.links_to`."""
    return _links(
        connection,
        "WHERE l.resolved = ? AND f.path != ? ORDER BY f.path, l.line, l.id",
        path,
        path,
    )


def unresolved(connection: sqlite3.Connection) -> list[LinkRow]:
    """See `Reader.unresolved`."""
    return _links(connection, "WHERE l.resolved IS NULL ORDER BY f.path, l.line, l.id")


def links_by_alias(connection: sqlite3.Connection) -> list[LinkRow]:
    """See `Reader.links_by_alias`."""
    return _links(
        connection,
        "WHERE l.resolved_by IN ('alias', 'id') ORDER BY f.path, l.line, l.id",
    )


def linked_under(connection: sqlite3.Connection, keys: Iterable[str]) -> list[str]:
    """See `Reader.linked_under`."""
    rows = asked(
        connection,
        "SELECT DISTINCT f.path FROM links l JOIN files f ON f.id = l.file_id"
        " WHERE l.key IN (SELECT value FROM json_each(?)) ORDER BY f.path",
        json.dumps(sorted(set(keys))),
    )
    return [row[0] for row in rows]


def linking(connection: sqlite3.Connection, path: str, key: str) -> set[int]:
    """See `Reader.linking`."""
    rows = asked(
        connection,
        "SELECT DISTINCT file_id FROM links"
        " WHERE (resolved = ? AND ? != '') OR (resolved IS NULL AND key = ?)",
        path,
        path,
        key,
    )
    return {row[0] for row in rows}


def _links(
    connection: sqlite3.Connection, tail: str, *parameters: object
) -> list[LinkRow]:
    rows = asked(
        connection,
        "SELECT f.path, l.target, l.subpath, l.display, l.kind, l.line, l.field,"
        " l.relation, l.origin, l.weight, coalesce(l.resolved, ''), l.resolved_by"
        f" FROM links l JOIN files f ON f.id = l.file_id {tail}",
        *parameters,
    )
    return [LinkRow(*row) for row in rows]


def linked_from(connection: sqlite3.Connection, paths: Iterable[str]) -> set[str]:
    """See `Reader.linked_from`."""
    rows = asked(
        connection,
        "SELECT DISTINCT l.resolved FROM links l JOIN files f ON f.id = l.file_id"
        " WHERE l.resolved IS NOT NULL"
        " AND f.path IN (SELECT value FROM json_each(?))",
        json.dumps(sorted(set(paths))),
    )
    return {row[0] for row in rows}


def edges(connection: sqlite3.Connection) -> list[tuple[str, str, str, str, float]]:
    """See `Reader.edges`."""
    # The same few names come again and again: each is kept once.
    seen: dict[str, str] = {}
    one = seen.setdefault
    return [
        (one(a, a), one(b, b), one(relation, relation), one(origin, origin), weight)
        for a, b, relation, origin, weight in asked(
            connection,
            "SELECT source, target, relation, origin, weight FROM edges"
            " ORDER BY source, target, relation, origin, weight",
        )
    ]


def edges_from(
    connection: sqlite3.Connection,
    paths: Iterable[str] | None = None,
    relation: str = "",
) -> list[EdgeRow]:
    """See `Reader.edges_from`."""
    chosen = "" if paths is None else json.dumps(sorted(set(paths)))
    rows = asked(
        connection,
        "SELECT s.path, t.path, l.relation, l.origin, l.weight, l.field, l.line"
        " FROM files s JOIN links l ON l.file_id = s.id"
        " JOIN files t ON t.path = l.resolved WHERE s.id != t.id"
        f"{' AND s.path IN (SELECT value FROM json_each(?))' if chosen else ''}"
        f"{' AND l.relation = ?' if relation else ''}"
        " ORDER BY s.path, l.line, l.id",
        *([chosen] if chosen else []),
        *([relation] if relation else []),
    )
    return [EdgeRow(*row) for row in rows]


def edges_of(
    connection: sqlite3.Connection, paths: Iterable[str]
) -> list[tuple[str, str, str, str, float]]:
    """See `Reader.edges_of`."""
    # Two halves, because with an OR neither index would be used.
    chosen = json.dumps(sorted(set(paths)))
    return asked(
        connection,
        "SELECT s.path, t.path, l.relation, l.origin, l.weight FROM files s"
        " JOIN links l ON l.file_id = s.id JOIN files t ON t.path = l.resolved"
        " WHERE s.id != t.id AND s.path IN (SELECT value FROM json_each(?))"
        " UNION ALL"
        " SELECT s.path, t.path, l.relation, l.origin, l.weight FROM links l"
        " JOIN files s ON s.id = l.file_id JOIN files t ON t.path = l.resolved"
        " WHERE s.id != t.id AND l.resolved IN (SELECT value FROM json_each(?))"
        " AND s.path NOT IN (SELECT value FROM json_each(?))"
        " ORDER BY 1, 2, 3, 4, 5",
        chosen,
        chosen,
        chosen,
    ).fetchall()


def superseding(
    connection: sqlite3.Connection, file_ids: Iterable[int]
) -> dict[int, int]:
    """See `Reader.superseding`."""
    # They are so few that all are read, by an index of their own.
    rows = asked(
        connection,
        "SELECT l.file_id, t.id FROM links l INDEXED BY links_heirs"
        " JOIN files t ON t.path = l.resolved"
        " WHERE l.relation = 'superseded_by' AND t.id != l.file_id"
        " ORDER BY l.file_id, t.path DESC",
    )
    wanted = set(file_ids)
    return {old: new for old, new in rows if old in wanted}


def contradicting(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    """See `Reader.contradicting`."""
    return asked(
        connection,
        "SELECT l.file_id, t.id FROM links l JOIN files t ON t.path = l.resolved"
        # A word and no parameter: by it the index of these few is found.
        " WHERE l.relation = 'contradicts' AND t.id != l.file_id ORDER BY 1, 2",
    ).fetchall()


def boxes(
    connection: sqlite3.Connection, file_ids: Iterable[int], prefix: str
) -> list[tuple[str, str, tuple[int, ...]]]:
    """See `Reader.boxes`."""
    chosen = json.dumps(sorted(set(file_ids)))
    rows = asked(
        connection,
        "SELECT file_id, line_start, anchor, text FROM chunks"
        " WHERE file_id IN (SELECT value FROM json_each(?)) AND anchor GLOB ?"
        " ORDER BY file_id, ord",
        chosen,
        f"^{prefix}*",
    ).fetchall()
    leads: dict[tuple[int, int], list[int]] = {(row[0], row[1]): [] for row in rows}
    if leads:
        for file_id, line, target in asked(
            connection,
            "SELECT l.file_id, l.line, t.id FROM links l"
            " JOIN files t ON t.path = l.resolved"
            " WHERE l.file_id IN (SELECT value FROM json_each(?)) ORDER BY l.id",
            chosen,
        ):
            if (file_id, line) in leads:
                leads[file_id, line].append(target)
    return [
        (anchor[1:], text, tuple(leads[file_id, line]))
        for file_id, line, anchor, text in rows
    ]
