"""The arithmetic of scores: sums, their outlook, their logistic, their reasons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.recall.score import (
    DEEP,
    FITTED,
    LEXICAL,
    MEANINGS,
    SEMANTIC,
    Outlook,
    Signals,
    Weights,
    logistic,
    share_odds,
)

AGAINST = {"asks", "expired", "again", "several"}


@pytest.mark.parametrize("weights", [DEEP, LEXICAL, SEMANTIC])
def test_each_weighted_signal_says_what_it_means(weights):
    assert set(weights.of) <= set(MEANINGS)
    assert 0.0 <= weights.floor < 0.1
    assert {name for name, weight in weights.of.items() if weight < 0} <= AGAINST


@pytest.mark.parametrize("weights", [LEXICAL, SEMANTIC])
def test_being_the_best_of_bad_candidates_is_not_convincing(weights):
    relative = {"best_words", "best_meaning", "length"}
    best = math.fsum(weights.of.get(name, 0.0) for name in relative)
    assert logistic(weights.intercept + best) < 0.025


def prospects(**best: float) -> Signals:
    """Ten candidates, the first of which has these signals."""
    row = np.zeros(10)
    row[0] = 1.0
    return Signals({name: row * best.get(name, 0.0) for name in MEANINGS})


def test_what_is_shipped_is_on_the_scale_of_its_outlook():
    assert DEEP.intercept == 0.0
    assert DEEP.outlook is not None
    assert DEEP.outlook.sharpness > 0
    # A text that is half of all there is, in a vault that surely answers.
    assert logistic(DEEP.outlook.intercept) == pytest.approx(0.5, abs=0.1)


def test_in_a_deep_recall_neither_is_it():
    signals = prospects(best_words=1, best_meaning=1, best_around=1, best_note=1)
    odds = signals.log_odds(DEEP)[0] + signals.outlook(DEEP)[0]
    assert logistic(odds) < DEEP.floor


def test_what_fits_in_every_way_is_convincing():
    names = FITTED & set(DEEP.of) - AGAINST
    signals = prospects(
        **dict.fromkeys(names, 0.8), known=1, coverage=1, matches=1, meaning=0.8
    )
    odds = signals.log_odds(DEEP)[0] + signals.outlook(DEEP)[0]
    assert logistic(odds) > 0.5


def outlook(doubt: float) -> Weights:
    look = Outlook(2.0, 0.5, doubt, {"words": 3.0}, 0.1, -1.0)
    return Weights(0.0, {"words": 1.0, "named": 4.0, "expired": -9.0}, 0.0, look)


def test_the_outlook_puts_a_share_in_the_place_of_a_sum():
    signals = Signals(
        {
            "words": np.array([0.5, 1.0, 0.25]),
            "named": np.array([0.0, 0.0, 0.25]),
            "expired": np.array([1.0, 1.0, 0.0]),
        }
    )
    sums = [0.5, 1.0, 1.25]
    odds = [math.exp(2.0 * each) for each in sums]
    shares = [each / sum(odds) for each in odds]
    chances = [0.5 * math.log(each / (1 - each)) + 0.5 for each in shares]
    parts = [chance - each for chance, each in zip(chances, sums, strict=True)]
    assert signals.outlook(outlook(0)).tolist() == pytest.approx(parts, abs=1e-5)
    doubt = math.log(1 + math.exp(-(-1.0 + 3.0 * 1.0 + 0.1 * 1.0)))
    parts = [part - doubt for part in parts]
    assert signals.outlook(outlook(-1)).tolist() == pytest.approx(parts, abs=1e-5)


def test_the_outlook_of_nothing_is_nothing():
    assert Signals({"words": np.zeros(0)}).outlook(outlook(1)).tolist() == []
    nothing = Signals({"words": np.ones(2)}).outlook(Weights(0, {"words": 1.0}, 0))
    assert nothing.tolist() == [0.0, 0.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(-1e3, 1e3))
def test_the_outlook_is_finite_and_keeps_the_order_whatever_the_sums_are(
    words, unsigned
):
    look = Outlook(50.0, 0.0, -1.0, {"words": 500.0}, 9.0, unsigned)
    weights = Weights(0.0, {"words": 9.0}, 0.0, look)
    signals = Signals({"words": np.array(words)})
    chances = signals.log_odds(weights) + signals.outlook(weights)
    assert np.isfinite(chances).all()
    order = np.argsort(words, kind="stable")
    assert (np.diff(chances[order]) > -1e-5).all()


def test_nobody_is_surer_than_98_percent_by_being_alone():
    alone = Signals({"words": np.array([0.0])})
    assert share_odds(np.array([7.0])).tolist() == [4.0]
    assert alone.outlook(outlook(0)).tolist() == [2.5]


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
