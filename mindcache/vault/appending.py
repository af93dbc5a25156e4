"""Lines of JSON at the end of a file: whole ones only, whatever a full disk does.

Owns the bytes behind a file's last whole line. Which files are written so, and where
they lie, is the vault's affair.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os

from mindcache.atomic import Moment, untold

__all__ = ["append", "cut_torn"]

# Bytes that are read at once to find where the last line begins.
_TAIL = 64 << 10
# How often a file is opened anew because another one has got its name.
_TRIES = 10


def append(full: str, data: bytes, moment: Moment = untold) -> None:
    """Add whole lines in one write; half a line at the end is cut off first.

    One of us at a time writes, and whoever finds that a sync program has put another
    file under the name meanwhile writes his lines into that one as well. Raises OSError
    when not all of them fit: the file then ends as it did.
    """
    for _ in range(_TRIES):
        descriptor = _opened(full, os.O_APPEND | os.O_CREAT)
        try:
            _await_turn(descriptor)
            moment("to be appended to")
            if not _is_named(descriptor, full):
                continue
            _append(descriptor, data)
            moment("appended to")
            if _is_named(descriptor, full) or _holds_it(full, data):
                return
        finally:
            os.close(descriptor)
    raise OSError(errno.EBUSY, "another program replaces it all the time", full)


def _append(descriptor: int, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    end = size - _torn(descriptor, size)
    if end < size:
        os.ftruncate(descriptor, end)
    elif size and os.pread(descriptor, 1, size - 1) != b"\n":
        # A whole line that somebody's editor left without its end.
        data = b"\n" + data
    try:
        _write(descriptor, data)
    except OSError:
        # A full disk takes what still fits: half a line is worse than none.
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, end)
        raise


def _await_turn(descriptor: int) -> None:
    """Be alone among those of us who append to this file, until it is closed."""
    if os.name != "posix":
        return
    import fcntl

    # A file system without locks has one writer at a time by `App.writing`.
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _is_named(descriptor: int, full: str) -> bool:
    """Whether the open file is still the one that goes by the name."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(full))
    except FileNotFoundError:
        return False


def _holds_it(full: str, data: bytes) -> bool:
    """Whether a file that took the name was made of the one that has our lines."""
    try:
        with open(full, "rb") as file:
            return data in file.read()
    except FileNotFoundError:
        return False


def _write(descriptor: int, data: bytes) -> None:
    if os.write(descriptor, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def cut_torn(full: str) -> bool:
    """Cut off half a line at the end of a file; whether there was one. Raises OSError."""
    descriptor = _opened(full)
    try:
        _await_turn(descriptor)
        size = os.fstat(descriptor).st_size
        torn = _torn(descriptor, size)
        if torn:
            os.ftruncate(descriptor, size - torn)
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return torn > 0


def _opened(full: str, flags: int = 0) -> int:
    return os.open(full, os.O_RDWR | flags | getattr(os, "O_BINARY", 0), 0o666)


def _torn(descriptor: int, size: int) -> int:
    """Bytes of the last line where it is half a one: without its end, and no JSON."""
    tail, at = b"", size
    while at and b"\n" not in tail:
        start = max(0, at - _TAIL)
        tail = os.pread(descriptor, at - start, start) + tail
        at = start
    tail = tail[tail.rfind(b"\n") + 1 :]
    try:
        json.loads(tail or b"0")
    except (ValueError, RecursionError):
        return len(tail)
    return 0
