"""How a hook knows that it runs in something that a session, or we, started."""

from __future__ import annotations

__all__ = ["NESTED", "SESSION"]

NESTED = "MINDCACHE_NESTED"
"""Set in what we start ourselves: hooks in there are silent."""

SESSION = "MINDCACHE_SESSION"
"""Set for the commands of a session: another session below it is one of its tools."""
