"""Chats that WhatsApp wrote as text: a line a message, in the format of the phone. Pure.

Nothing in the file says in which order a date is written; the whole file decides: a
number above 12, else the order in which time never runs backwards.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from mindcache.importers.chat.turns import Conversation, Quote, Turn, Who

__all__ = ["Order", "conversation", "is_chat", "order_of", "people_of", "title_of"]

_HEADER = re.compile(
    r"[\u200e\u200f\ufeff]*\[?(\d{1,4})[-/. ]{1,2}(\d{1,2})[-/. ]{1,2}(\d{1,4})[,.]?"
    r"[\s\u202f]\D{0,12}?(\d{1,2})[.:](\d{2})(?:[.:](\d{2}))?"
    r"(?:[\s\u202f]*([aApP])\.?[\s\u202f]?[mM]\.?)?\]?(?:[\s\u202f]-|:)?[\s\u202f](.*)$",
    re.DOTALL,
)
_AUTHOR = re.compile(
    r"[\u200e\u200f\u202a]*([^:\n]{1,60}?)[\u202c]?: ?(.*)$", re.DOTALL
)
_ATTACHED = re.compile(
    r"[\u200e\u200f]*+(?:<attached: ([^<>\n]+)>|([^\n]+?\.\w{2,5}) \(file attached\))"
)
_OMITTED = re.compile(
    r"[\u200e\u200f]*(?:<Media omitted>|(?:image|video|audio|sticker|GIF|document|"
    r"Contact card) omitted)$"
)
_DELETED = re.compile(
    r"[\u200e\u200f]*(?:This message was deleted|You deleted this message)\.?$"
)
# Said last of a message that was changed; what was said is the message.
_EDITED = re.compile(r"(?<![ \u200e\u200f])[ \u200e\u200f]*+<This message was edited>$")
# What a browser adds to the name of a file that it fetches once more.
_AGAIN = re.compile(r"(?:\s*\(\d{1,3}\))+$")
_TITLE = re.compile(r"(?:WhatsApp[ _]Chat[ _](?:with|-)[ _]|WhatsApp Chat - )(.+)$")

# Lines of a file's beginning of which one has to be a message.
_LOOKED_AT = 30

Order = Literal["dmy", "mdy", "ymd"]


@dataclass(frozen=True, slots=True)
class _Header:
    numbers: tuple[str, str, str]
    hour: int
    minute: int
    second: int
    rest: str

    def at(self, order: Order) -> datetime | None:
        """When it was by this order, None when there is no such time."""
        first, second, third = (int(each) for each in self.numbers)
        day, month, year = {
            "dmy": (first, second, third),
            "mdy": (second, first, third),
            "ymd": (third, second, first),
        }[order]
        year += 2000 if year < 100 else 0
        try:
            return datetime(  # noqa: DTZ001  civil time
                year, month, day, self.hour, self.minute, self.second
            )
        except ValueError:
            return None


def _header(line: str) -> _Header | None:
    match = _HEADER.match(line)
    if match is None:
        return None
    hour = int(match[4])
    if match[7]:
        hour = hour % 12 + (12 if match[7] in "pP" else 0)
    return _Header(
        (match[1], match[2], match[3]),
        hour,
        int(match[5]),
        int(match[6] or 0),
        match[8],
    )


def is_chat(head: str) -> bool:
    """Whether a text begins as such a chat."""
    headers = [_header(line) for line in head.split("\n")[:_LOOKED_AT]]
    return any(h and h.at(o) for h in headers for o in ("dmy", "mdy", "ymd"))


def order_of(lines: Iterable[str]) -> tuple[Order, bool]:
    """The order of its dates, and whether that is more than a guess."""
    before: dict[Order, datetime] = {}
    back: dict[Order, int] = {"dmy": 0, "mdy": 0}
    for line in lines:
        header = _header(line)
        if header is None:
            continue
        if len(header.numbers[0]) == 4:
            return "ymd", True
        for order in back:
            at = header.at(order)
            if at is None:
                return ("mdy", True) if order == "dmy" else ("dmy", True)
            back[order] += before.get(order, at) > at
            before[order] = at
    if back["dmy"] == back["mdy"]:
        return "dmy", not before or before["dmy"] == before["mdy"]
    return ("dmy", True) if back["dmy"] < back["mdy"] else ("mdy", True)


def title_of(name: str) -> str:
    """What a file of this name, without its ending, says the chat is called, "" for none."""
    named = _TITLE.search(_AGAIN.sub("", name))
    return named[1].strip() if named else ""


def people_of(lines: Iterable[str], order: Order) -> list[str]:
    """Who says something in the chat, sorted."""
    found = {
        author[1].strip()
        for _, said in _messages(lines, order)
        if (author := _AUTHOR.match(said))
    }
    return sorted(found)


def conversation(
    lines: Iterable[str],
    order: Order,
    title: str,
    people: Sequence[str],
    me: tuple[str, ...],
    place: str,
) -> Conversation:
    """The chat; `title` is what its file says that it is called.

    Without one, those who take part (`people`) tell it from others: the owner's chat
    with one other is called by that other, as the file would be.
    """
    messages = _messages(lines, order)
    first = next(messages, None)
    owner = {name.casefold() for name in me}
    others = [name for name in people if name.casefold() not in owner]
    if not title and len(others) == 1 < len(people):
        title = others[0]
    key = title
    if not title:
        said = "\n".join(people).casefold()
        key = hashlib.blake2b(
            said.encode("utf-8", "replace"), digest_size=8
        ).hexdigest()
    talk = Conversation(
        key=f"whatsapp:{key}",
        title=f"{title} (WhatsApp)" if title else "WhatsApp chat",
        turns=(),
        place=place,
        is_endless=True,
    )
    talk.turns = _turns(talk, [] if first is None else [first], messages, me)
    return talk


def _messages(lines: Iterable[str], order: Order) -> Iterator[tuple[datetime, str]]:
    """Each message's time and all of its text; a line without a time goes on."""
    held: tuple[datetime, list[str]] | None = None
    for line in lines:
        header = _header(line)
        at = header.at(order) if header else None
        if header is None or at is None:
            if held is not None:
                held[1].append(line)
            continue
        if held is not None:
            yield held[0], "\n".join(held[1])
        held = (at, [header.rest])
    if held is not None:
        yield held[0], "\n".join(held[1])


def _turns(
    talk: Conversation,
    first: list[tuple[datetime, str]],
    rest: Iterator[tuple[datetime, str]],
    me: tuple[str, ...],
) -> Iterator[Turn]:
    owner = {name.casefold() for name in me}
    for messages in (first, rest):
        for at, said in messages:
            author = _AUTHOR.match(said)
            if author is None:
                talk.left["service messages", "nobody said them"] += 1
                continue
            name, text = author[1].strip(), author[2]
            if _DELETED.match(text):
                talk.left["deleted messages", "their text isn't in the export"] += 1
                continue
            text = _EDITED.sub("", text)
            if _OMITTED.match(text):
                talk.left["media", "left out of the export"] += 1
                continue
            attached = _ATTACHED.match(text)
            quotes: tuple[Quote, ...] = ()
            if attached:
                quotes = (Quote(attached[1] or attached[2], ""),)
                text = text[attached.end() :].lstrip("\n")
            who = Who(name, "me" if name.casefold() in owner else "person")
            yield Turn(f"{at.isoformat()} {name} {text}", who, at, text, quotes)
