"""Asking a person at once, without waiting for a digest."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.digest.carrying import carry_out
from mindcache.digest.proposals.book import Book, Proposal
from mindcache.digest.proposals.proposing import propose
from mindcache.digest.step import Night, Suggestion
from mindcache.digest.tree import past_of
from mindcache.errors import MindcacheError, Refused

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["ask"]


def ask(app: App, suggestion: Suggestion, now: datetime | None = None) -> Proposal:
    """The open proposal of this suggestion, put into the note of the day if need be.

    Raises Refused where a person decided against it, or it can't be done, and what
    kept its note from being written.
    """
    moment = (now or app.now()).replace(microsecond=0, tzinfo=None)
    name = (suggestion.kind, suggestion.key)
    with app.writing():
        if Book(app.ledger.afresh()).is_refused(*name):
            raise Refused("a person decided against that already")
        outcome = propose(Night(app, past_of(app.ledger.entries), moment), [suggestion])
        carry_out(app, outcome)
        for _, error in outcome.failed:
            raise error
        book = Book(app.ledger.afresh())
        found = [p for p in book.open() if (p.kind, p.key) == name]
    if not found:
        said: list[MindcacheError] = [Refused(p.message) for p in outcome.problems]
        raise next(iter(said), Refused("there is nothing left to do"))
    return found[-1]
