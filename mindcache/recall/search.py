"""The searches: exact, semantic, and the deep recall that fuses both with links.

Each gives a `Recall`: hits at chunk level with their reasons. Filters cut
before anything is ranked. Guessed things (a rare word, a near meaning) only
rank; what the caller filtered by decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow, NodeRow
from mindcache.index import lexical
from mindcache.recall.answer import NEARLY, Recall, Why
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
from mindcache.recall.filters import (
    Filters,
    moment_of,
    spans_of,
)
from mindcache.recall.page import Entry, Ties, lay_out
from mindcache.recall.passing import allowed_by, without_maps
from mindcache.recall.present import Found, present
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
from mindcache.recall.standing import open_disputes, successors
from mindcache.recall.succession import brought_near, handed_on, with_heirs
from mindcache.recall.told import told_signal
from mindcache.text import QueryTerm, contains_phrase, fold, query_terms

__all__ = [
    "Ask",
    "asked_at",
    "asks_only_time",
    "deep",
    "exact",
    "examine",
    "semantic",
]

# Chunks that are looked at closely (text, links) after the arrays have ranked
# all: the evidence of a question is among the first 100 in 96 of 100 cases.
CANDIDATES = 150

DEFAULT_LIMIT = 10

# How much of its lead in log odds a passage gets from what was found in it. On three
# dialogues none of it costs .6 of MRR, all of it .3 of R@10.
_LENT = 0.3
_FOUND = "what was found in it answers better"

# Log-odds of what is of another time: no chance, and within what can be reckoned with.
_NEVER = -700.0

# Words of a question, time and general verbs included, of which none is its own.
_FEW_WORDS = 6

_NO_ROOM = "no hit fits into the budget"


@dataclass(frozen=True, slots=True)
class Ask:
    """One question: its text, filters, how many hits, and from which score up.

    `floor` None stands for the search's own; `now` decides what is expired. `budget`
    is the number of tokens that the hits' texts may take, `expand` adds what stands
    around each hit, `by_note` makes one hit of each note.
    """

    text: str
    filters: Filters = field(default_factory=Filters)
    limit: int = DEFAULT_LIMIT
    floor: float | None = None
    phrases: tuple[str, ...] = ()
    now: datetime | None = None
    budget: int | None = None
    expand: bool = False
    by_note: bool = False

    @property
    def then(self) -> datetime | None:
        """The time as of which is asked, None for now."""
        return self.now if self.filters.as_of.strip() else None


def asked_at(ask: Ask, now: datetime) -> Ask:
    """The question as it is asked now, or would have been then (`--as-of`).

    Raises UsageError for what is no date.
    """
    as_of = ask.filters.as_of.strip()
    if not as_of:
        return replace(ask, now=now)
    moment = moment_of(as_of, now)
    then = ask.filters._replace(as_of=moment.isoformat(timespec="seconds"))
    return replace(ask, now=moment, filters=then)


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
    from mindcache.recall.only_time import asked_times

    filtered = spans_of(ask.filters, ask.now)
    return bool(asked_times(ask.text, filtered, corpus.languages, ask.now))


def _only_time(ask: Ask, query: Question, corpus: Corpus) -> tuple[Question, bool]:
    """Whether nothing but a time is asked, and the question with that time."""
    if query.phrases or query.quoted:
        return query, False
    filtered = spans_of(ask.filters, ask.now)
    if not (filtered or query.times or len(query.terms) <= _FEW_WORDS):
        return query, False  # without reading it again
    from mindcache.recall.only_time import asked_times

    times = asked_times(query.text, filtered, corpus.languages, ask.now)
    return (query._replace(times=times), True) if times else (query, False)


def examine(ask: Ask, corpus: Corpus) -> tuple[list[tuple[str, ChunkRow]], Signals]:
    """The candidates of a deep recall (path, chunk) and all of their signals.

    For measuring and fitting; the candidates are in no order.
    """
    query = _read(ask, corpus)
    allowed = without_maps(ask, query, corpus, allowed_by(ask, query, corpus))
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
    return _answer(ask, corpus, _Search("exact", query, signals, LEXICAL, allowed))


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
    only_time: bool = False
    spread: Spread | None = None
    sources: Mapping[int, int] = field(default_factory=dict)
    summed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    disputed: Sequence[Dispute] = ()


def _examine(
    ask: Ask, corpus: Corpus, search: _Search
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


def _outlook(signals: Signals, search: _Search) -> npt.NDArray[np.float64]:
    """The prospects; what says again what its source says makes no answer less clear."""
    outlook = signals.outlook(search.weights)
    if search.sources or search.summed:
        echoes = [*search.sources, *search.summed]
        own = np.setdiff1d(np.arange(len(outlook)), echoes)
        outlook[own] = signals.at(own).outlook(search.weights)
    return outlook


def _answer(ask: Ask, corpus: Corpus, search: _Search) -> Recall:
    candidates, signals = _examine(ask, corpus, search)
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


def _first_places(corpus: Corpus, search: _Search, notes: int) -> npt.NDArray[np.intp]:
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
    corpus: Corpus, places: npt.NDArray[np.intp], search: _Search
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
        return _why_none_passes(ask, search)
    if search.only_time:
        from mindcache.recall.only_time import described

        times = described(search.query.times)
        return f"nothing but a time is asked, and nothing is known of {times}"
    if search.query.phrases and not rejected:
        return "no note holds the quoted phrase"
    return "nothing here answers this convincingly"


def _why_none_passes(ask: Ask, search: _Search) -> str:
    if ask.filters.named:
        return "no note that passes the filters is called by a name in the question"
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
