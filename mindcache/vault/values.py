"""What a look at a vault's folder gives: plain values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from mindcache.errors import Problem
from mindcache.hashing import blake2b

__all__ = ["Obsidian", "Scan", "Stamp", "content_hash", "stamp_of"]

# SQLite's largest whole number.
LARGEST = 2**63 - 1

DAILY_FORMAT = "YYYY-MM-DD"  # Obsidian's default


class Stamp(NamedTuple):
    """What is compared, for difference only, to notice that a file changed.

    `size` in bytes, `mtime_ns` in nanoseconds (0: read too soon after a write
    to be trusted), `inode` and `device` as the file system gives them.
    """

    size: int
    mtime_ns: int
    inode: int
    device: int


class Scan:
    """What one walk over the vault found.

    `notes` and `assets` (all other files, ignored notes among them) by path;
    `unreadable` are folders (with a trailing slash) and files of which nobody
    can say whether they are gone; `devices` are the file systems met.
    """

    __slots__ = ("assets", "devices", "notes", "problems", "unreadable")

    def __init__(
        self,
        notes: Mapping[str, Stamp] = MappingProxyType({}),
        unreadable: Iterable[str] = (),
        devices: Iterable[int] = (),
    ) -> None:
        self.notes = dict(notes)
        self.assets: set[str] = set()
        self.unreadable = list(unreadable)
        self.devices = set(devices)
        self.problems: list[Problem] = []


class Obsidian(NamedTuple):
    """The settings of Obsidian that change what a note means."""

    daily_format: str = DAILY_FORMAT
    daily_folder: str = ""
    problems: tuple[Problem, ...] = ()


def content_hash(data: bytes) -> bytes:
    """The 16-byte hash by which contents are compared."""
    return blake2b(data, digest_size=16).digest()


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp, in numbers that SQLite can hold: dates past 2262 all look alike."""
    mtime_ns = status.st_mtime_ns
    if not -LARGEST <= mtime_ns <= LARGEST:
        mtime_ns = LARGEST if mtime_ns > 0 else -LARGEST
    inode, device = status.st_ino & LARGEST, status.st_dev & LARGEST
    return Stamp(status.st_size, mtime_ns, inode, device)
