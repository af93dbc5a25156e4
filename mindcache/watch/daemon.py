"""The process around the watch loop: one a vault, started, found and ended.

A daemon is known by the lock it holds beside the cache, never by its number
alone: a number that was given to another process since is not ours to signal.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from mindcache.cache import beat
from mindcache.errors import Locked, MindcacheError
from mindcache.places import from_anywhere
from mindcache.watch.watcher import Rhythm, Say, Watcher

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["log_path", "program", "run", "start", "stop", "unit"]

# A first index of a large vault goes on in the background; starting only waits
# until the daemon has taken its lock.
_START_SECONDS = 15.0
# A daemon ends after the batch it is in; one that hangs is killed, which no cache
# minds.
_STOP_SECONDS = 20.0
# One that has just taken its lock says who it is a moment later.
_NAME_SECONDS = 3.0
_POLL_SECONDS = 0.05
# A log that grew past this is begun anew, the old one kept beside it.
_LOG_BYTES = 1_000_000


def log_path(app: App) -> str:
    """The file that a detached daemon writes its lines to; a full path."""
    return os.path.abspath(os.path.join(app.cache_folder, "daemon.log"))


def run(app: App, say: Say, rhythm: Rhythm | None = None) -> None:
    """Watch in this process until SIGTERM or SIGINT. Raises Locked."""
    app.make_cache_folder()
    own = beat.Beat(app.cache_folder)

    def log(line: str) -> None:
        # A full disk must not end the watch; a reader that left may.
        try:
            say(line)
        except BrokenPipeError:
            raise
        except OSError:
            return
        _bound_log(log_path(app))

    with own.held():
        watcher = Watcher(app, log, own.say, rhythm)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: watcher.stop())
        log(f"watching {app.vault.root}")
        watcher.run()
        log("stopped")


def _bound_log(path: str) -> None:
    """Begin the log anew where it has grown long, the old one kept beside it.

    It is cut and not replaced: whoever writes it has it open, to append.
    """
    with suppress(OSError):
        if os.path.getsize(path) > _LOG_BYTES:
            shutil.copyfile(path, path + ".old")
            os.truncate(path, 0)


def start(app: App, arguments: Sequence[str]) -> int:
    """Start a detached daemon and give its process number.

    `arguments` are the words after `mindcache` that make it watch. Raises Locked where
    one watches already, MindcacheError when it does not come up.
    """
    app.make_cache_folder()
    if beat.alive(app.cache_folder):
        raise Locked(
            "a daemon watches this vault already", mend="mindcache daemon status"
        )
    path = log_path(app)
    _bound_log(path)
    with open(path, "ab") as log:
        process = subprocess.Popen(  # noqa: S603  our own program
            [*program(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=os.path.abspath(os.sep),  # keeps no disk from being unmounted
            env=from_anywhere(os.environ),
            start_new_session=True,
            close_fds=True,
        )
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if pid := beat.find_holder(app.cache_folder):
            return pid
        if process.poll() is not None:
            break
        time.sleep(_POLL_SECONDS)
    raise MindcacheError(
        "the daemon did not start", mend=f"its last words are in {path}"
    )


def program() -> list[str]:
    """The words that run this very program, wherever it is called from.

    Python looks for modules in no current folder: a vault may hold Python files.
    """
    return [sys.executable, "-P", "-m", "mindcache"]


def stop(app: App) -> bool:
    """End the vault's daemon; False when there was none. Raises MindcacheError."""
    folder = app.cache_folder
    if not beat.alive(folder):
        return False
    pid = _name(folder)
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if beat.find_holder(folder) == pid:
            _signal(pid, number)
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline:
            if not beat.alive(folder):
                return True
            time.sleep(_POLL_SECONDS)
    raise MindcacheError(f"process {pid} holds the vault and can't be ended")


def _name(folder: str) -> int:
    """The process that holds the vault. Raises MindcacheError."""
    deadline = time.monotonic() + _NAME_SECONDS
    while time.monotonic() < deadline:
        pid = beat.find_holder(folder)
        if pid is not None:
            return pid
        time.sleep(_POLL_SECONDS)
    raise MindcacheError(
        "a daemon holds this vault and does not say who it is",
        mend="try again; mindcache daemon status shows what is known of it",
    )


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise MindcacheError(
            f"process {pid} watches the vault for another user",
            mend="end it as that user",
        ) from error


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
