"""Files and folders that somebody else may have prepared: what they must be to be used.

Owns two questions: whether a name that ought to be a plain file leads to a pipe, a
device or something endless, and whether a folder of this machine is its user's own.
Git carries symbolic links: `.mindcacheignore` may lead to /dev/zero.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from io import BufferedReader

__all__ = [
    "LINE_BYTES",
    "SETTINGS_BYTES",
    "foreign",
    "lines_of",
    "open_plain",
    "read_plain",
]

SETTINGS_BYTES = 4 << 20
"""The largest file of settings that is read: a thousand times what a person writes."""

LINE_BYTES = 1 << 20
"""The longest line of a log or ledger that is read: a thousand times what we write."""


def open_plain(path: str) -> BufferedReader:
    """A plain file, or the one that a link leads to, open to be read.

    Raises OSError, at once also for a pipe that nobody writes to, and for a device.
    """
    wait_not = getattr(os, "O_NONBLOCK", 0)
    file = open(path, "rb", opener=lambda p, flags: os.open(p, flags | wait_not))  # noqa: SIM115  it is the answer
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", path)
    return file


def read_plain(path: str, most: int = SETTINGS_BYTES) -> bytes:
    """The bytes of a plain file. Raises OSError, also where it has more than `most`."""
    with open_plain(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes", path)
    return data


def lines_of(file: BufferedReader, most: int = LINE_BYTES) -> Iterator[bytes]:
    """The lines of a file, with their ends; of one longer than `most` its beginning.

    So no line that somebody else wrote takes more room than ours do.
    """
    while line := file.readline(most):
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = file.readline(most)
        yield line if rest is line or not rest.endswith(b"\n") else line + b"\n"


def foreign(folder: str, *, shared: bool = True) -> str:
    """Why what lies in a folder may be another user's doing; "" when it may not.

    A folder that isn't there yet is nobody's. The system's own, such as /tmp, counts
    as foreign unless `shared`. A link counts for whoever made it and for where it leads.
    """
    if os.name != "posix":
        return ""
    mine = {0, os.geteuid()}
    try:
        made, found = os.lstat(folder), os.stat(folder)
    except OSError:
        return ""
    if not {made.st_uid, found.st_uid} <= mine:
        return "belongs to another user"
    if not shared and found.st_mode & stat.S_ISVTX and found.st_mode & stat.S_IWOTH:
        return "is a folder that everybody shares"
    return ""
