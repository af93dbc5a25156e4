"""Reading times of day: "at 5pm", "15:30", "noon", "yesterday evening"."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final, NamedTuple

from mindcache.when.civil import DAY, Span, midnight, whole
from mindcache.when.dates import Dates, Found
from mindcache.when.values import Value

__all__ = ["Clock"]

_TIME: Final = re.compile(r"([0-9]{1,2})[:.]([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?")

# First and last hour of the parts of a day. They overlap as people's do: half past
# five is afternoon to one and evening to another. A night ends on the next day.
_PARTS: Final = {
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (20, 29),
}
_LATE_PARTS: Final = frozenset(("afternoon", "evening", "night"))


class _Time(NamedTuple):
    hour: int
    minute: int = 0
    second: int = 0
    unit: str = "hour"
    # said with am, pm, o'clock or minutes: without them it needs a day beside it
    is_sure: bool = True
    has_half: bool = False


class Clock(Dates):
    """The rules for times of day."""

    def time(self, at: int) -> tuple[int, _Time] | None:
        """5pm, 5 p.m., 17:30, 8:00:31am, noon, 4 o'clock; 5 only behind "at"."""
        for role, hour in (("noon", 12), ("midnight", 0)):
            if self.has(at, role):
                return at + 1, _Time(hour, has_half=True)
        low = self.token(at).low
        if match := _TIME.fullmatch(low):
            return self._written(at, match)
        number = self.number_of(at, "int")
        digits = self.number_of(at, "digits")
        if number is None or digits is None or digits > 2:
            return None
        if self.has(at + 1, "oclock"):
            return self._halved(*self._minutes(at + 2, number))
        found = self._halved(at + 1, _Time(number, is_sure=False))
        return found if found is None or found[1].hour < 24 else None

    def _minutes(self, at: int, hour: int) -> tuple[int, _Time]:
        """The minutes behind an hour: 15h30, 15時30分."""
        minute = self.number_of(at, "int")
        if minute is None or minute > 59 or not self.token(at).glued:
            return at, _Time(hour)
        return self.skip(at + 1, "minute_mark"), _Time(hour, minute, unit="minute")

    def _written(self, at: int, match: re.Match[str]) -> tuple[int, _Time] | None:
        hour, minute = int(match[1]), int(match[2])
        second = int(match[3] or 0)
        if minute > 59 or second > 59:
            return None
        unit = "second" if match[3] else "minute"
        # one digit before a colon may be a verse or a score
        is_sure = len(match[1]) == 2 or match[3] is not None
        time = _Time(hour, minute, second, unit, is_sure=is_sure)
        if match[0][len(match[1])] == "." and not (
            self.has(at + 1, "am") or self.has(at + 1, "pm")
        ):
            return None
        return self._halved(self.skip(at + 1, "oclock"), time)

    def _halved(self, at: int, time: _Time) -> tuple[int, _Time] | None:
        """The same after "am" or "pm" if they follow."""
        is_am, is_pm = self.has(at, "am"), self.has(at, "pm")
        if not (is_am or is_pm):
            return (at, time) if time.hour < 24 else None
        if not 1 <= time.hour <= 12:
            return None
        hour = time.hour % 12 + (12 if is_pm else 0)
        return at + 1, time._replace(hour=hour, is_sure=True, has_half=True)

    def on_day(self, day: Value, time: _Time, part: str = "") -> Value | None:
        """A time on a day, where "8" said of an evening is 20 o'clock."""
        hour = time.hour
        if not time.has_half and hour < 12:
            is_late = part in _LATE_PARTS and not (part == "night" and hour < 5)
            if is_late or (not time.is_sure and 1 <= hour <= 6 and not part):
                hour += 12
        length = timedelta(**{f"{time.unit}s": 1})
        offset = timedelta(hours=hour, minutes=time.minute, seconds=time.second)

        def change(span: Span) -> Span | None:
            return span[0] + offset, span[0] + offset + length

        value = day.mapped(change, time.unit)
        return value._replace(precise=True) if value else None

    def part_of(self, day: Value, part: str) -> Value | None:
        """A part of a day."""
        first, last = _PARTS.get(part, (0, 24))

        def change(span: Span) -> Span | None:
            return span[0] + timedelta(hours=first), span[0] + timedelta(hours=last)

        return day.mapped(change, f"part:{part}")

    def with_time(self, found: Found) -> Found:
        """A day with the part and time that follow it, if any do."""
        at, day = found
        if day.end - day.start != DAY:
            return found
        part = self._part_behind(at)
        if part:
            narrowed = self.part_of(day, part[1])
            timed = self._time_behind(part[0], day, part[1])
            if timed:
                return timed
            return (part[0], narrowed) if narrowed else found
        return self._time_behind(at, day, "") or found

    def _part_behind(self, at: int) -> tuple[int, str] | None:
        behind = self.skip(self.skip(at, "prep"), "of")
        behind = self.skip(behind, "the")
        part = self.value(behind, "part")
        if part is None and behind > at:
            part = self.value(at, "part")
            behind = at
        return (behind + 1, str(part)) if part else None

    def _time_behind(self, at: int, day: Value, part: str) -> Found | None:
        behind = self.skip_sign(at, ",")
        said_at = self.has(behind, "at")
        if self.token(behind).low == "t" and self.token(behind).glued:
            behind, said_at = behind + 1, True
        behind = self.skip(behind, "at")
        found = self.time(behind)
        if found is None or not (found[1].is_sure or said_at):
            return None
        if self.dash(found[0]) and self.token(found[0]).glued and not found[1].has_half:
            return None  # "Monday 9-11"
        value = self.on_day(day, found[1], part)
        return (found[0], value) if value else None

    def time_first(self, at: int) -> Found | None:
        """9am on Tuesday, 13:00 February 28, at 5pm (of today), at 8 tonight."""
        behind = self.skip(at, "at")
        found = self.time(behind)
        if found is None:
            return None
        behind, time = found
        if self.has(behind, "every"):
            return None  # "3pm each day"
        joint = self.skip_sign(behind, ",")
        joint = self.skip(joint, "prep")
        day = self.day_at(joint)
        if day and day[1].end - day[1].start == DAY:
            part = self._part_behind(day[0])
            value = self.on_day(day[1], time, part[1] if part else "")
            if value and (time.is_sure or self.has(at, "at")):
                return part[0] if part else day[0], value
        is_said = self.has(at, "at") and time.unit != "hour"
        if not (time.is_sure or is_said):
            return None
        value = self._today(time)
        is_bare = time.unit == "hour" and not time.has_half
        if value and is_bare and not self.has(at, "at"):
            value = value._replace(weak="time")
        return (behind, value) if value else None

    def _today(self, time: _Time) -> Value | None:
        """A time of today, that a range may take for one of another day."""

        def turns(turn: int) -> Span | None:
            try:
                return whole(midnight(date.fromordinal(turn)), "day")
            except (ValueError, OverflowError):
                return None

        turn = self.context.today.toordinal()
        span = turns(turn)
        day = (
            Value(*span, "day", turns=turns, turn=turn, period="day") if span else None
        )
        return self.on_day(day, time) if day else None

    def part_first(self, at: int) -> Found | None:
        """The evening of 3 May, in the morning on Tuesday."""
        part = self.value(at, "part")
        if part is None:
            return None
        behind = self.skip(at + 1, "of")
        if behind == at + 1:
            behind = self.skip(behind, "on")
        if behind == at + 1:
            return None
        day = self.day_at(self.skip(behind, "the"))
        if day is None or day[1].end - day[1].start != DAY:
            return None
        value = self.part_of(day[1], str(part))
        return (day[0], value) if value else None

    def day_at(self, at: int) -> Found | None:
        """A day at a place; a later class knows more of them."""
        return self.calendar(at)
