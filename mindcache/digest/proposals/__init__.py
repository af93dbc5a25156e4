"""Proposals: changes to a person's words, shown in a note, done once they are ticked.

The note is what a person reads and decides in; what a box stands for is known from the
ledger alone (`book`). `deciding` says what a change comes to, `doing` makes it and
takes it back, `proposing` are the digest's steps, `asking`
is for who can't wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.digest.proposals.asking import ask
    from mindcache.digest.proposals.book import Proposal
    from mindcache.digest.proposals.doing import (
        apply,
        listed,
        reject,
        undo,
        unfinished,
        waiting,
    )
    from mindcache.digest.proposals.proposing import apply_step, propose
    from mindcache.digest.proposals.run import Applied, Told

__all__ = [
    "Applied",
    "Proposal",
    "Told",
    "apply",
    "apply_step",
    "ask",
    "listed",
    "propose",
    "reject",
    "undo",
    "unfinished",
    "waiting",
]

__getattr__ = exports(
    __name__,
    {
        "asking": "ask",
        "book": "Proposal",
        "doing": "apply listed reject undo unfinished waiting",
        "proposing": "apply_step propose",
        "run": "Applied Told",
    },
)
