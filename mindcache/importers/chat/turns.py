"""What all formats of chats come down to: conversations, and who said what when. Pure."""

from __future__ import annotations

import math
import zoneinfo
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from mindcache.errors import Problem

__all__ = [
    "Conversation",
    "Quote",
    "Turn",
    "Who",
    "civil",
    "dictionary",
    "listed",
    "text_of",
]

# A time of Unix in seconds is below this until the year 5138; above it are milliseconds.
_MILLIS_FROM = 1e11

Role = Literal["person", "me", "machine"]


@dataclass(frozen=True, slots=True)
class Who:
    """A speaker: `machine` for an assistant or a bot, `me` for the vault's owner."""

    name: str
    role: Role = "person"


@dataclass(frozen=True, slots=True)
class Quote:
    """Text that was attached rather than said."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said at once. `at` is civil time; `id` its source's name for it."""

    id: str
    who: Who
    at: datetime | None
    text: str
    quotes: tuple[Quote, ...] = ()


@dataclass(slots=True)
class Conversation:
    """One conversation.

    `key` names it for good among those of all formats. `turns` are read once, and
    may be long. `is_endless` when it has no end of its own, as a chat of a messenger.
    `version` sorts behind that of an older export ("": the last turn's time). `left`
    counts what is left out, by what and why, `problems` tell of what is broken; both are
    filled while the turns are read.
    """

    key: str
    title: str
    turns: Iterable[Turn]
    place: str = ""
    zone: str = ""
    version: str = ""
    project: str = ""
    is_endless: bool = False
    created: datetime | None = None
    left: Counter[tuple[str, str]] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def civil(value: object, zone: str) -> datetime | None:
    """A time of an export as civil time in a zone ("" for UTC), None for none.

    Takes seconds or milliseconds of Unix, as numbers or text, and ISO 8601; of the
    latter one without an offset is UTC.
    """
    moment = _moment(value)
    if moment is None:
        return None
    try:
        there = zoneinfo.ZoneInfo(zone) if zone else UTC
        return moment.astimezone(there).replace(tzinfo=None, microsecond=0)
    except (OverflowError, ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return None


def _moment(value: object) -> datetime | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return _iso(str(value))
    if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return None
    seconds = value / 1000 if value > _MILLIS_FROM else value
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _iso(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def dictionary(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    """The value if it is text, else none."""
    return value if isinstance(value, str) else ""
