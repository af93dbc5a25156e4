"""A slip in a rare word: what it is read as, when, and that the answer says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.recall import Ask, deep, exact
from mindcache.recall.spelling import is_slip

FILES = {
    "stack.md": "The service keeps its rows in postgres and speaks gRPC.",
    "garden.md": "The roses were cut in March, the hedge in May.",
    "mongo.md": "Mongo holds the events of the last week.",
    "people.md": "Marta brings the cake.",
}


@pytest.fixture
def corpus(make_vault, make_app):
    return make_app(make_vault(FILES)).corpus()


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("postgress", "postgres"),  # one too many
        ("typscript", "typescript"),  # one too few
        ("kubernates", "kubernetes"),  # another one
        ("typsecript", "typescript"),  # two that changed places
        ("mongod", "mongo"),
    ],
)
def test_one_slip_is_seen(word, other):
    assert is_slip(word, other)
    assert is_slip(other, word)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("postgres", "postgres"),
        ("mango", "mongo"),  # the beginning has to be right
        ("ostgres", "postgres"),
        ("postgrsse", "postgres"),  # two slips
        ("compoennts", "compose"),
    ],
)
def test_what_is_no_slip(word, other):
    assert not is_slip(word, other)
    assert not is_slip(other, word)


LETTERS = st.text("abcde", min_size=3, max_size=9)


def edits(word: str) -> set[str]:
    """Every word one slip away from this one, made the long way."""
    found = set()
    for at in range(2, len(word) + 1):
        found |= {word[:at] + c + word[at:] for c in "abcde"}
        if at < len(word):
            found.add(word[:at] + word[at + 1 :])
            found |= {word[:at] + c + word[at + 1 :] for c in "abcde"}
        if at + 1 < len(word):
            found.add(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    return found - {word}


@given(LETTERS, LETTERS)
def test_a_slip_is_what_one_edit_past_the_second_letter_makes(word, other):
    assert is_slip(word, other) == (word in edits(other))
    for near in edits(word):
        assert is_slip(near, word)


def test_a_word_that_stands_nowhere_is_read_as_the_nearest_and_said(corpus):
    found = deep(Ask("where does postgress keep rows"), corpus)
    assert found.hits[0].path == "stack.md"
    assert found.reason == "'postgress' stands nowhere here; read as 'postgres'"
    assert found.query == "where does postgress keep rows"


def test_exact_search_reads_it_alike_and_shows_the_word(corpus):
    found = exact(Ask("postgress"), corpus)
    assert [hit.path for hit in found.hits] == ["stack.md"]
    assert "postgres" in found.hits[0].snippet


@pytest.mark.parametrize(
    "text", ["mango", "roze", "may", "postgresql", "qqq", "the hedge in March"]
)
def test_words_that_are_known_short_or_like_nothing_are_left_alone(corpus, text):
    found = deep(Ask(text, floor=0.0), corpus)
    assert "read as" not in found.reason


def test_a_pasted_page_of_strange_words_costs_no_more_than_a_few(corpus):
    page = " ".join(f"postgres{chr(97 + n)}" for n in range(20))
    found = deep(Ask(page, floor=0.0), corpus)
    assert 1 <= found.reason.count("read as") <= 4
