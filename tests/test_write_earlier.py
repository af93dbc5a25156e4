"""Copies merged by what this machine remembers: which base, what is asked, what is kept."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.write.diverged import find, settle
from mindcache.write.earlier import joined
from tests.conftest import MakeApp, MakeVault
from tests.test_write_moving import play

NOTE = (
    "---\nid: m-1\nstatus: todo\nowner: Ines\ntags:\n  - tool/git\n---\n# Pumps\n\n"
    "- the first pump leaks\n"
)
NEWS = NOTE + "- the second pump was replaced on Monday\n"
OURS = NEWS.replace("todo", "done")
THEIRS = NEWS.replace("Ines", "Olav").replace("- the first pump leaks\n", "- fixed\n")
BOTH = THEIRS.replace("todo", "done")
COPY = "n.sync-conflict-20261130-032821-CJ7RRAW.md"
LONG_AGO = 1_700_000_000


@pytest.fixture
def shared(make_vault: MakeVault, make_app: MakeApp) -> tuple[Path, App]:
    """A vault that Syncthing shares, in which a note was seen to get news."""
    root = make_vault({".stfolder/x": "", "other.md": "other\n"})
    app = make_app(root)
    app.update()
    for text in (NOTE, NEWS):
        came(app, text)
    return root, app


def came(app: App, text: str) -> None:
    """A version came from another machine."""
    note = Path(app.vault.root) / "n.md"
    note.write_text(text)
    os.utime(note, (LONG_AGO, LONG_AGO))
    app.update()


def conflict(root: Path, ours: str, theirs: str) -> None:
    (root / "n.md").write_text(ours)
    (root / COPY).write_text(theirs)


def test_values_and_lines_replaced_apart_come_together(
    shared: tuple[Path, App],
) -> None:
    root, app = shared
    conflict(root, OURS, THEIRS)
    (pair,) = find(app)
    assert pair.is_certain
    assert pair.base == "the version that was here on 2026-11-30 at 12:00"
    assert settle(app).failed == []
    assert (root / "n.md").read_text() == BOTH
    assert (root / ".trash/n.md").read_text() == OURS
    assert (root / ".trash" / COPY).read_text() == THEIRS
    assert find(app) == []


def test_the_command_says_by_which_version(make_vault: MakeVault) -> None:
    root = make_vault({".stfolder/x": "", "n.md": NOTE})
    play(root, "index", "update")
    (root / "n.md").write_text(NEWS)
    play(root, "index", "update")
    conflict(root, OURS, THEIRS)
    (pair,) = json.loads(play(root, "doctor", "conflicts", "--json")[1])["pairs"]
    assert (pair["certain"], pair["clashes"]) == (True, [])
    assert pair["base"].startswith("the version that was here on ")
    assert "merges by itself, by the version" in play(root, "doctor", "conflicts")[1]
    out = play(root, "doctor", "conflicts", "--merge")[1]
    assert f"Merged: {COPY} into n.md, by the version that was here on " in out
    assert (root / "n.md").read_text() == BOTH


def test_without_a_sync_program_nothing_is_remembered_and_a_person_is_asked(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"n.md": NOTE})
    app = make_app(root)
    came(app, NEWS)
    conflict(root, OURS, THEIRS)
    (pair,) = find(app)
    assert (pair.is_certain, pair.base) == (False, "")
    assert pair.clashes == ("status", "owner", "lines")


def test_what_both_changed_is_asked_and_nothing_written(
    shared: tuple[Path, App],
) -> None:
    root, app = shared
    conflict(root, OURS, NEWS.replace("todo", "waiting"))
    (pair,) = find(app)
    assert (pair.is_certain, pair.clashes) == (False, ("status",))
    assert settle(app).settled == []
    assert (root / "n.md").read_text() == OURS
    # Set and taken back: which of both comes last, nobody knows.
    came(app, OURS)
    conflict(root, NEWS.replace("Ines", "Nils"), OURS + "- more\n")
    (pair,) = find(app)
    assert (pair.is_certain, pair.clashes) == (False, ("what was there before",))


def test_what_came_from_elsewhere_is_no_proof_unless_there_are_but_two(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    for said in ("", "machines = 3\n"):
        root = make_vault({".stfolder/x": "", ".mindcache/config.toml": said})
        app = make_app(root)
        app.update()
        came(app, NEWS)
        conflict(root, OURS, THEIRS)
        assert [pair.is_certain for pair in find(app)] == [False]


def test_a_third_machine_makes_the_first_version_no_proof(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault(
        {
            ".stfolder/x": "",
            ".mindcache/config.toml": "machines = 2\n",
            "other.md": "other\n",
        }
    )
    app = make_app(root)
    app.update()
    came(app, NEWS)
    conflict(root, OURS, THEIRS)
    assert [pair.is_certain for pair in find(app)] == [True]
    ledger = root / ".mindcache/ledger"
    ledger.mkdir(parents=True)
    for device in ("laptop-1a2b", "tower-3c4d"):
        (ledger / f"{device}.jsonl").write_text("")
    assert [pair.is_certain for pair in find(app)] == [True]
    phone = root / ".obsidian/workspace-mobile.json"
    phone.write_text("{}")
    assert [pair.is_certain for pair in find(app)] == [False]
    phone.unlink()
    # Whoever lost a conflict once is remembered.
    for device in ("AAAAAAA", "BBBBBBB", "MINDC00"):
        other = root / f"other.sync-conflict-20261101-032821-{device}.md"
        other.write_text("other\n")
        app.update()
        find(app)
        other.unlink()
    app.update()
    assert [pair.is_certain for pair in find(app)] == [False]


def test_what_is_deleted_on_one_side_stays_deleted(shared: tuple[Path, App]) -> None:
    root, app = shared
    ours = NEWS.replace("- the first pump leaks\n", "")
    conflict(root, ours, NEWS + "- paint arrived this morning\n")
    assert settle(app).failed == []
    assert (root / "n.md").read_text() == ours + "- paint arrived this morning\n"


def test_versions_that_cannot_be_read_are_a_remark(shared: tuple[Path, App]) -> None:
    _, app = shared
    assert app.versions is not None
    os.unlink(app.versions.path)
    os.mkdir(app.versions.path)
    found = joined(app, "n.md", OURS.encode(), THEIRS.encode())
    assert not found.merged.is_certain
    assert "earlier versions can't be kept or read" in app.remarks[0]
