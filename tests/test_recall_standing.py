"""What holds no longer says so wherever it is shown, below what holds instead."""

from __future__ import annotations

import json

import pytest

from mindcache.text.tokens import estimate
from tests.conftest import MakeVault
from tests.test_write_moving import play

HEAD = "---\nid: m-01KQR4HQ0016B8652A2VCAEF0{}\ntype: {}\ntags: [tool/clock]\n"
FILES = {
    "memory/Three.md": HEAD.format(1, "fact")
    + 'status: archived\nsuperseded_by: "[[Five]]"\n---\nThe harbour clock says three.\n',
    "memory/Five.md": HEAD.format(2, "fact") + "---\nThe harbour clock says five.\n",
    "memory/Over.md": HEAD.format(3, "fact")
    + "valid_until: 2020-01-01\n---\nThe harbour clock says nine.\n",
    "memory/Later.md": HEAD.format(4, "fact")
    + "valid_from: 2090-01-01\n---\nThe harbour clock says ten.\n",
    "memory/Off.md": HEAD.format(5, "plan")
    + "status: canceled\ntime_start: 2026-01-02\n---\nThe harbour clock is wound.\n",
    "memory/Missed.md": HEAD.format(6, "plan")
    + "status: missed\ntime_start: 2026-01-02\n---\nThe harbour clock is oiled.\n",
    "memory/Faint.md": HEAD.format(7, "fact")
    + "status: faint\n---\nThe harbour clock is brass.\n",
    "memory/Old.md": HEAD.format(8, "fact")
    + 'superseded_by: "[[Three]]"\n---\nThe harbour clock says two.\n',
}
MARKS = {
    "memory/Three.md": ("archived, see memory/Five.md", False),
    "memory/Five.md": ("", True),
    "memory/Over.md": ("valid until 2020-01-01", False),
    "memory/Later.md": ("not valid yet", False),
    "memory/Off.md": ("canceled", False),
    "memory/Missed.md": ("missed", False),
    "memory/Faint.md": ("faint", True),
    "memory/Old.md": ("superseded, see memory/Five.md", False),
}


@pytest.mark.parametrize(
    "call",
    [
        ("recall", "harbour clock", "--floor", "0"),
        ("recall", "harbour clock", "--floor", "0", "--budget", "900"),
        ("recall", "harbour clock", "--floor", "0", "--expand"),
        ("search", "exact", "harbour clock"),
        ("search", "exact", "--tag", "tool/clock"),
        ("search", "semantic", "harbour clock", "--floor", "0"),
        ("index", "query", "--tool", "clock"),
    ],
)
def test_what_holds_no_longer_is_marked_in_every_answer(
    make_vault: MakeVault, call: tuple[str, ...]
) -> None:
    root = make_vault(FILES)
    code, out = play(root, *call)
    assert code == 0
    for path, (words, _) in MARKS.items():
        heads = [
            line
            for line in out.splitlines()
            if f"{path}" in line and "see " + path not in line
        ]
        assert heads, path
        for line in heads:
            assert (f"({words})" in line) == bool(words), line
    shape = json.loads(play(root, *call, "--json")[1])
    for each in shape.get("hits") or shape["notes"]:
        assert each["holds"] == MARKS[each["path"]][1]
        heir = (
            "memory/Five.md"
            if each["path"] in ("memory/Three.md", "memory/Old.md")
            else ""
        )
        assert each["superseded_by"] == heir


@pytest.mark.parametrize("path", MARKS)
def test_show_and_graph_say_so_too(make_vault: MakeVault, path: str) -> None:
    root = make_vault({**FILES, "hub.md": "\n".join(f"[[{p[7:-3]}]]" for p in FILES)})
    words, holds = MARKS[path]
    lines = [
        line
        for line in play(root, "search", "graph", "hub")[1].splitlines()
        if line.startswith(f"1  {path}")
    ]
    assert len(lines) == 1
    assert (f"({words})" in lines[0]) == bool(words)
    first = play(root, "show", path)[1].splitlines()[0]
    assert (f"({words})" in first) == bool(words)
    # Opened, a faint note is awake, and holds as it did.
    assert json.loads(play(root, "show", path, "--json")[1])["holds"] is holds


def test_the_mark_is_within_the_budget(make_vault: MakeVault) -> None:
    root = make_vault(FILES)
    for tokens in (40, 80, 160):
        call = ("recall", "harbour clock", "--floor", "0", "--budget", str(tokens))
        shape = json.loads(play(root, *call, "--json")[1])
        assert sum(estimate(hit["text"]) for hit in shape["hits"]) <= tokens
        for hit in shape["hits"]:
            words = MARKS[hit["path"]][0]
            assert hit["text"].startswith(f"[({words}) · " if words else "[memory/")


@pytest.mark.parametrize(
    "more",
    ["More text here.", "## When\n\nWhen does the harbour office close? At three.",
     "The harbour office closes at three. " * 60],
)  # fmt: skip
def test_the_successor_comes_first_whatever_the_old_note_gained(
    make_vault: MakeVault, more: str
) -> None:
    root = make_vault({})
    play(root, "entity", "create", "Harbour office")
    for hour in ("three", "five"):
        text = f"The harbour office closes at {hour}."
        call = ("remember", text, "--about", "Harbour office", "--scope", "global")
        assert play(root, *call)[0] == 0
    old, new = (
        f"memory/The harbour office closes at {h}.md" for h in ("three", "five")
    )
    assert play(root, "retire", old, "--for", new)[0] == 0
    assert play(root, "update", old, "--append", more)[0] == 0
    for kind in (("recall",), ("search", "exact"), ("search", "semantic")):
        call = (*kind, "when does the harbour office close", "--floor", "0", "--json")
        hits = json.loads(play(root, *call)[1])["hits"]
        order = [hit["path"] for hit in hits if hit["path"] in (old, new)]
        assert order[0] == new
        assert old in order
