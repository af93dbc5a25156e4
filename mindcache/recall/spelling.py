"""Words that a vault doesn't know, and those of its words that were meant.

Owns what counts as a slip: one letter too many, too few or another, or two that
changed places, past the second letter of a word of some length. People seldom miss the
beginning of a word, and `mango` is not `mongo`. Only words that stand nowhere in the
vault are read otherwise: what was written down was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from mindcache.cache.read import FTS_COLUMNS, Reader
from mindcache.text import QueryTerm, fold, query_terms

__all__ = ["Misspelt", "is_slip", "nearest"]

# The letters of a word that have to be right.
_SURE = 2
# A word of four letters has too many neighbours to tell which one was meant; that
# it is one letter short of a longer one may be seen.
_SHORTEST = 5
# Of words equally near all are asked for, up to so many: the commonest.
_MOST = 3
# Letters that a stemmer takes off a word, at most of those that are looked for.
_ENDING = 4
# Chunks that are read for how a term is spelled.
_READ = 3
# A pasted page is full of strange words; a question has one or two.
_TRIES = 4
# Index terms with the same beginning: 2,000 texts of news have 600 at most, and reading
# these takes a millisecond.
_BEGINNING = 20_000

_WORDS = re.compile(r"\w+")


class Misspelt(NamedTuple):
    """A word of a question that stands nowhere, and what it is read as.

    `terms` are the index terms of all words equally near, `meant` is the commonest
    of these words as a note spells it.
    """

    word: str
    meant: str
    terms: tuple[str, ...]


def is_slip(word: str, other: str) -> bool:
    """Whether one slip turns `other` into `word`, beyond their first two letters."""
    if word[:_SURE] != other[:_SURE] or abs(len(word) - len(other)) > 1:
        return False
    at = 0
    while at < min(len(word), len(other)) and word[at] == other[at]:
        at += 1
    mine, theirs = word[at:], other[at:]
    if len(mine) > len(theirs):
        return mine[1:] == theirs
    if len(mine) < len(theirs):
        return mine == theirs[1:]
    swapped = mine[:2] == theirs[1::-1] and mine[2:] == theirs[2:]
    return bool(mine) and (swapped or mine[1:] == theirs[1:])


def nearest(
    terms: Iterable[QueryTerm], reader: Reader, languages: tuple[str, ...]
) -> list[Misspelt]:
    """What each of these terms may be a misspelling of.

    The terms are those that stand nowhere. One slip away, as `is_slip` has it; those
    that are like nothing are left out.
    """
    found = []
    tried = 0
    for term in terms:
        word = term.text
        if term.joined or term.prefix or not word.isalpha() or tried == _TRIES:
            continue
        if len(word) < _SHORTEST - 1:
            continue
        tried += 1
        known = reader.terms_from(word[:_SURE], _BEGINNING)
        near = [k for k in known if _may_be_stem(k, word)]
        spelt = sorted(
            (-count, meant, stem)
            for stem in near
            for meant, count in _as_written(stem, word, reader, languages)
        )[:_MOST]
        if spelt:
            meant = spelt[0][1]
            stems = tuple(dict.fromkeys(stem for _, _, stem in spelt))
            found.append(Misspelt(word, meant, stems))
    return found


def _may_be_stem(term: str, word: str) -> bool:
    """Whether an index term is what a word starts with, but for one slip."""
    return -1 <= len(word) - len(term) <= _ENDING and any(
        word[:size] == term or is_slip(word[:size], term)
        for size in range(len(term) - 1, len(term) + 2)
    )


def _alike(word: str, meant: str) -> bool:
    """Whether it is a slip of the whole words too, one of them in the plural perhaps.

    Stems alone are near each other by accident: `components` and `compose`.
    """
    return any(
        is_slip(mine, theirs)
        for mine in {word, word.removesuffix("s")}
        for theirs in {meant, meant.removesuffix("s")}
        if len(theirs) >= _SHORTEST
    )


def _as_written(
    term: str, word: str, reader: Reader, languages: tuple[str, ...]
) -> list[tuple[str, int]]:
    """The words with this index term that `word` may be a slip of, as notes spell them.

    With each, how often the term occurs.
    """
    places = [int(place) for place in reader.postings(term).split(",") if place]
    ids = sorted({place // len(FTS_COLUMNS) for place in places})[:_READ]
    found: dict[str, None] = {}
    for chunk in reader.chunks(ids).values():
        names = reader.titles([chunk.file_id]).get(chunk.file_id, ())
        text = fold("\n".join((*names, chunk.heading, chunk.text)))
        for form in set(_WORDS.findall(text)):
            if form[:_SURE] == word[:_SURE] and _alike(word, form):
                asked = query_terms(form, languages)
                if any(term in each.terms for each in asked):
                    found[form] = None
    return [(form, len(places)) for form in sorted(found)]
