"""Notes that speak of several things: which of their passages belong to which topic.

Topics list such notes, and nothing says which passages they mean: that is reckoned
from the lists, here alone, so that whoever asks gets the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mindcache.index import semantic
from mindcache.index.topics import Near, parts, sums

__all__ = ["FEWEST", "SPOKEN", "belong", "flowing", "of_passages", "part"]

_Key = TypeVar("_Key", int, str)

# A passage says what it is about together with those around it: a turn of a talk has a
# dozen words. Its own count twice, those of its neighbours once. Without them the
# passage asked for was among three topics in 83 of 100 questions on dialogues, with
# 43 % of all passages in these three; so in 82, with 32 %.
_OWN = 2
# Rounds after which passages have come to rest, unless they go in circles.
_ROUNDS = 8
# What shares between up to BREADTH topics are whole numbers of.
_WHOLE = 27_720

# Passages that a topic of its own needs, and notes that they are from: two turns and
# their answers are no subject yet, nor what came up once.
FEWEST = 6
_NOTES = 2
# Passages of a note that make it belong: one is a mention.
SPOKEN = 2
# Groups are made as of most of the passages: as of all of them, the passage asked for
# is as often among three topics, and subjects fall apart; as of seven tenths a third of
# all passages is in three of them, and of .85 a little more than a quarter.
_RESOLUTION = 0.85
# Notes that speak of one thing each are not parted, however many they are.
_SUBJECTS = 1.5
_GROUPS = 3


def flowing(
    passages: npt.NDArray[np.int8], owners: npt.NDArray[np.intp]
) -> npt.NDArray[np.int8]:
    """Passages in reading order, each with what is around it and less what all share.

    `owners` says of which note each is; int8 rows come back.
    """
    rows = passages.astype(np.int64)
    flow = rows * _OWN
    same = (np.diff(owners) == 0)[:, None]
    flow[1:] += rows[:-1] * same
    flow[:-1] += rows[1:] * same
    bare = flow * len(flow) - flow.sum(axis=0)
    return semantic.quantise(bare.astype(np.float64))


def belong(
    rows: npt.NDArray[np.int8],
    owners: npt.NDArray[np.intp],
    lists: Sequence[Collection[int]],
) -> npt.NDArray[np.intp]:
    """Of each passage which of the topics that list its note it belongs to, or -1.

    `rows` are as of `flowing`, `lists` the notes of each topic. At first a topic points
    where its notes do, then where its passages do, until nothing moves.
    """
    allowed = np.array([np.isin(owners, [*notes]) for notes in lists])
    if not allowed.size:
        return np.full(len(rows), -1, dtype=np.intp)
    counts = np.maximum(allowed.sum(axis=0), 1)
    shares = allowed * (_WHOLE // counts)
    whole = rows.astype(np.int64)
    pointing = shares @ whole * len(rows) - shares.sum(axis=1)[:, None] * whole.sum(0)
    found = np.full(len(rows), -1, dtype=np.intp)
    for _ in range(_ROUNDS):
        scores = np.where(allowed, _cosines(rows, pointing).T, -2.0)
        nearest = np.where(allowed.any(axis=0), scores.argmax(axis=0), -1)
        if np.array_equal(nearest, found):
            break
        found = nearest
        held = sums(
            rows, [np.flatnonzero(found == t).tolist() for t in range(len(lists))]
        )
        has_some = np.abs(held).sum(axis=1, keepdims=True) > 0
        pointing = np.where(has_some, held, pointing)
    return found


def _cosines(
    rows: npt.NDArray[np.int8], pointing: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """How near each row is to each direction, rounded."""
    asked = semantic.quantise(pointing.astype(np.float64))
    norms = semantic.norms(rows)
    return np.array([semantic.similarities(rows, norms, one) for one in asked]).T


def part(
    rows: npt.NDArray[np.int8],
    owners: npt.NDArray[np.intp],
    most: int,
    *,
    again: bool = False,
) -> list[list[int]]:
    """The notes of each subject that several of them speak of, the largest first.

    [] where each speaks of one, or of too few to be parted for; after the `most`
    largest come no more. Every note is in one list at least. `again` parts what is one
    subject of several already: two are enough, and a note may speak of one.
    """
    groups = parts(Near(rows), range(len(rows)), _RESOLUTION)
    every = sorted(set(owners.tolist()))
    lists: list[list[int]] = []
    for group in groups:
        speaking = Counter(owners[list(group)].tolist())
        notes = sorted(n for n, times in speaking.items() if times >= SPOKEN)
        if len(group) < FEWEST or len(notes) < _NOTES or len(lists) == most:
            continue
        lists.append(notes)
    lists = _told_apart(rows, owners, lists)
    spread = sum(len(notes) for notes in lists)
    is_worth = len(lists) >= _GROUPS and spread >= _SUBJECTS * len(every)
    if not (is_worth or (again and len(lists) > 1)):
        return []
    return lists


def _told_apart(
    rows: npt.NDArray[np.int8],
    owners: npt.NDArray[np.intp],
    lists: Sequence[Sequence[int]],
) -> list[list[int]]:
    """Those of the lists by which alone enough passages are found again.

    Subjects of which all the same notes speak can't be told apart by them. A note that
    is in none of the lists that stay comes to the one that it is nearest to.
    """
    kept = [list(notes) for notes in lists]
    while len(kept) > 1:
        listed = {note for notes in kept for note in notes}
        loose = sorted(set(owners.tolist()) - listed)
        found = belong(rows, owners, [[*notes, *loose] for notes in kept])
        for note in loose:
            votes = Counter(found[owners == note].tolist())
            best = min(votes, key=lambda at: (-votes[at], at))
            kept[best] = sorted([*kept[best], note])
        counts = Counter(belong(rows, owners, kept).tolist())
        weak = [at for at in range(len(kept)) if counts[at] < FEWEST]
        if not weak:
            break
        # The weakest goes first: what was its own may make another strong enough.
        del kept[min(weak, key=lambda at: (counts[at], -at))]
    return kept


def of_passages(
    lists: Mapping[_Key, Collection[int] | Collection[str]], below: Collection[_Key]
) -> set[_Key]:
    """The topics that hold no notes but passages of notes that are at home elsewhere.

    `lists` are the notes of each topic, `below` those topics that have a parent and
    nothing below them.
    """
    homes = {note for key, notes in lists.items() if key not in below for note in notes}
    return {
        key for key in below if lists[key] and all(note in homes for note in lists[key])
    }
