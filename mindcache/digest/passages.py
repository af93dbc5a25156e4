"""Between merge and refresh: topics of passages, below one whose notes say many things.

A conversation that goes on for weeks is one topic by its notes, and of no use to who
asks where something was spoken of. Where its long events speak of several things each,
what they speak of become topics below it: they list the notes, which stay at home
above, and which of their passages are meant is reckoned from the lists.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from mindcache.digest.group import Pool
from mindcache.digest.merge import Shaped
from mindcache.digest.tree import Past, Topic, mark
from mindcache.index.topics import BREADTH, DEPTH, likeness, sums
from mindcache.recall.passages import FEWEST, SPOKEN, belong, flowing, part

__all__ = ["part_passages", "passages_of"]

# So many passages are half an hour's reading, and enough for several subjects.
_MANY = 100
# With more, telling them apart takes minutes, and a topic of so many is split before.
_MOST = 5_000
# Passages are parted anew when they are by that much nearer to what they are with: less
# is the luck of an order, and readers lose what they knew for nothing.
_CLOSER = 1.03
# More passages of one topic than this are several subjects that came up one by one.
_BROAD = 60


def part_passages(
    shaped: Shaped,
    pool: Pool,
    past: Past,
    is_free: Callable[[Sequence[int]], bool],
    *,
    weekly: bool,
) -> list[tuple[str, str]]:
    """Let new long events join the topics of passages below theirs.

    Weekly such topics are made, parted anew where what came since makes other subjects
    of it, and those that have become broad are split.

    `is_free` says whether a group of notes may become a topic. What a person took out
    of such a topic since is given back: (topic's id, note's mark).
    """
    topics = shaped.topics
    taken = [
        pair
        for _, topic in sorted(topics.items())
        for pair in _taken(topic, pool, past)
    ]
    for number in sorted(topics):
        if number not in topics:
            continue  # it ended while those above it were parted
        topic = topics[number]
        long = _long(topic, pool)
        kids = [n for n, t in sorted(topics.items()) if t.parent == number]
        own = [n for n in kids if topics[n].of_passages]
        if own:
            _join(long, [topics[n] for n in own], pool)
            if weekly and len(own) == len(kids):
                _part_again(number, shaped, pool, past, is_free)
            if weekly:
                _split(number, shaped, pool, past, is_free)
        elif weekly and not kids and topic.is_ours and _depth(number, topics) < DEPTH:
            for notes in _parted(number, shaped, pool, past, is_free):
                _make(shaped, number, notes)
    return taken


def _taken(topic: Topic, pool: Pool, past: Past) -> list[tuple[str, str]]:
    """The notes that were in a topic of passages when it was written, and are there yet."""
    note = topic.before
    if not topic.of_passages or note is None or note.section is None:
        return []
    if not note.section.is_edited or note.id not in past.said:
        return []
    listed = {mark(pool.keys[node]) for node in topic.extras}
    there = {mark(pool.keys[node]) for node in pool.passages}
    gone = (past.said[note.id].members(note.written) - listed) & there
    return [(note.id, each) for each in sorted(gone)]


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


def _parted(
    parent: int,
    shaped: Shaped,
    pool: Pool,
    past: Past,
    is_free: Callable[[Sequence[int]], bool],
) -> list[list[int]]:
    """The notes of each subject of a topic's passages, as if there were none yet."""
    rows, owners = _rows(_long(shaped.topics[parent], pool), pool)
    if not _MANY <= len(rows) <= _MOST:
        return []
    alone = Shaped({parent: replace(shaped.topics[parent])})
    for notes in part(rows, owners, BREADTH):
        if is_free(notes):
            _make(alone, parent, notes)
    _split(parent, alone, pool, past, is_free)
    return [topic.extras for n, topic in sorted(alone.topics.items()) if n != parent]


def _part_again(
    parent: int,
    shaped: Shaped,
    pool: Pool,
    past: Past,
    is_free: Callable[[Sequence[int]], bool],
) -> None:
    """Part the passages anew where that clearly tells them better apart.

    What comes session by session joins the subjects of the first weeks, and makes none
    of its own. A topic that holds half of what it held keeps its note.
    """
    topics = shaped.topics
    held = passages_of(topics, pool, parent)
    if not all(_is_free_to_change(topics[kid], past) for kid in held):
        return
    lists = _parted(parent, shaped, pool, past, is_free)
    if len(lists) < 2 or set(_long(topics[parent], pool)) != {*chain(*lists)}:
        return
    alone = Shaped({parent: replace(topics[parent])})
    for notes in lists:
        _make(alone, parent, notes)
    fresh = passages_of(alone.topics, pool, parent)
    before, after = _closeness(held, pool), _closeness(fresh, pool)
    if after < _CLOSER * before:
        return
    took = _successors(held, fresh)
    ending = [kid for kid in held if kid not in took]
    if not all(shaped.may_end(topics[kid]) for kid in ending):
        return
    for kid in ending:
        del topics[kid]
        shaped.ended[kid] = parent
    old = {number: kid for kid, number in took.items()}
    for number, notes in ((n, alone.topics[n].extras) for n in fresh):
        if number in old:
            topics[old[number]].extras = notes
        else:
            _make(shaped, parent, notes)


def _is_free_to_change(topic: Topic, past: Past) -> bool:
    """Whether nobody made the topic his own, nor put a note in, nor took one out."""
    before = topic.before.id if topic.before else ""
    said = past.put | past.refused
    return topic.is_ours and not any(each == before for each, _ in said)


def _closeness(parted: Mapping[int, Mapping[int, Sequence[int]]], pool: Pool) -> float:
    """How near passages are to what those of their topic say together, summed up."""
    every = sorted({note for held in parted.values() for note in held})
    rows, owners = _rows(every, pool)
    starts = {n: int(np.searchsorted(owners, n)) for n in every}
    found = []
    for _, held in sorted(parted.items()):
        own = [starts[n] + at for n in sorted(held) for at in held[n]]
        whole = sums(rows, [own])[0]
        found += [likeness(rows[at].astype(np.int64), whole) for at in own]
    return round(math.fsum(found), 6)


def _successors(
    held: Mapping[int, Mapping[int, Sequence[int]]],
    fresh: Mapping[int, Mapping[int, Sequence[int]]],
) -> dict[int, int]:
    """By topic the one of the `fresh` ones that has most of its passages."""
    olds, news = (
        {n: {(note, at) for note in own for at in own[note]} for n, own in each.items()}
        for each in (held, fresh)
    )
    common = {
        (old, new): len(olds[old] & news[new])
        for old in olds
        for new in news
        if 2 * len(olds[old] & news[new]) >= min(len(olds[old]), len(news[new])) > 0
    }
    took: dict[int, int] = {}
    for old, new in sorted(common, key=lambda pair: (-common[pair], pair)):
        if old not in took and new not in took.values():
            took[old] = new
    return took


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
