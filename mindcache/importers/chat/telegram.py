"""Exports of Telegram Desktop, of one chat or a whole account. Pure.

An account is one object that may be larger than memory: chats are walked message by
message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mindcache.errors import Problem
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
from mindcache.importers.chat.values import Fault, Values

__all__ = ["conversations", "is_export"]

_CHAT_KEYS = frozenset({"type", "messages"})
_ACCOUNT_KEYS = frozenset({"chats", "left_chats", "personal_information"})
_MEDIA = ("photo", "file")


@dataclass(frozen=True, slots=True)
class _Reading:
    """What every chat of a file shares."""

    values: Values
    zone: str
    me: tuple[str, ...]
    file: str


def is_export(keys: frozenset[str]) -> bool:
    """Whether an object with these keys is one."""
    return (
        keys >= _CHAT_KEYS
        or ("about" in keys and bool(keys & _ACCOUNT_KEYS))
        or keys >= {"chats", "personal_information"}
    )


def conversations(
    values: Values, me: tuple[str, ...], zone: str, file: str
) -> Iterator[Conversation | Fault]:
    """The chats of an export, each to be read before the next."""
    reading = _Reading(values, zone, me, file)
    about: dict[str, Any] = {}
    owner = ""
    for key in values.members():
        if isinstance(key, Fault):
            yield key
        elif key == "personal_information":
            owner = f"user{dictionary(values.value()).get('user_id', '')}"
        elif key in {"chats", "left_chats"}:
            yield from _listed(reading, owner)
        elif key == "messages":
            yield _chat(reading, about, owner)
        elif key in {"name", "type", "id"}:
            about[key] = values.value()


def _listed(reading: _Reading, owner: str) -> Iterator[Conversation | Fault]:
    values = reading.values
    for key in values.members():
        if isinstance(key, Fault):
            yield key
        elif key == "list" and values.peek() == "[":
            for _ in values.places():
                yield from _dialog(reading, owner)


def _dialog(reading: _Reading, owner: str) -> Iterator[Conversation | Fault]:
    values = reading.values
    if values.peek() != "{":
        return
    about: dict[str, Any] = {}
    for key in values.members():
        if isinstance(key, Fault):
            yield key
        elif key == "messages" and values.peek() == "[":
            yield _chat(reading, about, owner)
        elif key in {"name", "type", "id"}:
            about[key] = values.value()


def _chat(reading: _Reading, about: Mapping[str, Any], owner: str) -> Conversation:
    kind = text_of(about.get("type"))
    name = text_of(about.get("name"))
    name = name or {"saved_messages": "Saved Messages", "replies": "Replies"}.get(
        kind, ""
    )
    talk = Conversation(
        key=f"telegram:{about.get('id', kind or name)}",
        title=f"{name or 'Deleted account'} (Telegram)",
        turns=(),
        place=f"{reading.file}:{reading.values.line}",
        zone=reading.zone or "UTC",
        is_endless=True,
    )
    talk.turns = _turns(talk, reading, owner)
    return talk


def _turns(talk: Conversation, reading: _Reading, owner: str) -> Iterator[Turn]:
    names = {name.casefold() for name in reading.me}
    for line, value in reading.values.items():
        if isinstance(value, Fault):
            talk.problems.append(
                Problem(reading.file, line, "chat-json", value.message,
                        "the message is left out", "error")
            )  # fmt: skip
            continue
        message = dictionary(value)
        kind = message.get("type")
        if kind != "message":
            what = "service messages" if kind == "service" else "unsupported messages"
            talk.left[what, "nobody said them"] += 1
            continue
        name = text_of(message.get("from")) or text_of(message.get("author"))
        name = name or "Deleted account"
        is_me = (owner and message.get("from_id") == owner) or name.casefold() in names
        at = civil(message.get("date_unixtime"), reading.zone) or civil(
            message.get("date"), ""
        )
        who = Who(name, "me" if is_me else "person")
        text = "\n".join(filter(None, (_text(message), *_more(message))))
        yield Turn(str(message.get("id", line)), who, at, text, tuple(_files(message)))


def _text(message: Mapping[str, Any]) -> str:
    text = message.get("text")
    parts = text if isinstance(text, list) else [text]
    said = "".join(map(_piece, parts))
    source = text_of(message.get("forwarded_from"))
    return f"(forwarded from {source}) {said}" if source else said


def _piece(part: object) -> str:
    if isinstance(part, str):
        return part
    piece = dictionary(part)
    text = text_of(piece.get("text"))
    kind = piece.get("type")
    if kind == "pre":
        return f"\n```{text_of(piece.get('language'))}\n{text}\n```\n"
    if kind == "code":
        return f"`{text}`"
    href = text_of(piece.get("href"))
    return f"{text} ({href})" if kind == "text_link" and href else text


def _more(message: Mapping[str, Any]) -> Iterator[str]:
    """What a message holds besides text and files, in words."""
    poll = dictionary(message.get("poll"))
    if poll:
        answers = (
            text_of(dictionary(a).get("text")) for a in listed(poll.get("answers"))
        )
        yield f"Poll: {text_of(poll.get('question'))} ({', '.join(answers)})"
    place = dictionary(message.get("location_information"))
    if place:
        where = f"{place.get('latitude')}, {place.get('longitude')}"
        named = text_of(message.get("place_name"))
        yield f"Location: {f'{named}, ' if named else ''}{where}"
    contact = dictionary(message.get("contact_information"))
    if contact:
        named = (
            f"{text_of(contact.get('first_name'))} {text_of(contact.get('last_name'))}"
        )
        yield f"Contact: {named.strip()}"


def _files(message: Mapping[str, Any]) -> Iterator[Quote]:
    for key in _MEDIA:
        if key in message:
            name = text_of(message.get("file_name"))
            path = text_of(message.get(key))
            if not name and path and not path.startswith("("):
                name = path.rpartition("/")[2]
            kind = text_of(message.get("media_type")).replace("_", " ") or key
            yield Quote(name or kind, "")
