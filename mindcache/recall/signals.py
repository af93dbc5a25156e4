"""The signals of every chunk, as arrays: what speaks for it as an answer.

Owns how each is computed and brought between 0 and 1; what each weighs is
`score`'s. Three kinds of notes are served by the same arithmetic: where a text is
brief it is read with its neighbours in the note, where it is long it stands alone
(`Collection.brevity`); where a vault knows no people and no dates, the signals
about them are zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mindcache.index import lexical
from mindcache.recall.corpus import Corpus
from mindcache.recall.question import Question

if TYPE_CHECKING:
    from mindcache.when import Interval

__all__ = [
    "answering",
    "lexical_signals",
    "note_signals",
    "semantic_signals",
    "text_signals",
    "time_signals",
]

Floats = npt.NDArray[np.float64]
Named = dict[str, Floats]

# A fifth matched word adds little to what four say.
_MANY = 5
# What the next and the one before lend a brief text's meaning: the one that it
# answers more than the one that follows. Shares found on dialogues.
_BEFORE, _AFTER = 0.4, 0.2
# So many texts more are counted as having nothing in common with a question.
_FEW = 10
# Days over which a note after, and before, an asked time still gains: what happened
# is told later, in half of the cases within three weeks; a plan is made ahead.
_LATER_DAYS, _AHEAD_DAYS, _AHEAD = 22, 15, 0.5
# No date further from an asked time is near it, whichever side it lies on.
_REACH = timedelta(days=max(_LATER_DAYS, _AHEAD_DAYS) + 1)


def lexical_signals(
    matches: lexical.Matches,
    postings: Sequence[lexical.Postings],
    collection: lexical.Collection,
) -> Named:
    """The signals of words, aligned to all chunk ids; 0 where nothing matched.

    `postings` are those that gave the matches, in the same order.
    """
    size = len(collection)
    names = ("best_words", "words", "coverage", "reach", "matches", "titled")
    signals = {name: np.zeros(size) for name in (*names, "known")}
    whole = matches.total_idf
    if not len(matches.ids) or whole <= 0:
        return signals
    at, _ = collection.places(matches.ids)
    best = float(matches.scores.max())
    possible = whole * (lexical.Formula().k1 + 1.0)
    signals["best_words"][at] = matches.scores / best if best > 0 else 0.0
    signals["words"][at] = matches.scores / possible
    signals["coverage"][at] = matches.coverage
    signals["reach"][at] = matches.reach
    for term, where in zip(matches.terms, postings, strict=True):
        held, _ = collection.places(term.ids[term.own])
        signals["matches"][held] += 1.0 / _MANY
        above = (where.columns == lexical.TITLE) | (where.columns == lexical.HEADINGS)
        if above.any():
            named, known = collection.places(where.chunk_ids[above])
            # A chunk that has the word in both counts once: the places are read first.
            signals["titled"][named[known]] += term.idf / whole
    np.clip(signals["matches"], 0.0, 1.0, out=signals["matches"])
    signals["known"] += math.fsum(t.idf for t in matches.terms if t.df) / whole
    return signals


def answering(own: Floats, collection: lexical.Collection) -> Named:
    """Whether the text before asks for this, by its own words: then this may answer.

    `own` are the scores of every chunk's own words.
    """
    signal = np.zeros(len(own))
    best = float(own.max(initial=0.0))
    if best > 0 and collection.asks is not None:
        ids, notes = collection.ids, collection.notes
        near = (notes[1:] == notes[:-1]) & (ids[1:] - ids[:-1] == 1)
        signal[1:] = (own[:-1] / best) * (near & collection.asks[:-1])
    return {"answers": signal * collection.flow}


def note_signals(
    postings: Sequence[lexical.Postings], collection: lexical.Collection
) -> Named:
    """How much of the question the whole note holds; for brief texts in long notes."""
    found = lexical.whole_notes(postings, collection)
    best = float(found.scores.max(initial=0.0))
    relative = found.scores / best if best > 0 else found.scores
    flow = collection.flow
    return {"best_note": relative * flow, "note": found.share * flow}


def semantic_signals(
    plain: Floats,
    centred: Floats,
    collection: lexical.Collection,
    allowed: npt.NDArray[np.bool_] | None,
) -> Named:
    """The signals of meaning: cosines, and where they lie between the extremes.

    `plain` and `centred` are cosines with every chunk, as `Corpus.similarities`
    gives them.
    """
    around = _around(centred, collection)
    return {
        "meaning": np.clip(plain, 0.0, 1.0),
        "best_meaning": _between_extremes(plain, allowed),
        "around": np.clip(around, 0.0, 1.0),
        "best_around": _between_extremes(around, allowed),
    }


def _around(cosines: Floats, collection: lexical.Collection) -> Floats:
    """A brief text's cosines with those of its neighbours in the note mixed in."""
    if len(cosines) < 2:
        return cosines
    share = collection.brevity
    ids, notes = collection.ids, collection.notes
    near = (notes[1:] == notes[:-1]) & (ids[1:] - ids[:-1] == 1)
    mixed = cosines.copy()
    mixed[1:] += _BEFORE * share[1:] * near * cosines[:-1]
    mixed[:-1] += _AFTER * share[:-1] * near * cosines[1:]
    result: Floats = mixed / (1.0 + (_BEFORE + _AFTER) * share)
    return result


def _between_extremes(values: Floats, allowed: npt.NDArray[np.bool_] | None) -> Floats:
    among = values if allowed is None else values[allowed]
    # Where all are equally near, each is the nearest.
    if not len(among) or float(among.max()) <= float(among.min()):
        return np.ones(len(values))
    low, high = float(among.min()), float(among.max())
    # Of few, the farthest is not as far as could be: what has nothing in common is.
    low = min(low, low * len(among) / (len(among) + _FEW))
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def text_signals(corpus: Corpus, question: Question) -> Named:
    """What a text is like, whatever it says, and whom it is about."""
    signals = dict(corpus.texts)
    nothing = np.zeros(len(corpus))
    signals["when"] = signals["dated"] if question.asks_when else nothing
    signals["subject"] = nothing
    if question.subject:
        signals["subject"] = corpus.about(question.subject).astype(np.float64)
    return signals


def time_signals(corpus: Corpus, times: Sequence[Interval]) -> Named:
    """How near each note's date is to the times that the question names."""
    signal = np.zeros(len(corpus))
    if times:
        # Most dates are far off, and that shows without reading them.
        low = _shifted(min(t.start for t in times), -_REACH).isoformat()[:10]
        high = _shifted(max(t.end for t in times), _REACH).isoformat()[:10]
        near = {
            file_id: value
            for file_id, start, end in corpus.reader.dates()
            if start[:10] <= high
            and end[:10] >= low
            and (value := _nearest(start, end, times)) > 0
        }
        if near:
            files = np.array(sorted(near), dtype=np.int64)
            values = np.array([near[file_id] for file_id in files.tolist()])
            at = np.minimum(np.searchsorted(files, corpus.files), len(files) - 1)
            signal = np.where(files[at] == corpus.files, values[at], 0.0)
            _of_entries(signal, corpus, times)
    return {"time": signal}


def _shifted(moment: datetime, by: timedelta) -> datetime:
    """The moment, moved as far as the calendar goes."""
    try:
        return moment + by
    except OverflowError:
        return moment


def _of_entries(signal: Floats, corpus: Corpus, times: Sequence[Interval]) -> None:
    """Give the journal's entries what their own minute is worth, not their day's."""
    near = set(corpus.ids[signal > 0].tolist())
    for entry in corpus.entries:
        if entry.chunk_id in near:
            place = int(np.searchsorted(corpus.ids, entry.chunk_id))
            at = datetime.fromisoformat(entry.at)
            end = at + timedelta(minutes=1)
            signal[place] = max(_nearness(at, end, time) for time in times)


def _nearest(start: str, end: str, times: Sequence[Interval]) -> float:
    first, last = datetime.fromisoformat(start), datetime.fromisoformat(end)
    return max(_nearness(first, last, time) for time in times)


def _nearness(start: datetime, end: datetime, asked: Interval) -> float:
    """1 inside the asked time; less and less in the weeks after; a little before."""
    if start < asked.end and asked.start < end:
        return 1.0
    if start >= asked.end:
        days = (start - asked.end) / timedelta(days=1)
        return max(0.0, 1.0 - (math.floor(days) + 1) / _LATER_DAYS)
    days = (asked.start - end) / timedelta(days=1)
    return max(0.0, _AHEAD * (1.0 - (math.floor(days) + 1) / _AHEAD_DAYS))
