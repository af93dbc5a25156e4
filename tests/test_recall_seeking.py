"""What sort of thing a question asks for, and the texts that hold one."""

from __future__ import annotations

import pytest

from mindcache.recall import Ask, deep
from mindcache.recall.seeking import fitting, sought
from mindcache.text import TRAITS

NAMED = ("names",)
CALLED = ("names", "titled")


@pytest.mark.parametrize(
    ("question", "traits"),
    [
        ("Who helped Ann?", NAMED),
        ("To whom did she write?", NAMED),
        ("Where has Ann camped?", NAMED),
        ("Which cities has Ann seen?", NAMED),
        ("In what European countries was she?", NAMED),
        ("Which song keeps her going?", CALLED),
        ("What is her dog called?", CALLED),
        ("How long did it take?", ("amounts",)),
        ("How often does she swim?", ("amounts",)),
        ("How many books did she read, and where?", CALLED),
    ],
)
def test_what_a_question_asks_for(question, traits):
    assert sought(question) == traits


@pytest.mark.parametrize(
    "question",
    [
        "",
        "the person who helped",
        "somewhere in the cities",
        "What activities does she like?",
        "What happened to the team?",
        "What did she do to show that the book was good?",
        "ask for whom it may concern",
    ],
)
def test_what_asks_for_nothing_of_a_known_kind(question):
    assert sought(question) == ()


def test_what_is_sought_are_traits():
    for question in ("who", "where", "which name", "how long"):
        assert set(sought(question)) <= set(TRAITS)


def test_a_text_that_names_such_a_thing_comes_first(make_vault, make_app):
    vault = make_vault(
        {
            "Monday.md": "She swam all day long in the lake at the old house there.",
            "Sunday.md": "She swam all day long in the lake at old Bergen there.",
        }
    )
    corpus = make_app(vault).corpus()
    found = deep(Ask("Where has she swum all day long in the lake?"), corpus)
    assert found.hits[0].path == "Sunday.md"
    assert "fits" in {why.signal for why in found.hits[0].why}
    assert "fits" not in {why.signal for why in found.hits[1].why}
    plain = deep(Ask("Has she swum all day long in the lake?"), corpus)
    assert len(plain.hits) == 2
    assert all(why.signal != "fits" for hit in plain.hits for why in hit.why)


def test_the_rarer_such_a_thing_is_the_more_it_tells(make_vault, make_app):
    texts = ["We met in Bergen.", "It rained.", "It rained again.", "She left."]
    corpus = make_app(make_vault({f"{n}.md": t for n, t in enumerate(texts)})).corpus()
    assert fitting(corpus, ("names",)).tolist() == [0.75, 0.0, 0.0, 0.0]
    assert fitting(corpus, ("amounts", "names", "titled")).tolist()[0] == 0.75
    assert not fitting(corpus, ()).any()


def test_what_all_have_tells_nothing(make_vault, make_app):
    corpus = make_app(make_vault({"a.md": "We met in Bergen."}), "all").corpus()
    assert fitting(corpus, ("names",)).tolist() == [0.0]


def test_an_empty_vault_has_nothing_that_fits(make_vault, make_app):
    corpus = make_app(make_vault({})).corpus()
    assert len(fitting(corpus, ("names",))) == 0
