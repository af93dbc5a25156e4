"""The rows of an SQLite file as items."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mindcache.errors import MindcacheError, Problem, UsageError
from mindcache.importers.item import Context, Item, Left, Read, Source, Stranger
from mindcache.importers.markdown.docs import Doc
from mindcache.importers.markdown.properties import Terms, mapped
from mindcache.importers.prose import one_line
from mindcache.importers.sqlite import basic_memory
from mindcache.importers.sqlite.mapping import Chosen
from mindcache.importers.sqlite.opening import (
    MOST_ROWS,
    columns,
    opened,
    primary_key,
    quoted,
    rows,
    tables,
    whole_table,
)
from mindcache.importers.sqlite.values import as_text, as_time
from mindcache.note import Property, emit, parse
from mindcache.redact import redact

__all__ = ["Sqlite"]

# What columns are called that say this, where nobody said which; the first wins.
_GUESSES = {
    "title": ("title", "name", "subject"),
    "body": ("body", "content", "text", "note", "description"),
    "when": ("created_at", "created", "date", "timestamp"),
    "tags": ("tags",),
}
# What a row's note is called while nobody has named it.
_ROW = "row.md"
_NOTE = frozenset({"title", "body", "when", "key", "tags", "type"})


class Sqlite:
    """The importer for SQLite files; see `importers.item.Importer`."""

    name = "sqlite"
    source_type = "sqlite"
    short = "Rows of an SQLite file, by a mapping; basic-memory's by themselves."
    suffixes: tuple[str, ...] = (".db", ".sqlite", ".sqlite3")
    folder = "memory"

    def __init__(
        self, chosen: Chosen | None = None, terms: Terms | None = None
    ) -> None:
        self.chosen = chosen or Chosen()
        self.terms = terms or Terms()

    def configured(self, *, chosen: Chosen, namespace: str) -> Sqlite:
        """The same importer with a mapping. Raises UsageError."""
        if chosen.table and chosen.query:
            raise UsageError("--table and --query are two ways", mend="give one")
        return Sqlite(chosen, Terms(namespace or "domain"))

    def read(
        self, sources: Sequence[Source], context: Context
    ) -> Iterator[Item | Problem | Left | Stranger | Read]:
        """Everything in the files; see `importers.item.Importer`."""
        self.terms.check(context.namespaces)
        for source in sources:
            if source.path == "-":
                raise UsageError("an SQLite file can't come by stdin", mend="name it")
            try:
                with opened(source.path) as connection:
                    yield from self._read(connection, source, context)
            except sqlite3.Error as error:
                message = f"can't be read as SQLite: {error}"
                raise MindcacheError(message, mend="check the file") from error

    def _read(
        self, connection: sqlite3.Connection, source: Source, context: Context
    ) -> Iterator[Item | Problem | Left | Read]:
        chosen = self.chosen
        if not chosen.table and not chosen.query:
            if not basic_memory.is_one(connection):
                raise _unknown(connection, source)
            yield from basic_memory.read(connection, source, context, self.terms)
            yield Read(source.name)
            return
        yield from self._rows(connection, source, context)

    def _rows(
        self, connection: sqlite3.Connection, source: Source, context: Context
    ) -> Iterator[Item | Problem | Left | Read]:
        query, of = self.chosen.query, "query"
        if table := self.chosen.table:
            there = columns(connection, table)
            if not there:
                raise _unknown(connection, source, table)
            keys = primary_key(connection, table)
            query, of = whole_table(table, ", ".join(map(quoted, keys))), table
            if not keys:
                query = query.replace("*", "rowid AS _rowid, *", 1)
        found = rows(connection, query)
        names = [str(name) for name in next(found)]
        by = self._columns(connection, names)
        tally = _Tally.of(by)
        whole = True
        for number, row in enumerate(found, 1):
            if number > MOST_ROWS:
                message = f"more than {MOST_ROWS:,} rows: the rest is left out"
                mend = "ask for a part by --query"
                yield Problem(source.name, 0, "sqlite-rows", message, mend, "error")
                whole = False
                break
            place = f"{source.name}:{of}:{number}"
            values = dict(zip(names, row, strict=True))
            if tally.is_empty(values):
                continue
            key = "/".join(as_text(values[name]) for name in by["key"])
            doc = Doc(
                _ROW, "", f"{source.name}/{of}/{key}", place, source.name, wanted=_ROW
            )
            try:
                item, problems = self._item(values, by, doc, context, tally.secrets)
            except UnicodeError as error:
                yield Problem(place, 0, "sqlite-value", str(error), "", "error")
                continue
            yield from problems
            yield item
            tally.weigh(values, context)
        yield from tally.told(f"{source.name}:{of}")
        yield Read(source.name, whole)

    def _columns(
        self, connection: sqlite3.Connection, names: Sequence[str]
    ) -> dict[str, list[str]]:
        """The columns by what they become. Raises UsageError."""
        by = {target: [column] for target, column in self.chosen.columns.items()}
        for column in (c for each in by.values() for c in each):
            if column not in names:
                raise UsageError(
                    f"there is no column {column}", mend=f"one of: {', '.join(names)}"
                )
        for target, guesses in _GUESSES.items():
            guess = next((name for name in names if name.lower() in guesses), "")
            is_used = any([guess] == used for used in by.values())
            if guess and not is_used:
                by.setdefault(target, [guess])
        if "key" not in by:
            keys = primary_key(connection, self.chosen.table) or ["_rowid"]
            if not self.chosen.table:
                raise UsageError(
                    "nothing says which row is which",
                    mend="give --map key=COLUMN, so that importing again finds its notes",
                )
            by["key"] = keys
        if "title" not in by and "body" not in by:
            raise UsageError(
                "nothing says what a row's note is called or holds",
                mend="give --map title=COLUMN,body=COLUMN",
            )
        return by

    def _item(
        self,
        values: Mapping[str, object],
        by: Mapping[str, list[str]],
        doc: Doc,
        context: Context,
        secrets: Counter[str],
    ) -> tuple[Item, list[Problem]]:
        def told(target: str) -> str:
            text = as_text(values[by[target][0]]) if target in by else ""
            clean = redact(text)
            secrets.update(dict(clean.found))
            return clean.text

        body = told("body")
        properties: dict[str, Property] = {}
        for target in (*(t for t in by if t not in _NOTE), "type"):
            if target in by and (text := told(target)):
                value = values[by[target][0]]
                is_number = isinstance(value, (int, float))
                properties[target] = value if is_number else text  # type: ignore[assignment]  # a number of SQLite's is one of ours
        if listed := _list(told("tags")):
            properties["tags"] = listed
        if title := " ".join(told("title").split()):
            properties["title"] = title
        if when := as_time(values[by["when"][0]] if "when" in by else None, context):
            properties["created_at"] = when
        if body and not body.endswith("\n"):
            body += "\n"
        note = parse(_ROW, emit(properties, "").encode() + body.encode())
        item, problems = mapped(note, doc, context, self.terms)
        return replace(item, title=title or item.properties["summary"]), problems  # type: ignore[arg-type]  # a text, made by `mapped`


@dataclass(slots=True)
class _Tally:
    """What is told once of all rows: `unread` times, `empty` rows, secrets by kind.

    `when` is the column of times, "" for none; `silent` are columns that say nothing
    of a note but which one it is.
    """

    when: str
    silent: frozenset[str]
    secrets: Counter[str] = field(default_factory=Counter)
    unread: list[str] = field(default_factory=list)
    empty: int = 0

    @classmethod
    def of(cls, by: Mapping[str, list[str]]) -> _Tally:
        told = {c for target, each in by.items() if target != "key" for c in each}
        return cls(by.get("when", [""])[0], frozenset(by["key"]) - told)

    def is_empty(self, values: Mapping[str, object]) -> bool:
        """Whether nothing stands in the row, which is then counted."""
        found = all(v is None for name, v in values.items() if name not in self.silent)
        self.empty += found
        return found

    def weigh(self, values: Mapping[str, object], context: Context) -> None:
        """Note the row's time where it says one that can't be read."""
        text = as_text(values[self.when]).strip() if self.when else ""
        if text and not as_time(values[self.when], context):
            self.unread.append(redact(text).text)

    def told(self, place: str) -> Iterator[Problem | Left]:
        """The sum of it."""
        if self.empty:
            yield Left("row", "nothing stands in it", self.empty)
        if self.unread:
            message = (
                f"no time can be read from {self.when} in {len(self.unread):,} of the"
                f" rows, such as {one_line(self.unread[0], 60)!r}: their notes have none"
            )
            mend = "give times as 2026-03-01 09:00, or leave the column out of --map"
            yield Problem(place, 0, "sqlite-time", message, mend)
        for kind, count in sorted(self.secrets.items()):
            yield Left(kind, "a secret: taken out of the text", count)


def _list(text: str) -> list[Property]:
    """Tags as programs keep them: JSON, or parted by commas."""
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = text.split(",")
    if not isinstance(found, list):
        found = [found]
    return [t for each in found if (t := str(each).strip())]


def _unknown(
    connection: sqlite3.Connection, source: Source, table: str = ""
) -> UsageError:
    there = tables(connection)
    shown = "; ".join(
        f"{name} ({', '.join(columns(connection, name)[:8])})" for name in there[:8]
    )
    what = f"has no table {table}" if table else "is of no program that is known here"
    name = os.path.basename(source.path)
    return UsageError(
        f"{name} {what}",
        mend=f"give --table and --map; there are: {shown or 'no tables'}",
    )
