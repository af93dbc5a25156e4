"""One question, as whoever asks puts it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from mindcache.recall.filters import Filters, moment_of

__all__ = ["DEFAULT_LIMIT", "Ask", "asked_at"]

DEFAULT_LIMIT = 10


class Ask(NamedTuple):
    """One question: its text, filters, how many hits, and from which score up.

    `floor` None stands for the search's own; `now` decides what is expired. `budget`
    is the number of tokens that the hits' texts may take, `expand` adds what stands
    around each hit, `by_note` makes one hit of each note.
    """

    text: str
    filters: Filters = Filters()
    limit: int = DEFAULT_LIMIT
    floor: float | None = None
    phrases: tuple[str, ...] = ()
    now: datetime | None = None
    budget: int | None = None
    expand: bool = False
    by_note: bool = False

    @property
    def then(self) -> datetime | None:
        """The time as of which is asked, None for now."""
        return self.now if self.filters.as_of.strip() else None


def asked_at(ask: Ask, now: datetime) -> Ask:
    """The question as it is asked now, or would have been then (`--as-of`).

    Raises UsageError for what is no date.
    """
    as_of = ask.filters.as_of.strip()
    if not as_of:
        return ask._replace(now=now)
    moment = moment_of(as_of, now)
    then = ask.filters._replace(as_of=moment.isoformat(timespec="seconds"))
    return ask._replace(now=moment, filters=then)
