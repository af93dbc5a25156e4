"""What a chunk does, as far as its surface tells: its traits.

Whether it asks, whether it says when, whether it goes on where the chunk before
ended. None of this depends on a question, so it is found once, when a note is
indexed, and kept as one small number. Times are recognised by English words, and by
years and dates in digits; questions by their marks in any language.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Final

__all__ = ["TRAITS", "traits_of"]

TRAITS: Final = ("asks", "dated", "continues")
"""The traits, from the lowest bit up."""

_LONGEST: Final = 2_000
"""Characters that are looked at: a packed chunk has 1,500, a dump says no more."""

_CACHE_SIZE: Final = 1 << 16
"""Runs of letters whose kind is remembered; cleared when full."""

# What a run between blanks may be, as bits.
_DATED, _UNIT, _COUNT, _NEAR, _MONTH, _INTO, _NUMBER = (1 << n for n in range(7))

_LISTS: Final = {
    _DATED: """
        yesterday today tonight tomorrow ago recently since weekend monday tuesday
        wednesday thursday friday saturday sunday
    """,
    _UNIT: """
        hour hours day days night nights week weeks month months year years summer
        winter spring autumn fall morning evening mon tue tues wed thu thurs fri sat sun
    """,
    _COUNT: "a an one two three four five six seven eight nine ten few several many",
    _NEAR: "last next this past other",
    _MONTH: """
        january february march april may june july august september october november
        december jan feb mar apr jun jul aug sep sept oct nov dec
    """,
    _NUMBER: "of",
    _INTO: "in since early late mid until by during",
}
_WORDS: Final[dict[str, int]] = {}
for _bits, _list in _LISTS.items():
    for _word in _list.split():
        _WORDS[_word] = _WORDS.get(_word, 0) | _bits

_EDGES: Final = ".,;:!?()[]\"'“”‘’«»…*_~"
_ASKS: Final = ("?", "？", "؟")

_kinds: dict[str, int] = {}


def traits_of(text: str, *, continues: bool = False) -> int:
    """The traits of a chunk's plain text (without Markdown's marks), as bits.

    `continues` says that it stands under the same heading as the chunk before it.
    Takes time linear in the text.
    """
    said = text.rstrip()
    if said.endswith(")"):  # a remark behind it, such as an image's caption
        said = said[: said.rfind("(")].rstrip() or said
    asks = said.rstrip(" \"'”’»)").endswith(_ASKS)
    return int(asks) | int(_is_dated(text[:_LONGEST])) << 1 | int(continues) << 2


def _is_dated(text: str) -> bool:
    runs = text.split()
    kinds = [kind for kind in map(_kinds.get, runs) if kind is not None]
    if len(kinds) < len(runs):
        kinds = [_remember(run) for run in runs]
    some = reduce(or_, set(kinds), 0)
    if some & _DATED or not some & (_UNIT | _MONTH):
        return bool(some & _DATED)  # no rule below finds anything else
    before = 0
    for kind in kinds:
        if kind and (
            kind & _DATED
            or (kind & _UNIT and before & (_NEAR | _COUNT))
            or (kind & _MONTH and before & (_INTO | _NEAR | _NUMBER))
            or (kind & _NUMBER and before & _MONTH)
        ):
            return True
        before = kind
    return False


def _remember(run: str) -> int:
    kind = _kinds.get(run)
    if kind is None:
        if len(_kinds) >= _CACHE_SIZE:
            _kinds.clear()
        _kinds[run] = kind = _kind(run)
    return kind


def forget_words(kept: int) -> None:
    """Forget all runs, where more than so many are known."""
    if len(_kinds) > kept:
        _kinds.clear()


def _kind(run: str) -> int:
    """What a run is by itself."""
    word = run.strip(_EDGES)
    kind = _WORDS.get(word.lower(), 0)
    if word[:1].isdigit():
        kind |= _COUNT | _NUMBER
        is_year = len(word) == 4 and word.isdigit() and word[:2] in {"19", "20"}
        if is_year or (len(word) == 10 and word[4] == word[7] == "-"):
            kind |= _DATED
    return kind
