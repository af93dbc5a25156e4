"""What sessions leave to do, done by one process beside them.

Brings the index in step, then writes one entry into the journal for each session that
is over. A session that goes on later gets another entry, about what was new. Whatever
fails is kept for the next start to say, and tried again then.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mindcache.cache import lock
from mindcache.errors import Locked, MindcacheError, NoteNotFound
from mindcache.session import spool
from mindcache.session.detached import lock_path
from mindcache.session.kept import Kept, keep
from mindcache.session.place import place_at
from mindcache.session.transcript import records, tell

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["index", "work"]

# A first index of a large vault may be what the one before us does.
_TURN_SECONDS = 600.0

# The end of a longer transcript is read: what came last is what was done.
_LARGEST = 64 << 20


def index(app: App, paths: Sequence[str]) -> None:
    """Bring these notes in step; what fails is left for the next start to say."""
    _tried(app, lambda: app.index(paths))


def work(app: App) -> list[str]:
    """Do all there is to do; gives the ids of the entries that were written.

    One process at a time: of several sessions that end at once none is left over.
    """
    folder = spool.folder_of(app.state_folder, app.cache_folder)
    app.make_cache_folder()
    try:
        turn = lock.acquire(lock_path(app), _TURN_SECONDS)
    except Locked:
        return []
    try:
        written: list[str] = []

        def once() -> Exception | None:
            app.update()
            failed: Exception | None = None
            for session in spool.sessions(folder):
                try:
                    if entry := _kept(app, folder, session):
                        written.append(entry)
                except (
                    MindcacheError,
                    OSError,
                ) as error:  # the others have theirs all the same
                    failed = error
            spool.prune(folder)
            return failed

        _tried(app, once)
        return written
    finally:
        os.close(turn)


def _tried(app: App, job: Callable[[], Exception | None]) -> None:
    folder = spool.folder_of(app.state_folder, app.cache_folder)
    error: Exception | None
    try:
        error = job()
    except Exception as raised:  # noqa: BLE001  an outer wall: nobody sees this process end
        error = raised
    spool.trouble(folder, "" if error is None else f"{app.now():%H:%M} {_words(error)}")


def _words(error: Exception) -> str:
    if isinstance(error, MindcacheError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _kept(app: App, folder: str, session: str) -> str:
    """Write the entry of a session that is over; "" where there is none to write."""
    if spool.is_kept(folder, session):
        return ""
    found = spool.read(folder, session)
    if not spool.is_due(folder, session, found):
        return ""
    before = [r for r in found if r.get("event") == "kept"]
    began = next((n for n in range(len(found), 0, -1) if found[n - 1] in before), 0)
    fresh = found[began:]
    offset = _whole(before[-1].get("offset")) if before else 0
    data, end = _rest_of(_last_of(fresh, "transcript"), offset)
    place = place_at(
        _last_of(fresh, "cwd") or os.sep, app.vault.root, os.path.expanduser("~")
    )
    kept = keep(
        tell(records(data), session, app.vault.root),
        spool.told(found),
        app.vault.root,
        place.root,
        _last_of(fresh, "last"),
    )
    entry, path = "", ""
    if kept is not None:
        at = _moment(_last_of(fresh, "at"), app.now())
        project = place.project or _last_of(fresh, "project")
        entry, path = _write(app, kept, project, at)
    # Before anything else can go wrong: it must not be written twice.
    spool.add(folder, session, {"event": "kept", "offset": end, "entry": entry})
    if path and (behind := app.index([path])):
        raise MindcacheError(f"{path} is not indexed: {behind}")
    return entry


def _last_of(found: Sequence[dict[str, Any]], key: str) -> str:
    values = (r[key] for r in reversed(found) if isinstance(r.get(key), str) and r[key])
    return next(values, "")


def _whole(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _moment(given: str, now: datetime) -> datetime:
    with suppress(ValueError):
        at = datetime.fromisoformat(given)
        if at.tzinfo is None and at <= now:
            return at
    return now


def _rest_of(path: str, offset: int) -> tuple[bytes, int]:
    """What a transcript holds from a place on, and where it ends; b"" for none."""
    try:
        status = os.stat(path)
        if not path.endswith(".jsonl") or not stat.S_ISREG(status.st_mode):
            return b"", offset
        if status.st_size < offset:  # another file by that name
            offset = 0
        with open(path, "rb") as file:
            file.seek(max(offset, status.st_size - _LARGEST))
            return file.read(_LARGEST), status.st_size
    except (OSError, ValueError):
        return b"", offset


def _write(app: App, kept: Kept, project: str, at: datetime) -> tuple[str, str]:
    """Write an entry: (its id, the path of its note)."""
    from mindcache.recall.find import link_to
    from mindcache.write.journal import Diary, append, compose

    diary = Diary.of(app.vault, app.settings, app.obsidian)
    named = " ".join(project.replace("[", "(").replace("]", ")").split())
    with app.writing():
        links = []
        for path in kept.notes:
            with suppress(NoteNotFound):
                links.append(
                    link_to(app.reader(), path, app.settings.text("journal.folder"))
                )
        draft = compose(kept.text, at, further=kept.further, project=named, links=links)
        done = append(app.vault, diary, draft, app.now())
    return done.entry.id, done.path
