"""The occurrences of a plan within a window."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from mindcache.errors import Problem
from mindcache.recurrence.lines import Line, key_of, written
from mindcache.recurrence.plans import Plan
from mindcache.recurrence.rules import Rule, TooMany, midnight, read_rules, walk
from mindcache.recurrence.zones import brought, find_zone, local

__all__ = ["MOST", "Expansion", "Occurrence", "expand", "window"]

# Occurrences of one plan that are given at once: more than three a day in the three
# years that the cache keeps.
MOST: Final = 4_000

_DAY: Final = timedelta(days=1)

# No two zones are further apart; what is asked for in one may lie so far off in another.
_APART: Final = timedelta(days=2)

_BEGINNING: Final = datetime.min  # noqa: DTZ901  civil time
_END: Final = datetime.max  # noqa: DTZ901  civil time
_OFFSET = re.compile(r"(.*[T ][0-9:]+?)([Zz]|[+-][0-9]{2}:?[0-9]{2})")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time that a plan takes place.

    `start` and `end` are civil in `zone` ("" when none is known) and half-open; an
    occurrence without a known end has none (`end` is `start`). `begins` and `ends`
    are the same in the vault's zone; whole days are the same days everywhere.
    `key` names it (`recurrence`), `status` is its own. `because` and `anchor` are of
    the list item that tells, whose line in the file is `line` (0 without one), and
    `moved_from` where it would have begun.
    """

    key: str
    start: datetime
    end: datetime
    all_day: bool
    zone: str
    begins: datetime
    ends: datetime
    status: str
    because: str = ""
    anchor: str = ""
    line: int = 0
    moved_from: datetime | None = None

    def touches(self, low: datetime, high: datetime) -> bool:
        """Whether it shares a moment with [low, high), in the vault's zone."""
        return self.begins < high and (self.ends > low or self.begins >= low)

    def has_begun(self, now: datetime, home: str = "") -> bool:
        """Whether it has, at an instant (or a civil time in `home`, if naive)."""
        return self._clock(now, home) >= self.start

    def is_over(self, now: datetime, home: str = "") -> bool:
        """Whether it has ended."""
        return self._clock(now, home) >= self.end and self.has_begun(now, home)

    def _clock(self, now: datetime, home: str) -> datetime:
        # A whole day is over when it is over for the person who asks.
        return local(now, "" if self.all_day else self.zone, home)

    @property
    def instants(self) -> tuple[datetime, datetime] | None:
        """Start and end with their offsets; None without a zone, or for whole days."""
        zone = find_zone(self.zone)
        if zone is None or self.all_day:
            return None
        return self.start.replace(tzinfo=zone), self.end.replace(tzinfo=zone)


@dataclass(frozen=True, slots=True)
class Expansion:
    """Occurrences by time, and what is wrong; `is_cut` when there are more."""

    occurrences: tuple[Occurrence, ...]
    problems: tuple[Problem, ...] = ()
    is_cut: bool = False


def window(year: int) -> tuple[datetime, datetime]:
    """What is kept at hand: 1 January of the last year to 31 December of the next."""
    first = max(1, year - 1)
    last = min(9999, year + 2)
    return datetime(first, 1, 1), datetime(last, 1, 1)  # noqa: DTZ001  civil time


def expand(plan: Plan, low: datetime, high: datetime) -> Expansion:
    """The occurrences that share a moment with [low, high), civil in the vault's zone.

    At most `MOST` of them, the first ones; cut there, or where a rule is too long to
    be followed, it says so. Takes bounded time whatever the rule is.
    """
    return _Expanding(plan, low, high).run()


class _Expanding:
    def __init__(self, plan: Plan, low: datetime, high: datetime) -> None:
        self.plan = plan
        self.low, self.high = low, high
        self.problems: list[Problem] = []
        self.is_cut = False
        self.rules, _ = read_rules(plan.recurrence, plan.zone, all_day=plan.all_day)
        self.apart = apart = timedelta() if self._is_at_home() else _APART
        # Whole days, so that a key tells its day's occurrences apart in any window.
        self.first = midnight(_plus(low, -plan.length - apart))
        self.last = midnight(_plus(_plus(high, apart), _DAY))

    def _is_at_home(self) -> bool:
        """Whether the plan's civil times are the vault's."""
        plan = self.plan
        return plan.zone == plan.home or plan.all_day or not plan.home

    def run(self) -> Expansion:
        starts = self._starts()
        found = self._with_lines(starts)
        found = [each for each in found if each.touches(self.low, self.high)]
        found.sort(key=lambda each: (each.begins, each.ends, each.key))
        if len(found) > MOST:
            found, self.is_cut = found[:MOST], True
        if self.is_cut:
            self._tell(
                self.plan.rule_line,
                "cut",
                f"more occurrences than are kept at hand ({MOST:,})",
                "repeat less often, or end it with COUNT or UNTIL",
            )
        return Expansion(tuple(found), tuple(self.problems), self.is_cut)

    def _tell(self, line: int, code: str, message: str, mend: str) -> None:
        self.problems.append(Problem("", line, f"occurrence-{code}", message, mend))

    def _starts(self) -> list[datetime]:
        """Where occurrences begin by the rule, in order."""
        plan, rules = self.plan, self.rules
        found = {m for m in (plan.start, *rules.extra) if self.first <= m < self.last}
        for rule in rules.rules:
            try:
                found.update(self._some(rule))
            except TooMany:
                self.is_cut = True
            except (ValueError, IndexError):
                # The library stumbles over a few rules that no check here refuses.
                self._tell(
                    plan.rule_line,
                    "rule",
                    "the rule can't be followed",
                    "write it more simply",
                )
        return sorted(m for m in found if not rules.leaves_out(m))

    def _some(self, rule: Rule) -> list[datetime]:
        """The moments of a rule; those that can't count don't use up what is kept."""
        near = _plus(self.low, -self.plan.length - self.apart)
        found: list[datetime] = []
        counted = 0
        for moment in walk(rule, self.plan.start, self.first, self.last):
            counted += moment >= near
            if counted > MOST:
                self.is_cut = True
                break
            if counted or len(found) < MOST:
                found.append(moment)
        return found

    def _with_lines(self, starts: list[datetime]) -> list[Occurrence]:
        days = _days(starts)
        told: dict[datetime, Line] = {}
        strays: list[Occurrence] = []
        for line in self.plan.lines:
            moment, has_time = self._civil(line.date)
            if moment is None:
                continue
            home = self._meant(line, moment, has_time, days)
            if home is not None:
                told[home] = line
            elif line.to and self._is_stray(line, moment):
                if not (has_time or self.plan.all_day):
                    moment = datetime.combine(moment, self.plan.start.time())
                strays.append(self._moved(self._plain(moment, timed=has_time), line))
        occurrences = []
        for start in starts:
            timed = not self.plan.all_day and len(days[midnight(start)]) > 1
            occurrence = self._plain(start, timed=timed)
            if start in told:
                occurrence = self._moved(occurrence, told[start])
            occurrences.append(occurrence)
        return [*occurrences, *strays]

    def _plain(self, start: datetime, *, timed: bool) -> Occurrence:
        plan = self.plan
        return self._placed(
            Occurrence(
                key_of(start, timed=timed),
                start,
                _plus(start, plan.length),
                plan.all_day,
                plan.zone,
                start,
                start,
                plan.status,
            )
        )

    def _placed(self, occurrence: Occurrence) -> Occurrence:
        plan = self.plan
        if plan.all_day:
            return replace(occurrence, begins=occurrence.start, ends=occurrence.end)
        return replace(
            occurrence,
            begins=brought(occurrence.start, plan.zone, plan.home),
            ends=brought(occurrence.end, plan.zone, plan.home),
        )

    def _moved(self, occurrence: Occurrence, line: Line) -> Occurrence:
        """The occurrence as its item tells it."""
        changed = replace(
            occurrence,
            status=line.outcome or occurrence.status,
            because=line.because,
            anchor=line.anchor,
            line=line.number,
        )
        start, has_time = self._civil(line.to) if line.to else (None, False)
        if start is None:
            return changed
        if not has_time and not self.plan.all_day:
            start = datetime.combine(start.date(), occurrence.start.time())
        end = _plus(start, self.plan.length)
        if line.until:
            end = self._until(line, start, end)
        return self._placed(
            replace(changed, start=start, end=end, moved_from=occurrence.start)
        )

    def _until(self, line: Line, start: datetime, usual: datetime) -> datetime:
        text = line.until if len(line.until) > 8 else f"{start.date()}T{line.until}"
        end, _ = self._civil(text)
        if end is None or end < start:
            mend = "write a time after it"
            self._tell(
                line.number, "until", f"{line.until} is not after the start", mend
            )
            return usual
        return end

    def _civil(self, text: str) -> tuple[datetime | None, bool]:
        """A written moment as civil time in the plan's zone, and whether it has a time."""
        match = _OFFSET.fullmatch(text)
        try:
            moment = datetime.fromisoformat(text.upper())
        except ValueError:
            return None, False
        if match and moment.tzinfo is not None:
            zone = find_zone(self.plan.zone)
            moment = (moment.astimezone(zone) if zone else moment).replace(tzinfo=None)
        if self.plan.all_day:
            return midnight(moment), False
        return moment, len(text) > 10

    def _meant(
        self,
        line: Line,
        moment: datetime,
        has_time: bool,  # noqa: FBT001  private
        days: dict[datetime, list[datetime]],
    ) -> datetime | None:
        """The start of the occurrence that an item is about, by the rule."""
        there = days.get(midnight(moment), [])
        if has_time:
            if moment in there:
                return moment
            there = []
        if len(there) > 1:
            usual = datetime.combine(moment.date(), self.plan.start.time())
            shown = ", ".join(f"{m:%H:%M}" for m in there)
            self._tell(
                line.number,
                "ambiguous",
                f"{len(there)} occurrences on {line.date} ({shown})",
                f"write which one: {written(there[0])}",
            )
            return usual if usual in there else there[0]
        if there:
            return there[0]
        if not line.to and self._is_in_window(moment):
            self._tell_unknown(line, moment, days)
        return None

    def _is_in_window(self, moment: datetime) -> bool:
        return self.low <= moment < self.high and not self.is_cut

    def _is_stray(self, line: Line, moment: datetime) -> bool:
        """Whether a moved item stands for an occurrence that isn't in `starts`."""
        if self._is_in_window(moment):
            message = (
                f"the rule has no occurrence on {line.date}; it is taken as one more"
            )
            mend = "mend the date, or write it as an RDATE"
            self._tell(line.number, "unknown", message, mend)
        return True

    def _tell_unknown(
        self, line: Line, moment: datetime, days: dict[datetime, list[datetime]]
    ) -> None:
        known = sorted(days)
        at = bisect_left(known, moment)
        near = known[max(0, at - 1) : at + 1]
        close = min(near, key=lambda day: abs(day - moment), default=None)
        mend = f"the nearest is on {close:%Y-%m-%d}" if close else "mend the date"
        message = f"no occurrence on {line.date}"
        self._tell(line.number, "unknown", message, mend)


def _days(starts: list[datetime]) -> dict[datetime, list[datetime]]:
    days: dict[datetime, list[datetime]] = {}
    for start in starts:
        days.setdefault(midnight(start), []).append(start)
    return days


def _plus(moment: datetime, length: timedelta) -> datetime:
    """A moment later or earlier, held within the calendar."""
    try:
        return moment + length
    except OverflowError:
        return _END if length > timedelta() else _BEGINNING
