"""Carrying out what was approved, rejecting, and taking back.

Each proposal is carried out by itself: what its notes were is kept first (`records`),
then the ledger knows that it was begun, then the notes are written, then the ledger
knows that it is done, and last its box shows it. Whoever is killed in between, the
next to apply goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.digest.proposals import pages as on_disk
from mindcache.digest.proposals import records
from mindcache.digest.proposals.book import ABSENT, Book, Proposal
from mindcache.digest.proposals.deciding import (
    Deed,
    Moot,
    Order,
    decide,
    fingerprint,
    place,
    places,
)
from mindcache.digest.proposals.records import Record, Touched
from mindcache.digest.proposals.run import Applied, Run, Told
from mindcache.digest.proposals.undoing import take_back, to_undo
from mindcache.errors import ChangedMeanwhile, MindcacheError, Problem, Refused
from mindcache.note import parse
from mindcache.vault import Change, Create, Replace, Trash
from mindcache.when import parse_interval
from mindcache.write import merging

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import Reader
    from mindcache.write.relink import Relinked

__all__ = ["apply", "listed", "reject", "undo", "unfinished", "waiting"]


# -- looking -------------------------------------------------------------------


def listed(app: App) -> list[tuple[Proposal, str, int, str]]:
    """The open proposals: each with the path and line of its box, and the verdict.

    What was rejected or taken out since is not among them.
    """
    book = Book(app.ledger.entries)
    pages = on_disk.look(app, book, only_open=True)
    found = []
    for proposal in book.open():
        page = pages.home(proposal)
        what = pages.verdict(proposal).what
        if page is not None and what not in ("no", "gone"):
            found.append((proposal, page.path, pages.line(proposal), what))
    return sorted(found, key=lambda each: (each[0].at, *each[1:3], each[0].id))


def waiting(app: App) -> int:
    """How many proposals wait for a person, or for the digest that they are ticked for."""
    return len(listed(app))


def unfinished(app: App) -> list[Problem]:
    """Proposals that somebody was killed over, each as a problem."""
    return [
        Problem(
            proposal.page,
            0,
            "unfinished",
            f"{proposal.title} ({proposal.id}) was begun and not ended",
            "run mindcache doctor --repair; the next digest does it too",
            "error",
        )
        for proposal in Book(app.ledger.entries).begun()
    ]


# -- applying ------------------------------------------------------------------


def apply(
    app: App,
    ids: Sequence[str] = (),
    *,
    ticked: bool = True,
    dry_run: bool = False,
    now: datetime | None = None,
) -> Applied:
    """Carry out these proposals, and with `ticked` those whose boxes are ticked.

    Then also what was rejected in the notes is noted, and what was begun is ended.
    Raises NoteNotFound for an id that is no proposal's, Refused for one that was
    decided on already, Locked.
    """
    moment = (now or app.now()).replace(microsecond=0, tzinfo=None)
    with nullcontext() if dry_run else app.writing():
        doer = _Doer(app, moment, dry_run=dry_run)
        wanted = doer.known(ids)
        if not dry_run:
            doer.resume()
        if ticked:
            doer.hear()
        doer.carry_out(wanted, by_tick=ticked)
        doer.close()
        return doer.result


def reject(app: App, ids: Sequence[str], *, now: datetime | None = None) -> Applied:
    """Note that these are not wanted, now or ever. Raises as `apply` does."""
    moment = (now or app.now()).replace(microsecond=0, tzinfo=None)
    with app.writing():
        run = Run(app, moment)
        for proposal in run.known(ids):
            run.note("rejected", proposal)
            run.result.rejected.append(Told(proposal))
        run.close()
        return run.result


def undo(app: App, what: str = "", *, now: datetime | None = None) -> Applied:
    """Take back what a proposal wrote, or all of a day, or the last one that was done.

    Notes that no longer hold what was written then are left as they are, and so is
    then the whole proposal, unless only links to its notes are in them. Raises as
    `apply` does.
    """
    moment = (now or app.now()).replace(microsecond=0, tzinfo=None)
    with app.writing():
        run = Run(app, moment)
        for proposal in to_undo(run, what.strip()):
            try:
                take_back(run, proposal)
            except MindcacheError as error:
                run.result.failed.append((proposal, error))
        run.close()
        return run.result


class _Doer(Run):
    """A run that carries out what was approved."""

    # -- what was decided in the notes ---------------------------------

    def hear(self) -> None:
        """Note what was rejected in the notes."""
        for proposal in self.book.open():
            said = self.pages.verdict(proposal)
            if said.what in ("no", "gone"):
                self.note("rejected", proposal, ABSENT if said.what == "gone" else "")
                self.result.rejected.append(Told(proposal, said.why))
            elif said.what == "unclear":
                self.result.unclear.append(Told(proposal, said.why))

    def _ticked(self) -> list[tuple[Proposal, str]]:
        """What is approved, with the way that was chosen, in the order of the pages."""
        found = []
        for _, page in sorted(self.pages.of.items()):
            for box in page.boxes:
                proposal = self.book.of.get(box.id)
                if proposal is None or self.pages.home(proposal) is not page:
                    continue
                if not (proposal.is_open or proposal.state == "rejected"):
                    continue
                said = self.pages.verdict(proposal)
                if said.what == "yes" and box.choice == said.choice:
                    found.append((proposal, said.choice))
        return found

    # -- doing ----------------------------------------------------------

    def carry_out(self, wanted: Sequence[Proposal], *, by_tick: bool) -> None:
        """Do what is wanted by id, and what is ticked."""
        orders = [(p, self._choice(p)) for p in wanted]
        if by_tick:
            named = {p.id for p in wanted}
            orders += [pair for pair in self._ticked() if pair[0].id not in named]
        reader = self.app.reader()
        fresh = {p.id for p, _ in orders if self._is_fresh(reader, p)}
        for proposal, choice in orders:
            try:
                self._carry_out(proposal, choice, was_fresh=proposal.id in fresh)
            except MindcacheError as error:
                self.result.failed.append((proposal, error))

    def _choice(self, proposal: Proposal) -> str:
        if proposal.kind != "diverged":
            return ""
        said = self.pages.verdict(proposal)
        if said.what != "yes":
            raise Refused(
                f"{proposal.id} can be settled in two ways",
                mend=f"tick one of its boxes in {proposal.page}",
            )
        return said.choice

    def _carry_out(self, proposal: Proposal, choice: str, *, was_fresh: bool) -> None:
        try:
            reader = self.app.reader()
            paths = places(self.app, reader, proposal.notes)
            if not (was_fresh and self._is_fresh(reader, proposal)):
                why = "a note that it is about was changed since it was proposed"
                self.note("stale", proposal, why)
                self.result.skipped.append(Told(proposal, why))
                return
            order = Order(proposal.kind, paths, proposal.value, choice)
            # As of the night that it was shown: what is written is what was read there.
            shown = parse_interval(proposal.at)
            at = shown.start.replace(tzinfo=None) if shown is not None else self.now
            deed = decide(self.app, reader, order, at)
        except Moot as error:
            self.note("moot", proposal, error.message)
            self.result.moot.append(Told(proposal, error.message))
            return
        if self.dry_run:
            self.result.done.append(Told(proposal, diff=deed.diff))
            return
        record = Record(self.at[:10], proposal.id)
        if deed.merges:
            finished = self._merge(proposal, deed.merges, record)
        else:
            finished = self._change(proposal, deed, record, choice)
        if finished:
            self.note("applied", proposal, choice)
            self.result.done.append(Told(proposal))

    def _is_fresh(self, reader: Reader, proposal: Proposal) -> bool:
        """Whether its notes say what they said, but for what was done here before."""
        if proposal.kind == "entity":
            return True
        try:
            paths = places(self.app, reader, proposal.notes)
            for path, (_, _, mark) in zip(paths, proposal.notes, strict=True):
                data, note, _ = self.app.look(path)
                is_ours = self.ours.get(path) == data
                if is_ours or fingerprint(proposal.kind, data, note) == mark:
                    continue
                if not self._was(proposal.kind, path, data, mark):
                    return False
        except Moot:
            return True  # which is told when it is decided on
        except OSError:
            return False
        return True

    def _was(self, kind: str, path: str, data: bytes, mark: str) -> bool:
        """Whether a note said what it should before proposals that were done changed it.

        So it is where a run was killed in between: one that was not would go on, too.
        """
        befores = self._befores(path)
        while (before := befores.pop(data, None)) is not None:
            if fingerprint(kind, before, parse(path, before)) == mark:
                return True
            data = before
        return False

    def _befores(self, path: str) -> dict[bytes, bytes]:
        """What each change of the note by a proposal made of it → what it was."""
        found = {}
        for proposal in self.book.of.values():
            if proposal.state != "applied":
                continue
            record = records.find(self.app.vault, proposal.id)
            for each in record.files if record is not None else ():
                if each.path == path and each.before is not None and each.after:
                    found[each.after] = each.before
        return found

    def _change(
        self, proposal: Proposal, deed: Deed, record: Record, choice: str
    ) -> bool:
        """Make plain changes, up to the first that fails; whether all are made."""
        record.add(_touched(change) for change in deed.changes)
        records.save(self.app.vault, record)
        self.note("applying", proposal, choice)
        for number, each in enumerate(record.files):
            error = self._make(each)
            if error is None:
                continue
            if isinstance(error, ChangedMeanwhile):
                self.result.skipped.append(Told(proposal, str(error)))
            else:
                self.result.failed.append((proposal, error))
            if not number and isinstance(error, ChangedMeanwhile):
                self.note("stale", proposal, error.message)
            return False
        records.save(self.app.vault, record)
        return True

    def _make(self, each: Touched) -> MindcacheError | None:
        """Write one file; what kept it from being written."""
        done = self.commit([each.forth()])
        self.ours[each.path] = each.after
        each.to = dict(done.moved).get(each.path, each.to)
        return done.failed[0][1] if done.failed else None

    def _merge(
        self, proposal: Proposal, pairs: Sequence[tuple[str, str]], record: Record
    ) -> bool:
        """Merge notes one after the other; whether all of it is done.

        What can't be led to its end now stays begun, and is tried again.
        """
        for source, into in pairs:
            reader = self.app.reader()
            one, other = reader.find_node(source), reader.find_node(into)
            if other is None:
                raise Refused(f"{into} is gone")
            if one is None:
                continue
            try:
                plan = merging.decide(self.app, one, other, only_new=True)
            except Refused as error:
                if not record.files:
                    raise
                # The rest is merged all the same; this one can be proposed anew.
                self.result.skipped.append(Told(proposal, str(error)))
                continue
            touched = [
                Touched(into, plan.into.before, plan.into.after),
                *self._touched(plan.texts),
                Touched(source, plan.source_bytes, None),
            ]
            record.add(touched)
            records.save(self.app.vault, record)
            self.note("applying", proposal)
            merged = merging.merge(self.app, plan)
            self.result.behind = self.result.behind or merged.behind
            self.result.paths.append(into)
            written = self._touched(merged.texts)
            if merged.trashed:
                gone = Touched(source, plan.source_bytes, None, merged.trashed)
                written.append(gone)
            record.add(written)
            records.save(self.app.vault, record)
            self.ours.update({each.path: each.after for each in record.files})
            if merged.failed:
                self.result.failed += [(proposal, error) for _, error in merged.failed]
                return False
        return True

    def _touched(self, texts: Sequence[Relinked]) -> list[Touched]:
        """The notes with links, but for those that proposals stand in."""
        return [
            Touched(text.path, text.before, text.after, only_links=True)
            for text in texts
            if text.path not in self.pages.of
        ]

    # -- going on -------------------------------------------------------

    def resume(self) -> None:
        """End what somebody was killed over."""
        for proposal in self.book.begun():
            try:
                if proposal.state == "undoing":
                    take_back(self, proposal)
                    continue
                self._resume(proposal)
            except MindcacheError as error:
                self.result.failed.append((proposal, error))

    def _resume(self, proposal: Proposal) -> None:
        record = records.find(self.app.vault, proposal.id)
        if record is None:
            why = "it was begun on another machine, and what it wrote is not here yet"
            self.result.unclear.append(Told(proposal, why))
            return
        if proposal.kind in ("merge", "topics"):
            reader = self.app.reader()
            kept, *others = (
                place(self.app, reader, *note[:2]) for note in proposal.notes
            )
            if kept is None:
                raise Refused(f"{proposal.paths[0]} is gone")
            pairs = [(each, kept) for each in others if each is not None]
            finished = self._merge(proposal, pairs, record)
        else:
            finished = self._finish(proposal, record)
        if finished:
            self._locate(record)
            self.note("applied", proposal, proposal.why)
            self.result.done.append(Told(proposal, "it had been interrupted"))

    def _locate(self, record: Record) -> None:
        """Record where the notes lie that were thrown away before the interruption.

        Taken back, they come from there: else a copy would stay in the trash, and the
        ledger would know the note as one that is gone.
        """
        for each in record.files:
            if each.before is None or each.after is not None or each.to:
                continue
            with suppress(OSError):
                each.to = self.app.vault.find_in_trash(each.path, each.before) or ""
        records.save(self.app.vault, record)

    def _finish(self, proposal: Proposal, record: Record) -> bool:
        """Make those of the recorded changes that are still missing, in their order.

        A file that holds something else by now is left as it is.
        """
        for each in record.files:
            now = self.bytes_of(each.path)
            if now == each.after or now != each.before:
                continue
            if (error := self._make(each)) is not None:
                self.result.failed.append((proposal, error))
                return False
        records.save(self.app.vault, record)
        return True


def _touched(change: Change) -> Touched:
    match change:
        case Create(path, data):
            return Touched(path, None, data)
        case Replace(path, data, expected):
            return Touched(path, expected, data)
        case Trash(path, expected):
            return Touched(path, expected, None)
        case _:
            raise Refused(f"{change.path} is not moved by a proposal")
