"""The ledger: what Mindcache made, moved and was told, in `.mindcache/ledger/`.

Append-only JSON lines, one file for each device, so that syncing never conflicts.
A thing that was made once and whose note is gone was deleted by its owner, and is
not made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from io import BufferedReader

from mindcache.errors import MindcacheError, Problem
from mindcache.files import lines_of, open_plain
from mindcache.vault.folder import Vault

__all__ = ["Entry", "Ledger"]

FOLDER = ".mindcache/ledger"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: `what` was done (`made`, `trashed`, …) to a thing.

    `kind` says what sort of thing and `key` which one, in its source's own terms
    (`calendar`, the event's UID); `id` is the note's, `path` where the note was,
    `to` where it went, `at` a civil time, `said` what its source said of it (see
    `importers.own`).
    """

    what: str
    kind: str
    key: str
    id: str = ""
    path: str = ""
    to: str = ""
    at: str = ""
    said: str = ""


class Ledger:
    """All devices' entries, and a place to add this device's own.

    `device` is the name of this device's file.
    """

    def __init__(self, vault: Vault, device: str) -> None:
        self._vault = vault
        self._device = device
        self.problems: list[Problem] = []

    def is_there(self) -> bool:
        """Whether any device's file says anything; none of them is read."""
        folder = os.path.join(self._vault.root, FOLDER)
        try:
            with os.scandir(folder) as found:
                return any(
                    each.name.endswith(".jsonl") and each.stat().st_size > 0
                    for each in found
                )
        except FileNotFoundError:
            return False
        except OSError:
            return True  # what can't be looked at may say something

    def afresh(self) -> list[Entry]:
        """Every entry, read anew: another process may have added some."""
        self.__dict__.pop("entries", None)
        return self.entries

    def damaged(self) -> list[Problem]:
        """The lines that say nothing, read afresh, each with what mends it."""
        self.afresh()
        return self.problems

    @cached_property
    def entries(self) -> list[Entry]:
        """Every entry, device by device in the order of writing.

        A line that can't be read is left out and noted in `problems`.
        """
        found: list[Entry] = []
        self.problems = []
        folder = os.path.join(self._vault.root, FOLDER)
        try:
            names = sorted(os.listdir(folder))
        except FileNotFoundError:
            return found
        for name in names:
            if name.endswith(".jsonl"):
                found += self._read(f"{FOLDER}/{name}")
        return found

    def _read(self, path: str) -> Iterable[Entry]:
        with self._opened(path) as file:
            for number, line in enumerate(lines_of(file), 1):
                entry = _entry(line)
                if entry is not None:
                    yield entry
                elif line.strip():
                    self.problems.append(
                        Problem(path, number, "ledger", "not a line of a ledger",
                                self._mend(path, is_torn=not line.endswith(b"\n")))
                    )  # fmt: skip

    def _opened(self, path: str) -> BufferedReader:
        try:
            return open_plain(os.path.join(self._vault.root, path))
        except OSError as error:
            raise MindcacheError(
                f"{path} can't be read: {error.strerror}",
                mend="check its permissions, and that it is a plain file",
            ) from error

    def _mend(self, path: str, *, is_torn: bool) -> str:
        if is_torn and path == self._own:
            return "mindcache doctor --repair cuts off the half line"
        return "delete the line"

    @property
    def _own(self) -> str:
        return f"{FOLDER}/{self._device}.jsonl"

    def mend(self) -> str:
        """Cut off half a line at the end of this device's file; its path if there was one.

        Raises MindcacheError.
        """
        if not self._vault.mend_end(self._own):
            return ""
        self.__dict__.pop("entries", None)
        return self._own

    def made(self, kind: str) -> dict[str, str]:
        """The things of a kind that were ever made: key → id of the note."""
        return {e.key: e.id for e in self.entries if (e.what, e.kind) == ("made", kind)}

    def add(self, entries: Iterable[Entry]) -> None:
        """Write entries to this device's file. Raises MindcacheError.

        Raises ValueError, and nothing is written, when one says not what was done to
        what: such a line couldn't be read again.
        """
        lines = []
        for entry in entries:
            if not (entry.what and entry.kind and entry.key):
                raise ValueError(f"not an entry of a ledger: {entry}")
            values = {k: v for k, v in asdict(entry).items() if v}
            lines.append(json.dumps(values, ensure_ascii=False))
        if lines:
            self._vault.append(self._own, lines)
            self.__dict__.pop("entries", None)


def _entry(line: bytes) -> Entry | None:
    try:
        values = json.loads(line)
        known = {k: str(values[k]) for k in Entry.__slots__ if k in values}
        return Entry(**known)
    except (ValueError, TypeError, RecursionError):
        return None
