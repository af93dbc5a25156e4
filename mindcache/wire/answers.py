"""An answer to a question, and each of its hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.wire.graph import edge
from mindcache.wire.shape import JSON, SCHEMA, problems

if TYPE_CHECKING:
    from mindcache.recall.answer import Budget, Hit, Linked, Passage, Recall, Why

__all__ = ["hit", "recall"]


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
        "holds": value.holds,
        "superseded_by": value.superseded_by,
        "contradicted_by": list(value.contradicted_by),
        "proposal": value.proposal,
        "date": value.date,
        "summary": value.summary,
        "snippet": value.snippet,
        "tags": list(value.tags),
        "score": value.score,
        "alike": len(value.alike),
        "also_in": [_passage(each) for each in value.alike],
        "passages": [_passage(each) for each in value.passages],
        "text": value.text,
        "linked": [_linked(each) for each in value.linked],
        "why": [_why(each) for each in value.why],
    }


def _why(value: Why) -> JSON:
    return {
        "signal": value.signal,
        "value": value.value,
        "detail": value.detail,
        "via": [edge(each) for each in value.via],
    }


def _passage(value: Passage) -> JSON:
    return {
        "path": value.path,
        "anchor": value.anchor,
        "heading": value.heading,
        "lines": list(value.lines),
        "score": value.score,
    }


def _linked(value: Linked) -> JSON:
    return {
        "path": value.path,
        "summary": value.summary,
        "relation": value.relation,
        "direction": "in" if value.is_back else "out",
        "weight": value.weight,
    }


def _budget(value: Budget) -> JSON:
    return {
        "tokens": value.tokens,
        "used": value.used,
        "left_out": len(value.left_out),
        "left_out_paths": list(dict.fromkeys(value.left_out)),
        "cut": value.cut,
        "needed": value.needed,
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
        "just_below": value.just_below,
        "best_rejected": value.best_rejected,
        "budget": None if value.budget is None else _budget(value.budget),
        "stale": value.stale,
        "pending": value.pending,
        "problems": problems(value.problems),
        "elapsed_ms": value.elapsed_ms,
        "redacted": value.redacted,
    }
