"""How an App is asked, and what it tells beside the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from mindcache.errors import MindcacheError, Problem

if TYPE_CHECKING:
    from mindcache.vault import Change

__all__ = ["Freshness", "Mode", "Search", "Written"]

Search = Literal["deep", "exact", "semantic"]
# How a question is answered: from topics, from passages, or from whichever is enough.
Mode = Literal["auto", "fast", "deep", "topic"]


class Freshness(NamedTuple):
    """How far the answers can be trusted to show the disk as it is.

    `stale` when the cache is behind and could not be brought up to date,
    `pending` the number of files not yet looked at, `problems` why.
    """

    stale: bool = False
    pending: int = 0
    problems: Sequence[Problem] = ()


class Written(NamedTuple):
    """What came of a commit: the paths that are others now, and what failed.

    `behind` is what kept the notes, written as they are, from being indexed.
    """

    paths: list[str]
    moved: list[tuple[str, str]]
    failed: list[tuple[Change, MindcacheError]]
    behind: Exception | None = None
