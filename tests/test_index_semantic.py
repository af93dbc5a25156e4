"""Stored vectors: exact whatever the order, the same on every machine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mindcache.index.semantic import norms, quantise, similarities, top

whole = st.integers(-128, 127)


@st.composite
def matrix_and_query(draw) -> tuple[np.ndarray, np.ndarray]:
    dim = draw(st.sampled_from([1, 3, 64, 256, 1024, 1030]))
    rows = draw(st.integers(0, 6))
    matrix = draw(hnp.arrays(np.int8, (rows, dim), elements=whole))
    return matrix, draw(hnp.arrays(np.int8, (dim,), elements=whole))


def cosine(row: list[int], query: list[int]) -> float:
    dot = sum(a * b for a, b in zip(row, query, strict=True))
    lengths = sum(a * a for a in row) * sum(b * b for b in query)
    return dot / math.sqrt(lengths) if lengths else 0.0


@given(matrix_and_query())
def test_similarities_equal_whole_number_arithmetic(given_: tuple) -> None:
    matrix, query = given_
    wanted = [cosine(row, query.tolist()) for row in matrix.tolist()]
    got = similarities(matrix, norms(matrix), query)
    assert got.dtype == np.float64
    assert got.tolist() == np.round(np.array(wanted, dtype=np.float64), 6).tolist()


@pytest.mark.parametrize("dim", [256, 1024, 1025, 2000])
def test_the_largest_numbers_stay_exact(dim: int) -> None:
    matrix = np.full((2, dim), -128, dtype=np.int8)
    matrix[1, 0] = -127
    query = np.full(dim, -128, dtype=np.int8)
    assert norms(matrix).tolist() == [128 * 128 * dim, 128 * 128 * (dim - 1) + 127**2]
    wanted = [cosine(row, query.tolist()) for row in matrix.tolist()]
    got = similarities(matrix, norms(matrix), query).tolist()
    assert got == np.round(wanted, 6).tolist()


def test_blocks_leave_no_seam() -> None:
    matrix = np.random.default_rng(5).integers(-127, 128, (9000, 8)).astype(np.int8)
    matrix[4096] = 0
    query = matrix[4095]
    dots = matrix.astype(np.int64) @ query.astype(np.int64)
    squares = (matrix.astype(np.int64) ** 2).sum(axis=1)
    assert norms(matrix).tolist() == squares.tolist()
    squares[4096] = 1
    wanted = np.round(dots / np.sqrt(squares * int((query.astype(int) ** 2).sum())), 6)
    got = similarities(matrix, norms(matrix), query)
    assert got.tolist() == wanted.tolist()
    assert got[4096] == 0
    assert got[4095] == 1


def test_similarity_of_nothing() -> None:
    empty = np.empty((0, 4), dtype=np.int8)
    assert similarities(empty, norms(empty), np.ones(4, dtype=np.int8)).tolist() == []
    rows = np.ones((2, 4), dtype=np.int8)
    asked_nothing = similarities(rows, norms(rows), np.zeros(4, dtype=np.int8))
    assert asked_nothing.tolist() == [0, 0]
    assert not np.signbit(similarities(-rows, norms(rows), rows[0] * 0)).any()


finite = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(hnp.arrays(np.float32, (3, 7), elements=finite))
def test_quantise_scales_each_row_to_its_largest(vectors: np.ndarray) -> None:
    got = quantise(vectors)
    assert got.dtype == np.int8
    for row, steps in zip(vectors.tolist(), got.tolist(), strict=True):
        largest = max(map(abs, row))
        if largest == 0:
            assert steps == [0] * 7
            continue
        assert max(map(abs, steps)) == 127
        # Python's round goes to even at a half, as ours does.
        assert steps == [round(x * 127 / largest) for x in row]


def test_quantise_sends_halves_to_even() -> None:
    vectors = np.array([[127, 0.5, 1.5, -2.5, 0]], dtype=np.float32)
    assert quantise(vectors).tolist() == [[127, 0, 2, -2, 0]]


def test_quantise_is_the_same_in_any_company() -> None:
    vectors = np.random.default_rng(1).standard_normal((5000, 16)).astype(np.float32)
    alone = np.concatenate(
        [quantise(vectors[i : i + 1]) for i in (0, 4095, 4096, 4999)]
    )
    assert np.array_equal(quantise(vectors)[[0, 4095, 4096, 4999]], alone)
    assert quantise(vectors[:0]).shape == (0, 16)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_quantise_refuses_what_is_no_number(odd: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        quantise(np.array([[0.5, odd]], dtype=np.float32))


def test_quantised_cosine_stays_near_the_real_one() -> None:
    vectors = np.random.default_rng(2).standard_normal((50, 256)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    stored = quantise(vectors)
    got = similarities(stored, norms(stored), stored[0])
    assert np.abs(got - vectors @ vectors[0]).max() < 0.01


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 0.9]), st.sampled_from("abc"))),
    st.integers(-1, 12),
)
def test_top_is_a_stable_sort_cut_off(pairs: list[tuple[float, str]], k: int) -> None:
    scores = np.array([score for score, _ in pairs])
    keys = [key for _, key in pairs]
    order = sorted(range(len(pairs)), key=lambda i: (-scores[i], keys[i], i))
    assert top(scores, keys, k).tolist() == order[: max(k, 0)]
