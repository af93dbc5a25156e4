"""How far a note is to be believed: reckoned from its sources and what contradicts it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.recall.belief import believed
from tests.test_digest_consolidate import fact
from tests.test_write_moving import play

shares = st.floats(0, 1)


@pytest.mark.parametrize(
    ("base", "further", "is_contradicted", "value"),
    [
        (0.5, [], False, 0.5),
        (0.5, [0.5], False, 0.75),
        (0.6, [0.5, 0.5], False, 0.9),
        (0.5, [0.5], True, 0.375),
        (1.0, [0.2], True, 0.5),
    ],
)
def test_each_source_adds_and_a_contradiction_halves(
    base: float, further: list[float], is_contradicted: bool, value: float
) -> None:
    assert believed(base, further, is_contradicted=is_contradicted) == value


@given(shares, st.lists(shares, max_size=5))
def test_a_source_never_takes_away(base: float, further: list[float]) -> None:
    value = believed(base, further, is_contradicted=False)
    assert round(base, 3) <= value <= 1.0
    assert believed(base, further, is_contradicted=True) <= value
    assert value == believed(base, further[::-1], is_contradicted=False)


def test_show_tells_it_and_writes_nothing(make_vault) -> None:
    derived = "confidence: 0.6\nderived_from:\n  - '[[talk]]'\n  - '[[mail]]'\n"
    root = make_vault(
        {
            "memory/a.md": fact(1, "The kiln is at 900 degrees.", more=derived),
            "memory/b.md": fact(
                2, "The kiln is cold.", more="contradicts:\n  - '[[a]]'\n"
            ),
            "talk.md": "We spoke of the kiln.\n",
            "mail.md": "A letter about the kiln.\n",
        }
    )
    before = (root / "memory" / "a.md").read_bytes()
    shape = json.loads(play(root, "show", "memory/a.md", "--json")[1])
    assert shape["belief"] == {
        "value": 0.4,
        "base": 0.6,
        "sources": 2,
        "contradicted_by": ["memory/b.md"],
    }
    out = play(root, "show", "memory/a.md")[1]
    assert "0.4 (2 sources, contradicted by memory/b.md)" in out
    assert json.loads(play(root, "show", "talk.md", "--json")[1])["belief"] is None
    assert play(root, "retire", "memory/b.md")[0] == 0
    settled = json.loads(play(root, "show", "memory/a.md", "--json")[1])["belief"]
    assert (settled["value"], settled["contradicted_by"]) == (0.8, [])
    assert (root / "memory" / "a.md").read_bytes() == before
