"""Each program gets its settings in its own form, for this very vault."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from mindcache.cli import mcp as command
from mindcache.cli import run
from mindcache.mcp.clients import CLIENTS, setup

WORDS = ["/opt/my tools/mindcache", "mcp", "--vault", '/home/ida/"My" nötes']
ENTRY = {"command": WORDS[0], "args": WORDS[1:]}


def test_the_command_knows_every_client() -> None:
    assert command._CLIENTS == CLIENTS


@pytest.mark.parametrize("client", CLIENTS)
def test_what_a_program_reads_is_the_command(client: str) -> None:
    made = setup(client, WORDS)
    assert made.file
    if client == "codex":
        assert tomllib.loads(made.text) == {"mcp_servers": {"mindcache": ENTRY}}
    else:
        (servers,) = json.loads(made.text).values()
        entry = servers["mindcache"]
        assert {key: entry[key] for key in ENTRY} == ENTRY
    if made.command and client != "vscode":
        assert shlex.split(made.command)[-4:] == WORDS
    if client == "vscode":
        added = json.loads(shlex.split(made.command)[-1])
        assert added == {"name": "mindcache", **ENTRY}


def test_it_prints_and_writes_nothing(make_vault, capsys, tmp_path: Path) -> None:
    vault = make_vault({"Note.md": "A note.\n"})
    before = sorted(p for p in tmp_path.rglob("*"))
    assert run(["mcp", "install", "--vault", str(vault)]) == 0
    shown = capsys.readouterr().out
    for client in CLIENTS:
        assert setup(client, ["x"]).title in shown
    assert str(vault) in shown
    args = ["mcp", "install", "--client", "zed", "--json", "--vault", str(vault)]
    assert run(args) == 0
    shape = json.loads(capsys.readouterr().out)
    assert [each["client"] for each in shape["clients"]] == ["zed"]
    assert shape["command"][-2:] == ["--vault", str(vault)]
    assert sorted(p for p in tmp_path.rglob("*")) == before


def test_without_the_sdk_it_says_how_to_get_it(
    make_vault, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({})
    import sys

    for name in [n for n in sys.modules if n == "mcp" or n.startswith("mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert run(["mcp", "--vault", str(vault)]) == 1
    said = capsys.readouterr().err
    assert "needs the package mcp" in said
    assert "'.[mcp]'" in said
