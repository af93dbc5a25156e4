"""What a file's name says: a note, something in passing, a name that can't travel.

Pure.
"""

from __future__ import annotations

import re

__all__ = ["is_note", "is_passing", "portability"]

# What editors and sync programs leave beside a note while they write it.
_TEMPORARY_HEADS = ("~$", "~syncthing~")
_TEMPORARY_TAILS = (
    "~", ".tmp", ".swp", ".part", ".crdownload", "___jb_tmp___", "___jb_old___"
)  # fmt: skip

_RESERVED = re.compile(
    r"^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³])( *\..*)?$", re.IGNORECASE
)
_FORBIDDEN = re.compile(r'[\\:*?"<>|\x00-\x1f]')


def is_note(name: str) -> bool:
    """Whether a file of this name is a note, as Obsidian sees it."""
    return name[-3:].lower() == ".md"


def is_passing(name: str) -> bool:
    """Whether a name is hidden, temporary or a swap file's: never note or asset."""
    return (
        name[0] == "."
        or name.startswith(_TEMPORARY_HEADS)
        or name.endswith(_TEMPORARY_TAILS)
        or (name[0] == "#" and name[-1] == "#")  # Emacs saves its buffers so
        or name == "4913"  # vim's probe file
    )


def portability(path: str) -> str:
    """Why a name can't live on every system that syncs, or "" when it can."""
    for part in path.split("/"):
        if _RESERVED.match(part):
            return f'"{part}" is a reserved name on Windows'
        if bad := _FORBIDDEN.search(part):
            return f'"{part}" holds {bad[0]!r}, which Windows forbids'
        if part.endswith((" ", ".")):
            return f'"{part}" ends in a space or dot, which Windows drops'
        if len(part.encode("utf-8", "surrogateescape")) > 255:
            return f'"{part[:40]}…" is longer than 255 bytes'
    return ""
