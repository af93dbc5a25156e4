"""Passages that were found in other passages: they stand with them, not beside them.

A fact that was extracted from a turn says what the turn says. Where both answer, the
turn is shown and the fact listed with it; the fact takes no place on the page. So it
is with a summary whose every line is quoted: it stands with the best of its
sources, unless it answers better than each of them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

from mindcache.plain import plain_text
from mindcache.recall.close import Candidate
from mindcache.recall.corpus import Corpus
from mindcache.text import contains_phrase, fold

__all__ = ["sources_among", "summed_among"]

# The subpath is like "^%" where it is a block's, like "%" wherever it leads.
_DERIVED = (
    "f.id IN (SELECT l.file_id FROM links l WHERE l.relation = 'derived_from'"
    " AND l.subpath LIKE ? AND l.file_id IN (SELECT value FROM json_each(?)))"
)

# The line below a quote that says whose words they are.
_SIGNED = "> —"


def sources_among(corpus: Corpus, candidates: Sequence[Candidate]) -> dict[int, int]:
    """The candidates that derive from one passage, a candidate too, with that one.

    Both by their index. The passage is a block that the note leads to; of a whole note,
    the passage of which it is nothing but a quote. What else is derived from a note, or
    from several blocks, says more than any of them and is not among these.
    """
    files = json.dumps(sorted({each.chunk.file_id for each in candidates}))
    derived = corpus.reader.where(_DERIVED, ["%", files]) if candidates else set()
    if not derived:
        return {}
    of_a_block = corpus.reader.where(_DERIVED, ["^%", files])
    blocks: dict[tuple[str, str], int] = {}
    passages: defaultdict[str, list[int]] = defaultdict(list)
    for at, each in enumerate(candidates):
        if each.chunk.file_id not in of_a_block:
            blocks[each.path, each.chunk.anchor] = at
            passages[each.path].append(at)
    found: dict[int, int] = {}
    for at, candidate in enumerate(candidates):
        file_id = candidate.chunk.file_id
        source: int | None = None
        if file_id in of_a_block:
            source = blocks.get(_source(corpus, candidate))
        elif file_id in derived and (quote := _quote(candidate.chunk.text)):
            path, subpath = _source(corpus, candidate)
            near = [] if subpath or path == candidate.path else passages[path]
            source = next((p for p in near if _holds(candidates[p], quote)), None)
        if source is not None:
            found[at] = source
    return found


def _source(corpus: Corpus, candidate: Candidate) -> tuple[str, str]:
    """The one place that a note is derived from: its note's path, and its anchor."""
    links = [
        (link.resolved, link.subpath)
        for link in corpus.reader.links_from(candidate.path)
        if link.relation == "derived_from"
    ]
    return links[0] if len(links) == 1 else ("", "")


def _quote(text: str) -> str:
    """The quoted words of a text that is nothing but a quote, folded; else ""."""
    lines = text.strip().split("\n")
    if not all(line.startswith(">") for line in lines):
        return ""
    if lines[-1].startswith(_SIGNED):
        lines.pop()
    return fold(plain_text("\n".join(line[1:].removeprefix(" ") for line in lines)))


def _holds(candidate: Candidate, quote: str) -> bool:
    text = candidate.chunk.text
    # What only quotes is no source of the quote.
    return not _quote(text) and contains_phrase(fold(plain_text(text)), quote)


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
