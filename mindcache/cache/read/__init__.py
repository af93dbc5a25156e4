"""Every question that is asked of the cache, over the standard library alone.

Read-only, and light: no Peewee, no numpy. A `Reader` sees one moment of the
cache; `Reader.open` gives None when there is no cache that fits the fingerprint
and is complete, so the caller knows that a sync has to come first.
"""

from __future__ import annotations

from mindcache.cache.read.opening import Stamps, fingerprint_of, read_stamps
from mindcache.cache.read.reader import Reader
from mindcache.cache.read.values import (
    FTS_COLUMNS,
    NO_FILE,
    SCHEMA,
    SEGMENT_ROWS,
    ChunkRow,
    EdgeRow,
    EntryRow,
    FactsRow,
    LinkRow,
    NodeRow,
    OccurrenceRow,
    PlanRow,
    SeenFile,
    TagCount,
)

__all__ = [
    "FTS_COLUMNS",
    "NO_FILE",
    "SCHEMA",
    "SEGMENT_ROWS",
    "ChunkRow",
    "EdgeRow",
    "EntryRow",
    "FactsRow",
    "LinkRow",
    "NodeRow",
    "OccurrenceRow",
    "PlanRow",
    "Reader",
    "SeenFile",
    "Stamps",
    "TagCount",
    "fingerprint_of",
    "read_stamps",
]
