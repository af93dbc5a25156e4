"""What git knows of a note."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mindcache.vault.git import history
from tests.conftest import MakeVault
from tests.test_write_moving import play

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")


def git(root: Path, *args: str) -> None:
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Ines | Ñ",
        "GIT_AUTHOR_EMAIL": "i@example.org",
        "GIT_COMMITTER_NAME": "Ines",
        "GIT_COMMITTER_EMAIL": "i@example.org",
        "GIT_AUTHOR_DATE": "2026-05-04T10:00:00+0200",
        "GIT_COMMITTER_DATE": "2026-05-04T10:00:00+0200",
    }
    subprocess.run(["git", "-C", str(root), *args], env=environment, check=True, capture_output=True)  # fmt: skip


def test_a_note_is_followed_through_its_renames(make_vault: MakeVault) -> None:
    root = make_vault({"Old [1].md": "one\ntwo\nthree\n", "b.md": "other"})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "First: with a\ttab")
    (root / "Old [1].md").rename(root / "sub.md")
    (root / "sub.md").write_text("one\ntwo\nfour\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Second")
    (root / "b.md").write_text("more")
    git(root, "commit", "-qam", "Of another note")
    found = history(str(root), "sub.md")
    assert [(v.subject, v.path, v.added, v.removed) for v in found.versions] == [
        ("Second", "sub.md", 1, 1),
        ("First: with a\ttab", "Old [1].md", 3, 0),
    ]
    assert {v.author for v in found.versions} == {"Ines | Ñ"}
    assert {v.date for v in found.versions} == {"2026-05-04T10:00:00+02:00"}
    assert len(history(str(root), "sub.md", 1).versions) == 1
    said = json.loads(play(root, "history", "sub", "--json")[1])
    assert len(said["versions"]) == 2
    assert "+1 -1" in play(root, "history", "sub.md")[1]


def test_no_program_that_a_repository_names_is_run(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "a\n", ".gitattributes": "*.md diff=evil\n"})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "First")
    trace = root / "ran"
    for key in (
        "core.pager",
        "pager.log",
        "core.fsmonitor",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "gpg.program",
    ):
        git(root, "config", key, f"touch '{trace}'; cat")
    git(root, "config", "log.showSignature", "true")
    index = (root / ".git/index").read_bytes()
    assert len(history(str(root), "a.md").versions) == 1
    assert not trace.exists()
    assert (root / ".git/index").read_bytes() == index


def test_an_empty_history_says_why(make_vault: MakeVault, monkeypatch) -> None:
    root = make_vault({"a.md": "", "b.md": ""})
    code, out = play(root, "history", "a")
    assert (code, "not in a git repository" in out) == (0, True)
    git(root, "init", "-q")
    assert "no commits yet" in history(str(root), "a.md").reason
    git(root, "add", "a.md")
    git(root, "commit", "-qm", "First")
    assert "no version" in history(str(root), "b.md").reason
    monkeypatch.setenv("PATH", "")
    assert "not installed" in history(str(root), "a.md").reason
