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

__all__ = ["FRESH_SECONDS", "Beat", "alive", "find_holder", "is_fresh", "read"]

# Older heartbeats don't count: the daemon beats every half second, and a machine
# that was asleep has not looked at its disk since.
FRESH_SECONDS = 2.0

# Whoever asks whether a daemon lives touches its lock for an instant; a daemon
# that starts in that instant tries again for so long before it gives way.
_ASKING_SECONDS = 0.5


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
    """Whether a living daemon has seen the disk just now and has nothing to do.

    Only one that is notified of changes has seen it; one that polls has not.
    """
    try:
        age = time.time_ns() - os.stat(_state_path(folder)).st_mtime_ns
    except OSError:
        return False
    if not -1e9 * FRESH_SECONDS < age < 1e9 * FRESH_SECONDS:
        return False
    state = read(folder)
    idle = state.get("pending") == 0 and state.get("mode") == "notified"
    return idle and alive(folder)


def find_holder(folder: str) -> int | None:
    """The process number of the daemon that lives, None when it can't be known.

    The number that is written counts only while the process that has it began
    when the writer did: numbers are given out again.
    """
    if not alive(folder):
        return None
    state = read(folder)
    pid = state.get("pid")
    if not isinstance(pid, int) or pid <= 0 or state.get("began") != _began(pid):
        return None
    return pid


def _began(pid: int) -> str:
    """When a process began, in whatever words the system has for it; "" unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name in brackets may hold spaces and brackets itself.
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (FileNotFoundError, ProcessLookupError):
        if os.path.exists("/proc/self/stat"):
            return ""
    if os.name == "nt":
        return ""
    import subprocess

    words = ["ps", "-o", "lstart=", "-p", str(pid)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  a number of our own
    return done.stdout.strip()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class Beat:
    """The daemon's own side: it holds the lock for as long as it lives."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._said: Mapping[str, object] = {}
        self._lock = -1
        self._who = {"pid": os.getpid(), "began": _began(os.getpid())}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the vault's one daemon. Raises Locked when another is."""
        self._acquire()
        try:
            yield
            with suppress(OSError):
                os.unlink(_state_path(self._folder))
        finally:
            os.close(self._lock)

    def _acquire(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        try:
            self._lock = lock.acquire(_lock_path(self._folder), _ASKING_SECONDS)
        except Locked as error:
            pid = find_holder(self._folder) or "?"
            raise Locked(
                f"a daemon watches this vault already (process {pid})",
                mend="mindcache daemon status shows it, mindcache daemon stop ends it",
            ) from error
        # What is there was said by one that died.
        with suppress(FileNotFoundError):
            os.unlink(_state_path(self._folder))
        self._said = {}

    def say(self, state: Mapping[str, object]) -> None:
        """Beat, and where something changed, say so.

        A folder that was deleted meanwhile is made again, with its lock. Raises
        Locked when another daemon took the vault then, and OSError when nothing
        can be written; what was said before is withdrawn, so that nobody trusts it.
        """
        self._keep()
        path = _state_path(self._folder)
        if state == self._said:
            with suppress(FileNotFoundError):
                os.utime(path)
                return
        temporary = f"{path}.{os.getpid()}.tmp"
        try:
            with open(temporary, "w", encoding="utf-8", opener=_private) as file:
                json.dump({**self._who, **state}, file)
            os.replace(temporary, path)
        except OSError:
            self._said = {}
            for name in (temporary, path):
                with suppress(OSError):
                    os.unlink(name)
            raise
        self._said = dict(state)

    def _keep(self) -> None:
        """See that the lock we hold is still the one that others would ask for."""
        if lock.is_in_place(_lock_path(self._folder), self._lock):
            return
        lost = self._lock
        self._acquire()
        os.close(lost)
