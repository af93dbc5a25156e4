"""Which chunks may answer a question at all: what is cut before anything is ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mindcache.recall.corpus import Corpus
from mindcache.recall.filters import Filters, entries_apart, select
from mindcache.recall.naming import named
from mindcache.recall.own import asked_for
from mindcache.recall.question import Question

if TYPE_CHECKING:
    from mindcache.recall.ask import Ask

__all__ = ["allowed_by", "without_maps"]


def allowed_by(
    ask: Ask, query: Question, corpus: Corpus
) -> npt.NDArray[np.bool_] | None:
    """Which chunks pass the filters: those of notes that do, and entries that do.

    In the order of the corpus, None for all. Raises UsageError as `select` does.
    """
    reader = corpus.reader
    chosen = select(reader, ask.filters, ask.now)
    if ask.filters.named:
        called = named(query, reader, ask.then)
        chosen = called if chosen is None else chosen & called
    allowed = corpus.mask(chosen)
    filters = ask.filters.cleaned()
    allowed = _without_our_own(corpus, allowed, query.text, filters)
    if allowed is None:
        return None
    failing, homes = entries_apart(reader, corpus.entries, ask.filters, ask.now)
    if failing:
        allowed &= ~np.isin(corpus.ids, np.fromiter(failing, dtype=np.int64))
    if homes:
        entries = [e.chunk_id for e in corpus.entries if e.file_id in homes]
        beside = np.isin(corpus.files, np.fromiter(homes, dtype=np.int64))
        allowed &= ~beside | np.isin(corpus.ids, np.array(entries, dtype=np.int64))
    return allowed


def _without_our_own(
    corpus: Corpus,
    allowed: npt.NDArray[np.bool_] | None,
    text: str,
    filters: Filters,
) -> npt.NDArray[np.bool_] | None:
    """What is proposed isn't known, and our own pages are no memory.

    The one answers only who asks for it by its type, the others who means them; but a
    list of what passes the filters has them like any note.
    """
    kept_out: set[int] = set()
    if not filters.types and (text or filters):
        kept_out |= corpus.proposals.keys()
    if text:
        pages = corpus.our_pages
        kept_out |= pages.keys() - asked_for(pages, text, filters)
    if not kept_out:
        return allowed
    others = ~np.isin(corpus.files, np.fromiter(sorted(kept_out), dtype=np.int64))
    return others if allowed is None else allowed & others


def without_maps(
    ask: Ask, query: Question, corpus: Corpus, allowed: npt.NDArray[np.bool_] | None
) -> npt.NDArray[np.bool_] | None:
    """Topics take no place from the notes that are in them, unless they are meant."""
    filters = ask.filters.cleaned()
    if filters.types or not corpus.maps:
        return allowed
    maps = corpus.maps.keys() - asked_for(corpus.maps, query.text, filters)
    others = ~np.isin(corpus.files, np.fromiter(sorted(maps), dtype=np.int64))
    return others if allowed is None else allowed & others
