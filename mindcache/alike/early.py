"""Whether two texts are worth being compared at all: next to nothing is loaded here."""

from __future__ import annotations

import re
from typing import Final

from mindcache.text import fold

__all__ = ["BLOCK_ID", "CLOSE", "GROUPED", "NEAR", "NUMBER", "READ", "may_be_alike"]

NEAR: Final = 0.5
"""Cosine under which two texts are not one, whatever words they share. Texts of one
subject lie above it; nine wordings of a fact lie at .7 and above of each other."""

CLOSE: Final = 0.8
"""Cosine from which a text with a few words more than the other may be one with it."""

READ: Final = 4_000
"""Characters that are compared; a longer text is no wording, and only equal to its
own copy."""

NUMBER: Final = re.compile(r"\d+(?:[.,:/\-]\d+)*")
GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
BLOCK_ID: Final = re.compile(r"(?m)(?:^|\s)\^[\w-]+[ \t]*$")


def may_be_alike(a: str, b: str) -> bool:
    """Whether two texts are worth being read: `judge` costs ten times as much.

    Never false for texts that `judge` would call alike.
    """
    first, second = (fold(BLOCK_ID.sub("", text[:READ])) for text in (a, b))
    if first == second:
        return True
    numbers = (sorted(NUMBER.findall(GROUPED.sub("", t))) for t in (first, second))
    return next(numbers) == next(numbers)
