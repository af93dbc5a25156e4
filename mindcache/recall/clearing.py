"""Answers without the secrets that stand in notes: they stay in the notes. Pure."""

from __future__ import annotations

from mindcache.recall.answer import Hit, Recall
from mindcache.redact import redact

__all__ = ["cleared"]


def cleared(found: Recall) -> Recall:
    """The answer with a word in place of each secret, and how many there were.

    Paths, ids and titles are names that other commands take, and stay.
    """
    count = 0
    hits = []
    for hit in found.hits:
        clear, taken = _cleared(hit)
        count += taken
        hits.append(clear)
    return found._replace(hits=tuple(hits), redacted=count) if count else found


def _cleared(hit: Hit) -> tuple[Hit, int]:
    summary, snippet = redact(hit.summary), redact(hit.snippet)
    text = None if hit.text is None else redact(hit.text)
    linked = tuple(
        each._replace(summary=redact(each.summary).text) for each in hit.linked
    )
    # What is packed holds what the snippet shows.
    count = summary.taken + snippet.taken if text is None else text.taken
    clear = hit._replace(
        summary=summary.text,
        snippet=snippet.text,
        text=None if text is None else text.text,
        linked=linked,
    )
    return clear, count
