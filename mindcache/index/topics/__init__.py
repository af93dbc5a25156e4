"""Topics out of notes: who is near whom, who belongs together, what to call it. Pure.

Arrays and plain values in, plain values out; notes and topics are named by integers.
Where vectors and links come from, and what becomes of a topic's note, is decided
above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.index.topics.fillers import FILLERS
    from mindcache.index.topics.growth import SMALLEST, Growth, grow, parts
    from mindcache.index.topics.near import Near, likeness, sums
    from mindcache.index.topics.phrases import (
        Background,
        Speech,
        Subject,
        listen,
        overlap,
    )
    from mindcache.index.topics.restoring import restore
    from mindcache.index.topics.shape import (
        BREADTH,
        BROAD,
        DEPTH,
        ROOTS,
        Bonds,
        bonds,
        find_twins,
        gather,
        split,
    )
    from mindcache.index.topics.words import (
        ANCHORS,
        Text,
        Vocabulary,
        anchors,
        count,
        related,
    )

__all__ = [
    "ANCHORS",
    "BREADTH",
    "BROAD",
    "DEPTH",
    "FILLERS",
    "ROOTS",
    "SMALLEST",
    "Background",
    "Bonds",
    "Growth",
    "Near",
    "Speech",
    "Subject",
    "Text",
    "Vocabulary",
    "anchors",
    "bonds",
    "count",
    "find_twins",
    "gather",
    "grow",
    "likeness",
    "listen",
    "overlap",
    "parts",
    "related",
    "restore",
    "split",
    "sums",
]

__getattr__ = exports(
    __name__,
    {
        "fillers": "FILLERS",
        "growth": "SMALLEST Growth grow parts",
        "near": "Near likeness sums",
        "phrases": "Background Speech Subject listen overlap",
        "restoring": "restore",
        "shape": "BREADTH BROAD DEPTH ROOTS Bonds bonds find_twins gather split",
        "words": "ANCHORS Text Vocabulary anchors count related",
    },
)
