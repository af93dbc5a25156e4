"""The process around the watch loop: one a vault, started, found and ended.

A daemon is known by the lock it holds beside the cache, never by its number
alone: a number that was given to another process since is not ours to signal.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from mindcache.cache import beat
from mindcache.errors import MindcacheError
from mindcache.watch.watcher import Rhythm, Say, Watcher

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["log_path", "run", "start", "stop", "unit"]

# A first index of a large vault goes on in the background; starting only waits
# until the daemon has taken its lock.
_START_SECONDS = 15.0
# A daemon ends after the batch it is in; one that hangs is killed, which no cache
# minds.
_STOP_SECONDS = 20.0
_POLL_SECONDS = 0.05
# A log that grew past this is begun anew, the old one kept beside it.
_LOG_BYTES = 1_000_000


def log_path(app: App) -> str:
    """The file that a detached daemon writes its lines to."""
    return os.path.join(app.cache_folder, "daemon.log")


def run(app: App, say: Say, rhythm: Rhythm | None = None) -> None:
    """Watch in this process until SIGTERM or SIGINT. Raises Locked."""
    app.make_cache_folder()
    own = beat.Beat(app.cache_folder)
    with own.held():
        watcher = Watcher(app, say, own.say, rhythm)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: watcher.stop())
        say(f"watching {app.vault.root}")
        watcher.run()
        say("stopped")


def start(app: App, arguments: Sequence[str]) -> int:
    """Start a detached daemon and give its process number.

    `arguments` are the words after `mindcache` that make it watch. Raises
    MindcacheError when it does not come up.
    """
    app.make_cache_folder()
    if beat.alive(app.cache_folder):
        raise MindcacheError(
            "a daemon watches this vault already", mend="mindcache daemon status"
        )
    path = log_path(app)
    if os.path.exists(path) and os.path.getsize(path) > _LOG_BYTES:
        os.replace(path, path + ".old")
    with open(path, "ab") as log:
        process = subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-m", "mindcache", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=app.vault.root,
            start_new_session=True,
            close_fds=True,
        )
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if beat.alive(app.cache_folder) and beat.read(app.cache_folder):
            return process.pid
        if process.poll() is not None:
            break
        time.sleep(_POLL_SECONDS)
    raise MindcacheError(
        "the daemon did not start", mend=f"its last words are in {path}"
    )


def stop(app: App) -> bool:
    """End the vault's daemon; False when there was none. Raises MindcacheError."""
    folder = app.cache_folder
    if not beat.alive(folder):
        return False
    pid = beat.read(folder).get("pid")
    if not isinstance(pid, int):
        raise MindcacheError(
            "a daemon holds this vault and has not said who it is", mend="try again"
        )
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline:
            if not beat.alive(folder):
                return True
            time.sleep(_POLL_SECONDS)
    raise MindcacheError(f"process {pid} holds the vault and can't be ended")


def unit(app: App, command: Sequence[str]) -> tuple[str, str, str]:
    """What starts the daemon at login: (file, its text, the command that turns it on).

    A systemd user unit on Linux, a launchd agent on macOS. Raises MindcacheError
    elsewhere.
    """
    name = os.path.basename(app.cache_folder)
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        path = f"{home}/Library/LaunchAgents/mindcache.{name}.plist"
        return path, _launchd(name, command), f"launchctl load -w {path}"
    if sys.platform.startswith("linux"):
        config = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
        path = f"{config}/systemd/user/mindcache-{name}.service"
        on = f"systemctl --user enable --now mindcache-{name}.service"
        return path, _systemd(app.vault.root, command), on
    raise MindcacheError(
        "no service manager is known here",
        mend="start mindcache watch at login by the system's own means",
    )


def _systemd(vault: str, command: Sequence[str]) -> str:
    words = " ".join(_quoted(word) for word in command)
    return (
        "[Unit]\n"
        f"Description=Mindcache watches {vault.replace('%', '%%')}\n\n"
        "[Service]\n"
        f"ExecStart={words}\n"
        "Restart=on-failure\n"
        "RestartSec=10\n"
        "Nice=10\n\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def _quoted(word: str) -> str:
    """One word of a command line, as systemd reads it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped.replace("$", "$$")}"'


def _launchd(name: str, command: Sequence[str]) -> str:
    import plistlib

    return plistlib.dumps(
        {
            "Label": f"mindcache.{name}",
            "ProgramArguments": list(command),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ProcessType": "Background",
        }
    ).decode()
