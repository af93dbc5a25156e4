"""The name of this device: what its files beside the notes are called.

Files that several devices append to would conflict in every sync, so each writes
its own. The name is drawn once and kept in the machine's state folder.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import secrets

from mindcache import atomic
from mindcache.errors import MindcacheError

__all__ = ["name"]

_ODD = re.compile(r"[^a-z0-9]+")
_NAME = re.compile(r"[a-z0-9-]{1,60}-[0-9a-f]{4}")


def name(state_folder: str) -> str:
    """This device's name, such as `laptop-3f9a`. Raises MindcacheError."""
    path = os.path.join(state_folder, "device")
    known = _read(path)
    if known:
        return known
    host = _ODD.sub("-", platform.node().partition(".")[0].lower()).strip("-")
    drawn = f"{host[:40].strip('-') or 'device'}-{secrets.token_hex(2)}"
    try:
        os.makedirs(state_folder, mode=0o700, exist_ok=True)
        # Of two processes that draw at once, the first one's name holds.
        with contextlib.suppress(FileExistsError):
            atomic.create(path, f"{drawn}\n".encode())
        if not _read(path):
            atomic.replace(path, f"{drawn}\n".encode())
    except OSError as error:
        raise MindcacheError(
            f"{path}: can't be written: {error.strerror}",
            mend="check its permissions, or name another folder by MINDCACHE_STATE_DIR",
        ) from error
    return _read(path) or drawn


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            found = file.read(100).strip()
    except OSError:
        return ""
    return found if _NAME.fullmatch(found) else ""
