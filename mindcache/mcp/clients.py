"""How the programs that agents run in are told of the server. Pure.

Each names its file and its form of settings; what is the same is the command.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["CLIENTS", "Setup", "setup"]

_NAME = "mindcache"


@dataclass(frozen=True, slots=True)
class Setup:
    """What one program needs: `text` belongs into `file`; `command` does it at once.

    `command` is "" where the program has none. Files are named as on Linux, with the
    other systems in `elsewhere`.
    """

    client: str
    title: str
    file: str
    elsewhere: str
    text: str
    command: str


def _servers(words: Sequence[str]) -> str:
    return _json({"mcpServers": {_NAME: _entry(words)}})


def _entry(words: Sequence[str]) -> dict[str, object]:
    return {"command": words[0], "args": list(words[1:])}


def _vscode(words: Sequence[str]) -> str:
    return _json({"servers": {_NAME: {"type": "stdio", **_entry(words)}}})


def _zed(words: Sequence[str]) -> str:
    return _json({"context_servers": {_NAME: {**_entry(words), "env": {}}}})


def _codex(words: Sequence[str]) -> str:
    command, *arguments = words
    # A JSON string is a TOML string, but for escapes that paths don't have.
    return (
        f"[mcp_servers.{_NAME}]\n"
        f"command = {json.dumps(command, ensure_ascii=False)}\n"
        f"args = {json.dumps(arguments, ensure_ascii=False)}\n"
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _none(words: Sequence[str]) -> str:
    del words
    return ""


def _adds(*before: str) -> Callable[[Sequence[str]], str]:
    return lambda words: shlex.join([*before, _NAME, "--", *words])


def _vscode_adds(words: Sequence[str]) -> str:
    entry = json.dumps({"name": _NAME, **_entry(words)}, ensure_ascii=False)
    return shlex.join(["code", "--add-mcp", entry])


@dataclass(frozen=True, slots=True)
class _Client:
    title: str
    file: str
    text: Callable[[Sequence[str]], str]
    command: Callable[[Sequence[str]], str] = _none
    elsewhere: str = ""


_KNOWN = {
    "claude-code": _Client(
        "Claude Code",
        ".mcp.json",
        _servers,
        _adds("claude", "mcp", "add", "--scope", "user"),
    ),
    "claude-desktop": _Client(
        "Claude Desktop",
        "~/.config/Claude/claude_desktop_config.json",
        _servers,
        elsewhere="macOS: ~/Library/Application Support/Claude/"
        "claude_desktop_config.json; Windows: %APPDATA%\\Claude\\"
        "claude_desktop_config.json",
    ),
    "codex": _Client(
        "Codex", "~/.codex/config.toml", _codex, _adds("codex", "mcp", "add")
    ),
    "cursor": _Client("Cursor", "~/.cursor/mcp.json", _servers),
    "gemini": _Client("Gemini CLI", "~/.gemini/settings.json", _servers),
    "vscode": _Client("VS Code", ".vscode/mcp.json", _vscode, _vscode_adds),
    "windsurf": _Client("Windsurf", "~/.codeium/windsurf/mcp_config.json", _servers),
    "zed": _Client("Zed", "~/.config/zed/settings.json", _zed),
}

CLIENTS = tuple(_KNOWN)
"""The programs that are known, by the name that a command takes."""


def setup(client: str, words: Sequence[str]) -> Setup:
    """What this program needs to run these words as its server."""
    known = _KNOWN[client]
    return Setup(
        client,
        known.title,
        known.file,
        known.elsewhere,
        known.text(words),
        known.command(words),
    )
