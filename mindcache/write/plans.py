"""Settling a plan: what became of it, written into its note. Pure.

    planned → occurred | missed | canceled     status and outcome
    any     → archived                         status; an outcome stays

Of a series only the list item of one occurrence is written; `canceled` and `archived`
without a date are meant for the whole series. A plan that was settled otherwise may
be settled anew with a reason, and the item keeps what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mindcache.errors import Refused, UsageError
from mindcache.memory import Memory
from mindcache.note import Note, Property, edit
from mindcache.recurrence import (
    OUTCOMES,
    Occurrence,
    Plan,
    add_remark,
    expand,
    local,
    read_plan,
    set_outcome,
    window,
)
from mindcache.when import Interval
from mindcache.write.change import unified

__all__ = ["VERDICTS", "Settlement", "Verdict", "settle"]

VERDICTS: Final = (*OUTCOMES, "archived")

# Around a date that was named: further apart no two zones are.
_APART: Final = timedelta(days=2)

# How far from a date that has no occurrence the nearest one is looked for.
_NEAR: Final = timedelta(days=400)

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a plan, why, and of which occurrence (None: the plan's own)."""

    outcome: str
    because: str = ""
    on: Interval | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """What settling one plan would write: before, after, and what changes.

    `was` is the status before, `key` that of the occurrence ("" for the note as a
    whole), `changes` are those of properties.
    """

    path: str
    before: bytes
    after: bytes
    was: str
    key: str
    changes: Mapping[str, Property]

    @property
    def is_change(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff, "" when there is none."""
        return unified(self.path, self.before, self.after)


def settle(
    data: bytes,
    note: Note,
    memory: Memory,
    verdict: Verdict,
    now: datetime,
    home: str,
) -> Settlement:
    """A plan's note with what became of it.

    `data` are the bytes that `note` and `memory` were read from, `now` is an instant,
    `home` the vault's zone. Raises UsageError when it isn't clear which occurrence is
    meant; Refused, with the mend, for what is no plan, what hasn't begun and yet
    occurred, and what was settled otherwise without a new reason; EditRefused when
    the note can't be edited safely.
    """
    edit(data, {})  # refuses what can't be edited at all
    if memory.type != "plan":
        raise Refused(
            f"{note.path} is a note of type {memory.type}, not a plan",
            mend="a plan has type: plan",
        )
    plan, _ = read_plan(note, memory.type, memory.status, home)
    settling = _Settling(data, note, verdict, now, home)
    if plan is None:
        if verdict.on is not None:
            raise UsageError(f"{note.path} has no time_start", mend="leave --on out")
        return settling.whole(memory.status, None, "")
    if verdict.outcome == "archived":
        if verdict.on is not None:
            mend = "leave --on out; canceled is for a single occurrence"
            raise UsageError("only a whole plan can be archived", mend=mend)
        said_of = " (the whole series)" if plan.repeats else ""
        return settling.whole(plan.status, None, said_of)
    if not plan.repeats:
        found = _only(plan, note.path)
        if verdict.on is not None:
            found = _chosen(plan, verdict.on, note.path)
        return settling.whole(found.status, found, "")
    if verdict.on is not None:
        return settling.one(_chosen(plan, verdict.on, note.path))
    if verdict.outcome == "canceled":
        return settling.whole(plan.status, None, " (the whole series)")
    raise UsageError(
        f"{note.path} is a series",
        mend=f"say of which with --on{_due(plan, now, home)}",
    )


class _Settling:
    def __init__(
        self, data: bytes, note: Note, verdict: Verdict, now: datetime, home: str
    ) -> None:
        self.data, self.note, self.verdict = data, note, verdict
        self.now, self.home = now, home

    def whole(
        self, was: str, occurrence: Occurrence | None, said_of: str
    ) -> Settlement:
        """The note's own status, and the reason as a list item."""
        outcome, because = self.verdict.outcome, self.verdict.because.strip()
        self._check(was, occurrence)
        changes: dict[str, Property] = {"status": outcome}
        if outcome in OUTCOMES:
            changes["outcome"] = outcome
        changes = {
            key: value
            for key, value in changes.items()
            if self.note.properties.get(key) != value
        }
        text = self.note.text
        if occurrence is not None and (because or occurrence.line):
            if not self._is_told(occurrence):
                text = set_outcome(
                    text, occurrence.key, outcome, because, occurrence.line
                )
        elif because and changes:
            today = local(self.now, "", self.home).date()
            what = f"{outcome}{said_of}: {because}"
            text = add_remark(text, today, what)
        after = edit(self._bytes(text), changes)
        return self._settlement(after, was, "", changes)

    def one(self, occurrence: Occurrence) -> Settlement:
        """The list item of one occurrence of a series, and nothing else."""
        self._check(occurrence.status, occurrence)
        text = self.note.text
        if not self._is_told(occurrence):
            text = set_outcome(
                text,
                occurrence.key,
                self.verdict.outcome,
                self.verdict.because,
                occurrence.line,
            )
        after = self._bytes(text)
        return self._settlement(after, occurrence.status, occurrence.key, {})

    def _is_told(self, occurrence: Occurrence) -> bool:
        """Whether its item says all of that already."""
        because = " ".join(self.verdict.because.split())
        same = occurrence.status == self.verdict.outcome and bool(occurrence.line)
        return same and (not because or because in occurrence.because)

    def _check(self, was: str, occurrence: Occurrence | None) -> None:
        outcome = self.verdict.outcome
        if (
            outcome == "occurred"
            and occurrence is not None
            and not occurrence.has_begun(self.now, self.home)
        ):
            zone = "" if occurrence.all_day else f" {occurrence.zone}".rstrip()
            raise Refused(
                f"{self.note.path} can't have occurred: it begins"
                f" {_shown(occurrence)}{zone}",
                mend="wait until then; if it was called off, say canceled",
            )
        settled = was in {*OUTCOMES, "archived"} and was != outcome
        if settled and outcome != "archived" and not self.verdict.because.strip():
            raise Refused(
                f"{self.note.path} is settled: it is {was}",
                mend="if that was wrong, say why with --because",
            )

    def _bytes(self, text: str) -> bytes:
        return (_BOM if self.note.encoding.bom else b"") + text.encode("utf-8")

    def _settlement(
        self, after: bytes, was: str, key: str, changes: Mapping[str, Property]
    ) -> Settlement:
        return Settlement(self.note.path, self.data, after, was, key, changes)


# -- which occurrence ----------------------------------------------------------


def _only(plan: Plan, path: str) -> Occurrence:
    """The occurrence of a plan that doesn't repeat, wherever it was moved to."""
    dates = [plan.start, *(_day(line.to) for line in plan.lines if line.to)]
    low, high = min(dates) - _APART, max(dates) + _APART
    found = expand(plan, low, high + plan.length).occurrences
    own = [each for each in found if (each.moved_from or each.start) == plan.start]
    if not own:
        raise Refused(f"{path} takes place at no time", mend="mend its time_start")
    return own[0]


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text[:10])


def _chosen(plan: Plan, on: Interval, path: str) -> Occurrence:
    """The occurrence that a date names: where it would have been, where it is now.

    A date is civil in the plan's zone, and then in the vault's.
    """
    moved = [
        _day(line.to)
        for line in plan.lines
        if line.to and on.start - _APART <= _day(line.date) < on.end + _APART
    ]
    low = min([on.start, *moved]) - _APART
    high = max([on.end, *moved]) + _APART
    found = expand(plan, low, high).occurrences
    ways = (
        [o for o in found if on.start <= (o.moved_from or o.start) < on.end],
        [o for o in found if on.start <= o.start < on.end],
        [o for o in found if on.start <= o.begins < on.end],
        [o for o in found if o.start < on.end and on.start < o.end],
    )
    chosen = next((way for way in ways if way), [])
    if len(chosen) > 1:
        shown = ", ".join(_shown(each) for each in chosen[:5])
        raise UsageError(
            f"{path} takes place {len(chosen)} times then", mend=f"name one of: {shown}"
        )
    if not chosen:
        around = expand(plan, on.start - _NEAR, on.end + _NEAR).occurrences
        near = sorted(around, key=lambda each: abs(each.start - on.start))[:2]
        shown = " or ".join(_shown(each) for each in near)
        mend = f"the nearest: {shown}" if shown else "it takes place nowhere near"
        day = on.start.date().isoformat()
        raise UsageError(f"{path} has no occurrence on {day}", mend=mend)
    return chosen[0]


def _shown(each: Occurrence) -> str:
    if each.all_day:
        return each.start.date().isoformat()
    return each.start.isoformat(timespec="minutes")


def _due(plan: Plan, now: datetime, home: str) -> str:
    """The latest occurrence that waits for its outcome, as the call would name it."""
    waiting = [
        each
        for each in expand(plan, *window(now.year)).occurrences
        if each.status == "planned" and each.is_over(now, home)
    ]
    return f", for example --on {_shown(waiting[-1])}" if waiting else " DATE"
