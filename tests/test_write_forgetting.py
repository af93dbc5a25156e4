"""Notes put aside, thrown away and taken back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import MakeApp, MakeVault
from tests.test_write_moving import play, texts

NOTE = "---\nid: m-1\n# mine\nstatus:   occurred # so\n---\r\nText\r\n"


def test_archived_and_back(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": NOTE, "b.md": "Plain"})
    assert play(root, "archive", "m-1", "--dry-run")[0] == 0
    assert texts(root)["a.md"] == NOTE
    assert play(root, "archive", "m-1") == (0, "a.md: archived\n")
    archived = NOTE.replace("occurred", "archived").replace(
        "---\r\n", "outcome: occurred\n---\r\n"
    )
    assert texts(root)["a.md"] == archived
    assert play(root, "archive", "m-1") == (0, "a.md: archived already\n")
    assert play(root, "archive", "m-1", "--undo") == (0, "a.md: occurred\n")
    assert texts(root)["a.md"] == NOTE
    assert play(root, "archive", "b.md")[0] == 0
    assert texts(root)["b.md"] == "---\nstatus: archived\n---\nPlain"


def test_one_note_that_can_not_be_changed_stops_no_other(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "---\na: b: c\n---\n", "b.md": ""})
    code, out = play(root, "archive", "a.md", "b.md", "--json")
    assert code == 4
    said = json.loads(out)
    assert [note["path"] for note in said["notes"]] == ["b.md"]
    assert [each["path"] for each in said["failed"]] == ["a.md"]


def test_forgotten_and_taken_back(make_vault: MakeVault, make_app: MakeApp) -> None:
    files = {
        "sub/a.md": NOTE,
        "x/a.md": "Another",
        "b.md": "[[sub/a]] [[sub/a|x]]",
        "sub/c.md": "[[a]]",
    }
    root = make_vault(files)
    code, out = play(root, "forget", "m-1", "--json")
    assert code == 0
    said = json.loads(out)
    assert said["notes"] == [
        {
            "path": "sub/a.md",
            "id": "m-1",
            "to": ".trash/sub/a.md",
            "status": "",
            "changed": True,
        }
    ]
    assert said["links"] == [
        {"path": "b.md", "line": 1, "target": "sub/a", "to": ""},
        {"path": "b.md", "line": 1, "target": "sub/a", "to": ""},
        {"path": "sub/c.md", "line": 1, "target": "a", "to": "x/a.md"},
    ]
    app = make_app(root)
    assert app.reader().nodes_by_id("m-1") == []
    (entry,) = app.ledger.entries
    assert (entry.what, entry.key, entry.id) == ("trashed", "m-1", "m-1")
    assert (entry.path, entry.to) == ("sub/a.md", ".trash/sub/a.md")
    assert play(root, "restore", "m-1")[0] == 0
    assert texts(root) == files
    assert play(root, "restore", "m-1")[0] == 3


@pytest.mark.parametrize(
    "name", ["m-1", "sub/a.md", "sub/a", ".trash/sub/a.md", ".trash/sub/a"]
)
@pytest.mark.parametrize("ledger", [True, False])
def test_what_a_thrown_away_note_is_called(
    name: str, ledger: bool, make_vault: MakeVault
) -> None:
    root = make_vault({"sub/a.md": NOTE})
    if ledger:
        assert play(root, "forget", "sub/a.md")[0] == 0
    else:  # as Obsidian throws it away
        (root / ".trash/sub").mkdir(parents=True)
        (root / "sub/a.md").rename(root / ".trash/sub/a.md")
    assert play(root, "restore", name, "--dry-run")[0] == 0
    assert not (root / "sub/a.md").exists()
    assert play(root, "restore", name)[0] == 0
    assert texts(root) == {"sub/a.md": NOTE}


def test_the_last_one_of_several_comes_back_first(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "one"})
    play(root, "forget", "a.md")
    (root / "a.md").write_text("two")
    play(root, "forget", "a.md")
    assert texts(root) == {".trash/a.md": "one", ".trash/a 2.md": "two"}
    assert play(root, "restore", ".trash/a 2.md")[0] == 0
    assert texts(root) == {".trash/a.md": "one", "a.md": "two"}


def test_nothing_is_restored_over_a_file(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "one"})
    play(root, "forget", "a.md")
    (root / "a.md").write_text("two")
    code, out = play(root, "restore", "a.md")
    assert code == 4
    assert "a.md exists already" in out
    assert texts(root) == {".trash/a.md": "one", "a.md": "two"}
    assert play(root, "restore", "a.m")[0] == 3


def test_what_an_import_made_and_the_user_forgot_is_known(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    from mindcache.vault import Entry

    root: Path = make_vault({"a.md": NOTE})
    app = make_app(root)
    app.ledger.add([Entry("made", "calendar", "uid-1", id="m-1", path="a.md")])
    play(root, "forget", "m-1")
    again = make_app(root)
    made = again.ledger.made("calendar")
    gone = {e.id for e in again.ledger.entries if e.what == "trashed"}
    assert made["uid-1"] in gone


def test_an_outcome_comes_back_as_it_was_and_none_is_made_up(
    make_vault: MakeVault,
) -> None:
    heads = (
        "type: event\nstatus: occurred\n",
        "type: event\nstatus: active\noutcome: missed\n",
        "type: plan\nstatus: missed\noutcome: missed\n",
        "type: plan\nstatus: planned\n",
        "status: Done\noutcome: a draw\n",
    )
    files = {f"n{n}.md": f"---\n{head}---\n" for n, head in enumerate(heads)}
    root = make_vault(files)
    assert play(root, "archive", *files)[0] == 0
    assert all("status: archived" in text for text in texts(root).values())
    assert play(root, "archive", *files, "--undo")[0] == 0
    assert texts(root) == files


def test_nothing_is_thrown_away_that_the_ledger_can_not_tell_of(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"a.md": NOTE, "b.md": "Plain"}
    root = make_vault(files)
    real, full = os.write, True

    def write(descriptor: int, data: bytes) -> int:
        return real(descriptor, data[:10] if full else data)

    monkeypatch.setattr(os, "write", write)
    code, out = play(root, "forget", "a.md", "b.md")
    assert (code, "can't be written" in out) == (1, True)
    assert texts(root) == files
    (ledger,) = (root / ".mindcache/ledger").iterdir()
    assert ledger.read_bytes() == b""
    full = False
    assert play(root, "forget", "a.md")[0] == 0
    full = True
    code, out = play(root, "restore", "a.md")
    assert (code, "a.md is restored, but" in out) == (1, True)
    assert texts(root) == files


def test_a_note_whose_id_another_has_by_now_comes_back_with_a_word(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"a.md": NOTE})
    assert play(root, "forget", "a.md")[0] == 0
    (root / "b.md").write_text(NOTE)
    code, out = play(root, "restore", "a.md")
    assert code == 0
    assert "a.md and b.md carry the same id, m-1" in out
    code, out = play(root, "show", "m-1")
    assert (code, "name one of: a.md, b.md" in out) == (3, True)


def test_a_note_without_a_status_comes_back_without_one(make_vault: MakeVault) -> None:
    plain = "---\ntags: [x]\n---\nTea.\n"
    root = make_vault({"Tea.md": plain})
    assert play(root, "archive", "Tea.md")[0] == 0
    assert "status: archived" in (root / "Tea.md").read_text()
    code, out = play(root, "archive", "--undo", "Tea.md")
    assert (code, out) == (0, "Tea.md: active\n")
    assert (root / "Tea.md").read_text() == plain


def test_a_note_that_can_not_be_read_is_named_with_one_mend(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"Tea.md": "---\nbroken: [\n---\nTea.\n"})
    code, out = play(root, "archive", "Tea.md", "--json")
    [failed] = json.loads(out)["failed"]
    assert code == 4
    assert failed["message"].startswith("Tea.md:2: YAML can't read the properties")
    assert failed["mend"] == "mend the line, or quote its value"
