"""Errors in the words of the tools: what a person would type becomes an argument. Pure."""

from __future__ import annotations

import re

from mindcache.errors import MindcacheError
from mindcache.mcp.guard import Forbidden

__all__ = ["spoken"]

# Options of the command line that the tools call otherwise.
_ARGUMENTS = {
    "tag": "tags",
    "add-tag": "add_tags",
    "remove-tag": "remove_tags",
    "where": "location",
}
_COMMANDS = {
    "show": "get",
    "recall": "recall",
    "timeline": "timeline",
    "remember": "remember",
    "update": "update",
    "plan": "plan",
    "plans": "timeline with plans",
    "status": "status",
    "entity create": "remember with type entity and title",
}
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_COMMAND = re.compile(rf"\bmindcache ({'|'.join(sorted(_COMMANDS, reverse=True))})\b")


def spoken(error: MindcacheError) -> str:
    """What went wrong and what would help, for who calls tools and types nothing."""
    words = str(error)
    if isinstance(error, Forbidden):
        return words  # names what a person may type
    words = _COMMAND.sub(lambda match: _COMMANDS[match[1]], words)
    return _OPTION.sub(_argument, words)


def _argument(match: re.Match[str]) -> str:
    return _ARGUMENTS.get(match[1], match[1].replace("-", "_"))
