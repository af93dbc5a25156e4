"""The digest of the night, started by the daemon: once a civil day, caught up later.

It runs as a process of its own, so that the watch never waits for it and the daemon
stays small. Whether there is anything to write is the digest's own affair.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Nightly"]

_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


class Nightly:
    """Starts the digest when its hour has come; `say` gets a line for the log."""

    def __init__(self, app: App, say: Callable[[str], None]) -> None:
        self._app = app
        self._say = say
        self._day: date | None = None
        self._running: subprocess.Popen[bytes] | None = None
        self._complained = ""

    def look(self) -> None:
        """Start it where it is due, and say how it ended."""
        if self._running is not None:
            self._follow(self._running)
            return
        now = self._app.now()
        if not self._is_due(now):
            return
        # A day is not begun twice, whatever the clock does meanwhile.
        self._day = now.date()
        self._running = subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-P", "-m", "mindcache", "digest", *self._words()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
        )

    def _words(self) -> list[str]:
        caches = os.path.abspath(os.path.dirname(self._app.cache_folder))
        return ["--vault", self._app.vault.root, "--cache-dir", caches]

    def _is_due(self, now: datetime) -> bool:
        given = self._app.settings.text("digest.at").strip()
        if not given:
            return False
        match = _TIME.fullmatch(given)
        if match is None:
            if given != self._complained:
                self._say(f"digest.at is no time of day: {given!r}; write it as 03:00")
            self._complained = given
            return False
        is_past = (now.hour, now.minute) >= (int(match[1]), int(match[2]))
        return is_past and (self._day is None or now.date() > self._day)

    def _follow(self, running: subprocess.Popen[bytes]) -> None:
        code = running.poll()
        if code is None:
            return
        self._running = None
        ended = "digested" if code == 0 else f"the digest ended with {code}"
        self._say(ended)

    def close(self) -> None:
        """End it where it still runs; the next one goes on from what it wrote."""
        if self._running is not None:
            self._running.terminate()
            self._running.wait()
            self._running = None
