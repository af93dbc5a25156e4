"""Step 4, merge: new topics find their branch; once a week the tree is put in shape.

Into a topic, as a child, as a new branch: the first was decided by the votes, the
other two are here. Weekly, twins become one, what is too broad is split, and many
roots are gathered. What a person made his own (pinned, re-parented, written in) stays
where and what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mindcache.digest.group import Pool
from mindcache.digest.tree import Past, Topic
from mindcache.index.topics import (
    BREADTH,
    DEPTH,
    ROOTS,
    SMALLEST,
    bonds,
    find_twins,
    gather,
    likeness,
    restore,
    split,
    sums,
)
from mindcache.links import fold

__all__ = ["Shaped", "merge"]

# A topic is a child of the branch in which this share of what it is near to lies.
_BRANCH_SHARE = 0.5


@dataclass(slots=True)
class Shaped:
    """The topics as they shall be, and those that end: number → where it went, or -1.

    `may_end` says whether a topic's note may go.
    """

    topics: dict[int, Topic]
    ended: dict[int, int] = field(default_factory=dict)
    may_end: Callable[[Topic], bool] = lambda _: True


def merge(  # noqa: PLR0913  all but three by name, and without them nothing is held
    topics: dict[int, Topic],
    pool: Pool,
    past: Past,
    *,
    weekly: bool,
    fixed: Collection[int] = (),
    refused: Collection[tuple[int, int]] = (),
    ended: Mapping[int, int] | None = None,
) -> Shaped:
    """Put new topics into the tree, and with `weekly` the tree into shape.

    `fixed` notes stay in their topics, of `refused` pairs (note, topic) none comes
    together. `ended` are topics that had ended before, with where they went.
    """
    tree = _Tree(topics, pool, past)
    tree.ended.update(ended or {})
    if weekly:
        tree.join_twins()
        tree.join_small(refused)
        tree.split_broad()
        tree.restore(fixed, refused)
    tree.place(weekly=weekly)
    if weekly:
        tree.gather_roots()
    tree.end_empty()
    return Shaped(tree.topics, tree.ended, lambda topic: tree.may_end(topic.number))


class _Tree:
    def __init__(self, topics: dict[int, Topic], pool: Pool, past: Past) -> None:
        self.topics = topics
        self.ended: dict[int, int] = {}
        self._pool = pool
        self._past = past
        there = {t.before.id for t in topics.values() if t.before is not None}
        self._gone = past.made.keys() - there
        # The children of branches that a person deleted: not gathered again.
        self._apart = [
            set(past.said[gone].until("").get("kids", "").split())
            for gone in sorted(self._gone - past.ended)
            if gone in past.said
        ]

    # -- looking ---------------------------------------------------------

    def children(self, number: int) -> list[int]:
        return [n for n in sorted(self.topics) if self.topics[n].parent == number]

    def is_branch(self, number: int) -> bool:
        """Whether there are topics of notes below it: those of passages are its own."""
        return any(not self.topics[n].of_passages for n in self.children(number))

    def below(self, number: int) -> list[int]:
        """The topic and all that is below it."""
        found = [number]
        for each in found:
            found += self.children(each)
        return found

    def height(self, number: int) -> int:
        return 1 + max((self.height(n) for n in self.children(number)), default=0)

    def depth(self, number: int) -> int:
        above = self.topics[number].parent
        return 1 if above is None else 1 + self.depth(above)

    def leaves(self) -> dict[int, list[int]]:
        """The notes of every topic that has some."""
        return {n: t.members for n, t in sorted(self.topics.items()) if t.members}

    def may_move(self, number: int) -> bool:
        """Whether the topic may get another parent: a person's choice of it holds."""
        topic = self.topics[number]
        if topic.before is None:
            return True
        if topic.is_pinned or topic.before.section is None:
            return False
        said = self._past.said.get(topic.before.id)
        if said is None:
            return not topic.before.parent
        above = None if topic.parent is None else self.topics[topic.parent].before
        named = topic.before.note.properties.get("parent_topic") not in (None, "", [])
        last = said.until(topic.before.written).get("parent", "")
        if above is None and named and last in self._gone:
            return True  # the branch that it was in was deleted
        now = above.id if above is not None else "?" if named else ""
        return now == last

    def takes_children(self, number: int) -> bool:
        topic = self.topics[number]
        has_note = topic.before is None or topic.before.section is not None
        return has_note and len(self.children(number)) < BREADTH

    # -- new topics ------------------------------------------------------

    def place(self, *, weekly: bool) -> None:
        """Make each new topic a child of the branch that it hangs together with.

        Weekly those too that are roots still and hold nothing but notes.
        """
        new = [
            n
            for n, t in sorted(self.topics.items())
            if t.parent is None
            and t.members
            and not self.children(n)
            and (t.before is None or (weekly and self.may_move(n)))
        ]
        branches = [n for n in sorted(self.topics) if self.is_branch(n)]
        if not new or not branches:
            return
        found = bonds(self._pool.near, self.leaves())
        for number in new:
            around = found.around(number)
            whole = sum(around.values())
            shares = {}
            for branch in branches:
                if self.takes_children(branch) and self.depth(branch) < DEPTH:
                    near = (
                        around.get(n, 0.0) for n in (branch, *self.children(branch))
                    )
                    shares[branch] = round(sum(near), 6)
            best = min(shares, key=lambda n: (-shares[n], n), default=None)
            if best is not None and whole > 0 and shares[best] >= _BRANCH_SHARE * whole:
                self.topics[number].parent = best

    # -- weekly ----------------------------------------------------------

    def join_twins(self) -> None:
        """Make one of two topics that are one; the title of the other stays an alias."""
        while True:
            leaves = {
                n: m
                for n, m in self.leaves().items()
                if not self.children(n) and not self.topics[n].is_left_alone
            }
            found = bonds(self._pool.near, leaves)
            fixed = {n for n in leaves if not self.may_end(n)}
            twins = find_twins(self._pool.vectors, leaves, found, fixed)
            if twins is None:
                return
            self._join(*twins)

    def join_small(self, refused: Collection[tuple[int, int]]) -> None:
        """Let what lost its notes to others follow them.

        A new topic is never that small (see `grow`), and an old one only where most of
        its notes found a nearer one.
        """
        leaves = self.leaves()
        small = [
            n
            for n, members in leaves.items()
            if len(members) < SMALLEST and not self.children(n) and self.may_end(n)
        ]
        if not small:
            return
        found = bonds(self._pool.near, leaves)
        for number in small:
            near = {
                other: weight
                for other, weight in found.around(number).items()
                if other in self.topics
                and not self.topics[other].is_left_alone
                and not any(
                    (node, other) in refused for node in self.topics[number].members
                )
            }
            if near:
                self._join(number, min(near, key=lambda n: (-near[n], n)))

    def may_end(self, number: int) -> bool:
        """Whether its note may go: nobody changed it, nobody links to it."""
        topic = self.topics[number]
        if topic.before is None:
            return True
        said = self._past.said.get(topic.before.id)
        if not topic.is_ours or said is None or not self.may_move(number):
            return False
        called = said.until(topic.before.written).get("title", "")
        return (
            called == topic.before.stem and topic.before.path not in self._pool.linked
        )

    def _join(self, goes: int, stays: int) -> None:
        loser, winner = self.topics.pop(goes), self.topics[stays]
        winner.members = sorted({*winner.members, *loser.members})
        winner.extras = sorted({*winner.extras, *loser.extras} - set(winner.members))
        if loser.before is not None:
            self.ended[goes] = stays
            # In other letters a name is no further one, nor is its own title.
            own = () if winner.before is None else (winner.before.stem,)
            known = {fold(name) for name in (*own, *winner.aliases)}
            for name in (
                loser.before.stem,
                *loser.before.memory.aliases,
                *loser.aliases,
            ):
                if fold(name) not in known:
                    known.add(fold(name))
                    winner.aliases.append(name)
        for number, where in self.ended.items():
            if where == goes:
                self.ended[number] = stays

    def split_broad(self) -> None:
        """Give what is too broad children, and them its notes."""
        waiting = list(self.leaves())
        for number in waiting:
            topic = self.topics[number]
            if not topic.is_ours or self.depth(number) >= DEPTH:
                continue
            groups = split(self._pool.near, topic.members)
            room = BREADTH - len(self.children(number))
            if not groups or len(groups) - 1 > room:
                continue
            # The largest part stays: most readers find what they saw where it was.
            for group in groups[1:]:
                child = self._new()
                child.parent = number
                child.members = list(group)
                waiting.append(child.number)
            topic.members = list(groups[0])
            waiting.append(number)

    def restore(
        self, fixed: Collection[int], refused: Collection[tuple[int, int]]
    ) -> None:
        """Move the notes that have changed and are clearly nearer elsewhere now."""
        home = {node: n for n, members in self.leaves().items() for node in members}
        closed = {n for n, topic in self.topics.items() if topic.is_left_alone}
        pool = self._pool
        found = restore(pool.vectors, pool.near, home, fixed, refused, closed)
        if found == home:
            return
        for topic in self.topics.values():
            topic.members = []
        for node, number in sorted(found.items()):
            topic = self.topics[number]
            topic.members.append(node)
            topic.extras = [each for each in topic.extras if each != node]

    def gather_roots(self) -> None:
        """Bring many topics without a parent under branches."""
        roots = [n for n, t in sorted(self.topics.items()) if t.parent is None]
        if len(roots) <= ROOTS:
            return
        inside = {
            root: [node for n in self.below(root) for node in self.topics[n].members]
            for root in roots
        }
        units = [root for root in roots if inside[root]]
        directions = dict(
            zip(
                units,
                sums(self._pool.vectors, [inside[root] for root in units]),
                strict=True,
            )
        )
        for group in gather(directions, ROOTS - (len(roots) - len(units))):
            self._gather(group, directions)

    def _gather(
        self, group: Iterable[int], directions: Mapping[int, npt.NDArray[np.int64]]
    ) -> None:
        branches = [n for n in group if self.is_branch(n)]
        movable = [n for n in group if n not in branches and self.may_move(n)]
        if len(branches) == 1 and self.takes_children(branches[0]):
            home = branches[0]
            room = BREADTH - len(self.children(home))
            near = {n: likeness(directions[home], directions[n]) for n in movable}
            for number in sorted(near, key=lambda n: (-near[n], n))[:room]:
                self.topics[number].parent = home
            return
        moving = [n for n in group if self.may_move(n) and self.height(n) < DEPTH - 1]
        if len(moving) < 2 or self._is_come_back(moving):
            return
        above = self._new()
        for number in moving:
            self.topics[number].parent = above.number

    def _is_come_back(self, numbers: Sequence[int]) -> bool:
        """Whether a branch over these would be one that a person deleted."""
        notes = (self.topics[n].before for n in numbers)
        ids = {note.id for note in notes if note is not None}
        return any(2 * len(ids & apart) >= len(apart) > 0 for apart in self._apart)

    def _new(self) -> Topic:
        number = max([*self.topics, *self.ended]) + 1
        topic = self.topics[number] = Topic(number)
        return topic

    # -- ends ------------------------------------------------------------

    def end_empty(self) -> None:
        """Let go of topics that hold nothing, unless they are a person's."""
        while True:
            gone = [
                number
                for number, topic in sorted(self.topics.items())
                if not (topic.members or topic.extras or self.children(number))
                and (topic.before is None or self.may_end(number))
            ]
            if not gone:
                return
            for number in gone:
                topic = self.topics.pop(number)
                if topic.before is not None:
                    self.ended[number] = -1
