"""Lines of JSON at the end of a file: whole ones only, whatever a full disk does.

Owns the bytes behind a file's last whole line. Which files are written so, and where
they lie, is the vault's affair.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os

__all__ = ["append", "cut_torn"]

# Bytes that are read at once to find where the last line begins.
_TAIL = 64 << 10


def append(full: str, data: bytes) -> None:
    """Add whole lines in one write; half a line at the end is cut off first.

    Raises OSError when not all of them fit: the file then ends as it did.
    """
    descriptor = _opened(full, os.O_APPEND | os.O_CREAT)
    try:
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
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    if os.write(descriptor, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def cut_torn(full: str) -> bool:
    """Cut off half a line at the end of a file; whether there was one. Raises OSError."""
    descriptor = _opened(full)
    try:
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
