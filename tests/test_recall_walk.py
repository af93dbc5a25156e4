"""What is near is the same whether a part of the graph is read or all of it."""

from __future__ import annotations

import random

import pytest

from mindcache.recall import walk


@pytest.fixture
def reader(make_vault, make_app):
    draw = random.Random(3)
    files = {}
    for n in range(40):
        links = " ".join(
            f"[[Note {draw.randrange(45)}]]" for _ in range(draw.randrange(4))
        )
        typed = f'about:\n  - "[[Note {draw.randrange(40)}]]"\n' if n % 3 else ""
        files[f"Note {n}.md"] = f"---\n{typed}summary: S{n}.\n---\nText {n}. {links}\n"
    return make_app(make_vault(files)).reader()


@pytest.mark.parametrize("depth", [1, 2, 3, 10])
@pytest.mark.parametrize("direction", ["in", "out", "both"])
def test_a_part_of_the_graph_is_enough(reader, monkeypatch, depth, direction) -> None:
    for number in range(0, 40, 3):
        start = reader.find_node(f"Note {number}.md")
        for relations in ((), ("about",)):
            part = walk.near(reader, start, relations, depth, direction, 12)
            with monkeypatch.context() as patch:
                patch.setattr(walk, "_MANY", 0)
                whole = walk.near(reader, start, relations, depth, direction, 12)
            assert part == whole


def test_a_note_alone_has_nothing_near(make_vault, make_app) -> None:
    reader = make_app(make_vault({"Alone.md": "Alone.\n"})).reader()
    found = walk.near(reader, reader.find_node("Alone.md"), (), 2, "both", 9)
    assert found == walk.Walk(("Alone.md",))
