"""Ignore patterns that need no library: names, wildcards within them, folders.

Pure. Most `.mindcacheignore` files hold nothing else, and what understands the whole
syntax takes as long to import as a tag query may take. Whatever is not understood
here is left to it; what is understood means the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

__all__ = ["simple_matcher"]

# No negation, no escapes, no sets; a part of wildcards alone has rules of its own.
_PART = re.compile(r"[\w.,@+=~*? -]+")


def simple_matcher(lines: Sequence[str]) -> Callable[[str], bool] | None:
    """Whether a path ("a/b.md", a folder "a/b/") is ignored; None if lines ask for more.

    `lines` are those of the file, blank ones and comments included.
    """
    patterns = [line for line in lines if line.strip() and not line.startswith("#")]
    found = [_regex(pattern) for pattern in patterns]
    if not found or None in found:
        return None
    match = re.compile("|".join(filter(None, found))).match
    return lambda path: match(path) is not None


def _regex(pattern: str) -> str | None:
    """The pattern as a regular expression from the start of a path, None if special."""
    if pattern != pattern.strip() or "**" in pattern:
        return None
    is_folder = pattern.endswith("/")
    parts = pattern.removesuffix("/").removeprefix("/").split("/")
    if not all(_PART.fullmatch(part) and part.strip("*?") for part in parts):
        return None
    is_anchored = len(parts) > 1 or pattern.startswith("/")
    body = "/".join(map(_part, parts))
    head = "" if is_anchored else "(?:.+/)?"
    return head + body + ("/" if is_folder else "(?:/|$)")


def _part(part: str) -> str:
    wild = {"*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(char) or re.escape(char) for char in part)
