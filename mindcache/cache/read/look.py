"""One look into the cache: its file, its state, and the files that it was made of.

What is asked of the notes in it is `reader`'s.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Self

from mindcache.cache.read.opening import Stamps, asked, connect, read_stamps
from mindcache.cache.read.values import SeenFile
from mindcache.errors import Problem

__all__ = ["Look"]

# Pages that a connection holds on to, in KiB: the texts and links of a vault of 10,000
# notes lie scattered over more than SQLite's usual 2,000, and each page that is gone is
# a call to the system. What is not read takes nothing.
_KEPT_KIB = 16_384


class Look:
    """A read-only connection to a cache file, and what the cache says of itself."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self.path = path
        self._stamps: tuple[tuple[int, int], Stamps] | None = None

    @classmethod
    def open(cls, path: str, fingerprint: str) -> Self | None:
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
        connection.execute(f"PRAGMA cache_size = -{_KEPT_KIB}")
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
        return asked(self._connection, sql, *parameters)

    def meta(self, key: str) -> str:
        """A fact about the cache itself, "" when it isn't recorded."""
        row = self._rows("SELECT value FROM meta WHERE key = ?", key).fetchone()
        return str(row[0]) if row else ""

    def stamps(self) -> Mapping[str, SeenFile]:
        """Every file seen, by path; read anew only when the cache has changed."""
        version = self.version()
        if self._stamps is None or self._stamps[0] != version:
            self._stamps = version, read_stamps(self._connection)
        return self._stamps[1]

    def seen(self, paths: Iterable[str]) -> Mapping[str, SeenFile]:
        """Those of these files that were seen."""
        return read_stamps(self._connection, paths)

    @contextlib.contextmanager
    def one_moment(self) -> Iterator[None]:
        """See the cache as it is now for as long as this lasts, whoever writes it.

        May be entered again from within.
        """
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.ProgrammingError):  # closed meanwhile
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
