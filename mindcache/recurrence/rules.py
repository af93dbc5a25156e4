"""RRULE, RDATE and EXDATE: read, checked, and walked within bounds.

Everything walked is civil time in the plan's zone, so that nine o'clock stays nine
o'clock when the clocks change. A time that the clocks skip is kept.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from itertools import product
from typing import Any, Final

from mindcache.recurrence.zones import find_zone, shown

__all__ = ["Fault", "Rule", "Rules", "TooMany", "read_rules", "split_lines", "walk"]

# Steps that one rule is followed, in and before the window: 270 years of days. Half
# a second at the worst; a rule that needs more is no person's plan.
STEPS: Final = 100_000

# A rule or list of dates is at most this long; calendars write under 200 characters.
_LONGEST = 20_000

_NAMES = "RRULE|RDATE|EXDATE|EXRULE|DTSTART|DTEND|DURATION"
_BETWEEN = re.compile(rf"[\r\n]+|[ \t]+(?=(?:{_NAMES})[:;])", re.IGNORECASE)
_LINE = re.compile(
    rf"({_NAMES})((?:;[A-Za-z-]+=(?:\"[^\"]*\"|[^;:\"]*))*):(.*)", re.IGNORECASE
)
_PART = re.compile(r";([A-Za-z-]+)=(?:\"([^\"]*)\"|([^;:\"]*))")
_MOMENT = re.compile(
    r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})"
    r"(?:[Tt]([0-9]{2}):?([0-9]{2}):?([0-9]{2})?([Zz])?)?"
)
_WEEKDAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FREQUENCIES = (
    "YEARLY",
    "MONTHLY",
    "WEEKLY",
    "DAILY",
    "HOURLY",
    "MINUTELY",
    "SECONDLY",
)
_UNIT = {"HOURLY": "hours", "MINUTELY": "minutes", "SECONDLY": "seconds"}
# Walked here and not by the library, which goes on to the year 9999 in search of a
# day that never comes, second by second.
_STEP = {"DAILY": "days", **_UNIT}
# What RFC 5545 forbids; BYSETPOS among hours and less is our own limit.
_NOT_WITH = {
    "MONTHLY": "BYYEARDAY BYWEEKNO",
    "WEEKLY": "BYYEARDAY BYWEEKNO BYMONTHDAY",
    "DAILY": "BYYEARDAY BYWEEKNO",
    **dict.fromkeys(_UNIT, "BYWEEKNO BYSETPOS"),
}

# The numbers that each part of a rule may hold, and whether from the end too. The
# 60th second is a leap second, which no clock here has.
_RANGES = {
    "BYMONTH": (1, 12, False),
    "BYMONTHDAY": (1, 31, True),
    "BYYEARDAY": (1, 366, True),
    "BYWEEKNO": (1, 53, True),
    "BYSETPOS": (1, 366, True),
    "BYHOUR": (0, 23, False),
    "BYMINUTE": (0, 59, False),
    "BYSECOND": (0, 59, False),
}
_TIMES = ("BYHOUR", "BYMINUTE", "BYSECOND")


class TooMany(Exception):
    """A rule was not followed to the end of the window: it has too many steps."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one line, the line's text, and the mend."""

    text: str
    message: str
    mend: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One RRULE. `until` is civil and included; `by` its BY… parts but BYDAY."""

    frequency: str
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    week_start: int = 0
    weekdays: tuple[tuple[int, int], ...] = ()
    by: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Rules:
    """All of a plan's lines, in its zone. `off_days` are whole days that are taken out."""

    zone: str = ""
    rules: list[Rule] = field(default_factory=list)
    extra: list[datetime] = field(default_factory=list)
    off: set[datetime] = field(default_factory=set)
    off_days: set[datetime] = field(default_factory=set)

    def leaves_out(self, moment: datetime) -> bool:
        """Whether an EXDATE takes this occurrence out."""
        if moment in self.off or midnight(moment) in self.off_days:
            return True
        # A time that the clocks skip is, as an instant, one after the gap.
        return bool(self.off) and shown(moment, self.zone) in self.off


class _Wrong(Exception):
    def __init__(self, message: str, mend: str) -> None:
        super().__init__(message)
        self.fault = (message, mend)


def midnight(moment: datetime) -> datetime:
    """The moment that a day begins."""
    return datetime.combine(moment.date(), time())


def split_lines(value: object) -> list[str]:
    """The lines in a property's value: a text, or a list of texts."""
    items = value if isinstance(value, list) else [value]
    texts = [str(item) for item in items if item not in (None, "", False, True)]
    return [
        line.strip() for text in texts for line in _BETWEEN.split(text) if line.strip()
    ]


def read_rules(
    lines: tuple[str, ...], zone: str, *, all_day: bool
) -> tuple[Rules, list[Fault]]:
    """The rules that the lines say; a line that can't be understood is a fault."""
    rules = Rules(zone)
    faults: list[Fault] = []
    for text in lines:
        try:
            _read_line(rules, text, zone, all_day)
        except _Wrong as wrong:
            faults.append(Fault(text, *wrong.fault))
    return rules, faults


def _read_line(rules: Rules, text: str, zone: str, all_day: bool) -> None:  # noqa: FBT001  private
    if len(text) > _LONGEST:
        raise _Wrong(f"{len(text):,} characters are too many", "shorten the line")
    if "=" in text and ":" not in text.partition("=")[0]:
        text = "RRULE:" + text if text[:5].upper() == "FREQ=" else text
    match = _LINE.fullmatch(text)
    if match is None:
        raise _Wrong(
            "not a line of a recurrence",
            "write RRULE:FREQ=WEEKLY;BYDAY=TU, EXDATE:20260310T090000 or the like",
        )
    name, value = match[1].upper(), match[3].strip()
    given = {p[1].upper(): p[2] or p[3] or "" for p in _PART.finditer(match[2])}
    if name == "RRULE":
        rules.rules.append(_rule(value, zone, all_day=all_day))
    elif name == "EXDATE":
        for moment, is_day in _moments(value, given, zone):
            days = is_day or all_day
            (rules.off_days if days else rules.off).add(
                midnight(moment) if days else moment
            )
    elif name == "RDATE":
        for moment, is_day in _moments(value, given, zone):
            rules.extra.append(midnight(moment) if is_day or all_day else moment)
    elif name == "EXRULE":
        raise _Wrong("EXRULE is not supported", "name the dates by EXDATE")
    else:
        mend = "write them as time_start and time_end, and delete it here"
        raise _Wrong(f"{name} does not belong into recurrence", mend)


# -- moments -------------------------------------------------------------------


def _moments(
    value: str, given: Mapping[str, str], zone: str
) -> Iterator[tuple[datetime, bool]]:
    """(civil time in the plan's zone, whether only a date was given) of each."""
    for each in value.split(","):
        text = each.strip().partition("/")[0]  # of a period its start
        if not text:
            continue
        yield _moment(text, given.get("TZID", ""), zone)


def _moment(text: str, tzid: str, zone: str) -> tuple[datetime, bool]:
    match = _MOMENT.fullmatch(text)
    try:
        if match is None:
            raise ValueError(text)  # noqa: TRY301  the same message serves both
        year, month, day, hour, minute, second = (
            int(g or 0) for g in match.groups()[:6]
        )
        moment = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001  civil
    except ValueError as error:
        mend = "write 20260310 or 20260310T090000"
        raise _Wrong(f"{text!r} is not a date", mend) from error
    if match[4] is None:
        return moment, True
    source = "UTC" if match[7] else tzid
    return _brought(
        moment, source, zone
    ) if source and source != zone else moment, False


def _brought(moment: datetime, source: str, zone: str) -> datetime:
    """A time in one zone as the civil time in another."""
    there, here = find_zone(source), find_zone(zone)
    if there is None:
        mend = "write the IANA name, such as Europe/Berlin"
        raise _Wrong(f"no time zone is called {source!r}", mend)
    if here is None:
        mend = "add timezone: to the note, or set it in .mindcache/config.toml"
        raise _Wrong(f"the line is in {source}, and the plan in no zone", mend)
    try:
        return moment.replace(tzinfo=there).astimezone(here).replace(tzinfo=None)
    except OverflowError:  # at the ends of time a zone says nothing
        return moment


# -- rules -----------------------------------------------------------------------


def _rule(text: str, zone: str, *, all_day: bool) -> Rule:
    parts: dict[str, str] = {}
    for part in text.upper().split(";"):
        if not part.strip():
            continue
        name, sign, value = part.strip().partition("=")
        if not sign or not value or name in parts:
            raise _Wrong(f"{part!r} is not a part of a rule", "write NAME=VALUE, once")
        parts[name] = value
    frequency = parts.pop("FREQ", "")
    if frequency not in _FREQUENCIES:
        known = ", ".join(f.lower() for f in _FREQUENCIES)
        raise _Wrong(f"FREQ={frequency} is none of {known}", "write FREQ=WEEKLY")
    if all_day and frequency in _UNIT:
        mend = "give time_start a time of day"
        raise _Wrong(f"whole days can't repeat {frequency.lower()}", mend)
    until = parts.pop("UNTIL", "")
    week_start = parts.pop("WKST", "MO")
    if week_start not in _WEEKDAYS:
        raise _Wrong(f"WKST={week_start} is no day of the week", "write WKST=MO")
    rule = Rule(
        frequency,
        interval=_number("INTERVAL", parts.pop("INTERVAL", "1")),
        count=_number("COUNT", parts.pop("COUNT")) if "COUNT" in parts else None,
        until=_until(until, zone, all_day=all_day) if until else None,
        week_start=_WEEKDAYS.index(week_start),
        weekdays=_weekdays(parts.pop("BYDAY", "")),
        by={
            name: _numbers(name, value)
            for name, value in parts.items()
            if not (all_day and name in _TIMES)  # RFC 5545: ignored for dates
        },
    )
    for name in sorted(rule.by.keys() & set(_NOT_WITH.get(frequency, "").split())):
        mend = "see RFC 5545, 3.3.10; write it with another FREQ"
        raise _Wrong(f"{name} makes no sense with FREQ={frequency}", mend)
    return rule


def _number(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 7 and int(value) > 0):
        raise _Wrong(f"{name}={value} is not a number from 1", f"write {name}=2")
    return int(value)


def _numbers(name: str, value: str) -> tuple[int, ...]:
    if name not in _RANGES:
        raise _Wrong(f"{name} is not supported", "say it in the parts of RFC 5545")
    low, high, signed = _RANGES[name]
    found: dict[int, None] = {}
    for each in value.split(","):
        digits = each[1:] if each[:1] in {"+", "-"} else each
        fits = digits.isascii() and digits.isdigit() and len(digits) < 4
        number = int(digits) if fits else -1
        if name == "BYSECOND" and number == 60:
            number = 59
        if not low <= number <= high or (each[:1] == "-" and not signed):
            raise _Wrong(f"{name}={each} is none of {low} to {high}", "mend the number")
        found[-number if each[:1] == "-" else number] = None
    return tuple(sorted(found))


def _weekdays(value: str) -> tuple[tuple[int, int], ...]:
    """(day of the week, which one of its month or year; 0 for each) of BYDAY."""
    found: list[tuple[int, int]] = []
    for each in value.split(",") if value else ():
        match = _WEEKDAY.fullmatch(each)
        number = int(match[1] or 0) if match else 99
        if match is None or abs(number) > 53 or (match[1] and not number):
            raise _Wrong(f"BYDAY={each} is no day of the week", "write BYDAY=MO,-1FR")
        found.append((_WEEKDAYS.index(match[2]), number))
    return tuple(dict.fromkeys(found))


def _until(text: str, zone: str, *, all_day: bool) -> datetime:
    moment, is_day = _moment(text, "", zone)
    if all_day:
        return midnight(moment)
    return moment + timedelta(hours=23, minutes=59, seconds=59) if is_day else moment


# -- walking -----------------------------------------------------------------------


def walk(
    rule: Rule, start: datetime, low: datetime, high: datetime
) -> Iterator[datetime]:
    """The moments of a rule from `start` that lie in [low, high), in order.

    Raises TooMany when following it takes more than `STEPS`.
    """
    if rule.until is not None:
        high = min(high, rule.until + timedelta(microseconds=1))
    if start >= high:
        return
    moments = _by_steps if rule.frequency in _STEP else _by_periods
    try:
        for number, moment in enumerate(moments(rule, start, low, high)):
            if moment >= high or (rule.count is not None and number >= rule.count):
                return
            if number >= STEPS:
                raise TooMany
            if moment >= low:
                yield moment
    except OverflowError:  # off the end of the calendar
        return


def _by_periods(
    rule: Rule, start: datetime, low: datetime, high: datetime
) -> Iterator[datetime]:
    from dateutil import rrule

    # Weeks are even: a rule that began long ago is taken up near the window.
    if rule.frequency == "WEEKLY" and rule.count is None and low > start:
        step = 7 * rule.interval
        start += timedelta(days=max(0, (low - start).days // step - 1) * step)
    weekdays = [
        rrule.weekday(day, number) if number else rrule.weekday(day)
        for day, number in rule.weekdays
    ]
    by: dict[str, Any] = {name.lower(): list(value) for name, value in rule.by.items()}
    made = rrule.rrule(
        _FREQUENCIES.index(rule.frequency),
        dtstart=start,
        interval=rule.interval,
        wkst=rule.week_start,
        until=high,
        byweekday=weekdays or None,
        **by,
    )
    yield from made


def _by_steps(
    rule: Rule, start: datetime, low: datetime, high: datetime
) -> Iterator[datetime]:
    """Days, hours, minutes and seconds, one after the other."""
    step = timedelta(**{_STEP[rule.frequency]: rule.interval})
    at = start
    if rule.count is None and low > start:
        at += max(0, (low - start) // step - 1) * step
    for _ in range(STEPS):
        if at >= high:
            return
        if _is_day_of(rule, at):
            yield from (m for m in _within(rule, at) if m >= start)
            at += step
        else:
            rest = midnight(at) + timedelta(days=1) - at
            at += max(1, math.ceil(rest / step)) * step
    raise TooMany


def _is_day_of(rule: Rule, at: datetime) -> bool:
    by = rule.by
    if "BYMONTH" in by and at.month not in by["BYMONTH"]:
        return False
    if rule.weekdays and at.weekday() not in {day for day, _ in rule.weekdays}:
        return False
    if "BYMONTHDAY" in by:
        days = calendar.monthrange(at.year, at.month)[1]
        if not {at.day, at.day - days - 1} & set(by["BYMONTHDAY"]):
            return False
    if "BYYEARDAY" in by:
        day, days = at.timetuple().tm_yday, 365 + calendar.isleap(at.year)
        if not {day, day - days - 1} & set(by["BYYEARDAY"]):
            return False
    return True


def _within(rule: Rule, at: datetime) -> list[datetime]:
    """The moments of one step: a finer part that is given makes several of it."""
    values: list[tuple[int, ...]] = []
    for part, unit, own in (
        ("BYHOUR", "HOURLY", at.hour),
        ("BYMINUTE", "MINUTELY", at.minute),
        ("BYSECOND", "SECONDLY", at.second),
    ):
        given = rule.by.get(part)
        expands = _FREQUENCIES.index(rule.frequency) < _FREQUENCIES.index(unit)
        if given is None or expands:
            values.append(given or (own,))
        elif own in given:
            values.append((own,))
        else:
            return []
    made = [
        at.replace(hour=hour, minute=minute, second=second)
        for hour, minute, second in product(*values)
    ]
    places = rule.by.get("BYSETPOS")
    if places is None:
        return made
    chosen = {p - 1 if p > 0 else len(made) + p for p in places}
    return [each for place, each in enumerate(made) if place in chosen]
