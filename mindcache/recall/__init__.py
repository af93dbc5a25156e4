"""Recall: questions in, hits with their reasons out.

Owns filters, scoring and the shape of an answer. It reads the cache and writes
nothing. `deep`, `exact` and `semantic` answer from text; `graph` answers from
the edges alone.
"""

from __future__ import annotations

from mindcache.recall.answer import Hit, Recall, Why
from mindcache.recall.corpus import Corpus
from mindcache.recall.filters import Filters
from mindcache.recall.search import DEFAULT_LIMIT, Ask, deep, exact, semantic

__all__ = [
    "DEFAULT_LIMIT",
    "Ask",
    "Corpus",
    "Filters",
    "Hit",
    "Recall",
    "Why",
    "deep",
    "exact",
    "semantic",
]
