"""Reading parts of stretches, and the one rule that knows all others.

"The end of March", "first week of June", "early 2020", "the weekend of Halloween".
"""

from __future__ import annotations

from typing import Final

from mindcache.when.civil import (
    DAY,
    Span,
    add,
    floor,
    midnight,
    month_week,
    nth_weekday,
    whole,
)
from mindcache.when.dates import Found, longest
from mindcache.when.values import Value, recurring, unit_value
from mindcache.when.weekdays import Weekdays

__all__ = ["Composite"]

_DEEP: Final = 3
"""How far wholes may hold parts: "the end of the first week of June" is two."""

# Where the early, middle and late part of a unit begin and end: months by halves and
# the ten days about their middle, years by thirds, weeks around their middle days.
_MONTH_DAYS: Final = ((0, 15), (9, 20), (15, None))
_WEEK_DAYS: Final = ((0, 3), (1, 4), (3, None))
_DIVIDED: Final = frozenset(
    ("week", "month", "quarter", "half", "season", "year", "decade", "century")
)
_CALENDAR: Final = (
    "numeric int number ordinal month quarter_mark half_mark holiday season decade"
    " year_word"
)
# Which rules may read a phrase that begins with a word of these roles.
_RULES: Final[tuple[tuple[frozenset[str], str], ...]] = tuple(
    (frozenset(needed.split()), rule)
    for needed, rule in (
        (_CALENDAR, "calendar"),
        ("rel day_part span", "one_word"),
        ("span", "unit_edge"),
        ("shift", "shifted"),
        ("int number half", "counted"),
        ("ahead within ago_pre", "ahead"),
        ("weekday", "weekday"),
        ("edge edge_of earlier later", "edge"),
        ("final ordinal int number", "ordinal_of"),
        ("w_c holiday unit", "week_of"),
        ("unit", "unit"),
        ("at noon midnight numeric int", "time_first"),
        ("part", "part_first"),
    )
)
_PARTS_OF_WHOLES: Final = frozenset(
    ("day", "week", "weekend", "month", "quarter", "half")
)
_HOLDERS: Final = frozenset(("month", "quarter", "half", "season", "year", "decade"))


def _portion(span: Span, unit: str, side: int) -> Span | None:
    start, end = span
    if unit in {"month", "week"}:
        first, last = (_MONTH_DAYS if unit == "month" else _WEEK_DAYS)[side]
        return start + DAY * first, end if last is None else start + DAY * last
    months = (end.year - start.year) * 12 + end.month - start.month
    if months >= 3:
        low = add(start, "month", months * side // 3)
        high = add(start, "month", months * (side + 1) // 3)
        return (low, high) if low and high else None
    third = (end - start) / 3
    low = start + third * side
    return low, end if side == 2 else low + third


def _edge(of: Value, side: int) -> Value | None:
    value = of.mapped(lambda s: _portion(s, of.unit, side), f"edge:{of.unit}")
    return value._replace(of=of, side=side) if value else None


class Composite(Weekdays):
    """The rules for parts of stretches."""

    depth = 0

    def expression(self, at: int) -> Found | None:
        """The longest stretch that is named at a place, whatever its kind."""
        key = ("expression", at)
        if key in self.memo:
            return self.memo[key]
        if self.depth >= _DEEP:
            return None
        self.depth += 1
        try:
            found = self._expression(at)
        finally:
            self.depth -= 1
        # within a whole the depth cuts readings short: those are not remembered
        if self.depth == 0:
            self.memo[key] = found
        return found

    def _expression(self, at: int) -> Found | None:
        begin = self.skip(at, "the")
        best = longest((*self._candidates(begin), self._day_of(begin, at)))
        return self.with_time(best) if best else None

    def _candidates(self, at: int) -> list[Found | None]:
        roles = self.tokens[at].roles
        if not roles:
            return []
        keys = roles.keys()
        found = [
            getattr(self, rule)(at)
            for needed, rule in _RULES
            if not keys.isdisjoint(needed)
        ]
        if "behind" in self.tokens[at + 1].roles:
            found.append(self.unit_shift(at))
        return found

    def day_at(self, at: int) -> Found | None:
        """A day of any kind."""
        if self.depth >= _DEEP:
            return None
        self.depth += 1
        try:
            begin = self.skip(at, "the")
            best = longest(
                (
                    self.calendar(begin),
                    self.one_word(begin),
                    self.shifted(begin),
                    self.counted(begin),
                    self.weekday(begin),
                    self.unit_shift(begin),
                )
            )
        finally:
            self.depth -= 1
        return best

    # -- early, middle, late ----------------------------------------------------------

    def edge(self, at: int) -> Found | None:
        """Early March, mid-May, the end of last week, end of month, later this week."""
        for role in ("earlier", "later"):
            if self.has(at, role):
                return self._side_of_now(at, role)
        side = self.number_of(at, "edge")
        needs_of = side is None
        if side is None:
            side = self.number_of(at, "edge_of")
        if side is None:
            return None
        behind = at + 1
        if self.dash(behind) or self.has(behind, "of"):
            behind += 1
        elif (
            needs_of
            and self.value(behind, "unit") is None
            and (self.number_of(behind, "shift") is None)
        ):
            return None
        found = self._whole(behind)
        if found is None or found[1].unit not in _DIVIDED:
            return None
        value = _edge(found[1], side)
        return (found[0], value) if value else None

    def unit_edge(self, at: int) -> Found | None:
        """EOM, EOY."""
        kind, _, said = str(self.value(at, "span")).partition(":")
        unit, _, side = said.partition(":")
        if kind != "edge":
            return None
        this = unit_value(self.context.this(unit), unit)
        value = _edge(this, int(side)) if this else None
        return (at + 1, value) if value else None

    def unit(self, at: int) -> Found | None:
        """The month, by itself: this one, where a context says so."""
        unit = str(self.value(at, "unit") or "")
        if unit not in {"day", "week", "month", "quarter", "year"} or not self.has(
            at - 1, "the"
        ):
            return None
        after = self.token(at + 1).roles
        if not after.keys().isdisjoint(
            ("of", "before", "after", "shift", "int", "to_date")
        ):
            return None
        value = unit_value(self.context.this(unit), unit)
        weak = "day" if unit == "day" else "unit"
        return (at + 1, value._replace(weak=weak)) if value else None

    def _whole(self, at: int) -> Found | None:
        """What may have parts: an expression, or "the month", meaning this one."""
        found = self.expression(at)
        begin = self.skip(at, "the")
        unit = self.value(begin, "unit")
        if unit in _DIVIDED and (found is None or found[0] <= begin + 1):
            name = str(unit)
            value = unit_value(self.context.this(name), name)
            return (begin + 1, value) if value else None
        return found

    def _side_of_now(self, at: int, role: str) -> Found | None:
        """Earlier this year: what is past of it; later this week: what is left."""
        found = self._whole(at + 1)
        if found is None:
            return None
        start, end = found[1].span
        today = self.context.today
        is_day = end - start == DAY
        now = self.context.now if is_day else today
        if not start <= now < end:
            return None
        if role == "earlier":
            end = now if now > start else min(end, now + DAY)
        else:
            start = now
        value = Value(start, end, found[1].unit)
        return (found[0], value) if start < end else None

    # -- the first week of June -------------------------------------------------------

    def ordinal_of(self, at: int) -> Found | None:
        """First week of June, last Friday of March, third quarter, last 3 weeks of May."""
        number = -1 if self.has(at, "final") else None
        found = self.ordinal(at)
        behind = at + 1
        if number is None:
            if found is None:
                return None
            behind, number = found
        amount = self.count(behind) if number in {1, -1} else None
        count = 1
        if amount and self.has(amount[0], "unit"):
            behind, count = amount
        weekday = self.number_of(behind, "weekday")
        unit = str(self.value(behind, "unit") or "")
        if self.has(behind, "half"):
            unit = "half"
        if unit == "century" and found:
            return self._century(behind, number)
        if unit not in _PARTS_OF_WHOLES and weekday is None:
            return None
        holder = self._holder(behind + 1)
        if holder is None:
            return self._bare_quarter(behind, unit, number)
        value = self._within_whole(holder[1], (number, count), unit, weekday)
        return self._on_weekday(holder[0], value) if value else None

    def _century(self, at: int, number: int) -> Found | None:
        if not 10 <= number <= 22:
            return None
        value = self.year_value(number * 100 - 100)
        found = value and whole(value.start, "century")
        return (at + 1, Value(*found, "century")) if found else None

    def _bare_quarter(self, at: int, unit: str, number: int) -> Found | None:
        if unit != "quarter" or not 1 <= number <= 4:
            return None
        year = self.year_behind(at + 1)
        value = self.part_of_year(year[1] if year else None, number, half=False)
        return (year[0] if year else at + 1, value) if value else None

    def _holder(self, at: int) -> Found | None:
        """Behind "of" or "in": the month, year or such that holds the part."""
        behind = at
        if self.has(at, "of") or self.has(at, "ahead"):
            behind += 1
        found = self._whole(behind)
        if found is None or found[1].unit not in _HOLDERS:
            return None
        return found if behind > at or found[1].unit == "year" else None

    def _on_weekday(self, at: int, value: Value) -> Found:
        """1st week of October on Friday."""
        if value.unit == "week":
            day = self._weekday_in(at, value.start)
            if day and value.turns:
                offset = day[1].start - value.start
                moved = value.mapped(
                    lambda s: (s[0] + offset, s[0] + offset + DAY), "day"
                )
                return day[0], moved or day[1]
            if day:
                return day
        return at, value

    def _within_whole(
        self, holder: Value, which: tuple[int, int], unit: str, weekday: int | None
    ) -> Value | None:
        number, count = which
        week_start = self.context.week_start

        def change(span: Span) -> Span | None:
            if weekday is not None:
                day = nth_weekday(span, weekday, number)
                return whole(day, "day") if day else None
            if unit == "week":
                first = number if number > 0 else number - count + 1
                start = month_week(span, first, week_start)
            elif unit == "weekend":
                start = nth_weekday(span, 5, number)
            elif number > 0:
                start = add(span[0], unit, number - 1)
            else:
                start = add(span[1], unit, number - count + 1)
            found = whole(start, unit, count) if start else None
            limit = add(span[1], "week", 1) or span[1]
            return found if found and found[0] < span[1] and found[1] <= limit else None

        return holder.mapped(change, "day" if weekday is not None else unit)

    def _day_of(self, at: int, outer: int) -> Found | None:
        """The 15th of this month, the 21st this month, the 15th day of June; the 5th."""
        found = self.ordinal(at)
        if found is None or not 1 <= found[1] <= 31:
            return None
        behind, number = found
        if self.value(behind, "unit") == "day":
            behind += 1
        if self.has(behind, "of"):
            behind += 1
        elif self.number_of(behind, "shift") is None:
            return self._day_alone(found, outer)
        month = self._whole(behind)
        if month is None or month[1].unit != "month":
            return None

        def change(span: Span) -> Span | None:
            start = span[0] + DAY * (number - 1)
            return whole(start, "day") if start < span[1] else None

        value = month[1].mapped(change, "day")
        return (month[0], value) if value else None

    def _day_alone(self, found: Found | tuple[int, int], outer: int) -> Found | None:
        """On the 5th, with "on" before and no noun behind: "on the 5th floor"."""
        behind, number = found
        before = self.token(outer - 1)
        after = self.token(behind)
        if "on_day" not in before.roles or not isinstance(number, int):
            return None
        if after.low.isalpha() and not after.roles:
            return None
        if "unit" in after.roles or "int" not in self.token(behind - 2).roles:
            return None
        here = self.context.this("month")

        def turns(turn: int) -> Span | None:
            month = add(here, "month", turn)
            try:
                return whole(month.replace(day=number), "day") if month else None
            except ValueError:
                return None

        value = recurring(turns, 0, "day", self.context)
        return (behind, value._replace(period="month")) if value else None

    # -- weeks and weekends -----------------------------------------------------------

    def week_of(self, at: int) -> Found | None:
        """Week of 3 May, w/c Feb 4, week 31, the weekend, weekend of the 4th of July."""
        if self.has(at, "w_c"):
            return self._unit_of(at + 1, "week")
        if self.has(at, "holiday"):
            return self._holiday_weekend(at)
        unit = self.value(at, "unit")
        if unit not in {"week", "weekend"} or self.has(at, "plural"):
            return None
        if self.has(at + 1, "week_of"):
            return self._unit_of(at + 2, str(unit))
        return self._week_number(at) if unit == "week" else self._weekend(at)

    def _unit_of(self, at: int, unit: str) -> Found | None:
        found = self.day_at(at)
        if found is None or found[1].unit.startswith("part"):
            begin = self.skip(at, "the")
            found = self._day_of(begin, begin) or self._numbered_day(begin)
        if found is None or found[1].end - found[1].start != DAY:
            return None
        value = self._around(found[1], unit)
        return (found[0], value) if value else None

    def _numbered_day(self, at: int) -> Found | None:
        """The 18th, where "week of" says that it is a day."""
        found = self.ordinal(at)
        here = self.context.this("month")
        try:
            day = here.replace(day=found[1]) if found else None
        except ValueError:
            return None
        value = unit_value(day, "day")
        return (found[0], value) if found and value else None

    def _around(self, day: Value, unit: str) -> Value | None:
        week_start = self.context.week_start

        def change(span: Span) -> Span | None:
            start = floor(span[0], unit, week_start)
            if unit == "weekend":
                # a weekend of a Monday is the one before it, and takes it in
                start = start - DAY * 7 if span[0].weekday() == 0 else start
                end = max(start + DAY * 2, span[1])
                return (span[0] if span[0].weekday() in {3, 4} else start), end
            return whole(start, unit)

        return day.mapped(change, unit)

    def _holiday_weekend(self, at: int) -> Found | None:
        found = self.holiday(at)
        if found is None or self.value(found[0], "unit") != "weekend":
            return None
        behind = found[0] + 1
        day = found[1]
        year = self.year_behind(behind)
        if year and day.turns:
            behind = year[0]
            day = day.at(year[1]) or day
            day = day._replace(turns=None)
        value = self._around(day, "weekend")
        return (behind, value) if value else None

    def _week_number(self, at: int) -> Found | None:
        number = self.number_of(at + 1, "int")
        if number is None or not 1 <= number <= 53:
            return None
        behind = at + 2
        year = self.year_behind(behind)
        first = midnight(self.context.today.date()).replace(month=1, day=1)
        if year:
            behind = year[0]
            first = first.replace(year=max(1, min(year[1], 9998)))
        span = whole(first, "year")
        start = month_week(span, number, 0) if span else None
        value = unit_value(start, "week")
        return (behind, value) if value else None

    def _weekend(self, at: int) -> Found | None:
        here = self.context.this("weekend")
        if self.context.prefer == "past" and here > self.context.today:
            here = add(here, "week", -1) or here
        value = unit_value(here, "weekend")
        return (at + 1, value._replace(weak="weekend")) if value else None
