"""Changing a note touches what is meant, and no other byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache import scribe
from mindcache.app import App
from mindcache.errors import (
    AmbiguousName,
    ChangedMeanwhile,
    EditRefused,
    MindcacheError,
    NoteNotFound,
    Refused,
    UsageError,
)
from mindcache.note import parse
from mindcache.write.update import Edits, read_assignments
from tests.conftest import MakeApp, MakeVault

ID = "m-01KA00000000000000000000A1"
OURS = f"""---
# mine
id: {ID}
type: fact
summary:   Old # keep
code: "007"
date: 2026-06-29
tags: [scope/global, "tool/git"]
folded: >-
  one
  two
created_at: 2026-01-01
---

Text with *marks*.\r
- a list
"""
VAULT = {"Ours.md": OURS, "Plain.md": "Just text, no end", "Book.md": "---\ntype: '[[B]]'\n---\nx\n"}  # fmt: skip


@pytest.fixture
def app(make_vault: MakeVault, make_app: MakeApp) -> App:
    return make_app(make_vault(VAULT))


def read(app: App, path: str) -> bytes:
    return (Path(app.vault.root) / path).read_bytes()


def test_only_what_is_meant_differs(app: App) -> None:
    """Field case B1."""
    scribe.update(app, ID, Edits(summary="New", add_tags=("tool/zsh",)))
    expected = (
        OURS.replace("summary:   Old # keep", "summary:   New # keep")
        .replace('"tool/git"]', '"tool/git", tool/zsh]')
        .replace(
            "created_at: 2026-01-01\n",
            "created_at: 2026-01-01\nupdated_at: 2026-11-30T12:00\n",
        )
    )
    assert read(app, "Ours.md").decode() == expected
    node = app.reader().find_node("Ours.md")
    assert node is not None
    assert node.summary == "New"
    assert "tool/zsh" in node.tags


@pytest.mark.parametrize(
    ("edits", "moves"),
    [
        (Edits(assign={"status": "archived"}), False),
        (Edits(assign={"status": "archived", "outcome": "missed"}), False),
        (Edits(assign={"status": "archived"}, append="Over."), True),
        (Edits(add_tags=("tool/git",)), False),
        (Edits(assign={"code": "007"}), False),
        (Edits(unset=("code",)), True),
        (Edits(body="Other."), True),
    ],
)
def test_updated_at_moves_with_content(app: App, edits: Edits, moves: bool) -> None:
    scribe.update(app, ID, edits)
    assert (b"updated_at: 2026-11-30T12:00\n" in read(app, "Ours.md")) is moves


def test_a_plain_note_gets_no_stamp(app: App) -> None:
    scribe.update(app, "Plain.md", Edits(append="More."))
    assert read(app, "Plain.md") == b"Just text, no end\n\nMore.\n"
    scribe.update(app, "Plain", Edits(add_tags=("tool/git",)))
    assert read(app, "Plain.md").startswith(b"---\ntags:\n  - tool/git\n---\nJust")


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", "More", "More\n"),
        ("a\n", "More", "a\n\nMore\n"),
        ("a\n\n", "\nMore\n\n", "a\n\nMore\n"),
        ("- a", "- b", "- a\n- b\n"),
        ("1. a\n", "2. b", "1. a\n2. b\n"),
        ("a\r\nb\r\n", "c\nd", "a\r\nb\r\n\r\nc\r\nd\r\n"),
        ("---\nx: 1\n---\n", "More", "---\nx: 1\n---\nMore\n"),
        ("```\ncode\n```\n", "More", "```\ncode\n```\n\nMore\n"),
    ],
)
def test_append(
    before: str, text: str, after: str, make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({"n.md": before}))
    scribe.update(app, "n.md", Edits(append=text))
    assert read(app, "n.md").decode() == after


def test_body_replaces_the_text_alone(app: App) -> None:
    scribe.update(app, ID, Edits(body="One\r\nTwo"))
    head = OURS.partition("\n---\n\n")[0]
    data = read(app, "Ours.md").decode()
    assert data == f"{head}\nupdated_at: 2026-11-30T12:00\n---\nOne\nTwo\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("k=0.5", 0.5),
        ("k=7", 7),
        ("k=007", "007"),
        ("k=1.50", "1.50"),
        ("k=true", True),
        ("k=yes", "yes"),
        ("k=2026-06-29", "2026-06-29"),
        ("k=a: b # c", "a: b # c"),
        ("k=[a, b]", ["a", "b"]),
        ("k=[[Note]]", "[[Note]]"),
        ("k=", None),
        ("k=a=b", "a=b"),
        ("k=[a", "[a"),
    ],
)
def test_assignments_keep_what_was_typed(app: App, text: str, value: object) -> None:
    assert read_assignments([text]) == {"k": value}
    scribe.update(app, "Plain.md", Edits(assign=read_assignments([text])))
    assert parse("", read(app, "Plain.md")).properties["k"] == value


@pytest.mark.parametrize("text", ["k", "=v", " =v"])
def test_an_assignment_needs_a_key(text: str) -> None:
    with pytest.raises(UsageError):
        read_assignments([text])


@pytest.mark.parametrize(
    ("path", "edits", "error"),
    [
        ("Ours.md", Edits(assign={"id": "m-1"}), Refused),
        ("Ours.md", Edits(unset=("id",)), Refused),
        ("Ours.md", Edits(assign={"status": "closed"}), Refused),
        ("Ours.md", Edits(unset=("summary",)), Refused),
        ("Ours.md", Edits(unset=("created_at",)), Refused),
        ("Ours.md", Edits(remove_tags=("scope/global",)), Refused),
        ("Ours.md", Edits(add_tags=("flat",)), Refused),
        ("Ours.md", Edits(assign={"about": "Somebody"}), Refused),
        ("Ours.md", Edits(assign={"valid_from": "2026-02-01", "valid_until": "2026-01-01"}), Refused),
        ("Ours.md", Edits(add_tags=("#",)), UsageError),
        ("Ours.md", Edits(append="a", body="b"), UsageError),
        ("Ours.md", Edits(summary="a", assign={"summary": "b"}), UsageError),
        ("Ours.md", Edits(unset=("tags",), add_tags=("tool/x",)), UsageError),
        ("Plain.md", Edits(body="---\na: 1\n---\n"), Refused),
        ("Plain.md", Edits(append="half \ud800"), Refused),
        ("Ours", Edits(append="word " * 300_000), Refused),
    ],
)  # fmt: skip
def test_what_is_refused_changes_nothing(
    app: App, path: str, edits: Edits, error: type[MindcacheError]
) -> None:
    """Among them field case F5: an end before its beginning."""
    with pytest.raises(error):
        scribe.update(app, path, edits)
    assert read(app, "Ours.md").decode() == OURS
    assert read(app, "Plain.md").decode() == VAULT["Plain.md"]


def test_an_old_breach_keeps_nobody_from_changing_something_else(app: App) -> None:
    scribe.update(app, "Book.md", Edits(assign={"year": 1984}))
    assert read(app, "Book.md") == b"---\ntype: '[[B]]'\nyear: 1984\n---\nx\n"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("---\na: [\n---\nx\n", EditRefused),
        ("---\na: 1\na: 2\n---\nx\n", EditRefused),
        ("---\na: &x 1\nsummary: *x\n---\nx\n", EditRefused),
        ("---\n\tsummary: a\n---\nx\n", EditRefused),
        ("caf\xe9".encode("latin-1"), EditRefused),
        ("a\n```\ncode\n", Refused),
    ],
)
def test_a_note_that_is_not_safe_is_left_alone(
    text: str | bytes,
    error: type[MindcacheError],
    make_vault: MakeVault,
    make_app: MakeApp,
) -> None:
    """Field case B2."""
    app = make_app(make_vault({"n.md": text}))
    with pytest.raises(error):
        scribe.update(app, "n.md", Edits(summary="New", append="More."))
    assert read(app, "n.md") == (text if isinstance(text, bytes) else text.encode())


def test_a_drawing_a_journal_and_a_generated_text_keep_theirs(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    drawing = "---\nexcalidraw-plugin: parsed\n---\nText\n\n# Excalidraw Data\n{}\n"
    topic = "%% mindcache:begin 1 %%\n- [[a]]\n%% mindcache:end %%\n"
    journal = "---\ntype: journal\n---\n- 10:00 Rain ^j-1\n"
    app = make_app(
        make_vault({"d.excalidraw.md": drawing, "t.md": topic, "j.md": journal})
    )
    with pytest.raises(Refused, match="journal"):
        scribe.update(app, "j.md", Edits(body="x"))
    with pytest.raises(Refused, match="drawing"):
        scribe.update(app, "d.excalidraw.md", Edits(append="x"))
    with pytest.raises(Refused, match="keeps up to date"):
        scribe.update(app, "t.md", Edits(body="x"))
    scribe.update(app, "t.md", Edits(append="x"))
    assert read(app, "t.md").decode() == f"{topic}\nx\n"


def test_no_likeness_is_good_enough(make_vault: MakeVault, make_app: MakeApp) -> None:
    """Field case C4."""
    twins = {f"{n}.md": f"---\nid: {ID[:-1]}B\n---\n" for n in "ab"}
    app = make_app(
        make_vault({"sub/Site plan.md": "---\naliases: [Plan]\n---\n", **twins})
    )
    for name in ("Site plan", "Plan", "sub/Site plans", "site plan", ""):
        with pytest.raises(NoteNotFound) as error:
            scribe.update(app, name, Edits(append="x"))
        assert error.value.exit_code == 3
    with pytest.raises(
        NoteNotFound, match=r"id or path \(did you mean sub/Site plan\.md"
    ):
        scribe.update(app, "Site plan", Edits(append="x"))
    with pytest.raises(AmbiguousName) as several:
        scribe.update(app, f"{ID[:-1]}B", Edits(append="x"))
    assert several.value.candidates == ["a.md", "b.md"]


def test_tags_that_are_one_text_stay_so_until_they_change(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({"n.md": "---\ntag: tool/a, '#tool/b'\n---\n#tool/c\n"}))
    before = read(app, "n.md")
    done = scribe.update(app, "n.md", Edits(remove_tags=("tool/c",)))
    assert done.rewrites[0].remarks == (
        "there is no tag tool/c among the properties; it stands in the text, line 4",
    )
    assert read(app, "n.md") == before
    scribe.update(app, "n.md", Edits(remove_tags=("#Tool/A",), add_tags=("tool: x",)))
    assert "tool/x" in str(parse("", read(app, "n.md")).properties["tag"])


def test_secrets_are_redacted_in_new_text_only(app: App) -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    (Path(app.vault.root) / "Old.md").write_text(f"Mine: {key}\n")
    done = scribe.update(app, "Old.md", Edits(append=f"Theirs: {key}"))
    assert read(app, "Old.md").decode() == f"Mine: {key}\n\nTheirs: REDACTED-AWS-key\n"
    assert done.rewrites[0].remarks == ("1 × AWS key redacted",)
    edits = Edits(summary=key, assign={"where": f"at {key}"}, append=key)
    done = scribe.update(app, "Old.md", edits)
    assert done.rewrites[0].remarks == ("3 × AWS key redacted",)
    assert read(app, "Old.md").decode().count(key) == 1


def test_a_note_changed_meanwhile_is_left_alone(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = app.look

    def late(path: str) -> object:
        found = look(path)
        (Path(app.vault.root) / path).write_text("Somebody was faster.\n")
        return found

    app.reader()
    monkeypatch.setattr(app, "look", late)
    with pytest.raises(ChangedMeanwhile):
        scribe.update(app, "Plain.md", Edits(append="x"))
    assert read(app, "Plain.md") == b"Somebody was faster.\n"


def test_a_dry_run_shows_and_writes_nothing(app: App) -> None:
    done = scribe.update(app, ID, Edits(summary="New"), dry_run=True)
    assert not done.written
    assert "+summary:   New # keep" in done.rewrites[0].diff()
    assert read(app, "Ours.md").decode() == OURS


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.text(alphabet=st.sampled_from("ab -*`#[]|:\n\r~\u2028合"), max_size=60),
    st.text(alphabet=st.sampled_from("ab -*`#\n%"), max_size=30),
)
def test_appending_loses_nothing(app: App, body: str, text: str) -> None:
    path = Path(app.vault.root) / "Any.md"
    path.write_bytes(body.encode())
    try:
        scribe.update(app, "Any.md", Edits(append=text))
    except MindcacheError:
        assert path.read_bytes() == body.encode()
        return
    data = path.read_bytes().decode()
    assert data.startswith(body)
    added = data[len(body) :].replace("\r\n", "\n").replace("\r", "\n")
    assert added.strip("\n") == text.strip("\n")


def test_what_stands_among_the_tags_and_is_none_stays(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    files = {
        "list.md": "---\ntags: [1, '#mine', {a: b}, old]\n---\nx\n",
        "map.md": "---\ntags: {a: b}\n---\nx\n",
    }
    app = make_app(make_vault(files))
    edits = Edits(add_tags=("tool/git",), remove_tags=("old",))
    scribe.update(app, "list.md", edits)
    found = parse("", read(app, "list.md")).properties["tags"]
    assert found == [1, "#mine", {"a": "b"}, "tool/git"]
    with pytest.raises(Refused, match=r"map.md: tags holds \{'a': 'b'\}"):
        scribe.update(app, "map.md", edits)
    assert read(app, "map.md").decode() == files["map.md"]
