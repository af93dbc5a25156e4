"""BM25 over postings that the caller hands in as arrays.

Owns the formula: fields with weights of their own, terms that several index
terms stand for, and the context that neighbouring chunks of a note lend each
other. Where postings come from (FTS5's vocabulary tables), how text becomes
terms, and what a score means to a reader is decided elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "BODY",
    "HEADINGS",
    "PROPERTIES",
    "TITLE",
    "Collection",
    "Context",
    "Formula",
    "Matches",
    "NoteScores",
    "Postings",
    "TermScores",
    "bm25",
    "idf",
    "whole_notes",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# The fields of a chunk, as the numbers that `Postings.columns` holds.
BODY, HEADINGS, TITLE, PROPERTIES = range(4)

# Scores are compared after rounding to this many places, here as everywhere.
_PLACES = 6

# Words up to which a text leans on its neighbours in full: nine turns of a
# conversation in ten are shorter, nine sections of a manual in ten longer.
_BRIEF = 50.0


class Formula(NamedTuple):
    """The numbers of the formula.

    `k1` and `b` were the best of those tried on dialogue turns; chunks are packed
    to an even length, so a low `b` takes little from the longer ones. `weights`
    go by column (one for each number in use): a title names what the whole note is about and a heading what
    the section is about, each in few words, so a word there tells more than one
    in the body; saturation keeps that from drowning the body.
    """

    k1: float = 0.9
    b: float = 0.2
    weights: tuple[float, ...] = (1.0, 1.5, 2.0, 1.0)


_OF_CHUNKS = Formula()
# The usual numbers: notes differ in length as chunks do not.
_OF_NOTES = Formula(k1=1.2, b=0.75)


class Context(NamedTuple):
    """What neighbouring chunks of one note lend to a chunk, as shares of their tf.

    `back[0]` weighs the chunk just before, `back[1]` the one before that;
    `ahead` likewise the chunks that follow. `statement` takes the place of
    `back[0]` where it is known that the chunk before asks no question. Found on
    dialogues: what a turn is about often stands in the one that it answers. A chunk
    takes as much of it as it is brief (`Collection.brevity`): three lines of a
    conversation need what was said before, a section speaks for itself.
    """

    back: tuple[float, ...] = (0.7, 0.25, 0.10)
    ahead: tuple[float, ...] = (0.20, 0.10)
    statement: float = 0.3


class Postings(NamedTuple):
    """Where one query term occurs: parallel arrays, in any order.

    `freqs` counts the occurrences of a row (None: each row is one); several rows
    of one chunk and column add up. A fraction is fine: a looser form of the term
    may count for less.
    """

    chunk_ids: Ints
    columns: npt.NDArray[np.integer]
    freqs: npt.NDArray[np.number] | None = None

    @classmethod
    def joined(cls, alternatives: Iterable[Postings]) -> Postings:
        """One term out of the index terms that stand for it (forms, spellings)."""
        parts = list(alternatives)
        if not parts:
            empty = np.empty(0, dtype=np.int64)
            return cls(empty, empty)
        return cls(
            np.concatenate([part.chunk_ids for part in parts]),
            np.concatenate([part.columns for part in parts]),
            np.concatenate(
                [
                    np.ones(len(part.chunk_ids)) if part.freqs is None else part.freqs
                    for part in parts
                ]
            ),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Collection:
    """What the formula must know of all chunks: arrays aligned to rising ids.

    `lengths` counts the words of a body, `notes` says which note a chunk is of
    (any number that is equal within a note), `asks` whether it ends in a
    question (None: not known), `brevity` is 1 for a text of up to 50 words and the
    share of 50 in a longer one's, `flow` how much it is one of a row of brief texts
    under one heading, as a turn of a conversation is: its brevity if the row is
    long, 0 where it stands alone. Make it with `of`.
    """

    ids: Ints
    lengths: Floats
    notes: Ints
    asks: npt.NDArray[np.bool_] | None
    average_length: float
    brevity: Floats
    flow: Floats
    # How many chunks each is away from the first, when no id is left out between.
    _first: int | None
    # What depends on the formula or the context alone, by each that was asked for: it
    # costs a pass over all chunks and is the same for every question.
    _lent: dict[Context, list[_Lending]]
    _saturations: dict[Formula, Floats]
    _of_notes: dict[Formula, _Notes]

    @classmethod
    def of(
        cls,
        ids: npt.NDArray[np.integer],
        lengths: npt.NDArray[np.number],
        notes: npt.NDArray[np.integer],
        asks: npt.NDArray[np.bool_] | None = None,
        continues: npt.NDArray[np.bool_] | None = None,
    ) -> Collection:
        """The collection of these chunks.

        Raises:
            ValueError: the ids don't rise, or the arrays differ in length.
        """
        others = (lengths, notes) if asks is None else (lengths, notes, asks)
        if any(len(other) != len(ids) for other in others):
            raise ValueError("the arrays of a collection must be of one length")
        numbers = ids.astype(np.int64)
        if len(numbers) > 1 and not (np.diff(numbers) > 0).all():
            raise ValueError("chunk ids must rise")
        brevity = np.minimum(1.0, _BRIEF / np.maximum(lengths.astype(np.float64), 1.0))
        first = None
        if len(numbers) and int(numbers[-1] - numbers[0]) == len(numbers) - 1:
            first = int(numbers[0])
        return cls(
            numbers,
            lengths.astype(np.float64),
            notes.astype(np.int64),
            asks,
            float(lengths.sum()) / len(numbers) if len(numbers) else 0.0,
            brevity,
            brevity * _company(numbers, notes, continues),
            first,
            {},
            {},
            {},
        )

    def __len__(self) -> int:
        return len(self.ids)

    def lendings(self, context: Context) -> list[_Lending]:
        """What chunks lend to each other in this context."""
        if context not in self._lent:
            self._lent[context] = _lendings(self, context)
        return self._lent[context]

    def saturation(self, formula: Formula) -> Floats:
        """The frequency at which a term has told each chunk half of what it can."""
        if formula not in self._saturations:
            self._saturations[formula] = _saturation(
                formula, self.lengths, self.average_length
            )
        return self._saturations[formula]

    def of_notes(self, formula: Formula) -> _Notes:
        """What `whole_notes` must know of all notes."""
        if formula not in self._of_notes:
            self._of_notes[formula] = _of_notes(self, formula)
        return self._of_notes[formula]

    def places(
        self, chunk_ids: Ints
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """The place of each id in the arrays, and whether it is there at all."""
        if self._first is not None:
            found = (chunk_ids - self._first).astype(np.intp)
            return found, (found >= 0) & (found < len(self.ids))
        found = np.searchsorted(self.ids, chunk_ids)
        found[found == len(self.ids)] = 0
        if not len(self.ids):
            return found, np.zeros(len(chunk_ids), dtype=np.bool_)
        return found, self.ids[found] == chunk_ids


def _company(
    ids: Ints,
    notes: npt.NDArray[np.integer],
    continues: npt.NDArray[np.bool_] | None,
) -> Floats:
    """For each chunk the share of the others in its row: 0 alone, to 1 in a long one.

    A row is what follows each other in a note under one heading.
    """
    if not len(ids):
        return np.zeros(0)
    joined = (notes[1:] == notes[:-1]) & (np.diff(ids) == 1)
    if continues is not None:
        joined &= continues[1:]
    rows = np.concatenate(([0], np.cumsum(~joined)))
    company: Floats = 1.0 - 1.0 / np.bincount(rows)[rows]
    return company


class TermScores(NamedTuple):
    """What one query term gave: scores of the chunks that it reaches.

    `idf` is the term's weight, `df` the number of chunks that hold it. `ids`
    rise; `own` says whether a chunk holds the term itself (else a neighbour does).
    """

    idf: float
    df: int
    ids: Ints
    scores: Floats
    own: npt.NDArray[np.bool_]

    def of(self, chunk_ids: npt.NDArray[np.integer]) -> Floats:
        """The term's part in the scores of the given chunks, 0 where it has none."""
        if not len(self.ids):
            return np.zeros(len(chunk_ids))
        found = np.searchsorted(self.ids, chunk_ids)
        found[found == len(self.ids)] = 0
        return np.where(self.ids[found] == chunk_ids, self.scores[found], 0.0)


class Matches(NamedTuple):
    """The chunks that a query reaches, by rising id, in parallel arrays.

    `scores` are plain BM25 sums, rounded to 6 places. `coverage` is the share of
    the query's idf whose terms the chunk holds itself, `reach` the share that it
    or a neighbour holds; both 0..1, and the same without context. `total_idf` is
    the whole of which they are shares; `terms` are in the order of the query. `own`
    are the scores without context, those of every chunk of the collection.
    """

    ids: Ints
    scores: Floats
    coverage: Floats
    reach: Floats
    total_idf: float
    terms: tuple[TermScores, ...]
    own: Floats


class NoteScores(NamedTuple):
    """What a query's terms say about whole notes, aligned to a collection's chunks.

    `scores` are BM25 sums, `share` the same as a share of what is possible, 0..1.
    """

    scores: Floats
    share: Floats


def idf(n_chunks: int, df: int) -> float:
    """Robertson's inverse document frequency, moved up so that it is never negative.

    That of an unseen term (df 0) is the highest there is.
    """
    return math.log1p((n_chunks - df + 0.5) / (df + 0.5))


def bm25(
    terms: Sequence[Postings],
    collection: Collection,
    *,
    formula: Formula = _OF_CHUNKS,
    context: Context | None = None,
    only: npt.NDArray[np.bool_] | None = None,
) -> Matches:
    """Score the chunks that hold a term, or whose neighbours do when given `context`.

    One `Postings` a query term. A term's frequency in a chunk is the sum over its
    columns, each with its weight; with `context`, the body's part of it is lent to
    the neighbours in the same note (titles and headings say the same about all
    chunks under them, so lending these would only favour the middle of a note).
    Length is normalised by the body's, idf counts the chunks that hold the term
    themselves.

    `only`, aligned to the collection, keeps the other chunks out of the answer;
    idf and neighbours still see the whole. Ids unknown to the collection are
    passed over.
    """
    size = len(collection)
    saturation = collection.saturation(formula)
    lendings = [] if context is None else collection.lendings(context)
    scored: list[TermScores] = []
    # Of each term: where it is, its score, and that of its own frequency alone.
    parts: list[tuple[npt.NDArray[np.intp], Floats, Floats]] = []
    for postings in terms:
        own, spread = _frequencies(postings, collection, formula, lendings)
        at = np.flatnonzero(
            spread > 0
        )  # of floats themselves it takes ten times as long
        tf, mine, beyond = spread[at], own[at], saturation[at]
        holds = mine > 0
        df = int(np.count_nonzero(holds))
        weight = idf(size, df)
        scores = weight * (formula.k1 + 1.0) * tf / (tf + beyond)
        alone = weight * (formula.k1 + 1.0) * mine / (mine + beyond)
        parts.append((at, scores, alone))
        scored.append(TermScores(weight, df, collection.ids[at], scores, holds))
    everywhere = _joined([at for at, _, _ in parts], np.intp)
    reached = _sums(
        everywhere,
        _joined([np.full(len(term.ids), term.idf) for term in scored], np.float64),
        size,
    )
    held = _sums(
        everywhere, _joined([term.idf * term.own for term in scored], np.float64), size
    )
    total = _sums(everywhere, _joined([part[1] for part in parts], np.float64), size)
    own = _sums(everywhere, _joined([part[2] for part in parts], np.float64), size)
    # No weight is zero, so that what is reached at all is reached by more than that.
    at = np.flatnonzero(reached > 0)
    if only is not None:
        at = at[only[at]]
    whole = math.fsum(term.idf for term in scored)
    share = 1.0 / whole if whole > 0 else 0.0
    return Matches(
        ids=collection.ids[at],
        scores=np.round(total[at], _PLACES),
        coverage=np.round(held[at] * share, _PLACES),
        reach=np.round(reached[at] * share, _PLACES),
        total_idf=whole,
        terms=tuple(scored),
        own=np.round(own, _PLACES),
    )


def _joined(parts: Sequence[npt.NDArray[Any]], kind: type) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=kind)


def _saturation(formula: Formula, lengths: Floats, average: float) -> Floats:
    relative = lengths / average if average > 0 else np.ones(len(lengths))
    saturation: Floats = formula.k1 * (1.0 - formula.b + formula.b * relative)
    return saturation


class _Notes(NamedTuple):
    """How many notes there are, and the saturation of each, by its number."""

    number: int
    saturation: Floats


def _of_notes(collection: Collection, formula: Formula) -> _Notes:
    notes = collection.notes
    size = int(notes.max()) + 1 if len(notes) else 0
    lengths = _sums(notes, collection.lengths, size)
    count = int(np.count_nonzero(np.bincount(notes, minlength=size)))
    average = float(lengths.sum()) / count if count else 1.0
    return _Notes(count, _saturation(formula, lengths, max(average, 1.0)))


def whole_notes(
    terms: Sequence[Postings],
    collection: Collection,
    *,
    formula: Formula = _OF_NOTES,
) -> NoteScores:
    """BM25 of each chunk's whole note, by the bodies of its chunks."""
    notes = collection.notes
    known_notes = collection.of_notes(formula)
    number, saturation = known_notes
    size = len(saturation)
    total = np.zeros(size)
    possible = 0.0
    for postings in terms:
        at, known = collection.places(postings.chunk_ids)
        chosen = known & (postings.columns == BODY)
        freqs = None if postings.freqs is None else postings.freqs[chosen]
        tf = np.bincount(notes[at[chosen]], weights=freqs, minlength=size)
        weight = idf(number, int(np.count_nonzero(tf > 0)))
        total += weight * (formula.k1 + 1.0) * tf / (tf + saturation)
        possible += weight * (formula.k1 + 1.0)
    scores = np.round(total, _PLACES)[notes] if len(notes) else np.zeros(0)
    share = scores / possible if possible > 0 else np.zeros(len(notes))
    return NoteScores(scores, np.round(share, _PLACES))


def _frequencies(
    postings: Postings,
    collection: Collection,
    formula: Formula,
    lendings: Sequence[_Lending],
) -> tuple[Floats, Floats]:
    """A term's weighted frequency in each chunk: its own, and with what is lent."""
    size = len(collection)
    at, known = collection.places(postings.chunk_ids)
    columns, freqs = postings.columns, postings.freqs
    if not known.all():
        at, columns = at[known], columns[known]
        freqs = None if freqs is None else freqs[known]
    counts = np.array(formula.weights)[columns]
    if freqs is not None:
        counts = counts * freqs
    own = _sums(at, counts, size)
    if not lendings:
        return own, own
    in_body = columns == BODY
    body = own if in_body.all() else _sums(at[in_body], counts[in_body], size)
    return own, own + _lent(body, lendings)


def _sums(at: npt.NDArray[np.intp], counts: Floats, size: int) -> Floats:
    # The cast is for the empty case, which numpy counts in integers.
    return np.bincount(at, weights=counts, minlength=size).astype(
        np.float64, copy=False
    )


class _Lending(NamedTuple):
    """The share of its frequency that each chunk lends to the one `step` further."""

    step: int
    shares: Floats


def _lendings(collection: Collection, context: Context) -> list[_Lending]:
    ids, notes, brevity = collection.ids, collection.notes, collection.brevity
    lendings = []
    for distance in range(1, max(len(context.back), len(context.ahead)) + 1):
        near = (notes[distance:] == notes[:-distance]) & (
            ids[distance:] - ids[:-distance] == distance
        )
        if distance <= len(context.back):
            shares = np.zeros(len(ids))
            shares[: len(near)] = near * context.back[distance - 1]
            if distance == 1 and collection.asks is not None:
                shares[: len(near)][~collection.asks[: len(near)] & near] = (
                    context.statement
                )
            shares[: len(near)] *= brevity[distance:]
            lendings.append(_Lending(distance, shares))
        if distance <= len(context.ahead):
            shares = np.zeros(len(ids))
            shares[len(ids) - len(near) :] = near * context.ahead[distance - 1]
            shares[len(ids) - len(near) :] *= brevity[: len(near)]
            lendings.append(_Lending(-distance, shares))
    # Where no note is that long, nobody lends so far.
    return [lending for lending in lendings if lending.shares.any()]


def _lent(body: Floats, lendings: Sequence[_Lending]) -> Floats:
    """What each chunk gets of its neighbours' body frequencies."""
    # Room on both sides, for the nothing that chunks at the edges lend beyond them.
    room = max(abs(lending.step) for lending in lendings)
    gained = np.zeros(len(body) + 2 * room)
    givers = np.flatnonzero(body > 0)
    given = body[givers]
    for lending in lendings:
        # No place occurs twice here: each giver has a taker of its own at this step.
        gained[givers + (room + lending.step)] += given * lending.shares[givers]
    return gained[room : room + len(body)]
