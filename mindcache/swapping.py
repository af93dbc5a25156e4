"""What the system can do with two names at once, and who has a file open.

Owns the calls that Python has no words for: renaming without overwriting, exchanging
two files in one step (Linux, macOS), and asking whether somebody may still write into
an open file (Linux). Nothing is imported for them before the first write.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["exchange", "is_being_written", "rename_new"]

# The flags of renameat2(2), and of macOS's renamex_np(2), which numbers them otherwise.
_LINUX = {"new": 1, "exchange": 2}
_DARWIN = {"new": 4, "exchange": 2}
_AT_FDCWD = -100
# What a kernel or file system says that has no such call; NFS and FUSE often lack it.
_NOT_OFFERED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


def exchange(one: str, other: str) -> bool:
    """Give each file the other's name, in one step; False where that isn't offered.

    Raises OSError, FileNotFoundError where one of them is gone.
    """
    return _rename(one, other, "exchange")


def rename_new(full: str, target: str) -> bool:
    """Rename, never over a file; False where the system can't promise that.

    Raises OSError, FileExistsError where the name is taken.
    """
    return _rename(full, target, "new")


def _rename(one: str, other: str, how: str) -> bool:
    call = _call()
    if call is None:
        return False
    code = call(os.fsencode(one), os.fsencode(other), how)
    if code in _NOT_OFFERED:
        return False
    if code:
        raise OSError(code, os.strerror(code), one, None, other)
    return True


@cache
def _call() -> Callable[[bytes, bytes, str], int] | None:
    """The system's call, which gives an errno (0 for done); None where it has none."""
    if os.name != "posix":
        return None
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    linux = getattr(library, "renameat2", None)
    darwin = getattr(library, "renamex_np", None)

    def renamed(one: bytes, other: bytes, how: str) -> int:
        ctypes.set_errno(0)
        if linux is not None:
            result = linux(_AT_FDCWD, one, _AT_FDCWD, other, _LINUX[how])
        else:
            result = darwin(one, other, _DARWIN[how])  # type: ignore[misc]
        return ctypes.get_errno() if result else 0

    return None if linux is None and darwin is None else renamed


def is_being_written(descriptor: int) -> bool | None:
    """Whether anybody has this file open for writing; None where nobody can tell.

    `descriptor` is one open for reading. Linux lends a file to a reader only while
    nobody writes, and only to its owner.
    """
    if sys.platform != "linux":
        return None
    import fcntl
    import signal

    try:
        # Who opens it while it is lent waits for us; the signal that tells us of him
        # would end this process if it were not one that is ignored.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False
