"""A note that was superseded hands its place to the note that holds now.

Who asks about what was is answered with what is, and sees what was right below it. Of
two that contradict each other, of which nobody decided yet, the later one comes right
before the other; where no more than an edge says so and it answers far worse, behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from mindcache.recall.close import Candidate
from mindcache.recall.corpus import Corpus
from mindcache.recall.disputes import Dispute
from mindcache.recall.score import Signals, Weights

__all__ = ["brought_near", "handed_on", "with_heirs"]

# So little that it only decides who comes first.
_AHEAD = 1e-3

# Log-odds by which two notes that contradict each other answer about as well. Those of
# a proposal say one thing of one subject, and differ by more for their wording alone;
# what an edge is about, nobody says.
_CLOSE = 2.0


def with_heirs(
    corpus: Corpus,
    places: npt.NDArray[np.intp],
    heirs: Iterable[int],
    allowed: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.intp]:
    """These places, and the first chunk of each note that takes the place of another.

    `heirs` are their file ids.
    """
    missing = set(heirs) - set(corpus.files[places].tolist())
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

    `replaced` are the file ids of superseded notes, each with that of its heir, of
    whose chunks the best inherits. The worth of the superseded is what it would be if
    it still held.
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


def brought_near(
    candidates: Sequence[Candidate],
    disputed: Sequence[Dispute],
    signals: Signals,
    weights: Weights,
) -> npt.NDArray[np.float64]:
    """What each candidate gains, in log-odds, by speaking against another, and later.

    The best chunk of the later note is raised to the best of the older one's: right
    before it where a proposal has both or they are close, else right behind it.
    """
    gained = np.zeros(len(candidates))
    odds = signals.log_odds(weights)
    best: dict[int, int] = {}
    for at in sorted(range(len(candidates)), key=lambda at: candidates[at].chunk.ord):
        known = best.setdefault(candidates[at].chunk.file_id, at)
        if odds[at] > odds[known]:
            best[candidates[at].chunk.file_id] = at
    pairs = [
        (best[each.older], best[each.newer], bool(each.proposal))
        for each in disputed
        if each.is_ordered and each.older in best and each.newer in best
    ]
    # Of three, the last also comes before what was raised before the first.
    pairs.sort(key=lambda pair: (-float(odds[pair[0]]), candidates[pair[0]].path))
    for older, newer, is_proposed in pairs:
        lead = float(odds[older] + gained[older] - odds[newer])
        is_close = is_proposed or float(odds[older] - odds[newer]) <= _CLOSE
        ahead = _AHEAD if is_close else -_AHEAD
        gained[newer] = max(float(gained[newer]), lead + ahead)
    return gained
