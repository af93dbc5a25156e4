"""Where the things to be found came in each answer, and what that makes in figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["DEPTHS", "Figures", "figures", "numbers", "ranks_of"]

Floats = npt.NDArray[np.float64]

# The ladder: how much of the gold is among so many first hits.
DEPTHS = (1, 5, 10, 20, 50, 100)
_RESAMPLED = 1_000


@dataclass(slots=True)
class Figures:
    """Ranks of the gold, by question: for each of its golds, 0 where it is missing."""

    ranks: list[tuple[int, ...]] = field(default_factory=list)

    def recall(self, depth: int) -> Floats:
        """The share of each question's gold among the first hits."""
        return np.array(
            [np.mean([0 < rank <= depth for rank in ranks]) for ranks in self.ranks]
        )

    def reciprocal(self) -> Floats:
        """One over the rank of each question's first gold."""
        return np.array(
            [max((1 / r if r else 0.0) for r in ranks) for ranks in self.ranks]
        )

    def columns(self) -> dict[str, Floats]:
        """Each measure by question."""
        found = {f"R@{depth}": self.recall(depth) for depth in DEPTHS}
        return {**found, "MRR": self.reciprocal()}


def figures(values: Floats, seed: int = 7) -> tuple[float, float, float]:
    """Mean, and the 95 % interval of a bootstrap over questions, in percent."""
    if not len(values):
        return 0.0, 0.0, 0.0
    draw = np.random.default_rng(seed)
    picked = draw.integers(0, len(values), (_RESAMPLED, len(values)))
    means = values[picked].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return tuple(round(100 * float(v), 1) for v in (values.mean(), low, high))  # type: ignore[return-value]


def numbers(figure: Figures) -> dict[str, tuple[float, float, float]]:
    """Each measure with its interval, in percent."""
    return {name: figures(values) for name, values in figure.columns().items()}


def ranks_of(golds: Sequence[npt.NDArray[np.bool_]], sums: Floats) -> tuple[int, ...]:
    """The rank of each gold by these sums; ties go by place."""
    order = np.argsort(-np.round(sums, 6), kind="stable")
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(1, len(order) + 1)
    return tuple(int(rank[g].min()) if g.any() else 0 for g in golds)
