"""Every question that is asked of the cached notes, as one class over a `Look`.

Says what each answer is. How those of notes, of links and edges, and of chunks are
come by is in `notes`, `links` and `chunks`; what is short enough is put here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from mindcache.cache.read import chunks, links, notes
from mindcache.cache.read.look import Look
from mindcache.cache.read.values import (
    ChunkRow,
    EdgeRow,
    EntryRow,
    FactsRow,
    LinkRow,
    NodeRow,
    OccurrenceRow,
    PlanRow,
    TagCount,
)
from mindcache.links import Name

__all__ = ["Reader"]


class Reader(Look):
    """What is asked of the notes in the cache."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        super().__init__(connection, path)
        self.awake: Callable[[], Collection[str]] = frozenset
        """Ids and paths of notes that were used lately: a faint one of them is awake."""

    # -- nodes -----------------------------------------------------------

    def nodes(self, file_ids: Iterable[int] | None = None) -> list[NodeRow]:
        """Notes by path order: those of the given ids, or all."""
        return self._woken(notes.nodes(self._connection, file_ids))

    def find_node(self, path: str) -> NodeRow | None:
        """The note at this very path, or None."""
        found = notes.find_node(self._connection, path)
        return self._woken([found])[0] if found else None

    def nodes_by_id(self, node_id: str) -> list[NodeRow]:
        """The notes with this id, smallest path first."""
        return self._woken(notes.nodes_by_id(self._connection, node_id))

    def _woken(self, rows: list[NodeRow]) -> list[NodeRow]:
        """The notes, those awake again that their next digest will wake."""
        if not any(row.status == "faint" for row in rows):
            return rows
        from mindcache.memory import waking_status

        awake = self.awake()
        return [
            row._replace(
                status=waking_status(
                    row.type, str(self.properties(row.file_id).get("outcome") or "")
                )
            )
            if row.status == "faint" and (row.id or row.path) in awake
            else row
            for row in rows
        ]

    def paths_by_id(self) -> dict[str, str]:
        """The path of every note that has an id; of two with one id the smallest."""
        rows = self._rows(
            "SELECT n.node_id, min(f.path) FROM nodes n JOIN files f ON f.id = n.file_id"
            " WHERE n.node_id != '' GROUP BY n.node_id"
        )
        return dict(rows.fetchall())

    def paths_by(self, name: str, file_ids: Iterable[int]) -> dict[str, str]:
        """These notes' paths by a property that is text; of equal ones the smallest."""
        return notes.paths_by(self._connection, name, file_ids)

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
        return notes.facts(self._connection, file_ids)

    def foremost(self, file_ids: Iterable[int], limit: int) -> list[int]:
        """Of these notes, the pinned first, then the important, then the newest."""
        return notes.foremost(self._connection, file_ids, limit)

    def titles(self, file_ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """What each of these notes is called: its title, then its aliases."""
        return notes.titles(self._connection, file_ids)

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

    def answers(
        self, file_ids: Iterable[int], *questions: str
    ) -> dict[int, tuple[int | None, ...]]:
        """Of each of these notes, whether each condition over `f` and `n` holds.

        The conditions are made of our own words, without parameters. What doesn't hold
        is 0 or None: thousands of notes may be asked about when a session starts.
        """
        columns = "".join(f", ({question})" for question in questions)
        rows = self._rows(
            f"SELECT f.id{columns} FROM files f JOIN nodes n ON n.file_id = f.id"
            " WHERE f.id IN (SELECT value FROM json_each(?))",
            json.dumps(sorted(set(file_ids))),
        )
        return {row[0]: row[1:] for row in rows.fetchall()}

    def types(self) -> dict[str, int]:
        """How many notes there are of each type."""
        return dict(self._rows("SELECT type, count(*) FROM nodes GROUP BY type"))

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
        return notes.duplicate_ids(self._connection)

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
        return links.names(self._connection, keys)

    def links_from(self, path: str) -> list[LinkRow]:
        """A note's own links, in reading order."""
        return links.links_from(self._connection, path)

    def links_to(self, path: str) -> list[LinkRow]:
        """The links of other notes that lead to this file."""
        return links.links_to(self._connection, path)

    def unresolved(self) -> list[LinkRow]:
        """The links that lead nowhere, by note and line."""
        return links.unresolved(self._connection)

    def links_by_alias(self) -> list[LinkRow]:
        """The links that only we resolve: by an alias or an id."""
        return links.links_by_alias(self._connection)

    def linked_under(self, keys: Iterable[str]) -> list[str]:
        """The notes with a link whose target has one of these keys."""
        return links.linked_under(self._connection, keys)

    def linking(self, path: str, key: str) -> set[int]:
        """The notes whose links lead to this file or, leading nowhere, have this key."""
        return links.linking(self._connection, path, key)

    def linked_from(self, paths: Iterable[str]) -> set[str]:
        """Every file, note or not, that links of these notes lead to."""
        return links.linked_from(self._connection, paths)

    def edges(self) -> list[tuple[str, str, str, str, float]]:
        """All edges between notes: (source, target, relation, origin, weight)."""
        return links.edges(self._connection)

    def edges_from(
        self, paths: Iterable[str] | None = None, relation: str = ""
    ) -> list[EdgeRow]:
        """The edges that start at these notes, or at any; of one relation, or of all.

        Those that a note draws twice are there twice, in reading order.
        """
        return links.edges_from(self._connection, paths, relation)

    def edges_of(self, paths: Iterable[str]) -> list[tuple[str, str, str, str, float]]:
        """The edges that start or end at one of these notes, in any order."""
        return links.edges_of(self._connection, paths)

    def superseding(self, file_ids: Iterable[int]) -> dict[int, int]:
        """Of these notes, those that another supersedes: its id by theirs.

        Where several are named, the first of them by path.
        """
        return links.superseding(self._connection, file_ids)

    def contradicting(self) -> list[tuple[int, int]]:
        """The edges `contradicts` of the vault: the ids of who says so, and of whom."""
        return links.contradicting(self._connection)

    def boxes(
        self, file_ids: Iterable[int], prefix: str
    ) -> list[tuple[str, str, tuple[int, ...]]]:
        """The lines of these notes whose block ids begin so: id, text, where links lead.

        These are file ids, in the order of the links.
        """
        return links.boxes(self._connection, file_ids, prefix)

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
        return chunks.chunks(self._connection, ids)

    def chunks_of(self, file_id: int) -> list[ChunkRow]:
        """A note's chunks in reading order."""
        return chunks.chunks_of(self._connection, file_id)

    def entries(self, block: str = "") -> list[EntryRow]:
        """The journal's entries by time, path and place: all, or those of this id."""
        return chunks.entries(self._connection, block)

    def entries_of(self, file_ids: Iterable[int]) -> dict[int, list[ChunkRow]]:
        """The chunks of these notes that are entries of the journal, in reading order."""
        return chunks.entries_of(self._connection, file_ids)

    def last_entry(self, project: str) -> EntryRow | None:
        """The latest entry of the journal about a project ("" for about none)."""
        return chunks.last_entry(self._connection, project)

    def projects_since(self, at: str) -> list[tuple[str, int]]:
        """(project, number of entries of the journal) since a time (ISO), most first."""
        return chunks.projects_since(self._connection, at)

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
        return chunks.postings(self._connection, term)

    def terms_from(self, prefix: str, limit: int = 500) -> list[str]:
        """The index terms that start with `prefix`."""
        return chunks.terms_from(self._connection, prefix, limit)

    def segments(
        self, numbers: Iterable[int] | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """(segment number, its int8 vectors one after the other), by number.

        Those of these numbers, or all.
        """
        return chunks.segments(self._connection, numbers)
