"""Which notes a sync program has put there, as far as somebody looked on.

Syncthing fills a file of its own beside the note and then gives it the note's name. Told
by the tree's threads, asked by the loop.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Mapping

from mindcache.sync import Put, put

__all__ = ["Arrivals"]

_OF_SYNCTHING = (".syncthing.", "~syncthing~")


class Arrivals:
    """The notes that came since they were looked at last, and as which file each came.

    Nothing is known of what came before the first whole look of a watch.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._paths: dict[str, Put] = {}
        self._passed: dict[str, Put] = {}
        self._carried = False
        self._looks = self._is_whole = False

    def vanished(self, path: str) -> None:
        """A file lost this name; what is named next may be the same."""
        with self._lock:
            self._carried = path.rpartition("/")[2].startswith(_OF_SYNCTHING)

    def touched(self, path: str) -> None:
        """A file got this name, or was written."""
        with self._lock:
            if self._carried:
                self._paths[path] = self._put(path)
            self._carried = False

    def _put(self, path: str) -> Put:
        try:
            return put(os.lstat(os.path.join(self._root, path)))
        except OSError:
            return 0, 0

    def looks(self) -> None:
        """A watch was begun."""
        with self._lock:
            self._looks, self._is_whole = True, False

    def blind(self) -> None:
        """The watch ended: whatever comes is not seen."""
        with self._lock:
            self._looks = self._is_whole = False

    def known(self) -> Mapping[str, Put] | None:
        """What came since it was looked at, None where that is not known of all.

        Each as the file that it was when it came.
        """
        with self._lock:
            self._passed = dict(self._paths)
            return dict(self._paths) if self._is_whole else None

    def seen(self, paths: Collection[str] | None) -> None:
        """These were looked at, as they were when `known` was asked; None for all."""
        with self._lock:
            if paths is None:
                self._is_whole = self._looks
            for path in self._passed if paths is None else paths:
                if self._paths.get(path) == self._passed.get(path):
                    self._paths.pop(path, None)
