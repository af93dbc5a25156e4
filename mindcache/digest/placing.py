"""Steps 1, 3 and 4 as one: notes find their topics, until nothing moves any more.

What a week's shaping moves makes other neighbours agree: without another look it would
be found by the next run, on a vault in which nothing is new.
"""

from __future__ import annotations

from collections.abc import Mapping

from mindcache.digest.group import Pool
from mindcache.digest.induce import Induced, induce
from mindcache.digest.merge import Shaped, merge
from mindcache.digest.passages import part_passages
from mindcache.digest.tree import Past, Topic

__all__ = ["settled_tree"]

# Looks after which a tree has always come to rest, unless it goes in circles.
_LOOKS = 6


def settled_tree(
    topics: dict[int, Topic], pool: Pool, past: Past, *, weekly: bool
) -> tuple[Shaped, list[Induced]]:
    """The tree as it shall be, and what each look at it found, the first one first.

    An ordinary night looks once: it moves little, and what is new tomorrow goes on
    from there.
    """
    rounds: list[Induced] = []
    ended: dict[int, int] = {}
    before: object = None
    while True:
        induced = induce(topics, pool, past, weekly=weekly, ended=ended)
        rounds.append(induced)
        shaped = merge(
            induced.topics,
            pool,
            past,
            weekly=weekly,
            fixed=induced.fixed,
            refused=induced.refused,
            ended=ended,
        )
        induced.rejected += part_passages(
            shaped, pool, past, induced.is_free, weekly=weekly
        )
        topics, ended = shaped.topics, shaped.ended
        after = _shape(topics)
        if not weekly or after == before or len(rounds) == _LOOKS:
            return shaped, rounds
        before = after


def _shape(topics: Mapping[int, Topic]) -> object:
    """All of a tree that a run may change, to be compared."""
    return {
        number: (topic.parent, sorted(topic.members), sorted(topic.extras))
        for number, topic in topics.items()
    }
