"""Between merge and refresh: topics of passages, below one whose notes say many things.

A conversation that goes on for weeks is one topic by its notes, and of no use to who
asks where something was spoken of. Where its long events speak of several things each,
what they speak of become topics below it: they list the notes, which stay at home
above, and which of their passages are meant is reckoned from the lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from mindcache.digest.group import Pool
from mindcache.digest.merge import Shaped
from mindcache.digest.tree import Past, Topic, mark
from mindcache.index.topics import BREADTH, DEPTH
from mindcache.recall.passages import FEWEST, SPOKEN, belong, flowing, part

__all__ = ["part_passages", "passages_of"]

# So many passages are half an hour's reading, and enough for several subjects.
_MANY = 100
# More passages of one topic than this are several subjects that came up one by one.
_BROAD = 60


def part_passages(
    shaped: Shaped,
    pool: Pool,
    past: Past,
    is_free: Callable[[Sequence[int]], bool],
    *,
    weekly: bool,
) -> None:
    """Let new long events join the topics of passages below theirs.

    Weekly such topics are made, and those that have become broad are split.

    `is_free` says whether a group of notes may become a topic.
    """
    topics = shaped.topics
    for number in sorted(topics):
        topic = topics[number]
        long = _long(topic, pool)
        kids = [n for n, t in sorted(topics.items()) if t.parent == number]
        own = [n for n in kids if topics[n].of_passages]
        if own:
            _join(long, [topics[n] for n in own], pool)
            if weekly:
                _split(number, shaped, pool, past, is_free)
        elif weekly and not kids and topic.is_ours and _depth(number, topics) < DEPTH:
            rows, owners = _rows(long, pool)
            if len(rows) < _MANY:
                continue
            for notes in part(rows, owners, BREADTH):
                if is_free(notes):
                    _make(shaped, number, notes)
            _split(number, shaped, pool, past, is_free)


def _long(topic: Topic, pool: Pool) -> list[int]:
    """The long events that are at home in a topic."""
    return [n for n in sorted(topic.members) if n in pool.passages]


def _depth(number: int, topics: Mapping[int, Topic]) -> int:
    above = topics[number].parent
    return 1 if above is None else 1 + _depth(above, topics)


def _rows(
    notes: Sequence[int], pool: Pool
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.intp]]:
    owners = np.repeat(
        np.array(notes, dtype=np.intp), [len(pool.passages[n]) for n in notes]
    )
    if not len(owners):
        return np.zeros((0, pool.vectors.shape[1]), dtype=np.int8), owners
    return flowing(np.vstack([pool.passages[n] for n in notes]), owners), owners


def _join(long: Sequence[int], kids: Sequence[Topic], pool: Pool) -> None:
    """Put notes that are in none of these topics where their passages belong."""
    known = {n for kid in kids for n in kid.extras}
    new = [n for n in long if n not in known]
    open_ = [kid for kid in kids if not kid.is_left_alone]
    if not new or not open_:
        return
    rows, owners = _rows(sorted({*long, *known}), pool)
    # Whatever is new may belong anywhere; what is known shows where each topic points.
    lists = [{*kid.extras, *new} for kid in open_]
    found = belong(rows, owners, lists)
    for note in new:
        votes = Counter(found[owners == note].tolist())
        best = min(votes, key=lambda at: (-votes[at], at))
        for at, times in votes.items():
            if times >= SPOKEN or at == best:
                open_[at].extras.append(note)


def _make(shaped: Shaped, parent: int, notes: list[int]) -> None:
    new = max([*shaped.topics, *shaped.ended]) + 1
    shaped.topics[new] = Topic(new, parent=parent, extras=notes, of_passages=True)


def _split(
    parent: int,
    shaped: Shaped,
    pool: Pool,
    past: Past,
    is_free: Callable[[Sequence[int]], bool],
) -> None:
    """Split the broadest topic of passages until none is broad, or there is no room.

    The largest part stays where it was. Each split is looked at as it will be read: a
    second run finds nothing to do.
    """
    topics = shaped.topics
    while True:
        room = BREADTH - sum(topic.parent == parent for topic in topics.values())
        parted = passages_of(topics, pool, parent)
        sizes = {kid: sum(map(len, held.values())) for kid, held in parted.items()}
        broad = [kid for kid in parted if sizes[kid] > _BROAD and topics[kid].is_ours]
        for kid in sorted(broad, key=lambda kid: (-sizes[kid], kid)):
            groups = _parts_of(parted[kid], pool, room + 1) if room > 0 else []
            if len(groups) < 2 or not all(map(is_free, groups[1:])):
                continue
            topic = topics[kid]
            before = topic.before.id if topic.before else ""
            put = [n for n in topic.extras if (before, mark(pool.keys[n])) in past.put]
            whole, last = topic.extras, max([*topics, *shaped.ended])
            topic.extras = sorted({*groups[0], *put})
            for notes in groups[1:]:
                _make(shaped, parent, notes)
            held = passages_of(topics, pool, parent)
            if all(sum(map(len, own.values())) >= FEWEST for own in held.values()):
                break
            # Beside the others the parts can't be told apart: it stays as it was.
            topic.extras = whole
            for number in [n for n in topics if n > last]:
                del topics[number]
        else:
            return


def _parts_of(
    held: Mapping[int, Sequence[int]], pool: Pool, most: int
) -> list[list[int]]:
    """The notes of each subject among these passages of theirs."""
    notes = sorted(held)
    owners = np.repeat(np.array(notes, dtype=np.intp), [len(held[n]) for n in notes])
    rows = np.vstack([pool.passages[n][list(held[n])] for n in notes])
    return part(flowing(rows, owners), owners, most, again=True)


def passages_of(
    topics: Mapping[int, Topic], pool: Pool, parent: int
) -> dict[int, dict[int, list[int]]]:
    """By topic of passages below `parent`: which passages of which notes are its own."""
    kids = [
        n for n, t in sorted(topics.items()) if t.of_passages and t.parent == parent
    ]
    notes = sorted({n for kid in kids for n in topics[kid].extras})
    rows, owners = _rows(notes, pool)
    found = belong(rows, owners, [topics[kid].extras for kid in kids])
    held: dict[int, dict[int, list[int]]] = {kid: {} for kid in kids}
    for note in notes:
        for at, which in enumerate(found[owners == note].tolist()):
            held[kids[which]].setdefault(note, []).append(at)
    return held
