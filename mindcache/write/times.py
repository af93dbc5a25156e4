"""When something is, as the properties that say so: `time_start`, `time_end`, `all_day`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Literal

from mindcache.errors import Refused, UsageError
from mindcache.memory import moment
from mindcache.note import Property
from mindcache.plain import plain_text
from mindcache.when import Interval, find_phrases, parse_interval, parse_phrase

__all__ = ["LANGUAGES", "Side", "event_date", "read_time", "time_properties"]

Side = Literal["past", "future"]

LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")

# "15:00" is a minute long and "at three" an hour; what is longer was said to end.
_POINT = timedelta(hours=1)
_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
# "since May" and "before May" are open at one side: no time at which something is.
_NO_START, _NO_END = 1, 9999
# Characters that are read for the date of an event: whole books have many.
_LONGEST = 20_000
# A time of day alone belongs to the day on which the thing begins.
_TIME_OF_DAY = re.compile(
    r"\s*(?:at\s+)?\d{1,2}(?:[:.h]\d{2})?\s*(?:[ap]\.?m\.?|h|uhr)?\s*", re.IGNORECASE
)


def read_time(
    option: str,
    value: str,
    now: datetime,
    zone: str,
    prefer: Side = "past",
) -> Interval:
    """The interval that a flag's value names. Raises UsageError."""
    if value.strip().casefold() == "now":
        minute = now.replace(second=0, microsecond=0, tzinfo=None)
        return Interval(minute, minute + _MINUTE, precise=True)
    found = parse_interval(value.strip(), zone) or parse_phrase(
        value.strip(), now, LANGUAGES, prefer=prefer
    )
    is_open = found is not None and found.end.year == _NO_END
    if found is None or is_open or found.start.year == _NO_START:
        raise UsageError(
            f"{option}: {value!r} is not a time",
            mend='write 2026-03-05, 2026-03-05T14:30, or a phrase such as "3 May" or'
            ' "yesterday 15:00"',
        )
    return found


def time_properties(
    start: Interval, until: str, zone: str, now: datetime
) -> dict[str, Property]:
    """The properties of something that begins with `start`, and lasts `until`.

    A day is written as a date, with `all_day`; `time_end` is then the day after the
    last. `until` may be "" and is read as a phrase, the day of the start its now
    when it is a time of day. Raises UsageError for one that can't be read, and Refused
    for one that lies before the start.
    """
    end = _end(start, until, zone, now)
    if end is not None and end.end <= start.start:
        raise Refused(
            f"--until {until.strip()} lies before the beginning, {_day(start.start)}",
            mend="swap the two, or give a later end",
        )
    if not start.precise and (end is None or not end.precise):
        after = (end or start).end
        found: dict[str, Property] = {"time_start": _day(start.start)}
        if after - start.start > _DAY or end is not None:
            found["time_end"] = _day(after)
        return {**found, "all_day": True}
    found = {"time_start": moment(start.start)}
    if end is None and start.precise and start.end - start.start > _POINT:
        found["time_end"] = moment(start.end)
    elif end is not None:
        found["time_end"] = moment(end.start) if end.precise else _day(end.end - _DAY)
    return found


def _end(start: Interval, until: str, zone: str, now: datetime) -> Interval | None:
    if not until.strip():
        return None
    since = start.start if _TIME_OF_DAY.fullmatch(until) else now
    found = read_time("--until", until, since, zone, "future")
    if found.end <= start.start and since is now:
        # "Friday", of something that began on a Wednesday long ago.
        later = read_time("--until", until, start.start, zone, "future")
        # "Yesterday" lies behind its day, whichever it is.
        found = later if later.end > start.start + _DAY else found
    return found


def _day(when: datetime) -> str:
    return when.date().isoformat()


def event_date(
    text: str, now: datetime, prefer: Side = "past"
) -> tuple[Interval, str] | None:
    """The one date that a text speaks of, and the words that name it.

    `prefer` is the side of now on which "3 May" lies. None where it names several, or none to the day.
    """
    phrases = [
        phrase
        for phrase in find_phrases(
            plain_text(text[:_LONGEST]), now, LANGUAGES, prefer=prefer
        )
        if phrase.interval is not None
    ]
    if len({phrase.interval for phrase in phrases}) != 1:
        return None
    phrase = phrases[0]
    found = phrase.interval
    if found is None or phrase.kind != "date" or found.end - found.start > _DAY:
        return None
    return found, phrase.text
