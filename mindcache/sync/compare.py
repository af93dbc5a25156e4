"""What differs between the disk and the cache: the light question.

Pure but for `is_current`, which walks the vault; standard library only, since
every answering command asks it first. Stamps are compared for difference, never
for "newer than": sync programs keep old times and git makes new ones.
"""

from __future__ import annotations

import gc
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mindcache.cache.read import SCHEMA, Stamps
from mindcache.hashing import blake2b
from mindcache.text import ANALYZER_VERSION
from mindcache.vault import content_hash

if TYPE_CHECKING:
    from mindcache.cache.read import Reader, SeenFile
    from mindcache.config import Settings
    from mindcache.vault import Obsidian, Scan, Vault

__all__ = ["Diff", "diff", "fingerprint", "is_current", "is_same", "rare_collection"]

# Files whose stamps differ but whose bytes may not: so many are compared by
# content before a light start gives up and leaves it to a sync.
LIGHT_COMPARISONS = 32


class Diff:
    """What a scan shows beside the stamps that were recorded.

    `suspects` differ by stamp, or were never seen; `gone` are no longer there;
    `kept` are missing too, but behind a folder or file system that can't be
    read, so nobody knows.
    """

    __slots__ = ("gone", "kept", "new_assets", "suspects")

    def __init__(self, suspects: Iterable[str] = ()) -> None:
        self.suspects = list(suspects)
        self.gone: list[str] = []
        self.kept: list[str] = []
        self.new_assets: list[str] = []

    def __bool__(self) -> bool:
        return bool(self.suspects or self.gone or self.new_assets)


def fingerprint(settings: Settings, ignore: str, obsidian: Obsidian, model: str) -> str:
    """A short text that differs whenever the same notes would be indexed otherwise."""
    parts = (
        SCHEMA,
        ANALYZER_VERSION,
        unicodedata.unidata_version,
        model,
        settings.answers,
        ignore,
        obsidian.daily_format,
        obsidian.daily_folder,
    )
    return blake2b(repr(parts).encode(), digest_size=12).hexdigest()


def diff(scan: Scan, seen: Mapping[str, SeenFile]) -> Diff:
    """Compare a walk over the disk with what was recorded. Pure."""
    found = Diff()
    met = 0
    rows = seen.rows if isinstance(seen, Stamps) else seen
    for path, (size, mtime_ns, inode, _) in scan.notes.items():
        known = rows.get(path)
        if known is None:
            found.suspects.append(path)
            continue
        met += 1
        # By place and one by one: ten thousand of these are compared each time.
        if (
            known[2] != mtime_ns
            or known[1] != size
            or known[3] != inode
            or known[0] == "asset"
        ):
            found.suspects.append(path)
    for path in scan.assets:
        known = rows.get(path)
        met += known is not None
        if known is None or known[0] != "asset":
            found.new_assets.append(path)
    if met < len(seen):
        missing = seen.keys() - scan.notes.keys() - scan.assets
        _sort_missing(found, missing, scan, seen)
    found.suspects.sort()
    found.new_assets.sort()
    return found


def _sort_missing(
    found: Diff, missing: Iterable[str], scan: Scan, seen: Mapping[str, SeenFile]
) -> None:
    """Tell the deleted from those that merely can't be seen right now.

    A device number counts as unmounted when nothing of it was met: no folder,
    and none of the files that were recorded on it. (Numbers may change at a
    restart; files of the old number are then still there.)
    """
    present = {seen[p].device for p in scan.notes if p in seen} | scan.devices
    unreadable = tuple(scan.unreadable)
    for path in sorted(missing):
        known = seen[path]
        hidden = bool(unreadable) and path.startswith(unreadable)
        unmounted = known.kind != "asset" and known.device not in present
        (found.kept if hidden or unmounted else found.gone).append(path)


@contextmanager
def rare_collection() -> Iterator[None]:
    """Look for cycles less often: notes become many values and hardly any cycle."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def is_current(vault: Vault, reader: Reader, size_cap: int) -> tuple[bool, Diff]:
    """Whether the cache says what the disk says; reads at most a few files."""
    with rare_collection():
        seen = reader.stamps()
        found = diff(vault.scan(), seen)
    if found.gone or found.new_assets or len(found.suspects) > LIGHT_COMPARISONS:
        return False, found
    same = all(is_same(vault, p, seen.get(p), size_cap) for p in found.suspects)
    return same and reader.is_settled(), found


def is_same(vault: Vault, path: str, known: SeenFile | None, size_cap: int) -> bool:
    """Whether a file whose stamp differs holds the bytes that were read last."""
    if known is None or known.kind == "asset":
        return False
    try:
        data, _ = vault.read(path, size_cap)
    except OSError:
        return False
    return data is not None and content_hash(data) == known.hash
