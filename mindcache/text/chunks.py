r"""Chunks: the pieces of a note that are found, shown and embedded.

Owns where a note is cut: at headings, then at blank lines, packed to 120 to 250 words,
never inside a fence, table or list item, without overlap; a paragraph, list item or
other block with a block id is a chunk of its own. The frontmatter, sections that
Mindcache wrote and what follows the note's text (a drawing) are left out.

A chunk's text is the note's lines with "\n" between them, without heading lines, block
ids, `%%` comment marks, trailing space and the data of base64 URIs. All else is
verbatim. The text of comments stays: the reader wrote it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from mindcache.text.cuts import MOST, TARGET, cut, weigh

if TYPE_CHECKING:  # the note package loads YAML, which a query has no need of
    from mindcache.note.types import Heading, Note

__all__ = ["Chunk", "chunk"]

_TAIL = 80
"""Half-words (40 words): a shorter last piece says little alone and joins the one
before."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a note.

    `anchor` is "^id" for a block with an id, else the text of the heading it stands
    under ("" before any). `heading_path` are the headings from the outermost in.
    `line_start` and `line_end` are lines of the file, from 1, both included; only the
    pieces of a single overlong line share that line. `text` is "" where a note has no
    body, or a heading neither text nor headings under it.
    """

    text: str
    anchor: str
    heading_path: tuple[str, ...]
    line_start: int
    line_end: int


class _Piece(NamedTuple):
    """Lines that stay together, both included; `weight` in half-words.

    Prose may be cut where it is too long; anything else stays whole.
    """

    first: int
    last: int
    weight: int
    block_id: str = ""
    is_prose: bool = False


@dataclass(slots=True)
class _Section:
    """What stands under a heading (none before the first), up to the next heading.

    `runs` are pieces without anything left out between them.
    """

    heading: Heading | None
    line: int
    runs: list[list[_Piece]] = field(default_factory=lambda: [[]])


_LINE_END = re.compile(r"\r\n|\r|\n")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_TABLE_RULE = frozenset("|-: \t")
_STARTERS = frozenset("-*+_0123456789")  # of list items and rules
_RULE = re.compile(r"[ \t]*([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_BASE64 = re.compile(r"(;base64,)[A-Za-z0-9+/=]{64,}")


def chunk(note: Note) -> list[Chunk]:
    """The note cut into chunks, in reading order; at least one.

    Takes time linear in the note's length. See the module for what the text leaves
    out, and `Chunk` for anchors and lines.
    """
    body = _Body(note)
    sections = list(body.sections())
    path: list[Heading] = []
    chunks: list[Chunk] = []
    for number, section in enumerate(sections):
        heading = section.heading
        if heading is not None:
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
        names = tuple(h.text for h in path)
        anchor = names[-1] if names else ""
        before = len(chunks)
        for run in section.runs:
            for piece in _pack(run):
                named = f"^{piece.block_id}" if piece.block_id else anchor
                chunks.extend(
                    Chunk(text, named, names, first, last)
                    for text, first, last in body.texts(piece)
                )
        if heading is not None and len(chunks) == before:
            following = sections[number + 1 : number + 2]
            # A heading whose only content is headings is named in their paths.
            if not (following and _level(following[0]) > heading.level):
                line = section.line + body.offset
                chunks.append(Chunk("", anchor, names, line, line))
    return chunks or [Chunk("", "", (), body.offset, body.offset)]


def _level(section: _Section) -> int:
    return 0 if section.heading is None else section.heading.level


def _pack(pieces: Iterable[_Piece]) -> list[_Piece]:
    """Neighbours put together until they are a chunk; those with an id stay alone."""
    packed: list[_Piece] = []
    is_open = False
    for piece in pieces:
        last = packed[-1] if packed else None
        alone = bool(piece.block_id) or piece.weight > MOST
        if (
            last is not None
            and is_open
            and not alone
            and last.weight < TARGET
            and last.weight + piece.weight <= MOST
        ):
            packed[-1] = _merged(last, piece)
        else:
            packed.append(piece)
        is_open = not alone
    if len(packed) > 1 and is_open:
        last, tail = packed[-2:]
        if (
            tail.weight < _TAIL
            and last.weight + tail.weight <= MOST
            and not last.block_id
        ):
            packed[-2:] = [_merged(last, tail)]
    return packed


def _merged(first: _Piece, second: _Piece) -> _Piece:
    return _Piece(first.first, second.last, first.weight + second.weight)


class _Body:
    """A note's body by lines, counted from 0; `offset` makes them lines of the file."""

    def __init__(self, note: Note) -> None:
        start = note.body_offset
        self.offset = offset = 1 + _count_lines(note.text, start)
        self._headings = {h.line - offset: h for h in note.headings}
        self._fences = {a - offset: b - offset for a, b in note.fences}
        self._generated = {a - offset: b - offset for a, b in note.generated}
        self._ids = {b.line - offset: b.id for b in note.blocks}
        self._lines = self._clean(note.text[start : note.text_end])

    def _clean(self, body: str) -> list[str]:
        """The lines without what a chunk's text leaves out."""
        lines = body.split("\n") if "\r" not in body else _LINE_END.split(body)
        lines = [line.rstrip() for line in lines]
        for at, block_id in self._ids.items():
            if 0 <= at < len(lines) and lines[at].endswith("^" + block_id):
                lines[at] = lines[at][: lines[at].rfind("^")].rstrip()
        if ";base64," in body:
            lines = [_BASE64.sub(r"\1", line) for line in lines]
        if "%%" in body:
            fenced = {at for a, b in self._fences.items() for at in range(a, b + 1)}
            lines = [
                line if at in fenced else line.replace("%%", "").rstrip()
                for at, line in enumerate(lines)
            ]
        return lines

    def texts(self, piece: _Piece) -> Iterator[tuple[str, int, int]]:
        """The piece's text with its first and last line of the file; cut if too long."""
        lines = self._lines[piece.first : piece.last + 1]
        text = "\n".join(lines).rstrip()
        first = piece.first + self.offset
        if piece.weight <= MOST or not piece.is_prose:
            yield text, first, piece.last + self.offset
            return
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        for start, end in cut(text):
            yield (
                text[start:end],
                first + bisect_right(starts, start) - 1,
                first + bisect_right(starts, end - 1) - 1,
            )

    def sections(self) -> Iterator[_Section]:
        lines = self._lines
        section = _Section(None, 0)
        block: list[_Piece] = []
        at = 0
        while at < len(lines):
            if at in self._headings:
                yield section
                heading = self._headings[at]
                section = _Section(heading, at)
                block = []
                at += max(heading.last - heading.line, 0) + 1
            elif at in self._generated:
                section.runs.append([])
                block = []
                at = self._generated[at] + 1
            elif lines[at]:
                block, at = self._block(at)
                section.runs[-1] += block
            else:
                if at in self._ids and block:
                    _name_block(section.runs[-1], block, self._ids[at], at)
                at += 1
        yield section

    def _block(self, at: int) -> tuple[list[_Piece], int]:
        """The pieces of the block that starts at a line, and the line after it."""
        line = self._lines[at]
        if line.lstrip()[:1] in _STARTERS:
            if _RULE.match(line):
                return [], at + 1
            if _ITEM.match(line):
                return self._list(at)
        if at in self._fences and not line.startswith(">"):
            end = min(self._fences[at] + 1, len(self._lines))
            return [self._piece(at, end)], end
        if self._is_table(at):
            end = self._table_end(at)
            return [self._piece(at, end)], end
        return self._paragraph(at)

    def _piece(self, at: int, end: int, *, is_prose: bool = False) -> _Piece:
        """Lines `at` to before `end` as one piece, with the id its last line carries."""
        block_id = self._ids.get(end - 1, "")
        text = "\n".join(self._lines[at:end])
        return _Piece(at, end - 1, weigh(text), block_id, is_prose)

    def _is_edge(self, at: int) -> bool:
        """Whether no block can go on at this line."""
        return at >= len(self._lines) or at in self._headings or at in self._generated

    def _is_table(self, at: int) -> bool:
        lines = self._lines
        return (
            "|" in lines[at]
            and at + 1 < len(lines)
            and "|" in lines[at + 1]
            and "-" in lines[at + 1]
            and _TABLE_RULE.issuperset(lines[at + 1])
        )

    def _table_end(self, at: int) -> int:
        while not self._is_edge(at) and self._lines[at] and at not in self._fences:
            at += 1
        return at

    def _paragraph(self, start: int) -> tuple[list[_Piece], int]:
        is_prose = True
        at = start
        while not self._is_edge(at) and (line := self._lines[at]):
            if at in self._fences and line.startswith(">"):
                is_prose = False
                at = self._fences[at]
            elif at > start and self._is_start(at):
                break
            at += 1
        at = min(at, len(self._lines))
        return [self._piece(start, at, is_prose=is_prose)], at

    def _is_start(self, at: int) -> bool:
        """Whether another block starts here without a blank line before it."""
        line = self._lines[at]
        if line.lstrip()[:1] in _STARTERS and (_ITEM.match(line) or _RULE.match(line)):
            return True
        return at in self._fences or self._is_table(at)

    # Lists ------------------------------------------------------------------------

    def _list(self, start: int) -> tuple[list[_Piece], int]:
        starts, indents, end = self._items(start)
        own: list[_Piece] = []
        for first, after in zip(starts, [*starts[1:], end], strict=True):
            last = after
            while last > first + 1 and not self._lines[last - 1]:
                last -= 1
            # Blank lines at the end may hold the id of the item's last paragraph.
            ids = [self._ids[at] for at in range(first, after) if at in self._ids]
            last = after if ids and last < after and self._ids.get(after - 1) else last
            text = "\n".join(self._lines[first:last])
            own.append(_Piece(first, last - 1, weigh(text), ids[0] if ids else ""))
        return _subtrees(own, indents), end

    def _items(self, start: int) -> tuple[list[int], list[int], int]:
        """Each item's first line and indent, at any depth; the line after the list."""
        starts: list[int] = []
        indents: list[int] = []
        at = start
        while not self._is_edge(at):
            line = self._lines[at]
            if not line and at not in self._ids:
                following = self._after_blank(at)
                if following is None:
                    break
                at = following
                continue
            is_starter = line.lstrip()[:1] in _STARTERS
            if is_starter and _RULE.match(line):
                break
            if is_starter and (item := _ITEM.match(line)):
                starts.append(at)
                indents.append(len(item[1].expandtabs(4)))
            elif at in self._fences and line[:1] not in {" ", "\t"}:
                break
            at = min(self._fences.get(at, at), len(self._lines) - 1)
            at += 1
        return starts, indents, at

    def _after_blank(self, at: int) -> int | None:
        """The line where a list goes on after blank lines, if it does."""
        while not self._is_edge(at):
            line = self._lines[at]
            if line:
                goes_on = line[0] in " \t" or _ITEM.match(line) is not None
                return at if goes_on else None
            if at in self._ids:
                return None
            at += 1
        return None


def _subtrees(own: Sequence[_Piece], indents: Sequence[int]) -> list[_Piece]:
    """List items with what is nested in them, as far as they may stay together.

    An item and its nested items are one piece up to the size of a chunk, or whatever
    its size if it has a block id. Nested items that have an id of their own stand
    alone, and what is around them falls to the items' own lines.
    """
    ends = _subtree_ends(indents)
    weights = [0, *accumulate(piece.weight for piece in own)]
    ids = [0, *accumulate(bool(piece.block_id) for piece in own)]
    pieces: list[_Piece] = []
    at = 0
    while at < len(own):
        piece, end = own[at], ends[at]
        weight = weights[end] - weights[at]
        if ids[end] == ids[at + 1] and (piece.block_id or weight <= MOST):
            piece = piece._replace(last=own[end - 1].last, weight=weight)
            at = end
        else:
            at += 1
        pieces.append(piece)
    return pieces


def _subtree_ends(indents: Sequence[int]) -> list[int]:
    """For each item the number of the first later one that isn't nested in it."""
    ends = [len(indents)] * len(indents)
    open_items: list[int] = []
    for at, indent in enumerate(indents):
        while open_items and indents[open_items[-1]] >= indent:
            ends[open_items.pop()] = at
        open_items.append(at)
    return ends


def _name_block(
    run: list[_Piece], block: Sequence[_Piece], block_id: str, at: int
) -> None:
    """Give the block before a line that holds only an id that id; it becomes one piece."""
    if not any(piece.block_id for piece in block):
        weight = sum(piece.weight for piece in block)
        is_prose = len(block) == 1 and block[0].is_prose
        run[-len(block) :] = [_Piece(block[0].first, at, weight, block_id, is_prose)]


def _count_lines(text: str, end: int) -> int:
    """Line ends before an offset."""
    if "\r" not in text:
        return text.count("\n", 0, end)
    return sum(1 for _ in _LINE_END.finditer(text, 0, end))
