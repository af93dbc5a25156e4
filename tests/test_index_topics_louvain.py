"""Louvain: the same groups as networkx finds, for whatever graph."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.index.topics.louvain import Graph, louvain

edges = st.lists(
    st.tuples(st.integers(0, 24), st.integers(0, 24), st.integers(1, 2_000_000)),
    max_size=120,
)


def graphs(found: list[tuple[int, int, int]], size: int = 25) -> tuple[Graph, Any]:
    import networkx as nx

    ours: Graph = [{} for _ in range(size)]
    theirs = nx.Graph()
    theirs.add_nodes_from(range(size))
    for one, other, millionths in found:
        ours[one][other] = ours[other][one] = millionths / 1e6
        theirs.add_edge(one, other, weight=millionths / 1e6)
    return ours, theirs


@given(edges, st.sampled_from([0.3, 0.5, 0.85, 1.0, 2.0]), st.integers(0, 9))
def test_groups_are_those_of_networkx(found, resolution, seed) -> None:
    import networkx as nx

    ours, theirs = graphs(found)
    expected = nx.community.louvain_communities(
        theirs, weight="weight", resolution=resolution, seed=seed
    )
    assert louvain(ours, resolution, seed) == expected


def test_a_graph_is_left_as_it_was() -> None:
    ours, _ = graphs([(0, 1, 500_000), (2, 1, 500_000), (2, 0, 500_000), (3, 4, 1)])
    before = [dict(near) for near in ours]
    assert {0, 1, 2} in louvain(ours, 1.0, 1)
    assert [[*near.items()] for near in ours] == [[*near.items()] for near in before]


@pytest.mark.parametrize("size", [0, 1, 3])
def test_without_edges_each_is_alone(size) -> None:
    assert louvain([{} for _ in range(size)], 1.0, 1) == [{n} for n in range(size)]
