"""Civil time: what a property, a file name or a flag says about when.

All times are naive and civil, as a person in the vault's zone reads them off a
wall clock; an interval is half-open, `[start, end)`. A value with an offset is
brought into the vault's zone when one is set and otherwise read as written.
Phrases such as "last week" are not understood here yet: only written dates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

__all__ = [
    "Interval",
    "daily_pattern",
    "date_in_name",
    "parse_interval",
    "time_of_ulid",
]

_DATE = re.compile(
    r"^\s*(?P<y>\d{4})"
    r"(?:-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2})"
    r"(?:[T ]\s*(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?\s*$"
)
_WEEK = re.compile(r"^\s*(?P<y>\d{4})-?W(?P<w>\d{2})\s*$", re.IGNORECASE)
_QUARTER = re.compile(
    r"^\s*(?:(?P<y>\d{4})-?Q(?P<q>[1-4])|Q(?P<q2>[1-4]) (?P<y2>\d{4}))\s*$",
    re.IGNORECASE,
)
# A date in a file name: 2023-09-12, 2023_09_12, 2023.09.12 or 20230912, not
# inside a longer run of digits.
_IN_NAME = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_CROCKFORD = {c: i for i, c in enumerate("0123456789ABCDEFGHJKMNPQRSTVWXYZ")}


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """A half-open stretch of civil time; `precise` when a time of day was given."""

    start: datetime
    end: datetime
    precise: bool = False

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a moment."""
        return self.start < other.end and other.start < self.end


def parse_interval(value: object, zone: str = "") -> Interval | None:
    """The interval that a written date covers, or None when it isn't one.

    Understands a year, month, day, minute or second in ISO form (a space for
    the T will do), ISO weeks (2026-W14) and quarters (2026-Q3). Examples: "2026-03" is
    all of March; "2026-03-05T10:30" is that minute.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    text = str(value)
    try:
        match = _DATE.match(text)
        if match:
            return _from_parts(match, zone)
        match = _WEEK.match(text)
        if match:
            monday = date.fromisocalendar(int(match["y"]), int(match["w"]), 1)
            start = datetime(monday.year, monday.month, monday.day)
            return Interval(start, start + timedelta(days=7))
        match = _QUARTER.match(text)
        if match:
            year = int(match["y"] or match["y2"])
            first = 3 * int(match["q"] or match["q2"]) - 2
            return Interval(datetime(year, first, 1), _month_after(year, first + 2))
    except (ValueError, OverflowError):
        return None
    return None


def _from_parts(match: re.Match[str], zone: str) -> Interval:
    year = int(match["y"])
    if match["m"] is None:
        return Interval(datetime(year, 1, 1), datetime(year + 1, 1, 1))
    month = int(match["m"])
    if match["d"] is None:
        return Interval(datetime(year, month, 1), _month_after(year, month))
    day = datetime(year, month, int(match["d"]))
    if match["H"] is None:
        return Interval(day, day + timedelta(days=1))
    second = match["S"]
    start = day.replace(
        hour=int(match["H"]), minute=int(match["M"]), second=int(second or 0)
    )
    if match["zone"]:
        start = _in_zone(start, match["zone"], zone)
    length = timedelta(seconds=1) if second else timedelta(minutes=1)
    return Interval(start, start + length, precise=True)


def _month_after(year: int, month: int) -> datetime:
    return datetime(year + month // 12, month % 12 + 1, 1)


def _in_zone(moment: datetime, offset: str, zone: str) -> datetime:
    if not zone:
        return moment
    import zoneinfo

    iso = "+00:00" if offset == "Z" else offset
    aware = datetime.fromisoformat(moment.isoformat() + iso)
    return aware.astimezone(zoneinfo.ZoneInfo(zone)).replace(tzinfo=None)


def date_in_name(stem: str) -> Interval | None:
    """The day that a file name carries anywhere in it, or None."""
    for match in _IN_NAME.finditer(stem):
        year, _, month, day = match.groups()
        if not "1900" <= year <= "2199":
            continue
        found = parse_interval(f"{year}-{month}-{day}")
        if found:
            return found
    return None


_MOMENT = re.compile(
    r"\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DDDD|DD|D|dddd|ddd|Do|ww|WW|.", re.DOTALL
)
_TOKENS = {
    "YYYY": r"(?P<y>\d{4})",
    "YY": r"(?P<yy>\d{2})",
    "MM": r"(?P<m>\d{2})",
    "M": r"(?P<m>\d{1,2})",
    "DD": r"(?P<d>\d{2})",
    "D": r"(?P<d>\d{1,2})",
    "Do": r"(?P<d>\d{1,2})(?:st|nd|rd|th)",
    "MMM": r"[^\W\d]{3,4}\.?",
    "MMMM": r"[^\W\d]+",
    "dddd": r"[^\W\d]+",
    "ddd": r"[^\W\d]{2,4}\.?",
    "ww": r"\d{2}",
    "WW": r"\d{2}",
    "DDDD": r"\d{3}",
}


def daily_pattern(moment_format: str) -> re.Pattern[str]:
    """A pattern for the names that Obsidian's daily-note format makes.

    `moment_format` as in `.obsidian/daily-notes.json`, for example
    "YYYY/MM/YYYY-MM-DD"; only its last path component counts.
    """
    last = moment_format.rpartition("/")[2] or "YYYY-MM-DD"
    seen: set[str] = set()
    parts: list[str] = []
    for match in _MOMENT.finditer(last):
        token = match[0]
        if match[1] is not None:
            parts.append(re.escape(match[1]))
            continue
        pattern = _TOKENS.get(token, re.escape(token))
        name = pattern[4:].partition(">")[0] if pattern.startswith("(?P<") else ""
        if name and name in seen:
            pattern = pattern.replace(f"(?P<{name}>", "(?:")
        seen.add(name)
        parts.append(pattern)
    return re.compile("^" + "".join(parts) + "$", re.IGNORECASE)


def time_of_ulid(note_id: str) -> datetime | None:
    """The UTC time in an id of ours ("m-" and a ULID), or None for any other id."""
    ulid = note_id.removeprefix("m-").upper()
    if len(ulid) != 26 or not note_id.startswith("m-"):
        return None
    if any(c not in _CROCKFORD for c in ulid):
        return None
    millis = 0
    for char in ulid[:10]:
        millis = millis * 32 + _CROCKFORD[char]
    try:
        return datetime(1970, 1, 1) + timedelta(milliseconds=millis)
    except OverflowError:
        return None
