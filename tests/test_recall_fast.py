"""Fast recall: topics orient, and say when they are no answer."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.digest import digest
from mindcache.errors import AmbiguousName, NoteNotFound, UsageError
from mindcache.note import edit
from mindcache.recall import Ask, Filters
from mindcache.recall.drawing import canvas, mermaid
from mindcache.recall.topics import find_topic, moment_of, since
from tests.conftest import NOW
from tests.themes import note, notes


@pytest.fixture
def vault(make_vault) -> Path:
    return make_vault(notes())


@pytest.fixture
def app(vault, make_app) -> App:
    app = make_app(vault)
    digest(app)
    return app


def holding(app: App, title: str) -> str:
    """The path of the topic that holds a note."""
    tree = app.topics()
    return next(p for p, b in tree.topics.items() if f"memory/{title}.md" in b.notes)


# -- the tree --------------------------------------------------------------


def test_the_tree_is_what_the_notes_say(app) -> None:
    tree = app.topics()
    assert len(tree.roots) == len(tree.topics) == 3
    assert tree.notes == 18
    assert tree.inbox == ()
    bread = tree.topics[holding(app, "Rye loaf")]
    assert len(bread.notes) == len(tree.held(bread.node.path)) == 6
    assert bread.terms
    assert set(bread.anchors) <= set(bread.notes)
    assert bread.updated == "2026-11-30T12:00"


def test_a_topic_below_another(app, vault) -> None:
    bread, boats = holding(app, "Rye loaf"), holding(app, "Mainsail")
    path = vault / bread
    link = f"[[{Path(boats).stem}]]"
    path.write_bytes(edit(path.read_bytes(), {"parent_topic": link}))
    tree = app.topics()
    assert tree.topics[boats].children == (bread,)
    assert (tree.depth(boats), tree.depth(bread)) == (1, 2)
    assert len(tree.held(boats)) == 12
    assert f"{len(tree.held(boats))})" in mermaid(tree)


def test_topics_above_each_other_are_both_seen(app, vault) -> None:
    bread, boats = holding(app, "Rye loaf"), holding(app, "Mainsail")
    for one, other in ((bread, boats), (boats, bread)):
        path = vault / one
        link = f"[[{Path(other).stem}]]"
        path.write_bytes(edit(path.read_bytes(), {"parent_topic": link}))
    tree = app.topics()
    assert len(tree.roots) == 2
    assert sum(len(tree.below(root)) for root in tree.roots) == 3
    assert digest(app, now=NOW + timedelta(days=1)).failed == []


def test_a_topic_by_any_name(app, vault) -> None:
    bread = holding(app, "Rye loaf")
    (vault / bread).write_bytes(
        edit((vault / bread).read_bytes(), {"aliases": ["Baking"]})
    )
    tree = app.topics()
    branch = tree.topics[bread]
    for name in (
        bread,
        bread[:-3],
        branch.node.id,
        branch.node.title.upper(),
        "baking",
    ):
        assert find_topic(tree, name) == branch
    with pytest.raises(NoteNotFound, match="nowhere"):
        find_topic(tree, "nowhere")
    boats = holding(app, "Mainsail")
    (vault / boats).write_bytes(
        edit((vault / boats).read_bytes(), {"aliases": ["Baking"]})
    )
    with pytest.raises(AmbiguousName):
        find_topic(app.topics(), "Baking")


def test_what_changed_since(app, vault) -> None:
    later = NOW + timedelta(days=9)
    (vault / "memory/Baguette.md").write_text(note("Bread of wheat flour and rye."))
    digest(app, now=later)
    recent = since(app.topics(), later - timedelta(days=2))
    assert list(recent.topics) == [holding(app, "Rye loaf")]
    assert moment_of("3w", later) == later - timedelta(days=21)
    assert moment_of("2026-03-05", later) is None


def test_a_diagram_takes_no_orders_from_a_title(make_app, make_vault) -> None:
    title = 'x"] click t0 "javascript_alert" `<img src=x>` &lt; #quot;'
    root = make_vault({f"topics/{title}.md": "---\ntype: topic\n---\n"})
    label = mermaid(make_app(root).topics()).split("\n")[1]
    assert label.count('"') == 2
    assert not set("<>&`") & set(label)
    assert "#35;quot;" in label


def test_a_canvas_shows_every_topic(app) -> None:
    import json

    shape = json.loads(canvas(app.topics()))
    assert {card["file"] for card in shape["nodes"]} == set(app.topics().topics)
    assert len({(card["x"], card["y"]) for card in shape["nodes"]}) == 3


# -- answers ---------------------------------------------------------------


def test_fast_names_the_topic_and_what_to_read(app) -> None:
    found = app.recall("fast", Ask("bread and flour"))
    assert found.route == "fast"
    assert found.hits[0].path == holding(app, "Rye loaf")
    assert found.hits[0].type == "topic"
    assert {each.path for each in found.hits[0].linked} <= set(notes("bread"))
    assert 0 < found.hits[0].score <= 1


def test_what_no_topic_is_about_gets_none(app) -> None:
    for mode in ("fast", "topic"):
        found = app.recall(mode, Ask("quantum chromodynamics"))
        assert found.hits == ()
        assert found.reason == "no topic is about this"
        assert found.below_floor == 3


def test_without_topics_there_is_none(make_vault, make_app) -> None:
    app = make_app(make_vault(notes("bread")))
    found = app.recall("fast", Ask("bread"))
    assert (found.hits, found.reason) == ((), "there are no topics yet")
    auto = app.recall("auto", Ask("bread"))
    assert (auto.route, auto.escalated) == ("deep", False)
    assert auto.hits


def test_auto_answers_a_subject_from_its_topic(app) -> None:
    found = app.recall("auto", Ask("postgres database"))
    assert (found.route, found.escalated) == ("fast", False)
    assert found.hits[0].path == holding(app, "Vacuum")


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (
            Ask("when is the hull of the boat painted?"),
            "the question asks for a detail",
        ),
        (Ask("boat 2026"), "the question asks for a detail"),
        (Ask('"mooring lines"'), "the question asks for a detail"),
        (Ask("boat", Filters(types=("fact",))), "the question asks for a detail"),
        (Ask("boat zeppelin teapot"), "the topics hold too little of the question"),
        (Ask("zxqv blorptang"), "no topic is about this"),
    ],
)
def test_auto_goes_deep_and_says_why(app, ask, reason) -> None:
    found = app.recall("auto", ask)
    assert (found.route, found.escalated) == ("deep", True)
    deep = app.recall("deep", ask)
    assert [h.path for h in found.hits] == [h.path for h in deep.hits]
    assert found.reason in {reason, deep.reason}
    if found.hits:
        assert found.reason == reason


def test_cool_topics_are_searched_and_not_fast(app, vault) -> None:
    path = vault / holding(app, "Rye loaf")
    path.write_bytes(edit(path.read_bytes(), {"status": "cool"}))
    paths = {
        mode: [hit.path for hit in app.recall(mode, Ask("rye bread flour")).hits]
        for mode in ("fast", "topic")
    }
    bread = path.relative_to(vault).as_posix()
    assert bread not in paths["fast"]
    assert bread in paths["topic"]
    reason = "only topics that are not hot or warm are about this"
    ask = Ask("rye bread flour")
    assert app.recall("fast", ask).hits == ()
    assert app.recall("fast", ask).reason == reason
    found = app.recall("auto", ask)
    assert (found.escalated, found.reason) == (True, reason)
    assert app.recall("fast", Ask("zxqv blorptang")).reason == "no topic is about this"


def test_topics_never_narrow_what_is_deep(app, vault) -> None:
    ask = Ask("what does the oven do to the crust of a loaf?")
    with_topics = app.recall("deep", ask)
    for path in app.topics().topics:
        (vault / path).unlink()
    without = app.recall("deep", ask)
    first = [
        [h.path for h in each.hits if h.type != "topic"]
        for each in (with_topics, without)
    ]
    assert first[0][:1] == first[1][:1] == ["memory/Crust.md"]


def test_a_budget_holds_for_topics(app) -> None:
    found = app.recall("fast", Ask("bread and flour", budget=120))
    assert found.budget is not None
    assert found.budget.used <= 120
    assert found.hits[0].text


def test_filters_are_never_passed_over(app) -> None:
    """Topics know none: passages answer, and it is said."""
    found = app.recall("fast", Ask("bread", Filters(titles=("Rye",))))
    assert {hit.path for hit in found.hits} == {"memory/Rye loaf.md"}
    assert (found.route, found.escalated) == ("deep", False)
    assert found.reason == "topics know no filters, so passages are asked"
    with pytest.raises(UsageError, match="no note has the tag 'nope'"):
        app.recall("fast", Ask("bread", Filters(tags=("nope",))))
