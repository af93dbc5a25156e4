"""Stored vectors: exact whatever the order, the same on every machine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mindcache.index.semantic import (
    centred,
    centred_cosines,
    direction,
    norms,
    quantise,
    similarities,
    top,
    wholes,
)

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


def test_centred_cosines_are_those_without_the_common_part() -> None:
    draw = np.random.default_rng(3)
    rows = quantise(draw.normal(size=(400, 32)) + 2.0)
    query = quantise(draw.normal(size=(1, 32)) + 2.0)
    common = direction(rows)
    plain = similarities(rows, norms(rows), query[0])
    shared = similarities(rows, norms(rows), common)
    own = similarities(query, norms(query), common)[0]
    found = centred(plain, shared, float(own))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    asked = query[0] / np.linalg.norm(query[0])
    mean = unit.mean(axis=0)
    slow = (unit - mean) @ (asked - mean)
    slow /= np.linalg.norm(unit - mean, axis=1) * np.linalg.norm(asked - mean)
    assert np.abs(found - slow).max() < 0.05
    assert np.corrcoef(found, slow)[0, 1] > 0.999


def test_centring_depends_on_no_order() -> None:
    draw = np.random.default_rng(4)
    plain, common = draw.random(500).round(6), draw.random(500).round(6)
    order = draw.permutation(500)
    forth = centred(plain, common, 0.3)
    assert centred(plain[order], common[order], 0.3).tolist() == forth[order].tolist()


def test_nothing_and_zero_rows_can_be_centred() -> None:
    none = np.zeros(0)
    assert centred(none, none, 0.0).tolist() == []
    assert centred(np.zeros(3), np.zeros(3), 0.0).tolist() == [0.0] * 3
    assert direction(np.zeros((0, 4), dtype=np.int8)).tolist() == [0] * 4


def test_sets_of_vectors_are_compared_without_what_the_rows_share() -> None:
    rows = quantise(np.array([[9.0, 1, 0], [9, -1, 0], [9, 0, 1], [9, 0, -1]]))
    near = centred_cosines(rows[:1], rows)
    assert near[0] == pytest.approx([1.0, -1.0, 0.0, 0.0], abs=0.05)
    assert centred_cosines(rows[:2], rows[:1]).tolist() == [[0.0], [0.0]]


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(-1, 4), min_size=0, max_size=40),
)
def test_what_the_rows_of_each_owner_say_together(seed, owners) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-127, 128, (len(owners), 6)).astype(np.int8)
    own = np.array(owners, dtype=np.intp)
    found = wholes(rows, own, 5)
    sums = np.array([rows[own == at].sum(axis=0, dtype=np.int64) for at in range(5)])
    assert found.tolist() == quantise(sums.astype(np.float64)).tolist()
