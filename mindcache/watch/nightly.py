"""The digest of the night, started by the daemon: once a civil day, caught up later.

Of several devices that share a vault, one does it (`digest.machine`). It runs as a process of its own, so that the watch never waits for it and the daemon
stays small. Whether there is anything to write is the digest's own affair.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING

from mindcache.config import FORMS
from mindcache.places import from_anywhere

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Nightly"]

# One that was killed, or met a note that was just being written, is begun again: so
# often on a day, with this pause in seconds before the second time, and longer ones
# later.
_TRIES = 3
_PAUSE = 600.0
# Seconds after which a clock that went back counts: one that was a year ahead for a
# minute holds the digest off for a day, and not for a year.
_A_DAY = 20 * 3600.0


class Nightly:
    """Starts the digest when its hour has come; `say` gets a line for the log."""

    def __init__(
        self, app: App, say: Callable[[str], None], pause: float = _PAUSE
    ) -> None:
        self._app = app
        self._say = say
        self._pause = pause
        self._day: date | None = None
        self._began = 0.0
        self._tries = 0
        self._owed_at: float | None = None
        self._said_elsewhere = ""
        self._running: subprocess.Popen[bytes] | None = None
        self._complained = ""

    def look(self) -> None:
        """Start it where it is due, and say how it ended."""
        if self._running is not None:
            self._follow(self._running)
            return
        now = self._app.now()
        if not (self._is_due(now) or self._is_owed()) or self._is_elsewhere():
            return
        # A day is not begun twice, whatever the clock does meanwhile.
        if self._owed_at is None:
            self._day, self._tries = now.date(), 0
        self._began, self._owed_at = time.monotonic(), None
        self._running = subprocess.Popen(  # noqa: S603  our own program
            [
                sys.executable,
                "-P",
                "-m",
                "mindcache",
                "digest",
                "--unasked",
                *self._words(),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=from_anywhere(os.environ),
        )

    def _words(self) -> list[str]:
        caches = os.path.abspath(os.path.dirname(self._app.cache_folder))
        return ["--vault", self._app.vault.root, "--cache-dir", caches]

    def _is_due(self, now: datetime) -> bool:
        given = self._app.settings.text("digest.at").strip()
        if not given:
            return False
        match = FORMS["digest.at"][0].fullmatch(given)
        if match is None:
            if given != self._complained:
                self._say(f"digest.at is no time of day: {given!r}; write it as 03:00")
            self._complained = given
            return False
        is_past = (now.hour, now.minute) >= (int(match[1]), int(match[2]))
        return is_past and self._is_another(now.date())

    def _is_another(self, day: date) -> bool:
        """Whether this is not the day of the last digest, nor one before it."""
        if self._day is None or day > self._day:
            return True
        return day != self._day and time.monotonic() - self._began > _A_DAY

    def _is_owed(self) -> bool:
        """Whether the last one came to nothing, and is to be tried once more."""
        return self._owed_at is not None and time.monotonic() >= self._owed_at

    def _is_elsewhere(self) -> bool:
        from mindcache.digest.machine import elsewhere

        named = elsewhere(self._app)
        if named and named != self._said_elsewhere:
            self._say(f"the daemon on {named} lets the digest run (digest.machine)")
        self._said_elsewhere = named
        return bool(named)

    def _follow(self, running: subprocess.Popen[bytes]) -> None:
        code = running.poll()
        if code is None:
            return
        self._running = None
        if code == 0:
            self._say("digested")
            return
        self._tries += 1
        again = ""
        if self._tries < _TRIES:
            pause = self._pause * self._tries
            self._owed_at = time.monotonic() + pause
            again = f"; once more in {pause / 60:.0f} min"
        self._say(f"the digest ended with {code}{again}")

    def close(self) -> None:
        """End it where it still runs; the next one goes on from what it wrote."""
        if self._running is not None:
            self._running.terminate()
            self._running.wait()
            self._running = None
