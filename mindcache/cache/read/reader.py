"""Every question that is asked of the cache, as one class over its connection."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mindcache.cache.read.opening import connect, read_stamps
from mindcache.cache.read.values import (
    FTS_COLUMNS,
    ChunkRow,
    EdgeRow,
    EntryRow,
    FactsRow,
    LinkRow,
    NodeRow,
    OccurrenceRow,
    PlanRow,
    SeenFile,
    TagCount,
)
from mindcache.errors import Problem
from mindcache.links import Name

__all__ = ["Reader"]

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
        self._stamps: tuple[tuple[int, int], dict[str, SeenFile]] | None = None

    @classmethod
    def open(cls, path: str, fingerprint: str) -> Reader | None:
        """A reader, or None when no complete cache of this fingerprint is there."""
        if not os.path.exists(path):
            return None
        found = connect(path)
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

    def stamps(self) -> Mapping[str, SeenFile]:
        """Every file seen, by path; read anew only when the cache has changed."""
        version = self.version()
        if self._stamps is None or self._stamps[0] != version:
            self._stamps = version, read_stamps(self._connection)
        return self._stamps[1]

    @contextlib.contextmanager
    def one_moment(self) -> Iterator[None]:
        """See the cache as it is now for as long as this lasts, whoever writes it."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.rollback()

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

    def homes(self) -> list[tuple[str, int, str]]:
        """(path, file id, id) of every note by path; the id is "" where it has none."""
        return self._rows(
            "SELECT f.path, f.id, n.node_id FROM files f JOIN nodes n"
            " ON n.file_id = f.id ORDER BY f.path"
        ).fetchall()

    def facts(self, file_ids: Iterable[int]) -> dict[int, FactsRow]:
        """What each of these notes says of itself beside what answers show."""
        rows = self._rows(
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

    def titles(self, file_ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """What each of these notes is called: its title, then its aliases."""
        rows = self._rows(
            "SELECT file_id, title, aliases FROM nodes"
            " WHERE file_id IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(file_ids))),
        )
        return {row[0]: (row[1], *_texts(row[2])) for row in rows}

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
        self,
        low: str,
        high: str,
        among: Iterable[int] | None = None,
        *,
        told: bool = False,
    ) -> list[OccurrenceRow]:
        """Those kept that share a moment with [low, high), by when they begin.

        `among` are the notes that are meant, None for all; `told` are those only of
        which a list item says something.
        """
        chosen = "" if among is None else json.dumps(sorted(set(among)))
        rows = self._rows(
            "SELECT file_id, begins, ends, key, start, end, all_day, zone, status,"
            " because, anchor, line, moved_from FROM occurrences"
            " WHERE begins < ? AND (ends > ? OR begins >= ?)"
            " AND (? = '' OR file_id IN (SELECT value FROM json_each(?)))"
            " AND (line > 0 OR NOT ?) ORDER BY begins, ends, file_id, key, line",
            high,
            low,
            low,
            chosen,
            chosen or "[]",
            told,
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

    def linked_from(self, paths: Iterable[str]) -> set[str]:
        """Every file, note or not, that links of these notes lead to."""
        rows = self._rows(
            "SELECT DISTINCT l.resolved FROM links l JOIN files f ON f.id = l.file_id"
            " WHERE l.resolved IS NOT NULL"
            " AND f.path IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(paths))),
        )
        return {row[0] for row in rows}

    def edges(self) -> list[tuple[str, str, str, str, float]]:
        """All edges between notes: (source, target, relation, origin, weight)."""
        return self._rows(
            "SELECT source, target, relation, origin, weight FROM edges"
            " ORDER BY source, target, relation, origin, weight"
        ).fetchall()

    def edges_from(
        self, paths: Iterable[str] | None = None, relation: str = ""
    ) -> list[EdgeRow]:
        """The edges that start at these notes, or at any; of one relation, or of all.

        Those that a note draws twice are there twice, in reading order.
        """
        chosen = "" if paths is None else json.dumps(sorted(set(paths)))
        rows = self._rows(
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

    def edges_of(self, paths: Iterable[str]) -> list[tuple[str, str, str, str, float]]:
        """The edges that start or end at one of these notes, in any order."""
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
            " AND s.path NOT IN (SELECT value FROM json_each(?))",
            chosen,
            chosen,
            chosen,
        ).fetchall()

    def superseding(self, file_ids: Iterable[int]) -> dict[int, int]:
        """Of these notes, those that another supersedes: its id by theirs.

        Where several are named, the first of them by path.
        """
        rows = self._rows(
            "SELECT l.file_id, t.id FROM links l JOIN files t ON t.path = l.resolved"
            " WHERE l.file_id IN (SELECT value FROM json_each(?))"
            " AND l.relation = 'superseded_by' AND t.id != l.file_id"
            " ORDER BY l.file_id, t.path DESC",
            json.dumps(sorted(set(file_ids))),
        )
        return dict(rows.fetchall())

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
        # By way of the aliases: most vaults have fewer of them than people.
        rows = self._rows(
            "SELECT a.key, n.key FROM names a JOIN names n ON n.path = a.path"
            " AND n.kind = 'path' WHERE a.kind = 'alias' ORDER BY a.key, n.path",
        )
        wanted = frozenset(names)
        return [row for row in rows if row[1] in wanted]

    def about(self, subjects: Iterable[str]) -> list[int]:
        """The ids of the chunks with one of these subjects, as `subjects` gives them."""
        rows = self._rows(
            "SELECT id FROM chunks WHERE subject != ''"
            " AND subject IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(subjects))),
        )
        return [row[0] for row in rows]

    def ended(self, when: str) -> set[int]:
        """The notes that say they are valid until `when` (ISO) or a time before it."""
        rows = self._rows(
            "SELECT file_id FROM nodes WHERE valid_until != '' AND valid_until <= ?",
            when,
        )
        return {row[0] for row in rows}

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
        return {row[0]: ChunkRow._make(row) for row in rows}

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

    def entries_of(self, file_ids: Iterable[int]) -> dict[int, list[ChunkRow]]:
        """The chunks of these notes that are entries of the journal, in reading order."""
        rows = self._rows(
            f"{_CHUNKS} WHERE e.at IS NOT NULL"
            " AND c.file_id IN (SELECT value FROM json_each(?))"
            " ORDER BY c.file_id, c.ord",
            json.dumps(sorted(set(file_ids))),
        )
        found: dict[int, list[ChunkRow]] = {}
        for row in rows:
            found.setdefault(row[1], []).append(ChunkRow(*row))
        return found

    def texts_with(self, term: str) -> set[int]:
        """The chunks in which an index term occurs in any column."""
        return {
            row[0]
            for row in self._rows("SELECT doc FROM fts_terms WHERE term = ?", term)
        }

    def postings(self, term: str) -> str:
        """Each occurrence of one index term, as numbers with commas between them.

        A number is the chunk's id times `len(FTS_COLUMNS)`, and the column's place in
        these. In any order; "" for a term that occurs nowhere.
        """
        # One text takes a quarter of the time that as many rows do. Counting and
        # sorting here would cost more than the reading itself.
        row = self._rows(_POSTINGS, term, _MAX_OCCURRENCES).fetchone()
        return row[0] or ""

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
