"""Where the digest stands, by ledger and cache: nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache.digest.fading import bands
from mindcache.digest.proposals import waiting
from mindcache.digest.settling import unconfirmed
from mindcache.digest.tree import KIND, past_of
from mindcache.errors import MindcacheError, Problem
from mindcache.generated import has_marker

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Inspected", "inspect", "ledger_gone"]

_OURS = frozenset({"topic", "proposal", "summary"})


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


def ledger_gone(app: App) -> list[Problem]:
    """What says that notes of a digest are there and the ledger of digests is not."""
    if app.ledger.entries:
        return []
    types = sorted(_OURS)
    reader = app.reader()
    for node in reader.nodes(reader.where("n.type IN (?, ?, ?)", types)):
        try:
            _, note, _ = app.look(node.path)
        except (OSError, MindcacheError):
            continue
        if has_marker(note.text) or node.type == "proposal":
            message = (
                "the ledger in .mindcache/ is gone: what was refused, edited or deleted"
                " is not known any more, and may be proposed or made again"
            )
            mend = "take .mindcache/ back from a backup or another device"
            return [Problem(node.path, 0, "ledger-gone", message, mend)]
    return []
