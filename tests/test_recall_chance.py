"""What a topic's score is made of: how much its signals count, and its rivals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.recall.chance import TOPICS, Scale

odds = st.lists(st.floats(-8, 12), min_size=1, max_size=20)


@given(odds)
def test_scores_are_chances_in_the_order_of_their_odds(found) -> None:
    scores = TOPICS.scale.scores(np.array(found))
    assert ((scores >= 0) & (scores <= 1)).all()
    for one, mine in zip(found, scores, strict=True):
        for other, yours in zip(found, scores, strict=True):
            if one > other:
                assert mine >= yours - 1e-6


@given(odds, st.floats(0, 12))
def test_a_rival_makes_less_likely_that_another_is_meant(found, rival) -> None:
    alone = TOPICS.scale.scores(np.array(found))
    beside = TOPICS.scale.scores(np.array([*found, rival]))
    assert (beside[:-1] <= alone + 1e-6).all()


def test_parts_by_hand() -> None:
    parts = Scale.parts(np.array([0.0, -2.0]))
    assert parts[0].tolist() == [0.0, -2.0]
    assert parts[1].tolist() == [1.0, 0.0]
    assert parts[2] == pytest.approx(np.log1p([np.exp(-2.0), 1.0]))
    scores = Scale(0.5, 1.0, 0.0, 0.0).scores(np.array([0.0]))
    assert scores.tolist() == [pytest.approx(1 / (1 + np.exp(-0.5)), abs=1e-6)]
