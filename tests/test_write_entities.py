"""Notes about people and things: made once, and two of them made one."""

from __future__ import annotations

import json

import pytest

from mindcache.note import parse
from mindcache.write.joining import united
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
        .replace("e\u0301]", "e\u0301, From, m-2]")
        .replace(
            'about: "[[Topic]]"\n---',
            'about:\n  - "[[Topic]]"\n  - "[[Topic|t]]"\nlocation: Bergen\n---',
        )
        .replace("[[From]]", "[[Into|From]]")
        + "\n## From\n\n- summary: Other words.\n\nKnows [[Into]], see [t](Topic.md).\n"
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
    assert united(["a", "a", "B"], ["b", "c", "C", 1]) == ["a", "a", "B", "c", 1]
    assert united("x", ["X", "y"]) == ["x", "y"]


def test_a_merge_said_as_json(make_vault: MakeVault) -> None:
    root = make_vault({"From.md": "", "Into.md": "", "a.md": "[[From]]"})
    said = json.loads(play(root, "entity", "merge", "From", "Into", "--json")[1])
    assert said["trashed"] == ".trash/From.md"
    assert said["properties"] == {"aliases": ["From"]}
    assert said["links"] == [
        {"path": "a.md", "line": 1, "before": "[[From]]", "after": "[[Into|From]]"}
    ]


def test_headings_and_blocks_of_one_name_keep_leading_to_their_own_text(
    make_vault: MakeVault,
) -> None:
    root = make_vault(
        {
            "From.md": "# Notes\nFrom's. ^b1\n\n## Old *plan* ##\nx [[#Notes]] [[#^b1]]\n\nSet\ntwo\n---\ny ^own\n",
            "Into.md": "# Notes\nInto's. ^b1\n\n## old plan\n[[From#Notes]] [[#Notes]]\n\n## Set two\n\nz ^b1-2\n",
            "a.md": "[[From#Notes]] [[From#^b1|x]] [n](From.md#Old%20*plan*) ![[From#Notes#Old *plan*]]",
            "b.md": "|t|\n|-|\n|[[From#Notes\\|s]]|\n\n[[From#^own]] [[From#Gone]] [[Into#Notes]]",
        }
    )
    assert play(root, "entity", "merge", "From", "Into")[0] == 0
    after = texts(root)
    assert after["Into.md"] == (
        "---\naliases:\n  - From\n---\n"
        "# Notes\nInto's. ^b1\n\n## old plan\n"
        "[[Into#Notes (From)|From > Notes]] [[#Notes]]\n\n## Set two\n\nz ^b1-2\n"
        "\n## From\n\n# Notes (From)\nFrom's. ^b1-3\n\n## Old *plan* (From) ##\n"
        "x [[#Notes (From)|Notes]] [[#^b1-3|^b1]]\n\nSet\ntwo (From)\n---\ny ^own\n"
    )
    assert after["a.md"] == (
        "[[Into#Notes (From)|From > Notes]] [[Into#^b1-3|x]]"
        " [n](Into.md#Old%20*plan*%20%28From%29)"
        " ![[Into#Notes (From)#Old *plan* (From)]]"
    )
    assert after["b.md"] == (
        "|t|\n|-|\n|[[Into#Notes (From)\\|s]]|\n\n"
        "[[Into#^own|From > ^own]] [[Into#Gone|From > Gone]] [[Into#Notes]]"
    )
    assert play(root, "links", "a.md")[0] == 0


def test_what_both_notes_say_differently_is_kept_and_told(
    make_vault: MakeVault,
) -> None:
    root = make_vault(
        {
            "From.md": "---\nid: m-2\nemail: p2\nkind: 'a #person'\nphones: 7\nsame: x\n---\n",
            "Into.md": "---\nid: m-1\nemail: p1\nkind: people\nphones: [5]\nsame: X\n---\nText\n",
        }
    )
    code, out = play(root, "entity", "merge", "From", "Into", "--dry-run", "--json")
    assert code == 0
    differing = {
        "email": {"into": "p1", "from": "p2"},
        "kind": {"into": "people", "from": "a #person"},
    }
    assert json.loads(out)["differing"] == differing
    code, out = play(root, "entity", "merge", "From", "Into")
    assert "email: p1 stays; p2 is kept in the text" in out
    note = parse("", (root / "Into.md").read_bytes())
    assert note.properties["phones"] == [5, 7]
    assert note.properties["aliases"] == ["From", "m-2"]
    assert note.body == "Text\n\n## From\n\n- email: p2\n- kind: `a #person`\n"
    assert "Into.md" in play(root, "show", "m-2")[1]


def test_nothing_is_put_into_a_block_that_is_left_open(make_vault: MakeVault) -> None:
    root = make_vault({"From.md": "Text", "Into.md": "```\ncode\n"})
    before = files(root)
    assert play(root, "entity", "merge", "From", "Into")[0] == 4
    assert files(root) == before


def test_a_merge_that_can_not_be_completed_is_tried_again(
    make_vault: MakeVault, unwritable: set[str]
) -> None:
    root = make_vault(
        {"From.md": "# H\nT", "Into.md": "# H\n", "a.md": "[[From#H]]", "c.md": ""}
    )
    unwritable.add("a.md")
    assert play(root, "entity", "merge", "From", "Into")[0] == 1
    text = texts(root)["Into.md"]
    for call in (("doctor",), ("doctor", "--repair"), ("archive", "c.md")):
        code, out = play(root, *call)
        assert "not wholly merged into Into.md" in out
        assert "a.md can't be written" in out
        assert code == (1 if call[0] == "doctor" else 0)
        assert "finished" not in out
    # Others can be merged meanwhile.
    assert play(root, "entity", "merge", "c", "Into")[0] == 0
    unwritable.clear()
    assert "finished an interrupted merge" in play(root, "doctor", "--repair")[1]
    after = texts(root)
    assert after["a.md"] == "[[Into#H (From)|From > H]]"
    assert after["Into.md"].count("## From") == 1
    assert text.partition("---\n# H")[2] in after["Into.md"]
    assert "From.md" not in after
    assert not (root / ".mindcache/tmp").exists()
