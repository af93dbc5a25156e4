"""Questions that hold nothing but a time: what is of it, whatever its words.

"What did I do yesterday" has no word that an answer could share. What is of that time
answers: what happened first (as the timeline has it), then other notes of that date.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow, NodeRow, Reader
from mindcache.recall.answer import NEARLY, Recall, Why
from mindcache.recall.asked_time import described
from mindcache.recall.close import Candidate
from mindcache.recall.corpus import Corpus
from mindcache.recall.filters import Filters, select
from mindcache.recall.occasions import dates_of
from mindcache.recall.page import Entry
from mindcache.recall.present import Found, present
from mindcache.recall.question import Question
from mindcache.recall.timeline import OUTCOMES, Span, timeline
from mindcache.when import Interval

if TYPE_CHECKING:
    from mindcache.recall.ask import Ask

__all__ = ["answer_of_time"]

# Round numbers: what happened then is what was asked for, of other notes of that date
# every second may be meant.
_HAPPENED, _DATED = 0.8, 0.5

# Episodes that are looked at for one time: a year of a busy journal.
_EPISODES = 2_000
_MINUTE = timedelta(minutes=1)
# What is about other notes, or is told by its entries.
_NO_NOTE = frozenset({"topic", "summary", "proposal", "journal"})


def answer_of_time(
    ask: Ask,
    corpus: Corpus,
    query: Question,
    allowed: npt.NDArray[np.bool_] | None,
) -> Recall | None:
    """The answer of what is of `query.times`; None where nothing is known of them.

    `allowed` are the chunks that pass the filters, in the order of the corpus.
    """
    if ask.now is None:
        return None
    passing = None if allowed is None else set(corpus.ids[allowed].tolist())
    of_time = _of_times(corpus.reader, query.times, ask.now, passing)
    if not of_time.found:
        return None
    floor = ask.floor or 0.0
    said = f"nothing but a time is asked: what is of {described(query.times)}"
    scores = {
        at: _HAPPENED if at < of_time.happened else _DATED
        for at in range(len(of_time.found))
    }
    whys = {
        each: (Why("time", round(math.log(each / (1 - each)), 3), said),)
        for each in (_HAPPENED, _DATED)
    }
    ranked = [at for at, score in scores.items() if score >= floor]
    entries = _entries(of_time.found, ranked, by_note=ask.by_note)
    shown = entries[: ask.limit]
    hits, budget = present(
        corpus.reader,
        Found(
            of_time.found,
            scores,
            {at: whys[score] for at, score in scores.items()},
            lambda _: of_time.dates,
            now=ask.now,
            is_past=ask.then is not None,
        ),
        shown,
        query,
        budget=ask.budget,
        expand=ask.expand,
    )
    below = [scores[at] for at in range(len(ranked), len(scores))]
    return Recall(
        query=ask.text,
        route="deep",
        hits=hits,
        reason=said,
        floor=floor,
        left_out=len(ranked) - sum(map(len, shown)),
        below_floor=len(below),
        just_below=sum(score >= NEARLY * floor for score in below),
        best_rejected=max(below, default=None),
        budget=budget,
    )


def _entries(
    found: Sequence[Candidate], ranked: Sequence[int], *, by_note: bool
) -> list[Entry]:
    if not by_note:
        return [Entry(at) for at in ranked]
    notes: dict[str, Entry] = {}
    for at in ranked:
        if found[at].path in notes:
            notes[found[at].path].passages.append(at)
        else:
            notes[found[at].path] = Entry(at)
    return list(notes.values())


@dataclass(slots=True)
class _OfTime:
    """What is of the asked times, best first, and the date of each note among it.

    The first `happened` of them are what happened.
    """

    found: list[Candidate] = field(default_factory=list)
    happened: int = 0
    dates: dict[int, str] = field(default_factory=dict)


def _of_times(
    reader: Reader,
    spans: Sequence[Interval],
    now: datetime,
    allowed: Collection[int] | None,
) -> _OfTime:
    """What happened in these times, then other notes of them; what is ahead too.

    `allowed` are the chunks that pass the filters, None for all. In both parts the
    important comes first, then the newest.
    """
    found = _OfTime()
    places = _Places(reader, allowed)
    told: dict[ChunkRow, str] = {}
    homes: set[int] = set()
    for since, until in map(_bounds, spans):
        asked = Span(since=since, until=until, limit=_EPISODES)
        for each in timeline(reader, asked, now).episodes:
            chunk = places.find(each.path, each.lines[0])
            homes.update(places.ids.values())
            if chunk is not None:
                told.setdefault(chunk, each.date)
    found.found += _ordered(reader, told)
    found.happened = len(found.found)
    found.dates = {chunk.file_id: date for chunk, date in told.items() if not chunk.at}
    others = _others(reader, spans, now, homes)
    more = {
        chunk: date
        for node, date in others
        if (chunk := places.find(node.path, 0)) is not None
    }
    found.found += _ordered(reader, more)
    found.dates |= {chunk.file_id: date for chunk, date in more.items()}
    return found


def _bounds(span: Interval) -> tuple[str, str]:
    """The first and the last minute, "" for an open end."""
    since = until = ""
    if span.start != datetime.min:  # noqa: DTZ901  civil time
        since = span.start.isoformat(timespec="minutes")
    if span.end != datetime.max:  # noqa: DTZ901  civil time
        until = (span.end - _MINUTE).isoformat(timespec="minutes")
    return since, until


class _Places:
    """Where the chunks are that stand for notes and for lines of them."""

    def __init__(self, reader: Reader, allowed: Collection[int] | None) -> None:
        self._reader = reader
        self._allowed = allowed
        self._chunks: dict[str, list[ChunkRow]] = {}
        self.ids: dict[str, int] = {}

    def find(self, path: str, line: int) -> ChunkRow | None:
        """The chunk with a line, else the first of the note; None if not allowed."""
        if path not in self._chunks:
            self.ids |= self._reader.file_ids([path])
            self._chunks[path] = self._reader.chunks_of(self.ids[path])
        chunks = self._chunks[path]
        held = [c for c in chunks if c.line_start <= line <= c.line_end]
        chunk = (held or chunks)[0]
        is_out = self._allowed is not None and chunk.id not in self._allowed
        return None if is_out else chunk


def _ordered(reader: Reader, dated: dict[ChunkRow, str]) -> list[Candidate]:
    files = {chunk.file_id for chunk in dated}
    facts, paths = reader.facts(files), reader.paths(files)
    found = [Candidate(chunk, paths[chunk.file_id]) for chunk in dated]
    found.sort(key=lambda each: (each.path, each.chunk.ord))
    found.sort(key=lambda each: dated[each.chunk], reverse=True)
    found.sort(key=lambda each: -facts[each.chunk.file_id].importance)
    return found


def _others(
    reader: Reader, spans: Sequence[Interval], now: datetime, homes: set[int]
) -> list[tuple[NodeRow, str]]:
    """Other notes of these times, with their dates; of plans those that are ahead."""
    chosen: set[int] = set()
    for since, until in map(_bounds, spans):
        chosen |= select(reader, Filters(start=since, end=until), now) or set()
    nodes = [n for n in reader.nodes(chosen - homes) if n.type not in _NO_NOTE]
    dates = dates_of(reader, nodes, spans) if reader.has_plans() else {}
    found = []
    for node in nodes:
        date = dates.get(node.file_id, node.date)
        if node.type == "plan":
            is_ahead = date >= now.isoformat()[: len(date)]
            if node.status in OUTCOMES or not is_ahead:
                continue
        found.append((node, date))
    return found
