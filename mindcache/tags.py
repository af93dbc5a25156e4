"""Tags and their namespaces: one normal form, matching, the nearest spelling.

A tag is kept as it was first spelled and compared by its key: NFC, casefolded,
without "#". Namespaces are the first part of a nested tag: `client/acme`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["DEFAULT_NAMESPACES", "key", "matches", "namespace", "nearest", "normalise"]

# The design's namespaces; a vault's config may name others.
DEFAULT_NAMESPACES = ("tool", "client", "domain", "convention", "scope")

_SEPARATOR = re.compile(r"[:/]")


def normalise(tag: str) -> str:
    """The tag as it would be written: no "#", "tool: git" as "tool/git", no spaces."""
    text = unicodedata.normalize("NFC", tag).replace("#", " ")
    parts = ("-".join(part.split()) for part in _SEPARATOR.split(text))
    return "/".join(part for part in parts if part)


@lru_cache(maxsize=16_384)  # a vault's tags, asked for again with every note
def key(tag: str) -> str:
    """What two spellings of one tag have in common."""
    return unicodedata.normalize("NFC", normalise(tag).casefold())


def namespace(tag: str) -> str:
    """The part before the first "/", in key form; "" for a flat tag."""
    head, slash, _ = key(tag).partition("/")
    return head if slash else ""


def matches(wanted: str, tag: str) -> bool:
    """Whether `tag` is the wanted one or nested below it, as Obsidian searches."""
    want, have = key(wanted), key(tag)
    return have == want or have.startswith(want + "/")


def nearest(wanted: str, existing: Iterable[str], limit: int = 3) -> list[str]:
    """The existing tags spelled most like the wanted one, best first."""
    import difflib

    by_key = {key(tag): tag for tag in sorted(existing, reverse=True)}
    want = key(wanted)
    close = difflib.get_close_matches(want, sorted(by_key), n=limit, cutoff=0.5)
    leaf = want.rpartition("/")[2]
    parts = [k for k in sorted(by_key) if leaf and leaf in k.split("/")]
    ordered = dict.fromkeys([*parts, *close])
    return [by_key[k] for k in list(ordered)[:limit]]
