"""The daemon's sign of life beside the cache: one small file and its lock.

Written by the daemon alone, read by everybody: whether a daemon lives, whether
it has nothing left to do, and so whether an answer needs to look at the disk.
The lock is the proof of life (the system lets go of it however its holder
dies), the file's time is the heartbeat, its text what the daemon says.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from mindcache.cache import lock
from mindcache.errors import Locked

__all__ = ["FRESH_SECONDS", "Beat", "alive", "is_fresh", "read"]

# Older heartbeats don't count: the daemon beats every half second, and a machine
# that was asleep has not looked at its disk since.
FRESH_SECONDS = 2.0


def _lock_path(folder: str) -> str:
    return os.path.join(folder, "daemon.lock")


def _state_path(folder: str) -> str:
    return os.path.join(folder, "daemon.json")


def alive(folder: str) -> bool:
    """Whether a daemon holds the vault whose cache lies in `folder`."""
    return lock.is_held(_lock_path(folder))


def read(folder: str) -> dict[str, object]:
    """What the daemon said last, {} when it never did or can't be understood."""
    try:
        with open(_state_path(folder), "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def is_fresh(folder: str) -> bool:
    """Whether a living daemon has seen the disk just now and has nothing to do."""
    try:
        age = time.time_ns() - os.stat(_state_path(folder)).st_mtime_ns
    except OSError:
        return False
    if not -1e9 * FRESH_SECONDS < age < 1e9 * FRESH_SECONDS:
        return False
    return read(folder).get("pending") == 0 and alive(folder)


class Beat:
    """The daemon's own side: it holds the lock for as long as it lives."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._said: Mapping[str, object] = {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the vault's one daemon. Raises Locked when another is."""
        try:
            with lock.hold(_lock_path(self._folder), 0.0):
                yield
                with suppress(OSError):
                    os.unlink(_state_path(self._folder))
        except Locked as error:
            pid = read(self._folder).get("pid", "?")
            raise Locked(
                f"a daemon watches this vault already (process {pid})",
                mend="mindcache daemon status shows it, mindcache daemon stop ends it",
            ) from error

    def say(self, state: Mapping[str, object]) -> None:
        """Beat, and where something changed, say so."""
        path = _state_path(self._folder)
        if state == self._said:
            with suppress(FileNotFoundError):
                os.utime(path)
                return
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.replace(temporary, path)
        self._said = dict(state)
