"""A note without its text, its parts, and its tags."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mindcache.wire.shape import JSON

if TYPE_CHECKING:
    from mindcache.cache.read import ChunkRow, NodeRow, TagCount
    from mindcache.recall.belief import Belief
    from mindcache.recall.standing import Standing

__all__ = ["belief", "block", "node", "standing", "tag", "tagged"]


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


def standing(value: Standing) -> JSON:
    """Whether a note holds now, and the path of what holds instead ("" for none)."""
    return {"holds": value.holds, "superseded_by": value.superseded_by}


def belief(value: Belief | None) -> JSON | None:
    """How far a note is to be believed, None for one that is not under contract."""
    if value is None:
        return None
    return {
        "value": value.value,
        "base": value.base,
        "sources": value.sources,
        "contradicted_by": list(value.contradicted_by),
    }


def block(value: NodeRow, chunk: ChunkRow, text: str, project: str) -> JSON:
    """A part of a note that has a name of its own, such as an entry of the journal."""
    return {
        "path": value.path,
        "anchor": chunk.anchor.lstrip("^"),
        "heading": chunk.heading,
        "lines": [chunk.line_start, chunk.line_end],
        "id": value.id,
        "title": value.title,
        "type": value.type,
        "date": chunk.at[:16] or value.date,
        "project": project or value.project,
        "text": text,
    }


def tagged(value: NodeRow, matched: Iterable[str], stands: Standing) -> JSON:
    """A note that a tag query found, with the tags that it was found by."""
    scope = next((t for t in value.tags if t.casefold().startswith("scope/")), "")
    return {
        "path": value.path,
        "summary": value.summary,
        "tags": list(matched),
        "scope": scope.partition("/")[2],
        **standing(stands),
    }


def tag(value: TagCount) -> JSON:
    """A tag and how many notes have it."""
    return {"tag": value.name, "notes": value.notes}
