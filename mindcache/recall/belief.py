"""How far a note under contract is to be believed: reckoned, and written nowhere.

Its own `confidence` is where it begins, and a person's word. Every further source that
it derives from adds to it; an open contradiction halves it. Both change with other
notes, so that what is written would soon be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from mindcache.cache.read import NodeRow, Reader
from mindcache.recall.standing import standings

__all__ = ["Belief", "belief_of", "believed"]


class Belief(NamedTuple):
    """`value` and `base` are 0..1; `sources` counts the notes that it derives from.

    `contradicted_by` are paths of notes that hold and contradict it.
    """

    value: float
    base: float
    sources: int = 0
    contradicted_by: tuple[str, ...] = ()


def belief_of(reader: Reader, node: NodeRow, now: datetime | None) -> Belief | None:
    """What becomes of a note's confidence; None for one that is not under contract."""
    if not node.under_contract:
        return None
    base = reader.facts([node.file_id])[node.file_id].confidence
    edges = reader.edges_of([node.path])
    sources = sorted(
        {
            t
            for s, t, relation, *_ in edges
            if relation == "derived_from" and s == node.path
        }
    )
    others = {
        t if s == node.path else s
        for s, t, relation, *_ in edges
        if relation == "contradicts"
    }
    ids = reader.file_ids([*sources, *others])
    nodes = {each.path: each for each in reader.nodes(ids.values())}
    stand = standings(reader, [node, *nodes.values()], now)
    holding = [path for path in sorted(others) if stand[nodes[path].file_id].holds]
    if not stand[node.file_id].holds:
        holding = []  # it was settled: the other holds
    facts = reader.facts(ids.values())
    further = [facts[ids[path]].confidence for path in sources[1:]]
    value = believed(base, further, is_contradicted=bool(holding))
    return Belief(value, base, len(sources), tuple(holding))


def believed(base: float, further: Iterable[float], *, is_contradicted: bool) -> float:
    """1 − (1 − c)·Π(1 − further), halved where something speaks against it; 3 places."""
    doubt = 1.0 - base
    for confidence in further:
        doubt *= 1.0 - confidence
    return round((1.0 - doubt) / (2.0 if is_contradicted else 1.0), 3)
