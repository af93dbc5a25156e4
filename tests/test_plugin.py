"""The plugin's files are as documented, and its doctor says what is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mindcache import __version__
from mindcache.cli import run
from mindcache.session import manifest, spool
from mindcache.session.entry import EVENTS, log_path

ROOT = Path(__file__).parents[1]


def read(name: str) -> Any:
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "check"),
    [
        (".claude-plugin/plugin.json", manifest.check_plugin),
        (".claude-plugin/marketplace.json", manifest.check_marketplace),
        ("hooks/hooks.json", manifest.check_hooks),
        (".mcp.json", manifest.check_mcp),
    ],
)
def test_our_files_are_as_documented(
    name: str, check: Callable[[object], list[str]]
) -> None:
    assert check(read(name)) == []


def test_only_the_manifests_lie_in_their_folder() -> None:
    assert sorted(os.listdir(ROOT / ".claude-plugin")) == [
        "marketplace.json",
        "plugin.json",
    ]


def test_plugin_and_marketplace_agree() -> None:
    plugin, market = (
        read(".claude-plugin/plugin.json"),
        read(".claude-plugin/marketplace.json"),
    )
    assert plugin["version"] == __version__
    assert [each["name"] for each in market["plugins"]] == [plugin["name"]]
    assert market["plugins"][0]["source"] == "./"


def test_every_hook_runs_the_launcher_without_a_shell_in_between() -> None:
    called = {}
    for event, groups in read("hooks/hooks.json")["hooks"].items():
        for group in groups:
            for each in group["hooks"]:
                assert each["args"][0] == "${CLAUDE_PLUGIN_ROOT}/hooks/launch"
                called[each["args"][1]] = event
    assert set(called) == set(EVENTS)
    for word, event in called.items():
        assert word.replace("-", "") == event.lower()


def test_the_server_is_our_command() -> None:
    server = read(".mcp.json")["mcpServers"]["mindcache"]
    assert (server["command"], server["args"]) == ("mindcache", ["mcp"])


def hook(**more: object) -> dict[str, object]:
    each = {"type": "command", "command": "sh", "args": ["x"], "timeout": 5, **more}
    return {"hooks": {"Stop": [{"hooks": [{k: v for k, v in each.items() if v}]}]}}


@pytest.mark.parametrize(
    ("check", "value", "words"),
    [
        (manifest.check_plugin, [], "no object"),
        (manifest.check_plugin, {"name": "My Plugin"}, "lower-case"),
        (manifest.check_plugin, {"name": "a", "keywords": "b"}, "keywords has the wrong type"),
        (manifest.check_plugin, {"name": "a", "keyword": []}, "nothing is called 'keyword'"),
        (manifest.check_plugin, {"name": "a", "skills": "../x"}, "stay inside"),
        (manifest.check_plugin, {"name": "a", "version": True}, "wrong type"),
        (manifest.check_marketplace, {"name": "a", "plugins": []}, "owner needs a name"),
        (manifest.check_marketplace, {"name": "anthropic-x", "owner": {"name": "x"},
            "plugins": [{"name": "a"}]}, "kept for others"),
        (manifest.check_hooks, {"SessionStart": []}, "hooks is missing"),
        (manifest.check_hooks, {"hooks": {"OnStart": []}}, "no event is called"),
        (manifest.check_hooks, hook(args=None), "args is missing"),
        (manifest.check_hooks, hook(timeout=10_000), "timeout"),
        (manifest.check_hooks, hook(type="shell"), "a command is missing"),
        (manifest.check_mcp, {"mcpServers": {"a b": {}}}, "no name of a server"),
        (manifest.check_mcp, {"mcpServers": {"a": {"cmd": "x"}}}, "neither command nor url"),
    ],
)  # fmt: skip
def test_what_is_not_as_documented_is_told(
    check: Callable[[object], list[str]], value: object, words: str
) -> None:
    assert any(words in each for each in check(value)), check(value)


def test_a_skill_keeps_to_what_every_program_knows() -> None:
    assert manifest.check_skill("a", {"name": "a", "description": "x"}) == []
    wrong = manifest.check_skill(
        "a", {"name": "b", "description": "x" * 2_000, "model": "m"}
    )
    assert len(wrong) == 3


# -- the doctor ---------------------------------------------------------------------


def doctor(*words: str) -> tuple[int, dict[str, Any]]:
    with CliRunner().isolation() as (out, _, _):
        code = run(["plugin", "doctor", "--json", *words])
    return code, json.loads(out.getvalue())


@pytest.fixture
def machine(tmp_path: Path, make_vault, make_app, monkeypatch) -> Path:
    root = make_vault({"A.md": "---\ntags:\n  - scope/global\n---\nHello there.\n"})
    command = tmp_path / "bin" / "mindcache"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("MINDCACHE_VAULT", str(root))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_PLUGIN_ROOT", raising=False)
    with CliRunner().isolation():
        assert run(["index", "update"]) == 0
    return root


def test_an_installation_that_works(machine: Path) -> None:
    code, found = doctor()
    assert code == 0, found
    assert found["ok"] is True
    words = "\n".join(each["what"] for each in found["checks"])
    assert f"the plugin is in {ROOT}" in words
    assert "hooks/hooks.json: as documented" in words
    assert "is told 1 notes" in words


def test_each_thing_that_is_missing_is_named_with_its_mend(
    machine: Path, tmp_path: Path, monkeypatch
) -> None:
    def wrong() -> dict[str, str]:
        code, found = doctor("--folder", str(copy))
        assert code == 1
        return {c["what"]: c["mend"] for c in found["checks"] if not c["ok"]}

    copy = tmp_path / "plugin"
    for name in (".claude-plugin", "hooks", "skills"):
        shutil.copytree(ROOT / name, copy / name)
    shutil.copy(ROOT / ".mcp.json", copy)
    (copy / "hooks" / "hooks.json").write_text('{"hooks": {"Stopp": []}}')
    assert any("no event is called 'Stopp'" in each for each in wrong())
    (copy / ".mcp.json").unlink()
    assert any(each.startswith(".mcp.json") for each in wrong())
    (copy / "hooks" / "launch").unlink()
    assert "hooks/launch is missing" in wrong()
    monkeypatch.setenv("MINDCACHE_CACHE_DIR", str(tmp_path / "other"))
    assert "mindcache index update" in wrong().values()
    monkeypatch.delenv("MINDCACHE_VAULT")
    assert any("mindcache init" in mend for mend in wrong().values())
    code, found = doctor("--folder", str(tmp_path / "nowhere"))
    assert code == 1
    assert found["checks"][0]["what"] == "no plugin was found"


def test_what_failed_last_is_shown(machine: Path, make_app) -> None:
    from mindcache.app import App

    app = App(str(machine))
    spool.trouble(spool.folder_of(app.state_folder, app.cache_folder), "11:02 no room")
    Path(log_path()).write_text("one\ntwo\nthree\nfour\n")
    _, found = doctor()
    words = [each["what"] for each in found["checks"]]
    assert "what sessions left to do failed at 11:02 no room" in words
    assert words[-3:] == ["hooks.log: two", "hooks.log: three", "hooks.log: four"]


def test_the_launcher_is_valid_and_finds_the_environment_beside_it(
    tmp_path: Path,
) -> None:
    subprocess.run(["sh", "-n", str(ROOT / "hooks" / "launch")], check=True)
    folder = tmp_path / "with space"
    (folder / ".venv" / "bin").mkdir(parents=True)
    shutil.copytree(ROOT / "hooks", folder / "hooks")
    command = folder / ".venv" / "bin" / "mindcache"
    command.write_text('#!/bin/sh\necho "$MINDCACHE_HOST $@"; echo noise >&2; exit 2\n')
    command.chmod(0o755)
    done = subprocess.run(
        ["sh", str(folder / "hooks" / "launch"), "stop"],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"{os.getpid()} hook stop\n"
