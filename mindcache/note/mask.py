"""A copy of a body in which everything that is no running text is blotted out.

Owns what counts as code, comment, math, HTML tag or escaped character. The copy is
as long as the body and keeps its line ends, so that offsets and lines mean the same
in both; what is found in the copy is then cut out of the body. Every pass is linear
in the length of the body.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from mindcache.lazy import regex

__all__ = ["FILLER", "Masked", "mask"]

# Ends a tag, starts nothing, and is no whitespace in front of a tag.
FILLER = "}"
_FILL = regex(r"[^\n]")

# What may stand in front of a block: quote marks, list markers, indentation.
_CONTAINER = r"(?:[ \t]*(?:>|[-*+][ \t]|[0-9]{1,9}[.)][ \t]))*+"
_FENCE = regex(rf"({_CONTAINER})[ \t]*(`{{3,}}+(?=[^`]*$)|~{{3,}})")
_INDENTED = regex(r"^(?: {4}|[ ]{0,3}\t)", re.MULTILINE)
_LIST_ITEM = regex(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_HEADING = regex(r"#{1,6}(?:[ \t]|$)")
_RANGES = {"%%": "%%", "$$": "$$", "<!--": "-->"}
_RANGE_START = regex(r"^[> \t]*+(%%|\$\$|<!--)", re.MULTILINE)

# Where a paragraph ends, and with it what may span several of its lines.
_BREAK = regex(
    r"^[ \t>]*+(?:$|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|#{1,6}[ \t]|\||\})", re.MULTILINE
)
# `\|` is left alone: it parts the target of a link in a table from its display.
# One set of characters is found ten times faster than any of these alternatives.
_INLINE_START = regex(r"[\\`%$<]")
_INLINE = regex(
    r"\\[!-/:-@\[-`{}~]|`+|%%|<!--|\$\$?|(?<!\()<[A-Za-z/](?:[^<>\[\n]|\[(?!\[))*+>"
)
_MATH_END = regex(r"(?<![\s\\$])\$(?![0-9$])")

_Range = tuple[int, int]


class Masked(NamedTuple):
    """The masked copy, and the first and last line (from 0) of each fenced block."""

    text: str
    fences: list[_Range]


def mask(text: str) -> Masked:
    """Blot out what is no running text. `text` has plain line feeds."""
    fences: list[_Range] = []
    if "```" in text or "~~~" in text or _INDENTED.search(text):
        code = _CodeScan(text)
        fences = code.fences
        text = _blot(text, code.ranges)
    if "`" in text or "%%" in text or "$" in text or "<" in text or "\\" in text:
        text = _blot(text, _InlineScan(text).ranges())
    return Masked(text, fences)


def _blot(text: str, ranges: Iterable[_Range]) -> str:
    pieces: list[str] = []
    last = 0
    for start, end in ranges:
        pieces.append(text[last:start])
        cut = text[start:end]
        pieces.append(_FILL.sub(FILLER, cut) if "\n" in cut else FILLER * len(cut))
        last = end
    if not pieces:
        return text
    pieces.append(text[last:])
    return "".join(pieces)


class _CodeScan:
    """Finds fenced and indented code, line by line.

    Comments and math blocks are followed too, because a fence inside them is none.
    """

    __slots__ = (
        "absent",
        "fences",
        "in_list",
        "may_indent",
        "offset",
        "ranges",
        "text",
        "until",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.ranges: list[_Range] = []
        self.fences: list[_Range] = []
        self.in_list = False
        self.may_indent = True  # after a blank line, a heading or code
        self.until = ""  # what ends the comment or math that we are in
        self.absent: set[str] = set()  # ends that don't come any more
        self.offset = 0
        self._scan(text.split("\n"))

    def _scan(self, lines: list[str]) -> None:
        number, count = 0, len(lines)
        while number < count:
            line = lines[number]
            if self.until:
                if self.until in line:
                    self.until = ""
            elif "```" in line or "~~~" in line:
                opening = _FENCE.match(line)
                if opening is not None and not self._is_indented_code(line):
                    number = self._fence(lines, number, opening)
                    continue
                self._plain(line)
            else:
                self._plain(line)
            self.offset += len(line) + 1
            number += 1

    def _fence(self, lines: list[str], number: int, opening: re.Match[str]) -> int:
        """Take in the fenced block that opens at line `number`; the line after it."""
        prefix, marks = opening[1], opening[2]
        depth = prefix.count(">")
        is_item = bool(prefix) and not prefix.rstrip().endswith(">")
        first, start = number, self.offset
        self.offset += len(lines[number]) + 1
        number += 1
        while number < len(lines):
            line = lines[number]
            bare = line.strip(" \t>") if depth else line.strip()
            if depth and line.lstrip()[:1] != ">":
                break
            closes = len(bare) >= len(marks) and not bare.strip(marks[0])
            if is_item and not closes and bare and line[0] not in " \t>":
                break
            self.offset += len(line) + 1
            number += 1
            if closes:
                break
        self.fences.append((first, number - 1))
        self.ranges.append((start, min(self.offset - 1, len(self.text))))
        self.may_indent = True
        return number

    def _is_indented_code(self, line: str) -> bool:
        if not self.may_indent or self.in_list:
            return False
        return _INDENTED.match(line) is not None and not line.isspace()

    def _plain(self, line: str) -> None:
        stripped = line.lstrip()
        if not stripped:
            self.may_indent = True
            return
        if self._is_indented_code(line):
            self.ranges.append((self.offset, self.offset + len(line)))
            return
        heading = stripped[0] == "#" and _HEADING.match(stripped) is not None
        if _LIST_ITEM.match(stripped):
            self.in_list = True
        elif (self.may_indent or heading) and line[0] not in " \t":
            self.in_list = False
        self.may_indent = heading
        opening = _RANGE_START.match(line)
        if opening is not None:
            self._enter_range(line, opening)

    def _enter_range(self, line: str, opening: re.Match[str]) -> None:
        end = _RANGES[opening[1]]
        rest = line[opening.end() :]
        is_open = rest.count(end) % 2 == 0 if end == opening[1] else end not in rest
        if not is_open or end in self.absent:
            return
        if self.text.find(end, self.offset + len(line)) >= 0:
            self.until = end
        else:
            self.absent.add(end)


class _InlineScan:
    """Finds code spans, comments, math, HTML tags and escapes, in reading order."""

    __slots__ = ("block_starts", "breaks", "ends", "math_ends", "runs", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.runs: dict[int, list[int]] = {}  # length of a run of backticks: offsets
        if "`" in text:
            for run in re.finditer("`+", text):
                self.runs.setdefault(len(run[0]), []).append(run.start())
        self.math_ends: list[int] | None = None
        self.breaks: list[int] | None = None
        self.block_starts: set[int] | None = None
        self.ends: dict[str, int] = {}  # the next `-->` and the like, -1 for none

    def ranges(self) -> Iterable[_Range]:
        text, after = self.text, 0
        while (at := _INLINE_START.search(text, after)) is not None:
            start = at.start()
            token = _INLINE.match(text, start)
            if token is None:
                after = start + 1
                continue
            close = self._end(start, token.end(), token[0])
            if close:
                yield start, close
            after = close or token.end()

    def _end(self, start: int, end: int, token: str) -> int:
        """The end of what the token at `start` begins; 0 when it begins nothing."""
        first = token[0]
        if first == "`":
            return self._code_end(start, len(token))
        if token in _RANGES:
            return self._range_end(start, end, _RANGES[token])
        if first == "$":
            return self._math_end(start, end)
        return end  # an escape or an HTML tag

    def _code_end(self, start: int, length: int) -> int:
        places = self.runs.get(length, [])
        index = bisect_right(places, start)
        if index == len(places) or places[index] > self._paragraph_end(start):
            return 0
        return places[index] + length

    def _range_end(self, start: int, end: int, closing: str) -> int:
        close = self.ends.get(closing, 0)
        if 0 <= close < end:
            close = self.ends[closing] = self.text.find(closing, end)
        if close < 0:
            return 0
        if close > self._paragraph_end(start) and not self._starts_block(start):
            return 0
        return close + len(closing)

    def _math_end(self, start: int, end: int) -> int:
        if self.text[end : end + 1].isspace():
            return 0
        if self.math_ends is None:
            self.math_ends = [m.start() for m in _MATH_END.finditer(self.text)]
        index = bisect_left(self.math_ends, end + 1)
        if index == len(self.math_ends):
            return 0
        close = self.math_ends[index]
        return close + 1 if close < self._paragraph_end(start) else 0

    def _starts_block(self, offset: int) -> bool:
        if self.block_starts is None:
            starts = _RANGE_START.finditer(self.text)
            self.block_starts = {found.start(1) for found in starts}
        return offset in self.block_starts

    def _paragraph_end(self, offset: int) -> int:
        if self.breaks is None:
            self.breaks = [m.start() for m in _BREAK.finditer(self.text)]
        index = bisect_right(self.breaks, offset)
        return self.breaks[index] if index < len(self.breaks) else len(self.text)
