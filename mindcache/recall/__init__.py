"""Recall: questions in, hits with their reasons out.

Owns filters, scoring and the shape of an answer. It reads the cache and writes
nothing. `search` answers from text, `walk` from the edges alone, `find` tells
which note a name means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.recall.answer import Hit, Recall, Why
    from mindcache.recall.ask import DEFAULT_LIMIT, Ask, asked_at
    from mindcache.recall.corpus import Corpus
    from mindcache.recall.filters import Filters
    from mindcache.recall.find import get_note
    from mindcache.recall.search import (
        asks_only_time,
        deep,
        exact,
        semantic,
    )

__all__ = [
    "DEFAULT_LIMIT",
    "Ask",
    "Corpus",
    "Filters",
    "Hit",
    "Recall",
    "Why",
    "asked_at",
    "asks_only_time",
    "deep",
    "exact",
    "get_note",
    "semantic",
]

__getattr__ = exports(
    __name__,
    {
        "answer": "Hit Recall Why",
        "corpus": "Corpus",
        "filters": "Filters",
        "find": "get_note",
        "ask": "DEFAULT_LIMIT Ask asked_at",
        "search": "asks_only_time deep exact semantic",
    },
)
