"""The only writer of the cache's rows.

A `Cache` is opened by one process at a time, under the lock beside it. What is
to be written comes in as plain values (`NoteRows`, `Batch`); one batch is one
transaction, so that a process killed at any moment leaves a cache that the next
sync completes. Peewee owns the tables; rows go in bulk by `executemany` on its
connection. `segments`, `settling` and `renumbering` write inside its transactions.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import peewee

from mindcache.cache import faults
from mindcache.cache.read import FTS_COLUMNS, Stamps, read_stamps
from mindcache.cache.renumbering import renumber
from mindcache.cache.rows import (
    Batch,
    NoteRows,
    Planned,
    Row,
    StampValues,
    chunk_row,
    link_row,
    node_row,
    occurrence_row,
    parts_of,
    plan_row,
    stamp_row,
    tags_of,
)
from mindcache.cache.segments import Placed, Segments
from mindcache.cache.settling import (
    mark_keys,
    mark_tags,
    mark_tags_of,
    resolve_links,
    tidy_tags,
)
from mindcache.cache.tables import EXTRA_SQL, MODELS
from mindcache.errors import Problem
from mindcache.links import Name, fold, path_key
from mindcache.tags import key as tag_key

__all__ = ["Cache"]

# When three quarters of the chunk ids in use are gone, numbering them anew
# shrinks the file and the vectors a query has to pass over.
_SPARSE = 4
_SPARSE_FROM = 4_096


class Cache:
    """The cache file, open for writing; hold the lock while it lives."""

    def __init__(self, path: str, fingerprint: str, dimension: int) -> None:
        self.path = path
        self.dimension = dimension
        self._prepare_file()
        self._db = _database(path)
        try:
            self._open(fingerprint)
        except (peewee.OperationalError, sqlite3.OperationalError):
            self._db.close()
            raise  # a full disk, a lock, permissions: nothing is wrong with the file
        except (peewee.DatabaseError, sqlite3.DatabaseError):
            self._db.close()
            self.discard(path)
            self._prepare_file()
            self._db = _database(path)
            self._open(fingerprint)

    def _prepare_file(self) -> None:
        """Make the file before SQLite does, readable by its owner alone.

        One that is there already is made so; a link is not followed: OSError.
        """
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self.path, flags, 0o600)
        try:
            if os.name == "posix" and os.fstat(descriptor).st_mode & 0o077:
                with contextlib.suppress(OSError):  # a file system without modes
                    os.fchmod(descriptor, 0o600)
        finally:
            os.close(descriptor)

    @staticmethod
    def discard(path: str) -> None:
        """Delete a cache file and what SQLite keeps beside it."""
        for name in (path, path + "-wal", path + "-shm", path + "-journal"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)

    def _open(self, fingerprint: str) -> None:
        self._db.connect()
        if self.meta("fingerprint") != fingerprint:
            self._build(fingerprint)

    def _build(self, fingerprint: str) -> None:
        with self._db.atomic("IMMEDIATE"):
            connection = self._connection
            for kind in ("view", "table"):
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = ?"
                    " AND name NOT LIKE 'sqlite_%' AND (name NOT LIKE 'fts_%'"
                    " OR name IN ('fts_terms', 'fts_vocabulary'))"
                    " ORDER BY name = 'fts', name",
                    (kind,),
                ).fetchall():
                    connection.execute(f'DROP {kind} "{name}"')
            with self._db.bind_ctx(MODELS):
                self._db.create_tables(MODELS)
            for sql in EXTRA_SQL:
                connection.execute(sql)
            self._set_meta("fingerprint", fingerprint)
            self._set_meta("complete", "0")

    @property
    def _connection(self) -> sqlite3.Connection:
        # Peewee has no types for this one.
        opened = self._db.connection()  # type: ignore[no-untyped-call]
        return cast("sqlite3.Connection", opened)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def meta(self, key: str) -> str:
        """A fact about the cache itself, "" when it isn't recorded."""
        try:
            row = self._connection.execute(
                "SELECT value FROM meta WHERE key = ?", (key,)
            ).fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return ""
            raise
        return str(row[0]) if row else ""

    def _set_meta(self, key: str, value: str) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value)
        )

    def seen(self, paths: Iterable[str] | None = None) -> Stamps:
        """The files recorded, by path: all, or those of these paths."""
        return read_stamps(self._connection, paths)

    # -- vectors ---------------------------------------------------------

    def known_vectors(self, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The vectors of those of these chunk hashes that are already stored."""
        homes: dict[bytes, int] = {}
        for part in parts_of(sorted(set(hashes))):
            marks = ",".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT hash, min(id) FROM chunks WHERE hash IN ({marks})"
                " GROUP BY hash",
                part,
            )
            homes.update((bytes(row[0]), row[1]) for row in rows)
        vectors = self._segments.vectors_of(sorted(homes.values()))
        return {chunk_hash: vectors[home] for chunk_hash, home in homes.items()}

    @property
    def _segments(self) -> Segments:
        return Segments(self._connection, self.dimension)

    # -- writing ---------------------------------------------------------

    def apply(self, batch: Batch) -> None:
        """Write one batch in one transaction."""
        with self._db.atomic("IMMEDIATE"):
            self._forget([*batch.removed, *(s.path for s in batch.stamps)])
            _insert(self._connection, "stamps", [stamp_row(s) for s in batch.stamps])
            self._insert_names(batch)
            self._insert_notes(batch.notes)
            self._insert_problems(batch.problems)

    def _insert_problems(self, problems: Sequence[Problem]) -> None:
        rows = [
            (p.path, p.line, p.code, p.message, p.mend, p.severity) for p in problems
        ]
        _insert(self._connection, "problems", rows)

    def restamp(self, stamps: Sequence[StampValues]) -> None:
        """Record new stamps of files whose content is as it was."""
        with self._db.atomic("IMMEDIATE"):
            self._connection.executemany(
                "UPDATE stamps SET size = ?, mtime_ns = ?, inode = ?, device = ?"
                " WHERE path = ?",
                [(s.size, s.mtime_ns, s.inode, s.device, s.path) for s in stamps],
            )

    def _forget(self, paths: Sequence[str]) -> None:
        connection = self._connection
        for part in parts_of(paths):
            marks = ",".join("?" * len(part))
            names = connection.execute(
                f"SELECT key FROM names WHERE path IN ({marks})", part
            ).fetchall()
            mark_keys(connection, (key for (key,) in names))
            ids = [
                row[0]
                for row in connection.execute(
                    f"SELECT id FROM files WHERE path IN ({marks})", part
                )
            ]
            if ids:
                self._forget_notes(ids)
            for table in ("names", "stamps", "problems", "files"):
                connection.execute(f"DELETE FROM {table} WHERE path IN ({marks})", part)

    def _forget_notes(self, ids: Sequence[int]) -> None:
        connection = self._connection
        marks = ",".join("?" * len(ids))
        chunks = connection.execute(
            f"SELECT id FROM chunks WHERE file_id IN ({marks})", ids
        ).fetchall()
        self._segments.forget(chunk_id for (chunk_id,) in chunks)
        mark_tags_of(connection, ids)
        connection.execute(
            "DELETE FROM fts WHERE rowid IN"
            f" (SELECT id FROM chunks WHERE file_id IN ({marks}))",
            ids,
        )
        for table in (
            *("chunks", "entries", "nodes", "files_tags", "links"),
            *("plans", "occurrences"),
        ):
            connection.execute(f"DELETE FROM {table} WHERE file_id IN ({marks})", ids)
        self._set_meta("deleted", str(int(self.meta("deleted") or 0) + len(ids)))

    def _insert_names(self, batch: Batch) -> None:
        names = [
            Name(path_key(stamp.path), "path", stamp.path)
            for stamp in batch.stamps
            if stamp.kind in {"note", "asset"}
        ]
        for rows in batch.notes:
            memory = rows.memory
            names += [Name(fold(a), "alias", memory.path) for a in memory.aliases]
            if memory.id:
                names.append(Name(fold(memory.id), "id", memory.path))
        self._connection.executemany(
            "INSERT OR IGNORE INTO names (key, kind, path) VALUES (?, ?, ?)",
            [(n.key, n.kind, n.path) for n in names],
        )
        mark_keys(self._connection, (n.key for n in names))

    def _insert_notes(self, notes: Sequence[NoteRows]) -> None:
        if not notes:
            return
        connection = self._connection
        file_id = self._next_id("files")
        chunk_id = self._next_id("chunks")
        tag_ids = self._tag_ids(notes)
        files: list[Row] = []
        nodes: list[Row] = []
        tags: list[Row] = []
        links: list[Row] = []
        chunks: list[Row] = []
        texts: list[Row] = []
        plans: dict[int, Planned] = {}
        entries: list[Row] = []
        placed: dict[int, Placed] = {}
        for note in notes:
            memory = note.memory
            files.append(
                (file_id, memory.path, note.mtime, memory.summary, memory.scope)
            )
            nodes.append(node_row(file_id, note))
            tags += [(file_id, tag_ids[tag_key(t)], t) for t in tags_of(memory)]
            links += [link_row(file_id, edge) for edge in memory.edges]
            if note.planned is not None:
                plans[file_id] = note.planned
            entries += [
                (file_id, place, entry.block, entry.at, entry.project)
                for place, entry in note.entries.items()
            ]
            for place, chunk in enumerate(note.chunks):
                chunks.append(chunk_row(chunk_id, file_id, place, chunk))
                texts.append(
                    (
                        chunk_id,
                        chunk.body,
                        chunk.heading_terms,
                        chunk.title_terms,
                        chunk.words_terms,
                    )
                )
                placed[chunk_id] = Placed(
                    chunk.vector, file_id, chunk.length, chunk.traits
                )
                chunk_id += 1
            file_id += 1
        for table, rows in (
            ("files", files),
            ("nodes", nodes),
            ("files_tags", tags),
            ("chunks", chunks),
            ("entries", entries),
        ):
            _insert(connection, table, rows)
        connection.executemany(
            "INSERT INTO links (file_id, target, key, subpath, display, kind, line,"
            " field, relation, origin, weight, resolved_by)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
            links,
        )
        columns = ", ".join(("rowid", *FTS_COLUMNS))
        connection.executemany(
            f"INSERT INTO fts ({columns}) VALUES (?, ?, ?, ?, ?)", texts
        )
        self._segments.write(placed)
        self._insert_plans(plans)
        mark_keys(connection, (str(row[2]) for row in links))

    def _insert_plans(self, plans: Mapping[int, Planned]) -> None:
        rows = [plan_row(file_id, planned) for file_id, planned in plans.items()]
        _insert(self._connection, "plans", rows)
        occurrences = [
            occurrence_row(file_id, each)
            for file_id, planned in plans.items()
            for each in planned.occurrences
        ]
        _insert(self._connection, "occurrences", occurrences)

    def plans_of_other_years(self, year: int) -> list[tuple[int, str, str]]:
        """(file id, path, source) of the plans whose occurrences are another window's."""
        return self._connection.execute(
            "SELECT p.file_id, f.path, p.source FROM plans p"
            " JOIN files f ON f.id = p.file_id WHERE p.year != ? ORDER BY f.path",
            (year,),
        ).fetchall()

    def replace_plans(
        self, plans: Mapping[int, Planned], problems: Sequence[Problem]
    ) -> None:
        """Put these in place of what is known of when their notes take place.

        `problems` replace those that came of looking at another window.
        """
        connection = self._connection
        with self._db.atomic("IMMEDIATE"):
            for part in parts_of(sorted(plans)):
                marks = ",".join("?" * len(part))
                connection.execute(
                    "DELETE FROM problems WHERE code LIKE 'occurrence-%' AND path IN"
                    f" (SELECT path FROM files WHERE id IN ({marks}))",
                    part,
                )
                for table in ("plans", "occurrences"):
                    connection.execute(
                        f"DELETE FROM {table} WHERE file_id IN ({marks})", part
                    )
            self._insert_plans(plans)
            self._insert_problems(problems)

    def _next_id(self, table: str) -> int:
        row = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()
        return 0 if row[0] is None else int(row[0]) + 1

    def _tag_ids(self, notes: Sequence[NoteRows]) -> dict[str, int]:
        names = {tag_key(t): t for note in notes for t in tags_of(note.memory)}
        self._connection.executemany(
            "INSERT OR IGNORE INTO tags (key, name) VALUES (?, ?)",
            sorted(names.items()),
        )
        found: dict[str, int] = {}
        for part in parts_of(sorted(names)):
            marks = ",".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT key, id FROM tags WHERE key IN ({marks})", part
            )
            found.update(rows.fetchall())
        mark_tags(self._connection, found.values())
        return found

    # -- after the batches -----------------------------------------------

    def settle(self) -> None:
        """Resolve the links whose names came or went and tidy the tags, at once."""
        with self._db.atomic("IMMEDIATE"):
            resolve_links(self._connection)
            tidy_tags(self._connection)

    def is_complete(self) -> bool:
        """Whether a whole sync has ended and no link waits to be resolved."""
        waiting = self._connection.execute("SELECT 1 FROM pending_keys LIMIT 1")
        return self.meta("complete") == "1" and waiting.fetchone() is None

    def record_scan(self, when: str, year: int) -> None:
        """Record that the cache is in step with a whole scan that ended `when`.

        `year` is the one whose window all occurrences are of.
        """
        with self._db.atomic("IMMEDIATE"):
            self._set_meta("last_scan", when)
            self._set_meta("year", str(year))
            self._set_meta("complete", "1")

    def count_notes(self) -> int:
        """How many notes are indexed."""
        row = self._connection.execute("SELECT count(*) FROM files").fetchone()
        return int(row[0])

    def is_sparse(self) -> bool:
        """Whether most chunk ids up to the last one are gone."""
        last = self._next_id("chunks")
        row = self._connection.execute("SELECT count(*) FROM chunks").fetchone()
        return last > _SPARSE_FROM and last > _SPARSE * int(row[0])

    def compact(self) -> None:
        """Number the chunks anew and rewrite the file, leaving no deleted text."""
        with self._db.atomic("IMMEDIATE"):
            renumber(self._connection, self._segments)
        connection = self._connection
        connection.execute("INSERT INTO fts (fts) VALUES ('optimize')")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with self._db.atomic("IMMEDIATE"):
            self._set_meta("deleted", "0")

    def deleted_since_compaction(self) -> int:
        """How many notes' texts may still stand in free pages of the file."""
        return int(self.meta("deleted") or 0)

    def faults(self) -> list[str]:
        """What in the file contradicts itself; an empty list for a sound cache."""
        return faults.find(self._connection, self.dimension)


def _database(path: str) -> peewee.SqliteDatabase:
    return peewee.SqliteDatabase(
        path,
        pragmas={
            "journal_mode": "wal",
            "synchronous": "normal",
            "busy_timeout": 10_000,
            "cache_size": -16_384,
            "temp_store": "memory",
            "secure_delete": "on",
        },
    )


def _insert_sql(model: type[peewee.Model]) -> str:
    columns = [f.column_name for f in model._meta.sorted_fields]  # noqa: SLF001  Peewee's public door to a model's fields
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {model._meta.table_name} VALUES ({marks})"  # noqa: SLF001  as above


_INSERTS = {m._meta.table_name: _insert_sql(m) for m in MODELS}  # noqa: SLF001  as above


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    """Insert whole rows, their values in the order of the model's fields."""
    connection.executemany(_INSERTS[table], rows)
