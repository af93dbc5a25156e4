"""Merging a note, a journal's day, or a file of JSON lines. Pure.

Owns what is certain of it. A note whose properties can't be read, or that is not
UTF-8, is kept as it is, with all of the other below it between git's markers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mindcache.errors import EditRefused
from mindcache.generated import Section, find_section, has_marker, replaced
from mindcache.journal import is_entry_id
from mindcache.merge.lines import Clash, Settled, keyed, marked, merged_lines
from mindcache.merge.properties import merged_properties
from mindcache.note import DELETE, Delete, Note, Property, edit, parse, same_value

__all__ = ["Merged", "merge"]

_LABELS = ("ours", "theirs")
# The first line of a journal's entry; what is indented below belongs to it.
_ENTRY = re.compile(r"[-*+] \d\d:\d\d(?: .*)? \^([0-9A-Za-z-]+)[ \t]*")


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged bytes, and what both sides changed so that no program can choose.

    Of each clash both sides are in the bytes, between git's markers. `data` is only
    ours where `is_whole` is false: two files that can't stand in one.
    """

    data: bytes
    clashes: tuple[Clash, ...] = ()
    is_whole: bool = True

    @property
    def is_certain(self) -> bool:
        """Whether nobody needs to look at it."""
        return not self.clashes


def merge(
    path: str,
    base: bytes | None,
    ours: bytes,
    theirs: bytes,
    labels: tuple[str, str] = _LABELS,
) -> Merged:
    """Both versions of a file in one; `base` is what both began as, where it is known.

    `path` tells notes from files of JSON lines; anything else is merged by lines.
    `labels` name the two sides in markers. Never raises for what the files hold.
    """
    if theirs in (ours, base):
        return Merged(ours)
    if base == ours:
        return Merged(theirs)
    sides = (base, ours, theirs)
    if path.casefold().endswith(".jsonl"):
        return _records(sides)
    if not path.casefold().endswith(".md"):
        return _plain(sides, labels)
    first = None if base is None else _Side.of(path, base)
    one, other = _Side.of(path, ours), _Side.of(path, theirs)
    if not (one.is_text and other.is_text and (first is None or first.is_text)):
        return Merged(ours, (Clash("file", "", ""),), is_whole=False)
    newline = _chosen(first, one, other, lambda side: side.newline)
    mark = _chosen(first, one, other, lambda side: side.mark)
    trio = _with_one_section(_Trio(first, one, other, labels))
    try:
        text, clashes = trio.merged()
    except EditRefused as error:
        text, clashes = trio.side_by_side(), [Clash("file", str(error), "")]
    return Merged((mark + text.replace("\n", newline)).encode(), tuple(clashes))


@dataclass(frozen=True, slots=True)
class _Side:
    """One version: its text with line feeds, and how its lines ended."""

    note: Note
    newline: str
    mark: str  # U+FEFF or ""
    is_text: bool

    @classmethod
    def of(cls, path: str, data: bytes) -> _Side:
        note = parse(path, data)
        text, breaks = note.text, note.text.count("\n")
        newline = "\n"
        if breaks and text.count("\r\n") == breaks:
            newline, text = "\r\n", text.replace("\r\n", "\n")
            note = parse(path, text.encode())
        is_text = note.encoding.name == "utf-8" and "\0" not in text
        return cls(note, newline, "\ufeff" if note.encoding.bom else "", is_text)

    @property
    def head(self) -> str:
        return self.note.text[: self.note.body_offset]

    @property
    def is_readable(self) -> bool:
        front = self.note.frontmatter
        return front is None or front.error is None


def _chosen(
    first: _Side | None, one: _Side, other: _Side, of: Callable[[_Side], str]
) -> str:
    """What the side that changed it has; of two opinions the shorter."""
    if first is not None and of(first) == of(one):
        return of(other)
    if first is not None and of(first) == of(other):
        return of(one)
    return min(of(one), of(other), key=len)


@dataclass(frozen=True, slots=True)
class _Trio:
    """The versions of a note, and what the two sides are called."""

    first: _Side | None
    one: _Side
    other: _Side
    labels: tuple[str, str]

    def merged(self) -> tuple[str, list[Clash]]:
        """The text of both, and what can't be decided. Raises EditRefused."""
        read = [side for side in (self.first, self.one, self.other) if side]
        if not all(side.is_readable for side in read):
            return self._by_lines()
        base = None if self.first is None else self.first.note.properties
        ours, theirs = self.one.note.properties, self.other.note.properties
        wanted, clashes = merged_properties(base, ours, theirs)
        body, torn = self._body()
        if clashes:
            mine = [line for c in clashes for line in c.ours.splitlines()]
            yours = [line for c in clashes for line in c.theirs.splitlines()]
            block = "\n".join(marked(mine, yours, self.labels)) + "\n"
            body = body if block in body else block + body
        return self._head(wanted, body) + body, [*clashes, *torn]

    def side_by_side(self) -> str:
        """All of ours, and all of theirs below it."""
        text, theirs = self.one.note.text, self.other.note.text
        if theirs in text:
            return text
        gap = "" if not text or text.endswith("\n") else "\n"
        below = marked([], theirs.removesuffix("\n").split("\n"), self.labels)
        return text + gap + "\n".join(below) + "\n"

    def _each(self, of: Callable[[_Side], str]) -> _Texts:
        first = None if self.first is None else of(self.first)
        return first, of(self.one), of(self.other)

    def _by_lines(self) -> tuple[str, list[Clash]]:
        """Both as plain lines, where nobody can read the properties of one."""
        text, clashes = _merged(self._each(lambda side: side.note.text), self.labels)
        if clashes:
            raise EditRefused("the properties can't be read")
        return text, []

    def _body(self) -> tuple[str, list[Clash]]:
        texts = self._each(lambda side: side.note.body)
        if not (_is_journal(self.one.note) and _is_journal(self.other.note)):
            return _merged(texts, self.labels)
        base = None if texts[0] is None else _units(texts[0])
        pieces, clashes = merged_lines(
            base, _units(texts[1]), _units(texts[2]), self.labels, _BY_ENTRY
        )
        seen: set[str] = set()
        once = []
        for piece in pieces:
            if piece not in seen or not _entry_id(piece):
                once.append(piece)
            seen.add(piece)
        return "\n".join(once), clashes

    def _head(self, wanted: Mapping[str, Property], body: str) -> str:
        """The properties' own bytes. Raises EditRefused."""
        text, clashes = _merged(self._each(lambda side: side.head), self.labels)
        text = _closed(text, body)
        if not clashes and self._says(text, body, wanted):
            return text
        changes: dict[str, Property | Delete] = {
            key: value
            for key, value in wanted.items()
            if key not in self.one.note.properties
            or not same_value(value, self.one.note.properties[key])
        }
        changes |= {k: DELETE for k in self.one.note.properties if k not in wanted}
        edited = edit(self.one.head.encode(), changes).decode()
        text = _closed(self._with_remarks(edited), body)
        if not self._says(text, body, wanted):
            raise EditRefused("the properties could not be read again")
        return text

    def _with_remarks(self, head: str) -> str:
        """The properties with the comments that only the other side has."""
        known = set(head.split("\n"))
        known |= set(self.first.head.split("\n")) if self.first else set()
        remarks = [
            line
            for line in self.other.head.split("\n")
            if line.lstrip().startswith("#") and line not in known
        ]
        if not remarks or not head:
            return head
        lines = head.split("\n")
        at = len(lines) - 2  # the fence, then what is behind its line end
        return "\n".join([*lines[:at], *map(str.lstrip, remarks), *lines[at:]])

    def _says(self, head: str, body: str, wanted: Mapping[str, Property]) -> bool:
        """Whether a head in front of this body is read as these properties."""
        note = parse(self.one.note.path, (head + body).encode())
        codes = {problem.code for problem in note.problems} - {"git-conflict"}
        for side in (self.one, self.other):
            codes -= {problem.code for problem in side.note.problems}
        return (
            not codes
            and note.body_offset == len(head)
            and same_value(dict(note.properties), dict(wanted))
        )


def _closed(head: str, body: str) -> str:
    """Properties whose last line ends before the text begins."""
    return f"{head}\n" if head and body and not head.endswith("\n") else head


_Texts = tuple[str | None, str, str]


def _merged(texts: _Texts, labels: tuple[str, str]) -> tuple[str, list[Clash]]:
    """Texts merged by their lines."""
    base = None if texts[0] is None else texts[0].split("\n")
    lines, clashes = merged_lines(
        base, texts[1].split("\n"), texts[2].split("\n"), labels
    )
    return "\n".join(lines), clashes


# -- the journal ----------------------------------------------------------------------


def _is_journal(note: Note) -> bool:
    kind = note.properties.get("type")
    return isinstance(kind, str) and kind.strip().casefold() == "journal"


def _entry_id(piece: str) -> str:
    """The id of the entry that a piece of a journal is, "" for any other line."""
    match = _ENTRY.fullmatch(piece.split("\n", 1)[0])
    return match[1] if match and is_entry_id(match[1]) else ""


def _units(body: str) -> list[str]:
    """A journal's lines, those of one entry together."""
    units: list[str] = []
    for line in body.split("\n"):
        if units and line[:1] in {" ", "\t"} and _entry_id(units[-1]):
            units[-1] += f"\n{line}"
        else:
            units.append(line)
    return units


# An id begins with the time of writing: entries come in the order they were written.
_BY_ENTRY = keyed(_entry_id, lambda piece: (_entry_id(piece), piece))


# -- the generated part ---------------------------------------------------------------


def _with_one_section(trio: _Trio) -> _Trio:
    """Versions of a topic with one generated part, the later of two.

    The next digest writes it anew; no line in it is a person's.
    """
    found = [_section(side) for side in (trio.first, trio.one, trio.other)]
    was, mine, yours = found
    if mine is None or yours is None or mine.lines == yours.lines:
        return trio
    if was is not None and was.lines in (mine.lines, yours.lines):
        return trio
    ranks = (
        (str(side.note.properties.get("last_updated", "")), section.lines)
        for side, section in ((trio.one, mine), (trio.other, yours))
    )
    lines = max(ranks)[1]
    first = trio.first
    if first is not None and was is not None:
        first = _with_section(first, was, lines)
    return replace(
        trio,
        first=first,
        one=_with_section(trio.one, mine, lines),
        other=_with_section(trio.other, yours, lines),
    )


def _section(side: _Side | None) -> Section | None:
    """The generated part of a note that nobody has written into."""
    if side is None or not has_marker(side.note.text):
        return None
    found = find_section(side.note)
    return found if isinstance(found, Section) and not found.is_edited else None


def _with_section(side: _Side, section: Section, lines: Sequence[str]) -> _Side:
    text = replaced(side.note, section, lines)
    return replace(side, note=parse(side.note.path, text.encode()))


# -- what is no note ------------------------------------------------------------------

_Versions = tuple[bytes | None, bytes, bytes]


def _plain(sides: _Versions, labels: tuple[str, str]) -> Merged:
    base, ours, theirs = sides
    try:
        first = None if base is None else base.decode()
        texts = (first, ours.decode(), theirs.decode())
    except UnicodeDecodeError:
        return Merged(ours, (Clash("file", "", ""),), is_whole=False)
    text, clashes = _merged(texts, labels)
    return Merged(text.encode(), tuple(clashes))


def _records(sides: _Versions) -> Merged:
    """Lines of JSON: each is there once, and none excludes another."""
    base, ours, theirs = sides
    first = None if base is None else _lines(base)
    lines, _ = merged_lines(first, _lines(ours), _lines(theirs), _LABELS, _by_record)
    text = "".join(f"{line}\n" for line in lines if line)
    return Merged(text.encode("utf-8", "surrogateescape"))


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")


def _by_record(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> list[str]:
    found = _BY_LINE(base, ours, theirs)
    if found is not None:
        return found
    one, other = sorted((list(ours), list(theirs)))
    return [*one, *(line for line in other if line not in one)]


def _at(line: str) -> tuple[str, str]:
    """When a line says that it was written, and the line."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return "", line
    return (str(values.get("at", "")) if isinstance(values, dict) else ""), line


_BY_LINE: Settled = keyed(lambda line: line, _at)
