"""File names for notes that are made from foreign titles. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime

from mindcache.filenames import portability
from mindcache.importers.prose import one_line

__all__ = ["free_path", "stem_of"]

# What no file name holds on some system, what ends a link in Obsidian, and what a
# shell or a sync program stumbles over.
_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f]')
_SPACE = re.compile(r"\s+")

# Bytes; a file name holds 255, and `.sync-conflict-…` copies need room.
_LONGEST = 120


def stem_of(title: str, when: datetime | None, fallback: str) -> str:
    """A note's name without its ending: the day, then what can be kept of the title.

    Names that no system or no link could hold come out as ones that all can.
    """
    plain = unicodedata.normalize("NFC", one_line(title, 500))
    plain = _SPACE.sub(" ", _FORBIDDEN.sub(" ", plain)).strip(" .~")
    while len(plain.encode()) > _LONGEST:
        plain = plain[: max(1, _LONGEST * len(plain) // len(plain.encode()))].rstrip(
            " ."
        )
    plain = plain or fallback
    name = f"{when:%Y-%m-%d} {plain}" if when is not None else plain
    return f"{name} note" if portability(f"{name}.md") else name


def free_path(
    folder: str, stem: str, mark: str, is_taken: Callable[[str], bool]
) -> str:
    """A path that nothing has yet: the name, else with `mark`, which is the note's own."""
    head = f"{folder}/" if folder else ""
    path = f"{head}{stem}.md"
    return path if not is_taken(path) else f"{head}{stem} {mark}.md"
