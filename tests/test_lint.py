"""Each breach of the contract with its line and its mend, and what is none."""

from __future__ import annotations

import pytest

from mindcache.config import SETTINGS
from mindcache.errors import Problem
from mindcache.lint import check, check_links, check_text, property_line
from mindcache.memory import RELATIONS, Meaning, describe
from mindcache.merge import merge
from mindcache.note import parse

NAMESPACES = next(s.default for s in SETTINGS if s.key == "namespaces")
GOOD = """---
id: m-01ARYZ6S41TSV4RRFFQ69G5FAV
type: fact
summary: What this note says
tags:
  - tool/git
  - scope/project
status: active
created_at: 2026-03-05T14:30
---
Text with [[a link]] and #a-flat-tag.
"""


def lint(text: str, path: str = "memory/Note.md", *paths: str) -> list[Problem]:
    note = parse(path, text.encode())
    memory = describe(note, Meaning(contract_paths=paths))
    assert isinstance(NAMESPACES, list)
    found = check(note, memory, NAMESPACES)
    assert all(p.path == path and p.severity == "error" for p in found)
    return found


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_a_note_that_keeps_the_contract_has_no_breach() -> None:
    assert lint(GOOD) == []


def test_a_note_that_is_not_under_contract_has_none() -> None:
    assert lint("No frontmatter at all.") == []
    assert lint("---\nid: 42\ntype: nonsense\n---\n") == []


@pytest.mark.parametrize("kind", ["topic", "journal", "proposal"])
def test_notes_of_another_shape_have_none(kind: str) -> None:
    assert lint(f"---\nid: m-01ARYZ6S41TSV4RRFFQ69G5FAV\ntype: {kind}\n---\n") == []


BREACHES = [
    ("summary: What this note says\n", "", 1, "summary", "no summary", "summary: "),
    ("summary: What this note says", "summary:", 4, "summary", "no summary", "add one"),
    ("type: fact\n", "", 1, "type", "no type", "fact, event"),
    ("type: fact", "type:", 3, "type", "no type", "fact, event"),
    ("type: fact", "type: book", 3, "type", "unknown type 'book'", "one of: fact"),
    ("type: fact", 'type: "[[Book]]"', 3, "type", "unknown type '[[Book]]'", "one of"),
    ("type: fact", "type: [fact]", 3, "type", "unknown type", "one of: fact"),
    ("status: active", "status: done", 8, "status", "unknown status 'done'", "missed"),
    ("status: active", "status: hot", 8, "status", "unknown status 'hot'", "missed"),
    ("created_at: 2026-03-05T14:30\n", "", 1, "created_at", "no created_at", "2026-03"),
    ("created_at: 2026-03-05T14:30", "created_at: soon", 9, "created_at",
     "'soon' is not a date", "write it as created_at: 2026-03-05"),
    ("created_at: 2026-03-05T14:30", "created_at: 2026-02-30", 9, "created_at",
     "'2026-02-30' is not a date", "write it as"),
    ("  - scope/project\n", "", 5, "tags", "no scope/ tag", "add scope/project"),
    ("  - tool/git", "  - Git", 6, "tags", "the tag Git has no known namespace",
     "one of: tool/, client/"),
    ("  - tool/git", "  - tools/git", 6, "tags", "the tag tools/git has no known", "tool/"),
    ("status: active", "confidence: 1.5", 8, "confidence", "'1.5' is not a number",
     "confidence: 0.5"),
    ("status: active", "confidence: high", 8, "confidence", "'high' is not", "0.5"),
    ("status: active", "importance: true", 8, "importance", "'True' is not", "0.5"),
    ("status: active", "importance: .nan", 8, "importance", "'.nan' is not", "0.5"),
    ("status: active", "time_start: 2026-03-06\ntime_end: 2026-03-05", 9, "time_end",
     "time_end lies before time_start", "swap"),
    ("status: active", "valid_until: 2026-03-05\nvalid_from: 2026-03-06", 8,
     "valid_until", "valid_until lies before valid_from", "swap"),
    ("status: active", "updated_at: 2026-03-05T14:29", 8, "updated_at",
     "updated_at lies before created_at", "swap"),
    ("status: active", "about: Ana", 8, "about", "'Ana' in about is not a link",
     'write "[[Ana]]"'),
    ("status: active", "entities:\n  - \"[[Bob]]\"\n  - Ana", 10, "entities",
     "'Ana' in entities is not a link", 'write "[[Ana]]"'),
    ("status: active", "about: \"[x](n/%5Bx%5D.md)\"", 8, "about", "is not a link",
     "rename the note"),
    ("status: active", "contradicts: {a: b}", 8, "contradicts", "is not a link", "write"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "key", "message", "mend"), BREACHES)
def test_a_breach_names_its_line_and_its_mend(
    old: str, new: str, line: int, key: str, message: str, mend: str
) -> None:
    (found,) = lint(changed(old, new))
    assert (found.line, found.code) == (line, f"contract-{key}")
    assert message in found.message
    assert mend in found.mend


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("type: fact", "type: Fact"),
        ("status: active\n", ""),
        ("status: active", "status:"),
        ("  - tool/git", "  - Tool/Git"),
        ("  - tool/git", "  - tool/git\n  - SCOPE/global"),
        ("tags:\n  - tool/git\n  - scope/project", "tags: [tool/git, scope/project]"),
        ("created_at: 2026-03-05T14:30", "created_at: 2026-03-05"),
        ("created_at: 2026-03-05T14:30", 'created_at: "2026-03-05 14:30"'),
        ("status: active", "updated_at: 2026-03-05"),
        ("status: active", "updated_at: 2026-03-05T14:30"),
        ("status: active", "valid_from: 2026-03-05\nvalid_until: 2026-03-05"),
        ("status: active", "valid_until: 9999-12-31"),
        ("status: active", "time_end: 2026-03-05"),
        (
            "status: active",
            "time_start: 2026-03-05T10:00+02:00\ntime_end: 2026-03-05T09:00Z",
        ),
        ("status: active", "confidence: 0\nimportance: 1"),
        ("status: active", "confidence:"),
        ("status: active", 'about: "[[Ana]]"\nentities: ["[[Ana|her]]"]'),
        ("status: active", "about:\nentities: []"),
        ("status: active", "about: [[Ana]]"),
        ("status: active", 'author: Ana\nparent: "nobody"'),
        ("status: active", "custom: anything"),
        ("\n", "\r\n"),
        ("\n", "\r"),
    ],
)
def test_what_is_no_breach(old: str, new: str) -> None:
    assert lint(changed(old, new)) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_the_file_whatever_ends_them(newline: str) -> None:
    text = changed("status: active", 'note: "a\u2028b"\nstatus: done')
    (found,) = lint(text.replace("\n", newline))
    assert found.line == 9


def test_several_breaches_come_by_line() -> None:
    found = lint("---\nid: m-01ARYZ6S41TSV4RRFFQ69G5FAV\nstatus: x\ntags: [git]\n---\n")
    assert [(p.line, p.code) for p in found] == [
        (1, "contract-created_at"),
        (1, "contract-summary"),
        (1, "contract-type"),
        (3, "contract-status"),
        (4, "contract-tags"),
        (4, "contract-tags"),
    ]


def test_a_folder_under_contract_binds_notes_without_an_id() -> None:
    assert len(lint("Plain text.", "memory/Note.md", "memory")) == 4
    assert lint("Plain text.", "other/Note.md", "memory") == []


def test_properties_that_cannot_be_read_are_the_one_breach() -> None:
    (found,) = lint("---\ntype: fact\ntags: [a\n---\nText\n", "memory/N.md", "memory")
    assert found.code == "frontmatter-broken"
    assert found.line == 3


def test_the_namespaces_are_the_vaults() -> None:
    note = parse("a.md", changed("tool/git", "area/home").encode())
    memory = describe(note, Meaning())
    assert check(note, memory, ["Area/", "scope"]) == []
    assert [p.code for p in check(note, memory, ["scope"])] == ["contract-tags"]


@pytest.mark.parametrize(
    ("block", "key", "line"),
    [
        ("a: 1\ntype: x\n", "type", 3),
        ("a: 1\n'type': x\n", "type", 3),
        ('a: 1\n"type" : x\n', "type", 3),
        ("# type: no\nb: |\n  type: no\ntype: x\n", "type", 5),
        ("a:\n- type: no\ntype: x\n", "type", 4),
        ("- type: no\n", "type", 1),
        ("a: 1\n", "type", 1),
        ("type:x\n", "type", 1),
        ("my type: 1\n", "my type", 2),
    ],
)
def test_the_line_of_a_property(block: str, key: str, line: int) -> None:
    assert property_line(parse("a.md", f"---\n{block}---\n".encode()), key) == line


def test_a_note_without_properties_has_them_on_its_first_line() -> None:
    assert property_line(parse("a.md", b"Text\n"), "type") == 1


def test_a_link_by_alias_is_told_with_the_form_obsidian_resolves() -> None:
    """C5: what only we resolve is said, and how to write it."""
    rows = [
        ("a.md", 3, "AI", "deep/Artificial Intelligence.md"),
        ("a.md", 9, "m-1", "Log.MD"),
    ]
    one, two = check_links(rows)
    assert (one.path, one.line, one.code) == ("a.md", 3, "link-by-alias")
    assert one.mend == "write [[Artificial Intelligence|AI]]"
    assert "nowhere in Obsidian" in one.message
    assert one.severity == "warning"
    assert two.mend == "write [[Log|m-1]]"


def test_every_relation_is_checked() -> None:
    for relation in (*RELATIONS, "entities", "superseded_by"):
        (found,) = lint(changed("status: active", f"{relation}: Ana"))
        assert found.code == f"contract-{relation}"


@pytest.mark.parametrize("side", ["one", "other", "both"])
def test_what_a_settled_conflict_leaves_in_the_text_is_told(side: str) -> None:
    """Markers deleted around a property that two machines changed, one line kept."""
    ours = changed("What this note says", "One")
    theirs = changed("What this note says", "Another")
    merged = merge("memory/Note.md", GOOD.encode(), ours.encode(), theirs.encode())
    gone = ("<<<<<<<", "=======", ">>>>>>>")
    lines = [
        line for line in merged.data.decode().split("\n") if not line.startswith(gone)
    ]
    place = lines.index("---", 1) + 1
    assert lines[place : place + 2] == ["summary: One", "summary: Another"]
    if side != "both":
        del lines[place + (side == "one")]
    note = parse("memory/Note.md", "\n".join(lines).encode())
    found = check_text(note)
    assert [p.line for p in found] == [place + 1, place + 2][: len(found)]
    assert len(found) == (2 if side == "both" else 1)
    assert all(p.severity == "warning" and "summary" in p.message for p in found)
    del lines[place : place + len(found)]
    assert check_text(parse("memory/Note.md", "\n".join(lines).encode())) == []


@pytest.mark.parametrize("text", ["Note: it rains.", "We say summary: no.", "rain: x"])
def test_a_text_that_begins_otherwise_is_a_text(text: str) -> None:
    note = parse("n.md", changed("Text with", f"{text}\nsummary: x").encode())
    assert check_text(note) == []
