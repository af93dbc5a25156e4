"""Why a memory is as strong as it is: the numbers, and one line of words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from mindcache.digest.fading.reading import Memories, Remembered, read_memories
from mindcache.digest.fading.strength import (
    FAINT_BELOW,
    Band,
    Strength,
    banded,
    falls_on,
    strength,
)

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow

__all__ = ["Reason", "bands", "why_faint"]


@dataclass(frozen=True, slots=True)
class Reason:
    """How strong a memory is, and when it fell or will.

    `keeps` says why it never fades ("" where it may), `falls` the day on which it became
    faint or will without another use (None: never). `is_written` says whether that
    is written into its note at all. `band` is what it is in now, among all others.
    """

    memory: Remembered
    strength: Strength
    band: Band
    keeps: str
    falls: date | None
    is_written: bool
    threshold: float = FAINT_BELOW

    @property
    def last_use(self) -> date | None:
        """The day of its last use."""
        last = self.strength.last
        return None if last is None else date.fromordinal(last)

    def line(self) -> str:
        """All of it in one line, without the path."""
        found, life = self.strength, self.memory.life
        if self.last_use is None:
            used = f"never used, counted from {date.fromordinal(life.born)}"
        else:
            times = "once" if found.times == 1 else f"{found.times:,} times"
            used = f"used {times}, last on {self.last_use}"
        if life.linked is not None:
            used += f", last linked to on {date.fromordinal(life.linked)}"
        numbers = (
            f"{used}; half-life {found.half_life:g} days,"
            f" score {found.score:.3f}, faint below {self.threshold:g}"
        )
        return f"{self._verdict()} ({numbers})"

    def _verdict(self) -> str:
        if self.memory.status == "archived":
            return "archived, and left out until its status is another"
        if self.keeps:
            return f"{self.band}, and never fades: {self.keeps}"
        if self.falls is None:
            return f"{self.band}, and strong enough never to fade"
        unwritten = "" if self.is_written else ", which its note never says"
        if self.band == "faint":
            return f"faint since {self.falls}{unwritten}"
        return f"{self.band}, faint on {self.falls} if not used before{unwritten}"


def why_faint(app: App, node: NodeRow) -> Reason | None:
    """Why this note is as strong as it is; None for what is no memory of its own."""
    now = app.now()
    memories = read_memories(app, now)
    memory = memories.by_key.get(node.id or node.path)
    if memory is None:
        return None
    today = now.date().toordinal()
    keeps = memory.keeps
    if not memories.is_tracked:
        keeps = keeps or "track_access is off"
    falls = falls_on(memory.life, today)
    return Reason(
        memory,
        strength(memory.life, today),
        _banded(memories, today)[memory.key],
        keeps,
        None if falls is None or keeps else date.fromordinal(falls),
        memory.is_ours,
    )


def _banded(memories: Memories, today: int) -> dict[str, Band]:
    """The bands; what never fades is cool where it would be faint."""
    found = banded({key: each.life for key, each in memories.by_key.items()}, today)
    for key, memory in memories.by_key.items():
        is_kept = bool(memory.keeps) or not memories.is_tracked
        if found[key] == "faint" and is_kept:
            found[key] = "cool"
    return found


def bands(app: App) -> dict[str, int]:
    """How many memories are hot, warm, cool and faint."""
    now = app.now()
    counts = Counter(_banded(read_memories(app, now), now.date().toordinal()).values())
    order: tuple[Band, ...] = ("hot", "warm", "cool", "faint")
    return {band: counts[band] for band in order}
