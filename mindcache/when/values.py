"""What a piece of a time phrase means while its phrase is still being read.

A `Value` is a stretch of civil time that may come round again: "March" is one in
every year, "Friday" one in every week. Which is meant is decided by the side that the
reader prefers, and decided again when the phrase turns out to be a range.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal, NamedTuple

from mindcache.when.civil import DAY, Span, add, floor, whole

__all__ = ["Context", "Side", "Turns", "Value", "recurring", "unit_value"]

Side = Literal["past", "future"]
Turns = Callable[[int], "Span | None"]
"""The stretch of a given turn; None where it has none."""

Period = Literal["year", "month", "week", "day"]
"""What a turn counts: years and days of the calendar, weeks and months from now."""

_FAR: Final = 9
"""Turns to look ahead or back: 29 February may be eight years away."""


class Context(NamedTuple):
    """What a phrase is relative to."""

    now: datetime
    week_start: int = 0
    prefer: Side = "past"

    @property
    def today(self) -> datetime:
        """The moment that the day of `now` began."""
        return floor(self.now, "day")

    def this(self, unit: str) -> datetime:
        """Where the unit that `now` lies in began."""
        return floor(self.now, unit, self.week_start)


class Value(NamedTuple):
    """A stretch `[start, end)`, the unit it was named in, and how sure that is.

    `turns`, `turn` and `period` tell when it comes round. `last` is the last piece that the
    words named, inside the stretch. `of` is the whole that a portion was taken from
    ("the end of March"), `side` the end of it (0, 1, 2). A `weak` value is a date only
    in a context that says so ("may", "5/12", "2010"). `wide` is what the words may
    well mean when they are rough ("two months ago").
    """

    start: datetime
    end: datetime
    unit: str
    turns: Turns | None = None
    turn: int = 0
    period: Period = "year"
    last: Span | None = None
    of: Value | None = None
    side: int = -1
    weak: str = ""
    wide: Span | None = None
    precise: bool = False

    @property
    def span(self) -> Span:
        """Start and end."""
        return self.start, self.end

    def at(self, turn: int) -> Value | None:
        """The same in another turn."""
        span = self.turns(turn) if self.turns else None
        if span is None:
            return None
        return self._replace(start=span[0], end=span[1], turn=turn)

    def ahead_of(self, moment: datetime) -> Value:
        """The first turn that begins at or after a moment; fixed values stay."""
        here = self._turn_at(moment)
        return self._scan(here, range(-1, _FAR + 1), lambda v: v.start >= moment)

    def back_from(self, moment: datetime) -> Value:
        """The last turn that begins at or before a moment; fixed values stay."""
        here = self._turn_at(moment)
        return self._scan(here, range(1, -_FAR - 1, -1), lambda v: v.start <= moment)

    def on_day_of(self, moment: datetime) -> Value:
        """The same hours on the day of a moment."""
        return self.at(self._turn_at(moment)) or self

    def _turn_at(self, moment: datetime) -> int:
        if self.period == "day":
            return moment.toordinal()
        if self.period == "year":
            return moment.year
        if self.period == "week":
            return self.turn + (moment - self.start).days // 7
        months = (moment.year - self.start.year) * 12 + moment.month - self.start.month
        return self.turn + months

    def _scan(self, turn: int, steps: range, fits: Callable[[Value], bool]) -> Value:
        if self.turns is None:
            return self
        for step in steps:
            found = self.at(turn + step)
            if found and fits(found):
                return found
        return self

    def mapped(self, change: Callable[[Span], Span | None], unit: str) -> Value | None:
        """A value derived from this one, in every turn; None off the calendar."""
        turns = self.turns

        def changed(span: Span | None) -> Span | None:
            try:
                return change(span) if span else None
            except OverflowError:  # off the calendar
                return None

        def derived(turn: int) -> Span | None:
            return changed(turns(turn) if turns else None)

        span = changed(self.span)
        if span is None or span[0] >= span[1]:
            return None
        return Value(
            span[0],
            span[1],
            unit,
            turns=derived if turns else None,
            turn=self.turn,
            period=self.period,
        )


def recurring(turns: Turns, turn: int, unit: str, context: Context) -> Value | None:
    """The turn that the context's side means; today counts for both sides."""
    tomorrow = add(context.today, "day", 1) or context.today
    steps = range(-1, _FAR + 1)
    fits: Callable[[Span], bool]
    if context.prefer == "past":
        steps = range(1, -_FAR - 1, -1)

        def fits(span: Span) -> bool:
            return span[0] < tomorrow
    else:

        def fits(span: Span) -> bool:
            return span[1] > context.today

    for step in steps:
        span = turns(turn + step)
        if span and span[0] < span[1] and fits(span):
            return Value(span[0], span[1], unit, turns=turns, turn=turn + step)
    return None


def unit_value(start: datetime | None, unit: str, count: int = 1) -> Value | None:
    """`count` whole units from a start."""
    span = whole(start, unit, count) if start else None
    return Value(span[0], span[1], unit) if span and span[0] < span[1] else None


def is_day(value: Value) -> bool:
    """Whether a value is a single day."""
    return value.end - value.start == DAY
