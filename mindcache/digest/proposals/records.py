"""What an applied proposal wrote, kept so that it can be taken back, or finished.

One file for each in `.mindcache/undo/DAY/`, written before anything else is: the bytes
of every note before and after.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

from mindcache.errors import MindcacheError
from mindcache.vault import UNDO, Change, Create, Replace, Trash, Vault

__all__ = ["KEPT_DAYS", "Record", "Touched", "days", "find", "purge", "save"]

# A month to find out that a change was wrong (design 3.6).
KEPT_DAYS = 30

_NO_CAP = 2**62  # it is our own file


@dataclass(slots=True)
class Touched:
    """One file: its bytes before (None: it was made) and after (None: thrown away).

    `to` is where it lies then, as far as that is known. In one that `only_links` the
    proposal changed nothing but links to its notes.
    """

    path: str
    before: bytes | None
    after: bytes | None
    to: str = ""
    only_links: bool = False

    def forth(self) -> Change:
        """The change that makes it."""
        if self.before is None:
            return Create(self.path, self.after or b"")
        if self.after is None:
            return Trash(self.path, self.before)
        return Replace(self.path, self.after, self.before)

    def back(self) -> Change:
        """The change that takes it back."""
        if self.before is None:
            return Trash(self.path, self.after or b"")
        if self.after is None:
            return Create(self.path, self.before)
        return Replace(self.path, self.before, self.after)


@dataclass(slots=True)
class Record:
    """What a proposal touched, in the order of writing."""

    day: str
    id: str
    files: list[Touched] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Its file."""
        return f"{UNDO}/{self.day}/{self.id}.json"

    def add(self, touched: Iterable[Touched]) -> None:
        """Take in more; a file that is known keeps what it was at first."""
        known = {each.path: each for each in self.files}
        for each in touched:
            found = known.get(each.path)
            if found is None:
                self.files.append(each)
            else:
                found.after, found.to = each.after, each.to
                found.only_links = found.only_links and each.only_links


def save(vault: Vault, record: Record) -> None:
    """Write it, in place of what was known of it. Raises MindcacheError."""
    shape = {
        "id": record.id,
        "files": [
            {
                "path": each.path,
                "before": _packed(each.before),
                "after": _packed(each.after),
                "to": each.to,
                "only_links": each.only_links,
            }
            for each in record.files
        ],
    }
    data = (json.dumps(shape, ensure_ascii=True, indent=1) + "\n").encode()
    try:
        known, _ = vault.read(record.path, _NO_CAP)
    except FileNotFoundError:
        vault.create(record.path, data)
    except OSError as error:
        raise MindcacheError(
            f"{record.path} can't be read: {error.strerror}"
        ) from error
    else:
        vault.replace(record.path, data, known or b"")


def find(vault: Vault, proposal_id: str) -> Record | None:
    """The record of a proposal, of the last day that has one. Raises MindcacheError."""
    for day in reversed(days(vault)):
        record = Record(day, proposal_id)
        if vault.exists(record.path):
            return _read(vault, record)
    return None


def days(vault: Vault) -> list[str]:
    """The days that have records, in order."""
    try:
        names = os.listdir(os.path.join(vault.root, UNDO))
    except OSError:
        return []
    return sorted(name for name in names if _day(name) is not None)


def purge(vault: Vault, today: date) -> list[str]:
    """Delete what is older than it is kept; the days that went. Raises MindcacheError."""
    gone = []
    for name in days(vault):
        day = _day(name)
        if day is None or today - day <= timedelta(days=KEPT_DAYS):
            continue
        for each in sorted(os.listdir(os.path.join(vault.root, UNDO, name))):
            if each.endswith(".json"):
                vault.discard(f"{UNDO}/{name}/{each}")
        gone.append(name)
    return gone


def _day(name: str) -> date | None:
    try:
        return date.fromisoformat(name)
    except ValueError:
        return None


def _read(vault: Vault, record: Record) -> Record:
    mend = "take the notes back from your own backup"
    try:
        shape = json.loads(vault.read(record.path, _NO_CAP)[0] or b"")
        record.files = [
            Touched(
                _path(each["path"]),
                _unpacked(each["before"]),
                _unpacked(each["after"]),
                str(each["to"]),
                bool(each["only_links"]),
            )
            for each in shape["files"]
        ]
    except OSError as error:
        raise MindcacheError(
            f"{record.path} can't be read: {error.strerror}"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise MindcacheError(f"{record.path} can't be understood", mend=mend) from error
    return record


def _packed(data: bytes | None) -> dict[str, str] | None:
    if data is None:
        return None
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _unpacked(shape: dict[str, str] | None) -> bytes | None:
    if shape is None:
        return None
    if "base64" in shape:
        return base64.b64decode(shape["base64"])
    return shape["text"].encode("utf-8")


def _path(given: object) -> str:
    """A note's path. Raises ValueError for one of ours or another program's."""
    path = str(given)
    if any(part[:1] == "." for part in path.split("/")):
        raise ValueError(path)
    return path
