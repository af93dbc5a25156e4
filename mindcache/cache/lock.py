"""One holder at a time: an advisory lock on a file beside the cache.

The operating system releases it when its holder dies, however it dies.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mindcache.errors import Locked

__all__ = ["acquire", "hold", "is_held", "is_in_place"]

_POLL_SECONDS = 0.02
# Who indexes one note is done sooner: such a wait needs no word.
_PATIENCE_SECONDS = 0.5


def _take(descriptor: int, *, shared: bool = False) -> bool:
    if os.name == "nt":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    import fcntl

    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def acquire(
    path: str,
    timeout: float,
    waiting: Callable[[], None] | None = None,
    what: str = "the cache",
) -> int:
    """Lock the file at `path`: a descriptor; closing it lets the lock go.

    Waits up to `timeout` seconds; `waiting` is called once when somebody else has
    it for more than a moment, and `what` says what it is about. Raises Locked.
    """
    began = time.monotonic()
    deadline = began + timeout
    told = False
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        # A lock on a file that was deleted while we waited keeps nobody out.
        if _take(descriptor) and is_in_place(path, descriptor):
            return descriptor
        os.close(descriptor)
        if not told and time.monotonic() - began > _PATIENCE_SECONDS:
            told = True
            if waiting is not None:
                waiting()
        if time.monotonic() >= deadline:
            raise Locked(
                f"another process has been writing {what} for {timeout:.0f} s",
                mend="wait for it, or end it, and run this again",
            )
        time.sleep(_POLL_SECONDS)


def is_in_place(path: str, descriptor: int) -> bool:
    """Whether the file that `descriptor` locks is still the one at `path`."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


@contextmanager
def hold(
    path: str,
    timeout: float,
    waiting: Callable[[], None] | None = None,
    what: str = "the cache",
) -> Iterator[None]:
    """Hold the lock file at `path`; wait up to `timeout` seconds for it.

    `waiting` is called once when somebody else keeps it. Raises Locked.
    """
    descriptor = acquire(path, timeout, waiting, what)
    try:
        yield
    finally:
        os.close(descriptor)


def is_held(path: str) -> bool:
    """Whether some process holds the lock file right now.

    Those who only ask don't take each other for a holder.
    """
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _take(descriptor, shared=True)
    finally:
        os.close(descriptor)
