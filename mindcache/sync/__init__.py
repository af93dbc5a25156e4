"""Disk to cache: what changed, and making the cache say so.

`compare` asks the light question that every answering command asks first; `run` does
the work; `draft` is what a note becomes, `reading` what it takes to read one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.sync.compare import Diff, diff, fingerprint, is_current, is_same
    from mindcache.sync.drafting import draft, held_reason
    from mindcache.sync.reading import meaning
    from mindcache.sync.remembering import Put, put
    from mindcache.sync.run import (
        Progress,
        Rules,
        Scope,
        SyncReport,
        sync,
    )

__all__ = [
    "Diff",
    "Progress",
    "Put",
    "Rules",
    "Scope",
    "SyncReport",
    "diff",
    "draft",
    "fingerprint",
    "held_reason",
    "is_current",
    "is_same",
    "meaning",
    "put",
    "sync",
]

__getattr__ = exports(
    __name__,
    {
        "compare": "Diff diff fingerprint is_current is_same",
        "drafting": "draft held_reason",
        "reading": "meaning",
        "remembering": "Put put",
        "run": "Progress Rules Scope SyncReport sync",
    },
)
