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
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mindcache import config
from mindcache.app import database_errors
from mindcache.errors import Locked, MindcacheError, Problem, VaultUnavailable
from mindcache.filenames import is_passing
from mindcache.sync import Scope, SyncReport
from mindcache.watch.arrivals import Arrivals
from mindcache.watch.nightly import Nightly
from mindcache.watch.pending import Pending, Work
from mindcache.watch.sharing import Sharing
from mindcache.watch.trees import Died, Exhausted, Tree, open_tree, shared_kind

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Rhythm", "Watcher"]

Say = Callable[[str], None]
Mode = Literal["starting", "notified", "polling", "waiting for the vault"]

# Polling may take this share of the time, so a walk is followed by as many rests.
_POLL_SHARE = 20
# A beat must not be late because another process has the cache: the loop asks
# for it again and again instead of waiting in one go.
_LOCK_SECONDS = 1.0

_LEAKY = "its file system does not tell of all changes"


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


class _Stopped(Exception):
    """The loop was told to stop while a sync ran."""


class Watcher:
    """Keeps one vault's cache in step until it is told to stop.

    `say` gets a line for each thing worth a log, `beat` the state of the daemon
    about every half second and whenever it begins or ends to have something to
    do. `beat` may raise OSError, which is survived, and Locked, which ends `run`.
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
        # Guards what hints change; `_telling` keeps the beats in their order. Where
        # both are held, `_telling` was taken first.
        self._lock = threading.Lock()
        self._telling = threading.Lock()
        self._pending = Pending()
        self._arrivals = Arrivals(app.vault.root)
        self._working = False
        self._told_idle = False
        self._wakes_at = 0.0
        self._wake = threading.Event()
        self._stopping = False
        self._tree: Tree | None = None
        self._mode: Mode = "starting"
        self._trouble = ""
        self._mishap = ""
        self._said_mute = ""
        self._said_polling = ""
        self._said_problems: set[Problem] = set()
        self._root: tuple[int, int] | None = None
        self._settings: tuple[object, ...] | None = None
        self._unprompted = False
        self._leaks = 0
        self._damaged = False
        self._last_scan = ""
        self._scan_cost = 0.0
        self._next_scan = 0.0
        self._retry_at = 0.0
        self._reopen_at = 0.0
        self._nightly = Nightly(app, say)
        self._sharing = Sharing(app, say)

    # -- hints, from other threads -----------------------------------------

    def touched(self, path: str) -> None:
        """A file was created, written or moved here."""
        if _counts(path):
            self._arrivals.touched(path)
            self._hint(lambda now: self._pending.touched(path, now))

    def vanished(self, path: str) -> None:
        """A file was deleted here or moved away."""
        self._arrivals.vanished(path)
        if _counts(path):
            self._hint(lambda now: self._pending.vanished(path, now))

    def everything(self) -> None:
        """A folder came or went, or notifications were lost."""
        self._hint(self._pending.everything)

    def _hint(self, add: Callable[[float], float]) -> None:
        with self._lock:
            due = add(time.monotonic())
            sooner = due < self._wakes_at
            told_idle = self._told_idle
        if told_idle:
            # At once and from here, for the loop may be in the middle of a scan:
            # whoever asks right after a save must not be told that all is seen.
            with suppress(OSError, Locked):  # the loop tells again, and minds these
                self._tell()
        if sooner:
            self._wake.set()

    def stop(self) -> None:
        """End the loop within a beat, or after the batch it is in.

        Safe in a signal handler, which is why it takes no lock and wakes nobody.
        """
        self._stopping = True

    # -- the loop ------------------------------------------------------------

    def run(self) -> None:
        """Watch until `stop`. Raises Locked when another daemon took the vault."""
        try:
            with self._lock:
                self._pending.everything(time.monotonic(), at_once=True)
            while not self._stopping:
                self._round()
                self._sleep()
        finally:
            self._close_tree()
            self._nightly.close()
            self._sharing.close()

    def _round(self) -> None:
        mishap = ""
        try:
            self._supervise()
            if self._last_scan and self._root is not None:
                self._nightly.look()
                self._sharing.look()
        except Exception as error:  # noqa: BLE001  an outer wall: the watch goes on for months
            mishap = f"{type(error).__name__}: {error}"
        if mishap and mishap != self._mishap:
            self._say(mishap)
        self._mishap = mishap
        self._tell_surely()
        work = self._take()
        self._work(work)
        if work.scan and self._app.vault.exists(".mindcache"):
            # Now and then, and never into a vault in which nothing is ours yet.
            self._app.flush_uses()
        self._tell_surely()

    def _take(self) -> Work:
        now = time.monotonic()
        if self._root is None or now < self._retry_at:
            return Work()
        with self._lock:
            self._unprompted = now >= self._next_scan and not self._pending
            if now >= self._next_scan:
                self._pending.everything(now, at_once=True)
            work = self._pending.take(now)
            self._working = bool(work)
            return work

    def _sleep(self) -> None:
        now = time.monotonic()
        with self._lock:
            due = self._pending.next_due()
            wait = self._rhythm.beat
            if due is not None and self._root is not None:
                wait = min(wait, max(due, self._retry_at) - now)
            self._wakes_at = now + wait if now >= self._retry_at else 0.0
        if wait > 0:
            self._wake.wait(wait)
        self._wake.clear()

    def _work(self, work: Work) -> None:
        if not work:
            return
        begun = time.monotonic()
        arrived = self._arrivals.known()
        try:
            self._app.refresh()
            report = self._app.update(
                rebuild=self._damaged,
                scope=Scope(only=work.paths, arrived=arrived),
                wait=_LOCK_SECONDS,
                check=self._go_on,
            )
        except _Stopped:
            self._working = False
        except Locked as error:
            self._again(work, str(error), 0.0)
        except MindcacheError as error:
            self._again(work, str(error), self._rhythm.retry)
        except Exception as error:  # noqa: BLE001  an outer wall: the watch goes on for months
            self._damaged = _is_damage(error)
            self._again(work, f"{type(error).__name__}: {error}", self._rhythm.retry)
        else:
            self._working = False
            self._damaged = False
            self._arrivals.seen(None if work.scan else work.paths)
            self._end_round(work, report, begun)

    def _go_on(self) -> None:
        if self._stopping:
            raise _Stopped

    def _end_round(self, work: Work, report: SyncReport, begun: float) -> None:
        if self._trouble:
            self._say("that is over; going on")
        self._trouble = ""
        self._report(report, whole=work.scan)
        if not work.scan:
            return
        if not _did(report):  # else it was the indexing that took the time
            self._scan_cost = time.monotonic() - begun
        elif self._unprompted and self._mode == "notified":
            self._doubt()
        self._plan_scan()

    def _again(self, work: Work, reason: str, wait: float) -> None:
        """Keep what could not be done, and try it a little later."""
        if reason != self._trouble:
            self._say(reason)
        self._trouble = reason
        now = time.monotonic()
        self._retry_at = now + wait
        with self._lock:
            self._working = False
            if work.scan:
                self._pending.everything(now, at_once=True)
            for path in work.paths:
                self._pending.owed(path, now)

    def _plan_scan(self) -> None:
        wait = self._rhythm.rescan
        if self._mode == "polling":
            wait = min(wait, max(self._rhythm.poll, _POLL_SHARE * self._scan_cost))
        self._next_scan = time.monotonic() + wait
        self._last_scan = self._app.now().isoformat("T", "seconds")

    def _report(self, report: SyncReport, *, whole: bool) -> None:
        """Say what was done, and each problem once for as long as it is met."""
        numbers = {
            "added": len(report.added),
            "changed": len(report.changed),
            "moved": len(report.moved),
            "removed": len(report.removed),
        }
        done = ", ".join(f"{count} {word}" for word, count in numbers.items() if count)
        if done:
            self._say(done)
        met = {p for p in (*report.skipped, *report.problems) if p.code != "missing"}
        for problem in sorted(met - self._said_problems):
            self._say(str(problem))
        self._said_problems = met if whole else self._said_problems | met

    def _doubt(self) -> None:
        """Mind that a periodic scan found what should have been told.

        The first time the vault is watched anew; the second time its file system
        is taken for one that does not tell.
        """
        with self._lock:
            told = len(self._pending) > 0
        if told:
            return
        self._leaks += 1
        if self._leaks == 1:
            self._say("changes were found that nobody told of; watching again")
            self._close_tree()
            self._reopen_at = 0.0
        else:
            self._poll(_LEAKY)

    # -- the tree under watch ----------------------------------------------

    def _supervise(self) -> None:
        """See that the root is the one we watch and that notifications flow."""
        self._look_at_root()
        if self._root is None:
            return
        self._look_at_settings()
        if self._tree is not None:
            self._check_tree(self._tree)
        if self._tree is None and time.monotonic() >= self._reopen_at:
            self._open_tree()
        if self._last_scan and not os.path.exists(self._app.cache_path):
            with self._lock:
                waiting = len(self._pending) > 0
            if not waiting:
                self.everything()

    def _look_at_root(self) -> None:
        root = _identity(self._app.vault.root)
        if root is None and self._mode != "waiting for the vault":
            self._say("the vault can't be read; waiting for it")
            self._close_tree()
            self._mode = "waiting for the vault"
        elif root is not None and root != self._root:
            if self._mode == "waiting for the vault":
                self._say("the vault is there")
            self._close_tree()
            self._mode = "starting"
            self._reopen_at = self._retry_at = 0.0
            self.everything()
        self._root = root

    def _look_at_settings(self) -> None:
        """Notice settings that changed: they may change what a note is, and means."""
        root = self._app.vault.root
        settings = tuple(
            _stamp(path)
            for path in (
                os.path.join(root, ".mindcacheignore"),
                os.path.join(root, ".obsidian", "daily-notes.json"),
                config.vault_config_path(root),
                config.machine_config_path(),
            )
        )
        if self._settings is not None and settings != self._settings:
            self._close_tree()
            self._reopen_at = self._retry_at = 0.0
            self.everything()
        self._settings = settings

    def _check_tree(self, tree: Tree) -> None:
        try:
            tree.check()
        except Died as error:
            self._say(f"{error}; watching again")
            self._close_tree()
            self.everything()
        except Exhausted as error:
            self._close_tree()
            self._give_up(error)

    def _open_tree(self) -> None:
        # Should it end at once again, the next try waits.
        self._reopen_at = time.monotonic() + self._rhythm.retry
        try:
            ignored = self._app.vault.folders_left_out()
            self._tree = open_tree(self._app.vault.root, ignored, self)
        except (Exhausted, OSError, VaultUnavailable) as error:
            self._give_up(error)
            return
        if kind := shared_kind(self._app.vault.root):
            self._poll(f"{kind} does not tell of what other machines change")
        elif self._leaks > 1:
            self._poll(_LEAKY)
        else:
            if self._mode == "polling":
                self._say("notified again")
            self._mode = "notified"
            self._arrivals.looks()
        self.everything()  # what happened before the watch was there

    def _give_up(self, error: Exception) -> None:
        """Poll; whether notifications can be had again is tried now and then."""
        self._reopen_at = time.monotonic() + self._rhythm.rescan
        self._poll(str(error))

    def _poll(self, reason: str) -> None:
        if self._said_polling != reason:
            self._say(f"polling instead of being notified: {reason}")
        self._said_polling = reason
        if self._mode != "polling":
            self._mode = "polling"
            self.everything()

    def _close_tree(self) -> None:
        self._arrivals.blind()
        if self._tree is not None:
            self._tree.close()
        self._tree = None
        if self._mode == "notified":
            self._mode = "starting"

    # -- the sign of life ----------------------------------------------------

    def _tell_surely(self) -> None:
        mute = ""
        try:
            self._tell()
        except OSError as error:
            # An old sign of life is as good as none: questions look for themselves.
            mute = f"no sign of life can be written: {error.strerror}"
        if mute and mute != self._said_mute:
            self._say(mute)
        self._said_mute = mute

    def _tell(self) -> None:
        with self._telling:
            with self._lock:
                pending = len(self._pending) + self._working
                if self._trouble or self._mishap or self._root is None:
                    pending = max(pending, 1)
                self._told_idle = pending == 0
            self._beat(
                {
                    "mode": self._mode,
                    "pending": pending,
                    "last_scan": self._last_scan,
                    "trouble": self._trouble or self._mishap,
                }
            )


def _did(report: SyncReport) -> bool:
    """Whether a sync changed anything."""
    return bool(report.added or report.changed or report.moved or report.removed)


def _counts(path: str) -> bool:
    """Whether a path could be a file of the vault."""
    return not any(not name or is_passing(name) for name in path.split("/"))


def _identity(root: str) -> tuple[int, int] | None:
    """Which folder the root is; None while it is not there or can't be listed."""
    try:
        os.scandir(root).close()
        status = os.stat(root)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _stamp(path: str) -> tuple[int, int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0, 0
    return status.st_size, status.st_mtime_ns, status.st_ino


def _is_damage(error: Exception) -> bool:
    """Whether the cache's file itself is broken; it is then built anew."""
    words = str(error)
    is_broken = "malformed" in words or "not a database" in words
    return is_broken and isinstance(error, database_errors())
