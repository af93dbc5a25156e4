"""Written dates: what a property, a file name, a daily note's name or an id says.

A value with an offset is brought into the vault's zone when one is set and otherwise
read as written. Phrases ("last week") are read in `phrases`.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from mindcache.lazy import regex

__all__ = [
    "Interval",
    "daily_pattern",
    "date_in_name",
    "date_of_daily",
    "in_zone",
    "parse_interval",
    "time_of_ulid",
]

_DATE = regex(
    r"^\s*(?P<y>[0-9]{4})"
    r"(?:-(?P<m>[0-9]{1,2})(?:-(?P<d>[0-9]{1,2})"
    r"(?:[Tt ]\s*(?P<H>[0-9]{1,2}):(?P<M>[0-9]{2})(?::(?P<S>[0-9]{2})(?:[.,][0-9]+)?)?"
    r"\s*(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?)?)?\s*$"
)
_COMPACT = regex(r"^\s*([0-9]{4})([0-9]{2})([0-9]{2})\s*$")
_WEEK = regex(
    r"^\s*(?P<y>[0-9]{4})-?W(?P<w>[0-9]{2})(?:-?(?P<d>[1-7]))?\s*$", re.IGNORECASE
)
_QUARTER = regex(
    r"^\s*(?:(?P<y>[0-9]{4})-?Q(?P<q>[1-4])|Q(?P<q2>[1-4]) (?P<y2>[0-9]{4}))\s*$",
    re.IGNORECASE,
)
# A date in a file name: 2023-09-12, 2023_09_12, 2023.09.12 or 20230912 (also with
# hour and minute behind, as in 202309121430), not inside a longer run of digits. With
# dots it must not go on in digits: 1.2023.09.12 is a version.
_IN_NAME = regex(
    r"(?<![0-9])([0-9]{4})([-_.]?)([0-9]{2})\2([0-9]{2})"
    r"(?:(?![0-9])|(?<=[0-9]{8})(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?(?![0-9]))"
)
_END_OF_TIME = datetime.combine(date.max, time.max)
_CROCKFORD = {c: i for i, c in enumerate("0123456789ABCDEFGHJKMNPQRSTVWXYZ")}


class Interval(NamedTuple):
    """A half-open stretch of civil time; `precise` when a time of day was given."""

    start: datetime
    end: datetime
    precise: bool = False

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a moment."""
        return self.start < other.end and other.start < self.end


def parse_interval(value: object, zone: str = "") -> Interval | None:
    """The interval that a written date covers, or None when it isn't one.

    Understands a year, month, day (also 20260305), minute or second in ISO form (a
    space for the T will do), ISO weeks and their days (2026-W14, 2026-W14-3) and
    quarters (2026-Q3). Examples: "2026-03" is all of March; "2026-03-05T10:30" is that
    minute. An offset counts only where `zone` (an IANA name) says into what.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    if isinstance(value, int) and not 0 <= value < 10**8:
        return None
    try:
        return _interval(str(value), zone)
    except ValueError:
        return None


def _interval(text: str, zone: str) -> Interval | None:
    if match := _DATE.match(text):
        return _from_parts(match, zone)
    if match := _COMPACT.match(text):
        return _day(date(*map(int, match.groups())))
    if match := _WEEK.match(text):
        return _from_week(match)
    if match := _QUARTER.match(text):
        year = int(match["y"] or match["y2"])
        first = 3 * int(match["q"] or match["q2"]) - 2
        return Interval(_midnight(year, first, 1), _month_after(year, first + 2))
    return None


def _from_parts(match: re.Match[str], zone: str) -> Interval:
    year = int(match["y"])
    if match["m"] is None:
        return Interval(_midnight(year, 1, 1), _month_after(year, 12))
    month = int(match["m"])
    if match["d"] is None:
        return Interval(_midnight(year, month, 1), _month_after(year, month))
    day = date(year, month, int(match["d"]))
    if match["H"] is None:
        return _day(day)
    second = match["S"]
    clock = time(int(match["H"]), int(match["M"]), int(second or 0))
    start = datetime.combine(day, clock)
    if match["zone"]:
        start = _in_zone(start, match["zone"], zone)
    length = timedelta(seconds=1) if second else timedelta(minutes=1)
    return Interval(start, _later(start, length), precise=True)


def _from_week(match: re.Match[str]) -> Interval:
    day = match["d"]
    first = date.fromisocalendar(int(match["y"]), int(match["w"]), int(day or 1))
    start = _midnight(first.year, first.month, first.day)
    return Interval(start, _later(start, timedelta(days=1 if day else 7)))


def _day(day: date) -> Interval:
    start = _midnight(day.year, day.month, day.day)
    return Interval(start, _later(start, timedelta(days=1)))


def _later(start: datetime, length: timedelta) -> datetime:
    """The end of a stretch, at most the end of time: 9999-12-31 stands for "never"."""
    return start + min(length, _END_OF_TIME - start)


def _month_after(year: int, month: int) -> datetime:
    if (year, month) == (9999, 12):
        return _END_OF_TIME
    return _midnight(year + month // 12, month % 12 + 1, 1)


def _midnight(year: int, month: int, day: int) -> datetime:
    return datetime.combine(date(year, month, day), time())


def _in_zone(moment: datetime, offset: str, zone: str) -> datetime:
    if not zone:
        return moment
    import zoneinfo

    aware = datetime.fromisoformat(moment.isoformat() + offset.upper())
    try:
        return aware.astimezone(zoneinfo.ZoneInfo(zone)).replace(tzinfo=None)
    except OverflowError:  # at the ends of time an hour more or less says nothing
        return moment


def in_zone(moment: datetime, zone: str) -> datetime:
    """What a clock on the wall of a zone (an IANA name) shows at a moment.

    Without a zone it is the machine's own; a moment without one is civil already.
    """
    if moment.tzinfo is None:
        return moment
    if not zone:
        return moment.astimezone().replace(tzinfo=None)
    import zoneinfo

    return moment.astimezone(zoneinfo.ZoneInfo(zone)).replace(tzinfo=None)


def date_in_name(stem: str) -> Interval | None:
    """The day that a file name carries anywhere in it, or None."""
    for match in _IN_NAME.finditer(stem):
        year, separator, month, day = match.groups()
        if not "1900" <= year <= "2199":
            continue
        if separator == "." and _is_version(stem, match):
            continue
        found = parse_interval(f"{year}-{month}-{day}")
        if found:
            return found
    return None


def _is_version(stem: str, match: re.Match[str]) -> bool:
    before, after = stem[: match.start()][-2:], stem[match.end() :][:2]
    return (before[-1:] == "." and before[:1].isdigit()) or (
        after[:1] == "." and after[1:].isdigit()
    )


_MOMENT = regex(
    r"\[([^\]]*)\]|YYYY|YY|Mo|M{1,4}|DDDo|Do|D{1,4}|do|d{1,4}|wo|w{1,2}|Wo|W{1,2}"
    r"|gggg|gg|GGGG|GG|Qo|Q|E|e|HH?|hh?|kk?|mm?|ss?|A|a|X|x|ZZ?|.",
    re.DOTALL,
)
# A name of a month or day in whatever language Obsidian runs ("6月" is one), and
# what follows the digits of an ordinal.
_NAME = r"[0-9]{0,2}[^\W\d_]{1,20}"
_ORDINAL = r"[0-9]{1,3}+[^\W\d_]{0,3}"
_TOKENS = {
    "YYYY": "[0-9]{4}",
    "YY": "[0-9]{2}",
    "M": "[0-9]{1,2}",
    "MM": "[0-9]{2}",
    "MMM": _NAME,
    "MMMM": _NAME,
    "D": "[0-9]{1,2}",
    "DD": "[0-9]{2}",
    "DDD": "[0-9]{1,3}",
    "DDDD": "[0-9]{3}",
    "d": "[0-9]",
    "dd": _NAME,
    "ddd": _NAME,
    "dddd": _NAME,
    "E": "[0-9]",
    "e": "[0-9]",
    "w": "[0-9]{1,2}",
    "ww": "[0-9]{2}",
    "W": "[0-9]{1,2}",
    "WW": "[0-9]{2}",
    "gg": "[0-9]{2}",
    "gggg": "[0-9]{4}",
    "GG": "[0-9]{2}",
    "GGGG": "[0-9]{4}",
    "Q": "[0-9]",
    "A": _NAME,
    "a": _NAME,
    "X": "[0-9]{9,11}",
    "x": "[0-9]{12,14}",
    "Z": "[+-][0-9:.]{4,5}",
    "ZZ": "[+-][0-9]{4}",
    **dict.fromkeys(("Mo", "Do", "DDDo", "do", "wo", "Wo", "Qo"), _ORDINAL),
    **dict.fromkeys(("H", "h", "k", "m", "s"), "[0-9]{1,2}"),
    **dict.fromkeys(("HH", "hh", "kk", "mm", "ss"), "[0-9]{2}"),
}
# The tokens that tell the day, the plainest first.
_PARTS = {
    "y": ("YYYY", "YY"),
    "m": ("MM", "M", "Mo", "MMMM", "MMM"),
    "d": ("DD", "D", "Do"),
}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"

# A longer format is none that a person made; what it costs to match stays small.
_LONGEST_FORMAT = 80
# A name in front of letters of the format may have to give some back to them; each
# that may costs a factor of twenty on a hostile name.
_MOST_LOOSE = 2
_DEFAULT_FORMAT = "YYYY-MM-DD"


def daily_pattern(moment_format: str) -> re.Pattern[str]:
    """A pattern to search in a note's path for the names of daily notes.

    `moment_format` as in `.obsidian/daily-notes.json`, for example
    "YYYY/MM/YYYY-MM-DD"; the path is without `.md` and may have folders before
    those of the format. What is found goes to `date_of_daily`.
    """
    if not moment_format or len(moment_format) > _LONGEST_FORMAT:
        moment_format = _DEFAULT_FORMAT
    tokens = list(_MOMENT.finditer(moment_format.strip("/")))
    present = {match[0] for match in tokens}
    named = {
        next((t for t in choice if t in present), ""): part
        for part, choice in _PARTS.items()
    }
    seen: dict[str, str] = {}
    parts: list[str] = []
    loose = 0
    for place, match in enumerate(tokens):
        token = match[0]
        if token not in _TOKENS:
            parts.append(re.escape(token if match[1] is None else match[1]))
            continue
        if token in seen:  # the same token says the same again
            parts.append(f"(?P={seen[token]})")
            continue
        seen[token] = named.get(token, f"_{len(seen)}")
        pattern = _TOKENS[token]
        if pattern in (_NAME, _ORDINAL):
            is_loose = loose < _MOST_LOOSE and _is_letter(tokens[place + 1 : place + 2])
            loose += is_loose
            pattern += "[.º°]?" if is_loose else "+[.º°]?"
        parts.append(f"(?P<{seen[token]}>{pattern})")
    return re.compile("(?:^|/)" + "".join(parts) + "$", re.IGNORECASE)


def _is_letter(following: list[re.Match[str]]) -> bool:
    """Whether letters that stand in the format itself come next."""
    literal = following[0] if following and following[0][0] not in _TOKENS else None
    return literal is not None and literal[0].lstrip("[")[:1].isalpha()


def date_of_daily(found: re.Match[str]) -> Interval | None:
    """The day that a match of a `daily_pattern` names; None where it doesn't say.

    Names of months are understood in English.
    """
    parts = found.groupdict()
    if not all(parts.get(name) for name in "ymd"):
        return None
    year = parts["y"] if len(parts["y"]) == 4 else f"20{parts['y']}"
    name = parts["m"][:3].lower()
    at = _MONTHS.find(name) if len(name) == 3 else -1
    number = str(at // 4 + 1) if at >= 0 else _leading_number(name)
    return parse_interval(f"{year}-{number}-{_leading_number(parts['d'])}")


def _leading_number(text: str) -> str:
    return text[: len(text) - len(text.lstrip("0123456789"))]


def time_of_ulid(note_id: str) -> datetime | None:
    """The UTC time in an id of ours ("m-" and a ULID), or None for any other id."""
    ulid = note_id[2:].upper()
    if len(note_id) != 28 or not note_id.startswith("m-") or not note_id.isascii():
        return None
    if any(c not in _CROCKFORD for c in ulid):
        return None
    millis = 0
    for char in ulid[:10]:
        millis = millis * 32 + _CROCKFORD[char]
    try:
        return _midnight(1970, 1, 1) + timedelta(milliseconds=millis)
    except OverflowError:
        return None
