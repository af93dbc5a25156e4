"""A digest from its first look to its report: the one place that carries steps out.

Every step decides on plain values, and is carried out before the next one looks. The
turn to write is held from the first look to the last byte, and each write checks that
its note is still the one that was read. What is said of a note is noted before it is
written, what was made of it after: killed in between, the next digest goes on from
what the notes say. One step writes by itself: "apply" carries out what a person decided,
as the command of that name does.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.digest.carrying import carry_out as _carry_out
from mindcache.digest.consolidate import consolidate
from mindcache.digest.diverged import diverged
from mindcache.digest.faces import Ground
from mindcache.digest.fading import fade
from mindcache.digest.group import OWN, group
from mindcache.digest.induce import planted
from mindcache.digest.later import later_notes
from mindcache.digest.placing import settled_tree
from mindcache.digest.refresh import Refreshed, refresh
from mindcache.digest.reporting import reporting
from mindcache.digest.settling import settle
from mindcache.digest.step import Night, Outcome, Step
from mindcache.digest.summaries import summaries
from mindcache.digest.tree import KIND, Past, TopicNote, past_of, read_topics
from mindcache.errors import MindcacheError, Problem
from mindcache.vault import Change, Entry

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.recall import Corpus

__all__ = ["Digested", "digest"]

# So many notes are placed in ten seconds. Of many more, three parts: each looks at all
# notes before it again, and new topics hold together only where most of what is near
# is new. Of four parts of a vault without clear subjects, the last stayed in the inbox.
_PART = 5_000
_PARTS = 3
# Steps look months back and up to a year ahead: outside of these years the calendar ends
# under them, and no vault is of them.
_FIRST_MOMENT = datetime(2, 1, 1)  # noqa: DTZ001  civil time
_LAST_MOMENT = datetime(9996, 12, 31, 23, 59, 59)  # noqa: DTZ001  civil time
_LAST = "9999"  # notes without a date come behind all others


@dataclass(slots=True)
class Digested:
    """What a digest did, or would do.

    `placed` notes found a topic, `held` ones have one, `inbox` wait for one. `made`, `changed` and `ended`
    are topics by path, ended ones with where their notes went ("" for nowhere).
    `outcomes` are those of the steps, in their order. `done_before` says that the
    day's digest had written something already, and then nothing else was looked at.
    `behind` is what kept what was written from being indexed.
    """

    day: str
    dry_run: bool
    weekly: bool = False
    done_before: bool = False
    notes: int = 0
    placed: int = 0
    held: int = 0
    inbox: list[str] = field(default_factory=list)
    topics: int = 0
    made: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    ended: list[tuple[str, str]] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_change(self) -> bool:
        """Whether there was anything to write."""
        return any(outcome.changes or outcome.done for outcome in self.outcomes)

    @property
    def waiting(self) -> list[tuple[str, list[str]]]:
        """What a person has to settle, by step, proposals first: thought of for him."""
        ordered = sorted(self.outcomes, key=lambda o: o.step != "propose")
        return [(each.step, each.waiting) for each in ordered if each.waiting]

    @property
    def changes(self) -> list[Change]:
        """All that was to be written, step by step."""
        return [change for outcome in self.outcomes for change in outcome.changes]

    @property
    def failed(self) -> list[tuple[Change, MindcacheError]]:
        """What could not be written, each with its reason."""
        return [pair for outcome in self.outcomes for pair in outcome.failed]

    @property
    def behind(self) -> Exception | None:
        """What kept the last of what was written from being indexed."""
        return next((o.behind for o in self.outcomes[::-1] if o.behind), None)


def digest(
    app: App,
    *,
    dry_run: bool = False,
    weekly: bool = False,
    again: bool = False,
    now: datetime | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Digested:
    """Bring what Mindcache keeps of the vault in step with its notes.

    Once a civil day something is written, unless `again`; once a week the tree is put
    in shape, and whenever `weekly`. Raises Locked, and what opening the vault raises.
    """
    moment = (now or app.now()).replace(microsecond=0, tzinfo=None)
    moment = min(max(moment, _FIRST_MOMENT), _LAST_MOMENT)
    with nullcontext() if dry_run else app.writing():
        past = past_of(app.ledger.entries)
        day = moment.date().isoformat()
        year, week, _ = moment.isocalendar()
        this_week = f"{year}-W{week:02}"
        report = Digested(day, dry_run, weekly or this_week not in past.weeks)
        if day in past.days and not again:
            report.done_before = True
            return report
        if not dry_run:
            app.flush_uses()
        night = Night(app, past, moment, report.weekly, dry_run)
        for name, step in _steps(report, progress):
            telling = replace(night, tell=_teller(progress, name))
            outcome = _take(step, telling, report)
            while outcome.more and not (dry_run or outcome.failed):
                # What was said in the part before has to be known in the next one.
                telling = replace(telling, past=past_of(app.ledger.entries))
                outcome = _take(step, telling, report)
        if report.weekly and not dry_run:
            report.problems += _folded(app, moment)
        _topics_written(report)
        report.problems += app.ledger.problems
        if not dry_run and report.is_change and not report.failed:
            stamps = [("day", day)] + ([("week", this_week)] if report.weekly else [])
            app.ledger.add(
                Entry("digest", kind, key, at=night.at)
                for kind, key in stamps
                if (kind, key) != ("day", day) or day not in past.days
            )
    return report


def _take(step: Step, night: Night, report: Digested) -> Outcome:
    """Let a step decide, and carry out what it decided."""
    outcome = step(night)
    report.outcomes.append(outcome)
    report.problems += [p for p in outcome.problems if p not in report.problems]
    if not night.dry_run:
        _carry_out(night.app, outcome)
    return outcome


def _steps(
    report: Digested, progress: Callable[[str, int, int], None] | None
) -> list[tuple[str, Step]]:
    """The steps by name, in the order in which they build upon each other."""
    from mindcache.digest.proposals import apply_step, propose

    def suggested(night: Night) -> Outcome:
        return propose(night, [s for o in report.outcomes for s in o.suggestions])

    slices = _Slices()
    return [
        ("apply", apply_step),
        ("settle", settle),
        ("consolidate", consolidate),
        ("diverged", diverged),
        # A topic whose notes all are faint is so the same night.
        ("fade", fade),
        ("topics", lambda night: _topics(night, report, slices, progress)),
        ("summaries", summaries),
        ("propose", suggested),
        ("report", lambda night: reporting(night, report)),
    ]


def _teller(
    progress: Callable[[str, int, int], None] | None, name: str
) -> Callable[[int, int], None]:
    def tell(done: int, of: int) -> None:
        if progress is not None:
            progress(name, done, of)

    return tell


# -- the steps of topics -------------------------------------------------------


@dataclass(slots=True)
class _Slices:
    """The first digest of a large vault goes by parts, from its oldest notes on.

    Killed in between, it loses one part.
    `bounds` are (date, path) of the last note of each part but the last, None before
    the first look.
    """

    bounds: list[tuple[str, str]] | None = None

    def later(self, night: Night, corpus: Corpus, notes: list[TopicNote]) -> set[str]:
        """The notes in no topic that wait for a later part."""
        placed = {path for topic in notes for path in topic.links}
        if self.bounds is None and _is_whole(night, corpus, len(placed)):
            self.bounds = []
        if self.bounds == []:
            return set()
        waiting = sorted(
            (node.date_start or _LAST, node.path)
            for node in corpus.reader.nodes()
            if node.path not in placed and node.type not in OWN
        )
        if self.bounds is None:
            parts = max(1, min(len(waiting) // _PART, _PARTS))
            size = -(-len(waiting) // parts)
            self.bounds = [waiting[n * size - 1] for n in range(1, parts)]
        if not self.bounds:
            return set()
        bound = self.bounds.pop(0)
        return {path for date, path in waiting if (date, path) > bound}


def _is_whole(night: Night, corpus: Corpus, placed: int) -> bool:
    """Whether there is no need of parts: a night, and no more came than there was."""
    notes = corpus.reader.counts()["notes"]
    return night.dry_run or (bool(night.past.days) and 2 * placed >= notes)


def _topics(
    night: Night,
    report: Digested,
    slices: _Slices,
    progress: Callable[[str, int, int], None] | None,
) -> Outcome:
    """Steps 1, 3, 4 and 6: what is new finds its topic."""
    with night.app.corpus().steady() as corpus:
        return _placed(night, report, slices, progress, corpus)


def _placed(
    night: Night,
    report: Digested,
    slices: _Slices,
    progress: Callable[[str, int, int], None] | None,
    corpus: Corpus,
) -> Outcome:
    app, past, now = night.app, night.past, night.now
    notes, problems = read_topics(app, corpus.reader, past)
    _tell(progress, "grouping", 0)
    later = slices.later(night, corpus, notes)
    apart = later.union((note.path for note in notes), _not_yet(night, corpus, notes))
    pool = group(corpus, apart, app.templates)
    planned = planted(notes, pool)
    old = {number: replace(topic) for number, topic in planned.items()}
    _tell(progress, "placing", 1)
    shaped, rounds = settled_tree(planned, pool, past, weekly=night.weekly)
    _tell(progress, "refreshing", 3)
    namespaces = app.settings.texts("namespaces")
    plan = refresh(shaped, old, Ground(pool, past, corpus.reader, namespaces, now))
    _sum_up(report, plan)
    homes = {n for t in shaped.topics.values() for n in (*t.members, *t.extras)}
    report.notes, report.held = len(pool.nodes), len(homes)
    report.inbox = [
        n.path
        for at, n in enumerate(pool.nodes)
        if at not in homes and n.type != "journal"
    ]
    report.placed += sum(induced.placed for induced in rounds)
    report.topics = len(shaped.topics)
    # What was said and taken apart is noted with what is written, and not alone.
    parted = dict.fromkeys(pair for each in rounds for pair in each.rejected)
    rejected = [_told("rejected", *pair, night.at) for pair in parted]
    joined = dict.fromkeys(pair for each in rounds for pair in each.put)
    put = [_told("put", *pair, night.at) for pair in joined]
    return Outcome(
        "topics",
        changes=list(plan.changes),
        before=[*plan.before, *rejected, *put] if plan.changes else [],
        after={**plan.after, **_unnoted(notes, past, plan, now)},
        problems=[*problems, *plan.problems],
        more=bool(later),
    )


def _not_yet(night: Night, corpus: Corpus, notes: list[TopicNote]) -> set[str]:
    """The notes that came later, but for those that somebody gave a topic already."""
    zone = night.app.settings.text("timezone")
    ids = later_notes(corpus.reader, night.now, zone)
    placed = {path for topic in notes for path in topic.links}
    return set(corpus.reader.paths(ids).values()) - placed


def _told(what: str, topic: str, note: str, at: str) -> Entry:
    return Entry(what, KIND, note, id=topic, at=at)


def _topics_written(report: Digested) -> None:
    """Leave out of the report the topics whose notes could not be written."""
    lost = {path for outcome in report.outcomes for path in outcome.lost}
    report.made = [path for path in report.made if path not in lost]
    report.changed = [path for path in report.changed if path not in lost]
    report.ended = [pair for pair in report.ended if pair[0] not in lost]


def _sum_up(report: Digested, plan: Refreshed) -> None:
    """Add what a part did to what those before it did: what came and went is none."""
    gone = {path for path, _ in plan.ended}
    report.ended += [pair for pair in plan.ended if pair[0] not in report.made]
    report.made = [path for path in report.made if path not in gone] + plan.made
    known = {*report.made, *report.changed}
    report.changed = [path for path in report.changed if path not in gone]
    report.changed += [path for path in plan.changed if path not in known]


def _tell(
    progress: Callable[[str, int, int], None] | None, stage: str, done: int
) -> None:
    if progress is not None:
        progress(stage, done, 4)


def _unnoted(
    notes: list[TopicNote], past: Past, plan: Refreshed, now: datetime
) -> dict[str, list[Entry]]:
    """Topics that are there and of which the ledger doesn't know that they were made.

    They were written just before a digest was killed, or by a person.
    """
    at = now.isoformat(timespec="seconds")
    ended = {path for path, _ in plan.ended}
    return {
        note.path: [Entry("made", KIND, note.id, id=note.id, path=note.path, at=at)]
        for note in notes
        if note.id not in past.made
        and note.section is not None
        and note.path not in ended
        # One that should have got its id and couldn't be written is known by none.
        and (note.memory.id or note.path in plan.changed or note.id == note.path)
    }


# -- doing -----------------------------------------------------------------


def _folded(app: App, moment: datetime) -> list[Problem]:
    """Fold what is old of this device's uses; what kept it from that."""
    try:
        app.access.fold(moment.date())
    except MindcacheError as error:
        return [Problem("", 0, "access-log", error.message, error.mend)]
    return []
