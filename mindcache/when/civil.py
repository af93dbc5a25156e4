"""The civil calendar: units of time, where they begin, and counting in them.

Everything is naive. What falls off the ends of the calendar is None, never an error:
"in 99999 years" is no date.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Final

__all__ = [
    "BEGINNING",
    "DAY",
    "END",
    "Span",
    "add",
    "easter",
    "floor",
    "midnight",
    "month_week",
    "nth_weekday",
    "whole",
]

Span = tuple[datetime, datetime]
"""Start and end of a half-open stretch."""

BEGINNING: Final = datetime.combine(date.min, time.min)
END: Final = datetime.combine(date.max, time.max)

DAY: Final = timedelta(days=1)

_IN_MONTHS: Final = {
    "month": 1,
    "quarter": 3,
    "half": 6,
    "year": 12,
    "decade": 120,
    "century": 1200,
}
_IN_DAYS: Final = {"day": 1, "week": 7, "weekend": 7, "workweek": 7, "fortnight": 14}
_IN_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600}

# Weekends and working weeks are the same days wherever a week is said to begin.
_SHORTER: Final = {"weekend": 2, "workweek": 5}

SATURDAY: Final = 5
_MOST: Final = 4_000_000
"""No count of units that a person names is larger; ten thousand years of days."""


def midnight(day: date) -> datetime:
    """The moment that a day begins."""
    return datetime.combine(day, time())


def add(moment: datetime, unit: str, count: int) -> datetime | None:
    """`count` units later (earlier when negative); None off the calendar.

    Months keep the day of the month where it exists and else take the last one.
    """
    if abs(count) > _MOST:
        return None
    try:
        if unit in _IN_MONTHS:
            return _add_months(moment, count * _IN_MONTHS[unit])
        if unit == "workday":
            return _add_workdays(moment, count)
        if unit in _IN_DAYS:
            return moment + timedelta(days=count * _IN_DAYS[unit])
        return moment + timedelta(seconds=count * _IN_SECONDS[unit])
    except (OverflowError, ValueError):
        return None


def _add_months(moment: datetime, months: int) -> datetime:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    try:
        return moment.replace(year=year, month=month + 1)
    except ValueError:
        first = moment.replace(year=year, month=month + 1, day=1)
        return first + timedelta(days=_days_in(year, month + 1) - 1)


def _add_workdays(moment: datetime, count: int) -> datetime:
    weeks, rest = divmod(abs(count), 5)
    step = DAY if count > 0 else -DAY
    moment += step * 7 * weeks
    while rest:
        moment += step
        rest -= moment.weekday() < SATURDAY
    return moment


def _days_in(year: int, month: int) -> int:
    if month == 12:
        return 31
    return (date(year, month + 1, 1) - date(year, month, 1)).days


def floor(moment: datetime, unit: str, week_start: int = 0) -> datetime:
    """Where the unit that a moment lies in begins.

    A week begins on `week_start` (0 is Monday); a weekend is the one of the moment's
    week from Monday.
    """
    if unit in {"second", "minute", "hour"}:
        return moment.replace(
            microsecond=0,
            second=moment.second if unit == "second" else 0,
            minute=0 if unit == "hour" else moment.minute,
        )
    today = midnight(moment.date())
    if unit in {"day", "workday"}:
        return today
    if unit in _IN_DAYS:
        return _week(today, unit, week_start)
    if unit in {"decade", "century"}:
        years = _IN_MONTHS[unit] // 12
        return today.replace(year=max(1, today.year // years * years), month=1, day=1)
    months = _IN_MONTHS[unit]
    return today.replace(month=(today.month - 1) // months * months + 1, day=1)


def _week(today: datetime, unit: str, week_start: int) -> datetime:
    first = 0 if unit in _SHORTER else week_start
    back = (today.weekday() - first) % 7
    if unit == "weekend":
        back -= SATURDAY
    try:
        return today - timedelta(days=back)
    except OverflowError:  # the first week of the calendar has no Monday of its own
        return today


def whole(start: datetime, unit: str, count: int = 1) -> Span | None:
    """`count` units from a start; a weekend is its two days."""
    if unit in _SHORTER:
        last = add(start, unit, count - 1)
        end = last and add(last, "day", _SHORTER[unit])
    else:
        end = add(start, unit, count)
    return (start, end) if end else None


def month_week(span: Span, number: int, week_start: int) -> datetime | None:
    """Where the `number`-th week of a month or year begins, from the end if negative.

    A week belongs where most of its days lie, as in ISO 8601.
    """
    start, end = span
    middle = timedelta(days=3)
    try:
        if number > 0:
            first = floor(start + middle, "week", week_start)
            return first + timedelta(weeks=number - 1)
        last = floor(end - DAY - middle, "week", week_start)
        return last + timedelta(weeks=number + 1)
    except OverflowError:
        return None


def nth_weekday(span: Span, weekday: int, number: int) -> datetime | None:
    """The `number`-th such day of a stretch, from its end if negative."""
    start, end = span
    try:
        if number > 0:
            ahead = (weekday - start.weekday()) % 7
            found = start + timedelta(days=ahead + 7 * (number - 1))
        else:
            last = end - DAY
            back = (last.weekday() - weekday) % 7
            found = last - timedelta(days=back - 7 * (number + 1))
    except OverflowError:
        return None
    return found if start <= found < end else None


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by the computus of Gauss and Meeus."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (
        19 * golden
        + century
        - century // 4
        - (century - (century + 8) // 25 + 1) // 3
        + 15
    ) % 30
    to_sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * to_sunday) // 451
    month, day = divmod(epact + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)
