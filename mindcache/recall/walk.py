"""Answers from the edges alone: what is near, between, before, after, around.

Each gives plain values with the notes' rows at hand, ready for `wire`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mindcache.cache.read import NodeRow, Reader
from mindcache.errors import UsageError
from mindcache.index import graph
from mindcache.memory import RELATIONS

__all__ = ["Step", "Walk", "around", "between", "chain", "near"]

# Notes whose edges are asked for one ring after the other; of more, all are read.
_MANY = 2_000

# Relations that edges may have besides those that a person types.
_DERIVED = ("superseded_by", "parent_topic")


@dataclass(frozen=True, slots=True)
class Step:
    """A note that was reached, how far away, and the edges it was reached by."""

    node: NodeRow
    depth: int
    via: tuple[graph.EdgeRow, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk found. `paths` are alternatives, each a list of edges."""

    start: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    paths: tuple[tuple[graph.EdgeRow, ...], ...] = ()
    edges: tuple[graph.EdgeRow, ...] = ()
    left_out: int = 0


def near(
    reader: Reader,
    start: NodeRow,
    relations: Sequence[str],
    depth: int,
    direction: graph.Direction,
    limit: int,
) -> Walk:
    """The notes within `depth` steps, nearest first, over these relations (none: all)."""
    wanted = _checked(relations)
    ring = graph.neighbourhood(
        _within(reader, start.path, depth), start.path, wanted, depth, direction,
        limit=limit,
    )  # fmt: skip
    return Walk((start.path,), _steps(reader, ring.reached), left_out=ring.left_out)


def between(
    reader: Reader, start: NodeRow, goal: NodeRow, relations: Sequence[str], limit: int
) -> Walk:
    """The shortest ways from one note to another."""
    ways = graph.shortest_paths(
        _graph(reader), start.path, goal.path, _checked(relations), limit
    )
    return Walk((start.path, goal.path), paths=tuple(tuple(way) for way in ways))


def chain(reader: Reader, start: NodeRow, *, forward: bool, limit: int) -> Walk:
    """What came after the note (`forward`) or before it, nearest first."""
    walk = graph.after if forward else graph.before
    reached = walk(_graph(reader), start.path)
    steps = _steps(reader, reached[:limit])
    return Walk((start.path,), steps, left_out=max(0, len(reached) - limit))


def around(reader: Reader, nodes: Sequence[NodeRow], depth: int, limit: int) -> Walk:
    """Several notes, what connects them and what they share."""
    found = graph.subgraph(_graph(reader), [n.path for n in nodes], depth, limit=limit)
    start = tuple(n.path for n in nodes)
    others = [
        graph.Reached(
            path, 1, tuple(e for e in found.edges if path in (e.source, e.target))
        )
        for path in found.nodes
        if path not in start
    ]
    return Walk(
        start, _steps(reader, others), edges=found.edges, left_out=found.left_out
    )


def _within(reader: Reader, start: str, depth: int) -> graph.NoteGraph:
    """As much of the graph as lies within `depth` steps; all of it where that is most."""
    paths = frontier = {start}
    edges: set[graph.EdgeRow] = set()
    for _ in range(depth):
        if len(paths) > _MANY:
            return _graph(reader)
        rows = [graph.EdgeRow(*row) for row in reader.edges_of(frontier)]
        edges.update(rows)
        frontier = {end for row in rows for end in (row.source, row.target)} - paths
        paths = paths | frontier
    return graph.build(edges, [start])


def _graph(reader: Reader) -> graph.NoteGraph:
    edges = [graph.EdgeRow(*row) for row in reader.edges()]
    return graph.build(edges, [node.path for node in reader.nodes()])


def _checked(relations: Sequence[str]) -> set[str] | None:
    known = (*RELATIONS, *_DERIVED)
    asked = {
        relation.replace("-", "_").casefold() for relation in relations if relation
    }
    for relation in sorted(asked):
        if relation not in known:
            raise UsageError(
                f"no relation is called {relation!r}",
                mend=f"one of: {', '.join(known)}",
            )
    return asked or None


def _steps(reader: Reader, reached: Iterable[graph.Reached]) -> tuple[Step, ...]:
    found = list(reached)
    ids = reader.file_ids(each.path for each in found)
    nodes = {node.path: node for node in reader.nodes(ids.values())}
    return tuple(Step(nodes[r.path], r.depth, r.via) for r in found if r.path in nodes)
