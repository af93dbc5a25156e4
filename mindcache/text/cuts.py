"""Where running text that is too long for a chunk is cut, and how text is measured.

Text is weighed in half-words, so that weights add up exactly where two characters of
a script without spaces make a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from mindcache.lazy import regex

__all__ = ["MOST", "TARGET", "cut", "is_inside_character", "weigh"]

TARGET = 240
"""Half-words at which a chunk is full: enough context for a vector, one thought to
show (120 words)."""

MOST = 500
"""Half-words that no chunk passes, but for one fence, table or list item (250 words)."""

_LONG = 64
"""Longer runs without space are addresses or data: every 8 characters are a word."""

_BITE = 200
"""Characters of a string without spaces that are cut off at once, under TARGET."""

_UNSPACED = regex(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
# Longest units first: a sentence (no space follows it in CJK), a line, a word.
_SENTENCE = regex(
    r"[.!?\u2026][\"'\u201d\u2019\u00bb)\]*_]*\s+"
    r"|[\u3002\uff01\uff1f\uff61\u0964\u17d4][\u300d\u300f\u201d\u2019\uff09]*\s*"
)
_LINE = regex(r"\n")
_SPACE = regex(r"\s+")

_ZWJ = "\u200d"


def weigh(text: str) -> int:
    """How much there is to read, in half-words."""
    words = text.split()
    weight = 2 * len(words)
    if not text.isascii():
        weight += len(_UNSPACED.findall(text))
    if len(text) > _LONG and max(map(len, words), default=0) > _LONG:
        long = [word for word in words if len(word) > _LONG]
        weight += sum(len(w) - len(_UNSPACED.findall(w)) for w in long) // 4
    return weight


def cut(text: str) -> list[tuple[int, int]]:
    """Start and end of pieces of at most 250 words, without space at their edges.

    Cuts after sentences; a sentence too long is cut at lines, then at spaces, and a
    string without spaces between two characters as a reader sees them (a letter with
    its marks, an emoji with its joiners, a flag). Takes linear time.
    """
    spans = _packed(_split(text, 0, len(text), (_SENTENCE, _LINE, _SPACE)))
    found = []
    for start, end in spans:
        piece = text[start:end].lstrip()
        if stripped := piece.rstrip():
            first = end - len(piece)
            found.append((first, first + len(stripped)))
    return found


def _split(
    text: str, start: int, end: int, at: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[int, int, int]]:
    """Spans with their weights, each as long as its kind of unit allows."""
    if not at:
        yield from _bites(text, start, end)
        return
    while start < end:
        match = at[0].search(text, start, end)
        stop = match.end() if match else end
        weight = weigh(text[start:stop])
        if weight > MOST or (weight > TARGET and at[0] is _SPACE):
            yield from _split(text, start, stop, at[1:])
        else:
            yield start, stop, weight
        start = stop


def _bites(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    while start < end:
        stop = min(start + _BITE, end)
        while stop < end and is_inside_character(text, start, stop):
            stop += 1
        yield start, stop, weigh(text[start:stop])
        start = stop


def is_inside_character(text: str, start: int, at: int) -> bool:
    """Whether a reader sees the code points on both sides as one character."""
    char, before = text[at], text[at - 1]
    if _ZWJ in {before, char} or unicodedata.category(char)[0] == "M":
        return True
    code = ord(char)
    # Skin tones and tags; vowels and finals of decomposed Hangul; Thai and Lao am.
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
        return True
    if 0x1160 <= code <= 0x11FF or code in {0x0E33, 0x0EB3}:
        return True
    if not (_is_flag_half(char) and _is_flag_half(before)):
        return False
    first = at
    while first > start and _is_flag_half(text[first - 1]):
        first -= 1
    return (at - first) % 2 == 1


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _packed(spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int]]:
    packed: list[tuple[int, int, int]] = []
    for start, end, weight in spans:
        if packed:
            first, _, so_far = packed[-1]
            if so_far < TARGET and so_far + weight <= MOST:
                packed[-1] = (first, end, so_far + weight)
                continue
        packed.append((start, end, weight))
    if len(packed) > 1:
        (first, _, before), (_, end, tail) = packed[-2:]
        if tail < TARGET // 3 and before + tail <= MOST:
            packed[-2:] = [(first, end, before + tail)]
    return [(start, end) for start, end, _ in packed]
