"""The step `settle`: what became of plans that are over.

A plan is settled only by what is written somewhere: that it was canceled, that its task
is done or not, that the journal or an event of its day tells of it. Everything else
waits for a person. What a person settled, or opened again, is left as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from mindcache.digest.later import later_notes
from mindcache.digest.step import Night, Outcome
from mindcache.errors import MindcacheError, Problem
from mindcache.note import DELETE, edit
from mindcache.recall.occasions import between
from mindcache.recall.topics import templates_in
from mindcache.recurrence import Occurrence, set_outcome, window
from mindcache.vault import Entry, Replace

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow, Reader
    from mindcache.digest.evidence import Found
    from mindcache.recall.agenda import Occasion
    from mindcache.write.rewrite import Seen

__all__ = ["SETTLED", "settle", "unconfirmed"]

SETTLED: Final = "settled"
"""What the ledger calls a plan, or one occurrence of a series, that a digest settled."""

# Series, and questions to a person, look no further back: nobody remembers more.
_LOOKS_BACK: Final = timedelta(days=60)
# A day that tells of it ten times says no more than one that does three times.
_MOST_LINKED: Final = 3


@dataclass(frozen=True, slots=True)
class _Due:
    """A plan that is over, with the occurrences of which nobody said what became."""

    node: NodeRow
    occurrences: tuple[Occurrence, ...]
    is_series: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """An occurrence that a person is asked about: when it began, and what is unclear."""

    due: _Due
    at: datetime
    day: str
    doubt: str


def unconfirmed(app: App, now: datetime | None = None) -> list[Occasion]:
    """The plans that are over and of which nobody said what became of them.

    Each with the last such occurrence, the latest first, no further back than 60 days.
    Reads the cache alone.
    """
    from mindcache.recall.agenda import Occasion

    reader = app.reader()
    now = now or app.now()
    found = [
        Occasion(due.node, due.occurrences[-1])
        for due in _due(reader, now, app.settings.text("timezone"), app.templates)
        if due.occurrences[-1].begins >= now - _LOOKS_BACK
    ]
    found.sort(key=lambda o: o.node.path)
    found.sort(key=lambda o: o.occurrence.begins, reverse=True)
    return found


def settle(night: Night) -> Outcome:
    """What became of the plans that are over, as far as something says so."""
    outcome = Outcome("settle")
    reader = night.app.reader()
    _open_again(night, reader, outcome)
    home = night.app.settings.text("timezone")
    due = _due(reader, night.now, home, night.app.templates)
    if due:
        settling = _Settling(night, reader, outcome)
        for each in due:
            settling.settle(each)
        outcome.waiting += settling.questions()
    return outcome


def _due(
    reader: Reader, now: datetime, home: str, templates: Collection[str]
) -> list[_Due]:
    """The plans with occurrences that are over and still planned, by path."""
    first, _ = window(reader.window_year() or now.year)
    low = min(first, now - _LOOKS_BACK)
    found: dict[int, list[Occurrence]] = {}
    for file_id, each in between(reader, low, now):
        if each.status == "planned" and each.is_over(now, home):
            found.setdefault(file_id, []).append(each)
    facts = reader.facts(found)
    apart = later_notes(reader, now, home) | templates_in(reader, templates)
    due = []
    for node in reader.nodes(found):
        if node.type != "plan" or node.file_id in apart:
            continue
        is_series = bool(facts[node.file_id].properties.get("recurrence"))
        kept = [
            each
            for each in found[node.file_id]
            if not is_series or each.begins >= now - _LOOKS_BACK
        ]
        kept.sort(key=lambda each: (each.begins, each.key))
        if kept:
            due.append(_Due(node, tuple(kept), is_series))
    return due


def _open_again(night: Night, reader: Reader, outcome: Outcome) -> None:
    """Plans that were settled by a clock that was ahead are open again."""
    ahead = {
        e.path: e
        for e in night.app.ledger.entries
        if (e.what, e.kind) == (SETTLED, "plan") and e.at > night.at
    }
    ids = reader.paths_by_id() if ahead else {}
    for entry in ahead.values():
        path = ids.get(entry.id, entry.path)
        try:
            data, note, memory = night.app.look(path)
            if memory.status != entry.said or note.properties.get("outcome") != (
                entry.said
            ):
                continue
            opened = edit(data, {"status": "planned", "outcome": DELETE})
        except OSError:
            continue  # it is gone, or somewhere else
        except MindcacheError as error:
            problem = Problem(path, 0, "settle", error.message, error.mend)
            outcome.problems.append(problem)
            continue
        outcome.changes.append(Replace(path, opened, data))
        outcome.said.append(f"opened   {path}: it was settled on {entry.at[:10]}")


class _Settling:
    """Plan by plan: what is found of it, and what is to be written of that."""

    def __init__(self, night: Night, reader: Reader, outcome: Outcome) -> None:
        from mindcache.digest.evidence import Days

        self.night, self.reader, self.outcome = night, reader, outcome
        self.days = Days(reader)
        self.known = {
            e.key
            for e in night.app.ledger.entries
            if e.what == SETTLED and e.at <= night.at
        }
        self.asked: dict[str, list[_Asked]] = {}

    def settle(self, due: _Due) -> None:
        """Settle what can be, and ask for the rest."""
        path = due.node.path
        try:
            found = self._found(due)
            if found:
                self._write(due, found)
        except OSError as error:
            message = f"can't be read: {error.strerror}"
            self.outcome.problems.append(Problem(path, 0, "settle", message))
        except MindcacheError as error:
            problem = Problem(path, 0, "settle", error.message, error.mend)
            self.outcome.problems.append(problem)

    def questions(self) -> list[str]:
        """What a person has to say, a line for each plan, the latest first."""
        since = self.night.now - _LOOKS_BACK
        recent = ([a for a in each if a.at >= since] for each in self.asked.values())
        asked = sorted(
            ((each[-1].at, _question(each)) for each in recent if each), reverse=True
        )
        return [line for _, line in asked]

    def _found(self, due: _Due) -> list[tuple[Occurrence, Found]]:
        """What is known of each occurrence; of the others a question is noted."""
        from mindcache.digest.evidence import judge, matter_of

        node = due.node
        _, note, _ = self.night.app.look(node.path)
        links = {
            row.target
            for row in self.reader.edges_from([node.path])
            if row.relation in {"involves", "about"} and row.origin != "topic"
        }
        matter = matter_of(node, note, links, self.days.langs)
        if due.is_series:  # a task in its note is of none of its dates
            matter = replace(matter, tasks=())
        settled = []
        for each in due.occurrences:
            found = judge(matter, each, self.days.of(each))
            # Opened again by a person after it was settled, it is theirs to say.
            is_ours = node.under_contract and _key(due, each) not in self.known
            if found.outcome and is_ours:
                settled.append((each, found))
            else:
                self._ask(due, each, found)
        return settled

    def _ask(self, due: _Due, each: Occurrence, found: Found) -> None:
        asked = _Asked(due, each.begins, each.start.date().isoformat(), found.doubt)
        self.asked.setdefault(due.node.path, []).append(asked)

    def _write(self, due: _Due, settled: Sequence[tuple[Occurrence, Found]]) -> None:
        from mindcache.write.rewrite import Rewrite, Seen, refuse_new_breaches

        app, node = self.night.app, due.node
        seen = Seen(*app.look(node.path))
        if due.is_series and not settled[0][1].is_whole:
            data = self._with_items(seen, settled)
        else:
            settled = settled[:1]
            data = self._whole(seen, settled[0][1])
        if data == seen.data:
            return
        rewrite = Rewrite(node.path, seen.data, data, {})
        refuse_new_breaches(rewrite, app.meaning_of, app.settings.texts("namespaces"))
        self.outcome.changes.append(Replace(node.path, data, seen.data))
        self.outcome.after[node.path] = [
            self._entry(due, each, found) for each, found in settled
        ]
        for each, found in settled:
            day = each.start.date().isoformat()
            self.outcome.said.append(
                f"{found.outcome:<9}{node.path}, {day}: {found.because}"
            )

    def _entry(self, due: _Due, each: Occurrence, found: Found) -> Entry:
        is_one = due.is_series and not found.is_whole
        return Entry(
            SETTLED,
            "occurrence" if is_one else "plan",
            _key(due, each),
            id=due.node.id,
            path=due.node.path,
            at=self.night.at,
            said=found.outcome,
        )

    def _whole(self, seen: Seen, found: Found) -> bytes:
        """Status and outcome of the note, and links to what tells of it."""
        from mindcache.note import parse
        from mindcache.write.plans import Verdict
        from mindcache.write.plans import settle as settled
        from mindcache.write.rewrite import Seen as Read
        from mindcache.write.rewrite import stamped

        app, now = self.night.app, self.night.now
        home = app.settings.text("timezone")
        verdict = Verdict(found.outcome)
        done = settled(seen.data, seen.note, seen.memory, verdict, now, home)
        links = self._links(seen.note.path, found)
        old = seen.note.properties.get("occurred_after")
        kept = old if isinstance(old, list) else [old] if old else []
        fresh = [link for link in links if link not in kept]
        if not fresh:
            return done.after
        note = parse(seen.note.path, done.after)
        after = Read(done.after, note, app.meaning_of(note))
        changes = stamped(after, {"occurred_after": [*kept, *fresh]}, now)
        return edit(done.after, changes)

    def _with_items(
        self, seen: Seen, settled: Sequence[tuple[Occurrence, Found]]
    ) -> bytes:
        """A list item for each occurrence; the note's properties stay as they are."""
        edit(seen.data, {})  # refuses what can't be edited at all
        text = seen.note.text
        for each, found in settled:
            because = ", ".join(self._links(seen.note.path, found))
            text = set_outcome(text, each.key, found.outcome, because)
        bom = b"\xef\xbb\xbf" if seen.note.encoding.bom else b""
        return bom + text.encode("utf-8")

    def _links(self, path: str, found: Found) -> list[str]:
        """What tells of it, as links that Obsidian resolves from the plan's note."""
        from mindcache.recall.find import link_to

        folder = path.rpartition("/")[0]
        return [
            link_to(self.reader, line.name, folder)
            for line in found.lines[:_MOST_LINKED]
        ]


def _question(asked: Sequence[_Asked]) -> str:
    """What to ask about one plan; of a series, about all its open occurrences at once."""
    due, last = asked[-1].due, asked[-1]
    doubt = next((f" ({each.doubt})" for each in reversed(asked) if each.doubt), "")
    does = f"mindcache plan {due.node.id or due.node.path} occurred"
    if len(asked) > 1:
        return (
            f"{due.node.path}: {len(asked)} since {asked[0].day}, what became of them?"
            f"{doubt} {does} --on DATE"
        )
    on = f" --on {last.day}" if due.is_series else ""
    return f"{due.node.path}, {last.day}: what became of it?{doubt} {does}{on}"


def _key(due: _Due, each: Occurrence) -> str:
    """Which occurrence of which plan, for the ledger; moved, it is another."""
    return f"{due.node.id or due.node.path} {each.start.isoformat(timespec='minutes')}"
