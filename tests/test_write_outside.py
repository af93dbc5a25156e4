"""Nothing is written outside the vault, whatever a name leads to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mindcache.cli import run

NOTE = """---
id: m-01M646SRY04YHEFZPFVJVE4V41
type: fact
summary: A berth costs 38.
tags: [scope/global]
created_at: 2026-10-29T16:10
---
A berth costs 38.
"""
PLAN = (
    "---\ntype: plan\nstatus: planned\ntime_start: 2026-01-05\n---\nThe board meets.\n"
)
JOURNAL = "---\ntype: journal\ndate: 2026-11-30\n---\n- 10:00 Before ^j-aaaa\n"


@pytest.fixture
def places(make_vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with a folder, a file and a journal that are links to elsewhere."""
    vault = make_vault({"Berth.md": NOTE, "memory/Here.md": "Here.\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    for name, text in (("Theirs.md", NOTE), ("Plan.md", PLAN)):
        (outside / name).write_text(text)
    (outside / "2026-11-30.md").write_text(JOURNAL)
    os.symlink(outside, vault / "out")
    os.symlink(outside / "Theirs.md", vault / "Linked.md")
    os.symlink(outside, vault / "journal")
    monkeypatch.chdir(vault)
    return outside


def state(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize(
    "args",
    [
        ("remember", "Tide is at six.", "--scope", "global", "--folder", "out"),
        ("remember", "Tide is at six.", "--scope", "global", "--folder", "out/deep"),
        ("remember", "Tide is at six.", "--scope", "global", "--folder", "../outside"),
        ("remember", "Tide is at six.", "--scope", "global", "--folder", "a/../../x"),
        ("remember", "Tide is at six.", "--scope", "global", "--folder", "{outside}"),
        ("update", "out/Theirs.md", "--append", "x"),
        ("update", "../outside/Theirs.md", "--append", "x"),
        ("update", "{outside}/Theirs.md", "--append", "x"),
        ("update", "Linked.md", "--append", "x"),
        ("plan", "out/Plan.md", "occurred"),
        ("plan", "{outside}/Plan.md", "occurred"),
        ("retire", "out/Theirs.md"),
        ("retire", "Linked.md"),
        ("adopt", "out/Plan.md", "--write"),
        ("adopt", "{outside}/Plan.md", "--write"),
        ("archive", "out/Theirs.md"),
        ("forget", "out/Theirs.md"),
        ("forget", "{outside}/Theirs.md"),
        ("move", "Berth.md", "out"),
        ("move", "Berth.md", "../outside"),
        ("move", "Berth.md", "{outside}"),
        ("move", "memory", "out"),
        ("rename", "Berth.md", "../outside/Berth"),
        ("rename", "Linked.md", "Mine"),
        ("link", "out/Theirs.md", "about", "Berth"),
        ("journal", "append", "High water"),
        ("topics", "--canvas", "out/Topics.canvas"),
        ("topics", "--canvas", "../outside/Topics.canvas"),
    ],
    ids=" ".join,
)
def test_it_is_refused_and_nothing_changes(places: Path, args: tuple[str, ...]) -> None:
    before = state(places)
    here = (Path.cwd() / "Berth.md").read_bytes()
    code = run([arg.replace("{outside}", str(places)) for arg in args])
    assert code in {1, 2, 3, 4}
    assert state(places) == before
    assert (Path.cwd() / "Berth.md").read_bytes() == here


def test_what_travels_beside_the_notes_stays_in_the_vault(
    make_vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({"Berth.md": NOTE})
    outside = tmp_path / "outside"
    outside.mkdir()
    os.symlink(outside, vault / ".mindcache")
    monkeypatch.chdir(vault)
    run(["forget", "Berth.md"])
    run(["rename", "Berth.md", "Quay"])
    assert state(outside) == {}


def test_a_link_within_the_vault_is_no_way_out(
    make_vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({"memory/Berth.md": NOTE})
    os.symlink(vault / "memory", vault / "shelf")
    monkeypatch.chdir(vault)
    run(["remember", "Tide is at six.", "--scope", "global", "--folder", "shelf"])
    assert (vault / "memory/Tide is at six.md").is_file()
    assert run(["update", "memory/Berth.md", "--append", "It rose."]) == 0


def test_a_folder_that_is_a_link_is_named_as_one(
    make_vault, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = make_vault({"memory/Berth.md": NOTE})
    os.symlink(vault / "memory", vault / "shelf")
    monkeypatch.chdir(vault)
    run(["remember", "Tide is at six.", "--scope", "global", "--folder", "shelf"])
    told = capsys.readouterr().err
    assert "shelf is a symbolic link" in told
    assert "the note is memory/Tide is at six.md" in told
    assert "ignore" not in told
    run(["show", "Tide is at six"])
    assert "memory/Tide is at six.md" in capsys.readouterr().out
