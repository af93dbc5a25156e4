"""The README names everything that a person can type or set."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from mindcache.cli.root import root
from mindcache.config import SETTINGS, Setting

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted(
    path
    for pattern in (
        "*.md",
        "scripts/*",
        "hooks/*",
        "vault_template/**/*.md",
        "examples/**/*.md",
    )
    for path in ROOT.glob(pattern)
    if path.is_file()
)


def commands() -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []

    def walk(name: str, group: click.Group) -> None:
        context = click.Context(group)
        for each in group.list_commands(context):
            command = group.get_command(context, each)
            assert command is not None
            if isinstance(command, click.Group):
                walk(f"{name} {each}", command)
            else:
                found.append((f"{name} {each}", command))

    walk("mindcache", root)
    return found


@pytest.mark.parametrize(
    ("name", "command"), commands(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_every_command_and_option_is_named(name: str, command: click.Command) -> None:
    rows = [line for line in README.splitlines() if line.startswith(f"| `{name}")]
    assert rows, f"{name} has no row in the README"
    options = {
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    }
    missing = {o for o in options if not re.search(rf"(?<![\w-]){o}(?![\w-])", README)}
    assert not missing, f"{name}: {sorted(missing)}"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.key)
def test_every_setting_is_in_the_table(setting: Setting) -> None:
    rows = [
        line for line in README.splitlines() if line.startswith(f"| `{setting.key}` |")
    ]
    assert len(rows) == 1
    assert f"| {setting.scope} |" in rows[0]
    if setting.variable:
        assert f"`{setting.variable}`" in rows[0]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_nobody_is_told_to_install_another_package(path: Path) -> None:
    """The name without -vault on the package index belongs to somebody else."""
    text = path.read_text(encoding="utf-8")
    wrong = re.search(
        r"(pip|pipx|uv tool|uvx?) (install |run )?mindcache(?=[\s\"'`]|$)", text
    )
    assert wrong is None


def remembering() -> list[str]:
    """The calls of the README's section on remembering, and of the command's help."""
    section = README.partition("### Remembering")[2]
    block = section.partition("```sh\n")[2].partition("```")[0]
    help_page = CliRunner().invoke(root, ["remember", "--help"]).output
    shown = help_page.partition("Examples:\n")[2].splitlines()
    calls = [*block.splitlines(), *map(str.strip, shown)]
    return [call for call in calls if "mindcache" in call]


def test_the_examples_of_remembering_work_in_a_fresh_vault(tmp_path) -> None:
    calls = remembering()
    assert len(calls) == 7
    # What stands in the README comes one after the other; a help page is read alone.
    for place, some in enumerate((calls[:4], *([call] for call in calls[4:]))):
        vault = tmp_path / f"vault{place}"
        script = "\n".join([f"mindcache init {vault}", f"cd {vault}", *some])
        own = f'mindcache() {{ "{sys.executable}" -m mindcache "$@"; }}\nset -e\n'
        done = subprocess.run(
            ["bash", "-c", own + script],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_every_exit_code_is_explained() -> None:
    for code in (0, 1, 2, 3, 4, 5, 130):
        assert re.search(rf"^\| {code} \|", README, re.MULTILINE), code
