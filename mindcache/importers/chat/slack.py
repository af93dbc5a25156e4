"""A Slack export: a file a day for each channel. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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

__all__ = ["LISTS", "Team", "conversation", "day_of", "is_export"]

# The files that list channels, by what they hold; the latter three are in exports of
# a whole company only.
LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")

_DAY_FILE = re.compile(r"([^/]+)/(\d{4}-\d\d-\d\d)\.json$")
_REFERENCE = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_CODE = re.compile(r"(?<![ \t])[ \t]*+```(?:\n)?(.*?)(?:\n)?```[ \t]*+", re.DOTALL)
# Subtypes in which somebody says something.
_SAID = frozenset(
    {"", "bot_message", "file_share", "file_comment", "me_message", "thread_broadcast"}
    | {"reply_broadcast", "document_mention", "slackbot_response"}
)


@dataclass(frozen=True, slots=True)
class Team:
    """Who is who, and the channels by the names of their folders."""

    users: Mapping[str, str] = field(default_factory=dict)
    bots: frozenset[str] = frozenset()
    channels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, users: Sequence[Any], lists: Iterable[Sequence[Any]]) -> Team:
        """From `users.json` and the lists of channels."""
        names: dict[str, str] = {}
        bots: set[str] = set()
        for each in users:
            user = dictionary(each)
            key, profile = text_of(user.get("id")), dictionary(user.get("profile"))
            chosen = (
                profile.get("real_name"),
                user.get("real_name"),
                profile.get("display_name"),
                user.get("name"),
            )
            names[key] = next((n for n in map(text_of, chosen) if n.strip()), key)
            if user.get("is_bot"):
                bots.add(key)
        channels: dict[str, Mapping[str, Any]] = {}
        for group in lists:
            for each in group:
                channel = dictionary(each)
                folder = text_of(channel.get("name")) or text_of(channel.get("id"))
                channels[folder] = channel
        return cls(names, frozenset(bots), channels)


def is_export(names: Iterable[str]) -> bool:
    """Whether files of these names are one."""
    found = list(names)
    listed_there = any(name.rpartition("/")[2] in LISTS for name in found)
    return listed_there and any(day_of(name) for name in found)


def day_of(name: str) -> tuple[str, str] | None:
    """The channel's folder and the day of a file, None for another file."""
    match = _DAY_FILE.search(name)
    return (match[1], match[2]) if match else None


def conversation(
    folder: str,
    days: Iterable[Sequence[Any]],
    team: Team,
    owner: tuple[str, ...],
    zone: str,
    place: str,
) -> Conversation:
    """A channel, from the messages of each day in order."""
    channel = team.channels.get(folder, {})
    talk = Conversation(
        key=f"slack:{text_of(channel.get('id')) or folder}",
        title=f"{_name(folder, channel, team)} (Slack)",
        turns=(),
        place=place,
        zone=zone or "UTC",
        is_endless=True,
    )
    talk.turns = _turns(talk, days, team, owner)
    return talk


def _name(folder: str, channel: Mapping[str, Any], team: Team) -> str:
    """A channel's name; a direct message is called by those who take part."""
    if text_of(channel.get("name")) and not folder.startswith("mpdm-"):
        return folder
    members = map(text_of, listed(channel.get("members")))
    return ", ".join(team.users.get(m, m) for m in members if m) or folder


def _turns(
    talk: Conversation,
    days: Iterable[Sequence[Any]],
    team: Team,
    owner: tuple[str, ...],
) -> Iterator[Turn]:
    mine = {name.casefold() for name in owner}
    parents: dict[str, str] = {}
    for day in days:
        met: set[str] = set()
        for value in sorted(day, key=_order):
            message = dictionary(value)
            key = text_of(message.get("ts"))
            subtype = text_of(message.get("subtype"))
            if subtype not in _SAID:
                talk.left["service messages", "nobody said them"] += 1
                continue
            if key in met:
                continue
            met.add(key)
            who = _who(message, team, mine)
            text = _text(message, team)
            thread = text_of(message.get("thread_ts"))
            if thread and thread != key and text:
                to = parents.get(thread)
                space = "\n" if text.startswith("```") else " "
                text = f"({f'to {to}' if to else 'in a thread'}){space}{text}"
            elif message.get("reply_count") or thread == key:
                parents[key] = who.name
            at = civil(key, talk.zone)
            yield Turn(key or str(len(met)), who, at, text, tuple(_files(message)))


def _order(value: object) -> float:
    try:
        return float(text_of(dictionary(value).get("ts")))
    except ValueError:
        return 0.0


def _who(message: Mapping[str, Any], team: Team, mine: set[str]) -> Who:
    user = text_of(message.get("user"))
    if user and user not in team.bots and message.get("subtype") != "bot_message":
        profile = dictionary(message.get("user_profile"))
        name = team.users.get(user) or text_of(profile.get("real_name")) or user
        return Who(name, "me" if name.casefold() in mine else "person")
    bot = dictionary(message.get("bot_profile"))
    name = text_of(message.get("username")) or text_of(bot.get("name"))
    return Who(name or team.users.get(user, "") or "Bot", "machine")


def _text(message: Mapping[str, Any], team: Team) -> str:
    parts = [_plain(text_of(message.get("text")), team)]
    for each in listed(message.get("attachments")):
        attachment = dictionary(each)
        found = [text_of(attachment.get(k)) for k in ("pretext", "title", "text")]
        if not any(found):
            found = [text_of(attachment.get("fallback"))]
        parts += [_plain(text, team) for text in found if text]
    return "\n".join(part for part in parts if part.strip())


def _plain(text: str, team: Team) -> str:
    """Slack's markup as text: names for ids, links with their labels, code in fences."""

    def shown(match: re.Match[str]) -> str:
        sign, target, label = match[1], match[2], match[3] or ""
        if sign == "@":
            return f"@{label or team.users.get(target, target)}"
        if sign == "#":
            return f"#{label or target}"
        if sign == "!":
            return f"@{label or target.partition('^')[0]}"
        address = target.removeprefix("mailto:")
        return address if not label or label in target else f"{label} ({address})"

    text = _REFERENCE.sub(shown, text)
    return _CODE.sub(r"\n```\n\1\n```\n", html.unescape(text)).strip("\n")


def _files(message: Mapping[str, Any]) -> Iterator[Quote]:
    files = listed(message.get("files")) or [message.get("file")]
    for each in files:
        file = dictionary(each)
        name = text_of(file.get("name")) or text_of(file.get("title"))
        if name:
            yield Quote(name, "")
