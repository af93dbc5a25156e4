"""How near vectors are to each other, in exact integers.

Owns the int8 form in which vectors are stored and the cosine between such
vectors. Every dot product is a whole number that float32 holds exactly, so a
score depends on no machine, thread count or order of summation. Where vectors
come from, and where they are kept, is decided elsewhere.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = [
    "centred",
    "centred_cosines",
    "direction",
    "norms",
    "quantise",
    "similarities",
    "top",
    "wholes",
]

Matrix = npt.NDArray[np.int8]

# The largest step of a symmetric int8 scale: -128 has no positive counterpart.
_STEPS = 127
# Rows turned into floats at once: 2 MB at 256 dimensions, which stays in cache.
_ROWS = 2048
# float32 counts without gaps to 2**24; a dot product of int8 vectors, whatever the
# order it is summed in, stays within that up to 2**24 / 128**2 dimensions.
_EXACT_DIM = 1024
# So many rows more are counted as having nothing in common.
_FEW = 10
# Scores are compared after rounding to this many places, here as everywhere.
_PLACES = 6


def quantise(vectors: npt.NDArray[np.floating]) -> Matrix:
    """The vectors (n, d) as int8 (n, d), each scaled so that its largest is ±127.

    Halves go to the even neighbour; a zero vector stays zero. Cosines need no
    scale, so none is kept.

    Raises:
        ValueError: a number is infinite or not a number.
    """
    result = np.empty(vectors.shape, dtype=np.int8)
    for start in range(0, len(vectors), _ROWS):
        # float64 holds a float32 times 127 exactly: one rounding, in the division.
        block = vectors[start : start + _ROWS].astype(np.float64)
        largest = np.abs(block).max(axis=1, keepdims=True, initial=0.0)
        if not np.isfinite(largest).all():
            raise ValueError("a vector holds a number that is not finite")
        largest[largest == 0.0] = 1.0
        block *= _STEPS
        block /= largest
        result[start : start + _ROWS] = np.rint(block, out=block)
    return result


def wholes(matrix: Matrix, owner: npt.NDArray[np.intp], size: int) -> Matrix:
    """What the rows (n, d) of each owner say together: their sum, as int8 (size, d).

    `owner` says whose each row is, from 0 to `size`; -1 for nobody's.
    """
    whole = np.zeros((size, matrix.shape[1]), dtype=np.int32)
    for start in range(0, len(matrix), _ROWS):
        whose = owner[start : start + _ROWS]
        block = matrix[start : start + _ROWS][whose >= 0].astype(np.int32)
        np.add.at(whole, whose[whose >= 0], block)
    result = np.empty(whole.shape, dtype=np.int8)
    for start in range(0, size, _ROWS):
        block = whole[start : start + _ROWS]
        result[start : start + _ROWS] = quantise(block.astype(np.float64))
    return result


def norms(matrix: Matrix) -> npt.NDArray[np.int32]:
    """Squared lengths of the rows, int32 (n,), exact."""
    result = np.empty(len(matrix), dtype=np.int32)
    for start in range(0, len(matrix), _ROWS):
        block = matrix[start : start + _ROWS].astype(np.int32)
        np.einsum("ij,ij->i", block, block, out=result[start : start + _ROWS])
    return result


def similarities(
    matrix: Matrix, sq_norms: npt.NDArray[np.integer], query: Matrix
) -> npt.NDArray[np.float64]:
    """Cosines of the query (d,) with every row of the matrix (n, d), float64 (n,).

    `sq_norms` is what `norms` gives for the matrix. Rounded to 6 places; 0 where
    either vector is zero.
    """
    exact = np.float32 if matrix.shape[1] <= _EXACT_DIM else np.float64
    asked = query.astype(exact)
    dots = np.empty(len(matrix), dtype=np.float64)
    buffer = np.empty((min(_ROWS, len(matrix)), matrix.shape[1]), dtype=exact)
    for start in range(0, len(matrix), _ROWS):
        rows = matrix[start : start + _ROWS]
        block = buffer[: len(rows)]
        np.copyto(block, rows)
        dots[start : start + _ROWS] = block @ asked
    own = int(norms(query[None, :])[0])
    # The product of two squared lengths is below 2**53: exact until the root.
    lengths = np.sqrt(sq_norms.astype(np.float64) * own)
    lengths[lengths == 0.0] = 1.0
    dots /= lengths
    rounded: npt.NDArray[np.float64] = np.round(dots, _PLACES)
    # A negative zero would print its sign.
    rounded += 0.0
    return rounded


def direction(matrix: Matrix) -> Matrix:
    """The direction that the rows have in common: their sum, as one int8 row (d,)."""
    total = np.zeros(matrix.shape[1], dtype=np.int64)
    for start in range(0, len(matrix), _ROWS):  # whose sums fit into half the width
        total += matrix[start : start + _ROWS].sum(axis=0, dtype=np.int32)
    row: Matrix = quantise(total[None, :].astype(np.float64))[0]
    return row


def centred(
    cosines: npt.NDArray[np.float64],
    common: npt.NDArray[np.float64],
    query_common: float,
) -> npt.NDArray[np.float64]:
    """The cosines as they would be if what all rows have in common were taken out.

    `cosines` are those of a query with the rows, `common` and `query_common` those
    of the rows and of the query with `direction`. Texts of one vault are all a
    little alike, and the more commonplace one is, the nearer it lies to any query.
    Few rows have less in common than it seems: their share is held back.
    """
    size = len(common)
    if not size:
        return cosines
    # Integers, so that the mean is the same whatever the order of the rows.
    whole = int(np.rint(common * 10**_PLACES).astype(np.int64).sum())
    mean = whole / 10**_PLACES / (size + _FEW)
    reach = 1.0 + mean * mean - 2.0 * mean * common
    own = max(1.0 + mean * mean - 2.0 * mean * query_common, 1e-6)
    moved = cosines - mean * (common + query_common) + mean * mean
    result = moved / np.sqrt(np.maximum(reach, 1e-6) * own)
    result[(cosines == 0.0) & (common == 0.0)] = 0.0
    rounded: npt.NDArray[np.float64] = np.round(result, _PLACES)
    rounded += 0.0
    return rounded


def centred_cosines(asked: Matrix, rows: Matrix) -> npt.NDArray[np.float64]:
    """Cosines (k, n) of one set of vectors with another, less what `rows` share.

    The mean of the rows is taken from both before they are compared. Rounded.
    """
    total = rows.sum(axis=0, dtype=np.int64)
    # Whole numbers up to here: the mean times the number of rows.
    left = quantise(asked.astype(np.int64) * len(rows) - total + 0.0)
    right = quantise(rows.astype(np.int64) * len(rows) - total + 0.0)
    dots = left.astype(np.float32) @ right.astype(np.float32).T
    lengths = np.sqrt(np.outer(norms(left), norms(right).astype(np.float64)))
    lengths[lengths == 0.0] = 1.0
    rounded: npt.NDArray[np.float64] = np.round(dots / lengths, _PLACES)
    return rounded


def top(
    scores: npt.NDArray[np.float64], keys: Sequence[str], k: int
) -> npt.NDArray[np.intp]:
    """Places of the `k` highest scores, best first; equal scores go by their keys.

    `keys` has one entry a score (say, paths), which decides alone between equals.
    """
    count = min(k, len(scores))
    if count <= 0:
        return np.empty(0, dtype=np.intp)
    floor = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > floor)
    level = np.flatnonzero(scores == floor)
    best = sorted(above.tolist(), key=lambda i: (-scores[i], keys[i], i))
    best += heapq.nsmallest(count - len(best), level.tolist(), lambda i: (keys[i], i))
    return np.array(best, dtype=np.intp)
