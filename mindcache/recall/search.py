"""The searches: exact, semantic, and the deep recall that fuses both with links.

Each gives a `Recall`: hits at chunk level with their reasons. Filters cut
before anything is ranked. Guessed things (a rare word, a near meaning) only
rank; what the caller filtered by decides.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow, NodeRow
from mindcache.index import lexical
from mindcache.recall.answer import Hit, Recall, Why
from mindcache.recall.close import Candidate, again, close_signals, links
from mindcache.recall.corpus import Corpus
from mindcache.recall.filters import Filters, select
from mindcache.recall.naming import named, successors
from mindcache.recall.question import Question, as_speech, read
from mindcache.recall.score import DEEP, LEXICAL, SEMANTIC, Signals, Weights, logistic
from mindcache.recall.signals import (
    answering,
    lexical_signals,
    note_signals,
    semantic_signals,
    text_signals,
    time_signals,
)
from mindcache.recall.snippet import snippet
from mindcache.recall.succession import handed_on, with_heirs
from mindcache.recall.told import told_signal
from mindcache.text import QueryTerm, contains_phrase, fold, query_terms

__all__ = ["Ask", "deep", "exact", "examine", "semantic"]

# Chunks that are looked at closely (text, links) after the arrays have ranked
# all: the evidence of a question is among the first 100 in 96 of 100 cases.
CANDIDATES = 150

DEFAULT_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Ask:
    """One question: its text, filters, how many hits, and from which score up.

    `floor` None stands for the search's own; `now` decides what is expired.
    """

    text: str
    filters: Filters = field(default_factory=Filters)
    limit: int = DEFAULT_LIMIT
    floor: float | None = None
    phrases: tuple[str, ...] = ()
    now: datetime | None = None


def _read(ask: Ask, corpus: Corpus) -> Question:
    return read(ask.text, ask.phrases, corpus, ask.now)


def _allowed(ask: Ask, query: Question, corpus: Corpus) -> npt.NDArray[np.bool_] | None:
    """Which chunks the filters leave; None for all."""
    chosen = select(corpus.reader, ask.filters, ask.now)
    if ask.filters.named:
        called = named(query, corpus.reader)
        chosen = called if chosen is None else chosen & called
    return corpus.mask(chosen)


def _strictly(query: Question) -> Question:
    """The same with every quoted phrase required, be it a title or not."""
    return replace(query, phrases=query.phrases + query.quoted, quoted=())


def deep(ask: Ask, corpus: Corpus, weights: Weights = DEEP) -> Recall:
    """Words, meaning, people, times and links together.

    `weights` other than the shipped ones are for measuring.
    """
    query = _read(ask, corpus)
    allowed = _allowed(ask, query, corpus)
    if not query.text:
        return _listing(ask, corpus, allowed, "deep")
    search = _deep_search(query, corpus, allowed)
    search.weights = weights
    return _answer(ask, corpus, search)


def examine(ask: Ask, corpus: Corpus) -> tuple[list[tuple[str, ChunkRow]], Signals]:
    """The candidates of a deep recall (path, chunk) and all of their signals.

    For measuring and fitting; the candidates are in no order.
    """
    query = _read(ask, corpus)
    allowed = _allowed(ask, query, corpus)
    search = _deep_search(query, corpus, allowed)
    candidates, signals = _examine(ask, corpus, search)
    return [(each.path, each.chunk) for each in candidates], signals


def _deep_search(
    query: Question, corpus: Corpus, allowed: npt.NDArray[np.bool_] | None
) -> _Search:
    terms, postings = _postings(query, corpus)
    collection = corpus.collection
    matches = lexical.bm25(
        postings, collection, context=lexical.Context(), only=allowed
    )
    likeness = corpus.similarities(query.bare)
    # In a conversation its people's names are everywhere and mark no episode.
    apart = [
        p for t, p in zip(terms, postings, strict=True) if t.text not in query.names
    ]
    signals = {
        **lexical_signals(matches, postings, corpus.collection),
        **answering(matches.own, collection),
        **note_signals(apart or postings, collection),
        **semantic_signals(*likeness, collection, allowed),
        **text_signals(corpus, query),
        **time_signals(corpus, query.times),
    }
    return _Search("deep", query, Signals(signals), DEEP, allowed)


def exact(ask: Ask, corpus: Corpus) -> Recall:
    """Words alone; without any, the notes that pass the filters."""
    query = _strictly(_read(ask, corpus))
    allowed = _allowed(ask, query, corpus)
    if not query.text:
        return _listing(ask, corpus, allowed, "exact")
    _, postings = _postings(query, corpus)
    matches = lexical.bm25(postings, corpus.collection, only=allowed)
    signals = Signals(
        {
            **lexical_signals(matches, postings, corpus.collection),
            **text_signals(corpus, query),
        }
    )
    matched = signals.of["coverage"] > 0
    allowed = matched if allowed is None else allowed & matched
    return _answer(ask, corpus, _Search("exact", query, signals, LEXICAL, allowed))


def semantic(ask: Ask, corpus: Corpus) -> Recall:
    """Meaning alone."""
    query = _strictly(_read(ask, corpus))
    allowed = _allowed(ask, query, corpus)
    if not query.text:
        return _listing(ask, corpus, allowed, "semantic")
    signals = Signals(
        {
            **semantic_signals(
                *corpus.similarities(query.bare), corpus.collection, allowed
            ),
            **text_signals(corpus, query),
        }
    )
    return _answer(ask, corpus, _Search("semantic", query, signals, SEMANTIC, allowed))


def _postings(
    query: Question, corpus: Corpus
) -> tuple[list[QueryTerm], list[lexical.Postings]]:
    """The terms that count, and where each occurs."""
    found = [
        (term, postings)
        for term, postings in zip(
            query.terms, corpus.postings(query.terms), strict=True
        )
        # A compound's literal form is evidence where it is, no gap where it isn't.
        if len(postings.chunk_ids) or not term.joined
    ]
    return [term for term, _ in found], [postings for _, postings in found]


# -- from signals to hits ----------------------------------------------------


@dataclass(slots=True)
class _Search:
    route: str
    query: Question
    signals: Signals
    weights: Weights
    allowed: npt.NDArray[np.bool_] | None


def _examine(
    ask: Ask, corpus: Corpus, search: _Search
) -> tuple[list[Candidate], Signals]:
    """The candidates, and all of their signals."""
    places = _first_places(corpus, search)
    replaced = successors(corpus.reader, corpus.files[places].tolist())
    if replaced:
        places = with_heirs(corpus, places, replaced, search.allowed)
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
    if search.route == "deep":
        signals.of["told"] = told_signal(
            corpus, candidates, signals, search.weights, search.query.times, ask.now
        )
    if candidates and search.weights.of.get("links"):
        signals.of["links"] = links(corpus, candidates, signals, search.weights)
    if search.weights.outlook:
        signals.of["outlook"] = signals.outlook(search.weights)
        signals.of["again"] = again(candidates, signals, search.weights)
        signals.of["several"] = signals.of["again"] * search.query.asks_several
    if replaced:
        heirs = handed_on(candidates, replaced, signals, search.weights)
        signals.of["successor"] = heirs
    return candidates, signals


def _answer(ask: Ask, corpus: Corpus, search: _Search) -> Recall:
    candidates, signals = _examine(ask, corpus, search)
    log_odds = signals.log_odds(search.weights).tolist()
    order = sorted(
        range(len(candidates)),
        key=lambda i: (-log_odds[i], candidates[i].path, candidates[i].chunk.ord),
    )
    floor = search.weights.floor if ask.floor is None else ask.floor
    scores = [logistic(log_odds[i]) for i in order]
    passing = sum(score >= floor for score in scores)
    shown = order[: min(passing, max(ask.limit, 0))]
    nodes = corpus.reader.nodes(candidates[i].chunk.file_id for i in shown)
    by_file = {node.file_id: node for node in nodes}
    hits = tuple(
        _hit(
            candidates[i].chunk,
            by_file[candidates[i].chunk.file_id],
            score,
            signals.why(i, search.weights),
            search.query,
        )
        for i, score in zip(shown, scores, strict=False)
    )
    rejected = scores[passing:]
    return Recall(
        query=ask.text,
        route=search.route,
        hits=hits,
        floor=floor,
        reason=_reason(ask, corpus, search, rejected, found=bool(hits)),
        left_out=passing - len(shown),
        below_floor=len(rejected),
        best_rejected=rejected[0] if rejected else None,
    )


def _first_places(corpus: Corpus, search: _Search) -> npt.NDArray[np.intp]:
    """The places of the best chunks by their arrays alone; ties all come along."""
    if not len(corpus):
        return np.empty(0, dtype=np.intp)
    log_odds = search.signals.log_odds(search.weights)
    if search.allowed is not None:
        log_odds[~search.allowed] = -np.inf
    count = min(CANDIDATES, len(log_odds))
    floor = np.partition(log_odds, len(log_odds) - count)[len(log_odds) - count]
    return np.flatnonzero((log_odds >= floor) & (log_odds > -np.inf))


def _fetch(
    corpus: Corpus, places: npt.NDArray[np.intp], search: _Search
) -> dict[int, Candidate]:
    """The chunks at these places, by place; those without every phrase left out."""
    phrases = search.query.phrases
    if phrases:
        places = _with_phrases(corpus, search)
    chunks = corpus.reader.chunks(corpus.ids[places].tolist())
    files = corpus.files[places].tolist()
    paths = corpus.reader.paths(files)
    nodes = {n.file_id: n for n in corpus.reader.nodes(files)} if phrases else {}
    found = {}
    for place in places.tolist():
        chunk = chunks[int(corpus.ids[place])]
        folded = fold(chunk.text) if phrases else ""
        if all(_holds(chunk, folded, nodes, p) for p in phrases):
            found[place] = Candidate(chunk, paths[chunk.file_id])
    return found


def _with_phrases(corpus: Corpus, search: _Search) -> npt.NDArray[np.intp]:
    """Every allowed chunk that could hold the phrases: it has all of their terms."""
    allowed = np.ones(len(corpus), dtype=np.bool_)
    if search.allowed is not None:
        allowed &= search.allowed
    for phrase in search.query.phrases:
        terms = [t for t in query_terms(phrase, corpus.languages) if not t.joined]
        for postings in corpus.postings(terms):
            allowed &= np.isin(corpus.ids, postings.chunk_ids)
    return np.flatnonzero(allowed)


def _holds(
    chunk: ChunkRow, folded: str, nodes: dict[int, NodeRow], phrase: str
) -> bool:
    if contains_phrase(folded, phrase):
        return True
    node = nodes[chunk.file_id]
    surroundings = (chunk.heading, node.title, node.summary, *node.aliases)
    return any(contains_phrase(fold(each), phrase) for each in surroundings)


def _hit(
    chunk: ChunkRow, node: NodeRow, score: float, why: tuple[Why, ...], query: Question
) -> Hit:
    return Hit(
        path=node.path,
        anchor=chunk.anchor.lstrip("^"),
        heading=chunk.heading,
        lines=(chunk.line_start, chunk.line_end),
        id=node.id,
        title=node.title,
        type=node.type,
        status=node.status,
        date=node.date,
        summary=node.summary,
        snippet=snippet(chunk.text, query.index_terms, node.lang),
        tags=node.tags,
        score=score,
        why=why,
    )


def _reason(
    ask: Ask,
    corpus: Corpus,
    search: _Search,
    rejected: Collection[float],
    *,
    found: bool,
) -> str:
    """What has to be said about the answer: words read otherwise, why it is empty."""
    said = [
        f"{each.word!r} stands nowhere here; read as {each.meant!r}"
        for each in search.query.misspelt
    ]
    if search.query.spoken:
        said.append("no note holds the quoted sentence; asked by its words")
    if not found:
        said.append(_why_empty(ask, corpus, search, rejected))
    return "; ".join(said)


def _why_empty(
    ask: Ask, corpus: Corpus, search: _Search, rejected: Collection[float]
) -> str:
    if not len(corpus):
        return "the vault holds no notes that could be searched"
    if search.allowed is not None and not search.allowed.any():
        if ask.filters.named:
            return "no note that passes the filters is called by a name in the question"
        return (
            "no note matches"
            if search.route == "exact"
            else "no note passes the filters"
        )
    if search.query.phrases and not rejected:
        return "no note holds the quoted phrase"
    return "nothing here answers this convincingly"


def _listing(
    ask: Ask, corpus: Corpus, allowed: npt.NDArray[np.bool_] | None, route: str
) -> Recall:
    """Without a question: the notes that pass the filters, by path."""
    if allowed is None:
        return Recall(ask.text, route, reason="no question and no filter was given")
    file_ids = set(corpus.files[allowed].tolist())
    nodes = corpus.reader.nodes(file_ids)
    hits = []
    for node in nodes[: ask.limit]:
        chunk = corpus.reader.chunks_of(node.file_id)[0]
        why = (Why("filter", 0.0, "passes every filter"),)
        empty = Question("")
        hits.append(_hit(chunk, node, 1.0, why, empty))
    return Recall(
        query=ask.text,
        route=route,
        hits=tuple(hits),
        order="path",
        left_out=len(nodes) - len(hits),
        reason="" if hits else "no note passes the filters",
    )
