"""What a step of the digest is given, and what it gives back: plain values.

A step decides on the vault as the steps before it left it, and writes nothing: its
outcome is carried out by the run before the next step looks. In a dry run every step
sees the vault as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.digest.tree import Past
    from mindcache.vault import Change, Entry

__all__ = ["SHOWS", "Night", "Outcome", "Source", "Step", "Suggestion"]


SHOWS = {
    "apply": "mindcache digest proposals",
    "settle": "mindcache plans --due",
    "consolidate": "mindcache digest --again --dry-run --json",
    "fade": "mindcache search exact --status faint",
    "summaries": "mindcache search exact --type summary",
    "propose": "mindcache digest proposals",
}
"""The command that shows all of what a step tells of, where its lines are too many."""


def _untold(_done: int, _of: int) -> None:
    """Nobody looks."""


@dataclass(frozen=True, slots=True)
class Night:
    """What a step decides on.

    `now` is civil, in the vault's zone, to the second; `past` what the ledger knew
    when the digest began. `tell` shows how far a long step is: (done, of).
    """

    app: App
    past: Past
    now: datetime
    weekly: bool = False
    dry_run: bool = False
    tell: Callable[[int, int], None] = _untold

    @property
    def at(self) -> str:
        """The moment as the ledger writes it."""
        return self.now.isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Source:
    """Where something is said: the note, the line (0 for the whole), the words."""

    path: str
    line: int = 0
    words: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change that a person has to decide on, as a step thinks of it.

    `kind` says what would be done: `merge` (all into the first note), `retire` (the
    first note, for the second), `entity` (make one called `value`), `promote` (the
    first note to `scope/global`), `topics` (all into the first topic), `diverged`.
    `notes` are paths, the one that stays or changes first. `key` is the same for the
    same suggestion on any night and machine: what was rejected under it stays so.
    """

    kind: str
    key: str
    notes: tuple[str, ...]
    reason: str
    sources: tuple[Source, ...] = ()
    value: str = ""


@dataclass(slots=True)
class Outcome:
    """What one step would write, and what it tells of it.

    `before` are entries of the ledger noted before anything of the step is written,
    `after` those noted once the change to the path was made. `said` are lines for a
    reader, one for each thing done; `waiting` those for what a person has to settle;
    `suggestions` become proposals. `done` are paths that the step wrote itself, since a
    person had decided on it. `more` says that the step has gone only a part of its way:
    it is asked again once this is written, unless something failed. `failed` and
    `behind` are filled in when it is carried out.
    """

    step: str
    changes: list[Change] = field(default_factory=list)
    before: list[Entry] = field(default_factory=list)
    after: dict[str, list[Entry]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    suggestions: list[Suggestion] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    more: bool = False
    failed: list[tuple[Change, MindcacheError]] = field(default_factory=list)
    behind: Exception | None = None

    @property
    def lost(self) -> set[str]:
        """The paths of changes that could not be made."""
        return {change.path for change, _ in self.failed}


Step = Callable[[Night], Outcome]
