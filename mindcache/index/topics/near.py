"""Which notes are near which: the neighbours of a note, found as they are asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["PLACES", "Near", "likeness", "sums"]

# Scores are compared after rounding to this many places, here as everywhere.
PLACES = 6

# Neighbours of a note by meaning. Fewer make islands of what belongs together, more
# draw distant things in; ten was best of 5 to 20 on news, questions and titles.
NEIGHBOURS = 10
# Below this cosine (less what all notes share) two notes have a language in common
# and no subject.
LEAST_COSINE = 0.3

# Below it by so much, a cosine in single precision is looked at once more.
_ROOM = 1e-3

# Cosines reckoned at once, in whole rows and at least so many: four million are 16 MB,
# twice over.
_CELLS = 1 << 22
_LEAST_BLOCK = 16
# What a score is multiplied with before its place in the order is added below it.
_STEPS = 10**PLACES


class Near:
    """The neighbours of every note with their weights, from 0 to about 2.

    A weight is the squared cosine of two notes' vectors, and what `ties` adds to it
    (links, common entities, …), with or without a cosine. Notes are named by their
    places; `vectors` has one int8 row for each. Rows are computed when they are first
    asked for: a night on which little is new costs little.
    """

    def __init__(
        self,
        vectors: npt.NDArray[np.int8],
        ties: Mapping[int, Mapping[int, float]] | None = None,
    ) -> None:
        self._floats = vectors.astype(np.float32)
        lengths = np.einsum("ij,ij->i", self._floats, self._floats, dtype=np.float64)
        self._lengths = np.sqrt(lengths)
        self._lengths[self._lengths == 0.0] = 1.0
        self._shares = (1.0 / self._lengths).astype(np.float32)
        self._ties = ties or {}
        self._rows: dict[int, dict[int, float]] = {}

    def __len__(self) -> int:
        return len(self._floats)

    def row(self, node: int) -> Mapping[int, float]:
        """The note's neighbours and their weights, the nearest first."""
        if node not in self._rows:
            self.fetch([node])
        return self._rows[node]

    def fetch(self, nodes: Iterable[int]) -> None:
        """Compute the rows of many notes at once."""
        missing = sorted({node for node in nodes if node not in self._rows})
        block = max(_LEAST_BLOCK, _CELLS // max(len(self), 1))
        for start in range(0, len(missing), block):
            self._compute(missing[start : start + block])

    def _compute(self, nodes: Sequence[int]) -> None:
        places = np.array(nodes, dtype=np.intp)
        # Whole numbers below 2**24: exact in whatever order they are summed.
        dots = self._floats[places] @ self._floats.T
        # Few of all pairs may be near: those are found in single precision, with more
        # room than it takes away, and only they are reckoned exactly.
        least = (LEAST_COSINE - _ROOM) * self._lengths[places]
        may_be = dots * self._shares >= least[:, None].astype(np.float32)
        may_be[np.arange(len(nodes)), places] = False
        rows, others = np.nonzero(may_be)
        lengths = self._lengths[places[rows]] * self._lengths[others]
        cosines = dots[rows, others].astype(np.float64) / lengths
        order = np.rint(cosines * _STEPS).astype(np.int64)
        # The nearest first, of equals the one that comes first.
        best = np.lexsort((others, -order, rows))
        ends = np.searchsorted(rows, np.arange(len(nodes) + 1))
        for at, node in enumerate(nodes):
            chosen = best[ends[at] : ends[at + 1]][:NEIGHBOURS]
            near = {int(others[n]): int(order[n]) / _STEPS for n in chosen}
            self._rows[node] = self._weighed(node, near)

    def _weighed(self, node: int, near: Mapping[int, float]) -> dict[int, float]:
        weights = {j: c * c for j, c in near.items() if c >= LEAST_COSINE}
        for other, tie in self._ties.get(node, {}).items():
            weights[other] = weights.get(other, 0.0) + tie
        rounded = {other: round(weight, PLACES) for other, weight in weights.items()}
        return dict(sorted(rounded.items(), key=lambda each: (-each[1], each[0])))


def sums(
    vectors: npt.NDArray[np.int8], groups: Sequence[Sequence[int]]
) -> npt.NDArray[np.int64]:
    """What the rows of each group add up to, int64 (groups, d): its direction, exact."""
    total = np.zeros((len(groups), vectors.shape[1]), dtype=np.int64)
    for at, group in enumerate(groups):
        total[at] = vectors[list(group)].sum(axis=0, dtype=np.int64)
    return total


def likeness(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> float:
    """The cosine of two sums, rounded; 0 where either is zero."""
    # Python's integers: the lengths of large sums leave no room in 64 bits.
    dot = int(np.dot(one, other))
    length = math.sqrt(int(np.dot(one, one))) * math.sqrt(int(np.dot(other, other)))
    return round(dot / length, PLACES) + 0.0 if length else 0.0
