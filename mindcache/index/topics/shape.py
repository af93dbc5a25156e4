"""The shape of the tree: twins made one, broad topics split, many roots gathered."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from mindcache.index.topics.growth import SMALLEST, parts
from mindcache.index.topics.near import PLACES, Near, likeness, sums

__all__ = [
    "BREADTH",
    "BROAD",
    "DEPTH",
    "ROOTS",
    "Bonds",
    "bonds",
    "find_twins",
    "gather",
    "split",
]

# Children of one topic: a dozen lines are what a reader takes in at a glance, and an
# agent for some 200 tokens.
BREADTH = 12
# Topics without a parent, above which they are gathered into branches.
ROOTS = 9
# Levels: above four, finding the way down takes longer than asking.
DEPTH = 4
# Notes of one leaf; a longer list is no place to look for anything, and a shorter
# bound cuts natural subjects (news of one desk) into arbitrary pieces.
BROAD = 200

# A split makes a part for so many notes, so that parts are topics worth a name: with
# 100, of five natural groups two were kept and the others forced into them.
_NOTES_A_PART = 60
# Groups smaller than this share of a broad topic go where their neighbours are.
_SMALL_PART = 20
# Below 1 Louvain makes fewer and larger groups.
_COARSE = 0.5

# A note leaves the largest part of a split, which stays where it was, when this share
# of its neighbours' weight goes with it.
_CLEAR = 0.6

# Two topics are one when their directions are that near, and this share of what the
# smaller one's notes are near to lies in the other. The parts of a split share up to
# .2, the halves of one subject half: at .1 twins undid splits, and of a vault's first
# notes made topics that swallowed the later ones.
_TWIN_COSINE = 0.5
_TWIN_SHARE = 0.25

# Below this cosine two topics have nothing to be gathered for.
_LEAST_KIN = 0.1

# Notes of one topic that are asked for their neighbours: as good as all of them, and
# a vault of 50,000 is shaped in seconds.
_SAMPLE = 100


class Bonds:
    """How strongly topics hang together: weights between them, and each one's own."""

    def __init__(
        self, between: Mapping[tuple[int, int], float], volume: Mapping[int, float]
    ) -> None:
        self._between = between
        self.volume = volume

    def of(self, one: int, other: int) -> float:
        """The weight of all that leads from one topic's notes to the other's."""
        return self._between.get((min(one, other), max(one, other)), 0.0)

    def around(self, topic: int) -> dict[int, float]:
        """The other topics that it hangs together with."""
        found = {}
        for (one, other), weight in self._between.items():
            if topic in (one, other) and one != other:
                found[other if topic == one else one] = weight
        return found


def bonds(near: Near, members: Mapping[int, Sequence[int]]) -> Bonds:
    """The bonds of topics, from at most a hundred notes of each."""
    home = {node: topic for topic in sorted(members) for node in members[topic]}
    chosen = {topic: _sample(nodes) for topic, nodes in members.items()}
    near.fetch(node for nodes in chosen.values() for node in nodes)
    found: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    volume: dict[int, float] = {}
    for topic in sorted(chosen):
        nodes = chosen[topic]
        scale = len(members[topic]) / len(nodes) if nodes else 0.0
        whole: list[float] = []
        for node in nodes:
            for other, weight in near.row(node).items():
                whole.append(weight * scale)
                there = home.get(other)
                if there is not None:
                    pair = (min(topic, there), max(topic, there))
                    found[pair].append(weight * scale)
        volume[topic] = round(math.fsum(whole), PLACES)
    between = {
        pair: round(math.fsum(weights), PLACES) for pair, weights in found.items()
    }
    return Bonds(dict(sorted(between.items())), volume)


def _sample(nodes: Sequence[int]) -> list[int]:
    ordered = sorted(nodes)
    step = max(1, -(-len(ordered) // _SAMPLE))
    return ordered[::step]


def find_twins(
    vectors: npt.NDArray[np.int8],
    members: Mapping[int, Sequence[int]],
    found: Bonds,
    fixed: Collection[int] = (),
) -> tuple[int, int] | None:
    """The two topics that most are one: (the one that goes, the one that stays).

    The larger one stays, of equals the first; `fixed` ones never go. None when no two
    are alike, or together they would be too broad.
    """
    topics = sorted(t for t in members if members[t])
    directions = dict(
        zip(topics, sums(vectors, [members[t] for t in topics]), strict=True)
    )
    best: tuple[float, int, int] | None = None
    for at, one in enumerate(topics):
        for other in topics[at + 1 :]:
            if len(members[one]) + len(members[other]) > BROAD:
                continue
            smaller = min(found.volume[one], found.volume[other])
            if found.of(one, other) < max(_TWIN_SHARE * smaller, 10**-PLACES):
                continue
            cosine = likeness(directions[one], directions[other])
            if cosine < _TWIN_COSINE:
                continue
            stays, goes = (
                (one, other)
                if (len(members[one]), -one) >= (len(members[other]), -other)
                else (other, one)
            )
            if goes in fixed:
                stays, goes = goes, stays
            if goes not in fixed and (best is None or cosine > best[0]):
                best = (cosine, goes, stays)
    return None if best is None else best[1:]


def split(near: Near, nodes: Sequence[int]) -> list[tuple[int, ...]]:
    """The parts of a topic that is too broad; [] where it isn't, or has none.

    Every note comes into one of at most `BREADTH` parts, the largest of which is first
    and has all that belongs to none of them clearly.
    """
    if len(nodes) <= BROAD:
        return []
    least = max(3 * SMALLEST, len(nodes) // _SMALL_PART)
    most = min(BREADTH, max(2, len(nodes) // _NOTES_A_PART))
    large = [group for group in parts(near, nodes, _COARSE) if len(group) >= least]
    kept = large[:most]
    if len(kept) < 2:
        return []
    part = {node: at for at, group in enumerate(kept) for node in group}
    for node in sorted(set(nodes) - part.keys()):
        votes: defaultdict[int, list[float]] = defaultdict(list)
        for other, weight in near.row(node).items():
            if other in part:
                votes[part[other]].append(weight)
        totals = {at: round(math.fsum(w), PLACES) for at, w in votes.items()}
        part[node] = min(totals, key=lambda at: (-totals[at], at), default=0)
    sizes = Counter(part.values())
    largest = min(sizes, key=lambda at: (-sizes[at], at))
    stays = [n for n in sorted(part) if not _is_clear(near, n, part)]
    part.update(dict.fromkeys(stays, largest))
    sizes = Counter(part.values())
    found: list[list[int]] = [[] for _ in kept]
    for node in sorted(part):
        at = part[node]
        found[at if sizes[at] >= least else largest].append(node)
    groups = sorted((tuple(g) for g in found if g), key=lambda g: (-len(g), g))
    return groups if len(groups) > 1 else []


def _is_clear(near: Near, node: int, part: Mapping[int, int]) -> bool:
    """Whether most of what a note is near to, of all parts, is in its own."""
    own: list[float] = []
    others: list[float] = []
    for other, weight in near.row(node).items():
        if other in part:
            (own if part[other] == part[node] else others).append(weight)
    inner, whole = math.fsum(own), math.fsum([*own, *others])
    needed = max(round(_CLEAR * whole, PLACES), 10.0**-PLACES)
    return round(inner, PLACES) >= needed


def gather(
    directions: Mapping[int, npt.NDArray[np.int64]], most: int = ROOTS
) -> list[tuple[int, ...]]:
    """Topics in groups, so that no more than `most` groups and single ones are left.

    The two that are nearest by direction come together, again and again; a group is at
    most `BREADTH` large, and what is near to nothing stays alone. Only groups of two
    or more are given, the largest first.
    """
    groups: dict[int, tuple[int, ...]] = {t: (t,) for t in sorted(directions)}
    whole = dict(directions)
    near = {
        (one, other): likeness(whole[one], whole[other])
        for at, one in enumerate(groups)
        for other in list(groups)[at + 1 :]
    }
    while len(groups) > most:
        fitting = [
            pair
            for pair, cosine in near.items()
            if cosine >= _LEAST_KIN
            and len(groups[pair[0]]) + len(groups[pair[1]]) <= BREADTH
        ]
        if not fitting:
            break
        one, other = min(fitting, key=lambda pair: (-near[pair], pair))
        groups[one] += groups.pop(other)
        whole[one] = whole[one] + whole.pop(other)
        near = {pair: c for pair, c in near.items() if other not in pair}
        for third in groups:
            if third != one:
                pair = (min(one, third), max(one, third))
                near[pair] = likeness(whole[one], whole[third])
    kept = [tuple(sorted(group)) for group in groups.values() if len(group) > 1]
    return sorted(kept, key=lambda group: (-len(group), group))
