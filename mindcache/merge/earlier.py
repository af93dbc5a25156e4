"""Merging two versions of a note of which others, earlier ones, are at hand. Pure.

Which of them both began as is told by nobody: an earlier version of this machine may
be one that the other never had, and what it lacks would then count as deleted. Owns
what is certain all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mindcache.merge.notes import Merged, merge
from mindcache.note import Note, parse

__all__ = ["merge_by_earlier"]

_WORD = re.compile(r"\w+")
# What two people write by chance, both: a word, hardly three and each of them.
_WITNESSES = 3

_Fact = tuple[str, str]


def merge_by_earlier(
    path: str, earlier: Sequence[bytes], ours: bytes, theirs: bytes
) -> Merged | None:
    """Both versions merged on the latest earlier one that allows it, None for none.

    `earlier` begins with the latest. One of these must be true: the result has every
    word of both sides; or both have everything that this version has and one before it
    had not, so that they were written on top of it.
    """
    sides = (parse(path, ours), parse(path, theirs))
    words = [_words(note.text) for note in sides]
    has = [_facts(note) for note in sides]
    known = [_facts(parse(path, each)) for each in earlier]
    for at, base in enumerate(earlier):
        found = merge(path, base, ours, theirs)
        if not (found.is_certain and found.is_whole):
            continue
        kept = _words(parse(path, found.data).text)
        if all(each <= kept for each in words):
            return found
        if any(_is_seen(known[at] - before, has) for before in known[at + 1 :]):
            return found
    return None


def _is_seen(news: set[_Fact], sides: Sequence[set[_Fact]]) -> bool:
    """Whether both sides have what was new in a version."""
    return len(news) >= _WITNESSES and all(news <= side for side in sides)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))


def _facts(note: Note) -> set[_Fact]:
    """The words of a note, and each value that a property has."""
    found = {("", word) for word in _WORD.findall(note.body)}
    for key, value in note.properties.items():
        for each in value if isinstance(value, list) else [value]:
            found.add((key, str(each)))
    return found
