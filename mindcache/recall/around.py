"""What stands around a hit: its neighbours in the note, and the notes it is linked to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from mindcache.cache.read import ChunkRow, Reader
from mindcache.index.graph import RELATION_WEIGHTS, EdgeRow
from mindcache.recall.answer import Linked
from mindcache.recall.standing import standings

__all__ = ["Neighbours", "linked", "neighbours"]

# Chunks on either side: of prose one is enough, the turns of a dialogue are brief.
_REACH = 3
# Characters of either side that give a passage its setting: a paragraph or two.
_ENOUGH = 600
# Linked notes that a reader takes in beside a hit.
_LINKED = 3


class Neighbours(NamedTuple):
    """The text right before and after a chunk under the same heading; "" for none."""

    before: str = ""
    after: str = ""


def neighbours(reader: Reader, chunks: Sequence[ChunkRow]) -> list[Neighbours]:
    """What stands around each of these chunks; never a text that is one of them."""
    shown = {chunk.id for chunk in chunks}
    near = reader.chunks(
        chunk.id + step for chunk in chunks for step in range(-_REACH, _REACH + 1)
    )
    return [
        Neighbours(
            "\n\n".join(reversed(_side(chunk, near, shown, -1))),
            "\n\n".join(_side(chunk, near, shown, 1)),
        )
        for chunk in chunks
    ]


def _side(
    chunk: ChunkRow, near: Mapping[int, ChunkRow], shown: Collection[int], step: int
) -> list[str]:
    """The texts on one side, going away from the chunk."""
    texts: list[str] = []
    for distance in range(1, _REACH + 1):
        # A note's chunks have consecutive ids in reading order.
        other = near.get(chunk.id + step * distance)
        if other is None or other.id in shown or sum(map(len, texts)) >= _ENOUGH:
            break
        place = (other.file_id, other.ord, other.heading)
        if place != (chunk.file_id, chunk.ord + step * distance, chunk.heading):
            break
        texts.append(other.text)
    return texts


def linked(
    reader: Reader, paths: Collection[str], now: datetime | None = None
) -> dict[str, tuple[Linked, ...]]:
    """The notes that each of these is linked with, strongest edge first, at most three.

    Those that are among `paths` are left out: they are shown already. Each says how it
    stands at `now`.
    """
    best: dict[str, dict[str, EdgeRow]] = {path: {} for path in paths}
    found = reader.paths(reader.where("n.type = 'proposal'", []))
    apart = set(found.values()) - best.keys()
    rows = [
        edge
        for row in reader.edges_of(paths)
        if (edge := EdgeRow(*row)).source not in apart
    ]
    for edge in sorted(rows, key=lambda edge: (-_strength(edge), edge)):
        for path, other in (
            (edge.source, edge.target),
            (edge.target, edge.source),
        ):
            if path in best and other not in best:
                best[path].setdefault(other, edge)
    chosen = {path: list(others.items())[:_LINKED] for path, others in best.items()}
    ids = reader.file_ids(other for each in chosen.values() for other, _ in each)
    nodes = reader.nodes(ids.values())
    summaries = {node.path: node.summary for node in nodes}
    stand = standings(reader, nodes, now)
    words = {node.path: stand[node.file_id].words for node in nodes}
    return {
        path: tuple(
            Linked(
                other,
                summaries.get(other, ""),
                edge.relation,
                edge.weight,
                is_back=edge.target == path,
                standing=words.get(other, ""),
            )
            for other, edge in each
        )
        for path, each in chosen.items()
    }


def _strength(edge: EdgeRow) -> float:
    return edge.weight * RELATION_WEIGHTS.get(edge.relation, 1.0)
