"""Names that many notes mention, and that no note has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from mindcache.digest.later import later_notes
from mindcache.digest.named import names_in
from mindcache.digest.step import Night, Source, Suggestion
from mindcache.links import fold
from mindcache.plain import plain_text
from mindcache.recall.topics import not_digested

if TYPE_CHECKING:
    from mindcache.cache.read import NodeRow, Reader

__all__ = ["nameless"]

# A name that so many notes of so many days mention, and that no note has, is worth one.
_MENTIONS = 5
_DAYS = 3
# Of such names those that are offered in one night: a page of a proposal.
_NAMES = 10

# Notes that the digest wrote itself.
_OWN = frozenset({"topic", "summary", "proposal"})


def nameless(night: Night, reader: Reader, titles: Collection[str]) -> list[Suggestion]:
    """Offers of a note for each name that many notes mention and none has.

    `titles`, folded, are names that are taken beside those that links know.
    """
    known = {fold(n.key.rpartition("/")[2]) for n in reader.names()} | {*titles}
    mentions: defaultdict[str, dict[str, Source]] = defaultdict(dict)
    days: defaultdict[str, set[str]] = defaultdict(set)
    spelled: dict[str, str] = {}
    for node, name, source in _mentioned(night, reader):
        key = fold(name)
        if key not in known and key.partition(" ")[0] not in known:
            spelled.setdefault(key, name)
            mentions[key].setdefault(node.path, source)
            days[key].add(node.date_start[:10])
    found = [
        key
        for key in sorted(mentions)
        if len(mentions[key]) >= _MENTIONS and len(days[key] - {""}) >= _DAYS
    ]
    found.sort(key=lambda key: (-len(mentions[key]), key))
    return [
        _offer(spelled[key], key, mentions[key], len(days[key] - {""}))
        for key in found[:_NAMES]
    ]


def _offer(name: str, key: str, mentions: dict[str, Source], days: int) -> Suggestion:
    paths = sorted(mentions)
    return Suggestion(
        "entity",
        f"entity:{key}",
        tuple(paths),
        f"{len(paths)} notes of {days} days mention it",
        tuple(mentions[path] for path in paths[:_MENTIONS]),
        name,
    )


def _mentioned(night: Night, reader: Reader) -> Iterator[tuple[NodeRow, str, Source]]:
    """Who mentions which name where: links that lead nowhere, and names in texts."""
    zone = night.app.settings.text("timezone")
    left_out = not_digested(reader, night.app.templates)
    left_out |= later_notes(reader, night.now, zone)
    nodes = {
        node.path: node
        for node in reader.nodes()
        if node.type not in _OWN and node.file_id not in left_out
    }
    for link in reader.unresolved():
        name = link.target.strip()
        is_name = name[:1].isupper() and "/" not in name and "." not in name
        if link.source in nodes and is_name:
            yield nodes[link.source], name, Source(link.source, link.line, name)
    for path in sorted(nodes):
        for chunk in reader.chunks_of(nodes[path].file_id):
            if next(names_in(chunk.text), None) is None:
                continue  # most texts mention nobody: they need no second look
            for name in names_in(plain_text(chunk.text)):
                yield nodes[path], name, Source(path, chunk.line_start, name)
