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
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindcache.recall.answer import Why

__all__ = [
    "DEEP",
    "FITTED",
    "LEXICAL",
    "SEMANTIC",
    "Outlook",
    "Signals",
    "Weights",
    "logistic",
]

Floats = npt.NDArray[np.float64]

# Scores are compared after rounding to this many places, here as everywhere.
PLACES = 6


@dataclass(frozen=True, slots=True)
class Weights:
    """One linear combination: an intercept and a weight for each signal.

    `floor` is the score below which a candidate is counted and not shown; `outlook`
    what the question's prospects are worth, the same for all of its candidates.
    """

    intercept: float
    of: Mapping[str, float]
    floor: float
    outlook: Outlook | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """How a question's prospects become log-odds, the same for all candidates.

    A weighted sum tells which text answers best and not whether it does: the best of
    bad candidates may look well, and a good one among many that are as good is one of
    many. So the best sum is taken off, and put in its place is what is known of the
    question as a whole: `crowd` weighs the logarithm of how many candidates fit as
    well as the best, on the scale of sums times `sharpness`; `doubt` weighs the
    surprise (softplus of the negative hope) that the vault answers at all. Hope is
    `unsigned`, and the best value of each of `signs` and the best sum by their weights.
    """

    sharpness: float
    intercept: float
    crowd: float
    doubt: float
    signs: Mapping[str, float]
    best_sign: float
    unsigned: float


# What each signal means, in the words that a reason is given in.
MEANINGS = {
    "best_words": "words, beside the best match",
    "rare": "rarity of the rarest word it shares with the question",
    "best_note": "words in the whole note, beside the best note",
    "note": "weight of the words in the whole note",
    "around": "nearness in meaning, with the neighbouring text",
    "best_around": "the same, beside the nearest",
    "answers": "the text before asks for it",
    "akin": "words akin to the question's",
    "subject": "about the one person that was named",
    "time": "its date fits the time that was named",
    "when": "says when, as was asked",
    "dated": "says when",
    "says": "long enough to say something",
    "past": "tells what happened",
    "names": "names something",
    "ago": "speaks of a time past",
    "quotes": "quotes a title or words",
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
    "quoted": "holds what was quoted",
    "named": "its note has the question for a name",
    "links": "linked to other notes that answer",
    "expired": "no longer valid",
    "again": "its note was found already",
    "outlook": "whether anything here answers, and how many texts might",
}

# What is fitted; the rest has no questions at hand that could tell its weight.
FITTED = frozenset(MEANINGS) - {
    "literal",
    "quoted",
    "named",
    "links",
    "expired",
    "again",
    "outlook",
}

# `expired` isn't fitted: no question at hand knows what is outdated. Two notes
# that say the same differ by a little; this puts the one that still holds first
# and leaves the other in sight.
_EXPIRED = -2.0

# `literal` isn't either: the headings were taken out of the text they are asked
# for. Someone who types a sentence from memory means the place where it stands.
_LITERAL = 3.0

# Nor is `named`: who types the name of a note and nothing else wants to see it before
# any that mentions it, however often.
_NAMED = 5.0

DEEP = Weights(
    intercept=0.0,
    of={
        "best_words": 1.63,
        "words": 4.24,
        "rare": 0.59,
        "reach": 1.32,
        "titled": 0.41,
        "best_note": 0.44,
        "best_meaning": 1.1,
        "around": 2.54,
        "best_around": 0.98,
        "answers": 1.18,
        "akin": 0.28,
        "subject": 2.05,
        "time": 3.15,
        "when": 1.37,
        "dated": 0.08,
        "asks": -0.49,
        "says": 1.06,
        "past": 0.39,
        "names": 0.39,
        "ago": 0.76,
        "quotes": 0.29,
        "literal": _LITERAL,
        "quoted": _LITERAL,
        "named": _NAMED,
        "links": 0.5,
        "expired": _EXPIRED,
        "again": -0.5,
        "outlook": 1.0,
    },
    floor=0.015,
    outlook=Outlook(
        sharpness=1.27,
        intercept=1.05,
        crowd=-0.68,
        doubt=-1.78,
        signs={"words": -2.4, "meaning": 6.5, "known": 0.0, "coverage": 4.3},
        best_sign=0.5,
        unsigned=-6.0,
    ),
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
        "named": _NAMED,
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

    def outlook(self, weights: Weights) -> float:
        """What the prospects of the question add to every candidate's log-odds."""
        look = weights.outlook
        if look is None or not len(next(iter(self.of.values()))):
            return 0.0
        fitted = Weights(0.0, {k: w for k, w in weights.of.items() if k in FITTED}, 0.0)
        sums = self.log_odds(fitted)
        top = float(sums.max())
        crowd = math.log(math.fsum(np.exp((sums - top) * look.sharpness).tolist()))
        hope = look.unsigned + look.best_sign * top
        hope += math.fsum(w * float(self.of[n].max()) for n, w in look.signs.items())
        doubt = max(-hope, 0.0) + math.log1p(math.exp(-abs(hope)))
        whole = look.intercept - top + look.crowd * crowd + look.doubt * doubt
        return round(whole, PLACES)

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


def logistic(log_odds: float) -> float:
    """The score, 0..1, of these log-odds; rounded to 6 places."""
    return round(1.0 / (1.0 + math.exp(-log_odds)), PLACES)
