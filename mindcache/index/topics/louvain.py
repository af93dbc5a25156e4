"""Louvain: the groups into which a weighted graph falls by itself. Pure.

Plain dictionaries of weights in, groups out. `networkx` has the same method, and the
same graph gives the same groups here; for graphs of ten thousand notes it needs four
times the memory, as each edge is a dictionary of its own and each level a new graph.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Sequence

__all__ = ["Graph", "louvain"]

Graph = list[dict[int, float]]
"""By node its neighbours with their weights, both ways; a node's own is a loop."""

# A level that makes the groups better by less than this is the last one.
_GAIN = 1e-7


def louvain(graph: Graph, resolution: float, seed: int) -> list[set[int]]:
    """The groups of all nodes, in no order that means anything.

    Blondel et al., Fast unfolding of communities in large networks (2008): notes move
    to the group of a neighbour for as long as modularity gains by it, then groups are
    nodes themselves. `resolution` above 1 makes smaller groups. The order of nodes, and
    of the neighbours of each, belongs to the graph: another may give other groups.
    """
    found = [{node} for node in range(len(graph))]
    inner = [{node} for node in range(len(graph))]
    whole = _sum(_degrees(graph)) / 2
    if not whole:
        return found
    rng = random.Random(seed)  # noqa: S311  no secret
    level = [_in_order(node, near) for node, near in enumerate(graph)]
    before = _modularity(level, inner, resolution)
    is_first = True
    while True:
        nodes, moved = _moved(level, whole, resolution, rng)
        if not (moved or is_first):
            return found
        is_first = False
        found = [set().union(*(found[node] for node in each)) for each in nodes]
        now = _modularity(level, nodes, resolution)
        if now - before <= _GAIN:
            return found
        before = now
        level = _folded(level, nodes)


def _in_order(node: int, near: dict[int, float]) -> dict[int, float]:
    """The neighbours that come before a node first, in their order."""
    return {other: near[other] for other in sorted(near, key=lambda n: min(n, node))}


def _sum(numbers: Iterable[float]) -> float:
    """One after the other: `sum` keeps more digits in some versions of Python."""
    whole = 0.0
    for number in numbers:
        whole += number
    return whole


def _degrees(graph: Graph) -> list[float]:
    """The weight that leads from each node; a loop has two ends there."""
    return [_sum(near.values()) + near.get(node, 0) for node, near in enumerate(graph)]


def _moved(
    graph: Graph, whole: float, resolution: float, rng: random.Random
) -> tuple[list[list[int]], bool]:
    """The groups once no node gains by moving, and whether any moved."""
    home = list(range(len(graph)))
    degrees = _degrees(graph)
    total = list(degrees)
    order = list(home)
    rng.shuffle(order)
    moves, some = 1, False
    while moves:
        moves = 0
        for node in order:
            own, degree = home[node], degrees[node]
            weights: dict[int, float] = {}
            for other, weight in graph[node].items():
                if other != node:
                    there = home[other]
                    weights[there] = weights.get(there, 0.0) + weight
            total[own] -= degree
            left = -weights.get(own, 0.0) / whole
            left += resolution * (total[own] * degree) / (2 * whole**2)
            best, most = own, 0.0
            for group, weight in weights.items():
                chance = resolution * (total[group] * degree) / (2 * whole**2)
                gain = left + weight / whole - chance
                if gain > most:
                    best, most = group, gain
            total[best] += degree
            if best != own:
                home[node] = best
                moves, some = moves + 1, True
    groups: list[list[int]] = [[] for _ in home]
    for node, group in enumerate(home):
        groups[group].append(node)
    return [group for group in groups if group], some


def _folded(graph: Graph, groups: Sequence[Sequence[int]]) -> Graph:
    """The graph of the groups: what leads from one into the other, added up."""
    home = {node: at for at, group in enumerate(groups) for node in group}
    found: Graph = [{} for _ in groups]
    for node, near in enumerate(graph):
        for other, weight in near.items():
            if other >= node:  # each edge once
                one, two = home[node], home[other]
                both = weight + found[one].get(two, 0)
                found[one][two] = found[two][one] = both
    return found


def _modularity(
    graph: Graph, groups: Iterable[Collection[int]], resolution: float
) -> float:
    degrees = _degrees(graph)
    ends = _sum(degrees)
    parts = []
    for group in groups:
        inside = set(group)
        inner = math.fsum(
            weight
            for node in group
            for other, weight in graph[node].items()
            if other >= node and other in inside
        )
        own = math.fsum(degrees[node] for node in group)
        parts.append(inner / (ends / 2) - resolution * own * own / ends**2)
    return math.fsum(parts)
