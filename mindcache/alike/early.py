"""Whether two texts are worth being compared at all: next to nothing is loaded here."""

from __future__ import annotations

from typing import Final, NamedTuple

from mindcache.lazy import regex
from mindcache.text import fold

__all__ = [
    "BLOCK_ID",
    "CLOSE",
    "GROUPED",
    "NEAR",
    "NUMBER",
    "READ",
    "Surface",
    "may_be_alike",
]

NEAR: Final = 0.5
"""Cosine under which two texts are not one, whatever words they share. Texts of one
subject lie above it; nine wordings of a fact lie at .7 and above of each other."""

CLOSE: Final = 0.8
"""Cosine from which a text with a few words more than the other may be one with it."""

READ: Final = 4_000
"""Characters that are compared; a longer text is no wording, and only equal to its
own copy."""

NUMBER: Final = regex(r"\d+(?:[.,:/\-]\d+)*")
GROUPED: Final = regex(r"(?<=\d),(?=\d{3}(?!\d))")
BLOCK_ID: Final = regex(r"(?m)(?:^|\s)\^[\w-]+[ \t]*$")


class Surface(NamedTuple):
    """What is seen of a text without reading it: its folded words, its numbers."""

    folded: str
    numbers: list[str]

    @classmethod
    def of(cls, text: str) -> Surface:
        """That of a text as it was written."""
        folded = fold(BLOCK_ID.sub("", text[:READ]))
        return cls(folded, sorted(NUMBER.findall(GROUPED.sub("", folded))))


def may_be_alike(a: Surface, b: Surface) -> bool:
    """Whether two texts are worth being read: `judge` costs ten times as much.

    Never false for texts that `judge` would call alike.
    """
    return a.folded == b.folded or a.numbers == b.numbers
