"""The digest: what is new finds its place in the tree of topics.

Owns the steps, each a module of its own that decides and writes nothing, and the run
that carries the plan out. No step reads what the digest wrote as news: topics,
summaries and proposals are no input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.digest.run import Digested, digest
    from mindcache.digest.standing import accept_loss, inspect, ledger_gone, note_loss

__all__ = [
    "Digested",
    "accept_loss",
    "digest",
    "inspect",
    "ledger_gone",
    "note_loss",
]

__getattr__ = exports(
    __name__,
    {
        "run": "Digested digest",
        "standing": "accept_loss inspect ledger_gone note_loss",
    },
)
