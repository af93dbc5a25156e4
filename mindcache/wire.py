"""The JSON shapes that every surface speaks; `schema` counts their versions.

Plain dictionaries, ready for `json.dumps`. What is not known is "" or null,
never left out, so that a reader need not guess. Anchors come without "^" or "#".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from mindcache.cache.read import LinkRow, NodeRow, TagCount
from mindcache.errors import MindcacheError, Problem

if TYPE_CHECKING:  # a tag query must not load what a search needs
    from mindcache.index.graph import EdgeRow
    from mindcache.recall.answer import Hit, Recall
    from mindcache.recall.walk import Walk
    from mindcache.sync import SyncReport

__all__ = [
    "SCHEMA",
    "edge",
    "error",
    "hit",
    "link",
    "merged",
    "node",
    "problem",
    "problems",
    "recall",
    "tag",
    "tagged",
    "update",
    "walk",
]

SCHEMA = 1

JSON = dict[str, object]


def problem(value: Problem) -> JSON:
    """`{path, line, code, message, mend, severity}`."""
    return value._asdict()


def problems(values: Iterable[Problem]) -> list[JSON]:
    """Each as `problem` has it."""
    return [problem(value) for value in values]


def hit(value: Hit) -> JSON:
    """One hit, its reasons included."""
    return {
        "path": value.path,
        "anchor": value.anchor,
        "heading": value.heading,
        "lines": list(value.lines),
        "id": value.id,
        "title": value.title,
        "type": value.type,
        "status": value.status,
        "date": value.date,
        "summary": value.summary,
        "snippet": value.snippet,
        "tags": list(value.tags),
        "score": value.score,
        "why": [asdict(why) for why in value.why],
    }


def recall(value: Recall) -> JSON:
    """An answer, whole."""
    return {
        "schema": SCHEMA,
        "query": value.query,
        "route": value.route,
        "escalated": value.escalated,
        "reason": value.reason,
        "order": value.order,
        "hits": [hit(each) for each in value.hits],
        "floor": value.floor,
        "left_out": value.left_out,
        "below_floor": value.below_floor,
        "best_rejected": value.best_rejected,
        "stale": value.stale,
        "pending": value.pending,
        "problems": problems(value.problems),
        "elapsed_ms": value.elapsed_ms,
    }


def update(report: SyncReport) -> JSON:
    """What `index update` did."""
    return {
        "schema": SCHEMA,
        "added": report.added,
        "changed": report.changed,
        "moved": [{"from": old, "to": new} for old, new in report.moved],
        "removed": report.removed,
        "skipped": problems(report.skipped),
        "problems": problems(report.problems),
        "on_disk": report.on_disk,
        "indexed": report.indexed,
        "partial": report.partial,
    }


def node(value: NodeRow) -> JSON:
    """A note without its text."""
    return {
        "path": value.path,
        "id": value.id,
        "title": value.title,
        "type": value.type,
        "type_inferred": value.type_inferred,
        "status": value.status,
        "summary": value.summary,
        "date": value.date,
        "project": value.project,
        "location": value.location,
        "lang": value.lang,
        "tags": list(value.tags),
        "aliases": list(value.aliases),
    }


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


def walk(value: Walk) -> JSON:
    """What a walk over the graph found."""
    return {
        "start": list(value.start),
        "nodes": [
            {
                **node(step.node),
                "depth": step.depth,
                "via": [edge(each) for each in step.via],
            }
            for step in value.steps
        ],
        "paths": [[edge(each) for each in way] for way in value.paths],
        "edges": [edge(each) for each in value.edges],
        "left_out": value.left_out,
    }


def tagged(value: NodeRow, matched: Iterable[str]) -> JSON:
    """A note that a tag query found, with the tags that it was found by."""
    scope = next((t for t in value.tags if t.casefold().startswith("scope/")), "")
    return {
        "path": value.path,
        "summary": value.summary,
        "tags": list(matched),
        "scope": scope.partition("/")[2],
    }


def tag(value: TagCount) -> JSON:
    """A tag and how many notes have it."""
    return {"tag": value.name, "notes": value.notes}


def error(value: MindcacheError) -> JSON:
    """What went wrong, for a program."""
    shape: JSON = {
        "schema": SCHEMA,
        "error": type(value).__name__,
        "message": value.message,
        "mend": value.mend,
        "exit_code": value.exit_code,
    }
    candidates = getattr(value, "candidates", None)
    return {**shape, "candidates": candidates} if candidates else shape


def merged(*parts: Mapping[str, object]) -> JSON:
    """One object with the schema's number in front."""
    whole: JSON = {"schema": SCHEMA}
    for part in parts:
        whole.update(part)
    return whole
