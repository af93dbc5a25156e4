"""What stands around a hit, and by which way links brought it."""

from __future__ import annotations

from datetime import datetime

from mindcache import wire
from mindcache.index.graph import EdgeRow, givers, spread
from mindcache.recall import Ask, deep, exact
from mindcache.recall.around import linked, neighbours
from mindcache.text.tokens import estimate

NOW = datetime(2026, 11, 30, 12, 0)  # noqa: DTZ001  civil time

TURNS = "\n\n".join(f"Turn {n} is about knot {n}. ^t{n}" for n in range(1, 10))
FILES = {
    "talk.md": f"# Knots\n\n{TURNS}\n\n# Ropes\n\nThe bowline holds. ^r1\n",
    "hub.md": "---\nabout: ['[[talk]]']\ninvolves: ['[[ana]]']\n---\nThe knot course.\n",
    "ana.md": "Ana teaches knot 5.\n",
    "weak.md": "See [[talk]] some day.\n",
}


def corpus_of(make_vault, make_app):
    app = make_app(make_vault(FILES))
    app.update()
    return app.corpus()


def chunk_of(corpus, anchor: str):
    (file_id,) = corpus.reader.file_ids(["talk.md"]).values()
    return next(c for c in corpus.reader.chunks_of(file_id) if c.anchor == anchor)


def test_neighbours_stay_within_the_section(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app)
    middle, last, alone = (chunk_of(corpus, f"^{a}") for a in ("t5", "t9", "r1"))
    found = neighbours(corpus.reader, [middle, last, alone])
    assert found[0].before.split("\n\n") == [
        f"Turn {n} is about knot {n}." for n in (2, 3, 4)
    ]
    assert found[0].after.startswith("Turn 6 is about knot 6.\n\nTurn 7")
    # The ninth is a hit of its own and is never repeated.
    assert "Turn 9" not in found[0].after
    assert found[1].before.endswith("Turn 8 is about knot 8.")
    assert found[1].after == ""
    assert (found[2].before, found[2].after) == ("", "")


def test_linked_notes_come_by_weight_and_not_twice(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app)
    beside = linked(corpus.reader, {"talk.md"})["talk.md"]
    assert [(each.path, each.relation, each.is_back) for each in beside] == [
        ("hub.md", "about", True),
        ("weak.md", "about", True),
    ]
    assert beside[0].summary == "The knot course."
    both = linked(corpus.reader, {"talk.md", "hub.md"})
    assert [each.path for each in both["talk.md"]] == ["weak.md"]
    assert [each.path for each in both["hub.md"]] == ["ana.md"]


def test_expanded_hits_have_it_all_in_their_text(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app)
    ask = Ask("knot 5", limit=1, expand=True, phrases=("Turn 5",))
    (hit,) = exact(ask, corpus).hits
    head, *rest = (hit.text or "").split("\n")
    assert head == "[talk.md#t5 · talk > Knots]"
    assert "Turn 4 is about knot 4." in rest
    assert "Turn 6 is about knot 6." in rest
    assert rest[-2] == "← about hub.md: The knot course."
    shape = wire.hit(hit)
    assert shape["linked"][0] == {
        "path": "hub.md",
        "summary": "The knot course.",
        "relation": "about",
        "direction": "in",
        "weight": 1.0,
    }


def test_a_budget_holds_the_expansion_too(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app)
    for budget in (10, 30, 60, 120, 1_000):
        ask = Ask("knot 5", expand=True, budget=budget, floor=0.0)
        answer = deep(ask, corpus)
        whole = "\n\n".join(hit.text or "" for hit in answer.hits)
        assert estimate(whole) <= budget
        assert wire.recall(answer)["budget"]["used"] == estimate(whole)
        if not answer.hits:
            assert answer.reason == "no hit fits into the budget"


def test_a_listing_is_packed_too(make_vault, make_app) -> None:
    app = make_app(make_vault({"a.md": "#tool/pump It is blue.", "b.md": ""}))
    app.update()
    from mindcache.recall import Filters

    ask = Ask("", Filters(tags=("tool/pump",)), budget=30)
    answer = exact(ask, app.corpus())
    assert [hit.text for hit in answer.hits] == ["[a.md:1 · a]\n#tool/pump It is blue."]
    assert answer.budget is not None


def test_without_either_no_text_is_made(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app)
    answer = deep(Ask("knot 5"), corpus)
    assert answer.hits
    assert all(hit.text is None and not hit.linked for hit in answer.hits)
    assert answer.budget is None
    assert wire.recall(answer)["budget"] is None


def test_the_reason_links_says_who_handed_it_on(make_vault, make_app) -> None:
    corpus = corpus_of(make_vault, make_app)
    hits = deep(Ask("knot course", floor=0.0, now=NOW), corpus).hits
    ana = next(hit for hit in hits if hit.path == "ana.md")
    reason = next(why for why in ana.why if why.signal == "links")
    assert reason.via == (EdgeRow("hub.md", "ana.md", "involves", "property", 1.0),)
    shape = next(w for w in wire.hit(ana)["why"] if w["signal"] == "links")
    assert shape["via"][0]["relation"] == "involves"
    others = [why for hit in hits for why in hit.why if why.signal != "links"]
    assert not any(why.via for why in others)


def test_givers_agree_with_the_spread() -> None:
    edges = [
        EdgeRow("a", "x", "about"),
        EdgeRow("b", "x", "involves"),
        EdgeRow("a", "x", "same_topic"),
        EdgeRow("b", "y", "about", weight=0.3),
        EdgeRow("z", "x", "about"),
    ]
    seeds = {"a": 0.2, "b": 0.9, "c": 1.0}
    found = givers(seeds, edges, ["x", "y", "z", "q"])
    assert found["x"] == (edges[1], edges[0])
    assert found["y"] == (edges[3],)
    assert found["z"] == found["q"] == ()
    received = spread(seeds, edges)
    assert {path for path, via in found.items() if via} <= set(received)
    assert givers(seeds, edges, ["x"], limit=1)["x"] == (edges[1],)
