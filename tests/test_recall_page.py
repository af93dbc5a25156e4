"""What a page of hits shows: each fact once, other notes too, near misses counted."""

from __future__ import annotations

import pytest

from mindcache import wire
from mindcache.recall import Ask, Corpus, deep, exact, semantic
from mindcache.recall.page import lay_out
from tests.test_alike import WORDINGS

SEARCHES = pytest.mark.parametrize(
    "search", [deep, exact, semantic], ids=lambda s: s.__name__
)
OTHERS = {
    "pump.md": "The bilge pump of the editor's boat is blue.",
    "shed.md": "The shed is locked at nine.",
    "crane.md": "Two people guide a boat with lines at the crane.",
}


def corpus_of(make_vault, make_app, files: dict[str, str]) -> Corpus:
    app = make_app(make_vault(files))
    app.update()
    return app.corpus()


def wordings(fact: str) -> dict[str, str]:
    return {f"w{n}.md": text + "\n" for n, text in enumerate(WORDINGS[fact][1:])}


@SEARCHES
def test_nine_wordings_take_one_place_beside_the_other_fact(
    make_vault, make_app, search
) -> None:
    files = wordings("dark mode") | {"x.md": "The user never uses dark mode in a term."}
    corpus = corpus_of(make_vault, make_app, files | OTHERS)
    ask = Ask("which mode does the user prefer: dark?", limit=2, floor=0.0)
    first, second = search(ask, corpus).hits
    one, other = (first, second) if first.alike else (second, first)
    assert len(one.alike) == 8
    assert {one.path, *(each.path for each in one.alike)} == set(wordings("dark mode"))
    assert other.path == "x.md"
    shape = wire.hit(one)
    assert shape["alike"] == 8
    assert {each["path"] for each in shape["also_in"]} == {
        each.path for each in one.alike
    }


def test_chinese_wordings_are_folded(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app, wordings("深色模式") | OTHERS)
    hits = deep(Ask("编辑器 深色模式", floor=0.0), corpus).hits
    assert len(hits[0].alike) == 8


def test_what_contradicts_is_never_folded(make_vault, make_app) -> None:
    files = {
        "a.md": "The API of Acme allows 100 requests a minute.",
        "b.md": "The API of Acme allows 200 requests a minute.",
        "c.md": "The API of Acme does not allow 100 requests a minute.",
        "d.md": "The API of Globex allows 100 requests a minute.",
    }
    corpus = corpus_of(make_vault, make_app, files)
    hits = deep(Ask("requests a minute of the API", floor=0.0), corpus).hits
    assert len(hits) == 4
    assert not any(hit.alike for hit in hits)


def test_what_happens_on_two_days_is_two_things(make_vault, make_app) -> None:
    files = {
        f"dentist {day}.md": f"---\ntype: plan\ntime_start: 2026-12-0{day}T09:00\n---\n"
        "Dentist appointment at the clinic.\n"
        for day in (1, 2)
    }
    corpus = corpus_of(make_vault, make_app, files)
    hits = deep(Ask("dentist appointment", floor=0.0), corpus).hits
    assert [hit.alike for hit in hits] == [(), ()]


def test_the_limit_counts_what_stands_for_others_and_nothing_is_lost(
    make_vault, make_app
) -> None:
    files = {
        f"{fact}-{path}": text
        for fact in ("dark mode", "contact", "deploys")
        for path, text in wordings(fact).items()
    }
    corpus = corpus_of(make_vault, make_app, files | OTHERS)
    for limit in (1, 2, 3, 10):
        answer = deep(Ask("dark mode, billing contact, deploys", limit=limit), corpus)
        assert len(answer.hits) <= limit
        shown = sum(1 + len(hit.alike) for hit in answer.hits)
        assert shown + answer.left_out + answer.below_floor == len(files | OTHERS)


def test_folding_and_mixing_change_no_score_and_no_order(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app, long_note() | OTHERS)
    ask = Ask("rope of the boat", limit=6, floor=0.0)
    everything = deep(ask._replace(limit=100), corpus).hits
    scores = {(hit.path, hit.lines): hit.score for hit in everything}
    hits = deep(ask, corpus).hits
    assert [hit.score for hit in hits] == sorted(
        (hit.score for hit in hits), reverse=True
    )
    assert all(scores[hit.path, hit.lines] == hit.score for hit in hits)


def long_note() -> dict[str, str]:
    sections = "\n\n".join(
        f"## Part {word}\n\nThe rope of the boat is made of {word} and lies on deck."
        for word in ("hemp", "nylon", "steel", "jute", "wool", "silk", "coir", "wire")
    )
    others = {
        f"{word}.md": f"The rope of the boat is made for a {word} and lies on deck."
        for word in ("locker", "cellar", "office")
    }
    return {"Yard.md": f"# Yard\n\n{sections}\n", **others}


def test_one_note_does_not_fill_the_page(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app, long_note())
    answer = deep(Ask("the rope of the boat", limit=6, floor=0.0), corpus)
    own = [hit for hit in answer.hits if hit.path == "Yard.md"]
    assert len(answer.hits) == 6
    assert len(own) < 6
    assert {"locker.md", "office.md"} < {hit.path for hit in answer.hits}
    # What had to go is told of, and counted as shown.
    passages = sum(len(hit.passages) for hit in answer.hits)
    assert answer.left_out + len(answer.hits) + passages == 11


def test_where_nothing_else_answers_as_well_a_note_keeps_its_places(
    make_vault, make_app
) -> None:
    files = {"Yard.md": long_note()["Yard.md"], **OTHERS}
    corpus = corpus_of(make_vault, make_app, files)
    answer = deep(Ask("the rope of the boat", limit=6, floor=0.0), corpus)
    assert [hit.path for hit in answer.hits] == ["Yard.md"] * 6


@SEARCHES
def test_by_note_each_note_comes_once_with_its_best_passage(
    make_vault, make_app, search
) -> None:
    corpus = corpus_of(make_vault, make_app, long_note() | OTHERS)
    ask = Ask("the rope of the boat on deck", limit=10, floor=0.0)
    flat = search(ask._replace(limit=100), corpus).hits
    rolled = search(ask._replace(by_note=True), corpus).hits
    paths = [hit.path for hit in rolled]
    assert len(set(paths)) == len(paths)
    best = {hit.path: hit for hit in reversed(flat)}
    for hit in rolled:
        assert hit.lines == best[hit.path].lines
    ropes = next(hit for hit in rolled if hit.path == "Yard.md")
    assert len(ropes.passages) == 7
    assert all(p.anchor.startswith("Part ") for p in ropes.passages)
    assert [p.score for p in ropes.passages] == sorted(
        (p.score for p in ropes.passages), reverse=True
    )


def test_by_note_a_long_note_does_not_hide_the_others(make_vault, make_app) -> None:
    turns = "\n\n".join(f"Knot {n} of the rope holds. ^k{n}" for n in range(300))
    corpus = corpus_of(make_vault, make_app, {"Knots.md": turns} | OTHERS)
    ask = Ask("knot of the rope", limit=4, floor=0.0, by_note=True)
    assert {hit.path for hit in deep(ask, corpus).hits} == {"Knots.md", *OTHERS}


def test_near_misses_are_counted_apart(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app, long_note() | OTHERS)
    ask = Ask("rope deck", floor=0.0, limit=100)
    best = deep(ask, corpus).hits[0].score
    answer = deep(ask._replace(floor=best * 1.5), corpus)
    assert answer.hits == ()
    assert answer.best_rejected == best
    assert 0 < answer.just_below <= answer.below_floor
    wider = deep(ask._replace(floor=answer.next_floor), corpus)
    shown = sum(1 + len(h.alike) + len(h.passages) for h in wider.hits)
    assert shown + wider.left_out == answer.just_below
    assert wire.recall(answer)["just_below"] == answer.just_below


def test_nothing_lies_below_no_floor(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app, OTHERS)
    answer = deep(Ask("boat", floor=0.0), corpus)
    assert (answer.below_floor, answer.just_below) == (0, 0)


def test_an_empty_page_is_no_error(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app, OTHERS)
    assert lay_out(corpus, [], [], 10).entries == ()
    assert lay_out(corpus, [], [], 0, by_note=True).left_out == 0


def test_vectors_of_a_few_chunks_are_the_same_read_either_way(
    make_vault, make_app
) -> None:
    files = {f"{n}.md": f"Rope number {n} lies on deck." for n in range(300)}
    app = make_app(make_vault(files))
    app.update()
    fresh = app.corpus()
    ids = fresh.ids[[3, 290, 17]].tolist()
    few = fresh.rows(ids)
    assert "vectors" not in vars(fresh)
    assert (few == fresh.vectors[[3, 290, 17]]).all()
    assert (fresh.rows(ids) == few).all()
