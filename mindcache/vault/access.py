"""Which memory was used when: `.mindcache/access/`, and the spool that leads there.

Append-only JSON lines, one file for each device, so that syncing never conflicts.
Who answers a question writes nothing into the vault: a use goes to the spool, a file
of this machine's own, and from there into the vault when something is written anyway.

    {"use": "3f9a…", "key": "m-01K…", "at": "2026-03-05T14:30:00", "how": "recall"}
    {"use": "fold …", "key": "m-01K…", "day": "2025-02-01", "times": 3}

`key` is the note's id, or its path where it has none. Every use has a name of its own
and counts once, however often a crash or a sync wrote it down. What is older than a
year is folded to counts a day. Standard library only: questions load it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from mindcache.errors import MindcacheError, Problem
from mindcache.files import LINE_BYTES, lines_of, open_plain
from mindcache.vault.folder import Vault

__all__ = ["AccessLog", "Uses"]

FOLDER = ".mindcache/access"

# A year of single uses: so far back somebody may want to know when, not only how often.
_KEPT = timedelta(days=365)

# What stands in front of a use's time, as we write it.
_AT = b'"at": "'

# Stands for the end of a line that is longer than any of ours: with what is before it,
# it is no line either.
_NO_LINE = b"\xff\n"

# Bytes that are read at once from the end of a log.
_BLOCK = 64 << 10

# Who writes while the spool is taken away tries again; nobody takes it twice in a row.
_TRIES = 5

# A memory that was used more often than this on one day is nobody's; sums of such counts
# stay far below what a float can hold.
_MOST_TIMES = 1_000_000


@dataclass(slots=True)
class Uses:
    """All uses by key: {civil day: times}; and the lines that say nothing."""

    days: Mapping[str, Mapping[date, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def of(self, *keys: str) -> dict[date, int]:
        """The uses under any of these keys together."""
        found: dict[date, int] = defaultdict(int)
        for key in set(keys):
            for day, times in self.days.get(key, {}).items():
                found[day] += times
        return dict(found)


class AccessLog:
    """All devices' uses, this device's spool, and the way from one to the other.

    `device` gives the name of this device's file, `spool` is a file outside the vault.
    """

    def __init__(self, vault: Vault, device: Callable[[], str], spool: str) -> None:
        self._vault = vault
        self._device = device
        self._spool = spool
        self._lately: tuple[object, frozenset[str]] | None = None

    # -- noting ----------------------------------------------------------

    def note(self, keys: Iterable[str], at: datetime, how: str) -> None:
        """Spool a use of each of these, with one write. Raises OSError."""
        moment = at.isoformat(timespec="seconds")
        lines = [
            _line({"use": os.urandom(8).hex(), "key": key, "at": moment, "how": how})
            for key in dict.fromkeys(keys)
        ]
        if not lines:
            return
        data = "".join(lines).encode()
        os.makedirs(os.path.dirname(self._spool), mode=0o700, exist_ok=True)
        for _ in range(_TRIES):
            descriptor = os.open(
                self._spool, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
            )
            try:
                os.write(descriptor, data)
                # Taken away just before, it may have been read already: written once
                # more, it counts once all the same.
                if _is_in_place(self._spool, descriptor):
                    return
            finally:
                os.close(descriptor)

    def flush(self) -> int:
        """Bring the spool into the vault; how many lines. Raises MindcacheError.

        Killed on the way, the next one does it again: no use is lost, none counts
        twice.
        """
        with contextlib.suppress(FileNotFoundError):
            os.rename(self._spool, f"{self._spool}.{os.urandom(4).hex()}")  # noqa: TID251  the spool is no note
        moved = 0
        for path in self._taken():
            lines = [
                line.decode("utf-8", "replace").rstrip("\r\n")
                for line in _lines(path)
                if _read(line) is not None
            ]
            if lines:
                self._vault.append(self._own, lines)
            moved += len(lines)
            with contextlib.suppress(OSError):
                os.unlink(path)
        return moved

    def has_spooled(self) -> bool:
        """Whether anything waits to be brought into the vault."""
        return os.path.exists(self._spool) or bool(self._taken())

    def _taken(self) -> list[str]:
        """What flushes took away from the spool and have not finished with."""
        folder, name = os.path.split(self._spool)
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            return []
        return [os.path.join(folder, n) for n in names if n.startswith(f"{name}.")]

    @property
    def _own(self) -> str:
        return f"{FOLDER}/{self._device()}.jsonl"

    # -- reading ---------------------------------------------------------

    def uses(self) -> Uses:
        """Every use, on all machines and still spooled here."""
        once: dict[str, tuple[str, date, int]] = {}
        problems: list[Problem] = []
        for path in self._files():
            for number, line in enumerate(_lines(path), 1):
                read = _read(line)
                if read is None:
                    if line.strip():
                        problems.append(self._problem(path, number))
                    continue
                name, key, day, times = read
                known = once.get(name)
                if known is None or known[2] < times:
                    once[name] = key, day, times
        found: dict[str, dict[date, int]] = {}
        for key, day, times in once.values():
            days = found.setdefault(key, {})
            days[day] = days.get(day, 0) + times
        return Uses(found, problems)

    def _problem(self, path: str, number: int) -> Problem:
        shown = os.path.relpath(path, self._vault.root).replace(os.sep, "/")
        message = "not a line of an access log"
        return Problem(shown, number, "access-log", message, "delete the line", "info")

    def since(self, day: date) -> frozenset[str]:
        """The keys of what was used on this day or later.

        Reads the logs from their ends, as far as they are about these days, and only
        when one of them has changed.
        """
        paths = self._files()
        stamp = (day, tuple(map(_stamp, paths)))
        if self._lately is None or self._lately[0] != stamp:
            floor = day.isoformat().encode()
            found = {key for path in paths for key in _keys_since(path, floor)}
            self._lately = stamp, frozenset(found)
        return self._lately[1]

    def _files(self) -> list[str]:
        """The logs in the vault by name, then what is still spooled here."""
        folder = os.path.join(self._vault.root, FOLDER)
        try:
            names = sorted(n for n in os.listdir(folder) if n.endswith(".jsonl"))
        except OSError:
            names = []
        logs = [os.path.join(folder, name) for name in names]
        return [*logs, *self._taken(), self._spool]

    # -- folding ---------------------------------------------------------

    def fold(self, today: date) -> bool:
        """Fold what is older than a year in this device's file; whether it was.

        Says the same in fewer lines: the uses of each memory on each day as one count.
        Only the device's own file is written. Raises MindcacheError.
        """
        full = os.path.join(self._vault.root, self._own)
        before = b"".join(_lines(full))
        lines = before.splitlines(keepends=True)
        # A clock that is far ahead makes nothing old: the log's own end does.
        newest = max((r[2] for line in lines if (r := _read(line))), default=today)
        floor = min(today, newest) - _KEPT
        once: dict[str, tuple[str, date, int]] = {}
        kept: dict[str, bytes] = {}
        for line in lines:
            read = _read(line)
            if read is None:
                continue
            name, key, day, times = read
            if day >= floor:
                kept[name] = line.rstrip(b"\r\n") + b"\n"
            elif name not in once or once[name][2] < times:
                once[name] = key, day, times
        if not any(not name.startswith("fold ") for name in once):
            return False
        counts: dict[tuple[date, str], int] = defaultdict(int)
        for key, day, times in once.values():
            counts[day, key] += times
        device = self._device()
        folded = [
            _line(
                {
                    "use": f"fold {device} {day.isoformat()} {key}",
                    "key": key,
                    "day": day.isoformat(),
                    "times": times,
                }
            ).encode()
            for (day, key), times in sorted(counts.items())
        ]
        self._vault.replace(self._own, b"".join([*folded, *kept.values()]), before)
        return True


def _line(values: Mapping[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"


def _read(line: bytes) -> tuple[str, str, date, int] | None:
    """(name, key, day, times) of a line, None for what is none."""
    try:
        values = json.loads(line)
        times = values.get("times", 1)
        day = date.fromisoformat(str(values.get("day") or values["at"])[:10])
        name, key = values["use"], values["key"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    is_whole = isinstance(name, str) and isinstance(key, str) and name and key
    is_count = type(times) is int and 0 < times <= _MOST_TIMES
    return (name, key, day, times) if is_whole and is_count else None


def _lines(path: str) -> list[bytes]:
    """A file's lines, none of one that isn't there. Raises MindcacheError."""
    try:
        with open_plain(path) as file:
            return list(lines_of(file))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise MindcacheError(
            f"{path} can't be read: {error.strerror}", mend="check its permissions"
        ) from error


def _blocks_from_end(path: str) -> Iterator[list[bytes]]:
    """A file's whole lines, block by block from its end; nothing of one unread."""
    with contextlib.suppress(OSError), open_plain(path) as file:
        at = file.seek(0, os.SEEK_END)
        rest = b""
        while at:
            start = max(0, at - _BLOCK)
            file.seek(start)
            lines = (file.read(at - start) + rest).splitlines(keepends=True)
            rest = lines.pop(0) if start else b""
            if len(rest) > LINE_BYTES:
                rest = _NO_LINE
            yield lines
            at = start


def _keys_since(path: str, floor: bytes) -> Iterator[str]:
    """The keys of a log's uses from a day on, read from its end.

    Lines are roughly in order of time: a whole block of older ones ends the search.
    """
    for block in _blocks_from_end(path):
        late = [line for line in block if _day_in(line) >= floor]
        yield from (read[1] for line in late if (read := _read(line)) is not None)
        if block and not late:
            return


def _day_in(line: bytes) -> bytes:
    """The day of a use, as far as that is seen without reading the line."""
    at = line.find(_AT)
    return line[at + len(_AT) : at + len(_AT) + 10] if at > 0 else b""


def _stamp(path: str) -> tuple[int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0, 0
    return found.st_size, found.st_mtime_ns, found.st_ino


def _is_in_place(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
