"""Step 3, induce: notes find their topics, and what is left over makes new ones."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindcache.digest.group import Pool
from mindcache.digest.tree import Past, Topic, TopicNote, mark
from mindcache.index.topics import Near, grow, sums
from mindcache.recall.passages import of_passages

__all__ = ["Induced", "induce", "planted"]

# Scores are compared after rounding to this many places, here as everywhere.
_PLACES = 6
# A passage belongs to a topic whose direction is that near, a long note to the topics
# of so many of its passages, and to no more topics than this.
_PASSAGE = 0.4
_PASSAGES = 2
_SEVERAL = 3
# A group is a deleted topic come back when it holds this share of its notes, or when
# this share of the group was in it.
_COME_BACK = 0.5


@dataclass(slots=True)
class Induced:
    """The topics with their notes, those that are new at the end.

    `rejected` are the pairs (topic's id, note's mark) that a person took apart since,
    `put` those that he put together. `fixed` are notes that stay where they are,
    `refused` pairs (note, topic's number) that don't come together. `is_free` says
    whether a group of notes may become a topic: none that was deleted comes back.
    """

    topics: dict[int, Topic]
    placed: int
    rejected: list[tuple[str, str]]
    put: list[tuple[str, str]]
    fixed: set[int]
    refused: set[tuple[int, int]]
    is_free: Callable[[Sequence[int]], bool]


def planted(notes: Sequence[TopicNote], pool: Pool) -> dict[int, Topic]:
    """The tree as the notes have it: every note in one home, every parent a topic."""
    topics = {at: Topic(at, note) for at, note in enumerate(notes)}
    number = {note.path: at for at, note in enumerate(notes)}
    claims: defaultdict[int, list[int]] = defaultdict(list)
    for at, topic in topics.items():
        note = notes[at]
        topic.is_pinned = note.memory.pinned
        topic.parent = number.get(note.parent)
        for path in note.links:
            if path in pool.places:
                claims[pool.places[path]].append(at)
    _claim_held(notes, pool, claims)
    _cut_circles(topics)
    claims = _without_passages(topics, claims, pool)
    single = {node: own[0] for node, own in claims.items() if len(own) == 1}
    for node, own in sorted(claims.items()):
        if not pool.vectors[node].any() and node in pool.passages:
            for at in own:
                topics[at].extras.append(node)
            continue
        home = own[0] if len(own) == 1 else _home(node, own, topics, single, pool.near)
        topics[home].members.append(node)
        if node in pool.passages:
            for at in own:
                if at != home:
                    topics[at].extras.append(node)
    return topics


def _without_passages(
    topics: Mapping[int, Topic], claims: Mapping[int, Sequence[int]], pool: Pool
) -> defaultdict[int, list[int]]:
    """The claims but those of topics that hold only passages of notes at home above.

    These get what they claim as extras.
    """
    lists: dict[int, list[int]] = {at: [] for at in topics}
    for node, own in claims.items():
        for at in own:
            lists[at].append(node)
    above = {topic.parent for topic in topics.values()}
    below = [
        at
        for at, topic in topics.items()
        if topic.parent is not None
        and at not in above
        and all(node in pool.passages for node in lists[at])
    ]
    for at in sorted(of_passages(lists, below)):
        topics[at].of_passages = True
        topics[at].extras = sorted(lists[at])
    kept: defaultdict[int, list[int]] = defaultdict(list)
    for node, own in claims.items():
        kept[node] = [at for at in own if not topics[at].of_passages]
    return kept


def _claim_held(
    notes: Sequence[TopicNote], pool: Pool, claims: defaultdict[int, list[int]]
) -> None:
    """Let what is left alone keep the notes that it held and no other topic lists."""
    places = {mark(key): at for at, key in enumerate(pool.keys)}
    for at, note in enumerate(notes):
        for each in sorted(note.held):
            node = places.get(each)
            if node is not None and not claims.get(node):
                claims[node].append(at)


def _home(
    node: int,
    own: Sequence[int],
    topics: Mapping[int, Topic],
    single: Mapping[int, int],
    near: Near,
) -> int:
    """Of several topics that claim a note, the one that a person edited, or the nearest."""
    votes: Counter[int] = Counter()
    for other, weight in near.row(node).items():
        if other in single:
            votes[single[other]] += round(weight * 1e6)

    def rank(at: int) -> tuple[bool, int, int]:
        before = topics[at].before
        edited = before is not None and before.section is not None
        is_hand = edited and before is not None and before.section.is_edited  # type: ignore[union-attr]
        return (not is_hand, -votes[at], at)

    return min(own, key=rank)


def _cut_circles(topics: Mapping[int, Topic]) -> None:
    """A topic above itself is above nothing."""
    for topic in topics.values():
        seen = {topic.number}
        above = topic.parent
        while above is not None:
            if above in seen:
                topic.parent = None
                break
            seen.add(above)
            above = topics[above].parent


def induce(
    topics: dict[int, Topic],
    pool: Pool,
    past: Past,
    *,
    weekly: bool,
    ended: Collection[int] = (),
) -> Induced:
    """Give every note that has none a topic, where its neighbours agree on one.

    Only `weekly` may others follow in number; those in a topic in which a person wrote
    never do, nor those that he put where they are. The numbers of topics that `ended`
    are given to no other.
    """
    home = {node: t.number for t in topics.values() for node in t.members}
    ids = {t.before.id: t.number for t in topics.values() if t.before and t.before.id}
    marks = [mark(key) for key in pool.keys]
    places = {each: at for at, each in enumerate(marks)}
    refused = {
        (places[note], ids[topic])
        for topic, note in past.refused
        if topic in ids and note in places
    }
    cores = [
        {places[each] for each in past.said[gone].members() if each in places}
        for gone in sorted(past.made.keys() - past.ended - ids.keys())
        if gone in past.said
    ]

    def is_free(group: Sequence[int]) -> bool:
        return not any(_is_come_back(group, core) for core in cores)

    apart = {t.number for t in topics.values() if t.is_left_alone}
    put = [pair for t in topics.values() for pair in _put_in(t, pool, past)]
    held = past.put | set(put)
    fixed = {
        n
        for t in topics.values()
        for n in t.members
        if not t.is_ours or (t.before and (t.before.id, marks[n]) in held)
    }
    first = max([*topics, *ended], default=-1) + 1
    rejected: list[tuple[str, str]] = []
    while True:
        growth = grow(pool.near, home, fixed, is_free, refused, calm=not weekly)
        taken = _taken_out(topics, pool, past, home, growth.home)
        if not taken:
            break
        refused |= taken
        for node, number in sorted(taken):
            before = topics[number].before
            if before is not None:
                rejected.append((before.id, marks[node]))
    # What is left alone can't be told of notes that would be its own: they wait.
    placed = {
        node: number
        for node, number in growth.home.items()
        if number not in apart or home.get(node) == number
    }
    for topic in topics.values():
        topic.members = []
    for at in range(len(growth.new)):
        topics[first + at] = Topic(first + at)
    for node, number in sorted(placed.items()):
        topics[number if number >= 0 else first - number - 1].members.append(node)
    _spread_passages(topics, pool)
    size = len(placed) - len(home)
    return Induced(topics, size, rejected, put, fixed, refused, is_free)


def _put_in(topic: Topic, pool: Pool, past: Past) -> list[tuple[str, str]]:
    """The notes whose links a person put into the topic since it was written."""
    note = topic.before
    if note is None or note.section is None or not note.section.is_edited:
        return []
    said = past.said.get(note.id)
    known = said.members(note.written) if said is not None else set()
    marks = (mark(pool.keys[node]) for node in (*topic.members, *topic.extras))
    pairs = ((note.id, each) for each in marks if each not in known)
    return [pair for pair in pairs if pair not in past.put]


def _is_come_back(group: Iterable[int], core: set[int]) -> bool:
    whole = set(group)
    common = len(whole & core)
    return bool(core) and (
        common >= _COME_BACK * len(core) or common >= _COME_BACK * len(whole)
    )


def _taken_out(
    topics: Mapping[int, Topic],
    pool: Pool,
    past: Past,
    before: Mapping[int, int],
    after: Mapping[int, int],
) -> set[tuple[int, int]]:
    """The notes that would come back into a topic whose owner took them out."""
    found = set()
    for node, number in after.items():
        note = topics[number].before if number in topics else None
        if node in before or note is None or note.section is None:
            continue
        # A link that leads nowhere by now leaves the section as it was written.
        if not note.section.is_edited or note.id not in past.said:
            continue
        if mark(pool.keys[node]) in past.said[note.id].members(note.written):
            found.add((node, number))
    return found


def _spread_passages(topics: Mapping[int, Topic], pool: Pool) -> None:
    """Long notes belong, beside their home, where several of their passages do."""
    numbers = [
        n for n, t in sorted(topics.items()) if t.members and not t.is_left_alone
    ]
    if not numbers or not pool.passages:
        return
    directions = sums(pool.vectors, [topics[n].members for n in numbers])
    before = {n: set(topics[n].extras) for n in topics}
    for topic in topics.values():
        if not (topic.is_left_alone or topic.of_passages):
            topic.extras = []
    home = {node: t.number for t in topics.values() for node in t.members}
    # Whole numbers below 2**53, and so exact: a day of the journal has many passages.
    across = directions.astype(np.float64).T
    lengths = _lengths(directions)
    for node, passages in sorted(pool.passages.items()):
        votes: Counter[int] = Counter()
        scores = passages.astype(np.float64) @ across
        scores /= np.outer(_lengths(passages.astype(np.int64)), lengths)
        scores = np.round(scores, _PLACES)
        # Of equals the first.
        for row, best in zip(scores, scores.argmax(axis=1).tolist(), strict=True):
            if row[best] >= _PASSAGE:
                votes[numbers[best]] += 1
        enough = [
            n
            for n in numbers
            if n != home.get(node)
            # What belongs already stays for as long as any passage speaks for it.
            and votes[n] >= (1 if node in before[n] else _PASSAGES)
        ]
        for number in sorted(enough, key=lambda n: (-votes[n], n))[:_SEVERAL]:
            topics[number].extras.append(node)


def _lengths(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The rows' lengths; 1 for a row of zeros, which is near nothing."""
    # Python's integers: the squares of large sums leave no room in 64 bits.
    squares = (int(np.dot(row, row)) for row in rows)
    return np.array([math.sqrt(square) or 1.0 for square in squares])
