"""OpenClaw's index of a workspace, in its three generations, back as texts.

The index holds each file in chunks that overlap; a text is put together again by line
numbers. Tables with credentials stand in the same file and are never read.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mindcache.importers.item import Left
from mindcache.importers.sqlite.opening import columns, rows, tables, whole_table

__all__ = ["Indexed", "Mark", "is_index", "joined", "read_index"]

# The names of the table of chunks, the newest generation's first.
_CHUNKS = ("memory_index_chunks", "chunks")
_NEEDED = frozenset({"path", "start_line", "end_line", "text"})
_MEMORY = "memory"
# From the most trusted to the least: of several the least counts.
_TRUST = ("owner", "system", "agent", "untrusted")
# What else such a file holds, and why it is left there.
_LEFT = (
    ("standing_intents", "standing intent", "what an agent shall do is no memory"),
    ("transcript_events", "transcript line", "conversations are not taken from here"),
)


@dataclass(frozen=True, slots=True)
class Mark:
    """What the index knows of some lines of a file beside their text."""

    lines: tuple[int, int]
    origin: str = ""
    session: str = ""
    observed: int = 0
    importance: int = 0
    triggers: str = ""
    project: str = ""


@dataclass(slots=True)
class Indexed:
    """A file's text as the index has it; `gaps` are lines that it lacks."""

    path: str
    text: str = ""
    marks: list[Mark] = field(default_factory=list)
    gaps: int = 0

    def origin(self, lines: tuple[int, int] | None = None) -> str:
        """Who is behind these lines, or the whole: the least trusted of them."""
        found = [
            mark.origin
            for mark in self.marks
            if mark.origin in _TRUST and (lines is None or _meet(mark.lines, lines))
        ]
        return max(found, key=_TRUST.index, default="")

    def alone(self, lines: tuple[int, int]) -> Mark | None:
        """The mark that is about these lines and no others, None without one."""
        found = [m for m in self.marks if _meet(m.lines, lines)]
        if len(found) != 1:
            return None
        (a, b), (c, d) = found[0].lines, lines
        return found[0] if c <= a + 1 and b <= d + 1 else None


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return max(one[0], other[0]) <= min(one[1], other[1])


def is_index(connection: sqlite3.Connection) -> bool:
    """Whether the file is an index of OpenClaw's."""
    return bool(_table(connection))


def _table(connection: sqlite3.Connection) -> str:
    there = set(tables(connection))
    for name in _CHUNKS:
        if name in there and set(columns(connection, name)) >= _NEEDED:
            return name
    return ""


def read_index(connection: sqlite3.Connection) -> Iterator[Indexed | Left]:
    """Every file that the index holds, by path, and what of it is left there."""
    table = _table(connection)
    there = set(tables(connection))
    marks = _marks(connection, table, there)
    by_path: dict[str, list[dict[str, Any]]] = defaultdict(list)
    sessions: Counter[str] = Counter()
    for row in _dicts(connection, whole_table(table, "path, start_line, id")):
        if str(row.get("source") or _MEMORY) != _MEMORY:
            sessions[str(row["path"])] += 1
        else:
            by_path[str(row["path"])].append(row)
    for path, chunks in sorted(by_path.items()):
        yield joined(path, chunks, marks)
    if sessions:
        why = "conversations are not taken from the index"
        yield Left("transcript", why, len(sessions))
    for name, what, why in _LEFT:
        if name in there and (count := _count(connection, name)):
            yield Left(what, why, count)


def _count(connection: sqlite3.Connection, table: str) -> int:
    return sum(1 for _ in rows(connection, whole_table(table))) - 1


def _dicts(connection: sqlite3.Connection, query: str) -> Iterator[dict[str, Any]]:
    found = rows(connection, query)
    names = [str(name) for name in next(found)]
    for row in found:
        yield dict(zip(names, row, strict=True))


def _marks(
    connection: sqlite3.Connection, table: str, there: set[str]
) -> dict[str, dict[str, Any]]:
    """What is said of each chunk, by its id, wherever it is said."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for beside in ("_provenance", "_recall_metadata"):
        name = table.removesuffix("s") + beside
        if name in there:
            for row in _dicts(connection, whole_table(name)):
                found[str(row["chunk_id"])] |= row
    return found


def joined(
    path: str, chunks: list[dict[str, Any]], marks: dict[str, dict[str, Any]]
) -> Indexed:
    """The chunks as one text, what two of them share once.

    A chunk's text is that of its lines; a long line is cut into several chunks of the
    same numbers, which follow each other.
    """
    result = Indexed(path)
    lines: list[str] = []
    last = 0
    for chunk in chunks:
        start, end = int(chunk["start_line"]), int(chunk["end_line"])
        own = str(chunk["text"]).split("\n")
        said = {**chunk, **marks.get(str(chunk["id"]), {})}
        result.marks.append(_mark(said, start, end))
        if start == end == last and lines and lines[-1] != own[0]:
            lines[-1] = _glued(lines[-1], "\n".join(own))
            continue
        if start > last + 1:
            result.gaps += start - last - 1
            lines += [""] * (start - last - 1)
        fresh = own[max(0, last - start + 1) :]
        lines += fresh[: max(0, end - max(last, start - 1))]
        last = max(last, end)
    result.text = "\n".join(lines) + "\n"
    return result


def _glued(head: str, tail: str) -> str:
    """Two pieces of one line, what both have once."""
    longest = min(len(head), len(tail))
    same = next((n for n in range(longest, 0, -1) if head.endswith(tail[:n])), 0)
    return head + tail[same:]


def _mark(said: dict[str, Any], start: int, end: int) -> Mark:
    def number(key: str) -> int:
        value = said.get(key)
        return int(value) if isinstance(value, (int, float)) else 0

    def text(key: str) -> str:
        return str(said.get(key) or "")

    return Mark(
        (start, end),
        text("origin_class"),
        text("session_kind"),
        number("observed_at"),
        number("importance"),
        text("triggers"),
        text("project_key"),
    )
