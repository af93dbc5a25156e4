"""A process that dies, or meets a full disk, at a chosen one of the calls that write.

The calls are those of the system below the vault's and the cache's own seams: files
made, written, named, exchanged and deleted, transactions of SQLite, and runs of git.
A kill before the call after is a kill after the call.
"""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mindcache import swapping

How = Literal["count", "kill", "torn", "full", "lost", "interrupt"]

# Seconds after which a child that hangs is ended by the system.
PATIENCE = 120
# What needs room on a disk. A name in a folder that is there needs none.
_ROOM = {"open", "write", "mkdir", "fsync", "sqlite"}
_CHANGING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_STATEMENTS = ("COMMIT", "VACUUM", "PRAGMA WAL_CHECKPOINT", "INSERT INTO FTS (FTS)")


@dataclass
class Fault:
    """Something that happens at the call of this number (from 1) below `root`.

    "kill" ends the process before the call, "torn" in the middle of a write,
    "interrupt" is Ctrl-C. From the call on, a "full" disk takes nothing more, and a
    "lost" vault, the folder `vault`, may not be written.
    """

    root: str
    vault: str
    how: How = "count"
    at: int = 0
    names: list[str] = field(default_factory=list)

    def meet(
        self, call: str, what: str, tear: Callable[[], None] | None = None
    ) -> None:
        """One call is about to be made; `what` is its path, or its words."""
        self.names.append(f"{call} {os.path.relpath(what, self.root)}")
        number = len(self.names)
        if number == self.at and self.how == "torn" and tear is not None:
            tear()
        if number == self.at and self.how in ("kill", "torn"):
            os.kill(os.getpid(), signal.SIGKILL)
        if number == self.at and self.how == "interrupt":
            raise KeyboardInterrupt
        if not self.at or number < self.at:
            return
        if self.how == "full" and call in _ROOM:
            if call == "sqlite":
                raise sqlite3.OperationalError("database or disk is full")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), what)
        if self.how == "lost" and what.startswith(self.vault) and call != "git":
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), what)

    def concerns(self, path: Any) -> bool:
        """Whether a file of this path is one of those that are watched."""
        text = os.fsdecode(path) if not isinstance(path, int) else ""
        return text.startswith(self.root) and not text.endswith(".lock")

    # -- the calls -------------------------------------------------------

    def install(self) -> None:
        """Stand between this process and the system, for good."""
        for name in ("unlink", "remove", "rmdir", "mkdir", "chmod"):
            self._path_call(os, name)
        for name in ("link", "replace", "rename"):
            self._path_call(os, name, last=1)
        for name in ("exchange", "rename_new"):
            self._path_call(swapping, name, last=1)
        for name in ("fsync", "ftruncate"):
            self._descriptor_call(name)
        self._open()
        self._write()
        self._sqlite()
        self._git()

    def _path_call(self, module: Any, name: str, last: int = 0) -> None:
        real = getattr(module, name)

        def call(*values: Any, **more: Any) -> Any:
            if self.concerns(values[last]) and not more.get("dir_fd"):
                self.meet(name, os.fsdecode(values[last]))
            return real(*values, **more)

        setattr(module, name, call)

    def _descriptor_call(self, name: str) -> None:
        real = getattr(os, name)

        def call(descriptor: int, *values: Any) -> Any:
            if self.concerns(path := _path_of(descriptor)):
                self.meet(name, path)
            return real(descriptor, *values)

        setattr(os, name, call)

    def _open(self) -> None:
        real = os.open

        def call(path: Any, flags: int, *values: Any, **more: Any) -> int:
            if flags & _CHANGING and self.concerns(path):
                self.meet("open", os.fsdecode(path))
            return real(path, flags, *values, **more)

        os.open = call  # type: ignore[assignment]

    def _write(self) -> None:
        real = os.write

        def call(descriptor: int, data: bytes) -> int:
            if self.concerns(path := _path_of(descriptor)):
                half = bytes(data[: len(data) // 2])
                self.meet("write", path, lambda: real(descriptor, half) and None)
            return real(descriptor, data)

        os.write = call  # type: ignore[assignment]

    def _sqlite(self) -> None:
        fault, connect = self, sqlite3.connect

        def watch(sql: str) -> None:
            words = " ".join(sql.split())
            if words.upper().startswith(_STATEMENTS):
                fault.meet("sqlite", f"{fault.root}/{words.split(' (')[0]}")

        class Cursor(sqlite3.Cursor):
            def execute(self, sql: str, *values: Any) -> Any:
                watch(sql)
                return super().execute(sql, *values)

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *values: Any) -> Any:
                watch(sql)
                return super().execute(sql, *values)

            def cursor(self, factory: Any = Cursor) -> Any:
                return super().cursor(factory)

        def connecting(path: Any, *values: Any, **more: Any) -> sqlite3.Connection:
            if fault.concerns(path):
                more.setdefault("factory", Connection)
            return connect(path, *values, **more)

        sqlite3.connect = connecting  # type: ignore[assignment]

    def _git(self) -> None:
        run = subprocess.run

        def running(words: Any, *values: Any, **more: Any) -> Any:
            if words[0] == "git":
                verb = next(w for w in words[3:] if w[0] != "-" and "=" not in w)
                self.meet("git", f"{self.root}/{verb}")
            return run(words, *values, **more)

        subprocess.run = running  # type: ignore[assignment]


def _path_of(descriptor: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return ""


def in_a_child(work: Callable[[], int], said: Path | None = None) -> int:
    """Do it in a process of its own: its exit code, negative for a signal.

    What it says goes into the file `said`. 99 is an exception that nobody caught.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = 99
        try:
            signal.alarm(PATIENCE)
            if said is not None:
                file = said.open("w")
                sys.stdout = sys.stderr = file
                sys.__stdout__ = sys.__stderr__ = file
            code = work()
        except BaseException:  # noqa: BLE001  the wall of this process; it is told
            traceback.print_exc()
        finally:
            if said is not None:
                sys.stdout.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
