"""Topics out of arrays: neighbours, votes, the shape of the tree, words."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindcache.index.topics import (
    BREADTH,
    BROAD,
    ROOTS,
    SMALLEST,
    Background,
    Near,
    Vocabulary,
    anchors,
    bonds,
    count,
    find_twins,
    gather,
    grow,
    likeness,
    listen,
    parts,
    related,
    restore,
    split,
    sums,
)

STOP = frozenset({"the", "a", "of", "is", "and", "in", "was"})


def clouds(*sizes: int, spread: int = 12, seed: int = 1):
    """int8 vectors around as many directions as there are sizes, and whose each is."""
    rng = np.random.default_rng(seed)
    middles = rng.integers(-100, 100, size=(len(sizes), 32))
    whose = np.repeat(np.arange(len(sizes)), sizes)
    noise = rng.integers(-spread, spread + 1, size=(len(whose), 32))
    return np.clip(middles[whose] + noise, -127, 127).astype(np.int8), whose


# -- neighbours ------------------------------------------------------------


def test_neighbours_are_the_nearest_and_never_oneself() -> None:
    vectors, whose = clouds(12, 12)
    near = Near(vectors)
    for node in range(24):
        row = near.row(node)
        assert node not in row
        assert len(row) == 10
        assert {whose[other] for other in row} == {whose[node]}
        weights = list(row.values())
        assert weights == sorted(weights, reverse=True)


def test_rows_are_the_same_one_by_one_and_all_at_once() -> None:
    vectors, _ = clouds(9, 7, 5, spread=60)
    one, all_ = Near(vectors), Near(vectors)
    all_.fetch(range(21))
    assert [one.row(n) for n in range(21)] == [all_.row(n) for n in range(21)]


def test_of_equals_the_first_is_nearer() -> None:
    vectors = np.tile(np.array([[3, 4, 0]], dtype=np.int8), (15, 1))
    assert sorted(Near(vectors).row(14)) == list(range(10))
    assert sorted(Near(vectors).row(0)) == list(range(1, 11))


def test_a_tie_brings_together_what_means_nothing_alike() -> None:
    vectors = np.array([[100, 0], [0, 100], [0, 0]], dtype=np.int8)
    ties = {0: {1: 0.5, 2: 0.25}, 1: {0: 0.5}, 2: {0: 0.25}}
    near = Near(vectors, ties)
    assert near.row(0) == {1: 0.5, 2: 0.25}
    assert Near(vectors).row(0) == {}


def test_one_note_has_no_neighbours() -> None:
    assert Near(np.array([[1, 2]], dtype=np.int8)).row(0) == {}


# -- growing ---------------------------------------------------------------


def test_leftovers_become_the_topics_they_are() -> None:
    vectors, whose = clouds(20, 15, 6)
    found = grow(Near(vectors), {})
    assert sorted(map(len, found.new)) == [6, 15, 20]
    for group in found.new:
        assert len({whose[n] for n in group}) == 1


def test_few_are_no_topic() -> None:
    vectors, _ = clouds(20, SMALLEST - 1)
    found = grow(Near(vectors), {})
    assert sorted(found.home) == list(range(20))


def test_a_new_note_joins_its_neighbours() -> None:
    vectors, whose = clouds(10, 10)
    home = {n: int(whose[n]) for n in range(20) if n not in {3, 14}}
    found = grow(Near(vectors), home)
    assert found.new == ()
    assert (found.home[3], found.home[14]) == (0, 1)


def test_refused_it_joins_nothing() -> None:
    vectors, whose = clouds(10, 10)
    home = {n: int(whose[n]) for n in range(20) if n != 3}
    found = grow(Near(vectors), home, refused={(3, 0)})
    assert 3 not in found.home


def test_what_may_not_be_a_topic_waits() -> None:
    vectors, _ = clouds(10, 8)
    found = grow(Near(vectors), {}, is_free=lambda group: len(group) != 8)
    assert [len(group) for group in found.new] == [10]
    assert len(found.home) == 10


def test_fixed_notes_stay_where_they_are() -> None:
    vectors, whose = clouds(12, 12)
    home = {n: int(whose[n]) for n in range(23)}
    home[5] = 1  # put there by somebody
    found = grow(Near(vectors), home, fixed={5})
    assert found.home[5] == 1


@settings(deadline=None)  # the first call imports networkx
@given(
    st.lists(st.integers(3, 14), min_size=2, max_size=5),
    st.integers(5, 90),
    st.integers(0, 50),
)
def test_a_calm_night_leaves_topics_most_of_their_notes(sizes, spread, seed) -> None:
    vectors, whose = clouds(*sizes, spread=spread, seed=seed)
    # Topics that hold what lies apart, and notes that come between: all want to move.
    home = {n: n % 3 for n in range(len(whose)) if n % 4}
    before = Counter(home.values())
    found = grow(Near(vectors), home, calm=True)
    kept = Counter(t for n, t in found.home.items() if home.get(n) == t)
    for topic, size in before.items():
        assert found.home.keys() >= home.keys()
        assert Counter(found.home.values())[topic] >= min(size, SMALLEST)
        assert kept[topic] >= min(size, SMALLEST)
        assert kept[topic] >= 0.75 * size


def test_calm_only_neighbours_of_what_is_new_move() -> None:
    vectors, whose = clouds(12, 12, 12)
    home = {n: int(whose[n]) for n in range(24)}
    home[3] = 1  # wrongly, but nothing new is near it
    found = grow(Near(vectors), home, calm=True)
    assert {n: found.home[n] for n in home} == home
    assert [len(group) for group in found.new] == [12]


@settings(deadline=None)  # the first call imports networkx
@given(
    st.lists(st.integers(3, 14), min_size=1, max_size=5),
    st.integers(5, 90),
    st.integers(0, 50),
)
def test_growing_again_moves_nothing(sizes, spread, seed) -> None:
    vectors, _ = clouds(*sizes, spread=spread, seed=seed)
    first = grow(Near(vectors), {})
    names = {-at - 1: at for at in range(len(first.new))}
    home = {node: names[topic] for node, topic in first.home.items()}
    again = grow(Near(vectors), home)
    assert again.home == home
    assert again.new == ()


def test_parts_depend_on_the_notes_alone() -> None:
    vectors, _ = clouds(15, 15, 15, spread=60)
    whole = parts(Near(vectors), range(45))
    assert parts(Near(vectors), list(range(45))[::-1]) == whole
    assert sorted(n for group in whole for n in group) == list(range(45))


# -- shape -----------------------------------------------------------------


def test_a_new_topic_that_others_emptied_is_none() -> None:
    vectors, whose = clouds(40, 40, spread=30)
    grown = grow(Near(vectors), {n: int(whose[n]) for n in range(0, 80, 2)})
    assert all(len(group) >= SMALLEST for group in grown.new)


@given(
    sizes=st.lists(st.integers(4, 12), min_size=2, max_size=4),
    wrong=st.integers(0, 3),
    seed=st.integers(0, 20),
)
@settings(max_examples=30, deadline=None)
def test_what_points_elsewhere_moves_once(sizes, wrong, seed) -> None:
    vectors, whose = clouds(*sizes, seed=seed)
    home = {node: int(topic) for node, topic in enumerate(whose)}
    for node in range(wrong):
        home[node] = 1
    near = Near(vectors)
    once = restore(vectors, near, home)
    again = restore(vectors, near, once)
    assert again == once
    assert restore(vectors, near, home, fixed=range(len(home))) == home


def test_a_note_that_points_elsewhere_moves_where_it_may() -> None:
    vectors, whose = clouds(9, 9)
    home = {node: int(topic) for node, topic in enumerate(whose)}
    home[0] = 1
    near = Near(vectors)
    assert restore(vectors, near, home)[0] == 0
    assert restore(vectors, near, home, refused={(0, 0)})[0] == 1
    assert restore(vectors, near, home, closed={0})[0] == 1
    assert restore(vectors, near, home, fixed={0})[0] == 1


def test_two_halves_of_one_cloud_are_twins() -> None:
    vectors, _ = clouds(30, 20)
    members = {0: list(range(0, 30, 2)), 1: list(range(1, 30, 2)), 2: [*range(30, 50)]}
    near = Near(vectors)
    assert find_twins(vectors, members, bonds(near, members)) == (1, 0)
    assert find_twins(vectors, members, bonds(near, members), {1}) == (0, 1)
    assert find_twins(vectors, members, bonds(near, members), {0, 1}) is None


def test_what_would_be_too_broad_is_not_joined() -> None:
    size = BROAD // 2 + 1
    vectors, _ = clouds(2 * size)
    members = {0: list(range(size)), 1: list(range(size, 2 * size))}
    near = Near(vectors)
    assert find_twins(vectors, members, bonds(near, members)) is None


def test_what_is_too_broad_is_split_and_nothing_lost() -> None:
    vectors, whose = clouds(150, 120, 80)
    near = Near(vectors)
    assert split(near, range(BROAD)) == []
    found = split(near, range(350))
    assert 2 <= len(found) <= BREADTH
    assert sorted(n for group in found for n in group) == list(range(350))
    for group in found:
        assert len({whose[n] for n in group}) == 1


def test_topics_are_gathered_by_what_they_are_near_to() -> None:
    rng = np.random.default_rng(3)
    middles = rng.integers(-100, 100, size=(2, 32))
    # Ten topics in two families: near to each other inside, far outside.
    rows = [middles[t % 2] + rng.integers(-45, 46, size=32) for t in range(ROOTS + 1)]
    directions = {t: np.array(row, dtype=np.int64) for t, row in enumerate(rows)}
    assert gather(directions) == [gather(directions)[0]]
    found = gather(directions, 2)
    assert [frozenset(t % 2 for t in group) for group in found] == [
        frozenset({0}), frozenset({1}),
    ]  # fmt: skip
    assert gather({t: directions[t] for t in range(ROOTS)}) == []


def test_no_group_is_broader_than_allowed() -> None:
    one = np.full(8, 100, dtype=np.int64)
    found = gather(dict.fromkeys(range(3 * BREADTH), one), 2)
    assert max(map(len, found)) <= BREADTH
    assert gather({0: one, 1: -one}, 1) == []


# -- words -----------------------------------------------------------------


def counted(text: str):
    stems = {"loaves": "loaf", "loaf": "loaf"}
    return count(text, stems, STOP)


def test_words_are_counted_by_stem_and_shown_as_written() -> None:
    text = counted("Loaves of rye. The loaf is in the oven, in Tbilisi, at 9 or 9.30")
    assert text.terms["loaf"] == 2
    assert "the" not in text.terms
    assert "9" not in text.terms
    assert text.forms["tbilisi"] == {"Tbilisi": 1}
    assert text.forms["loaf"] == {"loaves": 1, "loaf": 1}


def test_a_name_is_one_term() -> None:
    text = counted("We met Marit Solheim. Marit Solheim's boat was late.")
    assert text.terms["marit solheim"] == 1
    assert counted("In Oslo we met Marit Solheim.").terms["marit solheim"] == 1
    assert not any(
        " " in term for term in counted("Of All Things That Were Said").terms
    )


def test_distinctive_words_are_those_of_the_topic() -> None:
    boats = [counted(f"the boat and the harbour {n}") for n in ("east", "west")]
    bread = [counted(f"bread and flour, the boat of {n}") for n in ("rye", "oats")]
    vocabulary = Vocabulary()
    for text in (*boats, *bread):
        vocabulary.add(text)
    assert vocabulary.distinctive(boats) == ["harbour", "boat"]
    assert vocabulary.distinctive(bread)[:2] == ["bread", "flour"]
    assert vocabulary.distinctive([]) == []


def subjects(*notes: str, others: tuple[str, ...] = (), **options) -> list[str]:
    """What these notes (title, newline, text) share, against some others."""
    heard = [listen(note.split("\n"), {}, STOP) for note in notes]
    background = Background()
    for speech in (*heard, *(listen(other.split("\n"), {}, STOP) for other in others)):
        background.add(speech)
    return [each.form for each in background.subjects(heard, **options)]


OTHERS = tuple(
    f"Rain {n}\nIt rained on the roof and the street was wet." for n in "abcde"
)


def test_a_subject_is_a_phrase_that_notes_share() -> None:
    found = subjects(
        "One\nThe customs union was a dream of Ann.",
        "Two\nA customs union is the wish of Bert.",
        others=OTHERS,
    )
    assert found[0] == "customs union"
    assert "customs" not in found
    assert "union" not in found


def test_a_name_is_written_as_people_write_it() -> None:
    found = subjects(
        "One\nIn the spring Marit Solheim sailed to the island.",
        "Two\nWe met Marit Solheim and the harbour master.",
        others=OTHERS,
    )
    assert found[0] == "Marit Solheim"


def test_what_is_done_is_no_subject() -> None:
    found = subjects(
        "One\nWe want to mend the mast, to mend it and to mend it again.",
        "Two\nThey have to mend a mast, they mend it well.",
        "Three\nYou mend the mast quickly or you repaired it.",
        others=OTHERS,
    )
    assert found == ["mast"]


def test_a_half_of_a_name_is_none() -> None:
    found = subjects(
        "One\nBy the Baltic Sea Ferry we go.",
        "Two\nThe Baltic Sea Ferry was late.",
        others=OTHERS,
    )
    assert found == ["Baltic Sea Ferry"]


def test_several_are_called_many() -> None:
    found = subjects(
        "One\nThe lock of the door, and two locks of it.",
        "Two\nA lock and some locks, and a lock.",
        others=OTHERS,
    )
    assert found[0] in {"lock", "locks"}
    stems = {"locks": "lock"}
    heard = [listen(["A", "the lock, the locks, a lock"], stems, STOP)] * 2
    background = Background()
    for speech in heard:
        background.add(speech)
    assert [each.form for each in background.subjects(heard)] == ["locks"]


def test_titles_say_what_notes_are() -> None:
    found = subjects("Podcast list", "Podcast pages", "Podcast", others=OTHERS)
    assert found[0] == "podcast"


def test_a_branch_is_called_by_what_its_parts_share() -> None:
    notes = [f"{n}\nOf the hull a word." for n in "abcdefg"]
    notes += [f"{n}\nOf the jib a word, and of the hull." for n in "xy"]
    assert "jib" in subjects(*notes, others=OTHERS)
    assert "jib" not in subjects(*notes, others=OTHERS, broad=True)


def test_anchors_cover_every_corner() -> None:
    vectors, whose = clouds(9, 9, 9, 9)
    chosen = anchors(vectors, range(36))
    assert {int(whose[n]) for n in chosen} == {0, 1, 2, 3}
    assert anchors(vectors, [7]) == [7]
    assert anchors(vectors, []) == []


def test_related_topics_are_the_nearest_others() -> None:
    vectors, _ = clouds(6, 6)
    directions = sums(vectors, [range(3), range(3, 6), range(6, 12)])
    named = dict(enumerate(directions))
    assert related(named, 0, ()) == [1]
    assert related(named, 0, {1}) == []


@pytest.mark.parametrize("length", [1, 40_000])
def test_the_likeness_of_sums_is_exact(length: int) -> None:
    one = np.full(256, 127 * length, dtype=np.int64)
    assert likeness(one, one) == 1.0
    assert likeness(one, -one) == -1.0
    assert likeness(one, np.zeros(256, dtype=np.int64)) == 0.0
