"""Ignore patterns that need no library: names, wildcards within them, folders.

Pure. Most `.mindcacheignore` files hold nothing else, and what understands the whole
syntax takes as long to import as a tag query may take. Whatever is not understood
here is left to it; what is understood means the same. The file may be a stranger's:
`linear` keeps the many wildcards of a pattern from trying every way to share a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mindcache.lazy import regex

__all__ = ["linear", "simple_matcher"]

# No negation, no escapes, no sets; a part of wildcards alone has rules of its own.
_PART = regex(r"[\w.,@+=~*? -]+")

# What pathspec writes for `*`, with what must follow it, up to the next one.
_ATOM = (
    r"(?:\(\?:\(\?!/\)\[\^\]?[^\]]*\]\)|\\.|\[(?!\^/\][*+])\^?\]?[^\]]*\]"
    r"|[^\\\[\]()|*+?/^$.])"
)
_BETWEEN_STARS = regex(rf"\[\^/\]\*((?>{_ATOM})++)(?=\[\^/\]\*)")
# A set that says what it does not hold may hold a slash; in git none does.
_NEGATED = regex(r"\[\^(?!/\])\]?[^\]]*\]")
# The same for `**`: within, and at the beginning.
_DEEP, _DEEP_FIRST = "(?:/.+)?/", "^(?:.+/)?"


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
    return _first_fit("".join(wild.get(char) or re.escape(char) for char in part))


def linear(regex: str) -> str:
    """A pattern of pathspec's as one that means the same and never looks back far.

    Between two wildcards the first place that fits is as good as any later one, so it
    is kept; only the last wildcard of a part, and the last `**`, may give back. Without
    that a name of 200 letters and a pattern of ten stars take longer than anybody lives.
    """
    parts = _first_fit(_NEGATED.sub(r"(?:(?!/)\g<0>)", regex)).split(_DEEP)
    if len(parts) == 1:
        return parts[0]
    first, *middle, last = parts
    if first.startswith(_DEEP_FIRST):
        first = f"^(?>(?:.+?/)??{first.removeprefix(_DEEP_FIRST)}(?=/))"
    within = "".join(f"(?>(?:/.+?)??/{part}(?=/))" for part in middle)
    return f"{first}{within}{_DEEP}{last}"


def _first_fit(regex: str) -> str:
    return _BETWEEN_STARS.sub(r"(?>[^/]*?\1)", regex)
