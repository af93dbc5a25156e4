"""BM25 against rank-bm25, and against the formula written out slowly."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from mindcache.index.lexical import (
    BODY,
    HEADINGS,
    TITLE,
    Collection,
    Context,
    Formula,
    Matches,
    Postings,
    bm25,
    idf,
    whole_notes,
)


def postings(rows: list[tuple[int, int, float]]) -> Postings:
    """Postings of (chunk id, column, frequency) rows."""
    return Postings(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.uint8),
        np.array([row[2] for row in rows], dtype=np.float64),
    )


def collection(lengths: list[int], notes: list[int] | None = None) -> Collection:
    ids = np.arange(1, len(lengths) + 1)
    return Collection.of(
        ids, np.array(lengths), ids if notes is None else np.array(notes)
    )


def of_words(chunks: list[list[str]], word: str) -> Postings:
    """One row an occurrence, as FTS5's vocabulary table hands them out."""
    found = [i for i, chunk in enumerate(chunks, 1) for each in chunk if each == word]
    return Postings(
        np.array(found, dtype=np.int64), np.zeros(len(found), dtype=np.uint8)
    )


def test_equals_rank_bm25_with_the_same_idf() -> None:
    draw = random.Random(11)
    for _ in range(25):
        chunks = [
            draw.choices("abcdefgh", k=draw.randint(1, 30))
            for _ in range(draw.randint(2, 20))
        ]
        oracle = BM25Okapi(chunks, k1=0.9, b=0.2)
        oracle.idf = {
            word: idf(len(chunks), sum(word in chunk for chunk in chunks))
            for word in "abcdefgh"
        }
        query = draw.sample("abcdefgh", 3)
        got = bm25(
            [of_words(chunks, word) for word in query],
            collection([len(chunk) for chunk in chunks]),
        )
        wanted = oracle.get_scores(query)
        assert got.ids.tolist() == (np.flatnonzero(wanted) + 1).tolist()
        assert got.scores == pytest.approx(wanted[got.ids - 1], abs=1e-6)


@dataclass
class Slow:
    """The formula, a chunk and a term at a time."""

    ids: list[int]
    lengths: list[int]
    notes: list[int]
    asks: list[bool] | None
    terms: list[list[tuple[int, int, float]]]
    formula: Formula
    context: Context | None

    def tf(self, term: int, place: int, column: int | None = None) -> float:
        weights = self.formula.weights
        return math.fsum(
            weights[col] * freq
            for chunk, col, freq in self.terms[term]
            if chunk == self.ids[place] and column in (None, col)
        )

    def lent(self, term: int, place: int) -> float:
        if self.context is None:
            return 0.0
        parts = []
        steps = [(-i, w) for i, w in enumerate(self.context.back, 1)]
        steps += [(i, w) for i, w in enumerate(self.context.ahead, 1)]
        for step, weight in steps:
            other = place + step
            if not 0 <= other < len(self.ids) or self.notes[other] != self.notes[place]:
                continue
            if self.ids[other] != self.ids[place] + step:
                continue
            states = self.asks is not None and not self.asks[other]
            share = self.context.statement if states and step == -1 else weight
            parts.append(share * self.tf(term, other, BODY))
        return math.fsum(parts)

    def answer(self) -> dict[int, tuple[float, float, float]]:
        size = len(self.ids)
        average = sum(self.lengths) / size
        k1, b = self.formula.k1, self.formula.b
        weights = [
            idf(size, sum(self.tf(t, p) > 0 for p in range(size)))
            for t in range(len(self.terms))
        ]
        found = {}
        for place in range(size):
            relative = self.lengths[place] / average if average else 1.0
            scores, held, reached = [], [], []
            for term, weight in enumerate(weights):
                own = self.tf(term, place)
                tf = own + self.lent(term, place)
                scores.append(
                    weight * (k1 + 1) * tf / (tf + k1 * (1 - b + b * relative))
                )
                held.append(weight * (own > 0))
                reached.append(weight * (tf > 0))
            if any(reached):
                whole = math.fsum(weights)
                found[self.ids[place]] = (
                    math.fsum(scores),
                    math.fsum(held) / whole,
                    math.fsum(reached) / whole,
                )
        return found


@st.composite
def situations(draw) -> Slow:
    gaps = draw(st.lists(st.sampled_from([1, 1, 1, 2, 5]), min_size=1, max_size=9))
    ids = np.cumsum(gaps).tolist()
    size = len(ids)
    some_id = st.sampled_from([*ids, ids[-1] + 1, 0])
    freq = st.sampled_from([1, 2, 3, 0.5])
    row = st.tuples(some_id, st.integers(0, 3), freq)
    known = st.lists(st.booleans(), min_size=size, max_size=size)
    return Slow(
        ids,
        draw(st.lists(st.integers(0, 40), min_size=size, max_size=size)),
        sorted(draw(st.lists(st.integers(1, 4), min_size=size, max_size=size))),
        draw(st.none() | known),
        draw(st.lists(st.lists(row, max_size=6), min_size=1, max_size=3)),
        draw(st.sampled_from([Formula(), Formula(1.2, 0.75, (1.0, 0.0, 3.0, 0.5))])),
        draw(st.sampled_from([None, Context(), Context(back=(0.5,), ahead=())])),
    )


def scored(slow: Slow, only: np.ndarray | None = None) -> Matches:
    chunks = Collection.of(
        np.array(slow.ids),
        np.array(slow.lengths),
        np.array(slow.notes),
        None if slow.asks is None else np.array(slow.asks),
    )
    # Each row its own alternative: joined, they must act as one term.
    terms = [Postings.joined([postings([row]) for row in rows]) for rows in slow.terms]
    return bm25(terms, chunks, formula=slow.formula, context=slow.context, only=only)


@given(situations())
def test_equals_the_formula_written_out(slow: Slow) -> None:
    got, wanted = scored(slow), slow.answer()
    assert got.ids.tolist() == sorted(wanted)
    rows = zip(got.scores, got.coverage, got.reach, strict=True)
    for chunk, row in zip(got.ids.tolist(), rows, strict=True):
        assert row == pytest.approx(wanted[chunk], abs=2e-6)
    parts = [term.of(got.ids) for term in got.terms]
    assert np.sum(parts, axis=0) == pytest.approx(got.scores, abs=2e-6)


@given(situations(), st.integers(0, 2**9 - 1))
def test_only_cuts_the_answer_and_nothing_else(slow: Slow, bits: int) -> None:
    mask = np.array([bool(bits >> i & 1) for i in range(len(slow.ids))])
    whole, cut = scored(slow), scored(slow, only=mask)
    allowed = set(np.array(slow.ids)[mask].tolist())
    kept = [i for i, chunk in enumerate(whole.ids.tolist()) if chunk in allowed]
    assert cut.ids.tolist() == whole.ids[kept].tolist()
    assert cut.scores.tolist() == whole.scores[kept].tolist()
    assert cut.coverage.tolist() == whole.coverage[kept].tolist()


def test_alternatives_count_as_one_term() -> None:
    chunks = collection([10, 10, 10, 10])
    forms = [postings([(1, BODY, 1)]), postings([(1, BODY, 1), (2, BODY, 2)])]
    got = bm25([Postings.joined(forms)], chunks)
    assert got.terms[0].df == 2
    assert got.scores[0] == got.scores[1]
    assert Postings.joined([]).chunk_ids.tolist() == []


def test_a_title_tells_more_than_a_heading_than_the_body() -> None:
    rows = [(1, BODY, 1), (2, HEADINGS, 1), (3, TITLE, 1)]
    scores = bm25([postings(rows)], collection([9, 9, 9])).scores.tolist()
    assert scores == sorted(scores)
    assert len(set(scores)) == 3


def test_context_stays_within_the_note() -> None:
    chunks = collection([8] * 7, notes=[1, 1, 1, 1, 1, 2, 3])
    got = bm25([postings([(2, BODY, 1)])], chunks, context=Context())
    assert got.ids.tolist() == [1, 2, 3, 4, 5]
    # Own first, then what follows it (.7), two on (.25), before it (.2), three on.
    assert got.ids[np.argsort(-got.scores)].tolist() == [2, 3, 4, 1, 5]
    assert got.coverage.tolist() == [0, 1, 0, 0, 0]
    assert got.reach.tolist() == [1] * 5


def test_standalone_notes_are_untouched_by_context() -> None:
    chunks = collection([5, 9, 4])
    term = postings([(1, BODY, 2), (3, BODY, 1)])
    plain, lent = bm25([term], chunks), bm25([term], chunks, context=Context())
    assert lent.ids.tolist() == plain.ids.tolist() == [1, 3]
    assert lent.scores.tolist() == plain.scores.tolist()


def test_titles_are_not_lent() -> None:
    chunks = collection([8] * 3, notes=[1, 1, 1])
    got = bm25([postings([(2, TITLE, 1)])], chunks, context=Context())
    assert got.ids.tolist() == [2]


def test_a_question_lends_more_to_its_answer() -> None:
    ids, lengths, notes = np.arange(1, 5), np.full(4, 8), np.array([1, 1, 2, 2])
    asks = np.array([True, False, False, False])
    chunks = Collection.of(ids, lengths, notes, asks)
    term = postings([(1, BODY, 1), (3, BODY, 1)])
    got = bm25([term], chunks, context=Context())
    answer, other = got.scores[got.ids == 2], got.scores[got.ids == 4]
    assert answer > other > 0


def test_unseen_terms_lower_the_coverage_by_the_most() -> None:
    chunks = collection([4, 4, 4])
    nothing = postings([])
    got = bm25([postings([(1, BODY, 1)]), nothing], chunks)
    assert got.terms[1].idf == idf(3, 0) == max(idf(3, df) for df in range(4))
    assert got.coverage[0] == pytest.approx(
        idf(3, 1) / (idf(3, 1) + idf(3, 0)), abs=1e-6
    )
    assert got.total_idf == pytest.approx(idf(3, 1) + idf(3, 0))


def test_nothing_in_nothing_out() -> None:
    nothing = np.empty(0, dtype=np.int64)
    empty = Collection.of(nothing, nothing, nothing)
    for chunks in (empty, collection([3, 3]), collection([0, 0])):
        for terms in ([], [postings([])], [postings([(77, BODY, 1)])]):
            got = bm25(terms, chunks, context=Context())
            assert got.ids.tolist() == got.scores.tolist() == []
            assert all(
                term.of(np.array([1, 2])).tolist() == [0, 0] for term in got.terms
            )


def test_no_score_is_negative_even_for_a_word_in_every_chunk() -> None:
    everywhere = postings([(i, BODY, 1) for i in range(1, 4)])
    assert (bm25([everywhere], collection([3, 3, 3])).scores > 0).all()


def test_a_collection_must_be_in_order() -> None:
    with pytest.raises(ValueError, match="rise"):
        Collection.of(np.array([2, 1]), np.array([1, 1]), np.array([1, 1]))
    with pytest.raises(ValueError, match="one length"):
        Collection.of(np.array([1, 2]), np.array([1]), np.array([1, 1]))


def test_a_long_chunk_takes_less_of_its_neighbours() -> None:
    held = [postings([(1, BODY, 1)])]
    brief = bm25(held, collection([50, 50], [1, 1]), context=Context())
    long = bm25(held, collection([200, 200], [1, 1]), context=Context())
    assert brief.ids.tolist() == long.ids.tolist() == [1, 2]
    assert long.scores[1] < brief.scores[1]
    assert long.scores[0] == brief.scores[0]
    assert brief.own.tolist() == [brief.scores[0], 0.0]


def test_flow_is_for_brief_chunks_in_a_row_under_one_heading() -> None:
    def flow(
        lengths: list[int], notes: list[int], continues: list[bool]
    ) -> list[float]:
        ids = np.arange(1, len(lengths) + 1)
        found = Collection.of(
            ids, np.array(lengths), np.array(notes), None, np.array(continues)
        )
        return [round(value, 6) for value in found.flow.tolist()]

    row = [False, True, True, True]
    assert flow([20] * 4, [1] * 4, row) == [0.75] * 4
    assert flow([200] * 4, [1] * 4, row) == [0.75 / 4] * 4
    assert flow([20] * 4, [1, 1, 2, 2], row) == [0.5] * 4
    assert flow([20] * 4, [1] * 4, [False] * 4) == [0.0] * 4
    assert flow([20] * 4, [1] * 4, [False, True, False, False]) == [0.5, 0.5, 0.0, 0.0]
    assert flow([], [], []) == []


def test_whole_notes_by_hand() -> None:
    found = whole_notes(
        [postings([(1, BODY, 2), (2, BODY, 1), (4, TITLE, 1)])],
        collection([10, 10, 20, 20], [1, 1, 2, 3]),
    )
    weight = idf(3, 1)
    score = weight * 2.2 * 3 / (3 + 1.2)
    assert found.scores == pytest.approx([score, score, 0, 0], abs=1e-6)
    assert found.share == pytest.approx([3 / 4.2, 3 / 4.2, 0, 0], abs=1e-6)
    assert whole_notes([], collection([])).scores.tolist() == []
    assert whole_notes([], collection([3])).share.tolist() == [0.0]
