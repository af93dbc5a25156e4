"""The export as tables: the graph in one SQLite file that any program can query.

A row for each record of the JSON export, under the same names; what is a list there is
a table here. `meta` says which schema it is.
"""

from __future__ import annotations

import base64
import contextlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mindcache import __version__, atomic
from mindcache.errors import MindcacheError
from mindcache.exporters.gather import (
    Gathering,
    Progress,
    Report,
    gathering,
    settings_of,
)
from mindcache.exporters.place import Destination, file_at
from mindcache.exporters.records import APPLICATION_ID, FORMAT, SCHEMA
from mindcache.recall.filters import Filters

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["TABLES", "export_sqlite"]

# Each table's columns in order; the types are for readers, SQLite keeps what it gets.
TABLES: Mapping[str, str] = {
    "meta": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "nodes": (
        "path TEXT PRIMARY KEY, id TEXT, type TEXT, type_inferred INTEGER, title TEXT,"
        " summary TEXT, summary_inferred INTEGER, status TEXT, outcome TEXT,"
        " project TEXT, location TEXT, lang TEXT, date_start TEXT, date_end TEXT,"
        " date_precise INTEGER, date_by TEXT, time_start TEXT, time_end TEXT,"
        " all_day INTEGER, timezone TEXT, recurrence TEXT, valid_from TEXT,"
        " valid_until TEXT, created_at TEXT, updated_at TEXT, confidence REAL,"
        " importance REAL, pinned INTEGER, under_contract INTEGER, source_type TEXT,"
        " source_id TEXT, source_path TEXT, external_ref TEXT, properties TEXT,"
        " head TEXT, text TEXT, bytes BLOB"
    ),
    "tags": "path TEXT, tag TEXT, PRIMARY KEY (path, tag)",
    "aliases": "path TEXT, alias TEXT, PRIMARY KEY (path, alias)",
    "edges": (
        "source TEXT, target TEXT, relation TEXT, origin TEXT, weight REAL,"
        " property TEXT, line INTEGER"
    ),
    "entries": ("path TEXT, id TEXT, at TEXT, line_start INTEGER, line_end INTEGER"),
    "occurrences": (
        "path TEXT, key TEXT, start TEXT, end TEXT, all_day INTEGER, timezone TEXT,"
        " status TEXT, because TEXT, moved_from TEXT, anchor TEXT"
    ),
    "topics": (
        "path TEXT PRIMARY KEY, id TEXT, title TEXT, summary TEXT,"
        " parent_topic_id TEXT, status TEXT, first_seen TEXT, last_updated TEXT,"
        " importance REAL, pinned INTEGER"
    ),
    "topic_children": "path TEXT, child_topic_id TEXT",
    "topic_related": "path TEXT, related_topic_id TEXT",
    "topic_anchors": "path TEXT, target TEXT",
    "topic_members": "path TEXT, target TEXT",
    "ledger": (
        "position INTEGER PRIMARY KEY, what TEXT, kind TEXT, key TEXT, id TEXT,"
        ' path TEXT, "to" TEXT, at TEXT, said TEXT'
    ),
}

# What is asked of the graph from the other side.
_INDEXES = (
    "CREATE INDEX nodes_id ON nodes (id)",
    "CREATE INDEX tags_tag ON tags (tag)",
    "CREATE INDEX aliases_alias ON aliases (alias)",
    "CREATE INDEX edges_source ON edges (source)",
    "CREATE INDEX edges_target ON edges (target)",
    "CREATE INDEX entries_at ON entries (at)",
    "CREATE INDEX occurrences_start ON occurrences (start)",
)


def export_sqlite(
    app: App, filters: Filters, to: Destination, progress: Progress | None = None
) -> Report:
    """Write the notes that pass as a new SQLite file.

    Raises Refused for a place that is not free, and what `gathering` raises.
    """
    report = Report("sqlite", to.path)
    full = file_at(app, to, _is_ours)
    with gathering(app, filters, report, progress) as found:
        found.leave_attachments()
        with atomic.building(full, over=to.force) as temporary:
            try:
                _write(app, found, temporary)
            except sqlite3.Error as error:
                raise MindcacheError(
                    f"{to.path} can't be written: {error}",
                    mend="check the free space and the folder's permissions",
                ) from error
    return report


def _write(app: App, found: Gathering, path: str) -> None:
    """Fill an empty file, which nobody else sees before it is whole."""
    report = found.report
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as out:
        out.execute("PRAGMA journal_mode = OFF")
        out.execute("PRAGMA synchronous = OFF")
        out.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        out.execute(f"PRAGMA user_version = {SCHEMA}")
        out.execute("BEGIN")
        for name, columns in TABLES.items():
            out.execute(f"CREATE TABLE {name} ({columns})")
        meta = {
            "format": FORMAT,
            "schema": str(SCHEMA),
            "made_by": f"mindcache {__version__}",
            "settings": _json(settings_of(app)),
            "filters": _json(found.filters),
        }
        _insert(out, "meta", meta.items())
        for node in found.records(with_occurrences=True):
            _insert_node(out, node)
            report.notes += 1
        for topic in found.topics():
            _insert_topic(out, topic)
            report.topics += 1
        entries = [tuple(asdict(entry).values()) for entry in found.ledger()]
        _insert(out, "ledger", ((at, *row) for at, row in enumerate(entries, 1)))
        report.ledger = len(entries)
        for sql in _INDEXES:
            out.execute(sql)
        out.execute("COMMIT")


# What of a node's record is no column of the same name.
_LISTS = ("tags", "aliases", "related_nodes", "entries", "occurrences")
_PARTS = ("date", "source_ref", "properties", "base64")
# What of a topic's record is a column of `topics` behind its path.
_OF_TOPICS = (
    "id", "title", "summary", "parent_topic_id", "status", "first_seen",
    "last_updated", "importance", "pinned",
)  # fmt: skip


def _insert_node(out: sqlite3.Connection, node: Mapping[str, Any]) -> None:
    path = node["path"]
    kept = node["base64"]
    row = {k: v for k, v in node.items() if k not in (*_LISTS, *_PARTS)}
    row |= {f"date_{key}": value for key, value in node["date"].items()}
    row |= node["source_ref"]
    row["properties"] = _json(node["properties"])
    row["bytes"] = base64.b64decode(kept) if kept else None
    names = ", ".join(row)
    marks = ", ".join("?" * len(row))
    out.execute(f"INSERT INTO nodes ({names}) VALUES ({marks})", [*row.values()])  # noqa: S608  our own names
    _insert(out, "tags", ((path, tag) for tag in node["tags"]))
    _insert(out, "aliases", ((path, alias) for alias in node["aliases"]))
    _insert(
        out,
        "edges",
        (
            (path, e["target"]["path"], e["relation"], e["origin"], e["weight"],
             e["property"], e["line"])
            for e in node["related_nodes"]
        ),
    )  # fmt: skip
    _insert(
        out, "entries", ((path, e["id"], e["at"], *e["lines"]) for e in node["entries"])
    )
    _insert(out, "occurrences", ((path, *o.values()) for o in node["occurrences"]))


def _insert_topic(out: sqlite3.Connection, topic: Mapping[str, Any]) -> None:
    path = topic["path"]
    _insert(out, "topics", [(path, *(topic[name] for name in _OF_TOPICS))])
    _insert(out, "topic_children", ((path, each) for each in topic["child_topic_ids"]))
    _insert(out, "topic_related", ((path, each) for each in topic["related_topic_ids"]))
    anchors, members = topic["anchor_graph_nodes"], topic["members"]
    _insert(out, "topic_anchors", ((path, each["path"]) for each in anchors))
    _insert(out, "topic_members", ((path, each["path"]) for each in members))


def _insert(
    out: sqlite3.Connection, table: str, rows: Iterable[Sequence[object]]
) -> None:
    """Rows of as many values as the table has columns."""
    given = list(rows)
    if given:
        marks = ", ".join("?" * len(given[0]))
        out.executemany(f"INSERT INTO {table} VALUES ({marks})", given)  # noqa: S608  our own names


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _is_ours(full: str) -> bool:
    """Whether an export wrote this file: SQLite keeps the id at byte 68."""
    try:
        with open(full, "rb") as file:
            head = file.read(72)
    except OSError:
        return False
    is_sqlite = head.startswith(b"SQLite format 3\0")
    return is_sqlite and head[68:72] == APPLICATION_ID.to_bytes(4, "big")
