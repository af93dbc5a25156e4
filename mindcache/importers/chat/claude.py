"""Conversations of a Claude.ai export. Pure.

Texts of attachments are kept as quotes; thoughts and tools are left out.
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

_MACHINE = Who("Claude", "machine")
_INNER = {
    "thinking": "thoughts",
    "tool_use": "calls of tools",
    "tool_result": "results of tools",
}
_UNSHOWN = "not part of what was said"


def is_conversation(value: Mapping[str, Any]) -> bool:
    """Whether an object is one."""
    return isinstance(value.get("chat_messages"), list)


def conversation(
    value: Mapping[str, Any], me: Who, zone: str, place: str
) -> Conversation:
    """One conversation as turns, in the order of the export.

    Raises ValueError when it has no id of its own.
    """
    name = text_of(value.get("uuid")) or text_of(value.get("id"))
    if not name:
        raise ValueError("the conversation has no uuid")
    created = civil(value.get("created_at"), zone)
    updated = civil(value.get("updated_at"), "")
    left: Counter[tuple[str, str]] = Counter()
    return Conversation(
        key=f"claude:{name}",
        title=text_of(value.get("name")) or text_of(value.get("title")),
        turns=_turns(value, me, zone, left),
        place=place,
        zone=zone or "UTC",
        version=updated.isoformat() if updated else "",
        created=created or civil(value.get("updated_at"), zone),
        left=left,
    )


def _turns(
    value: Mapping[str, Any], me: Who, zone: str, left: Counter[tuple[str, str]]
) -> Iterator[Turn]:
    last = civil(value.get("created_at"), zone)
    for number, each in enumerate(_shown(value), 1):
        message = dictionary(each)
        last = (
            civil(message.get("created_at"), zone)
            or civil(message.get("updated_at"), zone)
            or last
        )
        for block in listed(message.get("content")):
            if what := _INNER.get(text_of(dictionary(block).get("type"))):
                left[what, _UNSHOWN] += 1
        sender = text_of(message.get("sender")) or text_of(message.get("role"))
        who = me if sender in {"human", "user"} else _MACHINE
        name = text_of(message.get("uuid")) or str(number)
        yield Turn(name, who, last, _text(message), _attached(message))


def _shown(value: Mapping[str, Any]) -> list[Any]:
    """The messages of the branch that was shown, where the export says which."""
    messages = listed(value.get("chat_messages"))
    by_name = {
        text_of(dictionary(m).get("uuid")): m
        for m in messages
        if text_of(dictionary(m).get("uuid"))
    }
    at = text_of(value.get("current_leaf_message_uuid"))
    branch: list[Any] = []
    while at in by_name:
        message = by_name.pop(at)
        branch.append(message)
        at = text_of(dictionary(message).get("parent_message_uuid"))
    return branch[::-1] or messages


def _text(message: Mapping[str, Any]) -> str:
    """The text blocks; what stands beside them only repeats them."""
    blocks = [dictionary(block) for block in listed(message.get("content"))]
    texts = [text_of(b.get("text")) for b in blocks if b.get("type") == "text"]
    return "\n\n".join(filter(str.strip, texts)) or text_of(message.get("text"))


def _attached(message: Mapping[str, Any]) -> tuple[Quote, ...]:
    found = []
    for each in listed(message.get("attachments")):
        file = dictionary(each)
        text = text_of(file.get("extracted_content"))
        found.append(Quote(text_of(file.get("file_name")), text))
    files = (dictionary(each) for each in listed(message.get("files")))
    return (*found, *(Quote(text_of(file.get("file_name")), "") for file in files))
