"""The searches: exact, semantic, and the deep recall that fuses both with links.

Each gives a `Recall`: hits at chunk level with their reasons. Filters cut
before anything is ranked. Guessed things (a rare word, a near meaning) only
rank; what the caller filtered by decides.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow, NodeRow
from mindcache.index import graph, lexical
from mindcache.recall.answer import Hit, Recall, Why
from mindcache.recall.corpus import Corpus
from mindcache.recall.filters import Filters, select
from mindcache.recall.score import (
    DEEP,
    LEXICAL,
    SEMANTIC,
    Signals,
    Weights,
    lexical_signals,
    logistic,
    semantic_signals,
)
from mindcache.recall.snippet import snippet
from mindcache.text import (
    QueryTerm,
    contains_phrase,
    fold,
    parse_phrases,
    query_terms,
)

__all__ = ["Ask", "deep", "exact", "semantic"]

# Chunks that are looked at closely (text, links) after the arrays have ranked
# all: the evidence of a question is among the first 100 in 96 of 100 cases.
CANDIDATES = 200

# Notes whose links are followed: those that would be shown on a first screen.
SEEDS = 10

DEFAULT_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Ask:
    """One question: its text, filters, how many hits, and from which score up.

    `floor` None stands for the search's own; `now` decides what is expired.
    """

    text: str
    filters: Filters = Filters()
    limit: int = DEFAULT_LIMIT
    floor: float | None = None
    phrases: tuple[str, ...] = ()
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Query:
    """A question as the searches read it."""

    text: str
    terms: tuple[QueryTerm, ...]
    phrases: tuple[str, ...]

    @property
    def index_terms(self) -> frozenset[str]:
        return frozenset(t for term in self.terms for t in term.terms)


def _read(ask: Ask, corpus: Corpus) -> _Query:
    words, quoted = parse_phrases(ask.text)
    phrases = [*quoted, *(p for p in ask.phrases if p.strip())]
    text = " ".join([words, *phrases]).strip()
    folded = tuple(f for p in phrases if (f := fold(p)))
    return _Query(text, tuple(query_terms(text, corpus.languages)), folded)


def deep(ask: Ask, corpus: Corpus) -> Recall:
    """Words, meaning and links together."""
    query = _read(ask, corpus)
    allowed = corpus.mask(select(corpus.reader, ask.filters))
    if not query.text:
        return _listing(ask, corpus, allowed, "deep")
    signals = _lexical(query, corpus, allowed, lexical.Context())
    signals.of.update(semantic_signals(corpus.similarities(query.text), allowed).of)
    return _answer(ask, corpus, _Search("deep", query, signals, DEEP, allowed))


def exact(ask: Ask, corpus: Corpus) -> Recall:
    """Words alone; without any, the notes that pass the filters."""
    query = _read(ask, corpus)
    allowed = corpus.mask(select(corpus.reader, ask.filters))
    if not query.text:
        return _listing(ask, corpus, allowed, "exact")
    signals = _lexical(query, corpus, allowed, None)
    matched = signals.of["coverage"] > 0
    allowed = matched if allowed is None else allowed & matched
    return _answer(ask, corpus, _Search("exact", query, signals, LEXICAL, allowed))


def semantic(ask: Ask, corpus: Corpus) -> Recall:
    """Meaning alone."""
    query = _read(ask, corpus)
    allowed = corpus.mask(select(corpus.reader, ask.filters))
    if not query.text:
        return _listing(ask, corpus, allowed, "semantic")
    signals = semantic_signals(corpus.similarities(query.text), allowed)
    return _answer(ask, corpus, _Search("semantic", query, signals, SEMANTIC, allowed))


def _lexical(
    query: _Query,
    corpus: Corpus,
    allowed: npt.NDArray[np.bool_] | None,
    context: lexical.Context | None,
) -> Signals:
    terms = [
        postings
        for term, postings in zip(
            query.terms, corpus.postings(query.terms), strict=True
        )
        # A compound's literal form is evidence where it is, no gap where it isn't.
        if len(postings.chunk_ids) or not term.joined
    ]
    matches = lexical.bm25(terms, corpus.collection, context=context, only=allowed)
    return lexical_signals(matches, corpus.ids)


# -- from signals to hits ----------------------------------------------------


@dataclass(slots=True)
class _Search:
    route: str
    query: _Query
    signals: Signals
    weights: Weights
    allowed: npt.NDArray[np.bool_] | None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A chunk on its way to a hit; `place` is its row in the signals."""

    place: int
    chunk: ChunkRow
    node: NodeRow


def _answer(ask: Ask, corpus: Corpus, search: _Search) -> Recall:
    places = _first_places(corpus, search)
    candidates = _fetch(corpus, places, search)
    signals = search.signals.at(np.array([c.place for c in candidates], dtype=np.intp))
    size = len(candidates)
    candidates = [replace(c, place=i) for i, c in enumerate(candidates)]
    signals.of["expired"] = np.array([_is_expired(c.node, ask.now) for c in candidates])
    signals.of["literal"] = np.array([_is_literal(c, search.query) for c in candidates])
    if size and search.weights.of.get("links"):
        signals.of["links"] = _links(corpus, candidates, signals, search.weights)
    scored = sorted(
        zip(
            signals.log_odds(search.weights).tolist() if size else [],
            candidates,
            strict=True,
        ),
        key=lambda pair: (-pair[0], pair[1].node.path, pair[1].chunk.ord),
    )
    floor = search.weights.floor if ask.floor is None else ask.floor
    hits: list[Hit] = []
    rejected: list[float] = []
    for log_odds, candidate in scored:
        score = logistic(log_odds)
        if score < floor:
            rejected.append(score)
        elif len(hits) < ask.limit:
            why = signals.why(candidate.place, search.weights)
            hits.append(_hit(candidate, score, why, search.query))
    return Recall(
        query=ask.text,
        route=search.route,
        hits=tuple(hits),
        floor=floor,
        reason="" if hits else _why_empty(corpus, search, rejected),
        below_floor=len(rejected),
        best_rejected=max(rejected, default=None),
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
) -> list[_Candidate]:
    """The rows of these chunks; those without every quoted phrase are left out."""
    if search.query.phrases:
        places = _with_phrases(corpus, search)
    chunks = corpus.reader.chunks(corpus.ids[places].tolist())
    nodes = {n.file_id: n for n in corpus.reader.nodes(corpus.files[places].tolist())}
    found = []
    for place in places.tolist():
        chunk = chunks[int(corpus.ids[place])]
        folded = fold(chunk.text) if search.query.phrases else ""
        if all(_holds(chunk, folded, nodes, p) for p in search.query.phrases):
            found.append(_Candidate(place, chunk, nodes[chunk.file_id]))
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


def _is_literal(candidate: _Candidate, query: _Query) -> float:
    """1 when the question stands in the chunk word for word."""
    wanted = fold(query.text).strip(" ?!.")
    if not wanted or (" " not in wanted and len(query.terms) < 2):
        return 0.0
    return float(contains_phrase(fold(candidate.chunk.text), wanted))


def _is_expired(node: NodeRow, now: datetime | None) -> float:
    if now is None or not node.valid_until:
        return 0.0
    return float(node.valid_until <= now.isoformat())


def _links(
    corpus: Corpus,
    candidates: Sequence[_Candidate],
    signals: Signals,
    weights: Weights,
) -> npt.NDArray[np.float64]:
    """How much the best notes hand each candidate's note over their edges, 0..1."""
    log_odds = signals.log_odds(weights)
    best: dict[str, float] = {}
    for candidate in candidates:
        path = candidate.node.path
        best[path] = max(
            best.get(path, 0.0), logistic(float(log_odds[candidate.place]))
        )
    first = sorted(best, key=lambda path: (-best[path], path))[:SEEDS]
    seeds = {path: best[path] for path in first}
    edges = [graph.EdgeRow(*row) for row in corpus.reader.edges_of(first)]
    received = graph.spread(seeds, edges)
    strongest = max(received.values(), default=0.0)
    if strongest <= 0:
        return np.zeros(len(candidates))
    return np.array([received.get(c.node.path, 0.0) / strongest for c in candidates])


def _hit(
    candidate: _Candidate, score: float, why: tuple[Why, ...], query: _Query
) -> Hit:
    chunk, node = candidate.chunk, candidate.node
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


def _why_empty(corpus: Corpus, search: _Search, rejected: Collection[float]) -> str:
    if not len(corpus):
        return "the vault holds no notes that could be searched"
    if search.allowed is not None and not search.allowed.any():
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
        empty = _Query("", (), ())
        hits.append(_hit(_Candidate(0, chunk, node), 1.0, why, empty))
    return Recall(
        query=ask.text,
        route=route,
        hits=tuple(hits),
        order="path",
        reason="" if hits else "no note passes the filters",
    )
