"""The candidates of a search, and all that is known of each of them.

The arrays of a whole vault say which chunks are worth a close look; here these are
read, and what only a close look, a comparison among them or their links can tell is
added to their signals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow, NodeRow
from mindcache.recall.ask import Ask
from mindcache.recall.close import (
    Candidate,
    Spread,
    again,
    close_signals,
    foremost,
    links,
)
from mindcache.recall.corpus import Corpus
from mindcache.recall.derived import sources_among, summed_among
from mindcache.recall.disputes import Dispute
from mindcache.recall.question import Question, as_speech
from mindcache.recall.score import Signals, Weights
from mindcache.recall.standing import open_disputes, successors
from mindcache.recall.succession import brought_near, handed_on, with_heirs
from mindcache.recall.told import told_signal
from mindcache.text import contains_phrase, fold, query_terms

__all__ = ["Search", "looked_at"]

# Chunks that are looked at closely (text, links) after the arrays have ranked
# all: the evidence of a question is among the first 100 in 96 of 100 cases.
CANDIDATES = 150


@dataclass(slots=True)
class Search:
    """What is searched for, and what the arrays say of every chunk.

    `looked_at` fills in the rest: what links handed on, and which candidates (by place)
    say again what others say.
    """

    route: str
    query: Question
    signals: Signals
    weights: Weights
    allowed: npt.NDArray[np.bool_] | None
    only_time: bool = False
    spread: Spread | None = None
    sources: Mapping[int, int] = field(default_factory=dict)
    summed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    disputed: Sequence[Dispute] = ()


def looked_at(
    ask: Ask, corpus: Corpus, search: Search
) -> tuple[list[Candidate], Signals]:
    """The candidates, and all of their signals."""
    places = _first_places(corpus, search, ask.limit if ask.by_note else 0)
    files = set(corpus.files[places].tolist())
    replaced = successors(corpus.reader, files, ask.then)
    if ask.then is None:
        search.disputed = open_disputes(corpus.reader, files, ask.now)
    heirs = {*replaced.values(), *(each.newer for each in search.disputed)}
    if heirs:
        places = with_heirs(corpus, places, heirs, search.allowed)
    found = _fetch(corpus, places, search)
    if not found and search.route == "deep" and not ask.phrases:
        spoken = as_speech(search.query)
        if spoken != search.query:
            search.query = spoken
            found = _fetch(corpus, places, search)
    candidates = list(found.values())
    signals = search.signals.at(np.array(list(found), dtype=np.intp))
    signals.of.update(
        close_signals(corpus, candidates, signals, search.query, replaced, ask.now)
    )
    search.sources = sources_among(corpus, candidates)
    search.summed = summed_among(corpus, candidates)
    if search.route == "deep":
        signals.of["told"] = told_signal(
            corpus, candidates, signals, search.weights, search.query.times, ask.now
        )
        signals.of["foremost"] = foremost(candidates, signals, search.weights)
    if candidates and search.weights.of.get("links"):
        search.spread = links(corpus, candidates, signals, search.weights)
        signals.of["links"] = search.spread.received
    if search.weights.outlook:
        signals.of["outlook"] = _outlook(signals, search)
        signals.of["again"] = again(candidates, signals, search.weights)
        signals.of["several"] = signals.of["again"] * search.query.asks_several
    if replaced:
        signals.of["successor"] = handed_on(
            candidates, replaced, signals, search.weights
        )
    if search.disputed:
        signals.of["later"] = brought_near(
            candidates, search.disputed, signals, search.weights
        )
    return candidates, signals


def _outlook(signals: Signals, search: Search) -> npt.NDArray[np.float64]:
    """The prospects; what says again what its source says makes no answer less clear."""
    outlook = signals.outlook(search.weights)
    if search.sources or search.summed:
        echoes = [*search.sources, *search.summed]
        own = np.setdiff1d(np.arange(len(outlook)), echoes)
        outlook[own] = signals.at(own).outlook(search.weights)
    return outlook


def _first_places(corpus: Corpus, search: Search, notes: int) -> npt.NDArray[np.intp]:
    """The places of the best chunks by their arrays alone; ties all come along.

    Where they are of fewer than `notes` notes, the best of other notes come too.
    """
    if not len(corpus):
        return np.empty(0, dtype=np.intp)
    log_odds = search.signals.log_odds(search.weights)
    if search.allowed is not None:
        log_odds[~search.allowed] = -np.inf
    count = min(CANDIDATES, len(log_odds))
    floor = np.partition(log_odds, len(log_odds) - count)[len(log_odds) - count]
    first = np.flatnonzero((log_odds >= floor) & (log_odds > -np.inf))
    if len(set(corpus.files[first].tolist())) >= notes:
        return first
    order = np.argsort(-log_odds, kind="stable")
    order = order[log_odds[order] > -np.inf]
    # Without np.unique, which imports numpy.ma on its first call.
    files = corpus.files[order]
    by_note = np.argsort(files, kind="stable")
    begins = np.diff(files[by_note], prepend=-1) != 0
    more = order[np.sort(by_note[begins])[:CANDIDATES]]
    return np.array(sorted({*first.tolist(), *more.tolist()}), dtype=np.intp)


def _fetch(
    corpus: Corpus, places: npt.NDArray[np.intp], search: Search
) -> dict[int, Candidate]:
    """The chunks at these places, by place; those without every phrase left out."""
    phrases = search.query.phrases
    if phrases:
        places = _with_phrases(corpus, search)
    ids = corpus.ids[places].tolist()
    chunks = corpus.reader.chunks(ids)
    files = corpus.files[places].tolist()
    paths = corpus.paths(files)
    found = {
        place: Candidate(chunks[chunk_id], paths[file_id])
        for place, chunk_id, file_id in zip(places.tolist(), ids, files, strict=True)
    }
    if not phrases:
        return found
    nodes = {n.file_id: n for n in corpus.reader.nodes(files)}
    return {
        place: candidate
        for place, candidate in found.items()
        if _holds_all(candidate.chunk, nodes, phrases)
    }


def _with_phrases(corpus: Corpus, search: Search) -> npt.NDArray[np.intp]:
    """Every allowed chunk that could hold the phrases: it has all of their terms."""
    allowed = np.ones(len(corpus), dtype=np.bool_)
    if search.allowed is not None:
        allowed &= search.allowed
    for phrase in search.query.phrases:
        terms = [t for t in query_terms(phrase, corpus.languages) if not t.joined]
        for postings in corpus.postings(terms):
            allowed &= np.isin(corpus.ids, postings.chunk_ids)
    return np.flatnonzero(allowed)


def _holds_all(
    chunk: ChunkRow, nodes: Mapping[int, NodeRow], phrases: Sequence[str]
) -> bool:
    folded = fold(chunk.text)
    return all(_holds(chunk, folded, nodes, phrase) for phrase in phrases)


def _holds(
    chunk: ChunkRow, folded: str, nodes: Mapping[int, NodeRow], phrase: str
) -> bool:
    if contains_phrase(folded, phrase):
        return True
    node = nodes[chunk.file_id]
    surroundings = (chunk.heading, node.title, node.summary, *node.aliases)
    return any(contains_phrase(fold(each), phrase) for each in surroundings)
