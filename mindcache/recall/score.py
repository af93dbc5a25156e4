"""From signals to one calibrated score, with reasons.

Each search scores a chunk by the log-odds that it answers: a weighted sum of
signals between 0 and 1. The weights were fitted offline (see below) and are
shipped as numbers; the same sum gives the order, the score (its logistic) and,
term by term, the reasons.

Fitted as a logistic regression on the first candidates of questions whose
answer is known: headings asked for the section below them, descriptions for their
note, headlines for their text and sentences for their paraphrase in several
vaults, and questions about long dialogues laid down as one note a session; beside
them, at half their weight, questions put to vaults that do not hold the answer.
A vault weighs by its kind and not by its number of questions; dialogues make a
third. A strong ridge spreads the weight over signals that say the same
thing in different ways: that costs a point in rank and tells far better whether a
vault answers at all, because a signal that is 1 for the best of any candidates
can't carry the score alone. Weights that came out against their meaning were left
out; last, the sum was stretched so that scores are the share that answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindcache.index import lexical
from mindcache.recall.answer import Why

__all__ = ["DEEP", "LEXICAL", "SEMANTIC", "Signals", "Weights", "logistic"]

Floats = npt.NDArray[np.float64]

# Scores are compared after rounding to this many places, here as everywhere.
PLACES = 6


@dataclass(frozen=True, slots=True)
class Weights:
    """One linear combination: an intercept and a weight for each signal.

    `floor` is the score below which a candidate is counted and not shown.
    """

    intercept: float
    of: Mapping[str, float]
    floor: float


# What each signal means, in the words that a reason is given in.
MEANINGS = {
    "best_words": "words, beside the best match",
    "words": "weight of the words, of what is possible",
    "coverage": "share of the question's words",
    "reach": "the same, with the neighbouring text",
    "matches": "number of the question's words, of five",
    "known": "share of the question that this vault has words for",
    "titled": "share of the question in title and headings",
    "best_meaning": "meaning, beside the nearest",
    "meaning": "nearness in meaning",
    "length": "length of the text",
    "asks": "asks a question itself",
    "literal": "the question's very words in a row",
    "links": "linked to other notes that answer",
    "expired": "no longer valid",
}

# `expired` isn't fitted: no question at hand knows what is outdated. Two notes
# that say the same differ by a little; this puts the one that still holds first
# and leaves the other in sight.
_EXPIRED = -2.0

# `literal` isn't either: the headings were taken out of the text they are asked
# for. Someone who types a sentence from memory means the place where it stands.
_LITERAL = 2.0

DEEP = Weights(
    intercept=-9.93,
    of={
        "best_words": 2.72,
        "words": 0.93,
        "coverage": 0.23,
        "reach": 1.02,
        "matches": 3.16,
        "known": 0.19,
        "titled": 0.88,
        "best_meaning": 1.96,
        "meaning": 1.45,
        "asks": -0.35,
        "literal": _LITERAL,
        "links": 0.5,
        "expired": _EXPIRED,
    },
    floor=0.025,
)

# Whatever holds a word that was asked for is an exact hit: nothing is kept back.
LEXICAL = Weights(
    intercept=-8.03,
    of={
        "best_words": 2.77,
        "words": 1.22,
        "coverage": 0.78,
        "matches": 3.63,
        "known": 0.36,
        "titled": 1.08,
        "asks": -0.24,
        "literal": _LITERAL,
        "expired": _EXPIRED,
    },
    floor=0.0,
)

# Nearness alone is a weak witness, and who asks for it knows: a low floor.
SEMANTIC = Weights(
    intercept=-10.32,
    of={
        "best_meaning": 3.07,
        "meaning": 6.90,
        "length": 1.48,
        "asks": -1.02,
        "expired": _EXPIRED,
    },
    floor=0.005,
)

# A fifth matched word adds little to what four say.
_MANY = 5

# The longest chunk that text is packed to, in terms: longer ones say no more.
_LONG = 250


@dataclass(slots=True)
class Signals:
    """Every signal of every candidate: parallel arrays, by the signal's name."""

    of: dict[str, Floats]

    def log_odds(self, weights: Weights) -> Floats:
        """The weighted sum, rounded, for each candidate."""
        size = len(next(iter(self.of.values())))
        total = np.full(size, weights.intercept)
        for name in sorted(weights.of):
            if name in self.of:
                total += weights.of[name] * self.of[name]
        rounded: Floats = np.round(total, PLACES)
        return rounded

    def at(self, places: npt.NDArray[np.intp]) -> Signals:
        """The signals of some of the candidates."""
        return Signals({name: values[places] for name, values in self.of.items()})

    def why(self, place: int, weights: Weights) -> tuple[Why, ...]:
        """The signals that spoke for (or against) one candidate, strongest first."""
        parts = []
        for name, weight in weights.of.items():
            if name not in self.of:
                continue
            value = float(self.of[name][place])
            part = round(weight * value, 3)
            if part:
                parts.append(Why(name, part, f"{MEANINGS[name]}: {value:.2f}"))
        parts.sort(key=lambda why: (-abs(why.value), why.signal))
        return tuple(parts)


def lexical_signals(
    matches: lexical.Matches,
    postings: Sequence[lexical.Postings],
    ids: npt.NDArray[np.int64],
) -> Signals:
    """The signals of words, aligned to all chunk ids; 0 where nothing matched.

    `postings` are those that gave the matches, in the same order.
    """
    size = len(ids)
    names = ("best_words", "words", "coverage", "reach", "matches", "titled")
    signals = {name: np.zeros(size) for name in names}
    signals["known"] = np.zeros(size)
    whole = matches.total_idf
    if not len(matches.ids) or whole <= 0:
        return Signals(signals)
    at = np.searchsorted(ids, matches.ids)
    best = float(matches.scores.max())
    possible = whole * (lexical.Formula().k1 + 1.0)
    signals["best_words"][at] = matches.scores / best if best > 0 else 0.0
    signals["words"][at] = matches.scores / possible
    signals["coverage"][at] = matches.coverage
    signals["reach"][at] = matches.reach
    for term, where in zip(matches.terms, postings, strict=True):
        signals["matches"][np.searchsorted(ids, term.ids[term.own])] += 1.0 / _MANY
        above = (where.columns == lexical.TITLE) | (where.columns == lexical.HEADINGS)
        named = np.unique(np.searchsorted(ids, where.chunk_ids[above]))
        signals["titled"][named] += term.idf / whole
    np.clip(signals["matches"], 0.0, 1.0, out=signals["matches"])
    signals["known"] += math.fsum(t.idf for t in matches.terms if t.df) / whole
    return Signals(signals)


def semantic_signals(
    cosines: Floats, lengths: Floats, allowed: npt.NDArray[np.bool_] | None
) -> Signals:
    """The signals of meaning: the cosine, and where it lies between the extremes.

    `lengths` are the chunks' numbers of terms.
    """
    among = cosines if allowed is None else cosines[allowed]
    # Where all are equally near, each is the nearest.
    spread = np.ones(len(cosines))
    if len(among):
        low, high = float(among.min()), float(among.max())
        if high > low:
            spread = np.clip((cosines - low) / (high - low), 0.0, 1.0)
    length = np.minimum(np.log1p(lengths) / math.log(_LONG), 1.0)
    return Signals(
        {
            "best_meaning": spread,
            "meaning": np.clip(cosines, 0.0, 1.0),
            "length": length,
        }
    )


def logistic(log_odds: float) -> float:
    """The score, 0..1, of these log-odds; rounded to 6 places."""
    return round(1.0 / (1.0 + math.exp(-log_odds)), PLACES)
