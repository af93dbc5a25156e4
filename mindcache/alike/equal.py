"""Whether two notes are equal after normalising: what may be made one unasked. Pure.

Equal but for case, white space and the order of properties and of list items, and for
what a note has for itself: its id, its source, its dates of writing. Whatever else
differs, a single sign, makes two of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["Normal", "normal_of"]

_OWN: Final = frozenset(
    {
        "id", "aliases", "alias", "created_at", "updated_at", "created", "updated",
        "source_type", "source_id", "source_path", "external_ref", "derived_from",
        "sequence",
    }
)  # fmt: skip
"""Properties that belong to one note alone, or are united when two become one."""

_NUMBERED: Final = re.compile(r"\s+(?:\d{1,4}|(?=[a-f]*\d)[\da-f]{6})$")
"""What is put behind a name that another file had already."""


class Normal(NamedTuple):
    """What is compared of a note; `name` is "" where the text itself says it."""

    name: str
    properties: tuple[tuple[str, object], ...]
    body: str


def normal_of(title: str, properties: Mapping[str, object], body: str) -> Normal:
    """A note as it is compared; equal values are equal notes.

    `body` is Markdown without the properties. A title that repeats the beginning of
    the text is none of its own, and what was put behind it because another file was
    called so is no part of it.
    """
    text = _folded(body)
    name = _folded(title)
    mark = str(properties.get("id") or "-")[-6:].casefold()
    plain = _NUMBERED.sub("", name.removesuffix(f" {mark}"))
    if _letters(plain) and _letters(text).startswith(_letters(plain)):
        plain = ""
    kept = {
        _folded(key): _value(value)
        for key, value in properties.items()
        if key.casefold() not in _OWN and value not in (None, "", [])
    }
    return Normal(plain, tuple(sorted(kept.items())), text)


def _value(value: object) -> object:
    if isinstance(value, list):
        return ("list", *sorted({repr(_value(item)) for item in value}))
    if isinstance(value, dict):
        pairs = {_folded(str(k)): repr(_value(v)) for k, v in value.items()}
        return ("map", *sorted(pairs.items()))
    if isinstance(value, str):
        return ("text", _folded(value))
    return (type(value).__name__, value)


def _folded(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    return " ".join(unicodedata.normalize("NFC", composed.casefold()).split())


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
