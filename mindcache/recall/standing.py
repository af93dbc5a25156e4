"""Whether a note still holds, and what to say beside it where it doesn't.

What was archived, superseded or was valid for a time is found like everything else; it
must never read as what holds now. Nor must one of two notes that contradict each other
be read without a word of the other. Reads the cache alone, and starts light.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from mindcache.cache.read import NodeRow, Reader
from mindcache.recall.disputes import Dispute, disputes

__all__ = [
    "HOLDS",
    "Standing",
    "open_disputes",
    "standing_of",
    "standings",
    "successors",
]

# A chain of notes that replaced each other is no longer than this, or a circle.
_LONGEST_CHAIN = 16

# Statuses that are said beside a note; by the last of them it holds all the same.
_MARKED = ("archived", "canceled", "missed", "faint")


class Standing(NamedTuple):
    """How a note stands at a time.

    `holds` unless it is archived, superseded, out of its validity, canceled or missed.
    `superseded_by` is the path of the note that holds instead, "" for none;
    `contradicted_by` are the paths of notes that hold as well and say otherwise,
    `proposal` is the id of the one that waits about the first of them. `words`
    say it all for a reader ("archived, see memory/Five.md"), "" for what holds.
    """

    holds: bool = True
    superseded_by: str = ""
    words: str = ""
    contradicted_by: tuple[str, ...] = ()
    proposal: str = ""


HOLDS = Standing()


def standings(
    reader: Reader,
    nodes: Iterable[NodeRow],
    now: datetime | None,
    *,
    is_past: bool = False,
) -> dict[int, Standing]:
    """By file id, how each of these notes stands; without `now` times don't count.

    With `is_past` as they stood at that time: what was archived later held, and who
    contradicts whom, as it is known now, is not said.
    """
    wanted = {node.file_id: node for node in nodes}
    found = _plain(reader, wanted, now, is_past=is_past)
    if is_past:
        return found
    against: defaultdict[int, list[Dispute]] = defaultdict(list)
    for each in open_disputes(reader, wanted, now):
        against[each.older].append(each)
        against[each.newer].append(each)
    paths = reader.paths(against)
    return {
        file_id: _disputed(stands, file_id, against[file_id], paths)
        if file_id in against
        else stands
        for file_id, stands in found.items()
    }


def open_disputes(
    reader: Reader, among: Collection[int], now: datetime | None
) -> list[Dispute]:
    """The contradictions of these notes, by file id, of which both sides hold."""
    found = disputes(reader, among)
    if not found:
        return []
    sides = {each for pair in found for each in (pair.older, pair.newer)}
    nodes = {node.file_id: node for node in reader.nodes(sides)}
    stand = _plain(reader, nodes, now, is_past=False)
    return [
        each for each in found if stand[each.older].holds and stand[each.newer].holds
    ]


def _disputed(
    stands: Standing, file_id: int, against: list[Dispute], paths: Mapping[int, str]
) -> Standing:
    """How a note that holds stands, with what says otherwise; proposals first."""

    def other(each: Dispute) -> str:
        return paths[each.newer if each.older == file_id else each.older]

    first, *_ = against = sorted(
        against, key=lambda each: (not each.proposal, other(each))
    )
    is_later = first.is_ordered and first.newer == file_id
    said = f"{'contradicts' if is_later else 'contradicted by'} {other(first)}"
    if more := len(against) - 1:
        said += f" and {more} more"
    if first.proposal:
        said += f", proposal {first.proposal} waits"
    return stands._replace(
        words=", ".join(filter(None, (stands.words, said))),
        contradicted_by=tuple(map(other, against)),
        proposal=first.proposal,
    )


def _plain(
    reader: Reader,
    wanted: Mapping[int, NodeRow],
    now: datetime | None,
    *,
    is_past: bool,
) -> dict[int, Standing]:
    """How each stands by itself, without what contradicts it."""
    heirs = successors(reader, wanted, now if is_past else None)
    paths = reader.paths(set(heirs.values()))
    moment = now.isoformat() if now else ""
    early = _begin_later(reader, wanted, moment) if moment else set()
    return {
        file_id: _standing(
            node,
            paths.get(heirs.get(file_id, -1), ""),
            moment,
            is_early=file_id in early,
            is_past=is_past,
        )
        for file_id, node in wanted.items()
    }


def standing_of(reader: Reader, node: NodeRow, now: datetime | None) -> Standing:
    """How one note stands."""
    return standings(reader, [node], now)[node.file_id]


def _begin_later(reader: Reader, file_ids: Iterable[int], moment: str) -> set[int]:
    return reader.where(
        "f.id IN (SELECT value FROM json_each(?)) AND n.valid_from > ?",
        [json.dumps(sorted(file_ids)), moment],
    )


def _standing(
    node: NodeRow, heir: str, moment: str, *, is_early: bool, is_past: bool
) -> Standing:
    is_over = bool(moment and node.valid_until and node.valid_until <= moment)
    status = node.status
    if is_past and status == "archived" and node.valid_until and not is_over:
        status = ""  # what it says of its end is yet to come
    word = status if status in _MARKED else ""
    if not word and heir:
        word = "superseded"
    elif not word and is_over:
        word = f"valid until {node.valid_until[:16]}"
    elif not word and is_early:
        word = "not valid yet"
    return Standing(
        not (heir or is_over or is_early or status in _MARKED[:-1]),
        heir,
        ", see ".join(filter(None, (word, heir))),
    )


def successors(
    reader: Reader, file_ids: Iterable[int], then: datetime | None = None
) -> dict[int, int]:
    """Of these notes, those that were superseded, each with the one that holds now.

    Chains are followed to their end; a circle supersedes nothing. With `then` it is
    what had taken another's place by that time.
    """
    step: dict[int, int] = {}
    ask = set(file_ids)
    for _ in range(_LONGEST_CHAIN):
        new = reader.superseding(ask)
        if then is not None:
            new = _by_then(reader, new, then.isoformat())
        step.update(new)
        ask = set(new.values()) - step.keys()
        if not ask:
            break
    found = {}
    for old, new_one in step.items():
        seen, at = {old}, new_one
        while at in step and at not in seen:
            seen.add(at)
            at = step[at]
        if at not in seen:
            found[old] = at
    return found


def _by_then(reader: Reader, steps: dict[int, int], moment: str) -> dict[int, int]:
    """Those steps that had been taken: when a note ended, it says; else its heir does."""
    nodes = {n.file_id: n for n in reader.nodes({*steps, *steps.values()})}
    early = _begin_later(reader, steps.values(), moment)
    return {
        old: new
        for old, new in steps.items()
        if new not in early
        and (
            nodes[old].valid_until <= moment
            if nodes[old].valid_until
            else nodes[new].date_start < moment
        )
    }
