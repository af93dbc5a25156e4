"""What git and Syncthing do to files in one go, seen by the daemon once and for what it is."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindcache.app import App
from tests.conftest import MakeVault
from tests.dumps import dump
from tests.storm import Ledger, Machine, Writer, contents, note_text, seeded
from tests.watching import Daemon, until


@pytest.fixture
def daemon(make_vault: MakeVault, tmp_path: Path) -> Iterator[Daemon]:
    """A daemon over twelve notes, each with an id."""
    vault = make_vault({f"memory/Note {n:02}.md": note_text(n) for n in range(12)})
    made = Daemon(vault, tmp_path / "caches")
    yield made
    made.close()


def ids(daemon: Daemon) -> dict[str, str]:
    found = {}
    for path in daemon.cache.paths():
        note = daemon.cache.note(path)
        assert note is not None
        found[path] = note.id
    return found


def said(daemon: Daemon, before: str) -> dict[str, int]:
    """How many notes were added, changed, moved and removed since, by the log."""
    until(daemon.cache.is_fresh, "the daemon rests", 60)
    counts = dict.fromkeys(("added", "changed", "moved", "removed"), 0)
    for line in daemon.log().removeprefix(before).splitlines():
        for part in line.rpartition(": ")[2].split(", "):
            number, _, word = part.strip().rpartition(" ")
            if word in counts and number.split()[-1].isdigit():
                counts[word] += int(number.split()[-1])
    return counts


def as_built_anew(daemon: Daemon, caches: Path) -> None:
    fresh = App(str(daemon.vault), str(caches))
    try:
        fresh.update(rebuild=True)
        assert dump(daemon.cache.app.cache_path) == dump(fresh.cache_path)
    finally:
        fresh.close()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
@pytest.mark.parametrize("verb", ["checkout", "merge", "rebase"])
def test_each_note_that_git_changes_is_one_update(
    verb: str, daemon: Daemon, tmp_path: Path
) -> None:
    vault = daemon.vault
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "true",
    }

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words],
            cwd=vault, check=True, capture_output=True, env=environment,
        )  # fmt: skip

    def edited(numbers: range, word: str) -> None:
        for number in numbers:
            note = vault / f"memory/Note {number:02}.md"
            note.write_text(f"{note.read_text()}- {word}\n")

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "begin")
    git("checkout", "-qb", "side")
    edited(range(6), "of the side")
    (vault / "memory/Note 06.md").rename(vault / "memory/Note six.md")
    git("add", "-A")
    git("commit", "-qm", "side")
    git("checkout", "-q", "main")
    edited(range(8, 10), "of main")
    git("commit", "-qam", "main")
    if verb == "rebase":
        git("checkout", "-q", "side")
    daemon.start()
    before, known = daemon.log(), ids(daemon)
    words = {"checkout": ("side",), "merge": ("-q", "side"), "rebase": ("-q", "main")}
    git(verb, *words[verb])
    until(lambda: said(daemon, before)["changed"] >= 2, f"git {verb} is seen", 60)
    found = said(daemon, before)
    # On main two notes say otherwise, on the side six do, and one has another name.
    changed = {"checkout": 8, "merge": 6, "rebase": 2}[verb]
    moved = 0 if verb == "rebase" else 1
    assert found == {"added": 0, "changed": changed, "moved": moved, "removed": 0}
    assert sorted(ids(daemon).values()) == sorted(known.values())
    as_built_anew(daemon, tmp_path / "fresh")


def test_five_hundred_notes_by_syncthing_are_seen_once(
    daemon: Daemon, tmp_path: Path
) -> None:
    folder = daemon.vault / "memory"
    for number in range(12, 500):
        (folder / f"Note {number:02}.md").write_text(note_text(number))
    daemon.start()
    before, known = daemon.log(), ids(daemon)
    assert len(known) == 500
    for number in range(500):
        note = folder / f"Note {number:02}.md"
        beside = folder / f".syncthing.{note.name}.tmp"
        beside.write_text(f"{note_text(number)}- from far away\n")
        os.utime(beside, (1.7e9, 1.7e9))
        note.unlink()
        beside.rename(note)
    until(lambda: said(daemon, before)["changed"] >= 500, "all are seen", 90)
    found = said(daemon, before)
    assert found == {"added": 0, "changed": 500, "moved": 0, "removed": 0}
    assert ids(daemon) == known
    as_built_anew(daemon, tmp_path / "fresh")


def test_times_of_files_in_past_and_future_hide_nothing(
    daemon: Daemon, tmp_path: Path
) -> None:
    daemon.start()
    note = daemon.vault / "memory/Note 03.md"
    for number, at in enumerate((0, 4e9, 1e9, 1.8e9, 1)):
        before = daemon.log()
        # Of the same size each time: nothing but the time and the text differ.
        text = note_text(3).replace("Note 3 on pumps", f"Note 3 on pump{number}")
        beside = note.with_name(".Note 03.md.tmp")
        beside.write_text(text)
        os.utime(beside, (at, at))
        beside.replace(note)
        says = f"Note 3 on pump{number}"
        until(lambda s=says: daemon.cache.says("memory/Note 03.md", s), says)  # type: ignore[misc]
        assert said(daemon, before)["changed"] == 1
    as_built_anew(daemon, tmp_path / "fresh")


def test_digests_of_clocks_a_day_apart_do_no_harm(tmp_path: Path) -> None:
    machines = [
        Machine(name, tmp_path / name, tmp_path / name / "vault", skew)
        for name, skew in (("behind", -1), ("ahead", 1))
    ]
    ledger = Ledger()
    try:
        one, other = machines
        one.vault.mkdir()
        seeded(one.vault)
        writer = Writer(one, "a", ledger, "1")
        writer.saves(60)
        writer.commands(10)
        shutil.copytree(one.vault, other.vault)
        writers = [Writer(machine, "a", ledger, "2") for machine in machines]
        for each in writers:
            each.digest()
            assert each.refused == {}
        for machine in machines:
            assert ledger.lost(machine.vault) == []
            assert ledger.doubled(machine.vault) == []
        names = [set(contents(machine.vault)) for machine in machines]
        topics = [{n for n in each if n.startswith("topics/")} for each in names]
        assert topics[0] == topics[1]
        # The vault of one comes to the other, whose clock stands two days before.
        shutil.rmtree(one.vault)
        shutil.copytree(other.vault, one.vault)
        before = contents(one.vault)
        writers[0].digest()
        assert writers[0].refused == {}
        after = contents(one.vault)
        assert ledger.lost(one.vault) == []
        assert {p for p in before if p.startswith("topics/")} <= set(after)
        assert {
            path: text
            for path, text in before.items()
            if path.startswith(("memory/", "journal/"))
        }.items() <= after.items()
    finally:
        for machine in machines:
            machine.close()
