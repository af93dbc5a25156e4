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

_NAMED = ("names",)
# What has a title of its own may stand in quotes.
_CALLED = ("names", "titled")
_AMOUNT = ("amounts",)

_QUESTIONS = tuple(
    (re.compile(words, re.IGNORECASE), traits)
    for words, traits in (
        (r"^\W*(?:(?:with|to|for|from|by) )?(?:who|whom|whose)\b", _NAMED),
        (r"^\W*where\b", _NAMED),
        (r"\b(?:what|which)\b.*\b(?:names?|named|called)\b", _CALLED),
        (r"^\W*(?:for )?how (?:long|old|often)\b", _AMOUNT),
    )
)

# What is asked for stands between "which" and the verb, or what is said of it.
_ASKED_FOR = re.compile(
    r"\b(?:what|which|how many)\b([^?,]*?)(?=\b(?:did|does|do|has|have|had|is|are|was"
    r"|were|will|would|can|could|should|might|may|that|the|her|his|their|my|to|for|in|on"
    r"|at|by|with|from|about)\b|\?|,|$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
# Words for what has a name. Kinds of things without ("instruments": a clarinet,
# "desserts", "pets") by WordNet's nouns were level on dialogues; "activities" and "art",
# of which every other text has one, cost .3 points of R@10 each.
_HAVE_NAMES = """
    actor actors app apps area areas beach beaches brand brands cities city club clubs
    college companies company countries country festival festivals friend friends holiday
    holidays hotel hotels island language languages location locations mountain nation
    nations organization organizations park parks people person place places prize prizes
    product products region regions restaurant restaurants river school schools singer
    singers state states team teams town towns universities university writer writers
"""
_HAVE_TITLES = """
    album albums artist artists author authors band bands book books character characters
    film films game games magazine magazines movie movies musician musicians podcast
    podcasts poem poems series show shows song songs
"""
_ASKED_BY = {
    **dict.fromkeys(_HAVE_NAMES.split(), _NAMED),
    **dict.fromkeys(_HAVE_TITLES.split(), _CALLED),
}


def sought(text: str) -> tuple[str, ...]:
    """The traits of which a text that answers this question has one; in order."""
    found: set[str] = set()
    for asks, traits in _QUESTIONS:
        if asks.search(text):
            found.update(traits)
    for part in _ASKED_FOR.finditer(text):
        for word in _WORD.findall(part[1].lower()):
            found.update(_ASKED_BY.get(word, ()))
    return tuple(sorted(found))


def fitting(corpus: Corpus, traits: Sequence[str]) -> npt.NDArray[np.float64]:
    """What it tells that a chunk has one of these traits: 0 where it has none.

    What every other text has as well tells half; among turns of talk it is nearly 1,
    among news, which are full of names, nearly 0.
    """
    signal = np.zeros(len(corpus))
    for name in traits:
        np.maximum(signal, corpus.trait(name), out=signal)
    if traits and len(signal):
        signal *= 1.0 - float(signal.sum()) / len(signal)
    return signal
