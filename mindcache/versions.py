"""What the notes of a shared vault said before, as this machine saw it.

Owns the file that keeps it: one SQLite file a vault, in the machine's state folder, for
nobody else to read and never synced. It is no cache: no note tells what is in it. Bounded
in versions a note, in days and in bytes. Whoever asks gets bytes; what they prove is
`merge`'s.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from mindcache.errors import MindcacheError

__all__ = ["Kept", "Seen", "Versions", "is_shared"]

# What Syncthing leaves in the root of a folder that it shares. An ignore file of its is
# none: every vault of ours has one.
_MARKER = ".stfolder"
# A note that is worked on daily fills them in about two weeks, since the versions that
# stood longest are kept.
MOST = 16
# How long a machine may be away and still find what it began with.
DAYS = 30
# Larger notes are exports and logs, rarely edited on two machines.
LARGEST = 2**20
# About two hundred thousand notes of a page, or sixteen thousand with all their versions.
TOTAL = 2**28
# Seconds to wait for another process that writes into the same file.
_PATIENCE = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS versions (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    number INTEGER NOT NULL,
    hash BLOB NOT NULL,
    how TEXT NOT NULL,
    seen TEXT NOT NULL,
    until TEXT NOT NULL DEFAULT '',
    followed INTEGER NOT NULL,
    text BLOB NOT NULL,
    UNIQUE (path, number)
);
CREATE TABLE IF NOT EXISTS devices (name TEXT PRIMARY KEY);
CREATE INDEX IF NOT EXISTS versions_until ON versions (until) WHERE until != '';
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """A note as it was read just now.

    `how` it came and `is_followed` are as in `merge.Version`; `is_known` says that its
    note was there before, whether or not anything is kept of it.
    """

    path: str
    data: bytes
    hash: bytes
    how: str
    is_followed: bool = False
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """A version that was kept, seen first at the civil time `seen` (ISO).

    The rest is as in `merge.Version`.
    """

    data: bytes
    how: str
    seen: str
    is_first: bool
    is_followed: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """A version without its text; `until` is "" for what a note says now."""

    id: int
    number: int
    hash: bytes
    how: str
    seen: str
    until: str
    followed: int


def is_shared(root: str) -> bool:
    """Whether Syncthing shares the folder, or one that it lies in."""
    folder = os.path.realpath(root)
    while not os.path.lexists(os.path.join(folder, _MARKER)):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


class Versions:
    """The versions of a vault's notes, kept in the file at `path`, made when needed."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def is_new(self) -> bool:
        """Whether nothing was ever kept."""
        return not os.path.exists(self.path)

    def take(
        self,
        seen: Sequence[Seen],
        now: datetime,
        moved: Sequence[tuple[str, str]] = (),
        followed: Mapping[str, bool] | None = None,
    ) -> None:
        """Keep what was seen, where it is another than before.

        `moved` are notes that have another path by now. `followed` are those of which
        it turned out whether what they say was saved here, with somebody looking on
        since the version before. Raises MindcacheError.
        """
        at = _written(now)
        with self._opened() as file:
            for old, new in moved:
                _move(file, old, new)
            file.executemany(
                "UPDATE versions SET followed = ? WHERE path = ? AND until = ''"
                " AND how = 'changed' AND number > 1",
                [(each, path) for path, each in (followed or {}).items()],
            )
            known = _rows(file, (each.path for each in seen))
            for each in seen:
                _take(file, each, known.get(each.path, []), at)
            _expire(file, now)

    def gone(self, paths: Sequence[str], now: datetime) -> None:
        """Note that these are deleted: they are kept for a while. Raises MindcacheError."""
        with self._opened() as file:
            file.executemany(
                "UPDATE versions SET until = ? WHERE path = ? AND until = ''",
                [(_written(now), path) for path in paths],
            )

    def of(self, path: str) -> list[Kept]:
        """The versions of a note, the oldest first. Raises MindcacheError."""
        if self.is_new:
            return []
        with self._opened() as file:
            found = file.execute(
                "SELECT text, how, seen, number, followed FROM versions"
                " WHERE path = ? ORDER BY number",
                [path],
            ).fetchall()
        return [
            Kept(zlib.decompress(text), how, seen, number == 1, bool(followed))
            for text, how, seen, number, followed in found
        ]

    def devices(self, names: Iterable[str]) -> int:
        """How many devices of the sync program were ever met, these among them.

        Raises MindcacheError.
        """
        with self._opened() as file:
            file.executemany(
                "INSERT OR IGNORE INTO devices VALUES (?)", [(name,) for name in names]
            )
            return int(file.execute("SELECT count(*) FROM devices").fetchone()[0])

    def forget_gone(self) -> None:
        """Drop, for good, all of what no note says any more. Raises MindcacheError."""
        if self.is_new:
            return
        with self._opened() as file:
            file.execute("DELETE FROM versions WHERE until != ''")
        with self._opened() as file:
            file.commit()
            file.execute("VACUUM")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file, in one transaction; a broken one is begun anew.

        Raises MindcacheError.
        """
        try:
            with closing(self._connected()) as file, file:
                yield file
        except (OSError, sqlite3.Error, zlib.error) as error:
            raise MindcacheError(
                f"{self.path}: earlier versions can't be kept or read: {error}",
                mend="see that its disk has room, or delete the file",
            ) from error

    def _connected(self) -> sqlite3.Connection:
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        extra = getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | extra, 0o600))
        try:
            return _prepared(self.path)
        except sqlite3.DatabaseError as error:
            if "malformed" not in str(error) and "not a database" not in str(error):
                raise
            # What was in it is lost: the next versions are kept all the same.
            for ending in ("", "-wal", "-shm"):
                if os.path.lexists(self.path + ending):
                    os.unlink(self.path + ending)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | extra, 0o600))
            return _prepared(self.path)


def _prepared(path: str) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=_PATIENCE)
    try:
        # A loss of power may cost the latest versions, never the file.
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")
        file.execute("PRAGMA secure_delete = ON")
        file.executescript(_SCHEMA)
    except BaseException:
        file.close()
        raise
    return file


def _rows(file: sqlite3.Connection, paths: Iterable[str]) -> Mapping[str, list[_Row]]:
    """What is kept of each of these, the oldest first."""
    found: dict[str, list[_Row]] = {}
    for path in paths:
        rows = file.execute(
            "SELECT id, number, hash, how, seen, until, followed FROM versions"
            " WHERE path = ? ORDER BY number",
            [path],
        )
        found[path] = [_Row(*row) for row in rows]
    return found


def _take(file: sqlite3.Connection, seen: Seen, rows: Sequence[_Row], at: str) -> None:
    last = rows[-1] if rows else None
    if last is not None and last.hash == seen.hash:
        if last.until:  # it was gone, and came back as it was
            file.execute("UPDATE versions SET until = '' WHERE id = ?", [last.id])
        return
    if len(seen.data) > LARGEST:
        return
    if last is not None and not last.until:
        file.execute("UPDATE versions SET until = ? WHERE id = ?", [at, last.id])
    number = last.number + 1 if last is not None else 1
    is_told = last is not None or not seen.is_known
    file.execute(
        "INSERT INTO versions (path, number, hash, how, seen, followed, text)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            *(seen.path, number, seen.hash),
            *(seen.how if is_told else "unknown", at),
            *(seen.is_followed and number > 1, zlib.compress(seen.data, 1)),
        ],
    )
    if len(rows) >= MOST:
        _thin(file, _rows(file, [seen.path])[seen.path])


def _thin(file: sqlite3.Connection, rows: Sequence[_Row]) -> None:
    """Drop the version that stood shortest: others have hardly seen it.

    The first one stays, for it is what all others came of; so does the last.
    """
    places = range(0 if rows[0].number > 1 else 1, len(rows) - 1)
    place = min(places, key=lambda at: (_seconds(rows[at].seen, rows[at].until), -at))
    gone, after = rows[place], rows[place + 1]
    # What came from elsewhere, or unseen, came with the next one, then.
    how = after.how if gone.how == "changed" else gone.how
    file.execute("DELETE FROM versions WHERE id = ?", [gone.id])
    file.execute(
        "UPDATE versions SET how = ?, followed = ? WHERE id = ?",
        [how, after.followed and gone.followed, after.id],
    )


def _move(file: sqlite3.Connection, old: str, new: str) -> None:
    taken = file.execute("SELECT 1 FROM versions WHERE path = ? LIMIT 1", [new])
    if taken.fetchone() is None:
        file.execute("UPDATE versions SET path = ? WHERE path = ?", [new, old])


def _expire(file: sqlite3.Connection, now: datetime) -> None:
    """Drop what nobody said for long, and the oldest where it is too much."""
    before = _written(now - timedelta(days=DAYS))
    file.execute("DELETE FROM versions WHERE until != '' AND until < ?", [before])
    pages, free, size = (
        file.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    surplus = (pages - free) * size - TOTAL
    while surplus > 0:
        oldest = file.execute(
            "SELECT id, length(text) FROM versions"
            " ORDER BY until = '', until, seen LIMIT 100"
        ).fetchall()
        if not oldest:
            return
        file.executemany(
            "DELETE FROM versions WHERE id = ?", [row[:1] for row in oldest]
        )
        surplus -= sum(length for _, length in oldest)


def _written(now: datetime) -> str:
    return now.isoformat("T", "milliseconds")


def _seconds(since: str, until: str) -> float:
    return (
        datetime.fromisoformat(until) - datetime.fromisoformat(since)
    ).total_seconds()
