"""What commands that write notes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Refused

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.memory import Memory
    from mindcache.note import Note

__all__ = ["look", "take_in"]


def look(app: App, path: str) -> tuple[bytes, Note, Memory]:
    """A note as it is on disk, to be changed.

    Raises Refused when it can't be read or is held apart until it is mended.
    """
    from mindcache import sync

    try:
        data, note, memory = app.look(path)
    except OSError as error:
        raise Refused(f"{path} can't be read: {error.strerror}") from error
    if reason := sync.held_reason(note):
        raise Refused(f"{path}: {reason.message}", mend=reason.mend)
    return data, note, memory


def take_in(app: App, written: Sequence[str]) -> MindcacheError | None:
    """Index what was written; what kept it from that, which undoes no write."""
    from mindcache.app import database_errors
    from mindcache.cli.failures import as_ours
    from mindcache.sync import Scope

    if not written:
        return None
    try:
        app.update(scope=Scope(only=tuple(written)))
    except (MindcacheError, OSError) as error:
        return as_ours(error, app.cache_folder)
    except database_errors() as error:
        return as_ours(error, app.cache_folder)
    return None
