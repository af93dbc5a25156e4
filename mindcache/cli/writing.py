"""What commands that write notes have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.errors import Refused

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.memory import Memory
    from mindcache.note import Note

__all__ = ["look"]


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
