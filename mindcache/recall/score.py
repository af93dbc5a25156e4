"""From signals to one calibrated score, with reasons.

Each search scores a chunk by the log-odds that it answers: a weighted sum of
signals between 0 and 1. The weights were fitted offline (see below) and are
shipped as numbers; the same sum gives the order, the score (its logistic) and,
term by term, the reasons.

Fitted as a logistic regression on the first candidates of questions whose
answer is known: headings asked for the section below them in several vaults,
and questions about long dialogues laid down as one note a session, with as many
questions put to a vault that does not hold their answer. The intercept makes
the mean score of all candidates equal the share of them that answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
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
    "words": "words that are rare here",
    "coverage": "share of the question's words",
    "reach": "the same, with the neighbouring text",
    "best_meaning": "meaning, beside the nearest",
    "meaning": "nearness in meaning",
    "literal": "the question's very words in a row",
    "links": "linked to other notes that answer",
    "expired": "no longer valid",
}

DEEP = Weights(
    intercept=-6.0,
    of={
        "best_words": 2.0,
        "words": 2.0,
        "coverage": 1.5,
        "reach": 0.5,
        "best_meaning": 1.0,
        "meaning": 3.0,
        "literal": 1.0,
        "links": 0.5,
        "expired": -1.0,
    },
    floor=0.02,
)

LEXICAL = Weights(
    intercept=-5.0,
    of={
        "best_words": 2.0,
        "words": 2.0,
        "coverage": 3.0,
        "literal": 2.0,
        "expired": -1.0,
    },
    floor=0.02,
)

SEMANTIC = Weights(
    intercept=-6.0,
    of={"best_meaning": 1.0, "meaning": 7.0, "expired": -1.0},
    floor=0.02,
)


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


def lexical_signals(matches: lexical.Matches, ids: npt.NDArray[np.int64]) -> Signals:
    """The signals of words, aligned to all chunk ids; 0 where nothing matched."""
    names = ("best_words", "words", "coverage", "reach")
    signals = {name: np.zeros(len(ids)) for name in names}
    if len(matches.ids):
        at = np.searchsorted(ids, matches.ids)
        best = float(matches.scores.max())
        possible = matches.total_idf * (lexical.Formula().k1 + 1.0)
        signals["best_words"][at] = matches.scores / best if best > 0 else 0.0
        signals["words"][at] = matches.scores / possible if possible > 0 else 0.0
        signals["coverage"][at] = matches.coverage
        signals["reach"][at] = matches.reach
    return Signals(signals)


def semantic_signals(cosines: Floats, allowed: npt.NDArray[np.bool_] | None) -> Signals:
    """The signals of meaning: the cosine, and where it lies between the extremes."""
    among = cosines if allowed is None else cosines[allowed]
    spread = np.zeros(len(cosines))
    if len(among):
        low, high = float(among.min()), float(among.max())
        if high > low:
            spread = np.clip((cosines - low) / (high - low), 0.0, 1.0)
    return Signals({"best_meaning": spread, "meaning": np.clip(cosines, 0.0, 1.0)})


def logistic(log_odds: float) -> float:
    """The score, 0..1, of these log-odds; rounded to 6 places."""
    return round(1.0 / (1.0 + math.exp(-log_odds)), PLACES)
