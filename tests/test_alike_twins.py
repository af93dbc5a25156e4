"""When two texts say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.alike import same_name, twin
from mindcache.text import analyze

OFFICE = "The harbour office closes at three on Fridays."


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (OFFICE, "the harbour office CLOSES at three, on fridays"),
        ("Le café ouvre à midi", "le cafe ouvre a midi"),
        ("e\u0301te\u0301 chaud", "été chaud"),
        ("合約將於三月到期。", "合約將於三月到期"),
    ],
)
def test_the_very_same(new: str, old: str) -> None:
    assert twin(new, old, 0.0) == "same"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (OFFICE, "Harbour office closes at three on Fridays, always."),
        ("The bilge pump needs a new filter", "The bilge pump needs new filters"),
        ("合約將於三月到期，需要續約", "合約將於三月到期需續約"),
        (
            "The bilge pump of the second boat needs a new filter before summer",
            "The bilge pump of the second boat needs a new fliter before summer",
        ),
    ],
)
def test_nearly_the_same(new: str, old: str) -> None:
    assert twin(new, old, 0.95) == "near"
    assert twin(new, old, 0.5) == ""


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("A berth costs 12 EUR a month", "A berth costs 14 EUR a month"),
        (OFFICE, OFFICE.replace("Fridays", "Mondays")),
        ("The crane is broken", "The crane is not broken"),
        ("Der Kran ist kaputt", "Der Kran ist nicht kaputt"),
        ("合約將於三月到期", "合約將於四月到期"),
        ("他會來", "他不會來"),
        ("We met on 3 May", "We met on 4 May"),
        ("Acme sued Beta over it", "Beta sued Acme over it"),
        ("Ida likes green tea very much", "Ida likes black tea very much"),
        ("He is turning on the pump", "He is turning off the pump"),
        ("C++", "C"),
        ("It is -5", "It is 5"),
    ],
)
def test_another_number_date_negation_role_or_word_is_another_fact(
    new: str, old: str
) -> None:
    assert twin(new, old, 1.0) == ""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Site Roadmap", "site-roadmap", True),
        ("Site Roadmap", "site_roadmap", True),
        ("Café", "cafe\u0301", True),
        ("C++", "C", False),
        ("C#", "C", False),
        ("Roadmap 1", "Roadmap 2", False),
        ("", "", False),
        ("---", "-", False),
    ],
)
def test_same_name(one: str, other: str, same: bool) -> None:
    assert same_name(one, other) is same


@given(st.text(max_size=80), st.text(max_size=80), st.floats(0, 1))
def test_the_verdict_needs_no_order(one: str, other: str, cosine: float) -> None:
    verdict = twin(one, other, cosine)
    assert (verdict == "same") == (twin(other, one, cosine) == "same")
    assert twin(one, one, cosine) == ("same" if analyze(one, "en") else "")
