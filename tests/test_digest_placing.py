"""A week's shaping comes to rest: a second one at the same moment finds nothing."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.digest import lay_down, texts_of
from mindcache.digest import digest
from mindcache.digest.group import Pool
from mindcache.digest.placing import settled_tree
from mindcache.digest.tree import Past, Topic
from mindcache.index.topics import Near
from tests.conftest import NOW

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "topics"
NOTHING = Past({}, frozenset(), {}, frozenset(), frozenset(), frozenset())


def pool_of(seed: int, size: int, middles: int) -> Pool:
    """Notes around some middles, without anything but their vectors."""
    import numpy as np

    from mindcache.cache.read import NodeRow

    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(middles, 16)) * 60
    rows = centres[rng.integers(middles, size=size)] + rng.normal(size=(size, 16)) * 45
    vectors = np.clip(rows, -127, 127).astype(np.int8)
    nodes = tuple(
        NodeRow(*[f"n{at:03}.md" if f == "path" else "" for f in NodeRow._fields])
        for at in range(size)
    )
    return Pool(nodes, vectors, {}, Near(vectors))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(20, 90), st.integers(2, 9))
def test_what_has_come_to_rest_stays(seed, size, middles) -> None:
    pool = pool_of(seed, size, middles)
    rng = random.Random(seed)
    topics = {n: Topic(n) for n in range(middles)}
    for node in range(0, size, 2):
        topics[rng.randrange(middles)].members.append(node)
    shaped, _ = settled_tree(topics, pool, NOTHING, weekly=True)
    homes = {n: sorted(t.members) for n, t in shaped.topics.items()}
    parents = {n: t.parent for n, t in shaped.topics.items()}
    again, looks = settled_tree(shaped.topics, pool, NOTHING, weekly=True)
    assert {n: sorted(t.members) for n, t in again.topics.items()} == homes
    assert {n: t.parent for n, t in again.topics.items()} == parents
    assert sum(look.placed for look in looks) == 0


@pytest.mark.slow
def test_a_second_week_at_the_same_moment_finds_nothing(make_vault, make_app) -> None:
    if not (DATA / "bbc").is_dir():
        pytest.skip("no labelled news beside the repository")
    vault = make_vault({})
    app = make_app(vault)
    texts = texts_of("bbc", str(DATA))
    for day in range(6):
        now = NOW + timedelta(days=day)
        first, last = (len(texts) * n // 6 for n in (day, day + 1))
        new = ((at, texts[at][0]) for at in range(first, last))
        lay_down(str(vault), new, now - timedelta(days=1))
        digest(app, now=now, weekly=day == 5)
    before = {p: p.read_bytes() for p in vault.rglob("*.md")}
    report = digest(app, now=now, weekly=True, again=True)
    assert not report.is_change
    assert {p: p.read_bytes() for p in vault.rglob("*.md")} == before
