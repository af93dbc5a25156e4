"""Items on their way from a source to a plan, on disk when there are many.

A source may be larger than memory, and of two items with one key only the newer
counts, which is known at the end.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from datetime import datetime
from typing import Any

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

    def add(self, item: Item) -> None:
        """Keep an item, unless one with its key is newer, or whole where it is a part."""
        known = self._places.get(item.key)
        rank = (not item.is_part, item.version)
        if known is not None and rank <= known[1:]:
            return
        line = json.dumps(_plain(item)).encode() + b"\n"
        self._file.seek(self._size)
        self._file.write(line)
        self._places[item.key] = (self._size, *rank)
        self._size += len(line)

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
