"""A change to one note, as a reader sees it before or after it is made."""

from __future__ import annotations

import difflib

__all__ = ["unified"]


def unified(path: str, before: bytes, after: bytes) -> str:
    """The change as a unified diff, "" when there is none."""
    old = before.decode("utf-8", "replace").splitlines(keepends=True)
    new = after.decode("utf-8", "replace").splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, path, path, n=2)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
