"""From the entries of a page to the hits of an answer: texts, places, reasons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from mindcache.cache.read import ChunkRow, NodeRow, Reader
from mindcache.index.graph import EdgeRow
from mindcache.recall.answer import Budget, Hit, Linked, Passage, Why
from mindcache.recall.around import Neighbours, linked, neighbours
from mindcache.recall.close import Candidate, Spread
from mindcache.recall.page import Entry
from mindcache.recall.question import Question
from mindcache.recall.snippet import snippet
from mindcache.recall.standing import Standing, standings

if TYPE_CHECKING:
    from mindcache.recall.pack import Material

__all__ = ["Found", "present"]

# Notes that speak against one: more are counted in its mark.
_SIDES = 3


class Found(NamedTuple):
    """What a search found out of its candidates, by their index.

    `why` has reasons for those on the page; `dates` gives, by file, the dates to show
    of notes that aren't found for their own; `spread` is None where links play no part;
    `now` decides what holds; `is_past` that it is told as it was then.
    """

    candidates: Sequence[Candidate]
    scores: Mapping[int, float]
    why: Mapping[int, tuple[Why, ...]]
    dates: Callable[[Collection[NodeRow]], Mapping[int, str]]
    spread: Spread | None = None
    now: datetime | None = None
    is_past: bool = False


def present(
    reader: Reader,
    found: Found,
    entries: Sequence[Entry],
    query: Question,
    *,
    budget: int | None,
    expand: bool,
) -> tuple[tuple[Hit, ...], Budget | None]:
    """The hits of these entries, best first, with texts where they are asked for.

    Each says whether its note holds at that time.
    """
    chunks = [found.candidates[entry.at].chunk for entry in entries]
    nodes = {n.file_id: n for n in reader.nodes(chunk.file_id for chunk in chunks)}
    via = _via(found, entries)
    dates = found.dates(nodes.values())
    stand = standings(reader, nodes.values(), found.now, is_past=found.is_past)
    hits = [
        _standing_so(
            _hit(found, entry, nodes[chunk.file_id], query, via, dates),
            stand[chunk.file_id],
        )
        for entry, chunk in zip(entries, chunks, strict=True)
    ]
    sides = _other_sides(reader, hits, found.now)
    if budget is None and not expand:
        return tuple(h._replace(linked=sides.pop(h.path, ())) for h in hits), None
    materials = _materials(
        reader, chunks, nodes, query.index_terms, found.now, expand=expand
    )
    materials = [
        replace(
            each, linked=(*(side := sides.pop(h.path, ())), *_but(each.linked, side))
        )
        for h, each in zip(hits, materials, strict=True)
    ]
    from mindcache.recall.pack import pack

    return pack(hits, materials, budget)


def _other_sides(
    reader: Reader, hits: Sequence[Hit], now: datetime | None
) -> dict[str, tuple[Linked, ...]]:
    """What speaks against a hit and is none itself, by the hit's path: shown with it."""
    shown = {hit.path for hit in hits}
    wanted = {path for hit in hits for path in hit.contradicted_by} - shown
    if not wanted:
        return {}
    nodes = {n.path: n for n in reader.nodes(reader.file_ids(wanted).values())}
    stand = standings(reader, nodes.values(), now)
    return {
        hit.path: tuple(
            Linked(
                path,
                node.summary,
                "contradicts",
                1.0,
                standing=stand[node.file_id].words,
            )
            for path in hit.contradicted_by[:_SIDES]
            if (node := nodes.get(path)) is not None
        )
        for hit in hits
        if wanted.intersection(hit.contradicted_by)
    }


def _but(links: Sequence[Linked], told: Sequence[Linked]) -> list[Linked]:
    known = {each.path for each in told}
    return [each for each in links if each.path not in known]


def _materials(
    reader: Reader,
    chunks: Sequence[ChunkRow],
    nodes: Mapping[int, NodeRow],
    terms: Collection[str],
    now: datetime | None,
    *,
    expand: bool,
) -> list[Material]:
    from mindcache.recall.pack import Material

    around = neighbours(reader, chunks) if expand else [Neighbours()] * len(chunks)
    paths = {node.path for node in nodes.values()} if expand else set()
    beside = linked(reader, paths, now)
    told: set[str] = set()
    materials = []
    for chunk, near in zip(chunks, around, strict=True):
        node = nodes[chunk.file_id]
        # A note's links are told once, with its best passage.
        links = () if node.path in told else beside.get(node.path, ())
        told.add(node.path)
        text = chunk.text or node.summary
        materials.append(Material(text, node.lang, terms, near, links))
    return materials


def _via(found: Found, entries: Sequence[Entry]) -> dict[str, tuple[EdgeRow, ...]]:
    """By path of a hit that others handed on: the edges that it came over."""
    if found.spread is None:
        return {}
    return found.spread.via(
        {
            found.candidates[entry.at].path
            for entry in entries
            if any(why.signal == "links" for why in found.why[entry.at])
        }
    )


def _hit(
    found: Found,
    entry: Entry,
    node: NodeRow,
    query: Question,
    via: Mapping[str, tuple[EdgeRow, ...]],
    dates: Mapping[int, str],
) -> Hit:
    chunk = found.candidates[entry.at].chunk
    return Hit(
        path=node.path,
        anchor=chunk.anchor.lstrip("^"),
        heading=chunk.heading,
        lines=(chunk.line_start, chunk.line_end),
        id=node.id,
        title=node.title,
        type=node.type,
        status=node.status,
        date=chunk.at[:16] or dates.get(node.file_id, node.date),
        summary=node.summary,
        snippet=snippet(chunk.text, query.index_terms, node.lang),
        tags=node.tags,
        score=found.scores[entry.at],
        why=tuple(
            why._replace(via=via.get(node.path, ())) if why.signal == "links" else why
            for why in found.why[entry.at]
        ),
        alike=tuple(_passage(found, at) for at in entry.alike),
        passages=tuple(_passage(found, at) for at in entry.passages),
    )


def _standing_so(hit: Hit, standing: Standing) -> Hit:
    return hit._replace(
        holds=standing.holds,
        superseded_by=standing.superseded_by,
        standing=standing.words,
        contradicted_by=standing.contradicted_by,
        proposal=standing.proposal,
    )


def _passage(found: Found, at: int) -> Passage:
    candidate = found.candidates[at]
    chunk = candidate.chunk
    return Passage(
        path=candidate.path,
        anchor=chunk.anchor.lstrip("^"),
        heading=chunk.heading,
        lines=(chunk.line_start, chunk.line_end),
        score=found.scores[at],
    )
