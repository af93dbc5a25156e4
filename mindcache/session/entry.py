"""What a hook calls: reads its input, answers within its time, and never fails.

An outer wall. Whatever goes wrong here is one line in a log and never the session's
trouble: the exit code is 0, and what is printed is what the event allows or nothing.
What takes longer goes to the daemon, else to one detached process (`work`).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mindcache.session.nesting import NESTED, SESSION

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["EVENTS", "answer", "log_path", "main", "vault_meant"]

# Hosts have been seen to keep the pipe open; what came by then is all that counts.
_INPUT_SECONDS = 2.0
# An edit's hook is given the whole file twice.
_INPUT_BYTES = 32 << 20
_LOG_BYTES = 200_000

Input = Mapping[str, Any]
Handler = Callable[["App", Input], "dict[str, Any] | None"]


def main(event: str, vault: str | None = None, cache_dir: str | None = None) -> int:
    """Answer one hook on stdin and stdout; always 0."""
    if os.environ.get(NESTED):
        return 0
    try:
        given = _input(_INPUT_SECONDS)
        said = answer(event, given, vault, cache_dir)
        if said:
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
    except Exception as error:  # noqa: BLE001  the outer wall of a hook: a session goes on without us
        _log(event, error)
    return 0


def _input(seconds: float) -> dict[str, Any]:
    """The object on stdin, {} where none came in time.

    It counts as soon as it is whole: whoever wrote it need not close the pipe.
    """
    got = bytearray()
    found: dict[str, Any] = {}
    done = threading.Event()

    def read() -> None:
        with suppress(OSError):
            while len(got) < _INPUT_BYTES and (some := os.read(0, 1 << 16)):
                got.extend(some)
                if got.rstrip().endswith(b"}") and _into(found, got):
                    break
        done.set()

    if sys.stdin is None or sys.stdin.isatty():
        return {}
    threading.Thread(target=read, daemon=True).start()
    done.wait(seconds)
    return found


def _into(found: dict[str, Any], data: bytearray) -> bool:
    try:
        value = json.loads(data)
    except ValueError:
        return False
    if isinstance(value, dict):
        found.update(value)
    return True


def answer(
    event: str,
    given: Input,
    vault: str | None = None,
    cache_dir: str | None = None,
    now: Callable[[], datetime] | None = None,
) -> dict[str, Any] | None:
    """What to print for an event, None for nothing.

    Silent in subagents (but for the notes they write), in sessions below a session,
    and where the machine has no vault.
    """
    session = _text(given, "session_id")
    outer = os.environ.get(SESSION)
    if outer and session and outer != session:
        return None
    if given.get("agent_id") and event != "post-tool-use":
        return None
    root = vault or vault_meant()
    folder = _text(given, "cwd")
    here = folder if os.path.isdir(folder) else os.sep
    if not root or not _concerns(event, given, root, here):
        return None
    handler = _handler(event)
    from mindcache.app import App

    app = App(root, cache_dir, cwd=here, now=now)
    try:
        return handler(app, {**given, "cwd": here})
    finally:
        app.close()


def vault_meant() -> str:
    """The vault of this machine: `MINDCACHE_VAULT`, else its default; "" for none.

    Never one that a hook merely stands in: a cloned folder may hold a vault of
    somebody else, whose notes must not speak here.
    """
    from mindcache import config
    from mindcache.errors import MindcacheError

    try:
        given = config.load(None).text("vault")
        home = os.path.dirname(config.machine_config_path())
    except MindcacheError:
        return ""
    if not given:
        return ""
    root = os.path.realpath(os.path.join(home, os.path.expanduser(given)))
    return root if os.path.isdir(root) else ""


def _concerns(event: str, given: Input, root: str, here: str) -> bool:
    """Whether there is anything to do: asked first, for most edits are no notes."""
    if event == "post-tool-use":
        tool = given.get("tool_input")
        path = _text(tool, "file_path") if isinstance(tool, dict) else ""
        if path[-3:].lower() != ".md" or "\0" in path:
            return False
        real = os.path.realpath(os.path.join(here, path))
        folder = os.path.realpath(os.path.join(here, os.path.dirname(path)))
        head = os.path.realpath(root).rstrip(os.sep) + os.sep
        return real.startswith(head) or (folder + os.sep).startswith(head)
    if event == "user-prompt-submit":
        from mindcache import config

        return config.load(os.path.realpath(root)).flag("session.on_prompt")
    return True


def _text(given: Input, key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""


def _handler(event: str) -> Handler:
    """What answers an event; each loads what it needs, and no more."""
    if event == "session-start":
        from mindcache.session.events import started as handler
    elif event == "post-tool-use":
        from mindcache.session.edited import edited as handler
    elif event == "user-prompt-submit":
        from mindcache.session.asked import asked as handler
    else:
        from mindcache.session import events

        handler = {
            "stop": events.stopped,
            "pre-compact": events.compacting,
            "session-end": events.ended,
        }[event]
    return handler


EVENTS = (
    "session-start",
    "user-prompt-submit",
    "post-tool-use",
    "stop",
    "pre-compact",
    "session-end",
)


def log_path() -> str:
    """The file with one line for each hook that failed. Raises MindcacheError."""
    from mindcache import config, places

    return os.path.join(
        places.machine_folder(config.load(None), "state_dir", os.sep + "nowhere"),
        "hooks.log",
    )


def _log(event: str, error: Exception) -> None:
    what = " ".join(f"{type(error).__name__}: {error}".split())[:500]
    with suppress(Exception):
        path = log_path()
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            if os.path.getsize(path) > _LOG_BYTES:
                os.replace(path, path + ".old")
        moment = datetime.now().astimezone().isoformat(timespec="seconds")  # noqa: TID251  no App may exist by now
        with open(path, "a", encoding="utf-8", errors="replace") as file:
            file.write(f"{moment} {event} {what}\n")
