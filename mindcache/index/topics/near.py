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

# Cosines reckoned at once, in whole rows and at least so many: a million are 8 MB, five
# times over.
_CELLS = 1 << 20
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
        dots = (self._floats[places] @ self._floats.T).astype(np.float64)
        dots /= self._lengths[places, None] * self._lengths[None, :]
        order = np.rint(dots * _STEPS).astype(np.int64)
        order[np.arange(len(nodes)), places] = -2 * _STEPS
        # Of equals the one that comes first: every key is a number of its own.
        keys = order * len(self) - np.arange(len(self))
        count = min(NEIGHBOURS, len(self) - 1)
        if count > 0:
            found = np.argpartition(-keys, count - 1, axis=1)[:, :count]
        else:
            found = np.empty((len(nodes), 0), dtype=np.intp)
        for at, node in enumerate(nodes):
            near = {int(j): int(order[at, j]) / _STEPS for j in found[at]}
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
