"""How the files of a Claude Code plugin have to look, as its documentation says. Pure.

Each check takes a file's value and gives what is wrong in words, [] for nothing. What
would only be ignored there is told as well: it is a word misspelt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = [
    "EVENTS",
    "check_hooks",
    "check_marketplace",
    "check_mcp",
    "check_plugin",
    "check_skill",
]

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLUGIN: Final = {
    "$schema": str, "name": str, "displayName": str, "version": str,
    "description": str, "author": dict, "homepage": str, "repository": str,
    "license": str, "keywords": list, "metadata": dict, "defaultEnabled": bool,
    "dependencies": list, "userConfig": dict, "channels": list, "experimental": dict,
    "skills": (str, list), "commands": (str, list), "agents": (str, list),
    "workflows": (str, list), "hooks": (str, list, dict),
    "mcpServers": (str, list, dict), "outputStyles": (str, list),
    "lspServers": (str, list, dict),
}  # fmt: skip
_PATHS = ("skills", "commands", "agents", "workflows", "outputStyles")
_MARKETPLACE: Final = {
    "$schema": str, "name": str, "owner": dict, "plugins": list, "description": str,
    "version": str, "metadata": dict, "renames": dict,
    "allowCrossMarketplaceDependenciesOn": list,
}  # fmt: skip
_ENTRY: Final = {
    **_PLUGIN, "source": (str, dict), "category": str, "tags": list, "strict": bool,
    "relevance": (str, dict),
}  # fmt: skip
# Names that the documentation keeps for itself, or that look as if they were official.
_RESERVED = re.compile(r"anthropic|claude-(?:code-)?(?:plugins|community)|agent-skills")

EVENTS: Final = frozenset(
    {
        *(
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
        ),
        *("Stop", "SubagentStop", "PreCompact", "PostCompact", "FileChanged", "Setup"),
        *("Notification", "SubagentStart", "StopFailure", "PostToolUseFailure"),
    }
)
"""Events that a hook may be for; those among the documented ones that we may need."""

_HANDLER: Final = {
    "type": str, "command": str, "args": list, "timeout": (int, float), "async": bool,
    "asyncRewake": bool, "shell": str, "statusMessage": str, "if": str,
}  # fmt: skip
# Seconds; a plugin that meant milliseconds held its sessions up for half an hour.
_LONGEST = 60
_SERVER: Final = {
    "command": str, "args": list, "env": dict, "type": str, "url": str,
    "alwaysLoad": bool, "headers": dict, "cwd": str,
}  # fmt: skip

_SKILL = (
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
)
# Characters of a description that are listed; the rest is cut.
_LISTED = 1_536

Value = Mapping[str, Any]
Types = Mapping[str, Any]


def _typed(value: object, types: Types, where: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{where} is no object"
        return
    for key, each in value.items():
        if key not in types:
            yield f"{where}: nothing is called {key!r}"
        elif not isinstance(each, types[key]) or (
            isinstance(each, bool) and types[key] is not bool
        ):
            yield f"{where}: {key} has the wrong type"


def check_plugin(value: object) -> list[str]:
    """What is wrong with `.claude-plugin/plugin.json`."""
    found = list(_typed(value, _PLUGIN, "plugin.json"))
    if not isinstance(value, Mapping):
        return found
    found += _named(value.get("name"), "plugin.json")
    for key in _PATHS:
        given = value.get(key, [])
        for path in given if isinstance(given, list) else [given]:
            if not str(path).startswith("./") or ".." in str(path).split("/"):
                found.append(
                    f"plugin.json: {key}: {path} has to begin with ./ and stay inside"
                )
    return found


def _named(name: object, where: str) -> Iterator[str]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"{where}: name has to be lower-case words with dashes"


def check_marketplace(value: object) -> list[str]:
    """What is wrong with `.claude-plugin/marketplace.json`."""
    found = list(_typed(value, _MARKETPLACE, "marketplace.json"))
    if not isinstance(value, Mapping):
        return found
    found += _named(value.get("name"), "marketplace.json")
    if _RESERVED.search(str(value.get("name"))):
        found.append("marketplace.json: name is kept for others")
    owner = value.get("owner")
    if not isinstance(owner, Mapping) or not owner.get("name"):
        found.append("marketplace.json: owner needs a name")
    plugins = value.get("plugins")
    if not isinstance(plugins, list) or not plugins:
        found.append("marketplace.json: plugins names none")
        return found
    for each in plugins:
        found += _typed(each, _ENTRY, "marketplace.json: plugins")
        if isinstance(each, Mapping):
            found += _named(each.get("name"), "marketplace.json: plugins")
            if not each.get("source"):
                found.append("marketplace.json: plugins: source is missing")
    return found


def check_hooks(value: object) -> list[str]:
    """What is wrong with `hooks/hooks.json`; every handler has to be in exec form."""
    found = list(_typed(value, {"description": str, "hooks": dict}, "hooks.json"))
    events = value.get("hooks") if isinstance(value, Mapping) else None
    if not isinstance(events, Mapping):
        return [*found, "hooks.json: hooks is missing"]
    for event, groups in events.items():
        if event not in EVENTS:
            found.append(f"hooks.json: no event is called {event!r}")
        for group in groups if isinstance(groups, list) else [None]:
            found += _typed(
                group, {"matcher": str, "hooks": list}, f"hooks.json: {event}"
            )
            handlers = group.get("hooks") if isinstance(group, Mapping) else None
            for each in handlers or [None]:
                found += _handler(each, f"hooks.json: {event}")
    return found


def _handler(value: object, where: str) -> Iterator[str]:
    yield from _typed(value, _HANDLER, where)
    if not isinstance(value, Mapping):
        return
    if value.get("type") != "command" or not value.get("command"):
        yield f"{where}: a command is missing"
    args = value.get("args")
    if not isinstance(args, list) or not all(isinstance(each, str) for each in args):
        yield f"{where}: args is missing: without it a shell reads the command"
    timeout = value.get("timeout")
    if not isinstance(timeout, int | float) or not 0 < timeout <= _LONGEST:
        yield f"{where}: timeout has to be 1 to {_LONGEST} seconds"


def check_mcp(value: object) -> list[str]:
    """What is wrong with `.mcp.json`."""
    found = list(_typed(value, {"mcpServers": dict}, ".mcp.json"))
    servers = value.get("mcpServers") if isinstance(value, Mapping) else None
    for name, each in servers.items() if isinstance(servers, Mapping) else ():
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            found.append(f".mcp.json: {name!r} is no name of a server")
        found += _typed(each, _SERVER, f".mcp.json: {name}")
        if isinstance(each, Mapping) and not (each.get("command") or each.get("url")):
            found.append(f".mcp.json: {name}: neither command nor url")
    return found


def check_skill(name: str, properties: Value) -> list[str]:
    """What is wrong with the frontmatter of `skills/NAME/SKILL.md`."""
    where = f"skills/{name}"
    found = [
        f"{where}: {key} is known to one program only"
        for key in properties
        if key not in _SKILL
    ]
    description = properties.get("description")
    if properties.get("name") != name or not _NAME.fullmatch(name):
        found.append(f"{where}: name has to be that of the folder")
    if not isinstance(description, str) or not 0 < len(description) <= _LISTED:
        found.append(f"{where}: description has to have 1 to {_LISTED:,} characters")
    return found
