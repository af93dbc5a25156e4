"""A vault from a stranger, with its `.git` or with what only looks like one."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from mindcache.vault.git import history
from tests.conftest import MakeVault
from tests.test_write_moving import play
from tests.test_write_sharing import git

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or os.name != "posix", reason="no git or sh here"
)


@pytest.fixture(autouse=True)
def _as_ines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(
        "[user]\nname = Ines\nemail = i@example.org\n[init]\ndefaultBranch = main\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """What a program of the stranger's would leave."""
    return tmp_path / "ran"


def with_monitor(folder: Path, trace: Path) -> None:
    git(folder, "config", "core.fsmonitor", f"touch '{trace}'; false")


def with_hook(folder: Path, name: str, trace: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\ntouch '{trace}'\n")
    (folder / name).chmod(0o755)


def test_a_clone_that_was_set_up_elsewhere_is_not_synced(
    make_vault: MakeVault, trace: Path
) -> None:
    config = '[git]\nevery = "1m"\n'
    root = make_vault({"a.md": "a\n", ".mindcache/config.toml": config})
    git(root, "init", "-q")
    git(root, "config", "merge.mindcache.driver", f"touch '{trace}'")
    git(root, "config", "filter.x.clean", f"touch '{trace}'; cat")
    (root / ".gitattributes").write_text("*.md filter=x\n")
    with_hook(root / ".git/hooks", "pre-commit", trace)
    code, out = play(root, "git", "sync")
    assert (code, "git setup" in out) == (4, True)
    assert not trace.exists()


def test_setup_says_what_sync_would_run(
    make_vault: MakeVault, trace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = make_vault({"a.md": "a\n"})
    git(root, "init", "-q")
    git(root, "config", "filter.lfs.clean", "touch \x1b[2J")
    git(root, "config", "merge.mindcache.driver", f"touch '{trace}'")
    with_hook(root / ".git/hooks", "pre-commit", trace)
    assert play(root, "git", "setup")[0] == 0
    said = capfd.readouterr().err + play(root, "git", "setup")[1]
    said += capfd.readouterr().err
    assert "filter.lfs.clean = touch" in said
    assert "hooks/pre-commit" in said
    assert ".sample" not in said
    assert "\x1b" not in said
    assert str(trace) not in git(root, "config", "merge.mindcache.driver")


def test_no_monitor_runs_when_a_vault_is_synced(
    make_vault: MakeVault, trace: Path
) -> None:
    # Git asks the monitor of the repository, and of each that lies in it.
    root = make_vault({"a.md": "a\n", "theme/b.css": "b\n"})
    for folder in (root / "theme", root):
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "First")
    assert play(root, "git", "setup")[0] == 0
    with_monitor(root / "theme", trace)
    with_monitor(root, trace)
    (root / "theme/b.css").write_text("c\n")
    (root / "a.md").write_text("b\n")
    code, out = play(root, "git", "sync", "--json")
    assert (code, json.loads(out)["committed"] > 0) == (0, True)
    assert not trace.exists()


def test_what_looks_like_a_repository_among_the_notes_is_none(
    make_vault: MakeVault, tmp_path: Path, trace: Path
) -> None:
    # Git can carry all of this: no name of it is `.git`.
    top = tmp_path / "top"
    notes = make_vault({"a.md": "a\n"})
    top.mkdir()
    notes = notes.rename(top / "notes")
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-qm", "First")
    git(tmp_path, "init", "-q", "--bare", str(notes))
    git(notes, "config", "core.bare", "false")
    git(notes, "config", "core.worktree", str(notes))
    with_monitor(notes, trace)
    with_hook(notes / "hooks", "pre-commit", trace)
    assert "bare repository" in history(str(notes), "a.md").reason
    assert play(notes, "git", "setup")[0] != 0
    play(notes, "git", "sync")
    assert not trace.exists()
