"""What a run of text is made of: words, compounds, strings without spaces, emoji.

A run is what stands between white space; its units depend on it alone and not on a
language. Owns where words begin and end, and what of a compound is its literal form;
it does not own characters (`characters`), nor what becomes of the units (`analyzer`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from mindcache.lazy import regex
from mindcache.text.characters import CLASSES, normal

__all__ = ["MAX_WORD", "Unit", "units_of"]

MAX_WORD: Final = 128
"""Longer words are cut: a SHA-512 in hex just fits, and FTS5 keeps 32 kB of a token."""

_MAX_PARTS: Final = 8
"""A compound of more parts (a long path, a URL) has no joined form: nobody types it."""

_ELISIONS: Final = frozenset(
    {
        "l",
        "d",
        "j",
        "m",
        "t",
        "s",
        "n",
        "c",
        "qu",
        "jusqu",
        "lorsqu",
        "puisqu",
        "quoiqu",
    }
    | {
        "quelqu",
        "dell",
        "all",
        "dall",
        "nell",
        "sull",
        "coll",
        "un",
        "gl",
        "quell",
        "dov",
    }
)
"""What stands before an apostrophe in French, Italian and Catalan: a word of its own."""

_CONTRACTIONS: Final = frozenset({"t", "re", "ve", "ll", "d", "m"})
"""What English puts after an apostrophe; with its word it is one function word."""


class Unit(NamedTuple):
    """What a run is made of.

    `words` are indexed one by one; `joined` (may be empty) are the words of the literal
    form, indexed beside them as one term, glued by "_" . `kind` is "w" for words, "c"
    for a string without spaces (`words` are then its characters with their marks),
    "e" for an emoji.
    """

    kind: str
    words: tuple[str, ...]
    joined: tuple[str, ...] = ()


# A part is a word with apostrophes inside, or one with the ending of C++ and C#.
_PART: Final = r"[wd][wdm]*(?:a[wd][wdm]*)*(?:(?<=[wm])(?:\+\+(?!\+)|#(?![wd#])))?"
# Between the parts of a compound; "--" and ".." are punctuation, and a comma joins
# digits only.
_GLUE: Final = r"(?:(?<=d),(?=d)|(?!--|\.\.)[-.ja+#]{1,3})"
_UNITS: Final = regex(
    rf"(?P<w>(?P<dot>(?<![wdmckte.\-])\.(?=w))?{_PART}(?:{_GLUE}{_PART})*)"
    r"|c[cm]*|k[km]*|t[tm]*|e"
)
_PARTS: Final = regex(_PART)
_CHARACTERS: Final = regex(r"[ckt]m*")


def units_of(run: str) -> Iterator[Unit]:
    """The units of a run, in reading order."""
    text = normal(run)
    classes = text.translate(CLASSES)
    for match in _UNITS.finditer(classes):
        start, end = match.span()
        if match["w"] is None:
            kind = classes[start]
            yield (
                Unit("e", (text[start:end],))
                if kind == "e"
                else Unit(
                    "c",
                    tuple(
                        text[
                            start + m.start() : min(
                                start + m.end(), start + m.start() + 8
                            )
                        ]
                        for m in _CHARACTERS.finditer(match[0])
                    ),
                )
            )
        elif match["dot"]:
            yield _dotted(_compound(text[start + 1 : end], classes[start + 1 : end]))
        elif (word := text[start:end]).isalnum():
            yield Unit("w", (word[:MAX_WORD],))
        else:
            yield _compound(word, match[0])


def _dotted(unit: Unit) -> Unit:
    """`.NET`, `.env`: a word whose leading dot belongs to its name."""
    joined = ("", *(unit.joined or unit.words))
    return unit._replace(joined=joined if len(joined) <= _MAX_PARTS else ())


def _compound(text: str, classes: str) -> Unit:
    words: list[str] = []
    parts: list[str] = []
    glues: list[str] = []
    end = 0
    for match in _PARTS.finditer(classes):
        if parts:
            glues.append(text[end : match.start()])
        end = match.end()
        part, of_part = _part_words(text[match.start() : end])
        parts.append(part[:MAX_WORD])
        words.extend(word[:MAX_WORD] for word in of_part)
    if len(parts) == 1:
        return Unit("w", tuple(words), () if parts == words[-1:] else (parts[0],))
    glue = set(glues)
    if glue == {"."}:
        if all(len(part) == 1 and part.isalpha() for part in parts):
            return Unit("w", ("".join(parts)[:MAX_WORD],))
        if _VERSION.fullmatch(parts[0]):
            parts[0] = words[0] = parts[0][1:]
    if len(parts) > _MAX_PARTS or sum(map(len, parts)) > MAX_WORD:
        return Unit("w", tuple(words))
    is_closed = glue <= _HYPHENS and _joins_closed(parts)
    if is_closed or (glue == {","} and _is_grouped(parts)):
        return Unit("w", tuple(words), ("".join(parts),))
    return Unit("w", tuple(words), tuple(parts))


_VERSION: Final = regex(r"v\d+")
_HYPHENS: Final = frozenset({"-", "\u2010", "\u00b7"})


def _part_words(part: str) -> tuple[str, list[str]]:
    """The literal form of a part, and the words in it that are indexed."""
    if "'" in part:
        *head, last = part.split("'")
        if last == "s":
            return _part_words("'".join(head))
        if last in _CONTRACTIONS or len(head) != 1:
            word = part.replace("'", "")
            return word, [word]
        if head[0] in _ELISIONS:
            return last, [head[0], last]
        word = head[0] + last
        return word, [head[0], last] if head[0] == "o" else [word]
    if part.endswith(("+", "#")):
        word = part.rstrip("+#")
        return part, [part] if len(word) == 1 else [word]
    return part, [part]


def _joins_closed(parts: list[str]) -> bool:
    """Whether the closed spelling is one that people use: "email", "utf8", "preedit".

    Two digits must not meet: 2026-04 is no 202604.
    """
    return not any(a[-1].isdigit() and b[0].isdigit() for a, b in pairwise(parts))


def _is_grouped(parts: list[str]) -> bool:
    """Whether the parts are the digit groups of one number, as in 1,234,567."""
    return len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
