"""What an answer consists of: plain values, the same for every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mindcache.errors import Problem

if TYPE_CHECKING:  # a surface that only prints needs no graph
    from mindcache.index.graph import EdgeRow

__all__ = ["NEARLY", "Budget", "Hit", "Linked", "Passage", "Recall", "Why"]

NEARLY = 0.5
"""What has this share of the floor lies just below it: one more word in a question
moves a score by as much."""


class Why(NamedTuple):
    """One reason for a hit: a signal, its part of the score's log-odds, in words.

    `via` are the edges over which other notes handed it on, the one that gave most
    first (signal `links` only).
    """

    signal: str
    value: float
    detail: str = ""
    via: tuple[EdgeRow, ...] = ()


class Passage(NamedTuple):
    """The place of a passage that is counted and not shown; fields as of `Hit`."""

    path: str
    anchor: str
    heading: str
    lines: tuple[int, int]
    score: float


class Linked(NamedTuple):
    """A note beside a hit, and the edge to it; `is_back` when that note links here.

    `standing` as of `Hit`.
    """

    path: str
    summary: str
    relation: str
    weight: float
    is_back: bool = False
    standing: str = ""


class Hit(NamedTuple):
    """One piece of a note that answers.

    `anchor` is a block id or the nearest heading, without "^" or "#" ("" for
    the note itself), `lines` the first and last line in the file. `date` is an
    ISO date or minute ("" when undated). `score` is 0..1. `holds`, `superseded_by`,
    `standing`, `contradicted_by` and `proposal` say whether the note holds now, and what
    speaks against it: see `standing.Standing`.

    `alike` are passages that say the same and are folded into this one, or into one of
    `passages`: others of its note that would answer and aren't hits of their own. `text` is the
    hit as it is packed for a reader (place, date and heading, then the passage), None
    unless a budget or more context was asked for; `linked` the notes beside it.
    """

    path: str
    anchor: str
    heading: str
    lines: tuple[int, int]
    id: str
    title: str
    type: str
    status: str
    date: str
    summary: str
    snippet: str
    tags: tuple[str, ...]
    score: float
    why: tuple[Why, ...] = ()
    alike: tuple[Passage, ...] = ()
    passages: tuple[Passage, ...] = ()
    text: str | None = None
    linked: tuple[Linked, ...] = ()
    holds: bool = True
    superseded_by: str = ""
    standing: str = ""
    contradicted_by: tuple[str, ...] = ()
    proposal: str = ""


class Budget(NamedTuple):
    """How many tokens were granted and used by the texts of the hits.

    `left_out` are the paths of the hits that had no room, best first, one for each
    hit; `cut` counts the hits whose text was shortened. `needed` would hold all.
    """

    tokens: int
    used: int
    left_out: tuple[str, ...] = ()
    cut: int = 0
    needed: int = 0


class Recall(NamedTuple):
    """An answer: hits, best first, and how it came about.

    `below_floor` counts candidates that matched something but not convincingly,
    `went_on` says why topics were not enough, where `escalated`; `reason` has it too, if
    there is nothing else to say. `best_rejected` is the highest score among them (None when there are none);
    `just_below` those of them that a floor of `next_floor` (half) would show. `left_out`
    counts what would answer and is neither a hit, nor folded into one, nor listed with
    one; `order` names what the hits are sorted by. `budget` is None unless one was
    given. `stale` and `pending` say how far the cache was behind the disk, `redacted` how
    many secrets were taken out of it.
    """

    query: str
    route: str
    hits: tuple[Hit, ...] = ()
    escalated: bool = False
    went_on: str = ""
    reason: str = ""
    order: str = "score"
    floor: float = 0.0
    left_out: int = 0
    below_floor: int = 0
    just_below: int = 0
    best_rejected: float | None = None
    budget: Budget | None = None
    stale: bool = False
    pending: int = 0
    problems: tuple[Problem, ...] = ()
    elapsed_ms: float = 0.0
    redacted: int = 0

    @property
    def next_floor(self) -> float:
        """The floor to try when what was looked for is not here."""
        return self.floor * NEARLY
