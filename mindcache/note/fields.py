"""Dataview's inline fields: `Key:: value`, `[key:: value]` and `(key:: value)`.

Says where they stand in a masked body and what their keys are, cleaned as Dataview
cleans them. A field inside another field's brackets is part of its value.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mindcache.lazy import regex

__all__ = ["FieldSpan", "find_fields"]

# A key longer than this is a sentence that happens to hold two colons.
_KEY = r"[^\W_][^\n:\[\](){}|`\"*~<>\\]{0,60}"
_FULL_LINE = regex(
    r"^[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?(?:\[[^\]\n]\][ \t]++)?"
    rf"[*_~]{{0,3}}({_KEY}?)[*_~]{{0,3}}[ \t]*::[*_~]{{0,3}}(?:[ \t]+([^\n]*)|$)",
    re.MULTILINE,
)
# An emoji may be a key too; that is what Dataview's own examples do.
_OTHER_KEY = r"[ \t]*([^\s:\[\](){}|`][^\n:\[\](){}|`]{0,60}?)[ \t]*::"
_BRACKETED_KEY = regex(_OTHER_KEY)
_BRACKETED = regex(rf"[\[(]{_OTHER_KEY}")
_BRACKET = regex(r"[\[\]()\n]")
_CLOSING = {"[": "]", "(": ")"}
_FORMATTING = regex(r"[*_~`=]{2,}|[*~`]|^_+|_+$")
_SPACES = regex(r"\s+")


class FieldSpan(NamedTuple):
    """A field from its first to its last character, and its value's offsets."""

    start: int
    end: int
    key: str
    value_start: int
    value_end: int


def find_fields(masked: str) -> list[FieldSpan]:
    """The fields in reading order; no two overlap."""
    bracketed = _bracketed(masked) if _BRACKETED.search(masked) else []
    spans = list(bracketed)
    index = 0
    for found in _FULL_LINE.finditer(masked):
        start, end = found.span()
        while index < len(bracketed) and bracketed[index].end <= start:
            index += 1
        # a line with bracketed fields is text around them, as Dataview has it
        if index < len(bracketed) and bracketed[index].start < end:
            continue
        value = found.span(2) if found[2] is not None else (end, end)
        key = _clean(found[1])
        if key:
            spans.append(FieldSpan(start, end, key, *value))
    spans.sort()
    return spans


def _bracketed(masked: str) -> list[FieldSpan]:
    spans: list[FieldSpan] = []
    opened: list[tuple[str, int, re.Match[str] | None]] = []
    for bracket in _BRACKET.finditer(masked):
        mark, offset = bracket[0], bracket.start()
        if mark == "\n":
            opened.clear()
        elif mark in _CLOSING:
            # the second bracket of `[[` opens a link, never a field
            in_link = offset > 0 and masked[offset - 1] == mark == "["
            key = None if in_link else _BRACKETED_KEY.match(masked, offset + 1)
            opened.append((mark, offset, key))
        elif opened and _CLOSING[opened[-1][0]] == mark:
            _, start, key = opened.pop()
            name = _clean(key[1]) if key is not None else ""
            if key is not None and name:
                while spans and spans[-1].start > start:
                    spans.pop()
                spans.append(FieldSpan(start, offset + 1, name, key.end(), offset))
    return spans


def _clean(key: str) -> str:
    return _SPACES.sub("-", _FORMATTING.sub("", key).strip().lower())
