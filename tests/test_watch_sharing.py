"""The sync by git that a daemon starts: how often, and what it says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.watch.sharing import Sharing
from tests.conftest import MakeApp, MakeVault
from tests.test_write_moving import play
from tests.test_write_sharing import _as_ines, git
from tests.watching import until

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
__all__ = ["_as_ines"]


def test_it_syncs_at_once_and_then_as_often_as_it_is_told(
    make_vault: MakeVault, make_app: MakeApp, tmp_path: Path
) -> None:
    settings = '[git]\nevery = "{}"\n'
    config = ".mindcache/config.toml"
    root = make_vault({"n.md": "a note", config: settings.format("1h")})
    git(tmp_path, "init", "-q", "--bare", "r.git")
    git(root, "init", "-q")
    git(root, "remote", "add", "origin", str(tmp_path / "r.git"))
    now = 0.0
    said: list[str] = []
    app: App = make_app(root)
    sharing = Sharing(app, said.append, lambda: now)

    def until_ended() -> None:
        sharing.look()

        def has_ended() -> bool:
            sharing.look()
            return sharing._running is None

        until(has_ended, f"the sync ends {said}", 60)

    until_ended()
    assert said == ["the sync by git ended with 4; mindcache git sync says why"]
    assert play(root, "git", "setup")[0] == 0
    now = 3599
    sharing.look()
    assert sharing._running is None
    now = 3600
    until_ended()
    assert said[1:] == ["in step with the other clones"]
    assert "n.md" in git(tmp_path / "r.git", "ls-tree", "--name-only", "-r", "main")
    now = 7200
    until_ended()
    assert len(said) == 2  # no news
    (root / config).write_text(settings.format("often"))
    app.refresh()
    sharing.look()
    sharing.look()
    assert said[2:] == ["git.every is no time: 'often'; write it as 30m or 1h"]
    (root / config).write_text("")
    app.refresh()
    sharing.look()
    assert sharing._running is None
    sharing.close()
