"""Reading what the calendar names: days, months, quarters, seasons, years, holidays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Final

from mindcache.when.civil import (
    DAY,
    Span,
    add,
    easter,
    midnight,
    nth_weekday,
    whole,
)
from mindcache.when.reader import Reader
from mindcache.when.values import Value, recurring, unit_value

__all__ = ["HOLIDAYS", "Dates", "Found", "longest"]

Found = tuple[int, Value]
"""Where a rule ended, and what it read."""

_FULL: Final = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})")
_COMPACT: Final = re.compile(r"((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})")
_LOCAL: Final = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_YEAR_MONTH: Final = re.compile(r"([12][0-9]{3})-([0-9]{1,2})")
_MONTH_YEAR: Final = re.compile(r"([0-9]{1,2})[-/]([12][0-9]{3})")
_DAY_YEAR: Final = re.compile(r"([0-9]{1,2})-([12][0-9]{3})")
_SHORT: Final = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})")
_QUARTER_YEAR: Final = re.compile(r"([1-4])-([12][0-9]{3})")

# The seasons of the north, by months as meteorologists have them.
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}

# A month and day, a weekday of a month by its number (from the end if negative), or
# days from Easter. Days that move by country are those of the United States.
HOLIDAYS: Final[dict[str, tuple[int, ...]]] = {
    "new_year": (1, 1),
    "epiphany": (1, 6),
    "valentine": (2, 14),
    "patrick": (3, 17),
    "april_fools": (4, 1),
    "earth_day": (4, 22),
    "may_day": (5, 1),
    "juneteenth": (6, 19),
    "independence": (7, 4),
    "bastille": (7, 14),
    "german_unity": (10, 3),
    "halloween": (10, 31),
    "all_saints": (11, 1),
    "christmas_eve": (12, 24),
    "christmas": (12, 25),
    "boxing_day": (12, 26),
    "new_year_eve": (12, 31),
    "good_friday": (-2,),
    "easter": (0,),
    "easter_monday": (1,),
    "mothers_day": (5, 6, 2),
    "memorial_day": (5, 0, -1),
    "fathers_day": (6, 6, 3),
    "labor_day": (9, 0, 1),
    "thanksgiving": (11, 3, 4),
    "black_friday": (11, 3, 4, 1),
}


def longest(found: Iterable[Found | None]) -> Found | None:
    """The reading that goes furthest; the first of equals."""
    best: Found | None = None
    for each in found:
        if each and (best is None or each[0] > best[0]):
            best = each
    return best


class Dates(Reader):
    """The rules for what the calendar names."""

    def calendar(self, at: int) -> Found | None:
        """The longest date, month, quarter, season, year or holiday at a place."""
        roles = self.token(at).roles
        rules: list[Callable[[int], Found | None]] = []
        if "numeric" in roles:
            rules.append(self.numeric)
        if "int" in roles:
            rules += [self.ideographic, self.day_month, self.year_first, self.decade]
        if "number" in roles or "ordinal" in roles:
            rules += [self.ideographic, self.day_month, self.year_first]
        if "month" in roles:
            rules += [self.month_day, self.month_year]
        rules += [
            rule
            for role, rule in (
                ("quarter_mark", self.quarter),
                ("half_mark", self.quarter),
                ("holiday", self.holiday),
                ("season", self.season),
                ("decade", self.decade),
                ("year_word", self.named_year),
            )
            if role in roles
        ]
        return longest(rule(at) for rule in rules)

    # -- building ---------------------------------------------------------------------

    def yearly(self, year: int | None, turns: Callable[[int], Span | None], unit: str
    ) -> Value | None:  # fmt: skip
        """What comes once a year, in a given year or the one that is meant."""
        if year is None:
            return recurring(turns, self.context.now.year, unit, self.context)
        span = turns(year)
        return Value(span[0], span[1], unit) if span and span[0] < span[1] else None

    def day(self, year: int | None, month: int, day: int) -> Value | None:
        """A day of a month; None where there is none such."""

        def turns(turn: int) -> Span | None:
            try:
                return whole(midnight(date(turn, month, day)), "day")
            except ValueError:
                return None

        return self.yearly(year, turns, "day")

    def month(self, year: int | None, month: int) -> Value | None:
        """A month of a year."""
        return self.months(year, month, 1, "month")

    def months(self, year: int | None, first: int, count: int, unit: str
    ) -> Value | None:  # fmt: skip
        """Months in a row from the `first` of a year."""

        def turns(turn: int) -> Span | None:
            try:
                return whole(midnight(date(turn, first, 1)), "month", count)
            except ValueError:
                return None

        return self.yearly(year, turns, unit)

    def year_value(self, year: int) -> Value | None:
        """A whole year."""
        return unit_value(midnight(date(year, 1, 1)), "year")

    def year_behind(self, at: int) -> tuple[int, int] | None:
        """A year that closes a date: ", 2025", "of 87", "in 2020", "last year"."""
        sign = at
        if self.token(at).low in {",", "-", "/", "."}:
            sign = at + 1
        linked = self.has(sign, "of") or self.has(sign, "ahead")
        begin = sign + 1 if linked else sign
        found = self.year(begin, short=linked and self.has(sign, "of"))
        if found is None and self.token(begin).low in {"'", "’"}:
            found = self.year(begin + 1, short=True)
        if found:
            return found
        if sign > at and self.token(at).low != ",":
            return None
        begin = self.skip(begin, "the")
        if self.value(begin, "unit") == "year":
            shift = self.number_of(begin + 1, "shift")
            if shift is not None and not self.has(begin + 1, "number"):
                return begin + 2, self.context.now.year + shift
        shift = self.number_of(begin, "shift")
        if shift is not None and self.value(begin + 1, "unit") == "year":
            return begin + 2, self.context.now.year + shift
        span = self.value(begin, "span")
        if isinstance(span, str) and span.startswith("year:"):
            return begin + 1, self.context.now.year + int(span[5:])
        return None

    # -- digits -----------------------------------------------------------------------

    def numeric(self, at: int) -> Found | None:
        """2025-03-05, 20250305, 3/5/2025, 5.3.2025, 2025-03, 12-2015, 3/5."""
        low = self.token(at).low
        value: Value | None = None
        if match := _FULL.fullmatch(low):
            value = self.day(int(match[1]), int(match[3]), int(match[4]))
        elif match := _COMPACT.fullmatch(low):
            value = self.day(int(match[1]), int(match[2]), int(match[3]))
        elif match := _LOCAL.fullmatch(low):
            return self._local(at, match)
        elif match := _YEAR_MONTH.fullmatch(low):
            value = self.month(int(match[1]), int(match[2]))
        elif match := _MONTH_YEAR.fullmatch(low):
            value = self.month(int(match[2]), int(match[1]))
        elif match := _SHORT.fullmatch(low):
            return self._short(at, match)
        return (at + 1, value) if value else None

    def ordered(self, first: int, second: int) -> tuple[int, int]:
        """Month and day of two numbers, as the language has them or as they must be."""
        month, day = (second, first) if self.table.day_first else (first, second)
        return (day, month) if month > 12 else (month, day)

    def _local(self, at: int, match: re.Match[str]) -> Found | None:
        month, day = self.ordered(int(match[1]), int(match[3]))
        short = len(match[4]) == 2
        year = self.full_year(int(match[4])) if short else int(match[4])
        value = self.day(year, month, day)
        if value and short and match[2] != "/":  # 1.2.13 is rather a version
            value = value._replace(weak="slash")
        return (at + 1, value) if value else None

    def _short(self, at: int, match: re.Match[str]) -> Found | None:
        if match[0] == "24/7":
            return None
        month, day = self.ordered(int(match[1]), int(match[3]))
        behind = at + 1
        year: int | None = None
        if match[2] == "/" and (found := self.year_behind(behind)):
            behind, year = found
        elif match[2] == "." and self.table.day_first:
            if self.token(behind).low == "." and self.token(behind).glued:
                behind += 1
            if found := self.year(behind):
                behind, year = found
        value = self.day(year, month, day)
        if value is None:
            return None
        if year is None:
            dotted = match[2] != "/" and behind == at + 1
            value = value._replace(weak="dotted" if dotted else "slash")
        return behind, value

    def ideographic(self, at: int) -> Found | None:
        """2025年3月5日 and its parts."""
        if self.table.spaced:
            return None
        year: int | None = None
        found = self.count(at)
        if found and self.has(found[0], "year_mark") and found[1] >= 1000:
            at, year = found[0] + 1, found[1]
            found = self.count(at)
        return self._month_mark(at, year, found)

    def _month_mark(self, at: int, year: int | None, found: tuple[int, int] | None
    ) -> Found | None:  # fmt: skip
        value: Value | None
        if not found or not self.has(found[0], "month_mark"):
            value = None if year is None else self.year_value(min(year, 9999))
            return (at, value) if value else None
        behind, month = found[0] + 1, found[1]
        day = self.count(behind)
        if day and self.has(day[0], "day_mark"):
            value = self.day(year, month, day[1])
            return (day[0] + 1, value) if value else None
        value = self.month(year, month)
        return (behind, value) if value else None

    # -- days and months --------------------------------------------------------------

    def day_month(self, at: int) -> Found | None:
        """5 March 2025, the 5th of May, 5. März, le 1er mars."""
        day = self.day_number(at)
        if day is None or (self._is_small_word(at) and day[0] == at + 1):
            return None
        behind = self._joint(day[0])
        if self.has(day[0], "of"):
            behind = self.skip(day[0] + 1, "the")
        named = self.number_of(behind, "month")
        if named is None:
            return None
        month = behind
        behind = self._dot(month)
        year = self.year_behind(behind)
        if year is None:
            value = self.day(None, named, day[1])
            bare = self.token(month)
            if (
                value
                and bare.text.islower()
                and "verb" in bare.roles
                and (not self.has(day[0], "of"))
            ):  # "all 5 may fail"
                value = value._replace(weak="month")
        else:
            behind = year[0]
            value = self.day(year[1], named, day[1])
        return (behind, value) if value else None

    def _is_small_word(self, at: int) -> bool:
        """Whether a number is a word below thirteen: "two may", rarely a day."""
        number = self.number_of(at, "number")
        return number is not None and number < 13 and self.table.spaced

    def _joint(self, at: int) -> int:
        """Behind one mark that may stand between day and month."""
        low = self.token(at).low
        if low in {"-", "/"} or (low == "." and self.token(at).glued):
            return at + 1
        return at

    def _dot(self, month: int) -> int:
        """Behind a month, and the dot of its short form."""
        behind = month + 1
        dot = self.token(behind)
        if dot.low == "." and dot.glued and len(self.token(month).low) <= 4:
            after = self.token(behind + 1)
            if "int" in after.roles or after.low == ",":
                return behind + 1
        return behind

    def month_day(self, at: int) -> Found | None:
        """March 5th, 2025; Mar 5; january first; june the 28th 2020."""
        month = self.number_of(at, "month")
        if month is None:
            return None
        behind = self._dot(at)
        if self.token(behind).low in {",", "-", "/"}:
            behind += 1
        if match := _DAY_YEAR.fullmatch(self.token(behind).low):
            value = self.day(int(match[2]), month, int(match[1]))
            return (behind + 1, value) if value else None
        behind = self.skip(behind, "the")
        day = self.day_number(behind)
        if day is None or (self._is_small_word(behind) and day[0] == behind + 1):
            return None
        if self.has(day[0], "am") or self.has(day[0], "pm"):
            return None
        year = self.year_behind(day[0])
        if (
            year is None
            and "verb" in self.token(at).roles
            and self._goes_on_with(day[0])
        ):
            return None  # "we march 5 miles"
        value = self.day(year[1] if year else None, month, day[1])
        return (year[0] if year else day[0], value) if value else None

    def _goes_on_with(self, at: int) -> bool:
        """Whether a noun or a unit follows, of which the number before counts."""
        token = self.token(at)
        if not token.text.islower():
            return False
        return not token.roles or "counted" in token.roles or "unit" in token.roles

    def month_year(self, at: int) -> Found | None:
        """March 2025, April of 87, März letzten Jahres, Dec-2018, or the month alone."""
        month = self.number_of(at, "month")
        if month is None:
            return None
        behind = self._dot(at)
        found = self.year_behind(behind)
        if found:
            value = self.month(found[1], month)
            return (found[0], value) if value else None
        value = self.month(None, month)
        if value and self.has(at, "weak"):
            value = value._replace(weak="month")
        return (at + 1, value) if value else None

    def year_first(self, at: int) -> Found | None:
        """2019-aug-01, 2017 april, 2019 Q3, 2017-q1, 2023 H2; else the year alone."""
        year = self.year(at)
        if year is None:
            return None
        behind = year[0]
        if self.token(behind).low in {"-", "/", "."} and self.token(behind).glued:
            behind += 1
        month = self.number_of(behind, "month")
        if month is not None:
            return self._month_of(year, behind, month)
        if found := self.quarter(behind, year[1]):
            return found
        if self.table.spaced or self.token(year[0]).glued is False:
            value = self.year_value(year[1])
            return (year[0], value._replace(weak="year")) if value else None
        return None

    def _month_of(self, year: tuple[int, int], at: int, month: int) -> Found | None:
        behind = at + 1
        value: Value | None
        if self.token(behind).low in {"-", "/"}:
            day = self.number_of(behind + 1, "int")
            if day is not None and (value := self.day(year[1], month, day)):
                return behind + 2, value
        value = self.month(year[1], month)
        return (at + 1, value) if value else None

    # -- quarters, seasons, years -----------------------------------------------------

    def quarter(self, at: int, year: int | None = None) -> Found | None:
        """Q3, Q3 2025, q1-2019; the halves H1 and H2 only with their year."""
        half = self.has(at, "half_mark")
        number = self.token(at + 1)
        if not (half or self.has(at, "quarter_mark")) or not number.glued:
            return None
        behind = at + 2
        if match := _QUARTER_YEAR.fullmatch(number.low):
            part, year = int(match[1]), int(match[2])
        else:
            found = self.number_of(at + 1, "int")
            if found is None:
                return None
            part = found
            if year is None and (said := self.year_behind(behind)):
                behind, year = said
        if not 1 <= part <= (2 if half else 4):
            return None
        if year is None and (half or self.token(behind).low in {":", ")", "."}):
            return None  # "Q1: why?" is a question
        value = self.part_of_year(year, part, half=half)
        return (behind, value) if value else None

    def part_of_year(self, year: int | None, part: int, *, half: bool) -> Value | None:
        """A quarter, or a half, of a year."""
        length = 6 if half else 3
        unit = "half" if half else "quarter"
        return self.months(year, length * (part - 1) + 1, length, unit)

    def season(self, at: int) -> Found | None:
        """Summer 2023, winter of last year; alone only where a context says so."""
        name = self.value(at, "season")
        first = _SEASONS.get(str(name))
        if first is None:
            return None
        found = self.year_behind(at + 1)
        value = self.months(found[1] if found else None, first, 3, "season")
        if value is None:
            return None
        if found is None:
            return at + 1, value._replace(weak="season")
        return found[0], value

    def named_year(self, at: int) -> Found | None:
        """The year 2008."""
        found = self.year(at + 1)
        if self.has(at - 1, "other_year"):
            return None
        value = self.year_value(found[1]) if found else None
        return (found[0], value) if found and value else None

    def decade(self, at: int) -> Found | None:
        """The 90s, the 1990's, the nineties: the latest that has begun."""
        value = self.number_of(at, "decade")
        behind = at + 1
        if value is None:
            value = self.number_of(at, "int")
            mark = self.token(at + 1)
            if "decade_mark" not in mark.roles or not mark.glued:
                return None
            behind += 1
        if value is None or value % 10:
            return None
        if value < 100:
            before = self.token(at - 1)
            if behind > at + 1 and "the" not in before.roles and before.low not in "'’":
                return None
            now = self.context.now.year
            value += now // 100 * 100
            value -= 100 if value > now else 0
        if not 1000 <= value < 2200:
            return None
        found = unit_value(midnight(date(value, 1, 1)), "decade")
        return (behind, found) if found else None

    # -- holidays ---------------------------------------------------------------------

    def holiday(self, at: int) -> Found | None:
        """Christmas, Easter Monday 2024, Halloween last year."""
        rule = HOLIDAYS.get(str(self.value(at, "holiday")))
        if rule is None:
            return None
        found = self.year_behind(at + 1)

        def turns(turn: int) -> Span | None:
            start = _holiday(rule, turn)
            return whole(start, "day") if start else None

        value = self.yearly(found[1] if found else None, turns, "day")
        if value and found is None and self.has(at, "weak"):
            value = value._replace(weak="month")
        return (found[0] if found else at + 1, value) if value else None


def _holiday(rule: tuple[int, ...], year: int) -> datetime | None:
    if not 1 <= year <= 9998:
        return None
    if len(rule) == 1:
        # the computus is Gregorian: before 1583 it says nothing
        return add(midnight(easter(year)), "day", rule[0]) if year >= 1583 else None
    if len(rule) == 2:
        return midnight(date(year, rule[0], rule[1]))
    span = whole(midnight(date(year, rule[0], 1)), "month")
    day = nth_weekday(span, rule[1], rule[2]) if span else None
    return day + DAY * (rule[3] if len(rule) > 3 else 0) if day else None
