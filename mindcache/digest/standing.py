"""Where the digest stands, by ledger and cache: nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache.digest.fading import bands
from mindcache.digest.proposals import waiting
from mindcache.digest.settling import unconfirmed
from mindcache.digest.tree import KIND, past_of

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Inspected", "inspect"]


@dataclass(frozen=True, slots=True)
class Inspected:
    """When digests last wrote: the day, the week; topics, and what waits for a person.

    That is `proposals`, and occurrences of plans that are over and `unsettled`.
    `bands` counts the memories that are hot, warm, cool and faint.
    """

    last_day: str
    last_week: str
    topics: int
    deleted: int
    proposals: int
    unsettled: int
    bands: dict[str, int]


def inspect(app: App) -> Inspected:
    """What the ledger tells of past digests."""
    past = past_of(app.ledger.entries)
    reader = app.reader()
    there = {
        node.id or node.path
        for node in reader.nodes(reader.where("n.type = ?", [KIND]))
    }
    gone = past.made.keys() - past.ended - there
    return Inspected(
        max(past.days, default=""),
        max(past.weeks, default=""),
        len(there),
        len(gone),
        waiting(app),
        len(unconfirmed(app)),
        bands(app),
    )
