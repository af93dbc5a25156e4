"""Entities by their names: two notes about one thing, and things without a note. Pure.

A name is evidence, no proof: "ROR" is "ruby on rails" by its initials, "rails" by the
word that carries the name; "Ruby" is neither. What comes of it is a question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mindcache.alike import same_name
from mindcache.links import fold

__all__ = ["Called", "candidates", "names_in", "same_thing"]

# Letters of an acronym: two are those of too many things.
_ACRONYM = 3
# Letters of a word that may stand for a whole name.
_WORD = 4
# Names that one word may be a part of before it is nobody's.
_COMMON = 10
# Cosine from which two notes are about the same, where a name only hints at it.
_NEAR = 0.4

_WORDS = re.compile(r"[^\W_]+")
# Two or three words with capitals. A space in front is found much faster than what may
# stand before it.
_NAME = re.compile(
    r" ([A-Z][\w'’-]*[^\W\d_A-Z][\w'’-]*(?: [A-Z][\w'’-]*[^\W\d_A-Z][\w-]*){1,2})"
)
# What a capital gives to no name: days, months, and words that begin a clause.
_NO_NAMES = frozenset(
    {
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        "january", "february", "march", "april", "may", "june", "july", "august",
        "september", "october", "november", "december", "i", "i'm", "i'll", "the", "a",
        "an", "new", "old", "good", "happy", "merry", "dear", "hi", "hello", "thanks",
        "north", "south", "east", "west",
    }
)  # fmt: skip


class Called(NamedTuple):
    """An entity as it is called: names, the first its title; `kind` as it says."""

    names: tuple[str, ...]
    kind: str = ""


def same_thing(one: Called, other: Called, cosine: float) -> str:
    """Why two entities may be one, "" where nothing says so.

    `cosine` is that of their notes.
    """
    for mine in one.names:
        for yours in other.names:
            if same_name(mine, yours):
                return f"both go by {mine!r}"
    if one.kind and other.kind and fold(one.kind) != fold(other.kind):
        return ""
    for first, second in ((one, other), (other, one)):
        for short in first.names:
            for long in second.names:
                if reason := _stands_for(short, long, first, second, cosine):
                    return reason
    return ""


def _stands_for(
    short: str, long: str, first: Called, second: Called, cosine: float
) -> str:
    brief, words = _WORDS.findall(fold(short)), _WORDS.findall(fold(long))
    if len(brief) != 1 or len(words) < 2:
        return ""
    word = brief[0]
    initials = "".join(w[0] for w in words)
    if len(word) >= _ACRONYM and word == initials and short.strip()[:1].isalpha():
        return f"{short!r} are the initials of {long!r}"
    if len(word) < _WORD or cosine < _NEAR:
        return ""
    if word == words[-1]:
        return f"{short!r} is what {long!r} is called for short"
    is_person = "person" in {fold(first.kind), fold(second.kind)}
    if word == words[0] and is_person and len(words) == 2:
        return f"{short!r} is the first name of {long!r}"
    return ""


def names_in(text: str) -> Iterator[str]:
    """The names of two or three words that a plain text mentions within sentences."""
    for match in _NAME.finditer(text):
        before = text[match.start() - 1 : match.start()]
        if not (before.islower() or before == ","):
            continue  # a sentence begins here, and capitals with it
        words = match[1].removesuffix("'s").removesuffix("’s").split()
        while words and fold(words[0]) in _NO_NAMES:
            words = words[1:]
        if len(words) > 1 and not _NO_NAMES.intersection(map(fold, words)):
            yield " ".join(words)


def candidates(entities: Sequence[Called]) -> list[tuple[int, int]]:
    """Pairs that go by one name, or one by a word or the initials of the other's."""
    whole: defaultdict[str, set[int]] = defaultdict(set)
    parts: defaultdict[str, set[int]] = defaultdict(set)
    for place, called in enumerate(entities):
        for name in called.names:
            words = fold(name).replace("-", " ").replace("_", " ").split()
            whole["".join(words)].add(place)
            if len(words) > 1:
                initials = "".join(word[0] for word in words)
                for part in {words[0], words[-1], initials}:
                    parts[part].add(place)
    pairs: set[tuple[int, int]] = set()
    for key, places in whole.items():
        # A word that many names hold stands for none of them.
        others = parts[key] if len(parts.get(key, ())) <= _COMMON else set()
        pairs |= {(min(a, b), max(a, b)) for a in places for b in places | others}
    return sorted((a, b) for a, b in pairs if a != b)
