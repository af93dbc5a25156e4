"""Opening a cache file to read, and what is asked of it bare.

Standard library alone; a file that is no cache is no error here.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mindcache.cache.read.values import SeenFile

__all__ = ["Stamps", "asked", "connect", "fingerprint_of", "read_stamps"]


# What stands for itself in the path of a URI.
_PLAIN = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/"
)


def _quoted(path: str) -> str:
    """The path as a URI has it, as `urllib.parse.quote` would, which is a long import."""
    return "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in path.encode()
    )


def connect(path: str) -> tuple[sqlite3.Connection, dict[str, str]] | None:
    """A read-only connection and the cache's facts; None for what is no cache."""
    base = f"file:{_quoted(os.path.abspath(path))}?mode=ro"
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


def asked(
    connection: sqlite3.Connection, sql: str, *parameters: object
) -> sqlite3.Cursor:
    """The rows that answer one question."""
    return connection.execute(sql, parameters)


def fingerprint_of(path: str) -> str:
    """The fingerprint that a cache file carries, "" when it is none or not there."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"file:{_quoted(os.path.abspath(path))}?mode=ro", uri=True)
        ) as connection:
            row = connection.execute(
                "SELECT value FROM meta WHERE key = 'fingerprint'"
            ).fetchone()
    except sqlite3.Error:
        return ""
    return str(row[0]) if row else ""


class Stamps(Mapping[str, SeenFile]):
    """The files recorded, by path; a value is made when it is asked for.

    `rows` has their members in the order of `SeenFile`: ten thousand of them are
    compared by these alone, again and again.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Mapping[str, tuple[Any, ...]]) -> None:
        self.rows = rows

    def __getitem__(self, path: str) -> SeenFile:
        return SeenFile._make(self.rows[path])

    def __contains__(self, path: object) -> bool:
        return path in self.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def read_stamps(
    connection: sqlite3.Connection, paths: Iterable[str] | None = None
) -> Stamps:
    """The files recorded in `stamps`, by path: all, or those of these paths."""
    sql = "SELECT kind, size, mtime_ns, inode, device, hash, path FROM stamps"
    if paths is None:
        rows = connection.execute(sql).fetchall()
    else:
        chosen = json.dumps(sorted(set(paths)))
        sql += " WHERE path IN (SELECT value FROM json_each(?))"
        rows = connection.execute(sql, (chosen,)).fetchall()
    return Stamps({row[6]: row for row in rows})
