"""Conversations of a ChatGPT export: trees of messages, of which one branch is shown.

Pure. The branch is walked from `current_node` to the root. What nobody was shown
(system messages, thoughts, tools and calls of them, superseded answers) is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mindcache.importers.chat.turns import (
    Conversation,
    Quote,
    Turn,
    Who,
    civil,
    dictionary,
    listed,
    text_of,
)

__all__ = ["conversation", "is_conversation"]

_MACHINE = Who("ChatGPT", "machine")
_UNSHOWN = "not part of what was said"
# Contents that are no words of either side.
_INNER = {
    "thoughts": "thoughts",
    "reasoning_recap": "thoughts",
    "code": "calls of tools",
    "execution_output": "results of tools",
    "tether_quote": "results of tools",
    "tether_browsing_display": "results of tools",
    "user_editable_context": "custom instructions",
    "system_error": "errors",
}


def is_conversation(value: Mapping[str, Any]) -> bool:
    """Whether an object is one."""
    return bool(dictionary(value.get("mapping")))


def conversation(
    value: Mapping[str, Any], me: Who, zone: str, place: str
) -> Conversation:
    """The branch that was shown, as turns.

    Raises ValueError when it has no id of its own.
    """
    name = text_of(value.get("conversation_id")) or text_of(value.get("id"))
    # The export's own pages link by `id` where both are given.
    name = text_of(value.get("id")) or name
    if not name:
        raise ValueError("the conversation has no id")
    created = civil(value.get("create_time"), zone)
    updated = civil(value.get("update_time"), "")
    left: Counter[tuple[str, str]] = Counter()
    return Conversation(
        key=f"chatgpt:{name}",
        title=text_of(value.get("title")),
        turns=_turns(value, me, zone, left),
        place=place,
        zone=zone or "UTC",
        version=updated.isoformat() if updated else "",
        created=created or civil(value.get("update_time"), zone),
        left=left,
    )


def _branch(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The nodes from the root to the one that is shown last."""
    mapping = dictionary(value.get("mapping"))
    at = value.get("current_node")
    if not isinstance(at, str) or at not in mapping:
        at = _last_leaf(mapping)
    branch: list[Mapping[str, Any]] = []
    met: set[str] = set()
    while isinstance(at, str) and at in mapping and at not in met:
        met.add(at)
        node = dictionary(mapping[at])
        branch.append(node)
        at = node.get("parent")
    return branch[::-1]


def _last_leaf(mapping: Mapping[str, Any]) -> str | None:
    """Where a branch ends that the export doesn't name: down the last children."""
    roots = [
        k
        for k, n in mapping.items()
        if text_of(dictionary(n).get("parent")) not in mapping
    ]
    at = roots[0] if roots else next(iter(mapping), None)
    met: set[str] = set()
    while at is not None and at not in met:
        met.add(at)
        children = [
            child
            for child in listed(dictionary(mapping[at]).get("children"))
            if isinstance(child, str) and child in mapping
        ]
        if not children:
            break
        at = children[-1]
    return at


def _turns(
    value: Mapping[str, Any], me: Who, zone: str, left: Counter[tuple[str, str]]
) -> Iterator[Turn]:
    last = civil(value.get("create_time"), zone)
    for node in _branch(value):
        message = dictionary(node.get("message"))
        if not message:
            continue
        what = _left_out(message)
        if what:
            left[what, _UNSHOWN] += 1
            continue
        at = civil(message.get("create_time"), zone) or last
        last = at or civil(message.get("update_time"), zone)
        role = text_of(dictionary(message.get("author")).get("role"))
        name = text_of(message.get("id")) or text_of(node.get("id"))
        text, quotes = _text(message)
        yield Turn(name, me if role == "user" else _MACHINE, last, text, quotes)


def _left_out(message: Mapping[str, Any]) -> str:
    """What a message is that isn't shown; "" for one that is."""
    role = text_of(dictionary(message.get("author")).get("role"))
    metadata = dictionary(message.get("metadata"))
    content = dictionary(message.get("content"))
    if inner := _INNER.get(text_of(content.get("content_type"))):
        return inner
    if role not in {"user", "assistant"}:
        return "results of tools" if role == "tool" else "system messages"
    if (
        metadata.get("is_visually_hidden_from_conversation")
        or metadata.get("is_user_system_message")
        or message.get("weight") == 0
    ):
        return "hidden messages"
    to = text_of(message.get("recipient"))
    is_call = role == "assistant" and ("." in to or to in _TOOLS)
    return "calls of tools" if is_call else ""


# Tools whose names have no dot in them.
_TOOLS = frozenset(
    {"python", "browser", "bio", "canmore", "dalle", "web", "myfiles_browser"}
)


def _text(message: Mapping[str, Any]) -> tuple[str, tuple[Quote, ...]]:
    """The words of a message, and the names of what was attached."""
    content = dictionary(message.get("content"))
    words: list[str] = []
    names: list[str] = []
    parts = listed(content.get("parts"))
    for part in parts:
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, dict):
            text = text_of(part.get("text"))
            kind = text_of(part.get("content_type")).replace("_asset_pointer", "")
            if text:
                words.append(text)
            elif kind:
                names.append(kind.replace("_", " "))
    if not parts and text_of(content.get("text")):
        words.append(text_of(content.get("text")))
    for each in listed(dictionary(message.get("metadata")).get("attachments")):
        name = text_of(dictionary(each).get("name"))
        if name:
            names.append(name)
    return "\n\n".join(filter(str.strip, words)), tuple(Quote(n, "") for n in names)
