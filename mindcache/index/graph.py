"""Walks over the graph of notes: who is near, what connects, what came before.

Owns the walks; the edges come from the caller as plain values, with paths as
the names of notes. Every answer is in a fixed order, whatever the order of the
edges. networkx carries the graph; `spread`, which a cold recall needs, does
without it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from mindcache.errors import NoteNotFound

if TYPE_CHECKING:
    import networkx as nx  # type: ignore[import-untyped]  # it ships no types

__all__ = [
    "RELATION_WEIGHTS",
    "SYMMETRIC",
    "Direction",
    "EdgeRow",
    "NoteGraph",
    "Reached",
    "Ring",
    "Subgraph",
    "after",
    "before",
    "build",
    "givers",
    "neighbourhood",
    "shortest_paths",
    "spread",
    "subgraph",
]

Direction = Literal["out", "in", "both"]

# Relations that say the same from either end.
SYMMETRIC = frozenset({"same_topic", "contradicts"})
# Relations that order their ends: whether the source is the earlier one.
_SOURCE_FIRST = MappingProxyType({"before_after": True, "occurred_after": False})
# What a relation carries of a recall, beside the weight of the edge itself. Being
# of one topic says little about one question; being about or from the same thing
# says much. Not tuned: measure before turning these.
RELATION_WEIGHTS: Mapping[str, float] = MappingProxyType({"same_topic": 0.5})
# Of a note that everything links to, this many neighbours are what a reader takes in.
_LIMIT = 50
# Edges that are told of one reached note; the rest repeat the same news.
_VIA = 8
# Paths that are told between two notes of a subgraph.
_PATHS = 3
# Scores are compared after rounding to this many places, here as everywhere.
_PLACES = 6


class EdgeRow(NamedTuple):
    """One edge between two notes, named by their paths.

    `origin` says where it was written (`property`, `inline`, `body`, `topic`). A tuple,
    because a recall makes hundreds of them and a walk sorts all there are.
    """

    source: str
    target: str
    relation: str
    origin: str = "property"
    weight: float = 1.0


class Reached(NamedTuple):
    """A note that a walk came to, `depth` steps from its start.

    `via` are the edges to notes one step nearer, strongest first, at most eight.
    """

    path: str
    depth: int
    via: tuple[EdgeRow, ...]


class Ring(NamedTuple):
    """The notes around a start, nearest first, then by strength, then by path.

    `left_out` counts the notes that were found and are past the limit; what lies
    behind these was not looked for.
    """

    reached: tuple[Reached, ...]
    left_out: int


class Subgraph(NamedTuple):
    """Several notes and what connects them: paths in order, edges in order.

    `left_out` counts the common neighbours past the limit.
    """

    nodes: tuple[str, ...]
    edges: tuple[EdgeRow, ...]
    left_out: int


class NoteGraph:
    """The edges as a networkx `MultiDiGraph`, ready to be walked. Made by `build`."""

    def __init__(self, whole: nx.MultiDiGraph) -> None:
        self.whole = whole
        self._undirected: dict[frozenset[str] | None, nx.Graph] = {}
        self._ordered: nx.DiGraph | None = None

    def require(self, path: str) -> None:
        """Raise `NoteNotFound`, naming the nearest path, unless the note is known."""
        if path in self.whole:
            return
        import difflib

        near = difflib.get_close_matches(path, self.whole, n=1)
        mend = f"did you mean {near[0]}?" if near else ""
        raise NoteNotFound(f"The graph has no note {path}", mend=mend)

    def incident(
        self,
        path: str,
        relations: Collection[str] | None = None,
        direction: Direction = "both",
    ) -> Iterator[tuple[str, EdgeRow]]:
        """Each edge of the note that may be walked, with the note at its other end.

        Symmetric relations may be walked either way.
        """
        for _, other, edge in self.whole.out_edges(path, data="edge"):
            if _is_walkable(edge, relations, backwards=direction == "in"):
                yield other, edge
        for other, _, edge in self.whole.in_edges(path, data="edge"):
            if _is_walkable(edge, relations, backwards=direction == "out"):
                yield other, edge

    def undirected(self, relations: Collection[str] | None = None) -> nx.Graph:
        """The graph without directions; of each pair, the strongest edges.

        No relations, or none at all named, means all of them.
        """
        import networkx as nx

        wanted = frozenset(relations) if relations else None
        if wanted not in self._undirected:
            simple = nx.Graph()
            simple.add_nodes_from(self.whole)
            for source, target, edge in self.whole.edges(data="edge"):
                if wanted is not None and edge.relation not in wanted:
                    continue
                known = simple.get_edge_data(source, target)
                if known is None or _strength(edge) < _strength(known["edge"]):
                    simple.add_edge(source, target, edge=edge)
            self._undirected[wanted] = simple
        return self._undirected[wanted]

    def ordered(self) -> nx.DiGraph:
        """The order in time that people wrote down, from the earlier to the later."""
        import networkx as nx

        if self._ordered is None:
            order = nx.DiGraph()
            order.add_nodes_from(self.whole)
            for source, target, edge in self.whole.edges(data="edge"):
                source_first = _SOURCE_FIRST.get(edge.relation)
                if source_first is None:
                    continue
                pair = (source, target) if source_first else (target, source)
                known = order.get_edge_data(*pair, default={"edges": ()})["edges"]
                order.add_edge(*pair, edges=(*known, edge))
            self._ordered = order
        return self._ordered


def build(edges: Iterable[EdgeRow], notes: Iterable[str] = ()) -> NoteGraph:
    """The graph of these edges; `notes` adds those that have no edge.

    Equal edges count once, an edge of a note to itself not at all.
    """
    import networkx as nx

    whole = nx.MultiDiGraph()
    rows = sorted(set(edges))
    ends = {end for edge in rows for end in (edge.source, edge.target)}
    whole.add_nodes_from(sorted(ends.union(notes)))
    whole.add_edges_from(
        (edge.source, edge.target, {"edge": edge})
        for edge in rows
        if edge.source != edge.target
    )
    return NoteGraph(whole)


def neighbourhood(
    graph: NoteGraph,
    start: str,
    relations: Collection[str] | None = None,
    depth: int = 1,
    direction: Direction = "both",
    *,
    limit: int = _LIMIT,
) -> Ring:
    """The notes within `depth` steps of `start`, without it; at most `limit`.

    `relations` keeps the walk to edges of these (none: all).

    Raises:
        NoteNotFound: the graph has no note `start`.
    """
    graph.require(start)
    seen = {start}
    frontier = [start]
    reached: list[Reached] = []
    left_out = 0
    for step in range(1, depth + 1):
        found: dict[str, list[EdgeRow]] = defaultdict(list)
        for path in frontier:
            for other, edge in graph.incident(path, relations, direction):
                if other not in seen:
                    found[other].append(edge)
        ring = [
            Reached(path, step, tuple(sorted(edges, key=_strength)[:_VIA]))
            for path, edges in found.items()
        ]
        ring.sort(key=lambda each: (-each.via[0].weight, each.path))
        room = limit - len(reached)
        left_out += max(0, len(ring) - room)
        reached += ring[:room]
        seen.update(found)
        # Whatever lies deeper would come after the limit: the order is by depth.
        frontier = [each.path for each in ring[:room]] if room > len(ring) else []
        if not frontier:
            break
    return Ring(tuple(reached), left_out)


def shortest_paths(
    graph: NoteGraph,
    a: str,
    b: str,
    relations: Collection[str] | None = None,
    limit: int = 5,
) -> list[list[EdgeRow]]:
    """The shortest ways from `a` to `b`, whichever way the edges point.

    Each is the list of its edges in walking order (the strongest one of each
    pair). At most `limit`, the first by the paths of the notes passed; empty when
    nothing connects the two, or they are one.

    Raises:
        NoteNotFound: the graph has no such note.
    """
    graph.require(a)
    graph.require(b)
    simple = graph.undirected(relations)
    walks = islice(_walks(simple, a, b), limit)
    return [[simple.edges[pair]["edge"] for pair in pairwise(walk)] for walk in walks]


def before(graph: NoteGraph, path: str) -> list[Reached]:
    """What came before the note, over any number of steps, nearest first.

    Read from `before_after` (source before target) and `occurred_after` (source
    after target). In a circle, every other note of it counts as before.

    Raises:
        NoteNotFound: the graph has no such note.
    """
    graph.require(path)
    return _chain(graph.ordered().reverse(copy=False), path)


def after(graph: NoteGraph, path: str) -> list[Reached]:
    """What came after the note, over any number of steps, nearest first.

    Raises:
        NoteNotFound: the graph has no such note.
    """
    graph.require(path)
    return _chain(graph.ordered(), path)


def subgraph(
    graph: NoteGraph, nodes: Sequence[str], depth: int = 1, *, limit: int = _LIMIT
) -> Subgraph:
    """The given notes, the shortest ways between them, and what they share.

    Shared is a note within `depth` steps of two of them or more; at most `limit`
    are kept, those near to most of the given notes first. The edges are all those
    among the notes of the answer.

    Raises:
        NoteNotFound: the graph has no such note.
    """
    for path in nodes:
        graph.require(path)
    given = sorted(set(nodes))
    simple = graph.undirected()
    kept = set(given)
    for a, b in combinations(given, 2):
        for walk in islice(_walks(simple, a, b), _PATHS):
            kept.update(walk)
    shared = _shared(simple, given, depth)
    fresh = [path for path in shared if path not in kept]
    kept.update(fresh[:limit])
    edges = sorted(edge for _, _, edge in graph.whole.subgraph(kept).edges(data="edge"))
    return Subgraph(tuple(sorted(kept)), tuple(edges), max(0, len(fresh) - limit))


def spread(
    seeds: Mapping[str, float],
    edges: Iterable[EdgeRow],
    *,
    hops: int = 1,
    damping: float = 0.5,
    relation_weights: Mapping[str, float] = RELATION_WEIGHTS,
    degrees: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """What each note receives when the seeds hand their activation on.

    Each hop, the notes lit last give over each edge, either way:
    activation · damping · weight / √(degree of giver · degree of receiver), where
    degree is the sum of a note's edge weights, at least 1; so neither a hub's news
    nor news to a hub counts for much, while a weak link alone stays weak. Of
    several edges between two notes the strongest counts. A note hands on once, and
    gets nothing back from those it lit. What a seed brought itself is not in the
    answer, what other seeds gave it is.

    `degrees` is for callers that hand in only the edges around the seeds: the
    full degrees of notes, by path. Rounded to 6 places, keys in order, notes that
    receive nothing left out.
    """
    ties = _ties(edges, relation_weights)
    known = degrees or {}
    degree = {
        path: max(1.0, known.get(path, math.fsum(others.values())))
        for path, others in ties.items()
    }
    received: dict[str, list[float]] = defaultdict(list)
    lit = {path: activation for path, activation in seeds.items() if activation > 0}
    done: set[str] = set()
    for _ in range(hops):
        gifts: dict[str, list[float]] = defaultdict(list)
        for path in sorted(lit):
            for other, weight in ties.get(path, {}).items():
                if other not in done:
                    share = weight / math.sqrt(degree[path] * degree[other])
                    gifts[other].append(lit[path] * damping * share)
        done.update(lit)
        for path, parts in gifts.items():
            received[path] += parts
        lit = {
            path: math.fsum(parts) for path, parts in gifts.items() if path not in done
        }
    totals = ((path, round(math.fsum(received[path]), _PLACES)) for path in received)
    return {path: total for path, total in sorted(totals) if total > 0}


def givers(
    seeds: Mapping[str, float],
    edges: Sequence[EdgeRow],
    paths: Iterable[str],
    relation_weights: Mapping[str, float] = RELATION_WEIGHTS,
    *,
    limit: int = 3,
) -> dict[str, tuple[EdgeRow, ...]]:
    """Over which edges one hop of `spread` reached each of these notes.

    The edge of the seed that gave most comes first; at most `limit` for each note,
    and an empty tuple where nothing came.
    """
    # By seed and neighbour, the strongest edge; one pass, because every answer pays.
    best: dict[str, dict[str, tuple[float, EdgeRow]]] = {s: {} for s in seeds}
    for edge in edges:
        weight = edge.weight * relation_weights.get(edge.relation, 1.0)
        for seed, other in ((edge.source, edge.target), (edge.target, edge.source)):
            around = best.get(seed)
            if around is None or seed == other:
                continue
            known = around.get(other)
            if known is None or (-weight, edge) < (-known[0], known[1]):
                around[other] = (weight, edge)
    gives = {
        seed: seeds[seed]
        / math.sqrt(max(1.0, math.fsum(weight for weight, _ in around.values())))
        for seed, around in best.items()
        if seeds[seed] > 0
    }
    found = {}
    for path in paths:
        gifts = sorted(
            (-gives[seed] * best[seed][path][0], seed)
            for seed in gives
            if path in best[seed]
        )
        found[path] = tuple(best[seed][path][1] for _, seed in gifts[:limit])
    return found


def _is_walkable(
    edge: EdgeRow, relations: Collection[str] | None, *, backwards: bool
) -> bool:
    if relations and edge.relation not in relations:
        return False
    return not backwards or edge.relation in SYMMETRIC


def _strength(edge: EdgeRow) -> tuple[float, EdgeRow]:
    """Sorts the strongest edge first, and equals by what they are."""
    return -edge.weight, edge


def _walks(simple: nx.Graph, a: str, b: str) -> Iterator[list[str]]:
    """All shortest walks from `a` to `b`, in the order of the paths they pass.

    Steps only where the rest is still short enough, so each walk costs no more
    than its own neighbours, however many walks there are.
    """
    import networkx as nx

    if a == b:
        return
    try:
        length = nx.shortest_path_length(simple, a, b)
    except nx.NetworkXNoPath:
        return
    # Half from each side would be less; this stays simple and is linear.
    left = nx.single_source_shortest_path_length(simple, b, cutoff=length)
    walk = [a]
    choices = [_nearer(simple, left, a)]
    while choices:
        step = next(choices[-1], None)
        if step is None:
            choices.pop()
            walk.pop()
        elif step == b:
            yield [*walk, b]
        else:
            walk.append(step)
            choices.append(_nearer(simple, left, step))


def _nearer(simple: nx.Graph, left: Mapping[str, int], path: str) -> Iterator[str]:
    rest = left[path] - 1
    return iter(sorted(other for other in simple[path] if left.get(other) == rest))


def _chain(order: nx.DiGraph, start: str) -> list[Reached]:
    import networkx as nx

    depths = nx.single_source_shortest_path_length(order, start)
    chain = []
    for path, depth in depths.items():
        if path == start:
            continue
        via = sorted(
            edge
            for nearer, _, edges in order.in_edges(path, data="edges")
            if depths.get(nearer) == depth - 1
            for edge in edges
        )
        chain.append(Reached(path, depth, tuple(via[:_VIA])))
    return sorted(chain, key=lambda each: (each.depth, each.path))


def _shared(simple: nx.Graph, given: Sequence[str], depth: int) -> list[str]:
    """Notes within reach of two of the given or more, best connected first."""
    import networkx as nx

    distances: dict[str, list[int]] = defaultdict(list)
    for path in given:
        around = nx.single_source_shortest_path_length(simple, path, cutoff=depth)
        for other, distance in around.items():
            distances[other].append(distance)
    shared = [path for path, found in distances.items() if len(found) > 1]
    return sorted(
        shared, key=lambda path: (-len(distances[path]), sum(distances[path]), path)
    )


def _ties(
    edges: Iterable[EdgeRow], relation_weights: Mapping[str, float]
) -> dict[str, dict[str, float]]:
    """For each note its neighbours, and the strongest weight between the two."""
    ties: dict[str, dict[str, float]] = defaultdict(dict)
    for a, b, relation, _, of_edge in edges:
        weight = of_edge * relation_weights.get(relation, 1.0)
        if a != b and weight > ties[a].get(b, 0.0):
            ties[a][b] = ties[b][a] = weight
    return ties
