"""Where the digest stands, by ledger and cache: nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache.cache.read import Reader
from mindcache.digest.fading import bands
from mindcache.digest.proposals import waiting
from mindcache.digest.settling import unconfirmed
from mindcache.digest.tree import KIND, past_of
from mindcache.errors import MindcacheError, Problem
from mindcache.generated import has_marker
from mindcache.memory import moment
from mindcache.vault import Entry

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Inspected", "accept_loss", "inspect", "ledger_gone", "note_loss"]

_OURS = frozenset({"topic", "proposal", "summary"})
# Notes that are looked into for a digest's marks, topics first: whoever is about to
# write asks, as long as there is no ledger.
_LOOKED_AT = 20
# The kind of lines about the ledger itself.
_LEDGER = "ledger"


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
    """What says that notes of a digest are there and the ledger of digests is not.

    So it stays when a new one was begun (`note_loss`), until that is accepted
    (`accept_loss`), or the lines from before are back.
    """
    entries = app.ledger.entries
    path = _lost(entries) if entries else _digested(app, app.reader())
    if not path:
        return []
    message = (
        "the ledger in .mindcache/ is gone: what was refused, edited or deleted"
        " is not known any more, and may be proposed or made again"
    )
    mend = (
        "take .mindcache/ back from a backup or another device,"
        " or go on without it: mindcache doctor --repair"
    )
    return [Problem(path, 0, "ledger-gone", message, mend)]


def note_loss(app: App) -> None:
    """Begin a new ledger with the word that another one is gone, where one is.

    For who is about to write where there is none: with its first line nobody could tell
    any more. Looks into the cache as it is. Raises MindcacheError.
    """
    reader = Reader.open(app.cache_path, app.fingerprint)
    if reader is None:
        return
    try:
        path = _digested(app, reader)
    finally:
        reader.close()
    if path:
        app.ledger.add([Entry("lost", _LEDGER, _LEDGER, path=path, at=_moment(app))])


def accept_loss(app: App) -> bool:
    """Go on without the ledger that is gone; whether one is. Raises MindcacheError."""
    app.ledger.afresh()
    if not ledger_gone(app):
        return False
    app.ledger.add([Entry("accepted", _LEDGER, _LEDGER, at=_moment(app))])
    return True


def _moment(app: App) -> str:
    return moment(app.now().replace(tzinfo=None))


def _lost(entries: Iterable[Entry]) -> str:
    """The note by which it was seen that a ledger is gone, "" where that is settled."""
    last: Entry | None = None
    earliest = ""
    for entry in entries:
        if entry.kind != _LEDGER:
            earliest = min(filter(None, (earliest, entry.at)), default="")
        elif entry.what == "lost":
            last = entry
        elif entry.what == "accepted":
            last = None
    if last is None or (earliest and earliest < last.at):
        return ""
    return last.path


def _digested(app: App, reader: Reader) -> str:
    """A note that only a digest writes, "" where none of the first ones is.

    What a person makes of these types has no id before a digest has seen it.
    """
    types = sorted(_OURS)
    nodes = reader.nodes(reader.where("n.type IN (?, ?, ?)", types))
    known = [node for node in nodes if node.id]
    if proposals := [node.path for node in known if node.type == "proposal"]:
        return proposals[0]
    known.sort(key=lambda node: (node.type != KIND, node.path))
    for node in known[:_LOOKED_AT]:
        try:
            _, note, _ = app.look(node.path)
        except (OSError, MindcacheError):
            continue
        if has_marker(note.text):
            return node.path
    return ""
