"""Notes that went two ways, as what a person has to decide on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.digest.step import Source, Suggestion

if TYPE_CHECKING:
    from mindcache.write.diverged import Pair

__all__ = ["suggestion"]

_REASONS = {
    "copy": "a sync program kept both versions",
    "twin": "two files with one id, one named as a copy of the other",
    "id": "two notes carry the same id",
    "markers": "git left both versions in the note",
}


def suggestion(pair: Pair) -> Suggestion:
    """What to ask of a pair that no program can bring together."""
    reason = _REASONS[pair.kind]
    if pair.clashes:
        reason += f"; both changed {', '.join(pair.clashes)}"
    notes = tuple(dict.fromkeys((pair.original, pair.path)))
    return Suggestion(
        "diverged",
        f"diverged {pair.kind} {' '.join(notes)}",
        notes,
        reason,
        tuple(Source(path) for path in notes),
    )
