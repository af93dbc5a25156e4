"""What recall promises, on small vaults through the real App and model."""

from __future__ import annotations

import math
import os
import string
import tomllib
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.app import App
from mindcache.errors import UsageError
from mindcache.recall import Ask, Corpus, Filters, Recall, deep, exact, semantic

ROOT = Path(__file__).parents[1]
SEARCHES = [exact, semantic, deep]
names = pytest.mark.parametrize("search", SEARCHES, ids=lambda s: s.__name__)

# Each literal stands in one note; others hold its parts, or lie near in meaning.
LITERALS = {
    "pre-edit": "The pre-edit hook runs before a file is saved.",
    "BENCH-100821": "Ticket BENCH-100821 asks for a faster start.",
    "don't": "Please don't deploy on Fridays.",
    "GB/s": "The disk array reads 3 GB/s in the lab.",
    "grammar::fa": "The module grammar::fa builds finite automata.",
    "blah=": "Set blah=1 in the environment of the worker.",
    "2026.4.10": "Release 2026.4.10 mended the login page.",
    "1.0.21": "Version 1.0.21 of the client can't be installed.",
}
DISTRACTORS = [
    "We edit the draft first, and a pre study follows.",
    "The bench in the garden was painted green.",
    "A don is a professor; the letter t is the twentieth.",
    "The file has 12 GB and s stands for second.",
    "Grammar is taught in school, fa comes after mi.",
    "He talked on and on, blah and blah.",
    "In April 2026 the tenth of the month was a Friday.",
    "Chapter 1 has 21 pages and 0 pictures.",
]


def files_of_literals() -> dict[str, str]:
    files = {f"literal {i}.md": text for i, text in enumerate(LITERALS.values())}
    return files | {f"other {i}.md": text for i, text in enumerate(DISTRACTORS)}


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def corpus_of(make_vault, make_app):
    """The corpus of a vault of these files."""
    return lambda files: make_app(make_vault(files)).corpus()


@pytest.fixture(scope="module")
def literals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    root = tmp_path_factory.mktemp("literals")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINDCACHE_CONFIG_DIR", str(root / "config"))
        vault = write(root / "vault", files_of_literals())
        app = App(str(vault), str(root / "cache"))
        yield app.corpus()
        app.close()


@pytest.fixture(scope="module")
def consultant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    root = tmp_path_factory.mktemp("consultant")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINDCACHE_CONFIG_DIR", str(root / "config"))
        app = App(str(ROOT / "examples" / "consultant"), str(root / "cache"))
        yield app.corpus()
        app.close()


def paths(answer: Recall) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in answer.hits))


# -- what people type ----------------------------------------------------------


@pytest.mark.parametrize("text", LITERALS)
@pytest.mark.parametrize("search", [exact, deep], ids=["exact", "deep"])
def test_a_literal_is_found_and_first(literals, search, text):
    expected = f"literal {list(LITERALS).index(text)}.md"
    assert paths(search(Ask(text), literals))[:1] == [expected]


@pytest.mark.parametrize("text", ["2026.4.10", "1.0.21"])
@pytest.mark.parametrize("search", SEARCHES, ids=lambda s: s.__name__)
def test_a_version_is_found_in_quotes_too_and_alone(literals, search, text):
    expected = f"literal {list(LITERALS).index(text)}.md"
    assert paths(search(Ask(f'"{text}"', floor=0.0), literals)) == [expected]


@pytest.mark.parametrize(
    "text",
    ['"', "(", "*", "AND", "NEAR(", "NOT", "^a", "body:x", "-", '""', "'", "?", "\0"],
)
@names
def test_syntax_of_a_query_language_is_only_text(literals, search, text):
    answer = search(Ask(text), literals)
    assert answer.hits or answer.reason


@pytest.mark.parametrize("text", ["", "   ", "\n"])
@names
def test_an_empty_question_without_filters_says_so(literals, search, text):
    answer = search(Ask(text), literals)
    assert answer.hits == ()
    assert answer.reason == "no question and no filter was given"


@pytest.mark.parametrize(
    "text",
    ["a" * 10_000, "pre-edit " * 1_200, "(" * 10_000, '"' * 10_000, "語" * 10_000],
)
@names
def test_ten_thousand_characters_are_answered(literals, search, text):
    assert search(Ask(text), literals).query == text


@given(
    st.one_of(
        st.text(max_size=60),
        st.text(alphabet=string.punctuation + ' aé語\u0000\u200d"', max_size=40),
        st.lists(st.sampled_from([*LITERALS, '"', "(", "AND", "*"])).map(" ".join),
    )
)
def test_no_question_raises(literals, text):
    for search in SEARCHES:
        answer = search(Ask(text), literals)
        assert all(0.0 <= hit.score <= 1.0 and hit.why for hit in answer.hits)
        assert answer.hits or answer.reason


# -- order, floor, reasons -------------------------------------------------------


@names
def test_hits_go_by_score_and_the_answer_names_that_order(consultant, search):
    answer = search(Ask("pricing for Halden", floor=0.0, limit=30), consultant)
    scores = [hit.score for hit in answer.hits]
    assert answer.order == "score"
    assert len(scores) > 5
    assert scores == sorted(scores, reverse=True)


@names
def test_every_hit_has_reasons_that_add_up_to_its_score(consultant, search):
    answer = search(Ask("which days does Gaz not work?"), consultant)
    assert answer.hits
    for hit in answer.hits:
        parts = [abs(why.value) for why in hit.why]
        assert parts == sorted(parts, reverse=True)
        assert all(why.detail for why in hit.why)
    odds = [math.log(hit.score / (1 - hit.score)) for hit in answer.hits]
    sums = [math.fsum(why.value for why in hit.why) for hit in answer.hits]
    intercepts = [a - b for a, b in zip(odds, sums, strict=True)]
    assert max(intercepts) - min(intercepts) < 0.02


@names
def test_what_is_under_the_floor_is_counted_and_shown_on_request(consultant, search):
    question = "pricing for Halden"
    strict = search(Ask(question, floor=0.999), consultant)
    assert strict.hits == ()
    assert strict.below_floor > 0
    assert strict.best_rejected is not None
    assert strict.reason
    wide = search(Ask(question, floor=0.0), consultant)
    assert wide.hits[0].score == strict.best_rejected
    assert wide.below_floor == 0


@pytest.mark.parametrize(
    "text",
    [
        "zxqv blorptang",
        "flurbish gnomon krestle",
        "photosynthesis in C4 plants",
        "how tall is mount kilimanjaro",
        "recipe for bouillabaisse with saffron",
    ],
)
def test_what_nothing_answers_gives_nothing(consultant, text):
    answer = deep(Ask(text), consultant)
    assert answer.hits == ()
    assert answer.best_rejected is not None
    assert answer.best_rejected < answer.floor
    assert answer.reason


def test_an_empty_vault_says_that_it_is_empty(corpus_of):
    answer = deep(Ask("anything"), corpus_of({}))
    assert answer.hits == ()
    assert "no notes" in answer.reason


@pytest.mark.parametrize("text", ["When is Marta's birthday?", "Marta", "GB/s"])
def test_a_vault_of_one_note_answers(corpus_of, text):
    note = "Marta's birthday is on 3 May. She gave me a disk that reads 3 GB/s."
    assert paths(deep(Ask(text), corpus_of({"Marta.md": note}))) == ["Marta.md"]


def test_the_same_notes_give_the_same_answer_whatever_order_they_came_in(
    make_vault, make_app
):
    files = {f"n{i}.md": "The very same words about tea." for i in range(12)}
    files |= {f"sub/m{i}.md": f"Tea number {i} of the shelf." for i in range(12)}
    backwards = dict(reversed(files.items()))
    apps = []
    for order in (files, backwards):
        app = make_app(make_vault({}), cache=f"cache{len(apps)}")
        for path, text in order.items():
            write(Path(app.vault.root), {path: text})
            app.update()
        apps.append(app)
    for search in SEARCHES:
        first, second = (search(Ask("words about tea"), a.corpus()) for a in apps)
        assert first == second
        assert first.hits
    assert paths(exact(Ask("very same words", limit=12), apps[0].corpus())) == sorted(
        f"n{i}.md" for i in range(12)
    )


def test_an_expired_fact_comes_after_its_successor(corpus_of):
    corpus = corpus_of(
        {
            "a old rate.md": "---\ntype: fact\nvalid_until: 2026-03-01\n---\n"
            "The day rate for Halden is 900 EUR.",
            "b new rate.md": "---\ntype: fact\n---\nThe day rate for Halden is 980 EUR.",
            "c tea.md": "Tea is on the shelf.",
        }
    )
    question = "what is the day rate for Halden?"
    then = deep(Ask(question, now=datetime(2026, 2, 1)), corpus)  # noqa: DTZ001  civil
    later = deep(Ask(question, now=datetime(2026, 4, 1)), corpus)  # noqa: DTZ001  civil
    assert paths(then)[:2] == ["a old rate.md", "b new rate.md"]
    assert paths(later)[:2] == ["b new rate.md", "a old rate.md"]
    assert "expired" in {why.signal for why in later.hits[1].why}


# -- phrases -----------------------------------------------------------------


@names
def test_a_quoted_phrase_is_required(corpus_of, search):
    corpus = corpus_of(
        {
            "a.md": "The red fox sleeps under the old oak.",
            "b.md": "An old red car and a fox.",
            "c.md": "Foxes are red.",
            "The red fox.md": "A story.",
        }
    )
    answer = search(Ask('"red fox" old', floor=0.0), corpus)
    assert set(paths(answer)) == {"a.md", "The red fox.md"}
    missing = search(Ask('"fox red"', floor=0.0), corpus)
    assert missing.hits == ()
    assert missing.reason == "no note holds the quoted phrase"


def test_a_quoted_sentence_that_stands_nowhere_is_asked_by_its_words(corpus_of):
    corpus = corpus_of(
        {
            "a.md": "The budget will be cut in half before the summer, she told us.",
            "b.md": "The summer was long.",
        }
    )
    text = '"The budget was to be cut by half before summer," she said'
    answer = deep(Ask(text), corpus)
    assert paths(answer)[0] == "a.md"
    assert "no note holds the quoted sentence" in answer.reason
    there = deep(Ask('"will be cut in half before the summer" she'), corpus)
    assert paths(there) == ["a.md"]
    assert there.reason == ""
    assert (
        deep(Ask("", phrases=("the budget was to be cut by half",)), corpus).hits == ()
    )
    assert exact(Ask(text), corpus).hits == ()


def test_a_phrase_beyond_the_first_candidates_is_found(corpus_of):
    files = {f"n{i:03}.md": "Alpha beta, beta alpha, alpha." for i in range(300)}
    files["z.md"] = "Of " + "many other things " * 40 + "there is one beta beta alpha."
    assert paths(exact(Ask('"beta beta" alpha'), corpus_of(files))) == ["z.md"]


# -- filters -------------------------------------------------------------------

TAGGED = {
    "one.md": "---\ntype: fact\ntags: [tool/git, client/acme]\n---\nRebase the branch.",
    "two.md": "---\ntype: event\ntags: [tool/git/hooks]\n---\nRebase and push.",
    "three.md": "---\ntype: plan\nstatus: planned\n---\nRebase next week.",
}


@names
def test_empty_filters_are_no_filter(corpus_of, search):
    corpus = corpus_of(TAGGED)
    blank = Filters(
        types=("",), statuses=("", " "), tags=("",), namespaces=("",), ids=("",),
        titles=("",), aliases=("",), locations=("",), entities=("",), projects=("",),
        dates=("",), start="", end=" ", memory="",
    )  # fmt: skip
    plain = search(Ask("rebase", floor=0.0), corpus)
    assert search(Ask("rebase", filters=blank, floor=0.0), corpus) == plain
    assert set(paths(plain)) == set(TAGGED)


@pytest.mark.parametrize("tag", ["tool: git", "#tool/git", "Tool/Git", " tool/git/ "])
def test_a_tag_of_another_shape_is_understood(corpus_of, tag):
    answer = exact(Ask("rebase", filters=Filters(tags=(tag,))), corpus_of(TAGGED))
    assert set(paths(answer)) == {"one.md", "two.md"}


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        (Filters(types=("recipe",)), ["recipe", "fact", "event"]),
        (Filters(statuses=("open",)), ["open", "planned", "archived"]),
        (Filters(tags=("tool/gti",)), ["tool/gti", "tool/git"]),
        (Filters(namespaces=("tol",)), ["tol", "tool"]),
        (Filters(start="soonish"), ["soonish", "2026-03-05"]),
    ],
)
@names
def test_an_unknown_filter_is_an_error_that_helps(corpus_of, search, filters, words):
    with pytest.raises(UsageError) as caught:
        search(Ask("rebase", filters=filters), corpus_of(TAGGED))
    assert all(word in str(caught.value) for word in words)


def test_filters_are_alternatives_within_and_conditions_across(corpus_of):
    corpus = corpus_of(TAGGED)
    either = Filters(types=("fact", "plan"))
    assert set(paths(exact(Ask("rebase", filters=either), corpus))) == {
        "one.md",
        "three.md",
    }
    both = Filters(types=("fact", "event"), tags=("client/acme",))
    assert paths(exact(Ask("rebase", filters=both), corpus)) == ["one.md"]
    none = Filters(types=("plan",), tags=("client/acme",))
    answer = deep(Ask("rebase", filters=none), corpus)
    assert answer.hits == ()
    assert answer.reason == "no note passes the filters"


def test_filters_alone_list_what_passes_by_path(corpus_of):
    answer = exact(Ask("", filters=Filters(tags=("tool/git",))), corpus_of(TAGGED))
    assert paths(answer) == ["one.md", "two.md"]
    assert answer.order == "path"


@names
def test_a_filter_cuts_before_the_ranking(corpus_of, search):
    files = {f"n{i:03}.md": f"Apple pie and apple cake, {i}." for i in range(500)}
    files["last.md"] = "---\ntags: [client/acme]\n---\n" + (
        "Of quarries, ledgers and one apple; " * 3 + "chiefly of slate and granite."
    )
    corpus = corpus_of(files)
    everything = search(Ask("apple pie cake", limit=600, floor=0.0), corpus)
    assert "last.md" not in paths(everything)[:200]
    only = Filters(tags=("client/acme",))
    answer = search(Ask("apple pie cake", filters=only, floor=0.0), corpus)
    assert paths(answer) == ["last.md"]


# -- scripts ---------------------------------------------------------------------


@pytest.mark.parametrize("text", ["合約", "合约", "视频下载", "BBDown 视频下载"])
def test_chinese_is_found_by_its_words_alone(corpus_of, text):
    corpus = corpus_of(
        {
            "trad.md": "中文合約轉換",
            "simp.md": "中文合约转换",
            "video.md": "一个视频下载工具",
            "tea.md": "茶在架子上",
        }
    )
    expected = {"合約": "trad.md", "合约": "simp.md"}.get(text, "video.md")
    assert paths(exact(Ask(text), corpus))[:1] == [expected]


def test_a_missing_segment_lowers_the_score_and_no_more(corpus_of):
    corpus = corpus_of(
        {"video.md": "一个视频下载工具", "tea.md": "茶在架子上", "cup.md": "杯子"}
    )
    whole = exact(Ask("视频下载"), corpus).hits[0]
    part = exact(Ask("BBDown 视频下载"), corpus).hits[0]
    assert part.path == whole.path == "video.md"
    assert part.score < whole.score


@names
def test_composed_and_decomposed_letters_are_the_same(corpus_of, search):
    name = unicodedata.normalize("NFD", "Café Zoë")
    corpus = corpus_of(
        {f"{name}.md": f"Meeting at {name} about résumés.", "b.md": "Tea."}
    )
    for form in ("NFC", "NFD"):
        question = unicodedata.normalize(form, "Café Zoë")
        hits = search(Ask(question), corpus).hits
        assert [unicodedata.normalize("NFC", h.path) for h in hits][:1] == [
            "Café Zoë.md"
        ]


# -- freshness -------------------------------------------------------------------


def test_a_note_edited_by_hand_is_found_by_meaning_alone(make_vault, make_app):
    files = {
        "a.md": "The invoice is due in thirty days.",
        "b.md": "Our cat sleeps on the warm radiator all winter.",
        "c.md": "The server room needs a new lock.",
    }
    app = make_app(make_vault(files))
    assert (
        paths(semantic(Ask("kitten dozing near the heater"), app.corpus()))[0] == "b.md"
    )
    path = os.path.join(app.vault.root, "c.md")
    Path(path).write_text("The violin concerto was played by an orchestra.")
    answer = semantic(Ask("symphony music performance"), app.corpus())
    assert paths(answer)[:1] == ["c.md"]


# -- questions to the example vault ------------------------------------------------


def test_the_example_questions_find_their_notes(consultant):
    with (ROOT / "tests" / "example_questions.toml").open("rb") as file:
        questions = tomllib.load(file)["question"]
    places = {}
    for question in questions:
        found = paths(deep(Ask(question["ask"]), consultant))
        places[question["ask"]] = min(
            (found.index(p) for p in question["expect"] if p in found), default=99
        )
    assert len(places) >= 12
    assert {ask: place for ask, place in places.items() if place > 2} == {}
    assert sum(place == 0 for place in places.values()) >= 0.75 * len(places)


def test_exact_search_says_that_no_note_holds_the_words(make_vault, make_app) -> None:
    app = make_app(make_vault({"a.md": "One boat.\n"}))
    found = app.ask("exact", Ask("walrus"))
    assert (found.hits, found.reason) == ((), "no note holds these words")


def test_of_two_that_answer_alike_both_do(make_vault, make_app) -> None:
    """In a vault of two notes the farther one isn't as far as could be."""
    app = make_app(
        make_vault({"A.md": "Tom works for Acme.\n", "B.md": "Tom works for Globex.\n"})
    )
    first, second = app.ask("deep", Ask("where does Tom work", floor=0.0)).hits
    assert first.score < 4 * second.score
