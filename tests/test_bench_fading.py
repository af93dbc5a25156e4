"""The simulated year, scaled down: what has to hold on any of its nights."""

from __future__ import annotations

import json

import pytest

from bench import fading as bench
from bench.fading import draw, measure
from mindcache.digest.fading.strength import MOST_HOT, MOST_WARM


def test_a_year_is_the_same_for_a_seed() -> None:
    assert draw(40, 3, 9, 5) == draw(40, 3, 9, 5)
    assert draw(40, 3, 9, 5) != draw(40, 3, 9, 6)


def test_changes_are_counted_and_those_undone() -> None:
    nights = [frozenset(each) for each in ("ab", "ab", "bc", "abc", "abc", "bd")]
    # c comes; a goes and is back the next night, and gone again within two; c goes, d comes.
    assert bench._changes([frozenset(map(ord, n)) for n in nights]) == (6, 2)


def test_a_small_year_holds_what_the_whole_one_does(capsys) -> None:
    words = ["--days", "150", "--new", "6", "--recalls", "25", "--json"]
    assert bench.main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["days"], found["memories"]) == (150, 900)
    ways = {each["name"]: each for each in found["ways"]}
    ours = ways["mindcache"]
    assert 0 < ours["most_hot"] <= MOST_HOT
    assert 0 < ours["most_warm"] <= MOST_WARM
    assert ours["flapping"] < 0.01
    assert ours["faint_at_end"] > 0
    assert ours["changes_a_night"] < ways["ebbinghaus"]["changes_a_night"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_hardly_anything_goes_to_and_fro_in_a_year(seed) -> None:
    drawn = draw(365, 30, 80, seed)
    year = measure("mindcache", drawn, bench._ours(drawn))
    assert year.most_hot <= MOST_HOT
    assert year.most_warm <= MOST_WARM
    assert year.flapping < 0.001
    assert year.hot > 0.4
    assert year.near > 0.65
