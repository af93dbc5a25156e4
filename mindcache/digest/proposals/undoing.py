"""Taking back what a proposal wrote: every byte of before, where nobody wrote since."""

from __future__ import annotations

from mindcache.digest.proposals import records
from mindcache.digest.proposals.book import Proposal
from mindcache.digest.proposals.deciding import LIFE, fingerprint
from mindcache.digest.proposals.records import Touched
from mindcache.digest.proposals.run import Run, Told
from mindcache.errors import ChangedMeanwhile, EditRefused, NoteNotFound, Refused
from mindcache.note import DELETE, Delete, Property, edit, parse
from mindcache.vault import Entry, Move

__all__ = ["take_back", "to_undo"]


def to_undo(run: Run, what: str) -> list[Proposal]:
    """The proposals that are meant, the last one first."""
    done = sorted(
        (p for p in run.book.of.values() if p.state in ("applied", "undoing")),
        key=lambda p: (p.since, p.order),
        reverse=True,
    )
    if not what:
        return done[:1]
    on_day = [p for p in done if p.since[:10] == what]
    if on_day or what in records.days(run.app.vault):
        return on_day
    proposal = run.book.of.get(what.removeprefix("^")[:12])
    if proposal is None:
        raise NoteNotFound(
            f"no proposal or day is called {what!r}",
            mend="give the id of one that was done, or the day, as 2026-03-05",
        )
    if proposal not in done:
        raise Refused(f"{what} is {proposal.state}, not applied")
    return [proposal]


def take_back(run: Run, proposal: Proposal) -> None:
    """Put the notes back as they were. Raises MindcacheError."""
    record = records.find(run.app.vault, proposal.id)
    if record is None:
        raise Refused(
            f"what {proposal.id} changed is not kept any more",
            mend=f"texts are kept for {records.KEPT_DAYS} days",
        )
    left, others = [], []
    for each in reversed(record.files):
        now = run.bytes_of(each.path)
        if now == each.before:
            continue
        if now == each.after:
            left.append(each)
        elif (lived := _lived(each, now)) is not None:
            left.append(Touched(each.path, lived, now))
        elif not each.only_links:
            if above := _above(run, proposal, each.path, now):
                raise ChangedMeanwhile(
                    f"{each.path} was changed by {above} since",
                    mend=f"mindcache digest undo {above} first, then this one",
                )
            raise ChangedMeanwhile(
                f"{each.path} no longer holds what was written then",
                mend=f"nothing taken back; its text of before is in {record.path}",
            )
        else:
            others.append(each.path)
    run.note("undoing", proposal, proposal.why)
    for each in left:
        _put_back(run, each)
    run.note("undone", run.book.of[proposal.id])
    why = f"left as they are, since they were changed: {', '.join(others)}"
    run.result.undone.append(Told(proposal, why if others else ""))


def _above(run: Run, proposal: Proposal, path: str, now: bytes | None) -> str:
    """The proposal that left the file as it is now, after this one; "" for none."""
    for other in run.book.of.values():
        if other.id == proposal.id or other.state not in ("applied", "undoing"):
            continue
        record = records.find(run.app.vault, other.id)
        for each in record.files if record is not None else ():
            if each.path == path and each.after == now:
                return other.id
    return ""


def _put_back(run: Run, each: Touched) -> None:
    change = each.back()
    lies = each.to
    if each.after is None and lies and run.bytes_of(lies) == each.before:
        change = Move(lies, each.path, each.before or b"")
    done = run.commit([change])
    for _, error in done.failed:
        raise error
    if isinstance(change, Move):
        note_id = str(parse(each.path, each.before or b"").properties.get("id") or "")
        key = note_id or each.path
        run.app.ledger.add(
            [Entry("restored", "note", key, note_id, lies, each.path, run.at)]
        )


def _lived(each: Touched, now: bytes | None) -> bytes | None:
    """The text of before with the life that the note has led since.

    None where it says something else than what was written then.
    """
    if now is None or each.before is None or each.after is None:
        return None
    was, here = parse(each.path, each.after), parse(each.path, now)
    kind = "merge"
    if fingerprint(kind, each.after, was) != fingerprint(kind, now, here):
        return None
    changes: dict[str, Property | Delete] = {
        key: here.properties.get(key, DELETE)
        for key in LIFE
        if here.properties.get(key) != was.properties.get(key)
    }
    there = parse(each.path, each.before).properties
    try:
        return edit(
            each.before,
            {k: v for k, v in changes.items() if v is not DELETE or k in there},
        )
    except EditRefused:
        return None
