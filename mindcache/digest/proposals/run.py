"""What every run over proposals has in common: the book, the pages, what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.digest.proposals import pages as on_disk
from mindcache.digest.proposals.book import Book, Proposal, entry
from mindcache.errors import ChangedMeanwhile, MindcacheError, NoteNotFound, Refused
from mindcache.vault import Change

if TYPE_CHECKING:
    from mindcache.app import App, Written

__all__ = ["Applied", "Run", "Told"]

# How often a page that is saved meanwhile is marked again.
_TRIES = 3
_NO_CAP = 2**62  # what was written before is looked at, whatever its size
# An id without the way of two that may stand behind it.
_ID = len("p-0123456789")


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one proposal, and why; `diff` where it was only shown."""

    proposal: Proposal
    why: str = ""
    diff: str = ""


@dataclass(slots=True)
class Applied:
    """What applying did, or would do, by proposal.

    `skipped` were approved, and their notes were changed before; `moot` need nothing
    any more; of `unclear` ones nobody can say what was decided. `paths` are the files
    that were written, `behind` is what kept them from being indexed.
    """

    dry_run: bool = False
    done: list[Told] = field(default_factory=list)
    undone: list[Told] = field(default_factory=list)
    rejected: list[Told] = field(default_factory=list)
    skipped: list[Told] = field(default_factory=list)
    moot: list[Told] = field(default_factory=list)
    unclear: list[Told] = field(default_factory=list)
    failed: list[tuple[Proposal, MindcacheError]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    behind: Exception | None = None


class Run:
    """One run; who starts it holds the turn to write."""

    def __init__(self, app: App, now: datetime, *, dry_run: bool = False) -> None:
        self.app = app
        self.now = now
        self.dry_run = dry_run
        self.book = Book(app.ledger.afresh())
        self.pages = on_disk.look(app, self.book)
        self.result = Applied(dry_run)
        self.ours: dict[str, bytes | None] = {}  # what was left in a note here

    @property
    def at(self) -> str:
        """The moment as the ledger writes it."""
        return self.now.isoformat(timespec="seconds")

    def note(self, what: str, proposal: Proposal, said: str = "") -> None:
        """Write into the ledger how far a proposal got."""
        if self.dry_run:
            return
        self.app.ledger.add([entry(what, proposal, self.at, said)])
        self.book.of[proposal.id] = replace(
            proposal, state=what, since=self.at, why=said
        )

    def known(self, ids: Sequence[str]) -> list[Proposal]:
        """The open proposals of these ids, each once."""
        found = []
        for each in dict.fromkeys(i.strip().removeprefix("^") for i in ids):
            proposal = self.book.of.get(each[:_ID])
            if proposal is None:
                raise NoteNotFound(
                    f"no proposal is called {each!r}",
                    mend="mindcache digest proposals lists those that are open",
                )
            if not (proposal.is_open or proposal.state == "rejected"):
                raise Refused(
                    f"{each} is {proposal.state} already", mend="nothing written"
                )
            found.append(proposal)
        return found

    def commit(self, changes: Sequence[Change]) -> Written:
        """Write and index, and note what came of it."""
        done = self.app.commit(changes)
        self.result.paths += done.paths
        self.result.behind = self.result.behind or done.behind
        return done

    def bytes_of(self, path: str) -> bytes | None:
        """What a file holds right now, None where there is none. Raises MindcacheError."""
        try:
            return self.app.vault.read(path, _NO_CAP)[0]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MindcacheError(f"{path} can't be read: {error.strerror}") from error

    def close(self) -> None:
        """Let the boxes show what was done. A page that can't be written waits, and is told."""
        if self.dry_run:
            return
        for left in reversed(range(_TRIES)):
            pages = on_disk.look(self.app, self.book)
            changes = on_disk.tidied(self.book, pages.of.values())
            if not changes:
                return
            failed = self.commit(changes).failed
            if left and any(isinstance(e, ChangedMeanwhile) for _, e in failed):
                continue
            for change, error in failed:
                self._tell_unshown(pages.of[change.path], error)
            return

    def _tell_unshown(self, page: on_disk.Page, error: MindcacheError) -> None:
        """Say that what was decided is noted, and its box still looks as it did."""
        there = {box.id for box in page.boxes}
        for each in (*self.result.done, *self.result.undone, *self.result.rejected):
            if each.proposal.id in there:
                why = f"decided and noted, but its box in {page.path} doesn't show it"
                told = MindcacheError(f"{why}: {error.message}", mend=error.mend)
                self.result.failed.append((each.proposal, told))
