"""Fading: what is used stays at hand, what is not becomes faint and can come back.

Faint is a word in a note and no loss: deep recall finds such a note as it does any
other, and one use wakes it. `strength` reckons, `reading` says from what, `step`
writes, `why` tells. Standard library only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.digest.fading.reading import Memories, Remembered, read_memories
    from mindcache.digest.fading.step import fade
    from mindcache.digest.fading.why import Reason, bands, why_faint

__all__ = [
    "Memories",
    "Reason",
    "Remembered",
    "bands",
    "fade",
    "read_memories",
    "why_faint",
]

__getattr__ = exports(
    __name__,
    {
        "reading": "Memories Remembered read_memories",
        "step": "fade",
        "why": "Reason bands why_faint",
    },
)
