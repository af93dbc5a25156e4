"""Where things of this machine lie, from whichever folder that is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mindcache import places
from mindcache.config import SETTINGS


def test_folders_of_the_environment_are_named_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    names = [each.variable for each in SETTINGS if each.variable]
    given = dict.fromkeys((*names, "MINDCACHE_CONFIG_DIR"), "near") | {"OTHER": "near"}
    found = places.from_anywhere(given | {"MINDCACHE_MODEL": "~/model"})
    here = str(tmp_path / "near")
    assert found.pop("OTHER") == "near"
    assert found.pop("MINDCACHE_MODEL") == str(tmp_path / "home" / "model")
    assert set(found.values()) == {here}


def test_a_daemon_keeps_its_state_where_the_shell_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs at the root of the disk: a folder named from here must stay the one."""
    vault = tmp_path / "vault"
    (vault / ".mindcache").mkdir(parents=True)
    (vault / "Tea.md").write_text("Tea is green.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINDCACHE_STATE_DIR", "state")
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mindcache", *words, "--vault", str(vault)],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )

    started = run("daemon", "start")
    try:
        assert started.returncode == 0, started.stderr
        pid = int(
            run("daemon", "status", "--json").stdout.split('"pid":')[1].split(",")[0]
        )
        seen = Path(f"/proc/{pid}/environ")
        if not seen.exists():
            pytest.skip("this system shows no environments of processes")
        variables = seen.read_bytes().split(b"\0")
        assert f"MINDCACHE_STATE_DIR={tmp_path / 'state'}".encode() in variables
    finally:
        assert run("daemon", "stop").returncode == 0
