"""Quoted phrases: read from a query, verified on the folded original.

Index terms find the candidates of a phrase; whether it is really there, literally, is
decided here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from mindcache.lazy import regex
from mindcache.text.characters import CLASSES

__all__ = ["contains_phrase", "parse_phrases"]

# A straight quote opens only where no word ends before it: 5" is an inch mark.
_QUOTED: Final = regex(
    r"""(?<!\w)["\uff02]([^"\uff02]*)["\uff02]"""
    r"""|[\u201c\u201d\u201e]([^\u201c\u201d\u201e]*)[\u201c\u201d]"""
    r"""|\u00ab([^\u00ab\u00bb]*)\u00bb"""
    r"""|\u300c([^\u300c\u300d]*)\u300d"""
    r"""|\u300e([^\u300e\u300f]*)\u300f"""
)

_MARKUP: Final = regex(r"[*_`~=\[\]]")
# Between two words: a space, with emphasis, code marks and link brackets about it. A
# link's target before its display text may stand there too; 200 is a long path.
_GAP: Final = r"[*_`~=\]]{0,6} [*_`~=]{0,6}(?:\[\[(?:[^\[\]|]{1,200}\|)?)?[*_`~=]{0,6}"

_MARKS: Final = tuple("*_`~=]")
_OVERLOOKED: Final = "".join(_MARKS) + " "
# What `_GAP` allows between two words that no link's target stands between.
_LONGEST_MARKS: Final = 19

_TARGET: Final = regex(r"\[\[[^\[\]|]{1,200}\|")
_UNMARKED: Final = str.maketrans("", "", "*_`~=[]")

_LONG_PHRASE: Final = 256
"""A longer phrase found is found, wherever in a word it ends: trying each of its many
places in a periodic text would take quadratic time."""

_WORDLIKE: Final = frozenset("wdm")


def parse_phrases(query: str) -> tuple[str, list[str]]:
    """The query's remaining words, and its double-quoted phrases in their order.

    Understands straight, full-width and typographic double quotes, guillemets and CJK
    corner brackets. A quote without its partner is plain text; an empty phrase is none.
    """
    phrases: list[str] = []

    def take(match: re.Match[str]) -> str:
        phrases.append(match[match.lastindex or 0])
        return " "

    rest = _QUOTED.sub(take, query)
    return " ".join(rest.split()), [
        found for phrase in phrases if (found := " ".join(phrase.split()))
    ]


def contains_phrase(folded_text: str, folded_phrase: str) -> bool:
    """Whether a text holds a phrase, both of them folded by `fold`.

    The phrase must not begin or end inside a word, except in scripts without spaces.
    Emphasis and link brackets between the phrase's words are overlooked. An empty
    phrase is in every text.
    """
    if not folded_phrase:
        return True
    at = folded_text.find(folded_phrase)
    if at < 0 or len(folded_phrase) > _LONG_PHRASE:
        return at >= 0 or _contains_loosely(folded_text, folded_phrase)
    while at >= 0:
        if _stands_alone(folded_text, at, at + len(folded_phrase)):
            return True
        at += 1
        while _is_inside(folded_text, at):
            at += 1
        at = folded_text.find(folded_phrase, at)
    return _contains_loosely(folded_text, folded_phrase)


def _contains_loosely(text: str, phrase: str) -> bool:
    """Whether the phrase is there with markup between its words."""
    if " " not in phrase or not _MARKUP.search(text) or not _may_hold(text, phrase):
        return False
    return any(
        _stands_alone(text, *match.span()) for match in _loose(phrase).finditer(text)
    )


def _may_hold(text: str, phrase: str) -> bool:
    """False only where `_loose` finds nothing; asking this costs less than making it.

    Without markup in either, what is overlooked between two words is a space, once the
    target of a link is gone that stands there, or not.
    """
    first, _, rest = phrase.partition(" ")
    if "[" in phrase or "|" in phrase:
        return True
    if rest.rpartition(" ")[2] not in text or not _may_begin(
        text, first, rest.partition(" ")[0]
    ):
        return False
    wanted, bare = phrase.translate(_UNMARKED), text.translate(_UNMARKED)
    if "[[" not in text:
        return wanted in bare
    shown = _TARGET.sub("", text).translate(_UNMARKED)
    pairs = (" ".join(pair) for pair in pairwise(wanted.split(" ")))
    return all(pair in bare or pair in shown for pair in pairs)


def _may_begin(text: str, first: str, second: str) -> bool:
    """False only where the first two words never stand with a gap between them."""
    if second.startswith(_MARKS):
        return True
    at = text.find(first)
    while at >= 0:
        end = at + len(first)
        after = text[end : end + _LONGEST_MARKS + len(second)].lstrip(_OVERLOOKED)
        if after.startswith(("[[", second)):
            return True
        at = text.find(first, at + 1)
    return False


@lru_cache(maxsize=32)  # a query's phrases are verified on many candidates in turn
def _loose(phrase: str) -> re.Pattern[str]:
    return re.compile(_GAP.join(map(re.escape, phrase.split(" "))))


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (_is_inside(text, start) or _is_inside(text, end))


def _is_inside(text: str, at: int) -> bool:
    """Whether the place is in the middle of a word."""
    if not 0 < at < len(text):
        return False
    around = text[at - 1 : at + 1].translate(CLASSES)
    return around[0] in _WORDLIKE and around[1] in _WORDLIKE
