"""What takes longer than a hook may: one process that outlives it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from mindcache.cache import lock
from mindcache.places import from_anywhere
from mindcache.session.nesting import NESTED

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["begin", "is_busy", "lock_path"]


def lock_path(app: App) -> str:
    """The lock of the one process that does what sessions leave to do."""
    return os.path.join(app.cache_folder, "session.lock")


def is_busy(app: App) -> bool:
    """Whether such a process is at it already."""
    return lock.is_held(lock_path(app))


def begin(app: App, job: str, paths: Sequence[str] = ()) -> bool:
    """Begin a job beside us; False where the system has no room for it.

    It holds no pipe of ours, lives in a session of its own, and has no hooks.
    """
    import subprocess

    environment = {
        **from_anywhere(os.environ),
        NESTED: "1",
        "MINDCACHE_VAULT": app.vault.root,
        "MINDCACHE_CACHE_DIR": os.path.abspath(os.path.dirname(app.cache_folder)),
    }
    named = [word for path in paths for word in ("--file", path)]
    kind = (
        {"creationflags": 0x00000008 | 0x00000200}  # detached, in a group of its own
        if os.name == "nt"
        else {"start_new_session": True}
    )
    with suppress(OSError):
        subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-P", "-m", "mindcache", "hook", job, *named],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=environment,
            close_fds=True,
            **kind,
        )
        return True
    return False
