"""The two bits of syntax that properties and text share: wikilinks and tag names.

Says what stands between the brackets, not which note is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from mindcache.lazy import regex
from mindcache.note.brackets import wikilink_spans
from mindcache.note.types import Link, LinkKind, LinkOrigin

__all__ = [
    "TAG_CHARACTERS",
    "find_wikilinks",
    "is_tag_name",
    "wikilink",
]

# Obsidian's own set: anything but spaces and punctuation other than `_`, `-`, `/`.
TAG_CHARACTERS = "[^\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\\[\\]\\\\\\s]"
_TAG_NAME = regex(TAG_CHARACTERS + "+")


def is_tag_name(name: str) -> bool:
    """Whether `name`, without its "#", can be a tag: digits alone can't."""
    if name.isascii() and name.isdigit():
        return False
    return _TAG_NAME.fullmatch(name) is not None


def wikilink(
    inner: str, line: int, *, embed: bool, origin: LinkOrigin, field: str
) -> Link | None:
    """The link that `[[inner]]` is; None where it names nothing."""
    # A table cell writes the bar as `\|`.
    name, _, display = inner.partition("|")
    target, _, subpath = name.removesuffix("\\").partition("#")
    target, subpath = target.strip(), subpath.lstrip("# \t").rstrip()
    if not target and not subpath:
        return None
    display = display.replace("\\|", "|").strip()
    kind: LinkKind = "embed" if embed else "wikilink"
    return Link(target, subpath, display, kind, line, origin, field)


def find_wikilinks(value: str, line: int, field: str) -> Iterator[Link]:
    """The wikilinks in the value of the property `field`, which stands at `line`."""
    for start, close in wikilink_spans(value):
        embed = value[start - 1 : start] == "!"
        link = wikilink(
            value[start + 2 : close], line, embed=embed, origin="property", field=field
        )
        if link is not None:
            yield link
