"""The arithmetic of scores: sums, their logistic, and their reasons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.index import lexical
from mindcache.recall.score import (
    DEEP,
    LEXICAL,
    MEANINGS,
    SEMANTIC,
    Signals,
    Weights,
    lexical_signals,
    logistic,
    semantic_signals,
)

IDS = np.array([3, 4, 5, 6, 9])


def collection() -> lexical.Collection:
    return lexical.Collection.of(IDS, np.full(5, 20), np.array([1, 1, 1, 2, 2]))


def postings(*pairs: tuple[int, int]) -> lexical.Postings:
    ids, columns = zip(*pairs, strict=True) if pairs else ((), ())
    return lexical.Postings(
        np.array(ids, dtype=np.int64), np.array(columns, dtype=np.intp)
    )


@pytest.mark.parametrize("weights", [DEEP, LEXICAL, SEMANTIC])
def test_each_weighted_signal_says_what_it_means(weights):
    assert set(weights.of) <= set(MEANINGS)
    assert 0.0 <= weights.floor < 0.1
    against = {name for name, weight in weights.of.items() if weight < 0}
    assert against <= {"asks", "expired"}


@pytest.mark.parametrize("weights", [DEEP, LEXICAL, SEMANTIC])
def test_being_the_best_of_bad_candidates_is_not_convincing(weights):
    relative = {"best_words", "best_meaning", "length"}
    best = math.fsum(weights.of.get(name, 0.0) for name in relative)
    assert logistic(weights.intercept + best) < 0.025


def test_log_odds_are_the_weighted_sum_of_what_is_there():
    signals = Signals({"words": np.array([0.5, 1.0]), "other": np.array([9.0, 9.0])})
    weights = Weights(-1.0, {"words": 2.0, "literal": 5.0}, 0.0)
    assert signals.log_odds(weights).tolist() == [0.0, 1.0]


def test_reasons_are_the_parts_of_the_sum_strongest_first():
    signals = Signals(
        {"words": np.array([0.5]), "expired": np.array([1.0]), "links": np.array([0.0])}
    )
    why = signals.why(
        0, Weights(-1.0, {"words": 1.0, "expired": -2.0, "links": 1.0}, 0)
    )
    assert [(w.signal, w.value) for w in why] == [("expired", -2.0), ("words", 0.5)]
    assert why[1].detail == f"{MEANINGS['words']}: 0.50"


@given(st.floats(-40, 40), st.floats(-40, 40))
def test_the_logistic_rises_and_stays_a_probability(a, b):
    low, high = sorted((a, b))
    assert 0.0 <= logistic(low) <= logistic(high) <= 1.0
    assert logistic(0.0) == 0.5


def test_signals_of_words_by_hand():
    terms = [
        postings((3, lexical.BODY), (4, lexical.BODY), (4, lexical.TITLE)),
        postings((4, lexical.BODY)),
        postings(),
    ]
    matches = lexical.bm25(terms, collection())
    signals = lexical_signals(matches, terms, IDS).of
    first, second, unseen = (term.idf for term in matches.terms)
    whole = first + second + unseen
    assert signals["matches"].tolist() == [0.2, 0.4, 0.0, 0.0, 0.0]
    assert signals["titled"] == pytest.approx([0, first / whole, 0, 0, 0])
    assert signals["known"] == pytest.approx([(first + second) / whole] * 5)
    assert signals["best_words"][1] == 1.0
    assert signals["best_words"][2:].tolist() == [0.0, 0.0, 0.0]
    assert 0 < signals["words"][0] < signals["words"][1] < 1


def test_context_shows_in_reach_but_not_in_coverage():
    terms = [postings((4, lexical.BODY))]
    matches = lexical.bm25(terms, collection(), context=lexical.Context())
    signals = lexical_signals(matches, terms, IDS).of
    assert signals["coverage"].tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert signals["reach"].tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert signals["matches"].tolist() == [0.0, 0.2, 0.0, 0.0, 0.0]


def test_words_that_match_nothing_give_zeros():
    for terms in ([], [postings()]):
        signals = lexical_signals(lexical.bm25(terms, collection()), terms, IDS).of
        assert all(not values.any() for values in signals.values())


def test_signals_of_meaning_lie_between_the_extremes_of_what_is_allowed():
    cosines = np.array([-0.2, 0.1, 0.3, 0.5, 0.9])
    lengths = np.array([0.0, 10, 100, 250, 5_000])
    whole = semantic_signals(cosines, lengths, None).of
    assert whole["best_meaning"][[0, 4]].tolist() == [0.0, 1.0]
    assert whole["meaning"].tolist() == [0.0, 0.1, 0.3, 0.5, 0.9]
    assert whole["length"][0] == 0.0
    assert whole["length"][3:] == pytest.approx([1.0, 1.0], abs=1e-3)
    few = semantic_signals(cosines, lengths, np.array([False, True, True, True, False]))
    assert few.of["best_meaning"].tolist() == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])


@pytest.mark.parametrize("cosines", [[0.4], [0.4, 0.4]])
def test_where_all_are_equally_near_each_is_the_nearest(cosines):
    signals = semantic_signals(np.array(cosines), np.ones(len(cosines)), None)
    assert signals.of["best_meaning"].tolist() == [1.0] * len(cosines)
