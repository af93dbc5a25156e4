"""Notes that went two ways, as what a person has to decide on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.digest.step import Night, Outcome, Source, Suggestion
from mindcache.filenames import shortened

if TYPE_CHECKING:
    from mindcache.cache.read import Reader
    from mindcache.write.diverged import Pair

__all__ = ["diverged", "suggestion"]

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


# Of two versions that lie side by side one can be kept; whatever else went two ways is
# mended in the note itself.
_SIDE_BY_SIDE = frozenset({"copy", "twin"})
# Notes that only show what is kept elsewhere: the next digest writes them anew.
_SHOWN = frozenset({"proposal", "topic"})


def diverged(night: Night) -> Outcome:
    """What a person has to settle of notes that went two ways: asked, or told.

    What merges by itself is left to `doctor conflicts --merge`.
    """
    from mindcache.write.diverged import find

    outcome = Outcome("diverged")
    pairs = find(night.app)
    reader = night.app.reader()
    for pair in pairs:
        if pair.kind in _SIDE_BY_SIDE and _is_asked(reader, pair):
            outcome.suggestions.append(suggestion(pair))
        else:
            outcome.waiting.append(_told(pair))
    return outcome


def _is_asked(reader: Reader, pair: Pair) -> bool:
    node = reader.find_node(pair.original)
    return not pair.is_certain and node is not None and node.type not in _SHOWN


def _told(pair: Pair) -> str:
    """The line of a report for what no box can settle."""
    what = f"{pair.path}: {_REASONS[pair.kind]}"
    if pair.path != pair.original:
        what += f", beside {pair.original}"
    verb = "mindcache doctor conflicts"
    return shortened(what, 150) + f"; {verb}{' --merge' if pair.is_certain else ''}"
