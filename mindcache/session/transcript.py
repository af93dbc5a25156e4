"""What a session's transcript tells: what was asked, what was answered, which files. Pure.

Its form is nobody's promise: what isn't understood is left out. Prompts and answers are
read as the importer of Claude Code reads them; beside these, the calls of tools say
which files were written, which notes were opened, and what of the memory was recalled
into the conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mindcache import fence
from mindcache.importers.chat import claude_code
from mindcache.importers.chat.turns import Who, dictionary, listed, text_of

__all__ = ["Told", "records", "tell"]

_ME = Who("me", "me")

_WRITING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_PATHS = ("file_path", "notebook_path")
_CALLS_US = re.compile(r"(?:^|[\s;&|(/])mindcache(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Told:
    """A session in words: prompts and answers in order, paths that tools were given.

    `recalled` are texts that came out of the memory, which is not learned again.
    """

    asked: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()


def records(data: bytes) -> Iterator[dict[str, Any]]:
    """The objects of JSON lines; a line that is none, or only begun, is left out."""
    for line in data.split(b"\n"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def tell(found: Iterable[Mapping[str, Any]], session: str, vault: str = "") -> Told:
    """What these records of a session's transcript tell.

    Lines of another session that this one went on from are that one's. What was read
    from a file in `vault` came out of the memory.
    """
    lines = list(found)
    if any(each.get("sessionId") == session for each in lines):
        lines = [x for x in lines if x.get("sessionId", session) == session]
    asked: list[str] = []
    answered: list[str] = []
    placed = ((str(n), each) for n, each in enumerate(lines))
    for conversation in claude_code.conversations(placed, session, _ME, "", {}):
        for turn in conversation.turns:
            words = fence.strip(turn.text).strip()
            if words:
                (asked if turn.who.role == "me" else answered).append(words)
    calls = _Calls(vault)
    for each in lines:
        calls.take(each)
    return Told(
        tuple(asked),
        tuple(answered),
        tuple(calls.written),
        tuple(path for path in calls.read if path not in calls.written),
        tuple(calls.recalled),
    )


class _Calls:
    """What the calls of tools tell, from one record after the other."""

    def __init__(self, vault: str) -> None:
        self._vault = vault and vault.rstrip("/\\") + "/"
        self.written: dict[str, None] = {}
        self.read: dict[str, None] = {}
        self.recalled: list[str] = []
        self._ours: set[str] = set()

    def take(self, record: Mapping[str, Any]) -> None:
        if record.get("isSidechain"):
            return
        if record.get("type") == "attachment":
            # What hooks put in, ours among them.
            self.recalled += [
                t for t in _texts(record.get("attachment")) if fence.MARK in t
            ]
        for each in listed(dictionary(record.get("message")).get("content")):
            block = dictionary(each)
            if block.get("type") == "tool_use":
                self._call(block)
            elif text_of(block.get("tool_use_id")) in self._ours:
                self.recalled += _texts(block.get("content"))

    def _call(self, block: Mapping[str, Any]) -> None:
        name, given = text_of(block.get("name")), dictionary(block.get("input"))
        path = next((p for key in _PATHS if (p := text_of(given.get(key)))), "")
        if path and name in _WRITING:
            self.written[path] = None
        elif path and name == "Read":
            self.read[path] = None
        is_ours = name.startswith("mcp__") and "mindcache" in name
        if self._vault and path.replace("\\", "/").startswith(self._vault):
            is_ours = name == "Read"
        if is_ours or _CALLS_US.search(text_of(given.get("command"))):
            self._ours.add(text_of(block.get("id")))


def _texts(value: object, depth: int = 4) -> list[str]:
    """Every text within a value."""
    if isinstance(value, str):
        return [value]
    if depth == 0:
        return []
    if isinstance(value, Mapping):
        return [text for each in value.values() for text in _texts(each, depth - 1)]
    return [text for each in listed(value) for text in _texts(each, depth - 1)]
