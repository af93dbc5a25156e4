"""When what a text tells of happened: the dates that stand in it.

"We met on 3 May", "yesterday we sold the boat": a note of one day tells of another. A
question that names a time finds such a text as it finds a note of that time; filters
by date go on by the note's own date.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mindcache.recall.close import Candidate
from mindcache.recall.corpus import Corpus
from mindcache.recall.score import Signals, Weights

if TYPE_CHECKING:
    from mindcache.when import Interval

__all__ = ["told_signal", "told_times", "touches"]

# Texts that are read for one question, the best first: a fifth of a millisecond each,
# and only when a question names a time.
_TEXTS = 12
# What is read of a text: of a longer one its beginning tells when.
_READ = 400
# A longer stretch ("last year") is told of by so many texts that it marks none.
_LONGEST_DAYS = 31


_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


def told_signal(
    corpus: Corpus,
    candidates: Sequence[Candidate],
    signals: Signals,
    weights: Weights,
    asked: Sequence[Interval],
    now: datetime | None,
) -> npt.NDArray[np.float64]:
    """Which of the best candidates tell of the time that was asked for: 1 or 0."""
    told = np.zeros(len(candidates))
    if not asked or now is None:
        return told
    dated = np.flatnonzero(signals.of["dated"]).tolist()
    odds = signals.log_odds(weights)
    first = sorted(dated, key=lambda i: (-odds[i], i))[:_TEXTS]
    files = {candidates[i].chunk.file_id for i in first}
    written = {n.file_id: n.date_start for n in corpus.reader.nodes(files)}
    for place in first:
        chunk = candidates[place].chunk
        if chunk.id not in corpus.told:
            date = written[chunk.file_id]
            corpus.told[chunk.id] = (
                told_times(chunk.text, datetime.fromisoformat(date), corpus.languages)
                if date
                else told_times(chunk.text, now, corpus.languages, with_year=True)
            )
        told[place] = touches(corpus.told[chunk.id], asked)
    return told


def told_times(
    text: str,
    written: datetime,
    languages: Sequence[str],
    *,
    with_year: bool = False,
) -> tuple[Interval, ...]:
    """The times, of a month at most, that a text tells of.

    `written` is the date of its note: what "yesterday" and "3 May" are reckoned from.
    `with_year` leaves out what is said without a year: nobody knows when that was.
    """
    # A cold start reads phrases only when a question names a time.
    from mindcache.when import find_phrases

    phrases = find_phrases(text[:_READ], written, languages)
    return tuple(
        phrase.wide or phrase.interval
        for phrase in phrases
        if phrase.interval is not None
        and phrase.kind in {"date", "range"}
        and (not with_year or _YEAR.search(phrase.text))
        and (phrase.interval.end - phrase.interval.start).days <= _LONGEST_DAYS
    )


def touches(told: Sequence[Interval], asked: Sequence[Interval]) -> bool:
    """Whether any told time and any asked one have something in common."""
    return any(t.start < a.end and a.start < t.end for t in told for a in asked)
