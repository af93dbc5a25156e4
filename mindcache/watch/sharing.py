"""The sync by git, started by the daemon as often as the vault says.

A process of its own, so that a slow remote keeps no change from being noticed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from mindcache.config import FORMS
from mindcache.places import from_anywhere

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Sharing"]

_SECONDS = {"m": 60, "h": 3600}
# Most syncs end sooner; of a slower one nobody waits for the end.
_FAREWELL = 2.0


class Sharing:
    """Starts a sync when it is time; `say` gets a line for the log.

    `clock` counts seconds. The first comes with the daemon, and each one its time after
    the last has ended.
    """

    def __init__(
        self,
        app: App,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._say = say
        self._clock = clock
        self._ended: float | None = None
        self._running: subprocess.Popen[bytes] | None = None
        self._complained = ""
        self._code: int | None = None

    def look(self) -> None:
        """Start it where it is due, and say how it ended where that is news."""
        if self._running is not None:
            self._follow(self._running)
        elif self._is_due():
            caches = os.path.abspath(os.path.dirname(self._app.cache_folder))
            where = ["--vault", self._app.vault.root, "--cache-dir", caches]
            self._running = subprocess.Popen(  # noqa: S603  our own program
                [sys.executable, "-P", "-m", "mindcache", "git", "sync", *where],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                env=from_anywhere(os.environ),
            )

    def _is_due(self) -> bool:
        given = self._app.settings.text("git.every").strip()
        match = FORMS["git.every"][0].fullmatch(given)
        if match is None:
            if given and given != self._complained:
                self._say(f"git.every is no time: {given!r}; write it as 30m or 1h")
            self._complained = given
            return False
        pause = int(match[1]) * _SECONDS[match[2]]
        return self._ended is None or self._clock() - self._ended >= pause

    def _follow(self, running: subprocess.Popen[bytes]) -> None:
        code = running.poll()
        if code is None:
            return
        self._running = None
        self._ended = self._clock()
        if code != self._code:
            why = f"the sync by git ended with {code}; mindcache git sync says why"
            self._say("in step with the other clones" if code == 0 else why)
        self._code = code

    def close(self) -> None:
        """Let it go where it still runs: git is not to be killed in its work."""
        if self._running is not None:
            with suppress(subprocess.TimeoutExpired):
                self._running.wait(_FAREWELL)
            self._running = None
