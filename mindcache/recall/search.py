"""The searches: exact, semantic, and the deep recall that fuses both with links.

Each gives a `Recall`: hits at chunk level with their reasons. Filters cut
before anything is ranked. Guessed things (a rare word, a near meaning) only
rank; what the caller filtered by decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow, NodeRow
from mindcache.index import lexical
from mindcache.recall.answer import NEARLY, Recall, Why
from mindcache.recall.ask import Ask
from mindcache.recall.close import Candidate
from mindcache.recall.corpus import Corpus
from mindcache.recall.filters import spans_of
from mindcache.recall.page import Entry, Ties, lay_out
from mindcache.recall.passing import allowed_by, without_maps
from mindcache.recall.present import Found, present
from mindcache.recall.question import Question, read
from mindcache.recall.ranking import Search, looked_at
from mindcache.recall.score import DEEP, LEXICAL, SEMANTIC, Signals, Weights, logistic
from mindcache.recall.seeking import fitting
from mindcache.recall.signals import (
    answering,
    lexical_signals,
    note_signals,
    semantic_signals,
    text_signals,
    time_signals,
)
from mindcache.text import QueryTerm

__all__ = [
    "asks_only_time",
    "deep",
    "exact",
    "examine",
    "semantic",
]

# How much of its lead in log odds a passage gets from what was found in it. On three
# dialogues none of it costs .6 of MRR, all of it .3 of R@10.
_LENT = 0.3
_FOUND = "what was found in it answers better"

# Log-odds of what is of another time: no chance, and within what can be reckoned with.
_NEVER = -700.0

# Words of a question, time and general verbs included, of which none is its own.
_FEW_WORDS = 6

_NO_ROOM = "no hit fits into the budget"


def _read(ask: Ask, corpus: Corpus) -> Question:
    return read(ask.text, ask.phrases, corpus, ask.now)


def _strictly(query: Question) -> Question:
    """The same with every quoted phrase required, be it a title or not."""
    return query._replace(phrases=query.phrases + query.quoted, quoted=())


def deep(ask: Ask, corpus: Corpus, weights: Weights = DEEP) -> Recall:
    """Words, meaning, people, times and links together.

    `weights` other than the shipped ones are for measuring.
    """
    query = _read(ask, corpus)
    allowed = allowed_by(ask, query, corpus)
    if not query.text:
        return _listing(ask, corpus, allowed, "deep")
    allowed = without_maps(ask, query, corpus, allowed)
    query, is_only_time = _only_time(ask, query, corpus)
    if is_only_time:
        from mindcache.recall.only_time import answer_of_time

        found = answer_of_time(ask, corpus, query, allowed)
        if found is not None:
            return found
    search = _deep_search(query, corpus, allowed)
    search.weights = weights
    search.only_time = is_only_time
    return _answer(ask, corpus, search)


def asks_only_time(ask: Ask, corpus: Corpus) -> bool:
    """Whether nothing but a time is asked: no topic can answer that."""
    if ask.phrases or '"' in ask.text or not ask.text.strip():
        return False
    from mindcache.recall.asked_time import asked_times

    filtered = spans_of(ask.filters, ask.now)
    return bool(asked_times(ask.text, filtered, corpus.languages, ask.now))


def _only_time(ask: Ask, query: Question, corpus: Corpus) -> tuple[Question, bool]:
    """Whether nothing but a time is asked, and the question with that time."""
    if query.phrases or query.quoted:
        return query, False
    filtered = spans_of(ask.filters, ask.now)
    if not (filtered or query.times or len(query.terms) <= _FEW_WORDS):
        return query, False  # without reading it again
    from mindcache.recall.asked_time import asked_times

    times = asked_times(query.text, filtered, corpus.languages, ask.now)
    return (query._replace(times=times), True) if times else (query, False)


def examine(ask: Ask, corpus: Corpus) -> tuple[list[tuple[str, ChunkRow]], Signals]:
    """The candidates of a deep recall (path, chunk) and all of their signals.

    For measuring and fitting; the candidates are in no order.
    """
    query = _read(ask, corpus)
    allowed = without_maps(ask, query, corpus, allowed_by(ask, query, corpus))
    search = _deep_search(query, corpus, allowed)
    candidates, signals = looked_at(ask, corpus, search)
    return [(each.path, each.chunk) for each in candidates], signals


def _deep_search(
    query: Question, corpus: Corpus, allowed: npt.NDArray[np.bool_] | None
) -> Search:
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
        "fits": fitting(corpus, query.sought),
    }
    return Search("deep", query, Signals(signals), DEEP, allowed)


def exact(ask: Ask, corpus: Corpus) -> Recall:
    """Words alone; without any, the notes that pass the filters."""
    query = _strictly(_read(ask, corpus))
    allowed = allowed_by(ask, query, corpus)
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
    return _answer(ask, corpus, Search("exact", query, signals, LEXICAL, allowed))


def semantic(ask: Ask, corpus: Corpus) -> Recall:
    """Meaning alone."""
    query = _strictly(_read(ask, corpus))
    allowed = allowed_by(ask, query, corpus)
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
    return _answer(ask, corpus, Search("semantic", query, signals, SEMANTIC, allowed))


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


def _answer(ask: Ask, corpus: Corpus, search: Search) -> Recall:
    candidates, signals = looked_at(ask, corpus, search)
    log_odds = signals.log_odds(search.weights).tolist()
    if search.only_time:
        # Where a text's words are no answer, only when it was, or tells of, is one.
        of_it = (signals.of["time"] >= 1.0) | (signals.of["told"] > 0.0)
        log_odds = [odds if of_it[i] else _NEVER for i, odds in enumerate(log_odds)]
    floor = search.weights.floor if ask.floor is None else ask.floor
    sources: dict[int, int] = {}
    lent: dict[int, tuple[Why, ...]] = {}
    for derived, source in search.sources.items():
        lead = _LENT * max(0.0, log_odds[derived] - log_odds[source])
        if logistic(log_odds[source] + lead) < floor:
            continue  # it stands for itself where its source answers nothing
        sources[derived] = source
        if lead:
            log_odds[source] += lead
            lent[source] = (Why("found", round(lead, 3), _FOUND),)
        log_odds[derived] = min(log_odds[derived], log_odds[source])
    for summary, quoted in search.summed.items():
        whole = [at for at in quoted if at not in sources] or quoted
        best = max(whole, key=lambda at: (log_odds[at], -at))
        # Where it answers better than each of its sources, the whole was asked for.
        if best not in sources and log_odds[best] >= log_odds[summary]:
            sources[summary] = best
    order = sorted(
        range(len(candidates)),
        key=lambda i: (
            -log_odds[i],
            i in sources,
            candidates[i].path,
            candidates[i].chunk.ord,
        ),
    )
    scores = {i: logistic(log_odds[i]) for i in order}
    ranked = [(i, scores[i]) for i in order if scores[i] >= floor]
    rejected = [
        scores[i] for i in order[len(ranked) :] if scores[i] or not search.only_time
    ]
    ties = Ties(sources, {frozenset((d.older, d.newer)) for d in search.disputed})
    page = lay_out(
        corpus, candidates, ranked, ask.limit, by_note=ask.by_note, ties=ties
    )
    why = {
        entry.at: signals.why(entry.at, search.weights) + lent.get(entry.at, ())
        for entry in page.entries
    }
    hits, budget = present(
        corpus.reader,
        Found(
            candidates,
            scores,
            why,
            _dates(ask, corpus),
            search.spread,
            ask.now,
            is_past=ask.then is not None,
        ),
        page.entries,
        search.query,
        budget=ask.budget,
        expand=ask.expand,
    )
    reason = _reason(ask, corpus, search, rejected, found=bool(page.entries))
    if page.entries and not hits:
        reason = "; ".join(filter(None, (reason, _NO_ROOM)))
    return Recall(
        query=ask.text,
        route=search.route,
        hits=hits,
        floor=floor,
        reason=reason,
        left_out=page.left_out,
        below_floor=len(rejected),
        just_below=sum(score >= NEARLY * floor for score in rejected),
        best_rejected=rejected[0] if rejected else None,
        budget=budget,
    )


def _dates(ask: Ask, corpus: Corpus) -> Callable[[Collection[NodeRow]], dict[int, str]]:
    """What gives the dates of the occurrences that brought notes through the filters."""
    spans = spans_of(ask.filters, ask.now)
    if not (spans and corpus.reader.has_plans()):
        return lambda _: {}
    from mindcache.recall.occasions import dates_of

    return lambda nodes: dates_of(corpus.reader, nodes, spans)


def _reason(
    ask: Ask,
    corpus: Corpus,
    search: Search,
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
    ask: Ask, corpus: Corpus, search: Search, rejected: Collection[float]
) -> str:
    if not len(corpus):
        return "the vault holds no notes that could be searched"
    if search.allowed is not None and not search.allowed.any():
        return _why_none_passes(ask, search)
    if search.only_time:
        from mindcache.recall.asked_time import described

        times = described(search.query.times)
        return f"nothing but a time is asked, and nothing is known of {times}"
    if search.query.phrases and not rejected:
        return "no note holds the quoted phrase"
    return "nothing here answers this convincingly"


def _why_none_passes(ask: Ask, search: Search) -> str:
    if ask.filters.named:
        return "no note that passes the filters is called by a name in the question"
    if search.route == "exact" and not ask.filters:
        return "no note holds these words"
    if not ask.filters:
        return "the vault holds no notes but those that Mindcache wrote"
    return (
        "no note matches" if search.route == "exact" else "no note passes the filters"
    )


def _listing(
    ask: Ask, corpus: Corpus, allowed: npt.NDArray[np.bool_] | None, route: str
) -> Recall:
    """Without a question: the notes that pass the filters, by path."""
    if allowed is None:
        return Recall(ask.text, route, reason="no question and no filter was given")
    reader = corpus.reader
    nodes = reader.nodes(set(corpus.files[allowed].tolist()))
    shown = nodes[: ask.limit]
    chosen = [Candidate(reader.chunks_of(n.file_id)[0], n.path) for n in shown]
    places = range(len(chosen))
    why = (Why("filter", 0.0, "passes every filter"),)
    hits, budget = present(
        reader,
        Found(
            chosen,
            dict.fromkeys(places, 1.0),
            dict.fromkeys(places, why),
            _dates(ask, corpus),
            now=ask.now,
            is_past=ask.then is not None,
        ),
        [Entry(place) for place in places],
        Question(""),
        budget=ask.budget,
        expand=ask.expand,
    )
    reason = _NO_ROOM if shown else "no note passes the filters"
    return Recall(
        query=ask.text,
        route=route,
        hits=hits,
        order="path",
        left_out=len(nodes) - len(shown),
        reason="" if hits else reason,
        budget=budget,
    )
