"""Passages that were found in other passages: they stand with them, not beside them.

A fact that was extracted from a turn says what the turn says. Where both answer, the
turn is shown and the fact listed with it; the fact takes no place on the page. So it
is with a summary whose every line is quoted: it stands with the best of its
sources, unless it answers better than each of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from mindcache.recall.close import Candidate
from mindcache.recall.corpus import Corpus

__all__ = ["sources_among", "summed_among"]

_DERIVED = (
    "f.id IN (SELECT l.file_id FROM links l WHERE l.relation = 'derived_from'"
    " AND l.subpath LIKE '^%' AND l.file_id IN (SELECT value FROM json_each(?)))"
)


def sources_among(corpus: Corpus, candidates: Sequence[Candidate]) -> dict[int, int]:
    """The candidates that derive from one block, a candidate too, with that one.

    Both by their index. What is derived from a whole note, or from several blocks, says
    more than any of them and is not among these.
    """
    files = json.dumps(sorted({each.chunk.file_id for each in candidates}))
    derived = corpus.reader.where(_DERIVED, [files]) if candidates else set()
    if not derived:
        return {}
    blocks = {
        (each.path, each.chunk.anchor): at
        for at, each in enumerate(candidates)
        if each.chunk.file_id not in derived
    }
    found: dict[int, int] = {}
    for at, candidate in enumerate(candidates):
        if candidate.chunk.file_id in derived:
            source = blocks.get(_source(corpus, candidate))
            if source is not None:
                found[at] = source
    return found


def _source(corpus: Corpus, candidate: Candidate) -> tuple[str, str]:
    """The one block that a note is derived from: its note's path, and its anchor."""
    links = [
        (link.resolved, link.subpath)
        for link in corpus.reader.links_from(candidate.path)
        if link.relation == "derived_from"
    ]
    return links[0] if len(links) == 1 else ("", "")


_SUMMARIES = "n.type = 'summary' AND f.id IN (SELECT value FROM json_each(?))"


def summed_among(
    corpus: Corpus, candidates: Sequence[Candidate]
) -> dict[int, tuple[int, ...]]:
    """The summaries that only quote, with those of their sources that are candidates.

    All by their index; sources that stand with another passage are not among them. A
    summary with words of its own says more than what it is derived from.
    """
    quoting = {each.chunk.file_id for each in candidates if not each.chunk.text}
    if not quoting:
        return {}
    files = corpus.reader.where(_SUMMARIES, [json.dumps(sorted(quoting))])
    found: dict[int, tuple[int, ...]] = {}
    for at, candidate in enumerate(candidates):
        if candidate.chunk.file_id not in files or candidate.chunk.text:
            continue
        paths = {
            link.resolved
            for link in corpus.reader.links_from(candidate.path)
            if link.relation == "derived_from" and link.resolved
        }
        places = (
            place
            for place, each in enumerate(candidates)
            if each.path in paths and each.chunk.file_id not in files
        )
        if near := tuple(places):
            found[at] = near
    return found
