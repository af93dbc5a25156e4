"""Reading weekdays: "Friday", "Friday, 3 May", "Tuesday the 4th", "Monday last week"."""

from __future__ import annotations

from mindcache.when.civil import DAY, Span, add, whole
from mindcache.when.dates import Found, longest
from mindcache.when.relative import Relative
from mindcache.when.values import Value, recurring, unit_value

__all__ = ["Weekdays"]


class Weekdays(Relative):
    """The rules for weekdays."""

    def weekday(self, at: int) -> Found | None:
        """Friday; Friday, 3 May; Tuesday the 4th; Monday last week; Friday evening."""
        number = self.number_of(at, "weekday")
        if number is None:
            return None
        return longest(
            (
                self._weekday_dated(at),
                self._weekday_numbered(at, number),
                self._weekday_of_week(at, number),
                self._weekday_alone(at, number),
            )
        )

    def _weekday_dated(self, at: int) -> Found | None:
        behind = self.skip_sign(at + 1, ",.(-")
        behind = self.skip(behind, "on")
        found = self.calendar(self.skip(behind, "the"))
        if found is None or found[1].end - found[1].start != DAY:
            return None
        end = found[0] + 1 if self.token(found[0]).low == ")" else found[0]
        return end, found[1]._replace(weak="")

    def _weekday_numbered(self, at: int, weekday: int) -> Found | None:
        behind = self.skip_sign(at + 1, ",")
        article = self.skip(behind, "the")
        day = self.day_number(article)
        if day is None or self.has(day[0], "am") or self.has(day[0], "pm"):
            return None
        if self.dash(day[0]) or self.has(day[0], "unit") or self.has(day[0], "oclock"):
            return None
        is_marked = article > behind or self.ordinal(article) is not None
        after = self.token(day[0])
        if not is_marked and (after.low.isalpha() and "at" not in after.roles):
            return None
        value = self._numbered(weekday, day[1])
        return (day[0], value) if value else None

    def _numbered(self, weekday: int, day: int) -> Value | None:
        """The month where a day of this number is such a weekday: this, or nearest."""
        first = self.context.this("month")
        sign = -1 if self.context.prefer == "past" else 1
        # within 28 months every number falls on every weekday; 31 needs the most
        for distance in range(64):
            month = add(first, "month", sign * distance)
            try:
                found = month.replace(day=day) if month else None
            except ValueError:
                continue
            if found and found.weekday() == weekday:
                return unit_value(found, "day")
        return None

    def _weekday_of_week(self, at: int, weekday: int) -> Found | None:
        """Monday last week, Tuesday of next week, Wednesday evening next week."""
        part = self._part_behind(at + 1)
        behind = part[0] if part else at + 1
        behind = self.skip(self.skip_sign(behind, ","), "of")
        behind = self.skip(behind, "the")
        found = longest(
            (self.shifted(behind), self._span(behind), self.unit_shift(behind))
        )
        if found is None:
            found = self.counted(behind)
        elif found[1].unit != "week":
            return None
        if found is None or found[1].unit not in {"week", "day"}:
            return None
        value = self.weekday_of(found[1].start, weekday)
        if value and part:
            value = self.part_of(value, part[1])
        return (found[0], value) if value else None

    def _weekday_alone(self, at: int, weekday: int) -> Found | None:
        week = self.context.this("week")
        offset = (weekday - week.weekday()) % 7

        def turns(turn: int) -> Span | None:
            start = add(week, "day", 7 * turn + offset)
            return whole(start, "day") if start else None

        if self.has(at + 1, "plural"):
            return None  # "Friday mornings"
        value = recurring(turns, 0, "weekday", self.context)
        if value:
            is_weak = self.has(at, "weak")
            value = value._replace(period="week", weak="weekday" if is_weak else "")
        end = at + 1
        dot = self.token(end)
        if dot.low == "." and dot.glued and self.has(at, "weak"):
            end += self.number_of(end + 1, "int") is not None
        return (end, value) if value else None
