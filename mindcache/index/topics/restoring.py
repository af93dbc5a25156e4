"""Notes that changed and belong elsewhere by now: found by their direction. Pure.

Nothing tells which notes changed, and nothing has to: a note that points away from its
topic and into another, and has next to no neighbour left where it is, is one.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from mindcache.index.topics.growth import SMALLEST
from mindcache.index.topics.near import PLACES, Near, sums

__all__ = ["restore"]

# A note is looked at when another topic's direction is nearer to it by this much than
# that of the others in its own.
_NEARER = 0.2
# It goes when no more than this share of its neighbours' weight is left in its topic,
# and this share, and as much as a new note would need, is in the other one. What moved
# would need as clear a majority to come back.
_LEFT = 0.15
_THERE = 0.5
_LEAST_VOTE = 0.5
# Moves draw others after them; more rounds have never been needed.
_ROUNDS = 5
# Notes compared with all topics at once.
_BLOCK = 1024


def restore(
    vectors: npt.NDArray[np.int8],
    near: Near,
    home: Mapping[int, int],
    fixed: Collection[int] = (),
    refused: Collection[tuple[int, int]] = (),
    closed: Collection[int] = (),
) -> dict[int, int]:
    """Where notes belong, once those that are clearly nearer elsewhere have moved.

    `home` maps notes to topics. `fixed` notes stay, of `refused` pairs (note, topic) none comes together, into
    `closed` topics comes none, and no topic falls below `SMALLEST` by it. What is given back is given back again.
    """
    found = dict(home)
    for _ in range(_ROUNDS):
        strays = sorted(set(_strays(vectors, found)) - set(fixed))
        near.fetch(strays)
        size = Counter(found.values())
        moved = False
        for node in strays:
            to = _elsewhere(near, found, node, refused)
            if to is None or to in closed:
                continue
            if size[found[node]] > SMALLEST:
                size[found[node]] -= 1
                size[to] += 1
                found[node] = to
                moved = True
        if not moved:
            break
    return found


def _strays(vectors: npt.NDArray[np.int8], home: dict[int, int]) -> Iterator[int]:
    """The notes that point away from their topic and into another one."""
    topics = sorted(set(home.values()))
    if len(topics) < 2:
        return
    place = {topic: at for at, topic in enumerate(topics)}
    nodes = sorted(home)
    groups: list[list[int]] = [[] for _ in topics]
    for node in nodes:
        groups[place[home[node]]].append(node)
    # Whole numbers below 2**53: exact in whatever order they are summed.
    whole = sums(vectors, groups).astype(np.float64)
    lengths = np.sqrt((whole**2).sum(axis=1))
    lengths[lengths == 0.0] = 1.0
    for start in range(0, len(nodes), _BLOCK):
        block = nodes[start : start + _BLOCK]
        rows = vectors[block].astype(np.float64)
        own = np.array([place[home[node]] for node in block])
        each = np.arange(len(block))
        squares = (rows**2).sum(axis=1)
        dots = rows @ whole.T
        mine = dots[each, own]
        # Its own topic without the note itself.
        rest = (whole[own] ** 2).sum(axis=1) - 2 * mine + squares
        alone = rest <= 0.0
        norm = np.sqrt(np.where(squares > 0.0, squares, 1.0))
        inner = (mine - squares) / (norm * np.sqrt(np.where(alone, 1.0, rest)))
        others = dots / (norm[:, None] * lengths[None, :])
        others[each, own] = -1.0
        gap = np.rint((others.max(axis=1) - inner) * 10**PLACES)
        far = (gap >= _NEARER * 10**PLACES) & (squares > 0.0) & ~alone
        yield from (block[at] for at in np.flatnonzero(far))


def _elsewhere(
    near: Near, home: dict[int, int], node: int, refused: Collection[tuple[int, int]]
) -> int | None:
    """The topic in which nearly all of the note's neighbours are, if it isn't its own."""
    votes: defaultdict[int, list[float]] = defaultdict(list)
    row = near.row(node)
    for other, weight in row.items():
        if other in home:
            votes[home[other]].append(weight)
    totals = {topic: round(math.fsum(w), PLACES) for topic, w in votes.items()}
    whole = round(math.fsum(row.values()), PLACES)
    best = min(totals, key=lambda t: (-totals[t], t), default=None)
    if best is None or best == home[node] or (node, best) in refused:
        return None
    is_left = totals.get(home[node], 0.0) <= _LEFT * whole
    is_there = totals[best] >= max(_THERE * whole, _LEAST_VOTE)
    return best if is_left and is_there else None
