"""The composition root: `App` opens what a command needs, once and lazily.

`ground` is what it knows with nothing opened, `keeping` the cache in step and writing,
`root` the answers, `values` how it is asked and what it tells beside the answers.
"""

from __future__ import annotations

from mindcache.app.keeping import database_errors
from mindcache.app.root import App
from mindcache.app.values import Freshness, Mode, Search, Written

__all__ = ["App", "Freshness", "Mode", "Search", "Written", "database_errors"]
