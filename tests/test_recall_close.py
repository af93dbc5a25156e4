"""The signals that take a close look at few candidates."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindcache.cache.read import ChunkRow
from mindcache.recall.close import Candidate, foremost
from mindcache.recall.score import Signals, Weights

WEIGHTS = Weights(0.0, {"words": 1.0}, 0.0)


def candidates(*paths: str) -> list[Candidate]:
    return [
        Candidate(ChunkRow(at, at, at, "", "", 1, 1, "text"), path)
        for at, path in enumerate(paths)
    ]


def shares(paths: list[str], words: list[float]) -> list[float]:
    signals = Signals({"words": np.array(words)})
    return foremost(candidates(*paths), signals, WEIGHTS).tolist()


def test_every_passage_counts_by_the_best_of_its_note():
    found = shares(["b", "a", "b", "c", "a"], [0.1, 0.5, 0.9, 0.4, 0.2])
    assert found == [1.0, 1 / 2, 1.0, 1 / 3, 1 / 2]


def test_among_equals_the_order_is_that_of_paths():
    assert shares(["b", "a"], [0.5, 0.5]) == [1 / 2, 1.0]
    assert shares([], []) == []


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 1)), min_size=1))
def test_the_best_passage_is_of_the_foremost_note_and_no_note_is_torn(pairs):
    paths, words = [p for p, _ in pairs], [w for _, w in pairs]
    found = shares(paths, words)
    assert max(found) == 1.0
    odds = Signals({"words": np.array(words)}).log_odds(WEIGHTS)
    assert any(s == 1.0 for s, o in zip(found, odds, strict=True) if o == odds.max())
    assert len(set(zip(paths, found, strict=True))) == len(set(paths))
