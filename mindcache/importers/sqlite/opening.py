"""Another program's SQLite file, opened so that nothing but reading can happen.

The file is opened read-only; an authorizer lets SELECT through and nothing else, and
of the tables none that holds credentials.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import quote

from mindcache.errors import MindcacheError, UsageError

__all__ = [
    "LONGEST",
    "MOST_ROWS",
    "columns",
    "is_denied",
    "opened",
    "primary_key",
    "quoted",
    "rows",
    "tables",
    "whole_table",
]

# Seconds that a query may take: one that needs longer has lost a condition.
LONGEST = 60.0
# Rows that are taken of a query; each becomes a note.
MOST_ROWS = 100_000
# Instructions of SQLite's machine between two looks at the clock.
_STEP = 10_000

_LETS = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
# Functions that reach beyond the file.
_REACHING = frozenset(
    {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
)
# Full-text tables ask for this themselves when they are read.
_PRAGMAS = frozenset({"data_version", "table_info"})
# Where programs keep what opens other doors. OpenClaw's are `auth_profile_store` and
# `auth_profile_state`.
_CREDENTIALS = re.compile(
    r"^(?:auth_profile|credential|oauth|secret|api_?key|access_token|refresh_token)",
    re.IGNORECASE,
)


def is_denied(table: str) -> bool:
    """Whether a table is one of those that are never read."""
    return bool(_CREDENTIALS.match(table))


@contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """The database, for reading only. Raises MindcacheError and OSError."""
    with open(path, "rb") as file:
        head = file.read(16)
    if head != b"SQLite format 3\0":
        raise MindcacheError(f"{path} is no SQLite file", mend="check the path")
    # Without a log of either kind nobody is writing, and not even a lock is left behind.
    alone = not any(
        os.path.exists(log) and os.path.getsize(log)
        for log in (f"{path}-wal", f"{path}-journal")
    )
    options = "mode=ro&immutable=1" if alone else "mode=ro"
    url = f"file:{quote(os.path.abspath(path))}?{options}"
    connection = sqlite3.connect(url, uri=True)
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.set_authorizer(_may)
        yield connection
    finally:
        connection.close()


def _may(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_READ and is_denied(first or ""):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _REACHING:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA:
        is_asked = (first or "").lower() in _PRAGMAS
        return sqlite3.SQLITE_OK if is_asked else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _LETS else sqlite3.SQLITE_DENY


def tables(connection: sqlite3.Connection) -> list[str]:
    """The names of tables and views, those with credentials left out."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    return [name for (name,) in found if not is_denied(name)]


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """The names of a table's columns, none for one that isn't there."""
    return [name for _, name, *_ in _described(connection, table)]


def primary_key(connection: sqlite3.Connection, table: str) -> list[str]:
    """The columns of a table's primary key, in its order; none without one."""
    found = _described(connection, table)
    return [name for _, name, *_, place in sorted(found, key=lambda c: c[-1]) if place]


def _described(connection: sqlite3.Connection, table: str) -> list[Any]:
    return connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()


def whole_table(table: str, order: str = "") -> str:
    """A SELECT of a table's columns; names come from the file and are quoted."""
    behind = f" ORDER BY {order}" if order else ""
    return f"SELECT * FROM {quoted(table)}{behind}"  # noqa: S608 - quoted names only


def quoted(name: str) -> str:
    """A name as SQL has it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def rows(
    connection: sqlite3.Connection, query: str, values: Sequence[object] = ()
) -> Iterator[tuple[object, ...]]:
    """The rows of a SELECT; the first gives the names of its columns.

    Raises UsageError for what is no SELECT or can't be run, MindcacheError for one
    that takes too long.
    """
    end = time.monotonic() + LONGEST
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEP)
    try:
        cursor = connection.execute(query, values)
        if cursor.description is None:
            raise UsageError("the query gives no rows", mend="write a SELECT")
        yield tuple(each[0] for each in cursor.description)
        yield from cursor
    except (sqlite3.Error, sqlite3.Warning, UnicodeError) as error:
        if "interrupted" in str(error):
            raise MindcacheError(
                f"the query takes longer than {LONGEST:.0f} seconds",
                mend="ask for less, or index the column",
            ) from error
        if isinstance(error, sqlite3.DatabaseError) and "not authorized" in str(error):
            raise UsageError(
                "only SELECT is allowed, and never from tables with credentials",
                mend="leave the rest out",
            ) from error
        if "prohibited" in str(error):
            raise UsageError(
                str(error), mend="tables with credentials are never read"
            ) from error
        raise UsageError(f"the query fails: {error}", mend="check it") from error
    finally:
        with suppress(sqlite3.ProgrammingError):  # closed before the rows were read
            connection.set_progress_handler(None, 0)
