"""What an answer consists of: plain values, the same for every surface."""

from __future__ import annotations

from dataclasses import dataclass, field

from mindcache.errors import Problem

__all__ = ["Hit", "Recall", "Why"]


@dataclass(frozen=True, slots=True)
class Why:
    """One reason for a hit: a signal, its part of the score's log-odds, in words."""

    signal: str
    value: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of a note that answers.

    `anchor` is a block id or the nearest heading, without "^" or "#" ("" for
    the note itself), `lines` the first and last line in the file. `date` is an
    ISO date or minute ("" when undated). `score` is 0..1.
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


@dataclass(frozen=True, slots=True)
class Recall:
    """An answer: hits, best first, and how it came about.

    `below_floor` counts candidates that matched something but not convincingly,
    `best_rejected` is the highest score among them (None when there are none);
    `left_out` counts hits that are past the limit, `order` names what the hits are
    sorted by. `stale` and `pending` say how far
    the cache was behind the disk.
    """

    query: str
    route: str
    hits: tuple[Hit, ...] = ()
    escalated: bool = False
    reason: str = ""
    order: str = "score"
    floor: float = 0.0
    left_out: int = 0
    below_floor: int = 0
    best_rejected: float | None = None
    stale: bool = False
    pending: int = 0
    problems: tuple[Problem, ...] = field(default=())
    elapsed_ms: float = 0.0
