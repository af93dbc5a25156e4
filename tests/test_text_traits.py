"""The traits of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.text import FORMS, TRAITS, traits_of


def trait(text: str, name: str, **how: bool) -> int:
    return traits_of(text, **how) >> TRAITS.index(name) & 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where was it?", 1),
        ("Where was it? (a photo of a boat)", 1),
        ('She said "where?"', 1),
        ("在哪里？", 1),
        ("Where? There.", 0),
        ("(What?)", 1),
        ("", 0),
    ],
)
def test_asks(text, expected):
    assert trait(text, "asks") == expected


@pytest.mark.parametrize(
    "text",
    [
        "We met yesterday.",
        "It broke last week, twice.",
        "Two weeks ago it rained.",
        "In May we sail.",
        "On 7 May we sail.",
        "May 7, a fine day",
        "Since 2019 it stands.",
        "due 2026-03-01",
        "See you on Friday!",
        "It took three months.",
    ],
)
def test_a_text_that_says_when_is_dated(text):
    assert trait(text, "dated") == 1


@pytest.mark.parametrize(
    "text", ["We may sail.", "A march to the hall.", "Version 2.0", "It is good.", ""]
)
def test_a_text_that_does_not_is_not(text):
    assert trait(text, "dated") == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann: we met Bob there", 1),
        ("from Faro, in May", 1),
        ("seen with (Aunt) Maria", 1),
        ("Hey Ann, good to see you. Great!", 0),
        ("so long, Ann!", 0),
        ("We sail in May or on Friday", 0),
        ("we use SQL there", 0),  # no more a name than a shout is
    ],
)
def test_a_name_is_a_capital_within_a_sentence(text, expected):
    assert trait(text, "names") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('I read "Nothing is Impossible" twice', 1),
        ("I read “Nothing is Impossible” twice", 1),
        ('five inches: 5"', 0),
        ('"no"', 0),
        ('"' + "long " * 20 + '"', 0),
    ],
)
def test_a_title_stands_in_quotes(text, expected):
    assert trait(text, "titled") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("for 3 years", 1), ("Twice, I think.", 1), ("all those weeks", 1), ("never", 0)],
)
def test_amounts(text, expected):
    assert trait(text, "amounts") == expected


def test_continues_is_as_it_is_told():
    assert trait("a", "continues") == 0
    assert trait("a", "continues", continues=True) == 1


@given(st.text(max_size=200), st.booleans())
def test_any_text_has_traits_within_their_bits(text, continues):
    bits = traits_of(text, continues=continues)
    assert 0 <= bits < 1 << len(TRAITS)
    assert bits == traits_of(text, continues=continues)


@pytest.mark.parametrize("piece", ["a", " ", '"', "(", ")", "?", "A ", "ed "])
def test_a_huge_text_is_read_in_time(piece):
    assert traits_of(piece * (900_000 // len(piece))) >= 0


def test_forms_are_mutual():
    assert "went" in FORMS["go"]
    for word, others in FORMS.items():
        assert word not in others
        assert all(word in FORMS[other] for other in others)
