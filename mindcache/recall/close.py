"""The signals that take a close look: at the text, the note or the rank of a candidate.

What the arrays of a whole vault can't tell is looked up here, for the few chunks
that they ranked first.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow
from mindcache.index import graph
from mindcache.recall.corpus import Corpus
from mindcache.recall.question import Question
from mindcache.recall.score import Signals, Weights, logistic
from mindcache.text import contains_phrase, fold

__all__ = ["Candidate", "Spread", "again", "close_signals", "foremost", "links"]

# Turns of one conversation that cost nothing, and how many more count against.
FREE, REPEATS = 1, 3

# Notes whose links are followed: those that would be shown on a first screen.
SEEDS = 10

# More words in a row than this, and one, tell no more; signs of plain sentences, and
# those that join words in them.
_IN_A_ROW = 4
_PLAIN_SIGNS = " ,;:'’()"
_JOINING_SIGNS = "-‐–—&/"
_JOINED = str.maketrans(dict.fromkeys(_JOINING_SIGNS, " "))

# Spaces in the longest text that may be a note's name and not a question.
_LONGEST_NAME = 8


class Candidate(NamedTuple):
    """A chunk on its way to a hit, and the path of its note."""

    chunk: ChunkRow
    path: str


def close_signals(
    corpus: Corpus,
    candidates: Sequence[Candidate],
    signals: Signals,
    query: Question,
    superseded: Collection[int],
    now: datetime | None,
) -> dict[str, npt.NDArray[np.float64]]:
    """The signals that take a look at the text or the note of each candidate.

    `superseded` are the file ids of notes that others took the place of.
    """
    expired = _expired(corpus, candidates, now).union(superseded)
    whole = signals.of.get("coverage", np.zeros(len(candidates)))
    wanted = _literal_form(query)
    worth = _worth_of_a_row(wanted)
    titled = signals.of.get("titled")
    # A note with the question for a name has its words there.
    named = _named(
        corpus,
        [
            candidate
            for at, candidate in enumerate(candidates)
            if titled is None or not query.terms or titled[at]
        ],
        query,
    )
    return {
        "expired": np.array([float(c.chunk.file_id in expired) for c in candidates]),
        "named": np.array(
            [float(c.chunk.file_id in named and not c.chunk.ord) for c in candidates]
        ),
        "quoted": _quoted(candidates, query.quoted),
        "literal": np.array(
            [
                # Words in a row are all there: most texts need no second look.
                worth * bool(share > 0.99 and _has_in_a_row(c, wanted))
                for share, c in zip(whole.tolist(), candidates, strict=True)
            ]
        ),
    }


def _quoted(
    candidates: Sequence[Candidate], quoted: Sequence[str]
) -> npt.NDArray[np.float64]:
    """The share of the question's quotes that each text holds."""
    if not quoted:
        return np.zeros(len(candidates))
    texts = [fold(c.chunk.text) for c in candidates]
    return np.array(
        [sum(contains_phrase(t, q) for q in quoted) / len(quoted) for t in texts]
    )


def _named(
    corpus: Corpus, candidates: Sequence[Candidate], query: Question
) -> set[int]:
    """The notes whose title or alias is the whole question, accents aside."""
    wanted = fold(query.text).strip(" ?!.[]")
    if not wanted or wanted.count(" ") > _LONGEST_NAME:
        return set()
    # It is the note that is meant, and its first text stands for it.
    first = (c.chunk.file_id for c in candidates if not c.chunk.ord)
    titles = corpus.reader.titles(first)
    return {f for f, names in titles.items() if wanted in map(fold, names)}


def _literal_form(query: Question) -> str:
    """The question as it would stand in a text, "" for a single plain word.

    Index terms drop signs; in `blah=` the sign is half of what was asked.
    """
    wanted = fold(query.text).strip(" ?!.")
    return "" if wanted.isalnum() and len(query.terms) < 2 else wanted


def _worth_of_a_row(wanted: str) -> float:
    """How much it tells to find these words in a row, 0..1.

    Two words stand together in many texts; who types five has read them there. Signs
    between letters or digits (`GB/s` alone, `blah=`) are typed by nobody who means
    words.
    """
    signs = _PLAIN_SIGNS + (_JOINING_SIGNS if " " in wanted else "")
    if any(not (char.isalnum() or char in signs) for char in wanted):
        return 1.0
    count = len(wanted.translate(_JOINED).split())
    return min(1.0, max(count - 1, 0) / _IN_A_ROW)


def _has_in_a_row(candidate: Candidate, wanted: str) -> bool:
    name = posixpath.basename(candidate.path).removesuffix(".md")
    places = (candidate.chunk.text, candidate.chunk.heading, name)
    return any(
        contains_phrase(fold(place), wanted)
        for place in places
        # Folding makes nothing longer in ASCII.
        if len(place) >= len(wanted) or not place.isascii()
    )


def _expired(
    corpus: Corpus, candidates: Sequence[Candidate], now: datetime | None
) -> set[int]:
    """The notes that were valid until some time before now."""
    if now is None or not candidates:
        return set()
    return corpus.reader.ended(now.isoformat())


def again(
    candidates: Sequence[Candidate], signals: Signals, weights: Weights
) -> npt.NDArray[np.float64]:
    """How many better candidates of a conversation came before each, 0..1.

    Who asks "which books" wants to hear of each; a third turn about the same one
    tells less than the first about another.
    """
    result = np.zeros(len(candidates))
    flow = signals.of["flow"]
    odds = signals.log_odds(weights).tolist()
    seen: dict[int, int] = {}
    for at in sorted(
        range(len(candidates)),
        key=lambda i: (-odds[i], candidates[i].path, candidates[i].chunk.ord),
    ):
        if flow[at] > 0:
            note = candidates[at].chunk.file_id
            before = seen.get(note, 0)
            seen[note] = before + 1
            result[at] = min(max(before - FREE, 0), REPEATS) / REPEATS * flow[at]
    return result


def foremost(
    candidates: Sequence[Candidate], signals: Signals, weights: Weights
) -> npt.NDArray[np.float64]:
    """One over the rank of each candidate's note, by the best text that it holds.

    What is asked for in several turns, or in the sections of one manual, tends to
    stand together: who found the note is near.
    """
    best: dict[str, float] = {}
    odds = signals.log_odds(weights).tolist()
    for each, candidate in zip(odds, candidates, strict=True):
        best[candidate.path] = max(best.get(candidate.path, each), each)
    order = sorted(best, key=lambda path: (-best[path], path))
    share = {path: 1.0 / rank for rank, path in enumerate(order, 1)}
    return np.array([share[candidate.path] for candidate in candidates])


class Spread(NamedTuple):
    """What the best notes handed on: how much to each candidate, 0..1, and how."""

    received: npt.NDArray[np.float64]
    seeds: Mapping[str, float]
    edges: Sequence[graph.EdgeRow]

    def via(self, paths: Collection[str]) -> dict[str, tuple[graph.EdgeRow, ...]]:
        """The edges over which each of these notes was reached, the best giver's first."""
        return graph.givers(self.seeds, self.edges, paths) if self.edges else {}


def links(
    corpus: Corpus,
    candidates: Sequence[Candidate],
    signals: Signals,
    weights: Weights,
) -> Spread:
    """How much the best notes hand each candidate's note over their edges."""
    best: dict[str, float] = {}
    for odds, candidate in zip(
        signals.log_odds(weights).tolist(), candidates, strict=True
    ):
        path = candidate.path
        best[path] = max(best.get(path, 0.0), logistic(odds))
    first = sorted(best, key=lambda path: (-best[path], path))[:SEEDS]
    seeds = {path: best[path] for path in first}
    apart = set(corpus.proposals.values()) - best.keys()
    edges = [
        edge
        for edge in map(graph.EdgeRow._make, corpus.reader.edges_of(first))
        if edge.source not in apart
    ]
    received = graph.spread(seeds, edges)
    strongest = max(received.values(), default=0.0) or 1.0
    shares = np.array([received.get(c.path, 0.0) / strongest for c in candidates])
    return Spread(shares, seeds, edges)
