"""Extraction: what a note's text says outright becomes findings, each with its quote.

Owns what counts as a statement worth a note of its own (something that happened at a
time, something promised or due, a preference, a decision), and nothing of what becomes
of it: `importers.found` makes notes of findings. Precision goes before recall: what is
asked, supposed, denied, quoted from others or said in jest is no finding. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.extract.finding import (
        Context,
        Extractor,
        Finding,
        Findings,
        Passage,
    )
    from mindcache.extract.rules import Rules
    from mindcache.extract.source import SOURCE_TYPE, findings_of, left_alone

__all__ = [
    "SOURCE_TYPE",
    "Context",
    "Extractor",
    "Finding",
    "Findings",
    "Passage",
    "Rules",
    "findings_of",
    "left_alone",
]

__getattr__ = exports(
    __name__,
    {
        "finding": "Context Extractor Finding Findings Passage",
        "rules": "Rules",
        "source": "SOURCE_TYPE findings_of left_alone",
    },
)
