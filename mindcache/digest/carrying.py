"""Carrying out what a step decided: the ledger, the notes, then what was made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.digest.step import Outcome

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["carry_out"]


def carry_out(app: App, outcome: Outcome) -> None:
    """Write it; `failed` and `behind` say what could not be. Raises MindcacheError."""
    app.ledger.add(outcome.before)
    if outcome.changes:
        done = app.commit(outcome.changes)
        outcome.failed += done.failed
        outcome.behind = done.behind
    lost = outcome.lost
    app.ledger.add(
        entry
        for path, entries in sorted(outcome.after.items())
        if path not in lost
        for entry in entries
    )
