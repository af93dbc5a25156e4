"""A note that was superseded hands its place to the note that holds now.

Who asks about what was is answered with what is, and sees what was right below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from mindcache.recall.close import Candidate
from mindcache.recall.corpus import Corpus
from mindcache.recall.score import Signals, Weights

__all__ = ["handed_on", "with_heirs"]

# So little that it only decides who comes first.
_AHEAD = 1e-3


def with_heirs(
    corpus: Corpus,
    places: npt.NDArray[np.intp],
    replaced: Mapping[int, int],
    allowed: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.intp]:
    """These places, and the first chunk of each note that took the place of another.

    `replaced` are the file ids of superseded notes, each with that of its heir.
    """
    missing = set(replaced.values()) - set(corpus.files[places].tolist())
    firsts = [int(np.argmax(corpus.files == each)) for each in sorted(missing)]
    kept = [
        at
        for at, each in zip(firsts, sorted(missing), strict=True)
        if corpus.files[at] == each and (allowed is None or allowed[at])
    ]
    return np.union1d(places, np.array(kept, dtype=np.intp))


def handed_on(
    candidates: Sequence[Candidate],
    replaced: Mapping[int, int],
    signals: Signals,
    weights: Weights,
) -> npt.NDArray[np.float64]:
    """What each candidate inherits, in log-odds: up to the best of what it superseded.

    `replaced` as in `with_heirs`; of an heir's chunks the best inherits. The worth of the superseded is what it would
    be if it still held.
    """
    gained = np.zeros(len(candidates))
    odds = signals.log_odds(weights)
    held = odds - weights.of.get("expired", 0.0) * signals.of["expired"]
    heirs = dict.fromkeys(sorted(replaced.values()))
    for heir in heirs:
        own = [i for i, c in enumerate(candidates) if c.chunk.file_id == heir]
        left = [
            float(held[i])
            for i, c in enumerate(candidates)
            if replaced.get(c.chunk.file_id) == heir
        ]
        if own and left:
            best = max(own, key=lambda i: (float(odds[i]), -candidates[i].chunk.ord))
            gained[best] = max(0.0, max(left) + _AHEAD - float(odds[best]))
    return gained
