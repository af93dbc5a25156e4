"""What was said and done on each day: the sentences, and which of them to keep.

Owns what a summary may quote: entries of the journal as they are, plans that came to
something, and the first sentences of events and of what was newly learned. What the
digest wrote, what a program said or a memory put into a text, what gives orders to its
reader, and what holds a secret is never quoted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from mindcache.digest.faces import plain
from mindcache.digest.later import later_notes
from mindcache.errors import MindcacheError
from mindcache.extract.passages import passages_of
from mindcache.extract.sentences import is_foreign, sentences_of
from mindcache.extract.source import PROGRAMS
from mindcache.filenames import shortened
from mindcache.index import semantic
from mindcache.links import is_linkable
from mindcache.recall.timeline import OUTCOMES, Episode, Span, timeline
from mindcache.recall.topics import not_digested
from mindcache.redact import redact

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow, Reader
    from mindcache.index.embedding import Embedder

__all__ = ["Happening", "Sentence", "by_source", "chosen", "happenings", "quoted"]

# More of one day than a person would read: evenly chosen, the rest adds no word.
_MOST_OF_A_DAY = 40
# A note says at its beginning what it is about.
_OPENING = 3
# Of one note no more than this, so that a day is not all one conversation.
_OF_ONE = 2
# Bytes of a sentence, and of an entry, which is quoted whole where it can be.
_LONGEST, _LONGEST_ENTRY = 240, 400
_FEWEST_WORDS, _FEWEST_LETTERS = 3, 8

# How much it counts that a sentence stands for the day, beside that it says something
# new: somewhat more, or what was a side matter comes second.
_CENTRAL = 0.6
# From here on, a sentence says what another one says already.
_SAME = 0.9

_DECIDED = re.compile(
    r"\b(?:decided|agreed (?:to|on|that)|settled on|opted for|we chose|decision:"
    r"|entschieden|beschlossen|vereinbart|entscheidung:|décidé|convenu|décision :?"
    r"|decidido|decidimos|acordado|acordamos|decisión:)(?!\w)"
    r"|决定|決定|決めた",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\b(?:not|n['’]t|never|nothing|yet to|undecided|nicht|noch nichts|pas|sin)\b",
    re.IGNORECASE,
)
# What a memory gave into a text, or what looks like it: nobody said that.
_GIVEN = re.compile(
    r"</?[a-z_-]*(?:memor|mindcache|recall|remind|system)[\w-]*[^<>]*>", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing of a day: an entry, an event, an outcome, something newly known.

    `at` is a day or minute (ISO), `anchor` a block id without "^" ("" for the whole
    note), `said` the text of an entry or outcome, "" where the note is to be read.
    """

    at: str
    path: str
    anchor: str = ""
    said: str = ""
    status: str = ""
    project: str = ""

    @property
    def day(self) -> date:
        """The day that it is of."""
        return date.fromisoformat(self.at[:10])


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence on plain one line, and where it stands.

    `rank` is 0 for a decision, 1 for a plan that happened, 2 for all else.
    """

    of: Happening
    text: str
    rank: int
    place: int = 0

    @property
    def order(self) -> tuple[str, str, str, int]:
        """Its place in time."""
        return self.of.at, self.of.path, self.of.anchor, self.place


# -- what there is -------------------------------------------------------------


def happenings(
    app: App,
    reader: Reader,
    since: date,
    until: date,
    now: datetime,
    apart: Collection[str] = (),
) -> dict[date, list[Happening]]:
    """The days in [since, until) on which something happened, each in its order.

    Nothing of the notes at the paths `apart`, nor of those with `digest: false`
    or of templates.
    """
    zone = app.settings.text("timezone")
    left_out = not_digested(reader, app.templates)
    left_out |= reader.where("n.status = 'archived'", [])
    left_out |= later_notes(reader, now, zone)
    silent = {*apart, *reader.paths(left_out).values()}
    span = Span(since.isoformat(), (until - timedelta(days=1)).isoformat(), limit=10**9)
    found = timeline(reader, span, now, zone)
    every = [_of_episode(each) for each in found.episodes]
    learned = reader.where(
        "n.type IN ('fact', 'entity') AND n.date_start >= ? AND n.date_start < ?",
        [since.isoformat(), until.isoformat()],
    )
    every += [_of_note(node) for node in reader.nodes(learned)]
    days: dict[date, list[Happening]] = {}
    for each in sorted(every, key=lambda h: (h.at, h.path, h.anchor)):
        # A long event has begun on another day, and is told there.
        # What can't be linked to would be told without its source.
        is_told = each.path not in silent and is_linkable(each.path)
        if is_told and since <= each.day < until:
            days.setdefault(each.day, []).append(each)
    return days


def _of_episode(each: Episode) -> Happening:
    is_outcome = each.status in OUTCOMES
    is_entry = bool(each.anchor) and not is_outcome
    said = each.text if is_entry or is_outcome else ""
    status = each.status if is_outcome else ""
    return Happening(each.date, each.path, each.anchor, said, status, each.project)


def _of_note(node: NodeRow) -> Happening:
    return Happening(node.date, node.path, project=node.project)


def quoted(app: App, day: Sequence[Happening]) -> list[Sentence]:
    """The sentences that the things of one day could be told by."""
    step = max(1, -(-len(day) // _MOST_OF_A_DAY))
    return [
        sentence
        for each in day[::step]
        for sentence in (_said(each) if each.said or each.status else _read(app, each))
        if _is_fit(sentence)
    ]


def _said(each: Happening) -> Iterator[Sentence]:
    if _GIVEN.search(each.said) or is_foreign(each.said):
        return
    text = plain(each.said)
    if each.status:
        text = f"{each.status}: {text}" if text else each.status
        rank = 1 if each.status == "occurred" else 2
        yield Sentence(each, _cut(text, _LONGEST), rank)
        return
    yield Sentence(each, _cut(text, _LONGEST_ENTRY), 0 if _is_decision(text) else 2)


def _read(app: App, each: Happening) -> Iterator[Sentence]:
    """The sentences of a note's beginning, and a decision further down."""
    try:
        _, note, _ = app.look(each.path)
    except (OSError, MindcacheError):
        return  # gone, or grown too large meanwhile: the next digest sees
    place = 0
    for passage in passages_of(note, None):
        speaker = plain(passage.speaker)
        if is_foreign(passage.text) or speaker.casefold() in PROGRAMS:
            continue
        for sentence in sentences_of(passage.text):
            text = plain(sentence.text)
            if sentence.is_question or not _says_something(text):
                continue
            place += 1
            is_decision = _is_decision(text)
            if place <= _OPENING or is_decision:
                rank = 0 if is_decision else 2
                whole = f"{speaker}: {text}" if speaker else text
                yield Sentence(each, _cut(whole, _LONGEST), rank, place)


def _is_decision(text: str) -> bool:
    return bool(_DECIDED.search(text)) and not _UNDECIDED.search(text)


def _says_something(text: str) -> bool:
    letters = sum(map(str.isalnum, text))
    is_spaced = text.isascii() or " " in text
    words = len(text.split())
    return letters >= _FEWEST_LETTERS and (words >= _FEWEST_WORDS or not is_spaced)


def _is_fit(sentence: Sentence) -> bool:
    text = sentence.text
    return any(map(str.isalnum, text)) and redact(text).text == text


def _cut(text: str, most: int) -> str:
    short = shortened(text, most)
    return text if short == text else f"{short.rstrip(' ,;:')}…"


# -- what to keep of it --------------------------------------------------------


def chosen(
    sentences: Sequence[Sentence], embedder: Embedder, most: int
) -> list[Sentence]:
    """The `most` sentences that tell best what it was about, the best first.

    Decisions go first, then plans that happened; in each rank one after the other the
    one that is near to all there is and far from those that are chosen already. The
    same sentences give the same choice, wherever they stand beside others.
    """
    pool = _distinct(sentences)
    if not pool:
        return []
    rows = semantic.quantise(
        np.asarray(embedder.encode([s.text for s in pool]), dtype=np.float64)
    )
    lengths = semantic.norms(rows)
    central = semantic.similarities(rows, lengths, semantic.direction(rows))
    nearest = np.zeros(len(pool))
    taken: list[int] = []
    of_note: dict[tuple[str, str], int] = {}
    while len(taken) < most:
        free = [
            at
            for at in range(len(pool))
            if at not in taken
            and nearest[at] < _SAME
            and of_note.get(_source(pool[at]), 0) < _OF_ONE
        ]
        if not free:
            break
        best = min(
            free,
            key=lambda at: (
                pool[at].rank,
                -round(float(_CENTRAL * central[at] - (1 - _CENTRAL) * nearest[at]), 6),
                pool[at].order,
            ),
        )
        taken.append(best)
        of_note[_source(pool[best])] = of_note.get(_source(pool[best]), 0) + 1
        near = semantic.similarities(rows, lengths, rows[best])
        nearest = np.maximum(nearest, near)
    return [pool[at] for at in taken]


def _source(sentence: Sentence) -> tuple[str, str]:
    """An entry of the journal stands for itself; all sentences of a note are its."""
    return sentence.of.path, sentence.of.anchor


def _distinct(sentences: Iterable[Sentence]) -> list[Sentence]:
    seen: dict[str, Sentence] = {}
    for sentence in sorted(sentences, key=lambda s: (s.rank, *s.order)):
        seen.setdefault(" ".join(sentence.text.casefold().split()), sentence)
    return sorted(seen.values(), key=lambda s: s.order)


def by_source(sentences: Iterable[Sentence]) -> Mapping[str, None]:
    """The paths that sentences come from, each once, in the order of the sentences."""
    return dict.fromkeys(sentence.of.path for sentence in sentences)
