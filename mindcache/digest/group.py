"""Step 1, group: the notes that are digested, and how near they are to each other.

Meaning brings notes together, and so do the links between them, the people and things
that they name, a place, and the hour. What the digest made itself is not among them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import NodeRow
from mindcache.index import semantic
from mindcache.index.topics import Near
from mindcache.links import fold
from mindcache.recall import Corpus
from mindcache.recall.topics import not_digested

__all__ = ["OWN", "Pool", "group"]

# What the digest writes, or writes about: reading it would be talking to itself.
OWN = frozenset({"topic", "summary", "proposal"})

# An edge that somebody typed makes two notes as near as a cosine of .7 does; a mention
# in passing weighs .3 of that (design 3.2), and several add up to no more than this.
_LINK = 0.5
_MOST_LINK = 0.6
# A note that links to more than this lists things and says nothing of any.
_INDEX_LINKS = 50
# Naming the same person or thing, being at the same place: a hint each, where no more
# than so many notes share it.
_SHARED = 0.1
_COMMON = 20
# Events of one day, each to the next.
_SAME_DAY = 0.05

# So many notes more are counted as having nothing in common: of few notes, what they
# share is their subject rather than their language.
_FEW = 10

# Rows that are reckoned with at once: 16 MB of whole numbers.
_ROWS = 8_192

# An event of so many passages may be about several things; a day of the journal is.
_LONG = 4


@dataclass(frozen=True)
class Pool:
    """The notes by their places, which follow their paths.

    `vectors` has an int8 row for each, less what all share; that of a journal's day,
    which is of no one subject, is zero. `passages` are the vectors of the chunks of
    those notes that may have several topics, `linked` the paths that notes link to.
    """

    nodes: tuple[NodeRow, ...]
    vectors: npt.NDArray[np.int8]
    passages: Mapping[int, npt.NDArray[np.int8]]
    near: Near
    linked: frozenset[str] = frozenset()

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each path is."""
        return {node.path: at for at, node in enumerate(self.nodes)}

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What each note is known by: its id, else its path."""
        seen: set[str] = set()
        keys = []
        for node in self.nodes:
            # Of two notes with one id the smaller path has it.
            key = node.id if node.id and node.id not in seen else node.path
            seen.add(key)
            keys.append(key)
        return tuple(keys)


def group(
    corpus: Corpus, apart: Iterable[str] = (), templates: Collection[str] = ()
) -> Pool:
    """The notes of the vault, without those at the paths `apart`.

    Nor those that say `digest: false`, as the pages of the vault's template do, nor
    what lies in a folder of `templates`.
    """
    left_out = set(apart)
    kept_out = not_digested(corpus.reader, templates)
    nodes = tuple(
        node
        for node in corpus.reader.nodes()
        if node.type not in OWN
        and node.path not in left_out
        and node.file_id not in kept_out
    )
    # One after the other: the edges of a large vault need as much as its vectors.
    ties, linked = _tied(corpus, nodes)
    vectors, passages = _pointing(corpus, nodes)
    return Pool(nodes, vectors, passages, Near(vectors, ties), linked)


def _tied(
    corpus: Corpus, nodes: Sequence[NodeRow]
) -> tuple[dict[int, dict[int, float]], frozenset[str]]:
    """What brings notes together beside their meaning, and what they link to."""
    edges = corpus.reader.edges()
    ours = {node.path for node in nodes}
    linked = frozenset(edge[1] for edge in edges if edge[0] in ours)
    return _ties(nodes, edges), linked


def _pointing(
    corpus: Corpus, nodes: Sequence[NodeRow]
) -> tuple[npt.NDArray[np.int8], dict[int, npt.NDArray[np.int8]]]:
    """The vectors of the notes, and of the passages of those that have several."""
    place = {node.file_id: at for at, node in enumerate(nodes)}
    owner = np.array([place.get(f, -1) for f in corpus.files.tolist()], dtype=np.intp)
    rows = semantic.wholes(corpus.vectors, owner, len(nodes))
    total = rows.sum(axis=0, dtype=np.int64)
    size = len(nodes) + _FEW
    vectors = _apart(rows, size, total)
    counts = np.bincount(owner[owner >= 0], minlength=len(nodes))
    passages = {}
    for at, node in enumerate(nodes):
        is_day = node.type == "journal"
        if is_day or (node.type == "event" and counts[at] >= _LONG):
            passages[at] = _apart(corpus.vectors[owner == at], size, total)
        if is_day:
            vectors[at] = 0
    return vectors, passages


def _apart(
    rows: npt.NDArray[np.int8], size: int, total: npt.NDArray[np.int64]
) -> npt.NDArray[np.int8]:
    """The rows without what `size` notes, which add up to `total`, have in common."""
    found = np.empty(rows.shape, dtype=np.int8)
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS].astype(np.int64) * size - total
        found[start : start + _ROWS] = semantic.quantise(block.astype(np.float64))
    return found


# -- ties ------------------------------------------------------------------

_Ties = defaultdict[int, defaultdict[int, float]]


def _ties(
    nodes: Sequence[NodeRow], edges: Sequence[tuple[str, str, str, str, float]]
) -> dict[int, dict[int, float]]:
    """What brings notes together beside their meaning, both ways."""
    place = {n.path: at for at, n in enumerate(nodes) if n.type != "journal"}
    ties: _Ties = defaultdict(lambda: defaultdict(float))
    _tie_links(place, edges, ties)
    _tie_shared(nodes, place, edges, ties)
    _tie_days(nodes, ties)
    found = {}
    for one in sorted(ties):
        near = ties.pop(one)
        found[one] = {other: round(near[other], 6) for other in sorted(near)}
    return found


def _add(ties: _Ties, one: int, other: int, weight: float) -> None:
    ties[one][other] += weight
    ties[other][one] += weight


def _tie_links(
    place: Mapping[str, int],
    edges: Sequence[tuple[str, str, str, str, float]],
    ties: _Ties,
) -> None:
    out: defaultdict[str, set[str]] = defaultdict(set)
    for source, target, _, origin, _ in edges:
        if origin == "body":
            out[source].add(target)
    strength: defaultdict[tuple[int, int], float] = defaultdict(float)
    for source, target, _, origin, weight in edges:
        if source not in place or target not in place:
            continue
        if origin == "body" and len(out[source]) > _INDEX_LINKS:
            continue
        pair = (place[source], place[target])
        strength[min(pair), max(pair)] += _LINK * weight
    for (one, other), weight in strength.items():
        _add(ties, one, other, min(weight, _MOST_LINK))


def _tie_shared(
    nodes: Sequence[NodeRow],
    place: Mapping[str, int],
    edges: Sequence[tuple[str, str, str, str, float]],
    ties: _Ties,
) -> None:
    """Notes that name one entity, or are of one location."""
    entities = {node.path for node in nodes if node.type == "entity"}
    sharing: defaultdict[str, set[int]] = defaultdict(set)
    for source, target, _, _, _ in edges:
        if target in entities and source in place:
            sharing[target].add(place[source])
    for at, node in enumerate(nodes):
        if node.location and node.path in place:
            sharing[f"at {fold(node.location)}"].add(at)
    for name in sorted(sharing):
        if 1 < len(sharing[name]) <= _COMMON:
            for one, other in combinations(sorted(sharing[name]), 2):
                _add(ties, one, other, _SHARED)


def _tie_days(nodes: Sequence[NodeRow], ties: _Ties) -> None:
    days: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for at, node in enumerate(nodes):
        if node.type == "event" and node.date_start:
            days[node.date_start[:10]].append((node.date_start, at))
    for day in sorted(days):
        for (_, one), (_, other) in pairwise(sorted(days[day])):
            _add(ties, one, other, _SAME_DAY)
