"""Reading what is said from now: last week, in three days, two weeks ago, on Friday."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from mindcache.when.civil import DAY, Span, add, floor, whole
from mindcache.when.clock import Clock
from mindcache.when.dates import Found, longest
from mindcache.when.values import Side, Value, recurring, unit_value

__all__ = ["Relative", "Units"]

Units = list[tuple[int, str]]
"""How many of which unit, for example [(3, "month"), (2, "week")]."""

_SHORT_UNITS: Final = frozenset(("second", "minute", "hour"))
# "The last two quarters" are whole ones; "the last two weeks" reach to now.
_WHOLE_UNITS: Final = frozenset(("quarter", "decade", "century", "weekend", "workweek"))
# "Two months ago" is rarely said of a day.
_ROUGH_UNITS: Final = frozenset(("week", "fortnight", "month", "quarter", "year"))
_HALVES: Final = {"year": (6, "month"), "hour": (30, "minute"), "day": (12, "hour")}
_FEW: Final = 4
"""More units in a row than a person says: "2 years, 3 months, 1 week and 2 days"."""


class Relative(Clock):
    """The rules for what is relative to now."""

    # -- so and so many ---------------------------------------------------------------

    def amount(self, at: int, most: int = _FEW) -> tuple[int, Units] | None:
        """Three weeks; 2 years, 1 month and 3 days; a couple of days."""
        units: Units = []
        end = at
        if self.has(at, "half"):
            return self._half(at + 1)
        while len(units) < most:
            found = self.count(at)
            unit = self.value(found[0], "unit") if found else None
            if found is None or unit is None or self.has(found[0], "month_mark"):
                break
            units.append((found[1], str(unit)))
            end = found[0] + 1
            at = self.skip(self.skip_sign(end, ","), "and")
        return (end, units) if units else None

    def _half(self, at: int) -> tuple[int, Units] | None:
        """Half a year, half an hour."""
        halved = _HALVES.get(str(self.value(at + 1, "unit")))
        is_one = self.number_of(at, "number") == 1
        return (at + 2, [halved]) if halved and is_one else None

    def moved(self, start: datetime, units: Units, sign: int) -> datetime | None:
        """A moment so much later or earlier."""
        moment: datetime | None = start
        for count, unit in units:
            moment = add(moment, unit, sign * count) if moment else None
        return moment

    def distant(self, units: Units, sign: int) -> Value | None:
        """The day (or minute) at a distance from now, and what it roughly means."""
        if units == [(1, "second")]:
            return None  # "in a second" is soon
        if all(unit in _SHORT_UNITS for _, unit in units):
            moment = self.moved(self.context.now, units, sign)
            unit = "hour" if units[-1][1] == "hour" else "minute"
            value = moment and unit_value(floor(moment, "minute"), "minute")
            wide = moment and whole(floor(moment, unit), unit)
            return value._replace(precise=True, wide=wide or None) if value else None
        unit = units[-1][1]
        if unit == "weekend":
            found = self.moved(self.context.this(unit), units, sign)
            return unit_value(found, unit)
        found = self.moved(self.context.today, units, sign)
        value = unit_value(found and floor(found, "day"), "day")
        if value is None or unit not in _ROUGH_UNITS or len(units) > 1:
            return value
        unit = "week" if unit == "fortnight" else unit
        first = floor(value.start, unit, self.context.week_start)
        return value._replace(wide=whole(first, unit))

    def counted(self, at: int) -> Found | None:
        """Two weeks ago, three days from now, 2 weeks before Christmas, 5 past years."""
        return longest((self._shift_inside(at), self._distance(at)))

    def _shift_inside(self, at: int) -> Found | None:
        found = self.count(at)
        if found is None:
            return None
        shift = self.number_of(found[0], "shift")
        unit = self.value(found[0] + 1, "unit")
        is_one = self.has(found[0] + 1, "singular")
        if not shift or unit is None or (is_one and found[1] > 1):
            return None
        value = self.rolling([(found[1], str(unit))], shift)
        return (found[0] + 2, value) if value else None

    def _distance(self, at: int) -> Found | None:
        amount = self.amount(at)
        if amount is None:
            return None
        behind, units = amount
        if self.has(behind, "ago"):
            return self._narrowed(behind + 1, units, self.distant(units, -1))
        if self.has(behind, "hence"):
            return self._narrowed(behind + 1, units, self.distant(units, 1))
        if self.has(behind, "from_then"):
            return self._from_then(behind, units, 1)
        if self.has(behind, "before_then"):
            return self._from_then(behind, units, -1)
        return None

    def _narrowed(self, at: int, units: Units, value: Value | None) -> Found | None:
        """Two weeks ago on Monday, two years ago in March, a week ago today."""
        if value is None:
            return None
        unit = units[-1][1]
        if unit in _SHORT_UNITS:
            return at, value
        if self.number_of(at, "rel") == 0:
            return at + 1, value
        behind = self.skip(at, "on")
        weekday = self.number_of(behind, "weekday")
        if behind > at and weekday is not None:
            day = self.weekday_of(value.start, weekday)
            return (behind + 1, day) if day else None
        if unit == "year" and (found := self._in_year(at, value.start.year)):
            return found
        return at, value

    def _in_year(self, at: int, year: int) -> Found | None:
        """In March, on 5 May, behind a year that is already known."""
        behind = self.skip(self.skip(self.skip_sign(at, ","), "prep"), "of")
        found = self.calendar(self.skip(behind, "the"))
        if found is None or found[1].turns is None or found[1].period != "year":
            return None
        value = found[1].at(year)
        return (found[0], value._replace(weak="", turns=None)) if value else None

    def _in_month(self, at: int, month: datetime) -> Found | None:
        """On the 5th, behind a month that is already known."""
        behind = self.skip(at, "on")
        found = self.ordinal(self.skip(behind, "the")) if behind > at else None
        try:
            day = month.replace(day=found[1]) if found else None
        except ValueError:
            return None
        value = unit_value(day, "day")
        return (found[0], value) if found and value else None

    def _from_then(self, at: int, units: Units, sign: int) -> Found | None:
        """So much from a day that is named."""
        if any(unit in _SHORT_UNITS for _, unit in units):
            return None
        then = self.day_at(self.skip(at + 1, "the"))
        if then is None or then[1].end - then[1].start != DAY:
            return None
        if self.has(at, "from"):  # "two weeks from Tuesday" looks ahead
            then = then[0], then[1].ahead_of(self.context.today)

        def change(span: Span) -> Span | None:
            moment = self.moved(span[0], units, sign)
            return whole(moment, "day") if moment else None

        return self._narrowed(then[0], units, then[1].mapped(change, "day"))

    def ahead(self, at: int) -> Found | None:
        """In three days; within two weeks; vor drei Tagen, il y a, hace."""
        behind = self.skip(at + 1, "the")
        if self.has(at, "within"):
            behind = self.skip(behind, "shift")
        amount = self.amount(behind)
        if amount is None:
            return None
        value: Value | None = None
        if self.has(at, "ahead"):
            value = self.distant(amount[1], 1)
            if self.has(amount[0], "hence"):
                amount = amount[0] + 1, amount[1]
        if self.has(at, "ago_pre"):
            value = self.distant(amount[1], -1)
        if self.has(at, "within"):
            value = self._within(amount[1])
            return (amount[0], value) if value else None
        return self._narrowed(amount[0], amount[1], value)

    def _within(self, units: Units) -> Value | None:
        if any(unit in _SHORT_UNITS for _, unit in units):
            end = self.moved(self.context.now, units, 1)
            start = self.context.now
            return Value(start, end, units[0][1]) if end and start < end else None
        start = self.context.today
        moment = self.moved(start, units, 1)
        last = whole(moment, "day") if moment else None
        return Value(start, last[1], units[0][1], last=last) if last else None

    # -- last, this, next -------------------------------------------------------------

    def shifted(self, at: int) -> Found | None:
        """Last week, this month, next 3 days, past two quarters, this past Friday."""
        shift = self.number_of(at, "shift")
        if shift is None or (self.has(at, "final") and self.has(at - 1, "auxiliary")):
            return None  # "it will last three weeks"
        is_near = self.has(at, "near")
        behind = at + 1
        second = self.number_of(behind, "shift")
        if second is not None and not self.has(behind, "number"):
            shift, is_near, behind = second, True, behind + 1
        if self.number_of(behind, "number") == 1 and not self.table.spaced:
            behind += 1  # 上一周
        return longest(
            (
                self._shifted_amount(behind, shift),
                self._shifted_unit(behind, shift, is_near=is_near),
                self._shifted_weekday(behind, shift, is_near=is_near),
                self._shifted_date(behind, shift),
                self._shifted_part(behind, shift),
            )
        )

    def _shifted_amount(self, at: int, shift: int) -> Found | None:
        amount = self.amount(at) if shift and not self.has(at, "article") else None
        if amount and self.has(amount[0], "ago"):
            amount = self.amount(at, most=1)  # "the last month and 2 days ago"
        value = self.rolling(amount[1], shift) if amount else None
        return (amount[0], value) if amount and value else None

    def rolling(self, units: Units, shift: int) -> Value | None:
        """The last so many days up to today, the next so many from tomorrow."""
        context = self.context
        if all(unit in _SHORT_UNITS for _, unit in units):
            moment = self.moved(context.now, units, shift)
            pair = (moment, context.now) if shift < 0 else (context.now, moment)
            return self._between(pair[0], pair[1], units[0][1])
        if len(units) == 1 and units[0][1] in _WHOLE_UNITS:
            return self._whole_units(units[0][0], units[0][1], shift)
        tomorrow = add(context.today, "day", 1)
        if shift > 0:
            final = self.moved(context.today, units, 1)
            end = add(final, "day", 1) if final else None
            return self._between(tomorrow, end, units[0][1])
        start = self.moved(context.today, units, -1)
        value = self._between(start, tomorrow, units[0][1])
        last = whole(context.today, "day")
        return value._replace(last=last) if value else None

    def _whole_units(self, count: int, unit: str, shift: int) -> Value | None:
        here = self.context.this(unit)
        first = add(here, unit, 1 if shift > 0 else -count)
        return unit_value(first, unit, count) if first and count else None

    def _between(self, start: datetime | None, end: datetime | None, unit: str
    ) -> Value | None:  # fmt: skip
        return Value(start, end, unit) if start and end and start < end else None

    def _shifted_unit(self, at: int, shift: int, *, is_near: bool) -> Found | None:
        name = self.value(at, "unit")
        if name is None or (name in {"day", "workday", "second"} and shift):
            return None  # "the next day" is another day's next
        unit = str(name)
        if unit in _SHORT_UNITS:
            if not shift:
                return None
            value = self.rolling([(1, unit)], shift)
        elif is_near and shift < 0 and unit not in _WHOLE_UNITS:
            value = self.rolling([(1, unit)], shift)
        else:
            value = unit_value(add(self.context.this(unit), unit, shift), unit)
        if value is None:
            return None
        return self._inside(at + 1, unit, value.start) or (at + 1, value)

    def _inside(self, at: int, unit: str, start: datetime) -> Found | None:
        """What follows a week, month or year and says which part of it."""
        if unit == "week":
            return self._weekday_in(at, start)
        if unit == "month":
            return self._in_month(at, start)
        return self._in_year(at, start.year) if unit == "year" else None

    def _weekday_in(self, at: int, week: datetime) -> Found | None:
        """A weekday that follows the week it lies in."""
        behind = self.skip_sign(at, ",-(")
        behind = self.skip(behind, "on")
        behind = self.skip(behind, "of")
        weekday = self.number_of(behind, "weekday")
        if weekday is None:
            return None
        value = self.weekday_of(week, weekday)
        return (behind + 1, value) if value else None

    def weekday_of(self, moment: datetime, weekday: int) -> Value | None:
        """The weekday in the week that a moment lies in."""
        first = floor(moment, "week", self.context.week_start)
        offset = (weekday - first.weekday()) % 7
        return unit_value(add(first, "day", offset), "day")

    def _shifted_weekday(self, at: int, shift: int, *, is_near: bool) -> Found | None:
        weekday = self.number_of(at, "weekday")
        if weekday is None:
            return None
        value = self.shift_weekday(weekday, shift, is_near=is_near)
        return (at + 1, value) if value else None

    def shift_weekday(self, weekday: int, shift: int, *, is_near: bool = False
    ) -> Value | None:  # fmt: skip
        """Last Friday is the latest before today, next Friday the one of next week."""
        today = self.context.today
        if shift < 0 and not self.table.week_of_shift:
            back = (today.weekday() - weekday - 1) % 7 + 1
            return unit_value(add(today, "day", -back), "day")
        if shift > 0 and is_near:
            ahead = (weekday - today.weekday() - 1) % 7 + 1
            return unit_value(add(today, "day", ahead), "day")
        week = add(self.context.this("week"), "week", shift)
        return self.weekday_of(week, weekday) if week else None

    def _shifted_date(self, behind: int, shift: int) -> Found | None:
        """This May, last summer, next Easter, next 5/12, this Friday 5/12."""
        ahead = behind
        if self.number_of(behind, "weekday") is not None:
            ahead = self.skip_sign(behind + 1, ",-(")
        found = self.calendar(ahead)
        if found is None:
            return None
        end = found[0]
        if ahead > behind + 1 and self.token(end).low == ")":
            end += 1
        named = self.token(ahead)
        if "verb" in named.roles and named.text.islower() and not shift:
            return None  # "this may take longer"
        value: Value | None = found[1]
        if found[1].turns and (shift == 0 or ahead == behind):
            value = self.shift_turn(found[1], shift)
        elif ahead == behind:
            return None
        return (end, value._replace(weak="", turns=None)) if value else None

    def shift_turn(self, value: Value, shift: int) -> Value | None:
        """The turn before today, of this year, or after today."""
        if value.turns is None:
            return None
        here = value._replace(turn=self.context.now.year)
        today = self.context.today
        if shift == 0:
            return here.at(here.turn)
        turns = value.turns
        side: Side = "past" if shift < 0 else "future"
        context = self.context._replace(prefer=side)
        found = recurring(turns, here.turn, value.unit, context)
        if found and found.start <= today < found.end:
            return found.at(found.turn + shift)
        return found

    def _shifted_part(self, at: int, shift: int) -> Found | None:
        """This morning, last night, next evening."""
        part = self.value(at, "part")
        day = unit_value(add(self.context.today, "day", shift), "day")
        if part is None or day is None:
            return None
        value = self.part_of(day, str(part))
        timed = self._time_behind(at + 1, day, str(part))
        return timed or ((at + 1, value) if value else None)

    def unit_shift(self, at: int) -> Found | None:
        """La semaine dernière, el lunes pasado, mars dernier: the shift comes last."""
        shift = self.number_of(at + 1, "shift")
        if shift is None or not self.has(at + 1, "behind"):
            return None
        end = at + 2
        if self.has(at, "unit"):
            found = self._shifted_unit(at, shift, is_near=False)
        elif self.has(at, "weekday"):
            found = self._shifted_weekday(at, shift, is_near=False)
        else:
            found = self._shifted_date(at, shift)
        return (end, found[1]) if found else None

    # -- words that say it alone ------------------------------------------------------

    def one_word(self, at: int) -> Found | None:
        """Today, tonight, last night as one entry, 去年, heuer."""
        distance = self.number_of(at, "rel")
        if distance is not None:
            if self.has(at, "part") and (
                self.has(at - 1, "the") or self.has(at - 1, "prep")
            ):
                return None  # "por la mañana", "am Morgen": in the morning
            day = unit_value(add(self.context.today, "day", distance), "day")
            return (at + 1, day) if day else None
        part = self.value(at, "day_part")
        if part is not None:
            return self._part_of_day(at, 0, str(part))
        return self._span(at)

    def _part_of_day(self, at: int, distance: int, part: str) -> Found | None:
        day = unit_value(add(self.context.today, "day", distance), "day")
        if day is None:
            return None
        value = self.part_of(day, part)
        return self._time_behind(at + 1, day, part) or (
            (at + 1, value) if value else None
        )

    def _span(self, at: int) -> Found | None:
        said = self.value(at, "span")
        if said is None:
            return None
        kind, _, shift = str(said).rpartition(":")
        if kind.startswith("part:"):
            return self._part_of_day(at, int(shift), kind[5:])
        if kind.startswith("edge:"):
            return None  # a part of a stretch, for the rules that know those
        value = unit_value(add(self.context.this(kind), kind, int(shift)), kind)
        if value is None:
            return None
        return self._inside(at + 1, kind, value.start) or (at + 1, value)
