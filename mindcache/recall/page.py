"""Which of the passages that answer are shown, and what is folded into them.

Owns the page: one entry for each fact, however often it was written down; one for
each note where that is asked for; and room for other notes beside one that has
much to say. It changes no score and no order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mindcache import alike
from mindcache.cache.read import ChunkRow, NodeRow
from mindcache.index import semantic
from mindcache.recall.close import Candidate
from mindcache.recall.corpus import Corpus
from mindcache.recall.filters import EPISODIC

__all__ = ["Entry", "Page", "Ties", "lay_out"]

# Passages among which doubles are looked for: five screens of hits, and a matrix of
# cosines that takes a tenth of a millisecond.
_LOOKED_AT = 50

# Cosine from which two texts are read for being one. Nine wordings of a short fact
# lie at .7 and above of each other; long passages share their subject's words anyhow,
# and only near copies come so close. Characters from which a passage is long.
_NEAR_SHORT, _NEAR_LONG, _LONG = 0.7, 0.9, 400

# A text this many times longer than another says more than it.
_LONGER = 3

# What happens on two days are two things, in whatever words.
_DATED = (*EPISODIC, "plan")

# The share of a page that one note may take while others answer about as well: with
# this share of the score of what they displace. On 860 questions to dialogues and
# vaults the places that changed hands, in one of eleven, cost not one that answers, at
# a half of the score or a tenth.
_SHARE = 0.5
_AS_WELL = 0.1


@dataclass(slots=True)
class Entry:
    """One place on the page: a candidate, what it stands for, what else its note has.

    All are indices of candidates, best first.
    """

    at: int
    alike: list[int] = field(default_factory=list)
    passages: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return 1 + len(self.alike) + len(self.passages)


class Page(NamedTuple):
    """The entries to be shown, best first, and how many passages are in none."""

    entries: tuple[Entry, ...]
    left_out: int


class Ties(NamedTuple):
    """How candidates stand to each other, whatever they say.

    `sources` names those that stand with another, which comes before them, `apart`
    pairs of notes, by file id, of which neither stands for the other.
    """

    sources: Mapping[int, int]
    apart: Collection[frozenset[int]] = ()


def lay_out(
    corpus: Corpus,
    candidates: Sequence[Candidate],
    ranked: Sequence[tuple[int, float]],
    limit: int,
    *,
    by_note: bool = False,
    ties: Ties | None = None,
) -> Page:
    """The first `limit` entries of these (candidate, score) pairs, best first."""
    # More than are shown, where a note may have to yield some of its places.
    enough = _LOOKED_AT if by_note else max(limit, 1) + max(limit, 1) // 2
    sources, apart = ties or Ties({})
    standing = [at for at, _ in ranked if at not in sources]
    entries = _folded(corpus, candidates, standing, enough, apart)
    _join_derived(entries, [at for at, _ in ranked if at in sources], sources)
    if by_note:
        shown = _rolled_up(candidates, entries)[: max(limit, 0)]
    else:
        shown = _mixed(candidates, entries, dict(ranked), max(limit, 0))
    return Page(tuple(shown), len(ranked) - sum(map(len, shown)))


# -- one fact, one entry ------------------------------------------------------


def _folded(
    corpus: Corpus,
    candidates: Sequence[Candidate],
    ranked: Sequence[int],
    enough: int,
    apart: Collection[frozenset[int]],
) -> list[Entry]:
    """An entry for each passage that no better one says already.

    Folded is into the first `enough` only.
    """
    looked_at = ranked[:_LOOKED_AT]
    near = _near(corpus, [candidates[at].chunk for at in looked_at])
    if apart:
        files = [candidates[at].chunk.file_id for at in looked_at]
        near = {
            (first, second): cosine
            for (first, second), cosine in near.items()
            if frozenset((files[first], files[second])) not in apart
        }
    if not near:
        return list(map(Entry, ranked))
    involved = {place for pair in near for place in pair}
    wordings = _Wordings(corpus, [candidates[at] for at in looked_at], involved)
    entries: dict[int, Entry] = {}
    homes: dict[int, list[int]] = {}
    for first, second in near:
        homes.setdefault(second, []).append(first)
    for place, at in enumerate(looked_at):
        home = next(
            (
                first
                for first in homes.get(place, ())
                if first in entries
                and wordings.covers(first, place, near[first, place])
            ),
            None,
        )
        if home is not None:
            entries[home].alike.append(at)
            continue
        entries[place] = Entry(at)
        if len(entries) == enough:
            # What comes behind is not shown: nothing needs to be folded into it.
            homes = {k: [f for f in v if f <= place] for k, v in homes.items()}
    return [*entries.values(), *map(Entry, ranked[_LOOKED_AT:])]


def _join_derived(
    entries: Sequence[Entry], derived: Sequence[int], sources: Mapping[int, int]
) -> None:
    """List what was found in a passage with the entry that stands for the passage."""
    home = {at: entry for entry in entries for at in (entry.at, *entry.alike)}
    for at in derived:
        home[sources[at]].alike.append(at)


def _near(corpus: Corpus, chunks: Sequence[ChunkRow]) -> dict[tuple[int, int], float]:
    """The cosines of the pairs of texts that may be one, by their places."""
    if len(chunks) < 2:
        return {}
    rows = corpus.rows([chunk.id for chunk in chunks])
    whole = rows.astype(np.float32)
    lengths = np.sqrt(semantic.norms(rows).astype(np.float64))
    lengths[lengths == 0.0] = 1.0
    cosines = (whole @ whole.T) / np.outer(lengths, lengths)
    sizes = np.array([len(chunk.text) for chunk in chunks])
    # The model hardly knows scripts without spaces: their texts are all looked at.
    spaced = np.array([chunk.text[:_LONG].isascii() for chunk in chunks])
    least = np.where(
        sizes > _LONG, _NEAR_LONG, np.where(spaced, _NEAR_SHORT, alike.NEAR / 2)
    )
    longer = np.maximum.outer(sizes, sizes) > _LONGER * np.minimum.outer(sizes, sizes)
    wanted = np.triu((cosines >= np.maximum.outer(least, least)) & ~longer, k=1)
    return {
        (first, second): round(float(cosines[first, second]), 6)
        for first, second in np.argwhere(wanted).tolist()
    }


class _Wordings:
    """What the involved passages say, read when it is first asked for."""

    def __init__(
        self, corpus: Corpus, candidates: Sequence[Candidate], involved: set[int]
    ) -> None:
        files = {candidates[place].chunk.file_id for place in involved}
        self._nodes = {node.file_id: node for node in corpus.reader.nodes(files)}
        self._candidates = candidates
        self._seen: dict[int, alike.Surface] = {}
        self._read: dict[int, alike.Wording] = {}

    def covers(self, first: int, second: int, cosine: float) -> bool:
        """Whether the first passage may stand for both."""
        one, other = self._node(first), self._node(second)
        is_dated = one.type in _DATED or other.type in _DATED
        if is_dated and one.date[:10] != other.date[:10]:
            return False
        if not alike.may_be_alike(self._surface(first), self._surface(second)):
            return False
        return alike.judge(self._wording(first), self._wording(second), cosine).covers

    def _surface(self, place: int) -> alike.Surface:
        found = self._seen.get(place)
        if found is None:
            found = alike.Surface.of(self._candidates[place].chunk.text)
            self._seen[place] = found
        return found

    def _node(self, place: int) -> NodeRow:
        return self._nodes[self._candidates[place].chunk.file_id]

    def _wording(self, place: int) -> alike.Wording:
        found = self._read.get(place)
        if found is None:
            chunk, node = self._candidates[place].chunk, self._node(place)
            context = f"{node.title} {chunk.heading}"
            found = self._read[place] = alike.Wording.of(chunk.text, node.lang, context)
        return found


# -- one note, one entry; or not the whole page -------------------------------


def _rolled_up(
    candidates: Sequence[Candidate], entries: Sequence[Entry]
) -> list[Entry]:
    """One entry for each note: its best passage, with the others behind it."""
    by_note: dict[int, Entry] = {}
    for entry in entries:
        first = by_note.setdefault(candidates[entry.at].chunk.file_id, entry)
        if first is not entry:
            _join(candidates, first, entry)
    return list(by_note.values())


def _join(candidates: Sequence[Candidate], first: Entry, other: Entry) -> None:
    """List another entry of the same note, and what it stands for, with the first."""
    first.passages.append(other.at)
    for at in other.alike:
        is_own = candidates[at].chunk.file_id == candidates[other.at].chunk.file_id
        (first.passages if is_own else first.alike).append(at)


def _mixed(
    candidates: Sequence[Candidate],
    entries: Sequence[Entry],
    scores: dict[int, float],
    limit: int,
) -> list[Entry]:
    """The first entries, a note's surplus exchanged for others' that are about as good.

    What had to go is listed with the first entry of its note.
    """
    shown, rest = list(entries[:limit]), entries[limit:]
    most = max(2, round(limit * _SHARE))
    taken: dict[int, list[Entry]] = {}
    for entry in shown:
        taken.setdefault(candidates[entry.at].chunk.file_id, []).append(entry)
    surplus = [entry for own in taken.values() for entry in own[most:]]
    surplus.sort(key=lambda entry: scores[entry.at])
    gone: list[Entry] = []
    for other in rest:
        note = candidates[other.at].chunk.file_id
        if not surplus or scores[other.at] < _AS_WELL * scores[surplus[0].at]:
            break
        if len(taken.get(note, ())) >= most:
            continue
        taken.setdefault(note, []).append(other)
        gone.append(surplus.pop(0))
        shown.append(other)
    for entry in reversed(gone):
        shown.remove(entry)
        first = taken[candidates[entry.at].chunk.file_id][0]
        _join(candidates, first, entry)
    return shown
