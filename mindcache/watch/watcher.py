"""The watch loop: hints in, syncs out, for months.

One thread works; the tree's threads only drop hints. Hints decide nothing: the
sync looks at the disk. Whatever goes wrong in one round is said and survived;
a tree that stopped is opened again, a root that vanished is waited for, and a
periodic scan finds what no hint told.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache.errors import Locked, MindcacheError, VaultUnavailable
from mindcache.sync import Scope, SyncReport
from mindcache.vault import is_passing
from mindcache.watch.pending import Pending, Work
from mindcache.watch.trees import Died, Exhausted, Tree, open_tree

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Clock", "Rhythm", "Watcher"]

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often things happen, in seconds.

    `rescan` finds what notifications lost (network mounts, overflows, sleep);
    `poll` takes its place where there are no notifications, stretched so that
    walking never takes more than a twentieth of the time; `beat` is well below
    the age at which a heartbeat stops counting.
    """

    rescan: float = 300.0
    poll: float = 2.0
    beat: float = 0.5
    retry: float = 5.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Monotonic seconds; a parameter so that tests can hold it."""

    now: Callable[[], float] = time.monotonic


class Watcher:
    """Keeps one vault's cache in step until it is told to stop.

    `say` gets a line for each thing worth a log, `beat` the state of the daemon
    about every half second and whenever it changes.
    """

    def __init__(
        self,
        app: App,
        say: Say,
        beat: Callable[[dict[str, object]], None],
        rhythm: Rhythm | None = None,
    ) -> None:
        self._app = app
        self._say = say
        self._beat = beat
        self._rhythm = rhythm or Rhythm()
        self._pending = Pending()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stopping = False
        self._working = False
        self._tree: Tree | None = None
        self._mode = "starting"
        self._trouble = ""
        self._warned = False
        self._root = 0
        self._last_scan = ""
        self._scan_cost = 0.0
        self._next_scan = 0.0
        self._retry_at = 0.0

    # -- hints, from other threads -----------------------------------------

    def touched(self, path: str) -> None:
        """A file was created, written or moved here."""
        if self._counts(path):
            with self._lock:
                self._pending.touched(path, time.monotonic())
            self._wake.set()

    def vanished(self, path: str) -> None:
        """A file was deleted here or moved away."""
        if self._counts(path):
            with self._lock:
                self._pending.vanished(path, time.monotonic())
            self._wake.set()

    def everything(self) -> None:
        """A folder came or went, or notifications were lost."""
        with self._lock:
            self._pending.everything(time.monotonic())
        self._wake.set()

    @staticmethod
    def _counts(path: str) -> bool:
        """Whether a path could be a file of the vault, or changes what is one."""
        if path == ".mindcacheignore":
            return True
        return not any(not name or is_passing(name) for name in path.split("/"))

    def stop(self) -> None:
        """End the loop after the round it is in; safe in a signal handler."""
        self._stopping = True
        self._wake.set()

    # -- the loop ------------------------------------------------------------

    def run(self) -> None:
        """Watch until `stop`."""
        try:
            with self._lock:
                self._pending.everything(time.monotonic(), at_once=True)
            while not self._stopping:
                self._supervise()
                self._tell()
                self._work(self._take())
                self._tell()
                self._sleep()
        finally:
            self._close_tree()

    def _take(self) -> Work:
        now = time.monotonic()
        with self._lock:
            if now >= self._next_scan:
                self._pending.everything(now, at_once=True)
            work = self._pending.take(now) if now >= self._retry_at else Work()
            self._working = bool(work)
            return work

    def _sleep(self) -> None:
        now = time.monotonic()
        with self._lock:
            due = self._pending.next_due()
        wait = self._rhythm.beat
        if due is not None:
            wait = min(wait, max(due, self._retry_at) - now)
        if wait > 0:
            self._wake.wait(wait)
        self._wake.clear()

    def _work(self, work: Work) -> None:
        if not work:
            return
        begun = time.monotonic()
        try:
            self._app.refresh()
            scope = None if work.scan else Scope(only=work.paths)
            self._report(self._app.update(scope=scope, wait=self._rhythm.retry))
            self._trouble = ""
        except (Locked, VaultUnavailable) as error:
            self._again(work, str(error))
        except MindcacheError as error:
            self._again(work, str(error))
        except Exception as error:  # noqa: BLE001  an outer wall: the watch goes on for months
            self._again(work, f"{type(error).__name__}: {error}")
        else:
            if work.scan:
                self._scan_cost = time.monotonic() - begun
                self._plan_scan()
        finally:
            self._working = False

    def _again(self, work: Work, reason: str) -> None:
        """Keep what could not be done, and try it a little later."""
        if reason != self._trouble:
            self._say(reason)
        self._trouble = reason
        now = time.monotonic()
        self._retry_at = now + self._rhythm.retry
        with self._lock:
            if work.scan:
                self._pending.everything(now, at_once=True)
            for path in work.paths:
                self._pending.touched(path, now)

    def _plan_scan(self) -> None:
        wait = self._rhythm.rescan
        if self._mode == "polling":
            wait = max(self._rhythm.poll, 20 * self._scan_cost)
        self._next_scan = time.monotonic() + wait
        self._last_scan = self._app.now().isoformat("T", "seconds")

    def _report(self, report: SyncReport) -> None:
        numbers = {
            "added": len(report.added),
            "changed": len(report.changed),
            "moved": len(report.moved),
            "removed": len(report.removed),
        }
        done = ", ".join(f"{count} {word}" for word, count in numbers.items() if count)
        if done:
            self._say(done)
        for problem in (*report.skipped, *report.problems):
            if problem.code != "missing":
                self._say(str(problem))

    # -- the tree under watch ----------------------------------------------

    def _supervise(self) -> None:
        """See that the root is the one we watch and that notifications flow."""
        root = self._root_identity()
        if root != self._root:
            self._close_tree()
            self._root = root
            if root:
                self.everything()
        if not root:
            self._mode = "waiting for the vault"
            return
        if self._tree is None and self._mode != "polling":
            self._open_tree()
        elif self._tree is not None:
            try:
                self._tree.check()
            except (Died, Exhausted) as error:
                self._close_tree()
                self._lose_notifications(error)

    def _root_identity(self) -> int:
        """The root's inode, 0 while it is not there or can't be listed."""
        path = self._app.vault.root
        try:
            os.scandir(path).close()
            return os.stat(path).st_ino
        except OSError:
            return 0

    def _open_tree(self) -> None:
        ignored = self._app.vault.folders_left_out()
        try:
            self._tree = open_tree(self._app.vault.root, ignored, self)
        except Exhausted as error:
            self._lose_notifications(error)
        except OSError as error:
            self._say(f"the vault can't be watched: {error}")
            self._mode = "polling"
        else:
            self._mode = "notified"
            self.everything()  # what happened before the watch was there

    def _lose_notifications(self, error: Exception) -> None:
        if isinstance(error, Died):
            self._say(f"{error}; watching again")
            self._mode = "starting"
        else:
            self._mode = "polling"
            if not self._warned:
                self._say(f"polling instead of being notified: {error}")
            self._warned = True
        self.everything()

    def _close_tree(self) -> None:
        if self._tree is not None:
            self._tree.close()
        self._tree = None
        if self._mode == "notified":
            self._mode = "starting"

    def _tell(self) -> None:
        with self._lock:
            pending = len(self._pending) + self._working
        if self._trouble or self._mode == "waiting for the vault":
            pending = max(pending, 1)
        self._beat(
            {
                "pid": os.getpid(),
                "mode": self._mode,
                "pending": pending,
                "last_scan": self._last_scan,
                "trouble": self._trouble,
            }
        )
