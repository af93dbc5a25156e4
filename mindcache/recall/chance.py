"""How likely a topic holds what answers: what its signals count, and what that means.

The numbers are those that `scripts/bench fast` fits and holds against what was asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["TOPICS", "Scale", "Weights"]

# Log-odds below which a topic has next to nothing to do with the question.
_KNEE = -1.0


class Scale(NamedTuple):
    """How the log-odds of a topic become those of its score.

    They count for `slope`, by `above` more where they are above `_KNEE`; `rivals` is
    what it counts that others may be meant, and `start` what is there anyway.
    """

    start: float
    slope: float
    above: float
    rivals: float

    def scores(self, odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The chance of each of the topics that one question may mean, in their order."""
        found = self.start + np.array(self[1:]) @ self.parts(odds)
        scores: npt.NDArray[np.float64] = np.round(1.0 / (1.0 + np.exp(-found)), 6)
        return scores

    @staticmethod
    def parts(odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What the last three numbers are multiplied with, a row for each."""
        each = np.exp(odds)
        others = math.fsum(each.tolist()) - each
        rivals = np.log1p(np.maximum(others, 0.0))
        return np.vstack([odds, np.maximum(odds - _KNEE, 0.0), rivals])


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal of a topic counts, and what is there anyway, in log-odds.

    `scale` makes scores of their sums: a score is the share of such topics that hold
    what answers.
    """

    of: Mapping[str, float]
    intercept: float
    scale: Scale


# Fitted on questions to dialogues and to vaults by their headings, and on as many that
# others ask, as `scripts/bench fast` does, which prints how far scores hold. A passage
# alone and with what is around it say much the same, and each fit shares their weight
# out differently: of several these were best where talks came night by night.
TOPICS = Weights(
    {
        "words": 1.11,
        "direction": 0.71,
        "nearest": 4.7,
        "lead": 2.1,
        "flow": 2.03,
        "flow_lead": 3.31,
    },
    intercept=-4.16,
    scale=Scale(1.47, 1.22, -0.72, -0.73),
)
