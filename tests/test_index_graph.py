"""Walks over small graphs whose answers can be seen by eye, and over a hub."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.errors import NoteNotFound
from mindcache.index.graph import (
    EdgeRow,
    after,
    before,
    build,
    neighbourhood,
    shortest_paths,
    spread,
    subgraph,
)


def edge(text: str, weight: float = 1.0) -> EdgeRow:
    """`a about b` as an edge."""
    source, relation, target = text.split()
    return EdgeRow(source, target, relation, weight=weight)


def edges(*texts: str) -> list[EdgeRow]:
    return [edge(text) for text in texts]


TRIP = edges(
    "trip about lisbon",
    "trip involves ana",
    "ana about acme",
    "invoice about acme",
    "lisbon same_topic porto",
    "invoice derived_from mail",
)


def paths(ring) -> list[tuple[str, int]]:
    return [(each.path, each.depth) for each in ring.reached]


def test_neighbourhood_by_depth() -> None:
    graph = build(TRIP)
    near = neighbourhood(graph, "trip")
    assert paths(near) == [("ana", 1), ("lisbon", 1)]
    assert near.reached[0].via == (edge("trip involves ana"),)
    assert paths(neighbourhood(graph, "trip", depth=2)) == [
        ("ana", 1),
        ("lisbon", 1),
        ("acme", 2),
        ("porto", 2),
    ]
    assert len(neighbourhood(graph, "trip", depth=9).reached) == 6
    assert paths(neighbourhood(graph, "trip", depth=0)) == []


def test_neighbourhood_by_direction_and_relation() -> None:
    graph = build(TRIP)
    assert paths(neighbourhood(graph, "acme", direction="out")) == []
    assert paths(neighbourhood(graph, "acme", direction="in")) == [
        ("ana", 1),
        ("invoice", 1),
    ]
    assert paths(neighbourhood(graph, "trip", {"involves"}, depth=3)) == [("ana", 1)]
    assert paths(neighbourhood(graph, "trip", set())) == paths(
        neighbourhood(graph, "trip")
    )


@pytest.mark.parametrize("relation", ["same_topic", "contradicts"])
@pytest.mark.parametrize("direction", ["in", "out", "both"])
def test_symmetric_relations_go_both_ways(relation: str, direction: str) -> None:
    graph = build(edges(f"a {relation} b"))
    for start, end in (("a", "b"), ("b", "a")):
        assert paths(neighbourhood(graph, start, direction=direction)) == [(end, 1)]


def test_stronger_edges_come_first_and_all_are_told() -> None:
    graph = build([edge("a about b", 0.3), edge("a about c"), edge("b involves a")])
    ring = neighbourhood(graph, "a")
    assert paths(ring) == [("b", 1), ("c", 1)]
    assert ring.reached[0].via == (edge("b involves a"), edge("a about b", 0.3))
    weak = build([edge("a about b", 0.3), edge("a about c")])
    assert paths(neighbourhood(weak, "a")) == [("c", 1), ("b", 1)]


def test_a_hub_is_cut_and_counted() -> None:
    hub = [edge(f"n{i:05} about hub", 0.3) for i in range(10_000)]
    graph = build([*hub, edge("z about hub"), edge("n00000 about far")])
    ring = neighbourhood(graph, "hub", depth=3, limit=20)
    assert paths(ring)[:3] == [("z", 1), ("n00000", 1), ("n00001", 1)]
    assert (len(ring.reached), ring.left_out) == (20, 9_981)
    assert neighbourhood(graph, "z", depth=2, limit=5).left_out == 9_996
    assert shortest_paths(graph, "n00003", "n00009") == [
        [edge("n00003 about hub", 0.3), edge("n00009 about hub", 0.3)]
    ]
    assert subgraph(graph, ["n00001", "hub"], limit=10).nodes == ("hub", "n00001")


def test_the_limit_may_fall_on_the_end_of_a_ring() -> None:
    graph = build(TRIP)
    ring = neighbourhood(graph, "trip", depth=2, limit=2)
    assert (paths(ring), ring.left_out) == ([("ana", 1), ("lisbon", 1)], 0)


def test_shortest_paths_pass_edges_either_way() -> None:
    graph = build(TRIP)
    assert shortest_paths(graph, "trip", "invoice") == [
        edges("trip involves ana", "ana about acme", "invoice about acme")
    ]
    assert shortest_paths(graph, "trip", "invoice", {"about"}) == []
    assert shortest_paths(graph, "trip", "trip") == []


def test_shortest_paths_are_the_first_by_name_and_the_strongest() -> None:
    ladder = [edge(f"a about m{i}") for i in range(9)]
    ladder += [edge(f"m{i} about b", 0.3) for i in range(9)]
    ladder += edges("b involves m2", "a about x", "x about y", "y about b")
    found = shortest_paths(build(ladder), "a", "b", limit=3)
    assert [walk[0].target for walk in found] == ["m0", "m1", "m2"]
    assert found[2][1] == edge("b involves m2")
    assert len(shortest_paths(build(ladder), "a", "b", limit=99)) == 9
    assert shortest_paths(build(ladder), "a", "b", limit=0) == []


def test_very_many_shortest_paths_cost_no_more_than_asked() -> None:
    # 12 layers of 12 notes, each linked to all of the next: 12**12 shortest paths.
    layers = [[f"{layer:02}-{i:02}" for i in range(12)] for layer in range(12)]
    rows = [
        EdgeRow(a, b, "about")
        for upper, lower in pairwise(layers)
        for a in upper
        for b in lower
    ]
    rows += [EdgeRow("start", a, "about") for a in layers[0]]
    rows += [EdgeRow(a, "stop", "about") for a in layers[-1]]
    found = shortest_paths(build(rows), "start", "stop", limit=5)
    assert [len(walk) for walk in found] == [13] * 5
    assert [walk[-1].source for walk in found] == [f"11-{i:02}" for i in range(5)]


small = st.sampled_from("abcdef")
relation = st.sampled_from(["about", "same_topic", "before_after", "occurred_after"])
rows = st.lists(
    st.builds(
        EdgeRow, small, small, relation, st.just("body"), st.sampled_from([0.3, 1.0])
    ),
    max_size=14,
)


@given(rows, small, small, st.randoms(use_true_random=False))
def test_paths_equal_those_of_networkx_in_any_order_of_edges(
    given_: list[EdgeRow], a: str, b: str, draw: random.Random
) -> None:
    import networkx as nx

    graph = build(given_, notes="abcdef")
    found = shortest_paths(graph, a, b, limit=999)
    walks = [_passed(a, walk) for walk in found]
    simple = graph.undirected()
    connected = a != b and nx.has_path(simple, a, b)
    wanted = sorted(nx.all_shortest_paths(simple, a, b)) if connected else []
    assert walks == wanted
    shuffled = draw.sample(given_, len(given_))
    again = build(shuffled, notes="fedcba")
    assert shortest_paths(again, a, b, limit=999) == found
    assert neighbourhood(again, a, depth=3) == neighbourhood(graph, a, depth=3)
    assert before(again, a) == before(graph, a)
    assert after(again, a) == after(graph, a)
    assert subgraph(again, [a, b], 2) == subgraph(graph, [b, a, b], 2)
    assert spread({a: 1.0}, shuffled, hops=2) == spread({a: 1.0}, given_, hops=2)


def _passed(start: str, walk: list[EdgeRow]) -> list[str]:
    passed = [start]
    for each in walk:
        passed.append(each.target if each.source == passed[-1] else each.source)
    return passed


@given(rows)
def test_before_and_after_mirror_each_other(given_: list[EdgeRow]) -> None:
    graph = build(given_, notes="abcdef")
    for a in "abcdef":
        for later in after(graph, a):
            earlier = {each.path: each.depth for each in before(graph, later.path)}
            assert earlier[a] == later.depth


def test_before_and_after_follow_both_relations() -> None:
    graph = build(
        edges(
            "plan before_after build",
            "ship occurred_after build",
            "party occurred_after ship",
            "plan about party",
            "zeta before_after ship",
        )
    )
    assert [(each.path, each.depth) for each in after(graph, "plan")] == [
        ("build", 1),
        ("ship", 2),
        ("party", 3),
    ]
    assert [(each.path, each.depth) for each in before(graph, "ship")] == [
        ("build", 1),
        ("zeta", 1),
        ("plan", 2),
    ]
    assert before(graph, "ship")[0].via == (edge("ship occurred_after build"),)
    assert before(graph, "plan") == after(graph, "party") == []


def test_a_circle_in_time_ends() -> None:
    graph = build(edges("a before_after b", "b before_after c", "c before_after a"))
    assert [each.path for each in before(graph, "a")] == ["c", "b"]
    assert [each.path for each in after(graph, "a")] == ["b", "c"]


def test_subgraph_holds_connections_and_what_is_shared() -> None:
    graph = build(
        [
            *TRIP,
            *edges("note about ana", "note about lisbon", "lone about sea"),
            edge("ana about lisbon", 0.3),
        ]
    )
    got = subgraph(graph, ["lisbon", "ana"])
    assert got.nodes == ("ana", "lisbon", "note", "trip")
    assert got.edges == tuple(
        sorted(
            [
                edge("ana about lisbon", 0.3),
                *edges(
                    "note about ana",
                    "note about lisbon",
                    "trip about lisbon",
                    "trip involves ana",
                ),
            ]
        )
    )
    assert subgraph(graph, ["sea", "ana"]).nodes == ("ana", "sea")
    assert subgraph(graph, ["ana", "lisbon"], limit=1).left_out == 1
    assert subgraph(graph, ["ana", "lisbon"], limit=1).nodes == (
        "ana",
        "lisbon",
        "note",
    )
    assert subgraph(graph, []).nodes == ()


def test_an_unknown_note_is_an_error_that_names_the_nearest() -> None:
    graph = build(TRIP, notes=["alone"])
    assert paths(neighbourhood(graph, "alone")) == []
    for ask in (
        lambda: neighbourhood(graph, "lisbonn"),
        lambda: shortest_paths(graph, "trip", "lisbonn"),
        lambda: before(graph, "lisbonn"),
        lambda: after(graph, "lisbonn"),
        lambda: subgraph(graph, ["trip", "lisbonn"]),
    ):
        with pytest.raises(NoteNotFound, match=r"lisbonn \(did you mean lisbon\?\)"):
            ask()


def test_a_note_is_no_neighbour_of_itself() -> None:
    graph = build(edges("a about a", "a about b"))
    assert paths(neighbourhood(graph, "a")) == [("b", 1)]
    assert spread({"a": 1.0}, edges("a about a")) == {}


def test_spread_hands_on_by_weight_and_degree() -> None:
    got = spread({"a": 1.0}, [edge("a about b"), edge("c involves a", 0.3)])
    # Degree of a: 1.3; of b and c at least 1.
    assert got == {"b": round(0.5 / 1.3**0.5, 6), "c": round(0.15 / 1.3**0.5, 6)}
    assert spread({"a": 2.0}, [edge("a about b", 0.1)]) == {"b": 0.1}
    assert spread({"a": 1.0}, edges("a same_topic b"), damping=1.0) == {"b": 0.5}
    weighted = spread(
        {"a": 1.0}, edges("a about b"), damping=1.0, relation_weights={"about": 0.25}
    )
    assert weighted == {"b": 0.25}


def test_spread_does_not_pile_up_on_a_hub() -> None:
    rows = edges("s about hub", "t about hub", "s about pair", "t about pair")
    known = spread({"s": 1.0, "t": 1.0}, rows, degrees={"hub": 400.0})
    assert known["hub"] * 10 < known["pair"]
    crowd = rows + [edge(f"n{i} about hub") for i in range(398)]
    assert spread({"s": 1.0, "t": 1.0}, crowd)["hub"] == known["hub"]


def test_spread_by_hops_never_echoes() -> None:
    chain = edges("a about b", "b about c", "c about d")
    assert list(spread({"a": 1.0}, chain, hops=1)) == ["b"]
    two = spread({"a": 1.0}, chain, hops=2)
    assert list(two) == ["b", "c"]
    assert two["b"] > two["c"] > 0
    assert list(spread({"a": 1.0, "b": 1.0}, chain, hops=1)) == ["a", "b", "c"]
    assert spread({"a": 1.0}, chain, hops=0) == spread({}, chain) == {}
    assert spread({"elsewhere": 1.0}, chain) == {}


def test_several_edges_between_two_notes_count_once() -> None:
    once = spread({"a": 1.0}, edges("a about b"))
    many = edges("a about b", "b about a", "a involves b", "a same_topic b")
    assert spread({"a": 1.0}, many) == once
