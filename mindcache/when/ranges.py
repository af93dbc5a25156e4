"""Reading two stretches as one: "from Monday to Friday", "between March and May"."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Final, Literal, NamedTuple

from mindcache.when.civil import BEGINNING, DAY, END, Span, add, midnight, whole
from mindcache.when.composite import Composite
from mindcache.when.dates import Found
from mindcache.when.values import Value

__all__ = ["Kind", "Ranges", "Reading", "open_end", "open_start", "since"]

Kind = Literal["date", "range", "since", "before", "duration"]


class Reading(NamedTuple):
    """A phrase by its tokens: from `first` to before `end`; no `value` if a duration."""

    first: int
    end: int
    kind: Kind
    value: Value | None = None


_DAYS: Final = re.compile(r"([0-9]{1,2})[-~]([0-9]{1,2})")
_YEAR: Final = 366 * DAY


class Ranges(Composite):
    """The rules for ranges."""

    def fills(self, at: int, end: int) -> bool:
        """Whether something is all there is, but for a mark at the end."""
        return at == 0 and self.skip_sign(end, ".?!") == self.length

    def onward(self, at: int, behind: int) -> int | None:
        """Behind "onwards", "or later", and the "on" of "from May on"."""
        if self.has(behind, "onward"):
            # "on" is also the next phrase's own
            is_on = self.has(behind, "on")
            return behind + 1 if not is_on or self.has(at, "from") else None
        if not (self.has(behind, "or") or self.has(behind, "and")):
            return None
        after = self.token(behind + 2)
        if not self.has(behind + 1, "more") or after.low.isalpha() or after.roles:
            return None
        return behind + 2

    def until_now(self, start: datetime) -> Value | None:
        """From a start up to and with today."""
        day = whole(self.context.today, "day")
        if day is None or start >= day[1]:
            return None
        return Value(start, day[1], "day", last=day)

    # -- two stretches ----------------------------------------------------------------

    def between(self, at: int) -> Reading | None:
        """Between March and May; between 3 and 12 of September."""
        if not self.has(at, "between"):
            return None
        days = self.days_of_month(at, at + 1)
        left = self._named(at + 1)
        best = days
        if left:
            behind = left[0]
            if self.has(behind, "and") or self.has(behind, "to") or self.dash(behind):
                best = longer(best, self.pair(at, left[1], behind + 1))
        return best or self._one_token(at, at + 1)

    def from_to(self, at: int) -> Reading | None:
        """From Monday to Friday, from May to Oct 2020, from 2014-2018."""
        if not self.has(at, "from"):
            return None
        left = self._named(at + 1)
        best = self.days_of_month(at, at + 1) or self._one_token(at, at + 1)
        if left is None:
            return best
        best = longer(best, self.joined(at, left, needs_from=True))
        if best is None and (end := self.onward(at, left[0])) is not None:
            best = Reading(at, end, "since", since(left[1]))
        return best

    def _named(self, at: int) -> Found | None:
        """One end of a range; "now" is one too."""
        if self.has(at, "now"):
            now = self.context.today
            day = whole(now, "day")
            return (at + 1, Value(*day, "day")) if day else None
        return self.expression(at)

    def joined(self, at: int, left: Found, *, needs_from: bool) -> Reading | None:
        """A second stretch behind "to" or a dash."""
        behind, value = left
        is_dash = self.dash(behind)
        if not (is_dash or self.has(behind, "to")):
            if needs_from and self.has(behind, "to_date"):
                return Reading(at, behind + 1, "range", self.until_now(value.start))
            return self._one_token(at, at)
        reading = self.pair(at, value, behind + 1)
        numbered = None  # "3/8 - 1" is arithmetic
        if not value.weak or needs_from:
            numbered = self._to_day_number(at, value, behind + 1)
        best = longer(reading, numbered)
        if best is None or needs_from:
            return best
        if numbered is best:
            return best
        right = self._named(behind + 1)
        is_weak = value.weak and (right is None or right[1].weak)
        if is_weak and not self._weak_pair(at, behind):
            return None
        return best

    def _weak_pair(self, at: int, behind: int) -> bool:
        """Whether two weak ends make a range: "2014-2018", "May to March"."""
        if at == 0 or self.has(at - 1, "in_year"):
            return True
        left, right = self.token(at), self.token(behind + 1)
        if "int" in left.roles and "int" in right.roles:
            return self.number_of(behind + 1, "digits") == 4
        return left.text[:1].isupper() and right.text[:1].isupper()

    def pair(self, at: int, left: Value, behind: int) -> Reading | None:
        """Two stretches, the second one behind the word that joins them."""
        right = self._named(behind)
        if right is None:
            return None
        value = ranged(left, right[1])
        return Reading(at, right[0], "range", value) if value else None

    def _to_day_number(self, at: int, left: Value, behind: int) -> Reading | None:
        """April 9th through 17th, November 18-19: the month is said once."""
        if left.unit != "day" or left.end - left.start != DAY:
            return None
        day = self.day_number(self.skip(behind, "the"))
        if day is None or self.has(day[0], "month") or self.has(day[0], "unit"):
            return None
        if self.has(day[0], "am") or self.has(day[0], "pm") or self.has(day[0], "of"):
            return None
        year = self.year_behind(day[0])
        here = left
        if year and left.turns:
            here = left.at(year[1]) or left
            here = here._replace(turns=None)
        last = _same_month(here, day[1])
        if last is None:
            return None
        value = Value(here.start, last[1], "day", last=last)
        return Reading(at, year[0] if year else day[0], "range", value)

    def days_of_month(self, at: int, begin: int) -> Reading | None:
        """3 to 12 of September, 18-19 June: the month comes last."""
        first = self.day_number(self.skip(begin, "the"))
        if first is None:
            return self._hyphened(at, begin) or self._one_token(at, begin)
        behind = self._joint(first[0]) if self.table.day_first else first[0]
        if not (self.has(behind, "to") or self.has(behind, "and") or self.dash(behind)):
            return None
        if self.has(behind, "and") and begin == at:
            return None
        right = self.day_month(self.skip(behind + 1, "the"))
        if right is None:
            return None
        return self._from_day(at, first[1], right)

    def _hyphened(self, at: int, begin: int) -> Reading | None:
        """18-19 June, November 18-19: two days in one token."""
        is_first = self.number_of(begin, "month") is not None
        place = self._dot(begin) if is_first else begin
        match = _DAYS.fullmatch(self.token(place).low)
        if match is None:
            return None
        month_at = begin if is_first else self.skip(place + 1, "of")
        month = self.number_of(month_at, "month")
        if month is None:
            return None
        behind = place + 1 if is_first else self._dot(month_at)
        year = self.year_behind(behind)
        last = self.day(year[1] if year else None, month, int(match[2]))
        found = (year[0] if year else behind, last) if last else None
        return self._from_day(at, int(match[1]), found) if found else None

    def _from_day(self, at: int, day: int, right: Found) -> Reading | None:
        end = right[1]
        start = end.start
        if day < start.day:
            start = start.replace(day=day)
        else:  # "from the 27th to the 3rd of April"
            month = add(start.replace(day=1), "month", -1)
            try:
                start = month.replace(day=day) if month else start
            except ValueError:
                return None
        if start >= end.start:
            return None
        value = Value(start, end.end, "day", last=end.span)
        return Reading(at, right[0], "range", value)

    def _one_token(self, at: int, begin: int) -> Reading | None:
        """A range whose numbers hang together: 2014-2018, 10/1-11/7/2017."""
        low = self.token(begin).low
        if "numeric" not in self.token(begin).roles:
            return None
        left, right, year = self._halves(low)
        if left is None or right is None:
            return None
        behind = begin + 1
        if not year and right.turns and (said := self.year_behind(behind)):
            behind = said[0]
            right = (right.at(said[1]) or right)._replace(turns=None)
        value = ranged(left, right)
        if value is None:
            return None
        is_said = at < begin or self._is_meant_range(begin, behind, right)
        return Reading(at, behind, "range", value) if is_said else None

    def _is_meant_range(self, at: int, end: int, right: Value) -> bool:
        return right.turns is None or self.has(at - 1, "on") or self.fills(at, end)

    def _halves(self, low: str) -> tuple[Value | None, Value | None, bool]:
        """The two dates of one token, and whether the second has its year."""
        pieces = low.replace("~", "-").split("-")
        if len(pieces) == 2 and all(len(p) == 4 and p.isdigit() for p in pieces):
            years = [int(p) for p in pieces]
            if all(1000 <= y < 2200 for y in years) and years[0] < years[1]:
                return self.year_value(years[0]), self.year_value(years[1]), True
            return None, None, False
        if len(pieces) == 6:
            pieces = ["-".join(pieces[:3]), "-".join(pieces[3:])]
        signs = [piece.count("/") + piece.count("-") for piece in pieces]
        if len(pieces) != 2 or not {1, 2}.issuperset(signs):
            return None, None, False
        return self._date_in(pieces[0]), self._date_in(pieces[1]), signs[1] == 2

    def _date_in(self, text: str) -> Value | None:
        pieces = text.replace("-", "/").split("/")
        if not all(p.isdigit() and len(p) <= 4 for p in pieces):
            return None
        numbers = [int(p) for p in pieces]
        if len(pieces[0]) == 4 and len(numbers) == 3:
            return self.day(numbers[0], numbers[1], numbers[2])
        month, day = self.ordered(numbers[0], numbers[1])
        if len(numbers) == 2:
            return self.day(None, month, day)
        year = numbers[2] if len(pieces[2]) == 4 else self.full_year(numbers[2])
        return self.day(year, month, day)


def since(value: Value) -> Value | None:
    """From the start of a stretch on."""
    return open_end(value.start, value)


def open_end(start: datetime, value: Value) -> Value | None:
    """All from a moment on."""
    return Value(start, END, value.unit, precise=value.precise) if start < END else None


def open_start(end: datetime, value: Value, last: Span | None = None
) -> Value | None:  # fmt: skip
    """All before a moment; `last` is the last of it that was named."""
    if end <= BEGINNING:
        return None
    return Value(BEGINNING, end, value.unit, last=last, precise=value.precise)


def longer(left: Reading | None, right: Reading | None) -> Reading | None:
    """The reading that goes further; the first of equals."""
    if left is None or right is None:
        return left or right
    return right if right.end > left.end else left


def _same_month(day: Value, number: int) -> Span | None:
    """The day of that number in the month of another, or in the next one."""
    start: datetime | None = day.start
    if number <= day.start.day:
        start = add(day.start.replace(day=1), "month", 1)
    try:
        return whole(start.replace(day=number), "day") if start else None
    except ValueError:
        return None


def ranged(left: Value, right: Value) -> Value | None:
    """From the start of one stretch to the end of another, both taken in.

    What comes round again is taken where it makes the shortest range: the year of
    "from May to October 2020" is said once.
    """
    is_time = left.turns is not None and left.period == "day"
    if is_time and not right.precise and right.end - right.start > DAY:
        return None
    if left.turns and (not right.turns or (is_time and right.period != "day")):
        left = left.back_from(right.start)
    elif right.turns:
        right = right.ahead_of(left.start)
    if right.end <= left.start or right.start < left.start:
        return None
    if (left.turns or right.turns) and right.start - left.start > _YEAR:
        return None  # no such day in the one year: 2/29-3/1/2019
    last = right.last or right.span
    value = Value(left.start, right.end, left.unit, last=last)
    if left.precise and right.precise:  # until four is not until five
        value = value._replace(end=right.start, last=None, precise=True)
        return _each_day(value) if value.start < value.end else None
    return value


def _each_day(hours: Value) -> Value:
    """Hours of a day as hours of any other."""
    offset = hours.start - midnight(hours.start.date())
    length = hours.end - hours.start

    def turns(turn: int) -> Span | None:
        try:
            start = midnight(date.fromordinal(turn)) + offset
            return start, start + length
        except (ValueError, OverflowError):
            return None

    return hours._replace(turns=turns, turn=hours.start.toordinal(), period="day")
