"""Every question that is asked of the cache, over the standard library alone.

Read-only, and light: no Peewee, no numpy. A `Reader` sees one moment of the
cache; `Reader.open` gives None when there is no cache that fits the fingerprint
and is complete, so the caller knows that a sync has to come first.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from mindcache.errors import Problem
from mindcache.links import Name

__all__ = [
    "FTS_COLUMNS",
    "NO_FILE",
    "SCHEMA",
    "SEGMENT_ROWS",
    "ChunkRow",
    "EntryRow",
    "LinkRow",
    "NodeRow",
    "OccurrenceRow",
    "PlanRow",
    "Reader",
    "SeenFile",
    "TagCount",
    "fingerprint_of",
    "read_stamps",
]

# There are no migrations: a cache of another schema is built anew. Bump this
# whenever a table or the meaning of a column changes.
SCHEMA = 8

# Vectors lie side by side in blobs of this many chunk ids: large enough that a
# cold process reads 20,000 vectors in under a hundred rows, small enough that
# one changed note rewrites 64 KB.
SEGMENT_ROWS = 256

# What stands in place of a file's id where a row of a segment holds no chunk.
NO_FILE = -1

# The columns of the full-text table, in order.
FTS_COLUMNS = ("body", "heading", "title", "words")

# Rows of the term table beyond which a term's postings are not read: a term in
# every second chunk of a million-word vault ranks nothing.
_MAX_OCCURRENCES = 2_000_000


class SeenFile(NamedTuple):
    """How a file looked when it was read last; see `tables.Stamps`.

    A tuple, because 10,000 of them are read at every start.
    """

    kind: str
    size: int
    mtime_ns: int
    inode: int
    device: int
    hash: bytes
    path: str = ""


@dataclass(frozen=True, slots=True)
class NodeRow:
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


@dataclass(frozen=True, slots=True)
class ChunkRow:
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


class EntryRow(NamedTuple):
    """An entry of the journal, its `at` a civil time (ISO), without its text."""

    at: str
    path: str
    ord: int
    chunk_id: int
    file_id: int
    block: str
    project: str


@dataclass(frozen=True, slots=True)
class LinkRow:
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


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag, the number of notes that have it, and a few of their spellings."""

    name: str
    key: str
    notes: int


_NODE_COLUMNS = (
    "f.id, f.path, n.node_id, n.type, n.type_inferred, n.title, f.summary, n.status,"
    " n.project, n.location, n.date_start, n.date_end, n.date_precise, n.lang,"
    " n.valid_until, n.under_contract, n.aliases"
)
_NODE_BOOLEANS = (4, 12, 15)
_NODES = f"SELECT {_NODE_COLUMNS} FROM files f JOIN nodes n ON n.file_id = f.id"


_CHUNKS = (
    "SELECT c.id, c.file_id, c.ord, c.anchor, c.heading, c.line_start, c.line_end,"
    " c.text, coalesce(e.at, '') FROM chunks c LEFT JOIN entries e"
    " ON e.file_id = c.file_id AND e.ord = c.ord"
)


class Reader:
    """One read-only look into the cache."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self.path = path

    @classmethod
    def open(cls, path: str, fingerprint: str) -> Reader | None:
        """A reader, or None when no complete cache of this fingerprint is there."""
        if not os.path.exists(path):
            return None
        found = _connect(path)
        if found is None:
            return None
        connection, rows = found
        if rows.get("fingerprint") != fingerprint or rows.get("complete") != "1":
            connection.close()
            return None
        return cls(connection, path)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def version(self) -> tuple[int, int]:
        """Differs after any change: (inode of the file, SQLite's data version)."""
        row = self._connection.execute("PRAGMA data_version").fetchone()
        try:
            inode = os.stat(self.path).st_ino
        except FileNotFoundError:  # deleted while we read: what we have stays whole
            inode = 0
        return inode, int(row[0])

    def _rows(self, sql: str, *parameters: object) -> sqlite3.Cursor:
        return self._connection.execute(sql, parameters)

    def meta(self, key: str) -> str:
        """A fact about the cache itself, "" when it isn't recorded."""
        row = self._rows("SELECT value FROM meta WHERE key = ?", key).fetchone()
        return str(row[0]) if row else ""

    # -- files -----------------------------------------------------------

    def stamps(self) -> dict[str, SeenFile]:
        """Every file seen, by path."""
        return read_stamps(self._connection)

    def is_settled(self) -> bool:
        """Whether every link has been resolved since names last came or went."""
        return self._rows("SELECT 1 FROM pending_keys LIMIT 1").fetchone() is None

    def counts(self) -> dict[str, int]:
        """Numbers of rows: notes, chunks, links, unresolved, tags, held, skipped."""
        one = {
            "notes": "SELECT count(*) FROM files",
            "chunks": "SELECT count(*) FROM chunks",
            "links": "SELECT count(*) FROM links",
            "unresolved": "SELECT count(*) FROM links WHERE resolved IS NULL",
            "tags": "SELECT count(DISTINCT tag_id) FROM files_tags",
            "held": "SELECT count(*) FROM stamps WHERE kind = 'held'",
            "skipped": "SELECT count(*) FROM stamps WHERE kind = 'skipped'",
        }
        return {name: int(self._rows(sql).fetchone()[0]) for name, sql in one.items()}

    def problems(self) -> list[Problem]:
        """What was wrong when each file was last read, by path and line."""
        rows = self._rows(
            "SELECT path, line, code, message, mend, severity FROM problems"
            " ORDER BY path, line, code, message"
        )
        return [Problem(*row) for row in rows]

    # -- nodes -----------------------------------------------------------

    def nodes(self, file_ids: Iterable[int] | None = None) -> list[NodeRow]:
        """Notes by path order: those of the given ids, or all."""
        if file_ids is None:
            rows = self._rows(f"{_NODES} ORDER BY f.path")
        else:
            chosen = json.dumps(sorted(set(file_ids)))
            rows = self._rows(
                f"{_NODES} WHERE f.id IN (SELECT value FROM json_each(?))"
                " ORDER BY f.path",
                chosen,
            )
        return self._with_tags(rows.fetchall())

    def find_node(self, path: str) -> NodeRow | None:
        """The note at this very path, or None."""
        found = self._with_tags(
            self._rows(f"{_NODES} WHERE f.path = ?", path).fetchall()
        )
        return found[0] if found else None

    def nodes_by_id(self, node_id: str) -> list[NodeRow]:
        """The notes with this id, smallest path first."""
        rows = self._rows(f"{_NODES} WHERE n.node_id = ? ORDER BY f.path", node_id)
        return self._with_tags(rows.fetchall())

    def paths_by_id(self) -> dict[str, str]:
        """The path of every note that has an id; of two with one id the smallest."""
        rows = self._rows(
            "SELECT n.node_id, min(f.path) FROM nodes n JOIN files f ON f.id = n.file_id"
            " WHERE n.node_id != '' GROUP BY n.node_id"
        )
        return dict(rows.fetchall())

    def paths_by(self, name: str, file_ids: Iterable[int]) -> dict[str, str]:
        """These notes' paths by a property that is text; of equal ones the smallest."""
        rows = self._rows(
            "SELECT json_extract(n.properties, ?), min(f.path)"
            " FROM nodes n JOIN files f ON f.id = n.file_id"
            " WHERE f.id IN (SELECT value FROM json_each(?)) GROUP BY 1",
            f'$."{name}"',
            json.dumps(sorted(file_ids)),
        )
        return {key: path for key, path in rows if isinstance(key, str)}

    def _with_tags(self, rows: Sequence[tuple[Any, ...]]) -> list[NodeRow]:
        chosen = json.dumps([row[0] for row in rows])
        tags: dict[int, list[str]] = {}
        for file_id, name in self._rows(
            "SELECT ft.file_id, ft.spelled FROM files_tags ft JOIN tags t"
            " ON t.id = ft.tag_id WHERE ft.file_id IN (SELECT value FROM json_each(?))"
            " ORDER BY ft.file_id, t.key",
            chosen,
        ):
            tags.setdefault(file_id, []).append(name)
        return [_node(row, tuple(tags.get(row[0], ()))) for row in rows]

    def properties(self, file_id: int) -> dict[str, object]:
        """A note's properties as they were read."""
        row = self._rows(
            "SELECT properties FROM nodes WHERE file_id = ?", file_id
        ).fetchone()
        return dict(json.loads(row[0])) if row else {}

    def titles(self, file_ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """What each of these notes is called: its title, then its aliases."""
        rows = self._rows(
            "SELECT file_id, title, aliases FROM nodes"
            " WHERE file_id IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(file_ids))),
        )
        return {row[0]: (row[1], *json.loads(row[2])) for row in rows}

    def paths(self, file_ids: Iterable[int]) -> dict[int, str]:
        """The path of each of these notes."""
        rows = self._rows(
            "SELECT id, path FROM files WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(file_ids))),
        )
        return dict(rows.fetchall())

    def file_ids(self, paths: Iterable[str]) -> dict[str, int]:
        """The row id of each of these notes that is indexed."""
        rows = self._rows(
            "SELECT path, id FROM files WHERE path IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(paths))),
        )
        return dict(rows.fetchall())

    def where(self, clause: str, parameters: Sequence[object]) -> set[int]:
        """The notes that a condition over `f` (files) and `n` (nodes) keeps.

        `clause` is made of our own words; every value goes in as a parameter.
        """
        sql = (
            "SELECT f.id FROM files f JOIN nodes n ON n.file_id = f.id WHERE " + clause
        )
        return {row[0] for row in self._connection.execute(sql, tuple(parameters))}

    def distinct(self, column: str) -> list[str]:
        """The values that occur in a column of `nodes`, sorted, "" left out.

        A project may be that of an entry alone.
        """
        if column not in {"type", "status", "project", "location", "lang"}:
            raise ValueError(column)
        sql = f"SELECT DISTINCT {column} FROM nodes"
        if column == "project":
            sql += " UNION SELECT project FROM entries"
        rows = self._rows(sql)
        return sorted(row[0] for row in rows if row[0])

    def languages(self) -> list[str]:
        """The languages that notes are in, the commonest first."""
        rows = self._rows(
            "SELECT lang FROM nodes GROUP BY lang ORDER BY count(*) DESC, lang"
        )
        return [row[0] for row in rows]

    def duplicate_ids(self) -> list[tuple[str, list[str]]]:
        """Ids that more than one note carries, with the notes' paths."""
        rows = self._rows(
            "SELECT n.node_id, f.path FROM nodes n JOIN files f ON f.id = n.file_id"
            " WHERE n.node_id IN (SELECT node_id FROM nodes WHERE node_id != ''"
            " GROUP BY node_id HAVING count(*) > 1) ORDER BY n.node_id, f.path"
        )
        found: dict[str, list[str]] = {}
        for node_id, path in rows:
            found.setdefault(node_id, []).append(path)
        return list(found.items())

    # -- plans -----------------------------------------------------------

    def window_year(self) -> int:
        """The year whose window the occurrences kept are of; 0 before a whole sync."""
        return int(self.meta("year") or 0)

    def plans(self) -> list[PlanRow]:
        """Every note that takes place sometime, by row."""
        rows = self._rows("SELECT file_id, is_cut, source FROM plans ORDER BY file_id")
        return [PlanRow(row[0], bool(row[1]), row[2]) for row in rows]

    def undated_plans(self, among: Iterable[int] | None = None) -> set[int]:
        """The notes of type plan, of these or of all, that don't say when."""
        found = self.where(
            "n.type = 'plan' AND f.id NOT IN (SELECT file_id FROM plans)", []
        )
        return found if among is None else found & set(among)

    def has_plans(self) -> bool:
        """Whether any note takes place sometime."""
        return self._rows("SELECT 1 FROM plans LIMIT 1").fetchone() is not None

    def has_cut_plans(self) -> bool:
        """Whether some plan has more occurrences in the window than are kept."""
        return self._rows("SELECT 1 FROM plans WHERE is_cut").fetchone() is not None

    def occurrences(
        self, low: str, high: str, among: Iterable[int] | None = None
    ) -> list[OccurrenceRow]:
        """Those kept that share a moment with [low, high), by when they begin.

        `among` are the notes that are meant, None for all.
        """
        chosen = "" if among is None else json.dumps(sorted(set(among)))
        rows = self._rows(
            "SELECT file_id, begins, ends, key, start, end, all_day, zone, status,"
            " because, anchor, line, moved_from FROM occurrences"
            " WHERE begins < ? AND (ends > ? OR begins >= ?)"
            " AND (? = '' OR file_id IN (SELECT value FROM json_each(?)))"
            " ORDER BY begins, ends, file_id, key, line",
            high,
            low,
            low,
            chosen,
            chosen or "[]",
        )
        return [OccurrenceRow(*row) for row in rows]

    # -- tags ------------------------------------------------------------

    def tags(self, namespace: str = "") -> list[TagCount]:
        """Tags in use with their number of notes, by key."""
        rows = self._rows(
            "SELECT t.name, t.key, count(*) FROM tags t JOIN files_tags ft"
            " ON ft.tag_id = t.id WHERE t.key >= ? AND t.key < ?"
            " GROUP BY t.id ORDER BY t.key",
            f"{namespace}/" if namespace else "",
            f"{namespace}0" if namespace else "\U0010ffff",
        )
        return [TagCount(*row) for row in rows]

    def tagged(self, key: str) -> list[tuple[int, str]]:
        """(file id, tag as spelled) of the notes with this tag or one below it."""
        rows = self._rows(
            "SELECT ft.file_id, ft.spelled FROM tags t JOIN files_tags ft"
            " ON ft.tag_id = t.id WHERE t.key = ? OR (t.key >= ? AND t.key < ?)"
            " ORDER BY ft.file_id, t.key",
            key,
            f"{key}/",
            f"{key}0",
        )
        return rows.fetchall()

    # -- links -----------------------------------------------------------

    def names(self, keys: Iterable[str] | None = None) -> list[Name]:
        """The names under these keys, or all of them."""
        if keys is None:
            rows = self._rows("SELECT key, kind, path FROM names")
        else:
            rows = self._rows(
                "SELECT key, kind, path FROM names"
                " WHERE key IN (SELECT value FROM json_each(?))",
                json.dumps(sorted(set(keys))),
            )
        return [Name(*row) for row in rows]

    def links_from(self, path: str) -> list[LinkRow]:
        """A note's own links, in reading order."""
        return self._links("WHERE f.path = ? ORDER BY l.line, l.id", path)

    def links_to(self, path: str) -> list[LinkRow]:
        """The links of other notes that lead to this file."""
        return self._links(
            "WHERE l.resolved = ? AND f.path != ? ORDER BY f.path, l.line, l.id",
            path,
            path,
        )

    def unresolved(self) -> list[LinkRow]:
        """The links that lead nowhere, by note and line."""
        return self._links("WHERE l.resolved IS NULL ORDER BY f.path, l.line, l.id")

    def links_by_alias(self) -> list[LinkRow]:
        """The links that only we resolve: by an alias or an id."""
        return self._links(
            "WHERE l.resolved_by IN ('alias', 'id') ORDER BY f.path, l.line, l.id"
        )

    def linked_under(self, keys: Iterable[str]) -> list[str]:
        """The notes with a link whose target has one of these keys."""
        rows = self._rows(
            "SELECT DISTINCT f.path FROM links l JOIN files f ON f.id = l.file_id"
            " WHERE l.key IN (SELECT value FROM json_each(?)) ORDER BY f.path",
            json.dumps(sorted(set(keys))),
        )
        return [row[0] for row in rows]

    def linking(self, path: str, key: str) -> set[int]:
        """The notes whose links lead to this file or, leading nowhere, have this key."""
        rows = self._rows(
            "SELECT DISTINCT file_id FROM links"
            " WHERE (resolved = ? AND ? != '') OR (resolved IS NULL AND key = ?)",
            path,
            path,
            key,
        )
        return {row[0] for row in rows}

    def _links(self, tail: str, *parameters: object) -> list[LinkRow]:
        rows = self._rows(
            "SELECT f.path, l.target, l.subpath, l.display, l.kind, l.line, l.field,"
            " l.relation, l.origin, l.weight, coalesce(l.resolved, ''), l.resolved_by"
            f" FROM links l JOIN files f ON f.id = l.file_id {tail}",
            *parameters,
        )
        return [LinkRow(*row) for row in rows]

    def edges(self) -> list[tuple[str, str, str, str, float]]:
        """All edges between notes: (source, target, relation, origin, weight)."""
        return self._rows(
            "SELECT source, target, relation, origin, weight FROM edges"
            " ORDER BY source, target, relation, origin, weight"
        ).fetchall()

    def edges_of(self, paths: Iterable[str]) -> list[tuple[str, str, str, str, float]]:
        """The edges that start or end at one of these notes."""
        # Two halves, because with an OR neither index would be used.
        chosen = json.dumps(sorted(set(paths)))
        return self._rows(
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

    # -- search ----------------------------------------------------------

    def layout(self) -> list[tuple[int, bytes, bytes, bytes, bytes]]:
        """(segment number, files, lengths, squared norms, traits) by number.

        Each of the four is `SEGMENT_ROWS` int32 in this machine's byte order: the
        file id of a chunk (`NO_FILE` where there is none), the number of index
        terms in its body, the squared length of its vector, its `text.traits`.
        """
        return self._rows(
            "SELECT id, files, lengths, norms, traits FROM layout ORDER BY id"
        ).fetchall()

    def subjects(self) -> list[str]:
        """Every distinct `subject` of a chunk, sorted; see `tables.Chunks`."""
        rows = self._rows(
            "SELECT DISTINCT subject FROM chunks WHERE subject != '' ORDER BY subject"
        )
        return [row[0] for row in rows]

    def aliases_of(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """(folded alias, folded name) of the notes that are called by these names."""
        rows = self._rows(
            "SELECT a.key, n.key FROM names n JOIN names a ON a.path = n.path"
            " AND a.kind = 'alias' WHERE n.kind = 'path'"
            " AND n.key IN (SELECT value FROM json_each(?)) ORDER BY a.key, n.path",
            json.dumps(sorted(set(names))),
        )
        return rows.fetchall()

    def about(self, subjects: Iterable[str]) -> list[int]:
        """The ids of the chunks with one of these subjects, as `subjects` gives them."""
        rows = self._rows(
            "SELECT id FROM chunks WHERE subject != ''"
            " AND subject IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(subjects))),
        )
        return [row[0] for row in rows]

    def dates(self) -> list[tuple[int, str, str]]:
        """(file id, start, end) of every dated note; ISO, half-open."""
        return self._rows(
            "SELECT file_id, date_start, date_end FROM nodes WHERE date_start != ''"
        ).fetchall()

    def chunks(self, ids: Iterable[int]) -> dict[int, ChunkRow]:
        """The chunks of these ids."""
        rows = self._rows(
            f"{_CHUNKS} WHERE c.id IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(ids))),
        )
        return {row[0]: ChunkRow(*row) for row in rows}

    def chunks_of(self, file_id: int) -> list[ChunkRow]:
        """A note's chunks in reading order."""
        rows = self._rows(f"{_CHUNKS} WHERE c.file_id = ? ORDER BY c.ord", file_id)
        return [ChunkRow(*row) for row in rows]

    def entries(self, block: str = "") -> list[EntryRow]:
        """The journal's entries by time, path and place: all, or those of this id."""
        rows = self._rows(
            "SELECT e.at, f.path, e.ord, c.id, e.file_id, e.block, e.project"
            " FROM entries e JOIN files f ON f.id = e.file_id"
            " JOIN chunks c ON c.file_id = e.file_id AND c.ord = e.ord"
            f" {'WHERE e.block = ?' if block else ''} ORDER BY 1, 2, 3",
            *([block] if block else []),
        )
        return [EntryRow(*row) for row in rows]

    def texts_with(self, term: str) -> set[int]:
        """The chunks in which an index term occurs in any column."""
        return {
            row[0]
            for row in self._rows("SELECT doc FROM fts_terms WHERE term = ?", term)
        }

    def postings(self, term: str) -> list[tuple[int, str]]:
        """(chunk id, column) for each occurrence of one index term, in any order."""
        # Counting and sorting here would cost more than the reading itself.
        return self._rows(
            "SELECT doc, col FROM fts_terms WHERE term = ? LIMIT ?",
            term,
            _MAX_OCCURRENCES,
        ).fetchall()

    def terms_from(self, prefix: str, limit: int = 500) -> list[str]:
        """The index terms that start with `prefix`."""
        return [
            row[0]
            for row in self._rows(
                "SELECT term FROM fts_vocabulary WHERE term >= ? AND term < ?"
                " ORDER BY term LIMIT ?",
                prefix,
                prefix + "\U0010ffff",
                limit,
            )
        ]

    def segments(
        self, numbers: Iterable[int] | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """(segment number, its int8 vectors one after the other), by number.

        Those of these numbers, or all.
        """
        sql = "SELECT id, vectors FROM segments"
        if numbers is None:
            yield from self._rows(f"{sql} ORDER BY id")
        else:
            yield from self._rows(
                f"{sql} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
                json.dumps(sorted(set(numbers))),
            )


def _connect(path: str) -> tuple[sqlite3.Connection, dict[str, str]] | None:
    """A read-only connection and the cache's facts; None for what is no cache."""
    base = f"file:{quote(os.path.abspath(path))}?mode=ro"
    ways = [base]
    wal = path + "-wal"
    at_rest = not os.path.exists(wal) or not os.path.getsize(wal)
    if at_rest and not os.access(os.path.dirname(path), os.W_OK):
        # SQLite wants to write beside the file even to read it, unless told that
        # nobody else does.
        ways.append(base + "&immutable=1")
    for uri in ways:
        connection = None
        try:
            connection = sqlite3.connect(uri, uri=True, timeout=10)
            return connection, dict(connection.execute("SELECT key, value FROM meta"))
        except sqlite3.Error:
            if connection is not None:
                connection.close()
    return None


def fingerprint_of(path: str) -> str:
    """The fingerprint that a cache file carries, "" when it is none or not there."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
        ) as connection:
            row = connection.execute(
                "SELECT value FROM meta WHERE key = 'fingerprint'"
            ).fetchone()
    except sqlite3.Error:
        return ""
    return str(row[0]) if row else ""


def read_stamps(
    connection: sqlite3.Connection, paths: Iterable[str] | None = None
) -> dict[str, SeenFile]:
    """The files recorded in `stamps`, by path: all, or those of these paths."""
    sql = "SELECT kind, size, mtime_ns, inode, device, hash, path FROM stamps"
    if paths is None:
        rows = connection.execute(sql).fetchall()
    else:
        chosen = json.dumps(sorted(set(paths)))
        sql += " WHERE path IN (SELECT value FROM json_each(?))"
        rows = connection.execute(sql, (chosen,)).fetchall()
    # The tuple's own maker: a named tuple's is Python, and there are many rows.
    make = tuple.__new__
    return {row[6]: make(SeenFile, row) for row in rows}


def _node(row: Sequence[Any], tags: tuple[str, ...]) -> NodeRow:
    """A row of `_NODES`, its truth values and aliases as what they are."""
    values = list(row)
    aliases = tuple(json.loads(values.pop()))
    for place in _NODE_BOOLEANS:
        values[place] = bool(values[place])
    return NodeRow(*[*values, tags, aliases])
