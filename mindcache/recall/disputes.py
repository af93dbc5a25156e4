"""Which notes contradict each other, as long as nobody decided which of them holds.

That is told by an edge `contradicts`, or by a proposal to retire one for the other that
waits for its tick. Owns the pairs; whether both still hold is `standing`'s.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from mindcache.cache.read import Reader

__all__ = ["Dispute", "disputes"]

# A box of a proposal to retire a note for another, as the digest writes it, that is
# open or ticked: refused is "[-]", out of date "[>]".
_BOX = re.compile(r"[-*+] \[[^\n>-]\] Retire ")
_ID = re.compile(r"p-[0-9a-z]{10}")

_OPEN_PAGES = "n.type = 'proposal' AND n.status != 'archived'"


class Dispute(NamedTuple):
    """Two notes, by file id, that contradict each other.

    With `is_ordered` the second is the later one, which holds as far as anybody knows.
    `proposal` is the id of the one that waits, "" for none.
    """

    older: int
    newer: int
    is_ordered: bool = False
    proposal: str = ""


def disputes(reader: Reader, among: Collection[int]) -> list[Dispute]:
    """Those in which one of these notes, by file id, stands; each pair once, in order.

    A proposal says which is the later one, else their dates do.
    """
    wanted = set(among)
    drawn = {
        (min(pair), max(pair))
        for pair in reader.contradicting()
        if not wanted.isdisjoint(pair)
    }
    found: dict[tuple[int, int], Dispute] = {}
    # By their ids, which are the same on every machine.
    for each in sorted(_proposed(reader), key=lambda each: each.proposal):
        pair = (min(each.older, each.newer), max(each.older, each.newer))
        if not wanted.isdisjoint(pair):
            found.setdefault(pair, each)
    drawn -= found.keys()
    ages = _ages(reader, {each for pair in drawn for each in pair})
    for one, other in drawn:
        older, newer = sorted((one, other), key=lambda each: ages[each])
        first, second = ages[older][0], ages[newer][0]
        is_known = bool(first and second and first != second)
        found[one, other] = Dispute(older, newer, is_known)
    return [found[pair] for pair in sorted(found)]


def _ages(reader: Reader, file_ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """Since when each of these notes holds, "" where nobody says; and its path.

    Of two without dates the order is that of their paths, as everywhere.
    """
    if not file_ids:
        return {}
    facts = reader.facts(file_ids)
    return {
        node.file_id: (facts[node.file_id].valid_from or node.date_start, node.path)
        for node in reader.nodes(file_ids)
    }


def _proposed(reader: Reader) -> Iterator[Dispute]:
    """What is to be retired for what, as the boxes have it that nobody decided on."""
    pages = reader.where(_OPEN_PAGES, [])
    for box, text, leads in reader.boxes(pages, "p-") if pages else ():
        is_ours = _ID.fullmatch(box) and _BOX.match(text)
        if is_ours and len(leads) == 2 and leads[0] != leads[1]:
            yield Dispute(*leads, is_ordered=True, proposal=box)
