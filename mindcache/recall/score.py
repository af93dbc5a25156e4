"""From signals to one calibrated score, with reasons.

Each search scores a chunk by the log-odds that it answers: a weighted sum of
signals between 0 and 1, and an outlook that all candidates of a question share. The
weights are fitted offline (`bench/fit.py`, by `scripts/bench recall`) and shipped as
numbers; the same sum gives the order, the score (its logistic) and, term by term,
the reasons.

The order of deep recall is fitted by the likelihood of what answers among the
candidates of its question: headings asked for the section below them, descriptions
and names for their note, headlines for their text, sentences for where they stand and
for their paraphrase, and questions about long dialogues laid down as one note a session. A vault weighs by its
kind and not by its number of questions; dialogues make half. A ridge spreads weight
over signals that say the same; a weight that came out against its meaning is left
out. Then, with the sum as it is, the outlook is fitted on the same questions and on
twice as much weight of questions put to vaults that don't hold the answer. The
weights of exact and semantic search were fitted as plain logistic regressions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mindcache.recall.answer import Why

__all__ = [
    "DEEP",
    "FITTED",
    "LEXICAL",
    "SEMANTIC",
    "STRONG",
    "Outlook",
    "Signals",
    "Weights",
    "logistic",
    "share_odds",
]

Floats = npt.NDArray[np.float64]

# A candidate without a rival is no certainty: 4 is 98 %. From 4 to 8 the fit is level.
_SUREST = 4.0

# Scores are compared after rounding to this many places, here as everywhere.
PLACES = 6


class Weights(NamedTuple):
    """One linear combination: an intercept and a weight for each signal.

    `floor` is the score below which a candidate is counted and not shown; `outlook`
    what the question's prospects are worth, the same for all of its candidates.
    """

    intercept: float
    of: Mapping[str, float]
    floor: float
    outlook: Outlook | None = None


class Outlook(NamedTuple):
    """What turns weighted sums, which only order, into chances.

    A sum tells which text answers best and not whether it does: the best of bad
    candidates may look well, and a good one among many as good is one of many. So
    each sum gives way to its share among all candidates (softmax of the sums times
    `sharpness`) as log-odds, and to what is known of the question as a whole: `doubt`
    weighs the surprise (softplus of the negative hope) that the vault answers at all.
    Hope is `unsigned`, and the best value of each of `signs` and the best sum by their
    weights.
    """

    sharpness: float
    intercept: float
    doubt: float
    signs: Mapping[str, float]
    best_sign: float
    unsigned: float


# What each signal means, in the words that a reason is given in.
MEANINGS = {
    "best_words": "words, beside the best match",
    "best_note": "words in the whole note, beside the best note",
    "note": "weight of the words in the whole note",
    "around": "nearness in meaning, with the neighbouring text",
    "best_around": "meaning with the neighbouring text, beside the nearest",
    "answers": "the text before asks for it",
    "subject": "about the one person that was named",
    "time": "its date fits the time that was named",
    "told": "tells of the time that was named",
    "when": "says when, as was asked",
    "fits": "has a name, a title or an amount, as was asked",
    "says": "long enough to say something",
    "words": "weight of the words, of what is possible",
    "coverage": "share of the question's words",
    "reach": "share of the question's words, with the neighbouring text",
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
    "foremost": "its note holds one of the best texts",
    "links": "linked to other notes that answer",
    "expired": "no longer valid",
    "successor": "took the place of a note that answers",
    "later": "contradicts a note that answers, and is the later of the two",
    "again": "its note was found already",
    "several": "its note was found already, and several things were asked for",
    "outlook": "whether anything here answers, and how many texts might",
}

# What is fitted; the rest has no questions at hand that could tell its weight.
FITTED = frozenset(MEANINGS) - {
    "literal",
    "quoted",
    "named",
    "links",
    "expired",
    "successor",
    "later",
    "again",
    "several",
    "outlook",
}
# Signs that hardly ever deceive: hand-set, but candidates compete by them as well.
STRONG = frozenset({"literal", "quoted", "named"})

# `expired` isn't fitted: no question at hand knows what is outdated. Two notes
# that say the same differ by a little; this puts the one that still holds first
# and leaves the other in sight.
_EXPIRED = -2.0

# Nor are these, the strong signs: a fit trades them for what helps headings, whose
# words were taken out of the text they are asked for. Someone who types a sentence
# from memory means the place where it stands (first in 98 of 100, fitted in 94); who
# types the name of a note and nothing else, that note before any that mentions it (100
# of 100, fitted 96); what somebody quotes in a question is told of in several notes.
# What they mean for the chance is the outlook's.
_LITERAL = 3.0
_NAMED = 5.0
_QUOTED = 1.5

# Beside each, what is lost without it: points of R@10 and of MRR on dialogues, then on
# headings, each held out of the fit. Half a point is noise. Those that show nothing
# here each say what no other does: the bench's notes have lost their headings'
# words, and none of its vaults is long.
DEEP = Weights(
    intercept=0.0,
    of={
        "best_words": 1.48,  # with the next: .3 and .9; 3.6 and 3.8
        "words": 3.68,
        "reach": 1.09,  # .6 and .3; .3 and -.3
        "titled": 0.51,  # 0 and 0; -.6 and -.4
        "best_note": 0.56,  # .6 and .2; .6 and .4
        "best_meaning": 1.39,  # .9 and .1; .6 and -.4
        "around": 1.29,  # with the next: .4 and .1; .6 and .6
        "best_around": 0.77,
        "answers": 0.99,  # -.1 and .5; .2 and -.3
        "subject": 2.04,  # 1.4 and 5.2; .3 and -.2
        "time": 2.42,  # 1.2 and 1.1; .2 and -.2
        "told": 1.24,  # -.1 and .2; nothing: one question in nine names a time
        "fits": 2.09,  # .3 and 1.1; .1 and -.2
        "when": 1.48,  # 0 and .2; 0 and -.3
        "asks": -0.47,  # .3 and -.5; .3 and -.1
        "foremost": 0.82,  # 1.0 and .4; .4 and .2
        "says": 0.96,  # .6 and -.1; -.2 and .3
        "literal": _LITERAL,
        "quoted": _QUOTED,
        "named": _NAMED,
        "links": 0.5,
        "expired": _EXPIRED,
        "successor": 1.0,  # in log-odds already
        "later": 1.0,  # likewise
        "again": -0.5,  # .4 points of R@10 on dialogues; MRR level
        # .4 more, two of the multi-hop ones; half as much from -1 on.
        "several": -1.5,
        "outlook": 1.0,
    },
    floor=0.01,
    outlook=Outlook(
        sharpness=1.260,
        intercept=0.10,
        doubt=-1.206,
        signs={
            "words": -2.29,
            "meaning": 2.53,
            "known": -0.53,
            "coverage": 1.36,
            "matches": 3.58,
        },
        best_sign=1.262,
        unsigned=-13.23,
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
        "successor": 1.0,  # in log-odds already
        "later": 1.0,  # likewise
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
        "successor": 1.0,  # in log-odds already
        "later": 1.0,  # likewise
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

    def outlook(self, weights: Weights) -> Floats:
        """What takes each candidate from its sum to the log-odds that it answers."""
        look = weights.outlook
        size = len(next(iter(self.of.values())))
        if look is None or not size:
            return np.zeros(size)
        plain = self.log_odds(_part(weights, FITTED))
        sums = plain + self.log_odds(_part(weights, STRONG))
        hope = look.unsigned + look.best_sign * float(plain.max())
        hope += math.fsum(w * float(self.of[n].max()) for n, w in look.signs.items())
        doubt = max(-hope, 0.0) + math.log1p(math.exp(-abs(hope)))
        shares = share_odds(sums * look.sharpness) / look.sharpness
        result: Floats = np.round(
            shares - sums + (look.intercept + look.doubt * doubt), PLACES
        )
        return result

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


def _part(weights: Weights, names: frozenset[str]) -> Weights:
    """The weights of these signals alone."""
    return Weights(0.0, {k: w for k, w in weights.of.items() if k in names}, 0.0)


def share_odds(sums: Floats) -> Floats:
    """The log-odds of each candidate's share among all, by the softmax of their sums.

    No candidate is surer than `_SUREST`, be it the only one.
    """
    odds = np.exp(sums - sums.max())
    others = np.maximum(odds.sum() - odds, 1e-12)
    result: Floats = np.minimum(sums - sums.max() - np.log(others), _SUREST)
    return result


def logistic(log_odds: float) -> float:
    """The score, 0..1, of these log-odds; rounded to 6 places."""
    return round(1.0 / (1.0 + math.exp(-log_odds)), PLACES)
