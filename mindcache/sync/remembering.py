"""Remembering what a sync saw, and telling how it came to this machine.

A program that saves a note leaves its time of change and the system's beside each
other; Syncthing gives it the time at which it was saved on the machine it comes from.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem
from mindcache.vault import content_hash
from mindcache.versions import Seen

if TYPE_CHECKING:
    from mindcache.merge import How
    from mindcache.vault import Vault
    from mindcache.versions import Versions

__all__ = ["Put", "Remembering", "how_it_came", "put"]

# A file, told from one that was written after it: inode and size. Syncthing sets the
# time of a file when it has its name already.
Put = tuple[int, int]

# Seconds between a note's own time and the system's: less is a save on this machine, on
# a slow disk too, and more came from another.
_HERE, _ELSEWHERE = 1.0, 2.0
# Texts that are held in memory while they wait to be written.
_AT_ONCE = 200
# A note that came into being longer ago may have been sent away, and come back.
_JUST_NOW = 10.0


class Remembering:
    """Keeps the versions that one sync reads; where there are none to keep, nothing.

    `is_first` says that no sync has ended yet: nobody knows how notes came here.
    """

    def __init__(
        self, versions: Versions | None, vault: Vault, now: datetime, *, is_first: bool
    ) -> None:
        self._versions = versions
        self._vault = vault
        self._now = now
        self._is_new = versions is not None and versions.is_new
        self._is_first = is_first
        self._arrived: Mapping[str, Put] | None = None
        self._waiting: list[Seen] = []
        self._followed: dict[str, bool] = {}
        self._told = 0

    def follow(self, arrived: Mapping[str, Put] | None) -> None:
        """Somebody has looked on since the last sync, and saw these come from elsewhere.

        Each as the file that was put there; None where nobody looked on.
        """
        self._arrived = None if self._is_first else arrived

    def saw(self, path: str, data: bytes, digest: bytes, *, is_known: bool) -> None:
        """A note was read, and says something new; `is_known`: it was there before."""
        if self._versions is None:
            return
        how: How = "unknown"
        is_followed = False
        if not self._is_first:
            try:
                status = os.lstat(os.path.join(self._vault.root, path))
            except OSError:
                return  # gone again, or another by now: the next sync sees it
            how = how_it_came(status, time.time_ns(), is_known=is_known)
            came = (self._arrived or {}).get(path)
            if came is not None:
                # Else it was saved over what came.
                how = "arrived" if came == put(status) else "unknown"
            is_followed = self._arrived is not None and (
                how == "changed" if came is None else how == "arrived"
            )
        self._waiting.append(Seen(path, data, digest, how, is_followed, is_known))

    def saw_again(self, path: str) -> None:
        """A note was looked at that says what another process has read already."""
        if self._versions is not None and self._arrived is not None:
            self._followed[path] = path not in self._arrived

    def begin(self, paths: Iterable[str], size_cap: int) -> list[Problem]:
        """Keep what these notes say, where nothing was ever kept; as `keep`.

        They are in step, and would not be read otherwise.
        """
        if not self._is_new:
            return []
        for path in paths:
            try:
                data, _ = self._vault.read(path, size_cap)
            except OSError:
                continue  # changed by now: the next sync sees it
            if data is not None:
                seen = Seen(path, data, content_hash(data), "unknown")
                self._waiting.append(seen)
            if len(self._waiting) >= _AT_ONCE and (problems := self.keep(())):
                return problems
        return self.keep(())

    def keep(self, moved: Sequence[tuple[str, str]]) -> list[Problem]:
        """Keep what was seen since the last time; what was in the way, if anything.

        `moved` are all notes that this sync found under another path.
        """
        waiting, self._waiting = self._waiting, []
        followed, self._followed = self._followed, {}
        new, self._told = moved[self._told :], max(len(moved), self._told)
        if self._versions is None or not (waiting or new or followed):
            return []
        try:
            self._versions.take(waiting, self._now, new, followed)
        except MindcacheError as error:
            return self._failed(error)
        return []

    def gone(self, paths: Sequence[str]) -> list[Problem]:
        """These notes were deleted; what was in the way of noting it, if anything."""
        if self._versions is None or not paths:
            return []
        try:
            self._versions.gone(paths, self._now)
        except MindcacheError as error:
            return self._failed(error)
        return []

    def _failed(self, error: MindcacheError) -> list[Problem]:
        self._versions = None  # once is enough, and each try may wait
        return [Problem("", 0, "versions", error.message, error.mend, "info")]


def put(status: os.stat_result) -> Put:
    """The file that this is the status of."""
    return status.st_ino, status.st_size


def how_it_came(status: os.stat_result, now_ns: int, *, is_known: bool) -> How:
    """How a version came to this machine, by its file's times.

    `is_known` says that its note was there before. Programs that keep a file's time
    (an unpacked archive, `cp -p`) make it look as if it had come from elsewhere.
    """
    apart = (status.st_ctime_ns - status.st_mtime_ns) / 1e9
    if abs(apart) > _ELSEWHERE:
        return "arrived"
    if abs(apart) > _HERE:
        return "unknown"
    if is_known:
        return "changed"
    is_fresh = 0 <= (now_ns - status.st_ctime_ns) / 1e9 <= _JUST_NOW
    return "born" if is_fresh else "unknown"
