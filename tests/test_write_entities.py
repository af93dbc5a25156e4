"""Notes about people and things: made once, and two of them made one."""

from __future__ import annotations

import json

import pytest

from mindcache.note import parse
from mindcache.write.merging import _united
from tests.conftest import MakeApp, MakeVault
from tests.test_write_moving import files, play, texts


def test_a_new_entity_is_under_contract(make_vault: MakeVault) -> None:
    root = make_vault({})
    call = ("Ada Lovelace", "--alias", "Ada", "--alias", "ADA", "--kind", "person")
    assert play(root, "entity", "create", *call, "--json")[0] == 0
    note = parse("", (root / "memory/Ada Lovelace.md").read_bytes())
    assert note.properties["type"] == "entity"
    assert note.properties["aliases"] == ["Ada"]
    assert note.properties["kind"] == "person"
    assert note.properties["tags"] == ["scope/project"]
    assert play(root, "lint")[0] == 0


@pytest.mark.parametrize("option", ["", "--alias", "--summary", "--kind"])
def test_secrets_are_taken_out_and_counted(option: str, make_vault: MakeVault) -> None:
    root = make_vault({})
    token = "ghp_" + "a1B2" * 9
    call = ("Ada", option, token) if option else (token,)
    code, out = play(root, "entity", "create", *call, "--json")
    assert code == 0
    assert json.loads(out)["redacted"] == [{"kind": "GitHub token", "count": 1}]
    for path, data in files(root).items():
        assert token not in path
        assert token.encode() not in data


@pytest.mark.parametrize(
    "name", ["Site Roadmap", "site-roadmap", "SITE_roadmap", "The map", "A-new one"]
)
def test_no_twin_is_made(name: str, make_vault: MakeVault) -> None:
    """C2: another way of writing a name is the same name."""
    root = make_vault({"x/site-roadmap.md": "---\naliases: [the map]\n---\n"})
    before = files(root)
    alias = ("--alias", "Site roadmap") if name.startswith("A-new") else ()
    code, out = play(root, "entity", "create", name, *alias)
    assert (code, "x/site-roadmap.md" in out) == (4, True)
    assert files(root) == before


def test_a_name_that_no_file_can_have_becomes_an_alias(make_vault: MakeVault) -> None:
    root = make_vault({})
    assert play(root, "entity", "create", "AC/DC: live?")[0] == 0
    note = parse("", (root / "memory/AC-DC- live-.md").read_bytes())
    assert note.properties["aliases"] == ["AC/DC: live?"]
    assert play(root, "entity", "create", "???")[0] == 2
    assert play(root, "entity", "create", "X", "--tag", "nonsense")[0] == 4


FROM = """---
id: m-2
type: entity
summary: Other words.
tags: [client/acme, Scope/Project]
aliases:
  - NAc
  - Café
location: Bergen
about:
  - "[[../Topic|t]]"
---
Knows [[Into]], see [t](../Topic.md).
"""
INTO = """---
id: m-1
type: entity   # kept
summary: Some words.
tags: [scope/project]
aliases: [NAC, Cafe\u0301]
about: "[[Topic]]"
---
Own text, see [[From]].
"""


def test_two_notes_become_one(make_vault: MakeVault, make_app: MakeApp) -> None:
    """C10: names and tags that differ in case or Unicode form alone are one."""
    root = make_vault(
        {
            "people/From.md": FROM,
            "Into.md": INTO,
            "Topic.md": "[[From]] [[people/From#H|x]] [[NAc]] [[m-2]] `[[From]]`",
        }
    )
    before = files(root)
    code, out = play(root, "entity", "merge", "From", "Into", "--dry-run")
    assert code == 0
    assert "+## From" in out
    assert files(root) == before
    assert play(root, "entity", "merge", "From", "Into")[0] == 0
    after = texts(root)
    assert after["Into.md"] == (
        INTO.replace("[scope/project]", "[scope/project, client/acme]")
        .replace("e\u0301]", "e\u0301, From]")
        .replace(
            'about: "[[Topic]]"\n---',
            'about:\n  - "[[Topic]]"\n  - "[[Topic|t]]"\nlocation: Bergen\n---',
        )
        .replace("[[From]]", "[[Into|From]]")
        + "\n## From\n\nKnows [[Into]], see [t](Topic.md).\n"
    )
    assert after["Topic.md"] == (
        "[[Into|From]] [[Into#H|x]] [[NAc]] [[Into|m-2]] `[[From]]`"
    )
    assert after[".trash/people/From.md"] == FROM
    app = make_app(root)
    assert app.reader().unresolved() == []
    assert [e.what for e in app.ledger.entries] == ["trashed"]


def test_an_empty_note_adds_its_name_alone(make_vault: MakeVault) -> None:
    root = make_vault({"From.md": "\n", "Into.md": "Text"})
    assert play(root, "entity", "merge", "From", "Into", "--json")[0] == 0
    assert texts(root)["Into.md"] == "---\naliases:\n  - From\n---\nText"


def test_what_can_not_be_merged(make_vault: MakeVault) -> None:
    root = make_vault(
        {"a.md": "", "t.md": "---\ntype: topic\n---\n", "x.md": "---\na: b: c\n---\n"}
    )
    before = files(root)
    for one, other in (("a", "a"), ("a", "t"), ("t", "a"), ("a", "x"), ("x", "a")):
        assert play(root, "entity", "merge", one, other)[0] == 4
    assert files(root) == before


def test_lists_are_united_as_sets() -> None:
    assert _united(["a", "a", "B"], ["b", "c", "C", 1]) == ["a", "a", "B", "c", 1]
    assert _united("x", ["X", "y"]) == ["x", "y"]


def test_a_merge_said_as_json(make_vault: MakeVault) -> None:
    root = make_vault({"From.md": "", "Into.md": "", "a.md": "[[From]]"})
    said = json.loads(play(root, "entity", "merge", "From", "Into", "--json")[1])
    assert said["trashed"] == ".trash/From.md"
    assert said["properties"] == {"aliases": ["From"]}
    assert said["links"] == [
        {"path": "a.md", "line": 1, "before": "[[From]]", "after": "[[Into|From]]"}
    ]
