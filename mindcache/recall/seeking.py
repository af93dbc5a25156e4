"""What sort of thing a question asks for, and which texts hold one.

"Who", "where" and "how long" say so by themselves, "which song" by its noun; a text
says it by its traits (`text.traits`), which were found when it was indexed. That a text
has a name in it answers nothing by itself: the signal is one among many. English, as
the traits are; "when" is `question`'s.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mindcache.recall.corpus import Corpus

__all__ = ["fitting", "sought"]

# Somebody: by their name, or as "my aunt", "a friend".
_WHO = r"^\W*(?:(?:with|to|for|from|by) )?(?:who|whom|whose)\b"
_WHERE = (
    r"^\W*(?:where\b|(?:(?:in|at|from|to|on|around) )?(?:what|which) (?:\w+ )?"
    r"(?:place|cit(?:y|ie)|town|state|countr(?:y|ie)|area|location|region)s?\b)"
)
# What has a title of its own, or is called after somebody.
_WHAT_TITLE = (
    r"\b(?:what|which)\b.*\b(?:(?:book|song|movie|film|band|artist|musician|author"
    r"|game|show|name)s?|named|called)\b"
)
_HOW_LONG = r"^\W*(?:for )?how (?:long|old|often)\b"
_SOUGHT = tuple(
    (re.compile(asks, re.IGNORECASE), traits)
    for asks, traits in (
        (_WHO, ("names", "person", "family")),
        (_WHERE, ("names", "place", "country")),
        (_WHAT_TITLE, ("names", "titled")),
        (_HOW_LONG, ("amounts",)),
    )
)

# What is asked for stands between "which" and the verb.
_ASKED_FOR = re.compile(
    r"\b(?:what|which|how many)\b([^?,]*?)(?=\b(?:did|does|do|has|have|had|is|are|was"
    r"|were|will|would|can|could|should|might|may|that)\b|\?|,|$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
# Words that ask for a kind of things whose nouns are known. "Activities", "events" and
# "art" are not among them: what could be called so stands in every other text, and to
# look for it cost .3 points of R@10 on dialogues each.
_CATEGORIES = {
    "animal": "animal animals creature creatures pet pets species",
    "clothing": "accessories accessory clothes clothing jewelry outfit outfits",
    "colour": "color colors colour colours",
    "country": "countries country nation nations",
    "drink": "beverage beverages drink drinks",
    "family": "family parent parents relative relatives sibling siblings",
    "food": """
        dessert desserts dish dishes food foods fruit fruits ingredient ingredients meal
        meals snack snacks vegetable vegetables
    """,
    "illness": """
        ailment condition disease diseases illness illnesses injuries injury symptom
        symptoms
    """,
    "instrument": "instrument instruments",
    "language": "language languages",
    "plant": "flower flowers plant plants tree trees",
    "vehicle": "vehicle vehicles",
}
_TRAITS = {word: name for name, words in _CATEGORIES.items() for word in words.split()}


def sought(text: str) -> tuple[str, ...]:
    """The traits of which a text that answers this question has one; in order."""
    found = {trait for asks, traits in _SOUGHT if asks.search(text) for trait in traits}
    for part in _ASKED_FOR.finditer(text):
        words = _WORD.findall(part[1].lower())
        found |= {_TRAITS[word] for word in words if word in _TRAITS}
    return tuple(sorted(found))


def fitting(corpus: Corpus, traits: Sequence[str]) -> npt.NDArray[np.float64]:
    """Whether each chunk has one of these traits: 1 or 0."""
    signal = np.zeros(len(corpus))
    for name in traits:
        np.maximum(signal, corpus.trait(name), out=signal)
    return signal
