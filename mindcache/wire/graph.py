"""Links and edges, and a walk along them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mindcache.wire.notes import node, standing
from mindcache.wire.shape import JSON

if TYPE_CHECKING:
    from mindcache.cache.read import LinkRow
    from mindcache.index.graph import EdgeRow
    from mindcache.recall.standing import Standing
    from mindcache.recall.walk import Walk

__all__ = ["edge", "link", "walk"]


def link(value: LinkRow) -> JSON:
    """A link from `source`; `resolved` is "" where it leads nowhere."""
    return {
        "source": value.source,
        "line": value.line,
        "target": value.target,
        "subpath": value.subpath,
        "display": value.display,
        "kind": value.kind,
        "relation": value.relation,
        "origin": value.origin,
        "property": value.field,
        "weight": value.weight,
        "resolved": value.resolved,
        "resolved_by": value.resolved_by,
    }


def edge(value: EdgeRow) -> JSON:
    """An edge between two notes, named by their paths."""
    return value._asdict()


def walk(value: Walk, standings: Mapping[int, Standing]) -> JSON:
    """What a walk over the graph found."""
    return {
        "start": list(value.start),
        "nodes": [
            {
                **node(step.node),
                **standing(standings[step.node.file_id]),
                "depth": step.depth,
                "via": [edge(each) for each in step.via],
            }
            for step in value.steps
        ],
        "paths": [[edge(each) for each in way] for way in value.paths],
        "edges": [edge(each) for each in value.edges],
        "left_out": value.left_out,
    }
