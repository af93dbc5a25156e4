"""What is asked of the notes themselves; `Reader` says what each answer is."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from mindcache.cache.read.opening import asked
from mindcache.cache.read.values import FactsRow, NodeRow

__all__ = [
    "duplicate_ids",
    "facts",
    "find_node",
    "foremost",
    "nodes",
    "nodes_by_id",
    "paths_by",
    "titles",
]

_NODE_COLUMNS = (
    "f.id, f.path, n.node_id, n.type, n.type_inferred, n.title, f.summary, n.status,"
    " n.project, n.location, n.date_start, n.date_end, n.date_precise, n.lang,"
    " n.valid_until, n.under_contract, n.aliases"
)
_NODE_BOOLEANS = (4, 12, 15)
_NODES = f"SELECT {_NODE_COLUMNS} FROM files f JOIN nodes n ON n.file_id = f.id"


def nodes(
    connection: sqlite3.Connection, file_ids: Iterable[int] | None = None
) -> list[NodeRow]:
    """See `Reader.nodes`."""
    if file_ids is None:
        rows = asked(connection, f"{_NODES} ORDER BY f.path")
    else:
        chosen = json.dumps(sorted(set(file_ids)))
        rows = asked(
            connection,
            f"{_NODES} WHERE f.id IN (SELECT value FROM json_each(?)) ORDER BY f.path",
            chosen,
        )
    return _with_tags(connection, rows.fetchall())


def find_node(connection: sqlite3.Connection, path: str) -> NodeRow | None:
    """See `Reader.find_node`."""
    found = _with_tags(
        connection, asked(connection, f"{_NODES} WHERE f.path = ?", path).fetchall()
    )
    return found[0] if found else None


def nodes_by_id(connection: sqlite3.Connection, node_id: str) -> list[NodeRow]:
    """See `Reader.nodes_by_id`."""
    rows = asked(connection, f"{_NODES} WHERE n.node_id = ? ORDER BY f.path", node_id)
    return _with_tags(connection, rows.fetchall())


def paths_by(
    connection: sqlite3.Connection, name: str, file_ids: Iterable[int]
) -> dict[str, str]:
    """See `Reader.paths_by`."""
    rows = asked(
        connection,
        "SELECT json_extract(n.properties, ?), min(f.path)"
        " FROM nodes n JOIN files f ON f.id = n.file_id"
        " WHERE f.id IN (SELECT value FROM json_each(?)) GROUP BY 1",
        f'$."{name}"',
        json.dumps(sorted(file_ids)),
    )
    return {key: path for key, path in rows if isinstance(key, str)}


def _with_tags(
    connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]
) -> list[NodeRow]:
    chosen = json.dumps([row[0] for row in rows])
    tags: dict[int, list[str]] = {}
    for file_id, name in asked(
        connection,
        "SELECT ft.file_id, ft.spelled FROM files_tags ft JOIN tags t"
        " ON t.id = ft.tag_id WHERE ft.file_id IN (SELECT value FROM json_each(?))"
        " ORDER BY ft.file_id, t.key",
        chosen,
    ):
        tags.setdefault(file_id, []).append(name)
    return [_node(row, tuple(tags.get(row[0], ()))) for row in rows]


def facts(
    connection: sqlite3.Connection, file_ids: Iterable[int]
) -> dict[int, FactsRow]:
    """See `Reader.facts`."""
    rows = asked(
        connection,
        "SELECT file_id, dated_by, valid_from, confidence, importance, pinned,"
        " summary_inferred, properties FROM nodes"
        " WHERE file_id IN (SELECT value FROM json_each(?))",
        json.dumps(sorted(set(file_ids))),
    )
    return {
        row[0]: FactsRow._make(
            (*row[1:5], bool(row[5]), bool(row[6]), dict(json.loads(row[7])))
        )
        for row in rows
    }


def foremost(
    connection: sqlite3.Connection, file_ids: Iterable[int], limit: int
) -> list[int]:
    """See `Reader.foremost`."""
    rows = asked(
        connection,
        "SELECT f.id FROM files f JOIN nodes n ON n.file_id = f.id"
        " WHERE f.id IN (SELECT value FROM json_each(?))"
        " ORDER BY n.pinned DESC, n.importance DESC, n.date_start DESC, f.path LIMIT ?",
        json.dumps(sorted(set(file_ids))),
        limit,
    )
    return [row[0] for row in rows]


def titles(
    connection: sqlite3.Connection, file_ids: Iterable[int]
) -> dict[int, tuple[str, ...]]:
    """See `Reader.titles`."""
    rows = asked(
        connection,
        "SELECT file_id, title, aliases FROM nodes"
        " WHERE file_id IN (SELECT value FROM json_each(?))",
        json.dumps(sorted(set(file_ids))),
    )
    return {row[0]: (row[1], *_texts(row[2])) for row in rows}


def duplicate_ids(connection: sqlite3.Connection) -> list[tuple[str, list[str]]]:
    """See `Reader.duplicate_ids`."""
    rows = asked(
        connection,
        "SELECT n.node_id, f.path FROM nodes n JOIN files f ON f.id = n.file_id"
        " WHERE n.node_id IN (SELECT node_id FROM nodes WHERE node_id != ''"
        " GROUP BY node_id HAVING count(*) > 1) ORDER BY n.node_id, f.path",
    )
    found: dict[str, list[str]] = {}
    for node_id, path in rows:
        found.setdefault(node_id, []).append(path)
    return list(found.items())


def _node(row: Sequence[Any], tags: tuple[str, ...]) -> NodeRow:
    """A row of `_NODES`, its truth values and aliases as what they are."""
    values = list(row)
    aliases = _texts(values.pop())
    for place in _NODE_BOOLEANS:
        values[place] = bool(values[place])
    return NodeRow(*[*values, tags, aliases])


def _texts(written: str) -> tuple[str, ...]:
    """A list of texts as JSON has it; most are empty, and there are many."""
    return () if written == "[]" else tuple(json.loads(written))
