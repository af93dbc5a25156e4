"""Writing a file whole or not at all, so that no reader ever sees half of it.

Standard library only, and knows nothing of notes. The temporary file lies in the
target's own folder, hidden, and is gone when the call returns or raises; a killed
process may leave one behind.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterator

from mindcache.hashing import blake2b

__all__ = ["building", "create", "is_temporary", "rename", "replace", "settle"]

_WRITES = itertools.count()  # no two writes of this process share a temporary file
# The names of temporary files: hash, process, number.
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.mindcache-\d+-\d+\.tmp")
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP}


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one that is still to get its own name."""
    return _TEMPORARY.fullmatch(name) is not None


def replace(
    full: str,
    data: bytes,
    check: Callable[[], None] = lambda: None,
    *,
    settled: bool = True,
) -> None:
    """Put `data` in place of the file, which keeps its mode; or make it anew.

    `check` is called at the last moment and may raise to leave all as it is. Without
    `settled` the caller does `settle`, once for many files of a folder: until then a
    loss of power may bring the old file back, whole. Raises OSError.
    """
    try:
        mode = stat.S_IMODE(os.stat(full).st_mode)
    except FileNotFoundError:
        mode = None
    temporary = _write_beside(full, data, mode)
    try:
        check()
        os.replace(temporary, full)
    except BaseException:
        # It may have its name already: Ctrl-C comes between any two steps.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    if settled:
        settle(full)


def create(full: str, data: bytes) -> None:
    """Write a new file by the umask. Raises FileExistsError, never writes over one."""
    temporary = _write_beside(full, data, None)
    try:
        _name(temporary, full)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    settle(full)


@contextlib.contextmanager
def building(full: str, *, over: bool = False) -> Iterator[str]:
    """A temporary file's path, to be filled piece by piece; then it takes the name.

    It exists already, empty. When the block raises, nothing is left of it. Raises
    OSError, and FileExistsError at the end when the name was taken meanwhile, unless
    it may go `over` a file.
    """
    temporary = _write_beside(full, b"", None)
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        if over:
            os.replace(temporary, full)
        else:
            _name(temporary, full)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    settle(full)


def rename(full: str, target: str) -> None:
    """Give a file another path, whose folder exists and whose name is free.

    Raises OSError.
    """
    os.rename(full, target)  # noqa: TID251  the one rename of a file that is whole
    settle(target)
    settle(full)


def _name(temporary: str, full: str) -> None:
    """Give the temporary file its name, unlike a rename never over a file."""
    try:
        os.link(temporary, full)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
    else:
        return
    # A file system without hard links: take the name first, then fill it.
    os.close(os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        os.replace(temporary, full)
    except BaseException:
        # It may have its name already: Ctrl-C comes between any two steps.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(full)
        raise


def _write_beside(full: str, data: bytes, mode: int | None) -> str:
    """A temporary file with the data; `mode` None leaves it to the umask."""
    folder, name = os.path.split(full)
    short = blake2b(name.encode("utf-8", "surrogateescape")).hexdigest()
    unique = f"{os.getpid()}-{next(_WRITES)}"
    temporary = os.path.join(folder, f".{short[:16]}.mindcache-{unique}.tmp")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)  # of a killed process that had our number
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
    except BaseException:
        # It may have its name already: Ctrl-C comes between any two steps.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    return temporary


def settle(full: str) -> None:
    """Make the new names in the file's folder survive a loss of power, if possible."""
    if os.name != "posix":
        return
    # The file is written by now: a folder that can't be opened is no failure.
    with contextlib.suppress(OSError):
        descriptor = os.open(os.path.dirname(full), os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
