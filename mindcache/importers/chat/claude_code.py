"""Transcripts of Claude Code: JSON lines, of which few are anybody's words. Pure.

Most lines of type `user` are results of tools or text that the program put in. What
remains is what the person typed and what the assistant answered in words. Lines of
resumed sessions that repeat another one's are left out, by their `uuid`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mindcache.importers.chat.turns import (
    Conversation,
    Turn,
    Who,
    civil,
    dictionary,
    listed,
    text_of,
)

__all__ = ["conversations", "is_record"]

_MACHINE = Who("Claude", "machine")

_TYPES = frozenset(
    {"user", "assistant", "system", "summary", "progress", "file-history-snapshot"}
    | {"queue-operation", "custom-title", "agent-name", "last-prompt"}
)
# What the program writes into the person's turns.
_INJECTED = re.compile(
    r"\s*<(?:command-|local-command-|system-reminder|task-notification|bash-|user-"
    r"prompt-submit-hook|environment_context|ide_|session-start-hook)"
)
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_NOTICES = ("[Request interrupted", "Caveat: The messages below", "API Error")

_UNSHOWN = "not part of what was said"


def is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object is a line of such a transcript."""
    known = text_of(value.get("type")) in _TYPES
    return known and (
        "sessionId" in value or "leafUuid" in value or "messageId" in value
    )


@dataclass(slots=True)
class _Session:
    """What is taken from one session; `parts` are (uuid, answer, who, at, text)."""

    title: str = ""
    cwd: str = ""
    place: str = ""
    turns: list[Turn] = field(default_factory=list)
    answer: str = ""
    left: Counter[tuple[str, str]] = field(default_factory=Counter)
    last: datetime | None = None


def conversations(
    records: Iterable[tuple[str, Mapping[str, Any]]],
    stem: str,
    me: Who,
    zone: str,
    met: dict[str, str],
) -> Iterator[Conversation]:
    """The sessions of a file, from its records and their places.

    `stem` is the file's name without its ending, which is that of its session: what
    it holds of others is kept apart. `met` holds, by `uuid`, the session to which a
    line met before belongs.
    """
    sessions: dict[str, _Session] = {}
    titles: dict[str, str] = {}
    for place, record in records:
        if "leafUuid" in record and "summary" in record:
            titles[text_of(record["leafUuid"])] = text_of(record["summary"])
            continue
        name = text_of(record.get("sessionId"))
        if not name:
            continue
        session = sessions.setdefault(name, _Session(place=place))
        if title := text_of(record.get("customTitle")):
            session.title = title
        session.cwd = session.cwd or text_of(record.get("cwd"))
        _take(session, name, record, me, zone, met)
    for name, session in sessions.items():
        summary = next((t for leaf, t in titles.items() if met.get(leaf) == name), "")
        yield Conversation(
            key=f"claude-code:{name}" + ("" if stem in {"", name} else f"/{stem}"),
            title=session.title or summary,
            turns=session.turns,
            place=session.place,
            zone=zone or "UTC",
            project=re.split(r"[/\\]", session.cwd.rstrip("/\\"))[-1],
            left=session.left,
        )


def _take(
    session: _Session,
    name: str,
    record: Mapping[str, Any],
    me: Who,
    zone: str,
    met: dict[str, str],
) -> None:
    what = _left_out(record)
    uuid = text_of(record.get("uuid"))
    if not what and uuid and (uuid in met or record.get("forkedFrom")):
        what = "lines of resumed sessions", "they stand in the session they are from"
    if what:
        session.left[what] += 1
        return
    if uuid:
        met[uuid] = name
    message = dictionary(record.get("message"))
    is_me = record.get("type") == "user"
    text = _text(message, session.left, is_me=is_me)
    if not text:
        return
    session.last = civil(record.get("timestamp"), zone) or session.last
    answer = "" if is_me else text_of(message.get("id"))
    turns = session.turns
    if answer and answer == session.answer and turns:
        # One answer comes in several lines.
        before = turns[-1]
        whole = f"{before.text}\n\n{text}"
        turns[-1] = Turn(before.id, before.who, before.at, whole)
        return
    session.answer = answer
    turn_id = uuid or f"{record.get('timestamp')} {text}"
    turns.append(Turn(turn_id, me if is_me else _MACHINE, session.last, text))


def _left_out(record: Mapping[str, Any]) -> tuple[str, str] | None:
    """What a record is when it is nobody's words."""
    kind = text_of(record.get("type"))
    if kind not in {"user", "assistant"}:
        return "records of the program", _UNSHOWN
    if record.get("isSidechain") or record.get("agentId"):
        return "lines of subagents", "they are between programs"
    if (
        record.get("isMeta")
        or record.get("isCompactSummary")
        or record.get("isVisibleInTranscriptOnly")
        or record.get("isApiErrorMessage")
        or text_of(dictionary(record.get("origin")).get("kind")) not in {"", "human"}
        or record.get("promptSource") == "system"
    ):
        return "texts put in by the program", _UNSHOWN
    if kind == "user" and "toolUseResult" in record:
        return "results of tools", _UNSHOWN
    return None


def _text(
    message: Mapping[str, Any], left: Counter[tuple[str, str]], *, is_me: bool
) -> str:
    content = message.get("content")
    blocks = (
        [{"type": "text", "text": content}] if isinstance(content, str) else content
    )
    texts = []
    for each in listed(blocks):
        block = dictionary(each)
        kind = text_of(block.get("type"))
        if kind != "text":
            left[_kind(kind), _UNSHOWN] += 1
            continue
        text = text_of(block.get("text"))
        if is_me:
            text = _REMINDER.sub("", text).strip()
            if text and (_INJECTED.match(text) or text.startswith(_NOTICES)):
                left["texts put in by the program", _UNSHOWN] += 1
                continue
        if text.strip():
            texts.append(text)
    return "\n\n".join(texts)


def _kind(kind: str) -> str:
    return {
        "thinking": "thoughts",
        "tool_use": "calls of tools",
        "tool_result": "results of tools",
        "image": "images",
    }.get(kind, "other blocks")
