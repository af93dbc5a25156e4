"""Reading whole phrases: what is open at one side, durations, single stretches.

A word that also means something else ("may", "sat", "2010") counts only where its
neighbours say that time is meant.
"""

from __future__ import annotations

from typing import Final

from mindcache.when.civil import BEGINNING, DAY
from mindcache.when.dates import Found
from mindcache.when.ranges import Kind, Ranges, Reading, open_end, open_start, since
from mindcache.when.relative import Units
from mindcache.when.values import Value

__all__ = ["Spans"]

# Which words before a weak value make it one.
_CONTEXTS: Final = {
    "month": "in",
    "season": "in",
    "weekend": "on_weekend",
    "year": "in_year",
    "weekday": "on",
    "slash": "on",
    "dotted": "",
    "time": "at",
    "unit": "for_unit",
    "day": "for",
}
_LIKELY_YEARS: Final = range(1900, 2100)
"""Other numbers are years only with no noun behind: "in 1500 places"."""
_LINKED: Final = frozenset((",", "/"))


class Spans(Ranges):
    """The rules for whole phrases."""

    def phrase(self, at: int, before: Reading | None = None) -> Reading | None:
        """The longest phrase that begins at a place, right after another or not."""
        token = self.token(at)
        if not token.roles:
            return None
        found = [
            self.between(at),
            self.from_to(at),
            self.open(at),
            self.simple(at, before),
            self.duration(at),
        ]
        best: Reading | None = None
        for each in found:
            is_read = each and (each.value or each.kind == "duration")
            if each and is_read and (best is None or each.end > best.end):
                best = each
        return best

    # -- one stretch ------------------------------------------------------------------

    def simple(self, at: int, before: Reading | None) -> Reading | None:
        """A stretch by itself, or two joined by a dash or "to"."""
        found = self.expression(at)
        days = self.days_of_month(at, at)
        if found is None or (days and days.end > found[0]):
            return days
        joined = self.joined(at, found, needs_from=False)
        if joined:
            return joined
        behind, value = found
        if (end := self.onward(at, behind)) is not None:
            return Reading(at, end, "since", since(value))
        if value.end - value.start == DAY and (hours := self._hours_of(at, found)):
            return hours
        if value.weak and not self._is_meant(at, behind, value, before):
            return None
        is_moment = value.end - value.start <= DAY
        return Reading(at, behind, "date" if is_moment else "range", value)

    def _hours_of(self, at: int, day: Found) -> Reading | None:
        """Tomorrow from 3 to 5pm; Friday between 10:00 and 11:30."""
        behind = self.skip_sign(day[0], ",")
        hours = self.from_to(behind) or self.between(behind)
        if hours is None or hours.value is None or not hours.value.precise:
            return None
        value = hours.value.on_day_of(day[1].start)
        return Reading(at, hours.end, "range", value)

    def _is_meant(
        self, at: int, end: int, value: Value, before: Reading | None
    ) -> bool:
        """Whether the words about a weak value say that it is a time."""
        if self.fills(at, end):
            return True
        if value.weak in {"year", "slash"} and not self._is_free(end, value.weak):
            return False
        if before and before.value and self._is_listed(before, at):
            return True
        return self._is_introduced(at, value.weak)

    def _is_introduced(self, at: int, weak: str) -> bool:
        """Whether the word before a weak value says that it is a time."""
        role = _CONTEXTS.get(weak, "")
        begin = at - 1 if self.has(at - 1, "the") else at
        if weak == "weekend":
            return begin < at or self.has(at - 1, role)
        if weak == "weekday" and not self.token(at).text[:1].isupper():
            return False
        if weak in {"month", "year", "slash"} and begin < at:
            return False
        if weak == "season" and self.has(begin - 1, "by"):
            return False
        return bool(role) and self.has(begin - 1, role)

    def _is_listed(self, before: Reading, at: int) -> bool:
        """Whether a phrase and this are items of a list: "in 2007 and 2009"."""
        place = before.end
        while place < at and (
            self.token(place).low in _LINKED
            or self.has(place, "or")
            or self.has(place, "and")
        ):
            place += 1
        return place == at and at - before.end in {1, 2}

    def _is_free(self, end: int, weak: str) -> bool:
        """Whether what follows leaves a number alone: not "in 2000 words"."""
        token = self.token(end)
        if weak == "slash":
            return not (token.low.isalpha() and "counted" in token.roles)
        if "counted" in token.roles or token.low in {"%", "€", "$", "°"}:
            return False
        number = self.number_of(end - 1, "int")
        if number is None or number in _LIKELY_YEARS:
            return True
        return bool(token.roles) or not token.text.islower()

    # -- open at one side -------------------------------------------------------------

    def open(self, at: int) -> Reading | None:
        """Since Monday, before June, after 2018, until Friday, by the end of May."""
        if self.has(at, "to_date"):
            after = self.token(at + 1)
            is_last = not (after.low.isalpha() or "int" in after.roles)
            value = self.until_now(BEGINNING)
            return Reading(at, at + 1, "before", value) if is_last else None
        if self.has(at, "more_than"):
            return self._more_than(at)
        if self.has(at, "unit") and self.has(at + 1, "to_date"):
            here = self.context.this(str(self.value(at, "unit")))
            return Reading(at, at + 2, "range", self.until_now(here))
        for role in ("since", "after", "before", "until"):
            if self.has(at, role) and (found := self._opened(at, role)):
                return found
        return self._open_behind(at)

    def _opened(self, at: int, role: str) -> Reading | None:
        found = self.expression(at + 1)
        if found is None or not self._may_open(at + 1, found):
            return None
        behind, value = found
        if value.weak == "year" and not self._is_free(behind, "year"):
            return None
        if role == "since":
            value = value.back_from(self.context.today) if value.turns else value
            return Reading(at, behind, "since", since(value))
        if role == "after":
            start = value.of.start if value.of and value.side == 0 else value.end
            return Reading(at, behind, "since", open_end(start, value))
        if role == "before":
            end = value.of.end if value.of and value.side == 2 else value.start
            return Reading(at, behind, "before", open_start(end, value))
        return Reading(
            at, behind, "before", self._up_to(value, is_due=self.has(at, "by"))
        )

    def _up_to(self, value: Value, *, is_due: bool = False) -> Value | None:
        """Up to the end of a stretch; what is due by a day lies ahead."""
        if value.period == "week" or is_due:
            value = value.ahead_of(self.context.today)
        return open_start(value.end, value, last=value.span)

    def _more_than(self, at: int) -> Reading | None:
        """More than two weeks ago: open at the side that is further from now."""
        found = self.counted(at + 1)
        if found is None or found[1].last:
            return None
        value = found[1]
        if value.start < self.context.today:
            return Reading(at, found[0], "before", open_start(value.start, value))
        return Reading(at, found[0], "since", since(value))

    def _may_open(self, at: int, found: Found) -> bool:
        value = found[1]
        if value.weak == "weekday":
            return self.token(at).text[:1].isupper()
        if value.weak == "season" and self.has(at - 1, "by"):
            return False  # "inspired by autumn"
        return value.weak not in {"dotted", "weekend"} or self.has(at, "the")

    def _open_behind(self, at: int) -> Reading | None:
        """月曜日から, 3月以降, 周五之前: what opens stands behind."""
        found = None if self.table.spaced else self.expression(at)
        if found is None:
            return None
        behind, value = found
        opened: Value | None = None
        kind: Kind = "before"
        if self.has(behind, "since_post"):
            pair = self.pair(at, value, behind + 1)
            if pair:  # 月曜日から金曜日まで
                end = self.skip(pair.end, "until_post")
                return Reading(at, end, "range", pair.value)
            kind, opened = "since", since(value)
        elif self.has(behind, "after_post"):
            kind, opened = "since", open_end(value.end, value)
        elif self.has(behind, "before_post"):
            opened = open_start(value.start, value)
        elif self.has(behind, "until_post"):
            opened = self._up_to(value)
        return Reading(at, behind + 1, kind, opened) if opened else None

    # -- durations --------------------------------------------------------------------

    def duration(self, at: int) -> Reading | None:
        """For two hours; 3 days starting next Monday is a range."""
        begin = self.skip(at, "for")
        amount = self.amount(begin)
        if amount is None:
            return None
        behind, units = amount
        if units == [(1, "second")]:
            return None  # "a second round"
        ranged_by_start = self._starting(at, behind, units, is_for=begin > at)
        if ranged_by_start:
            return ranged_by_start
        return Reading(at, behind, "duration")

    def _starting(self, at: int, behind: int, units: Units, *, is_for: bool
    ) -> Reading | None:  # fmt: skip
        place = self.skip_sign(behind, ",")
        if not self.has(place, "starting"):
            return None
        if self.has(place, "from") and not is_for:
            return None  # "3 days from today" is a day
        found = self.expression(self.skip(place + 1, "from"))
        if found is None:
            return None
        start = found[1].ahead_of(self.context.today).start
        end = self.moved(start, units, 1)
        if end is None or end <= start:
            return None
        value = Value(start, end, units[0][1])
        return Reading(at, found[0], "range", value)
