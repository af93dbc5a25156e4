"""One writer at a time: an advisory lock on a file beside the cache.

The operating system releases it when its holder dies, however it dies.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mindcache.errors import Locked

__all__ = ["hold"]

_POLL_SECONDS = 0.02


def _take(descriptor: int) -> bool:
    if os.name == "nt":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def hold(
    path: str, timeout: float, waiting: Callable[[], None] | None = None
) -> Iterator[None]:
    """Hold the lock file at `path`; wait up to `timeout` seconds for it.

    `waiting` is called once when somebody else has it. Raises Locked.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + timeout
        told = False
        while not _take(descriptor):
            if not told and waiting is not None:
                waiting()
            told = True
            if time.monotonic() >= deadline:
                raise Locked(
                    f"another process has been writing the cache for {timeout:.0f} s",
                    mend="wait for it, or end it, and run this again",
                )
            time.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


def is_held(path: str) -> bool:
    """Whether some process holds the lock file right now."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _take(descriptor)
    finally:
        os.close(descriptor)
