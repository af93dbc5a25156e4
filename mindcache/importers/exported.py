"""What an export of ours holds, read piece by piece: JSON or SQLite, told apart here.

Gives names and values in the order of the file, whoever wrote it and however it was
laid out since; judges none of them. Never holds more than one note.
"""

from __future__ import annotations

import base64
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import TextIO
from urllib.parse import quote

from mindcache.errors import UsageError
from mindcache.exporters.records import APPLICATION_ID, FORMAT

__all__ = ["is_sqlite_export", "members"]

# Characters read at a time: a note of usual size many times over.
_CHUNK = 1 << 16

# Bytes of a value: more than any note, less than a machine's memory.
_LARGEST = 256 << 20

_SPACE = " \t\n\r"


def members(path: str) -> Iterator[tuple[str, object]]:
    """(name, value) of each member of the export; of a list, one for each item.

    The lists are `nodes`, `topics` and `ledger`. Raises UsageError for what can't be
    read as an export, and OSError.
    """
    with open(path, "rb") as file:
        is_sqlite = file.read(16) == b"SQLite format 3\0"
    try:
        if is_sqlite:
            yield from _of_sqlite(path)
        else:
            with open(path, encoding="utf-8-sig", newline="") as text:
                yield from _Json(text).members()
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}: {error.msg}"
        raise _unreadable(path, where) from error
    except (ValueError, sqlite3.Error) as error:  # no UTF-8, a number beyond bounds
        raise _unreadable(path, str(error)) from error
    except RecursionError as error:
        raise _unreadable(path, "its values are nested too deeply") from error


def is_sqlite_export(path: str) -> bool:
    """Whether `mindcache export sqlite` wrote this file."""
    try:
        with open(path, "rb") as file:
            head = file.read(72)
    except OSError:
        return False
    mark = APPLICATION_ID.to_bytes(4, "big")
    return head.startswith(b"SQLite format 3\0") and head[68:72] == mark


def _unreadable(path: str, reason: str) -> UsageError:
    name = os.path.basename(path)
    return UsageError(
        f"{name} can't be read as an export: {reason}",
        mend="give a file that mindcache export json or sqlite wrote, whole",
    )


def _of_sqlite(path: str) -> Iterator[tuple[str, object]]:
    uri = f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as source:
        _distrust(source)
        meta = dict(source.execute("SELECT key, value FROM meta"))
        if meta.get("format") != FORMAT:
            raise sqlite3.DatabaseError("no export of Mindcache")
        for key, value in meta.items():
            is_text = key in {"format", "made_by"}
            yield key, value if is_text else json.loads(str(value))
        for row in source.execute(
            "SELECT path, id, head, text, bytes FROM nodes ORDER BY path"
        ):
            node = dict(zip(("path", "id", "head", "text"), row, strict=False))
            kept = row[4]
            is_kept = isinstance(kept, bytes) and kept
            node["base64"] = base64.b64encode(kept).decode() if is_kept else ""
            yield "nodes", node
        names = ("what", "kind", "key", "id", "path", "to", "at", "said")
        columns = ", ".join(f'"{name}"' for name in names)
        for row in source.execute(
            f"SELECT {columns} FROM ledger ORDER BY position"  # noqa: S608  our own names
        ):
            yield "ledger", dict(zip(names, row, strict=True))


def _distrust(source: sqlite3.Connection) -> None:
    """Let the file hold rows and nothing that runs. Raises sqlite3.DatabaseError."""
    source.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
    source.execute("PRAGMA trusted_schema = OFF")
    running = source.execute(
        "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
        " OR sql LIKE 'CREATE VIRTUAL%' OR sql LIKE '% AS (%' LIMIT 1"
    ).fetchone()
    if running is not None:
        message = f"{running[0]!r} would be run to be read, and no export has such"
        raise sqlite3.DatabaseError(message)


class _Json:
    """A JSON object in a stream, of which the lists are read item by item."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._buffer = ""
        self._at = 0
        self._lines = 0
        self._is_read = False

    def members(self) -> Iterator[tuple[str, object]]:
        self._expect("{")
        if self._peek() == "}":
            return
        while True:
            name = str(self._value())
            self._expect(":")
            if self._peek() == "[":
                self._at += 1
                yield from ((name, item) for item in self._items())
            else:
                yield name, self._value()
            if self._one_of(",}") == "}":
                break
        if self._peek():
            raise self._error("more behind the end")

    def _items(self) -> Iterator[object]:
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            yield self._value()
            if self._one_of(",]") == "]":
                return

    def _peek(self) -> str:
        """The next character that is no space, "" at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in _SPACE:
                    return self._buffer[self._at]
                self._at += 1
            if not self._fill():
                return ""

    def _expect(self, mark: str) -> None:
        self._one_of(mark)

    def _one_of(self, marks: str) -> str:
        found = self._peek()
        if not found or found not in marks:
            raise self._error(f"expected {' or '.join(marks)}")
        self._at += 1
        return found

    def _value(self) -> object:
        """The value that begins here, read as far as it goes."""
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                if not self._fill():
                    raise self._error(error.msg, error.pos) from error
                continue
            # A number that ends with what was read may go on.
            if end == len(self._buffer) and self._fill():
                continue
            self._at = end
            return value

    def _fill(self) -> bool:
        """Read on, twice as much as is waiting; False at the end of the file."""
        if self._is_read:
            return False
        rest = self._buffer[self._at :]
        self._lines += self._buffer.count("\n", 0, self._at)
        more = self._text.read(max(_CHUNK, len(rest)))
        self._buffer, self._at = rest + more, 0
        self._is_read = not more
        return bool(more)

    def _error(self, message: str, at: int = -1) -> json.JSONDecodeError:
        where = self._at if at < 0 else at
        error = json.JSONDecodeError(message, self._buffer, where)
        error.lineno += self._lines
        return error
