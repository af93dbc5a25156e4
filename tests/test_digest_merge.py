"""The shape of the tree over many notes: split, gathered, joined, and let go."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import numpy as np

from mindcache.cache.read import NodeRow
from mindcache.digest import digest
from mindcache.digest.group import Pool
from mindcache.digest.merge import merge
from mindcache.digest.tree import Past, Topic
from mindcache.index.topics import BREADTH, BROAD, DEPTH, ROOTS, Near
from mindcache.note import edit, parse
from mindcache.vault import Entry
from tests.conftest import NOW
from tests.test_digest import files_of, topic_of, topics_of
from tests.themes import BREAD, notes

NOTHING = Past({}, frozenset(), {}, frozenset(), frozenset(), frozenset())


def pool_of(vectors) -> Pool:
    nodes = tuple(
        NodeRow(at, f"{at:05}.md", "", "fact", False, f"{at:05}", "", "active", "", "",
                "", "", False, "en", "", False)
        for at in range(len(vectors))
    )  # fmt: skip
    return Pool(nodes, vectors, {}, Near(vectors))


def families(*sizes: int, spread: int = 14, kin: int = 45, seed: int = 4):
    """Vectors of clouds in two families, and the topics that hold a cloud each."""
    rng = np.random.default_rng(seed)
    above = rng.integers(-80, 81, size=(2, 48))
    rows, topics, at = [], {}, 0
    for number, size in enumerate(sizes):
        middle = above[number % 2] + rng.integers(-kin, kin + 1, size=48)
        rows.append(middle + rng.integers(-spread, spread + 1, size=(size, 48)))
        topics[number] = Topic(number, members=list(range(at, at + size)))
        at += size
    return np.clip(np.vstack(rows), -127, 127).astype(np.int8), topics


def held(topics: dict[int, Topic]) -> list[int]:
    return sorted(node for topic in topics.values() for node in topic.members)


def test_many_roots_are_gathered_and_every_note_stays() -> None:
    vectors, topics = families(*[15] * (ROOTS + 3))
    shaped = merge(topics, pool_of(vectors), NOTHING, weekly=True)
    roots = [t for t in shaped.topics.values() if t.parent is None]
    assert len(roots) <= ROOTS
    assert held(shaped.topics) == list(range(15 * (ROOTS + 3)))
    for number, topic in shaped.topics.items():
        children = [t for t in shaped.topics.values() if t.parent == number]
        assert len(children) <= BREADTH
        assert topic.members or children


def test_nightly_nothing_is_gathered() -> None:
    vectors, topics = families(*[15] * (ROOTS + 3))
    shaped = merge(topics, pool_of(vectors), NOTHING, weekly=False)
    assert all(topic.parent is None for topic in shaped.topics.values())


def test_a_broad_topic_gets_children_for_its_notes() -> None:
    vectors, clouds = families(110, 90, 100)
    whole = {0: Topic(0, members=held(clouds))}
    shaped = merge(whole, pool_of(vectors), NOTHING, weekly=True)
    children = [t for t in shaped.topics.values() if t.parent == 0]
    # The largest part stays what it was, the others get a topic each.
    assert sorted(len(t.members) for t in children) == [90, 100]
    assert len(shaped.topics[0].members) == 110
    assert held(shaped.topics) == list(range(300))
    again = merge(dict(shaped.topics), pool_of(vectors), NOTHING, weekly=True)
    assert again.ended == {}
    assert {n: t.parent for n, t in again.topics.items()} == {
        n: t.parent for n, t in shaped.topics.items()
    }


def test_what_lost_its_notes_follows_them_within_the_week() -> None:
    vectors, clouds = families(20, 20)
    first, second = clouds[0].members, clouds[1].members
    topics = {
        0: Topic(0, members=first[3:]),
        1: Topic(1, members=second),
        2: Topic(2, members=first[:3]),
    }
    assert len(merge(dict(topics), pool_of(vectors), NOTHING, weekly=False).topics) == 3
    shaped = merge(topics, pool_of(vectors), NOTHING, weekly=True)
    assert held({0: shaped.topics[0]}) == first
    assert held({1: shaped.topics[1]}) == second
    assert sorted(shaped.topics) == [0, 1]


def test_a_new_topic_becomes_a_child_of_its_branch() -> None:
    # Small clouds: some of ten neighbours of a note are in the clouds beside its own.
    vectors, topics = families(*[7] * 6, kin=25)
    topics[10] = Topic(10)
    for number in (0, 2):
        topics[number].parent = 10
    shaped = merge(topics, pool_of(vectors), NOTHING, weekly=False)
    assert shaped.topics[4].parent == 10
    assert [shaped.topics[n].parent for n in (1, 3, 5)] == [None] * 3


def test_the_tree_has_four_levels_at_most() -> None:
    vectors, clouds = families(BROAD, BROAD)
    topics = {0: Topic(0), 1: Topic(1, parent=0), 2: Topic(2, parent=1)}
    topics[3] = Topic(3, parent=2, members=held(clouds))
    shaped = merge(topics, pool_of(vectors), NOTHING, weekly=True)
    depths = []
    for topic in shaped.topics.values():
        depth, above = 1, topic.parent
        while above is not None:
            depth, above = depth + 1, shaped.topics[above].parent
        depths.append(depth)
    assert max(depths) == DEPTH


# -- through the product ---------------------------------------------------


def second_topic(app, vault: Path) -> tuple[Path, Path]:
    """The topic of bread cut in two, as if a digest had made both."""
    digest(app)
    first = topic_of(vault, "Rye loaf")
    lines = first.read_text().splitlines(keepends=True)
    mine = [f"- [[{title}]]" for title in list(BREAD)[:3]]
    kept = [x for x in lines if not x.startswith(tuple(mine))]
    moved = [x for x in lines if x.startswith(tuple(mine))]
    first.write_text("".join(kept))
    second = first.with_name("Loaves.md")
    other = "m-01KJH30JW0WFBEHDBR4YTB0JNK"
    head = edit(first.read_bytes(), {"id": other}).decode().partition("%% mindcache")[0]
    second.write_text(
        f"{head}%% mindcache:begin 0 %%\n{''.join(moved)}%% mindcache:end %%\n"
    )
    say = {"title": "Loaves", "parent": ""}
    app.ledger.add(
        [
            Entry("made", "topic", other, id=other, path="topics/Loaves.md", at="2026"),
            Entry("said", "topic", other, id=other, at="2026", said=json.dumps(say)),
        ]
    )
    return first, second


def written_again(vault: Path, path: Path) -> None:
    """Make a section look as a digest left it."""
    import hashlib

    text = path.read_text()
    head, _, rest = text.partition("%% mindcache:begin ")
    inner = rest.partition("\n")[2].partition("%% mindcache:end")[0]
    stamp = hashlib.sha256(inner.encode()).hexdigest()[:12]
    tail = rest.partition("%% mindcache:end")[2]
    path.write_text(
        f"{head}%% mindcache:begin {stamp} %%\n{inner}%% mindcache:end{tail}"
    )


def test_twins_are_made_one_and_the_name_stays(make_vault, make_app) -> None:
    vault = make_vault(notes())
    app = make_app(vault)
    first, second = second_topic(app, vault)
    for path in (first, second):
        written_again(vault, path)
    report = digest(app, now=NOW + timedelta(days=8))
    assert report.weekly
    assert len(report.ended) == 1
    gone, into = (vault / path for path in report.ended[0])
    assert not gone.exists()
    assert {gone, into} == {first, second}
    assert (vault / ".trash" / gone.relative_to(vault)).exists() or list(
        (vault / ".trash").rglob(gone.name)
    )
    assert (
        f"- {gone.stem}" in into.read_text() or f'- "{gone.stem}"' in into.read_text()
    )
    assert {topic_of(vault, title) for title in BREAD} == {into}
    before = files_of(vault)
    assert not digest(app, now=NOW + timedelta(days=9)).is_change
    assert files_of(vault) == before
    # It was ended by us and not by a person: its notes are not barred.
    into.unlink()
    assert digest(app, now=NOW + timedelta(days=10)).made == []


def test_a_name_in_other_letters_is_no_further_alias(make_vault, make_app) -> None:
    """C10: lists of names grow no case twins."""
    vault = make_vault(notes())
    app = make_app(vault)
    first, second = second_topic(app, vault)
    for path, other, name in ((first, second, "NAC"), (second, first, "NAc")):
        names = [other.stem.upper(), name]
        path.write_bytes(edit(path.read_bytes(), {"aliases": names}))
        written_again(vault, path)
    (ended,) = digest(app, now=NOW + timedelta(days=8)).ended
    left = vault / ended[1]
    aliases = parse(left.name, left.read_bytes()).properties["aliases"]
    assert sorted(name.casefold() for name in aliases) == sorted(
        {"nac", (vault / ended[0]).stem.casefold()}
    )


def test_a_twin_with_a_persons_words_stays(make_vault, make_app) -> None:
    vault = make_vault(notes())
    app = make_app(vault)
    first, second = second_topic(app, vault)
    for path in (first, second):
        path.write_text(path.read_text() + "\nMine.\n")
        written_again(vault, path)
    report = digest(app, now=NOW + timedelta(days=8))
    assert report.ended == []
    assert first.exists()
    assert second.exists()
    assert len(topics_of(vault)) == 4
