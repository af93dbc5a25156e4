"""The generated part of a topic's note: found, read, and put back. Pure.

It stands between two markers, each alone on its line, the first of which carries a
hash of the text. Whoever changes the text leaves the hash behind, and that is how an
edit is known: what he wrote moves below the second marker and stays.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from mindcache.note import Note

__all__ = [
    "WORDS",
    "Section",
    "find_section",
    "has_marker",
    "rendered",
    "replaced",
    "words_in",
    "words_line",
    "words_of",
]

_BEGIN = re.compile(r"%% mindcache:begin ([^\n%]*?) ?%%[ \t]*")
_END = re.compile(r"%% mindcache:end %%[ \t]*")
_MARKER = re.compile(r"%% *mindcache:(?:begin|end)\b")
_HASH_DIGITS = 12
WORDS = "Words: "


@dataclass(frozen=True, slots=True)
class Section:
    """The lines between the markers, and where these are (from 1, in the file)."""

    begin: int
    end: int
    lines: tuple[str, ...]
    is_edited: bool

    def holds(self, line: int) -> bool:
        """Whether a line of the file is inside."""
        return self.begin < line < self.end


def find_section(note: Note) -> Section | str:
    """The one generated section of a note, or why there is none to speak of."""
    lines = _lines(note.text)
    fenced = {n for a, b in note.fences for n in range(a, b + 1)}
    begins = [
        (number, match[1])
        for number, line in enumerate(lines, 1)
        if number not in fenced and (match := _BEGIN.fullmatch(line))
    ]
    ends = [
        number
        for number, line in enumerate(lines, 1)
        if number not in fenced and _END.fullmatch(line)
    ]
    if not begins and not ends:
        return "it has no generated part"
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0][0]:
        return "it has not exactly one pair of mindcache:begin and mindcache:end"
    first, stamp = begins[0]
    inner = tuple(lines[first : ends[0] - 1])
    whole = hashlib.sha256(_text(inner).encode()).hexdigest()
    is_edited = len(stamp) < 6 or not whole.startswith(stamp)
    return Section(first, ends[0], inner, is_edited)


def has_marker(text: str) -> bool:
    """Whether there is a marker in a text, even a damaged one."""
    return _MARKER.search(text) is not None


def rendered(lines: Sequence[str]) -> list[str]:
    """The section with its markers."""
    stamp = hashlib.sha256(_text(lines).encode()).hexdigest()[:_HASH_DIGITS]
    return [f"%% mindcache:begin {stamp} %%", *lines, "%% mindcache:end %%"]


def replaced(
    note: Note, section: Section, lines: Sequence[str], ours: Collection[str] = ()
) -> str:
    """The note's text with these lines in its section.

    What a person wrote in there comes below it, which is every line but those that
    stay and `ours`, known to have been generated; all else keeps every byte. A link
    alone stays where the new lines have it with what it is about.
    """
    if not section.is_edited and list(section.lines) == list(lines):
        return note.text
    newline = note.encoding.newline
    kept = []
    if section.is_edited:
        known = {*lines, *ours} | {line.partition("]]: ")[0] + "]]" for line in lines}
        kept = [
            line
            for line in section.lines
            if line.strip() and line not in known and line.rstrip() not in known
        ]
    whole = note.text.split("\n")
    above = whole[: section.begin - 1]
    below = whole[section.end :]
    ending = "\r" if newline == "\r\n" else ""
    # The last line of a file may lack its line end, and keeps lacking it.
    bare = not below and not kept
    middle = [line + ending for line in rendered(lines)]
    if bare:
        middle[-1] = rendered(lines)[-1]
    if kept:
        middle += [ending, *(line + ending for line in kept)]
        if below and below[0].strip():
            middle.append(ending)
        if not below:
            below = [""]
    return "\n".join([*above, *middle, *below])


def words_in(lines: Iterable[str]) -> list[str]:
    """The terms that a section names in its first line."""
    first = next(iter(lines), "")
    if not first.startswith(WORDS):
        return []
    words = (each.strip() for each in first[len(WORDS) :].split(","))
    return [word for word in words if word]


def words_of(text: str) -> list[str]:
    """The terms in the generated part of a note's text, without parsing it."""
    lines = _lines(text)
    for at, line in enumerate(lines):
        if _BEGIN.fullmatch(line):
            return words_in(lines[at + 1 : at + 2])
    return []


def words_line(terms: Sequence[str]) -> str:
    """The line that names the terms."""
    return WORDS + ", ".join(terms)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
