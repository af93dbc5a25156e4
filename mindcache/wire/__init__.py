"""The JSON shapes that every surface speaks; `schema` counts their versions.

Plain dictionaries, ready for `json.dumps`. What is not known is "" or null,
never left out, so that a reader need not guess. Anchors come without "^" or "#".
A module for each kind of answer, loaded when the first shape of it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.wire.answers import hit, recall
    from mindcache.wire.copies import diverged
    from mindcache.wire.fading import faintness
    from mindcache.wire.graph import edge, link, walk
    from mindcache.wire.notes import belief, block, node, standing, tag, tagged
    from mindcache.wire.runs import (
        digested,
        exported,
        extracted,
        imported,
        restored,
        update,
    )
    from mindcache.wire.shape import SCHEMA, error, merged, problem, problems
    from mindcache.wire.times import agenda, episode, occasion
    from mindcache.wire.tree import topic, topics
    from mindcache.wire.waiting import applied, proposals
    from mindcache.wire.written import (
        appended,
        remembered,
        rewrite,
        rewrites,
        settled,
    )

__all__ = [
    "SCHEMA",
    "agenda",
    "appended",
    "applied",
    "belief",
    "block",
    "digested",
    "diverged",
    "edge",
    "episode",
    "error",
    "exported",
    "extracted",
    "faintness",
    "hit",
    "imported",
    "link",
    "merged",
    "node",
    "occasion",
    "problem",
    "problems",
    "proposals",
    "recall",
    "remembered",
    "restored",
    "rewrite",
    "rewrites",
    "settled",
    "standing",
    "tag",
    "tagged",
    "topic",
    "topics",
    "update",
    "walk",
]

__getattr__ = exports(
    __name__,
    {
        "answers": "hit recall",
        "copies": "diverged",
        "fading": "faintness",
        "graph": "edge link walk",
        "notes": "belief block node standing tag tagged",
        "runs": "digested exported extracted imported restored update",
        "shape": "SCHEMA error merged problem problems",
        "times": "agenda episode occasion",
        "tree": "topic topics",
        "waiting": "applied proposals",
        "written": "appended remembered rewrite rewrites settled",
    },
)
