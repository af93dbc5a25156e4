"""Names in questions, notes that hold now, pinned ones, and who succeeds whom."""

from __future__ import annotations

from datetime import datetime

import pytest

from mindcache.recall import Ask, Corpus, Filters, Recall, deep, exact

NOW = datetime(2026, 11, 30, 12, 0)  # noqa: DTZ001  civil time

FILES = {
    "kubernetes.md": "---\naliases: [k8s, kube]\n---\nServices are deployed with Helm.",
    "error handling.md": "---\naliases: [exceptions]\n---\nErrors are returned.",
    "Dana Fox.md": "---\ntype: entity\n---\nLeads the platform team.",
    "auth needs redis.md": (
        '---\naliases: [session backend]\ninvolves:\n  - "[[redis]]"\n---\n'
        "Sessions are kept there; when it is down nobody gets in."
    ),
    "redis.md": "A cache on one node.",
    "C++.md": "Only in the codec.",
    "The.md": "A note with a stop word for a name.",
    "biome.md": "---\npinned: true\n---\nBiome checks and formats the code.",
    "eslint.md": '---\nsuperseded_by: "[[biome]]"\n---\nESLint checks the code.',
    "tslint.md": '---\nsuperseded_by: "[[eslint]]"\n---\nTSLint checks the code.',
    "old rate.md": "---\nvalid_until: 2026-01-01\n---\nThe rate is 90 an hour.",
    "next rate.md": "---\nvalid_from: 2027-01-01\n---\nThe rate is 120 an hour.",
    "rate.md": "---\nvalid_from: 2026-01-01\n---\nThe rate is 100 an hour.",
}


@pytest.fixture
def corpus(make_vault, make_app) -> Corpus:
    return make_app(make_vault(FILES)).corpus()


def paths(found: Recall) -> list[str]:
    return [hit.path for hit in found.hits]


def named(corpus: Corpus, text: str) -> set[str]:
    ask = Ask(text, Filters(named=True), limit=50, floor=0.0, now=NOW)
    return set(paths(deep(ask, corpus)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what's my k8s deploy story?", {"kubernetes.md"}),
        ("KUBE, please", {"kubernetes.md"}),
        ("does Kubernetes' scheduler throw exceptions?",
         {"kubernetes.md", "error handling.md"}),
        ("what is Dana Fox's team?", {"Dana Fox.md"}),
        ("who is Dana?", set()),
        ("is it written in C++?", {"C++.md"}),
        ("the other day", set()),
        ("[[kubernetes]] and its pods", {"kubernetes.md"}),
        ("kubernates pods", {"kubernetes.md"}),
        ("how is the session backend run?", {"auth needs redis.md", "redis.md"}),
        ("what is redis for?", {"redis.md"}),
        ("the move off TSLint", {"biome.md"}),
        ("nothing of this", set()),
    ],
)  # fmt: skip
def test_a_note_is_named_by_its_whole_name_or_alias(corpus, text, expected):
    assert named(corpus, text) == expected


def test_an_empty_answer_says_that_nothing_is_named(corpus):
    found = deep(Ask("nothing of this", Filters(named=True)), corpus)
    assert "called by a name" in found.reason


def test_an_alias_within_a_question_comes_first_in_plain_recall(corpus):
    assert paths(deep(Ask("what about kube these days?"), corpus))[0] == "kubernetes.md"


def test_pinned_notes_alone(corpus):
    only = Filters(pinned=True)
    assert paths(deep(Ask("", only), corpus)) == ["biome.md"]
    assert paths(deep(Ask("checks", only), corpus)) == ["biome.md"]


def test_current_leaves_out_what_is_superseded_over_or_yet_to_come(corpus):
    found = deep(Ask("", Filters(current=True), limit=50, now=NOW), corpus)
    gone = set(FILES) - set(paths(found))
    assert gone == {"eslint.md", "tslint.md", "old rate.md", "next rate.md"}


@pytest.mark.parametrize("text", ["TSLint checks the code", "tslint", "ESLint"])
def test_the_note_that_holds_comes_before_those_that_it_superseded(corpus, text):
    order = paths(deep(Ask(text, now=NOW, floor=0.0), corpus))
    assert order[0] == "biome.md"
    assert "tslint.md" in order
    assert "eslint.md" in order


def test_the_reason_for_it_is_given(corpus):
    best = deep(Ask("tslint", now=NOW), corpus).hits[0]
    assert "successor" in {why.signal for why in best.why}


def test_a_filter_holds_for_the_successor_too(corpus):
    ask = Ask("tslint", Filters(titles=("tslint",)), now=NOW)
    assert paths(deep(ask, corpus)) == ["tslint.md"]


def test_exact_search_shows_only_what_holds_the_words(corpus):
    assert paths(exact(Ask("TSLint", now=NOW), corpus)) == ["tslint.md"]


def test_notes_that_supersede_each_other_in_a_circle_supersede_nothing(
    make_vault, make_app
):
    files = {
        "a.md": '---\nsuperseded_by: "[[b]]"\n---\nTea at four.',
        "b.md": '---\nsuperseded_by: "[[a]]"\n---\nTea at five.',
        "c.md": '---\nsuperseded_by: "[[nowhere]]"\n---\nTea at six.',
    }
    corpus = make_app(make_vault(files)).corpus()
    found = deep(Ask("tea at six", floor=0.0, now=NOW), corpus)
    assert paths(found)[0] == "c.md"
    assert set(paths(found)) == set(files)
