"""Whether two short texts say the same: the one judge of duplicates. Pure."""

from __future__ import annotations

from mindcache.alike.verdict import (
    CLOSE,
    NEAR,
    Kind,
    More,
    Verdict,
    Wording,
    judge,
    may_be_alike,
)

__all__ = [
    "CLOSE",
    "NEAR",
    "Kind",
    "More",
    "Verdict",
    "Wording",
    "judge",
    "may_be_alike",
]
