"""Items on their way from a source to a plan, on disk when there are many.

A source may be larger than memory, and of two items with one key only the newer
counts, which is known at the end.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from mindcache.hashing import blake2b
from mindcache.importers.item import Attachment, Item

__all__ = ["Spool"]

# Bytes that are kept in memory; a calendar never needs more.
_IN_MEMORY = 4 << 20
# What is decided and written at once: enough notes that indexing them in one go
# pays, and bytes that a small machine has to spare.
_BATCH, _BATCH_BYTES = 200, 6 << 20


class Spool:
    """Items in the order in which their keys were first met, each key once.

    `folder` is where the file lies; it has no name there and is gone with the spool.
    `attachments` are by their keys.
    """

    def __init__(self, folder: str) -> None:
        self._file = tempfile.SpooledTemporaryFile(  # noqa: SIM115  closed in __exit__
            _IN_MEMORY, dir=folder
        )
        self._size = 0
        # Where the item of each key begins, and what a later one has to exceed.
        self._places: dict[str, tuple[int, bool, str]] = {}
        self.attachments: dict[str, Attachment] = {}

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def keys(self) -> set[str]:
        """Every key that was met."""
        return set(self._places)

    def add(self, item: Item) -> Item:
        """Keep an item, unless one with its key is newer, or whole where it is a part.

        Gives it as it is kept: what grows and has nothing in common with what has its
        key is another thing, and gets a key of its own.
        """
        known = self._places.get(item.key)
        rank = (not item.is_part, item.version)
        if known is not None and item.grows:
            other = self._at(known[0])
            if not _is_copy(item, other):
                return self.add(replace(item, key=f"{item.key}~{_mark(item)}"))
            # Of two copies of one age the longer is the whole.
            if rank == known[1:] and len(item.body) > len(other.body):
                known = None
        if known is not None and rank <= known[1:]:
            return item
        line = json.dumps(_plain(item)).encode() + b"\n"
        self._file.seek(self._size)
        self._file.write(line)
        self._places[item.key] = (self._size, *rank)
        self._size += len(line)
        return item

    def _at(self, place: int) -> Item:
        self._file.seek(place)
        return _item(json.loads(self._file.readline()))

    def batches(self) -> Iterator[list[Item]]:
        """All items, as many at a time as may be held in memory."""
        batch: list[Item] = []
        size = 0
        for place, *_ in self._places.values():
            self._file.seek(place)
            line = self._file.readline()
            batch.append(_item(json.loads(line)))
            size += len(line)
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def _is_copy(item: Item, other: Item) -> bool:
    """Whether two things with one key are one, older and newer or a part of it."""
    is_like = item.title == other.title and item.when == other.when
    if is_like and item.version != other.version:
        return True
    said, known = _messages(item), _messages(other)
    return not said.isdisjoint(known) or said == known


def _messages(item: Item) -> set[str]:
    """The paragraphs that end with a block id."""
    return {line for line in item.body.split("\n") if " ^t-" in line}


def _mark(item: Item) -> str:
    """What tells it from another with its key: how it begins, which stays."""
    first = next((line for line in item.body.split("\n") if " ^t-" in line), "")
    return blake2b(first.encode(), digest_size=4).hexdigest()


def _plain(item: Item) -> list[Any]:
    return [
        item.key,
        item.type,
        item.title,
        item.when.isoformat() if item.when else None,
        dict(item.properties),
        dict(item.once),
        item.body,
        item.place,
        item.version,
        item.is_part,
        item.grows,
        item.path,
        item.origin,
    ]


def _item(values: list[Any]) -> Item:
    values[3] = datetime.fromisoformat(values[3]) if values[3] else None
    return Item(*values)
