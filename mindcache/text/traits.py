"""What a chunk does, as far as its surface tells: its traits.

Whether it asks, whether it says when, whether it goes on where the chunk before
ended; whether it has a name within a sentence, a title in quotes, an amount. None of
this depends on a question, so it is found once, when a note is indexed, and kept as one
small number. Times and amounts are recognised by English words, and by digits;
questions by their marks in any language, names by capitals where others have none.
"""

from __future__ import annotations

import re
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Final

__all__ = ["TRAITS", "traits_of"]

TRAITS: Final = ("asks", "dated", "continues", "names", "titled", "amounts")
"""The traits, from the lowest bit up."""

_LONGEST: Final = 2_000
"""Characters that are looked at: a packed chunk has 1,500, a dump says no more."""

_CACHE_SIZE: Final = 1 << 16
"""Runs of letters whose kind is remembered; cleared when full."""

# What a run between blanks may be, as bits.
_DATED, _UNIT, _COUNT, _NEAR, _MONTH, _INTO, _NUMBER = (1 << n for n in range(7))
_TIMES: Final = (1 << 7) - 1
_AMOUNT, _CAPITAL, _FLOWS = (1 << n for n in range(7, 10))

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
    _AMOUNT: """
        one two three four five six seven eight nine ten eleven twelve dozen twenty
        thirty forty fifty hundred thousand million half few several couple once twice
        second seconds minute minutes hour hours day days week weeks weekend month
        months year years decade decades
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
# What a title in quotes may be: more is speech.
_TITLE: Final = re.compile(r"""["“][^"“”]{3,60}["”]""")

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
    looked_at = text[:_LONGEST]
    kinds = _kinds_of(looked_at.split())
    some = reduce(or_, set(kinds), 0)
    traits = (
        asks,
        _is_dated(kinds, some),
        continues,
        some & _CAPITAL and _has_name(kinds),
        ('"' in looked_at or "“" in looked_at) and _TITLE.search(looked_at),
        some & _AMOUNT,
    )
    return sum(1 << place for place, has in enumerate(traits) if has)


def _kinds_of(runs: list[str]) -> list[int]:
    kinds = [kind for kind in map(_kinds.get, runs) if kind is not None]
    return kinds if len(kinds) == len(runs) else [_remember(run) for run in runs]


def _has_name(kinds: list[int]) -> bool:
    """Whether a capital stands right after a word in small letters.

    There no sentence begins, and nobody is spoken to, as in "Hey Ann" and "so long,
    Ann", which say nothing of her.
    """
    return any(kind & _CAPITAL and before & _FLOWS for before, kind in pairwise(kinds))


def _is_dated(kinds: list[int], some: int) -> bool:
    """Whether runs of these kinds say when; `some` is what any of them is."""
    if some & _DATED or not some & (_UNIT | _MONTH):
        return bool(some & _DATED)  # no rule below finds anything else
    before = 0
    for kind in kinds:
        kind &= _TIMES  # noqa: PLW2901  what else a run may be is no matter here
        if kind and (
            (kind & _UNIT and before & (_NEAR | _COUNT))
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
    bare = run.strip(_EDGES)
    word = bare.lower()
    kind = _WORDS.get(word, 0)
    if word[:1].isdigit():
        kind |= _COUNT | _NUMBER | _AMOUNT
        is_year = len(word) == 4 and word.isdigit() and word[:2] in {"19", "20"}
        if is_year or (len(word) == 10 and word[4] == word[7] == "-"):
            kind |= _DATED
    elif bare[:1].isupper() and bare[1:2].islower() and not kind & _TIMES:
        kind |= _CAPITAL
    elif bare[:1].islower() and bare == run:
        kind |= _FLOWS
    return kind
