"""Where notes belong: votes of their neighbours, and new topics of what is left over.

Nothing is clustered anew: a note that has a topic keeps it unless what is new around
it speaks clearly for another. So a night costs what is new, and topics keep their
names.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mindcache.index.topics.louvain import Graph, louvain
from mindcache.index.topics.near import PLACES, Near

__all__ = ["SMALLEST", "Growth", "grow", "parts"]

# Fewer notes than this are no subject yet: they wait in the inbox.
SMALLEST = 4

# A note joins a topic that has this share of its neighbours' weight, and so much of
# it altogether: two close neighbours or one linked one.
_SHARE = 0.5
_LEAST_VOTE = 0.5
# A note that has a topic moves only for a gain of this share of all its weight.
_MARGIN = 0.05
# On an ordinary night one that had it before needs this share, and no more than a
# quarter of a topic's notes go: readers find again what they saw.
_CALM_MARGIN = 0.4
_CALM_KEPT = 0.75
# Visits that a note gets in one night; a third was never for the better.
_VISITS = 2
# What holds a group of leftovers together: the share of its notes' weight that stays
# inside. Below it the group is what other groups left over.
_COHESION = 0.3
# Of few leftovers groups are made as of three tenths of the vault.
_LEAST_RESOLUTION = 0.3
# Rounds after which placing has always come to rest, unless it goes in circles.
_ROUNDS = 12

_SEED = 20260301


@dataclass(frozen=True, slots=True)
class Growth:
    """Where every placed note belongs now, and the groups that are new.

    Topics are named by whatever the caller named them; new groups by their places in
    `new`, as negative numbers: -1 is the first.
    """

    home: dict[int, int]
    new: tuple[tuple[int, ...], ...]


def grow(
    near: Near,
    home: Mapping[int, int],
    fixed: Collection[int] = (),
    is_free: Callable[[Sequence[int]], bool] = lambda _: True,
    refused: Collection[tuple[int, int]] = (),
    *,
    calm: bool = False,
) -> Growth:
    """Give the notes that have no topic one, as far as their neighbours agree.

    `home` maps notes to topics (0 and up), `fixed` are notes that stay where they
    are, `refused` pairs (note, topic) that were taken apart by hand. `is_free` says
    whether a group may become a topic. With nothing new, nothing moves: what `grow`
    gave, it gives again. When `calm`, of the notes that have a topic only neighbours of
    new ones move, for a large gain, and no topic falls below `SMALLEST` by that.
    """
    blocked: set[int] = set()
    while True:
        state = _State(near, home, frozenset(fixed), frozenset(refused), calm=calm)
        state.run(is_free, set(blocked))
        small = state.too_small()
        if not small:
            return Growth(state.home, state.new_groups())
        # Once more without them: what they drew to them before they fell apart would
        # come to rest only the night after.
        blocked |= small


class _State:
    def __init__(
        self,
        near: Near,
        home: Mapping[int, int],
        fixed: frozenset[int],
        refused: frozenset[tuple[int, int]],
        *,
        calm: bool,
    ) -> None:
        self.near = near
        self.home = dict(home)
        # The notes that had a topic, where that is to hold.
        self._before = home if calm else {}
        self._fixed = fixed
        self._refused = refused
        self._visits: Counter[int] = Counter()
        self._size: Counter[int] = Counter(home.values())
        # Of these, those that are in their topic still, and how many must be: all,
        # where they are few already.
        self._kept: Counter[int] = Counter(self._before.values())
        self._least = {
            topic: max(min(size, SMALLEST), math.ceil(_CALM_KEPT * size))
            for topic, size in self._kept.items()
        }
        self._made = 0
        self._first: dict[int, tuple[int, ...]] = {}

    def run(self, is_free: Callable[[Sequence[int]], bool], blocked: set[int]) -> None:
        """Place what can be placed; of `blocked` notes no new topic is made."""
        for _ in range(_ROUNDS):
            placed = self.vote()
            for group in self.leftover_groups(blocked):
                if is_free(group):
                    self.found(group)
                    placed |= set(group)
                else:
                    blocked |= set(group)
            if not placed:
                break
            self.settle(placed)

    # -- votes -----------------------------------------------------------

    def vote(self) -> set[int]:
        """Let the neighbours of homeless notes vote until nobody gets a home."""
        placed: set[int] = set()
        while True:
            homeless = [n for n in range(len(self.near)) if n not in self.home]
            self.near.fetch(homeless)
            elected = ((n, self._elected(n)) for n in homeless)
            found = {n: topic for n, topic in elected if topic is not None}
            if not found:
                return placed
            for node, topic in found.items():
                self._put(node, topic)
            placed |= set(found)

    def _elected(self, node: int) -> int | None:
        votes, total = self._votes(node)
        if not votes:
            return None
        topic = min(votes, key=lambda t: (-votes[t], t))
        if votes[topic] < _LEAST_VOTE or votes[topic] < _SHARE * total:
            return None
        return topic

    def _votes(self, node: int) -> tuple[dict[int, float], float]:
        by_topic: defaultdict[int, list[float]] = defaultdict(list)
        row = self.near.row(node)
        for other, weight in row.items():
            topic = self.home.get(other)
            if topic is not None and (node, topic) not in self._refused:
                by_topic[topic].append(weight)
        votes = {t: round(math.fsum(w), PLACES) for t, w in by_topic.items()}
        return votes, round(math.fsum(row.values()), PLACES)

    # -- new topics ------------------------------------------------------

    def leftover_groups(self, blocked: Collection[int]) -> list[tuple[int, ...]]:
        """The groups among the homeless that hold together."""
        homeless = [
            n for n in range(len(self.near)) if n not in self.home and n not in blocked
        ]
        if len(homeless) < SMALLEST:
            return []
        # What Louvain takes for chance is reckoned from the notes it is given: of few it
        # would make crumbs of what the whole vault shows to be one.
        resolution = max(_LEAST_RESOLUTION, len(homeless) / len(self.near))
        return [
            group
            for group in parts(self.near, homeless, resolution)
            if len(group) >= SMALLEST and self._holds(group)
        ]

    def _holds(self, group: Sequence[int]) -> bool:
        inside = set(group)
        inner: list[float] = []
        outer: list[float] = []
        for node in group:
            for other, weight in self.near.row(node).items():
                (inner if other in inside else outer).append(weight)
        within, without = math.fsum(inner), math.fsum(outer)
        return within > 0 and within >= _COHESION * (within + without)

    def found(self, group: Sequence[int]) -> None:
        """Make a topic of a group."""
        self._made += 1
        self._first[-self._made] = tuple(group)
        for node in group:
            self._put(node, -self._made)

    def too_small(self) -> set[int]:
        """The first notes of new topics that others then took the notes of."""
        return {
            node
            for topic, group in self._first.items()
            if self._size[topic] < SMALLEST
            for node in group
        }

    def new_groups(self) -> tuple[tuple[int, ...], ...]:
        """The notes of each new topic."""
        groups: list[list[int]] = [[] for _ in range(self._made)]
        for node in sorted(self.home):
            topic = self.home[node]
            if topic < 0:
                groups[-topic - 1].append(node)
        return tuple(tuple(group) for group in groups)

    # -- moves -----------------------------------------------------------

    def settle(self, placed: Iterable[int]) -> None:
        """Look again at the notes around what is new, each at most twice."""
        news = set(placed)
        waiting = news | {o for n in news for o in self.near.row(n) if o in self.home}
        self.near.fetch(waiting)
        while waiting:
            moved = [n for n in sorted(waiting) if self._move(n)]
            waiting = {
                o
                for n in moved
                if n not in self._before
                for o in self.near.row(n)
                if o in self.home and o not in self._fixed
            }
            self.near.fetch(waiting)

    def _move(self, node: int) -> bool:
        if node in self._fixed or self._visits[node] >= _VISITS:
            return False
        self._visits[node] += 1
        own = self.home[node]
        votes, total = self._votes(node)
        if not votes:
            return False
        # What a topic of that size would have of the note's neighbours by chance.
        chance = total / max(len(self.home), 1)
        gains = {
            t: round(votes.get(t, 0.0) - chance * (self._size[t] - (t == own)), PLACES)
            for t in {*votes, own}
        }
        best = min(gains, key=lambda t: (-gains[t], t))
        margin = _CALM_MARGIN if node in self._before else _MARGIN
        if best == own or gains[best] - gains[own] <= margin * total:
            return False
        if self._before.get(node) == own and self._kept[own] <= self._least[own]:
            return False
        self._put(node, best)
        return True

    def _put(self, node: int, topic: int) -> None:
        before = self.home.get(node)
        if before is not None:
            self._size[before] -= 1
        first = self._before.get(node)
        if first is not None:
            self._kept[first] += (topic == first) - (before == first)
        self.home[node] = topic
        self._size[topic] += 1


def parts(
    near: Near, nodes: Sequence[int], resolution: float = 1.0
) -> list[tuple[int, ...]]:
    """The groups into which these notes fall by themselves (Louvain), largest first.

    With the seed fixed and the notes in order the same notes give the same groups.
    """
    near.fetch(nodes)
    order = sorted(set(nodes))
    place = {node: at for at, node in enumerate(order)}
    graph: Graph = [{} for _ in order]
    for at, node in enumerate(order):
        for other, weight in near.row(node).items():
            to = place.get(other)
            if to is not None and weight > 0:
                both = max(weight, graph[at].get(to, 0.0))
                graph[at][to] = graph[to][at] = both
    groups = louvain(graph, resolution, _SEED)
    found = [tuple(order[at] for at in sorted(group)) for group in groups]
    return sorted(found, key=lambda group: (-len(group), group))
