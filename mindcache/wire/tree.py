"""The tree of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.wire.shape import JSON

if TYPE_CHECKING:
    from mindcache.recall.topics import Branch, Tree

__all__ = ["topic", "topics"]


def topic(tree: Tree, value: Branch) -> JSON:
    """One topic; `held` counts the notes in it and in all topics below it."""
    return {
        "path": value.node.path,
        "id": value.node.id,
        "title": value.node.title,
        "status": value.node.status,
        "summary": value.node.summary,
        "aliases": list(value.node.aliases),
        "parent": value.parent,
        "children": list(value.children),
        "depth": tree.depth(value.node.path),
        "terms": list(value.terms),
        "anchors": list(value.anchors),
        "related": list(value.related),
        "notes": list(value.notes),
        "held": len(tree.held(value.node.path)),
        "first_seen": value.first_seen,
        "last_updated": value.updated,
        "pinned": value.pinned,
    }


def topics(tree: Tree) -> JSON:
    """The tree of topics, flat, and the notes that are in none."""
    return {
        "topics": [topic(tree, branch) for branch in tree.topics.values()],
        "roots": list(tree.roots),
        "notes": tree.notes,
        "inbox": list(tree.inbox),
    }
