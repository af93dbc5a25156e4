"""One merge for notes that went two ways: by git, by a sync program, by hand. Pure.

Properties merge by key, bodies by lines, journal entries and lines of JSON one by one.
What can't be merged keeps both, between git's markers, and never in the properties.
"""

from __future__ import annotations

from mindcache.merge.ancestry import Based, How, Version, merge_by_versions
from mindcache.merge.earlier import merge_by_earlier
from mindcache.merge.lines import Clash
from mindcache.merge.markers import sides_of
from mindcache.merge.notes import Merged, merge

__all__ = [
    "Based",
    "Clash",
    "How",
    "Merged",
    "Version",
    "merge",
    "merge_by_earlier",
    "merge_by_versions",
    "sides_of",
]
