"""The JSON of notes that went two ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.wire.shape import error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindcache.write.diverged import Outcome, Pair

__all__ = ["diverged"]


def diverged(pairs: Sequence[Pair], done: Outcome | None) -> dict[str, object]:
    """What is left of pairs, and what was merged; `done` is None where nothing was."""
    from mindcache.digest.diverged import suggestion

    return {
        "pairs": [
            {
                "kind": pair.kind,
                "path": pair.path,
                "original": pair.original,
                "certain": pair.is_certain,
                "clashes": list(pair.clashes),
                "base": pair.base,
                "diff": pair.diff,
                "key": "" if pair.is_certain else suggestion(pair).key,
                "reason": "" if pair.is_certain else suggestion(pair).reason,
            }
            for pair in pairs
        ],
        "merged": [] if done is None else [pair.path for pair in done.settled],
        "failed": []
        if done is None
        else [{"path": path, **error(each)} for path, each in done.failed],
    }
