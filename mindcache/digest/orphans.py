"""Notes that are derived from one that is gone: they say what nobody can look up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindcache.cache.read import LinkRow, Reader

__all__ = ["orphans"]


def orphans(reader: Reader) -> Mapping[str, list[LinkRow]]:
    """By path, the links of `derived_from` that lead nowhere, in reading order.

    A step of the digest reads none of these notes as something that is known.
    """
    found: dict[str, list[LinkRow]] = {}
    for link in reader.unresolved():
        if link.relation == "derived_from":
            found.setdefault(link.source, []).append(link)
    return found
