"""The scripts that a newcomer runs first, with an environment that is there already.

They are copied beside a `pyproject.toml`, so that nothing is made in the repository.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# A Python whose pip has nothing to install.
PYTHON = """#!/bin/sh
if [ "$1 $2" = "-m pip" ]; then exit 0; fi
exec "{python}" "$@"
"""
MINDCACHE = """#!/bin/sh
exec "{python}" -m mindcache "$@"
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with the scripts and a made environment into which nothing went yet."""
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "scripts", clone / "scripts")
    shutil.copy(ROOT / "pyproject.toml", clone)
    commands = clone / ".venv" / "bin"
    commands.mkdir(parents=True)
    for name, text in (("python", PYTHON), ("mindcache", MINDCACHE)):
        (commands / name).write_text(text.format(python=sys.executable))
        (commands / name).chmod(0o755)
    return clone


def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("MINDCACHE_VENV", None)
    return subprocess.run(
        [str(arg) for arg in args],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_environment_is_filled_once_and_without_noise(clone: Path) -> None:
    make = f"set -euo pipefail; source {clone}/scripts/_venv; make_venv run"
    installing = "Installing the packages that Mindcache needs (once) …\n"
    assert run("bash", "-c", make).stderr == installing
    assert run("bash", "-c", make).stderr == ""
    with (clone / "pyproject.toml").open("a") as file:
        file.write("# another dependency\n")
    assert run("bash", "-c", make).stderr == installing
    assert run("bash", "-c", make).stderr == ""


def test_the_next_step_of_the_demo_works_as_printed(
    clone: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "my notes"
    plain.mkdir()
    (plain / "Pumps.md").write_text("The bilge pump runs on Mondays.\n")
    shown = run(clone / "scripts" / "demo", plain)
    assert shown.returncode == 0
    step = next(line for line in shown.stdout.splitlines() if 'recall "…"' in line)
    assert f'--vault "{plain}"' in step
    answer = run("sh", "-c", step.replace("…", "pump") + " --floor 0")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "Pumps.md" in answer.stdout
    assert os.listdir(plain) == ["Pumps.md"]
