"""What is noted while a session goes on: a file of JSON lines for each, on this machine.

In the state folder, for nobody else to read, and gone after thirty days. Hooks of one
session may run at the same time: each adds a line in one write.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from mindcache.hashing import blake2b
from mindcache.lazy import regex

__all__ = [
    "add",
    "folder_of",
    "held",
    "is_due",
    "is_kept",
    "prune",
    "read",
    "sessions",
    "told",
    "trouble",
    "trouble_was",
]

_NAME = regex(r"[A-Za-z0-9_-]{1,80}")
_ENDING = ".jsonl"
# As long as Claude Code keeps its transcripts.
_KEPT_SECONDS = 30 * 86_400
# A session whose program is gone has ended, said or not. Where nobody knows which
# program it was, half an hour of silence has to do; a number that lives may belong to
# another by now, and half a day means that.
_SILENT_SECONDS, _LONG_SECONDS = 1_800, 43_200
_TROUBLE = "trouble"
# Bytes; a record that says so is shorter.
_TAIL = 400

Record = Mapping[str, Any]


def folder_of(state_folder: str, cache_folder: str) -> str:
    """The folder for the sessions that one vault has seen."""
    return os.path.join(state_folder, "sessions", os.path.basename(cache_folder))


def _path(folder: str, session: str) -> str:
    if not _NAME.fullmatch(session):
        session = (
            "x"
            + blake2b(session.encode("utf-8", "replace"), digest_size=12).hexdigest()
        )
    return os.path.join(folder, session + _ENDING)


def add(folder: str, session: str, record: Record) -> None:
    """Add a record to a session's file. Raises OSError."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    line = json.dumps(record).encode() + b"\n"
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    descriptor = os.open(_path(folder, session), flags, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def read(folder: str, session: str) -> list[dict[str, Any]]:
    """A session's records in order; lines that can't be read are left out."""
    try:
        with open(_path(folder, session), "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        with suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found


def sessions(folder: str) -> list[str]:
    """The sessions that something was noted of, the oldest first."""
    try:
        with os.scandir(folder) as entries:
            found = [
                (entry.stat().st_mtime_ns, entry.name.removesuffix(_ENDING))
                for entry in entries
                if entry.name.endswith(_ENDING)
            ]
    except OSError:
        return []
    return [name for _, name in sorted(found)]


def prune(folder: str) -> None:
    """Delete what is older than anybody needs it."""
    for session in sessions(folder):
        with suppress(OSError):
            path = _path(folder, session)
            if _age(path) > _KEPT_SECONDS:
                os.unlink(path)


def _age(path: str) -> float:
    return (time.time_ns() - os.stat(path).st_mtime_ns) / 1e9


def held(records: Sequence[Record]) -> set[str]:
    """The keys of what was injected and still stands in the session's context."""
    found: set[str] = set()
    for record in records:
        if record.get("event") == "compact" or record.get("source") in {
            "startup",
            "clear",
            "compact",
        }:
            found.clear()
        found.update(str(key) for key in record.get("keys") or ())
    return found


def told(records: Sequence[Record]) -> Iterator[str]:
    """Every text that was injected into the session."""
    return (str(record["text"]) for record in records if record.get("text"))


def is_kept(folder: str, session: str) -> bool:
    """Whether the last thing noted of a session is that it was kept."""
    try:
        with open(_path(folder, session), "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
    except OSError:
        return False
    return last.startswith(b'{"event": "kept"')


def is_due(folder: str, session: str, records: Sequence[Record]) -> bool:
    """Whether something happened in the session since it was kept, and it is over."""
    events = [str(record.get("event")) for record in records]
    since = len(events) - events[::-1].index("kept") if "kept" in events else 0
    recent = events[since:]
    if not {"stop", "end", "compact"}.intersection(recent):
        return False
    if "end" in recent and "start" not in recent[recent.index("end") :]:
        return True
    hosts = [h for r in records if isinstance(h := r.get("host"), int) and h > 1]
    try:
        age = _age(_path(folder, session))
    except OSError:
        return False
    if not hosts:
        return age > _SILENT_SECONDS
    return not _lives(hosts[-1]) or age > _LONG_SECONDS


def _lives(process: int) -> bool:
    if os.name == "nt":  # there is no asking without ending it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


# -- what went wrong where nobody saw it ----------------------------------------


def trouble(folder: str, what: str) -> None:
    """Keep what went wrong for the next start to tell; "" when it is over."""
    path = os.path.join(folder, _TROUBLE)
    with suppress(OSError):
        if not what:
            with suppress(FileNotFoundError):
                os.unlink(path)
            return
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(descriptor, what.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)


def trouble_was(folder: str) -> str:
    """What went wrong and is not over, "" for nothing."""
    try:
        with open(os.path.join(folder, _TROUBLE), encoding="utf-8") as file:
            return file.read(1_000)
    except (OSError, ValueError):
        return ""
