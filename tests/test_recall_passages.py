"""Long events that speak of several things: a topic for each, of their passages."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.app import App
from mindcache.digest import digest
from mindcache.note import edit
from mindcache.recall import Ask
from mindcache.recall.fast import Surface
from mindcache.recall.passages import belong, flowing, of_passages, part
from tests.conftest import NOW
from tests.talks import session, sessions


@pytest.fixture
def vault(make_vault) -> Path:
    return make_vault(sessions(12))


@pytest.fixture
def app(vault, make_app) -> App:
    app = make_app(vault)
    for hour in range(2):  # the second brings the whole talk under one topic
        moment = NOW - timedelta(hours=2 - hour)
        assert digest(app, weekly=True, again=True, now=moment).failed == []
    return app


def parted(app: App) -> str:
    """The topic below which those of passages are."""
    tree = app.topics()
    (above,) = {tree.topics[path].parent for path in tree.of_passages}
    return above


def surface(app: App) -> Surface:
    corpus = app.corpus()
    return Surface(app.topics(corpus.reader), corpus)


def spoken(app: App, path: str) -> str:
    """What the passages under a topic say."""
    corpus = app.corpus()
    held = [int(corpus.ids[at]) for at in surface(app).passages(path)]
    return " ".join(chunk.text for chunk in corpus.reader.chunks(held).values())


def test_each_subject_gets_a_topic_below(app) -> None:
    tree, root = app.topics(), parted(app)
    assert set(tree.topics[root].children) == tree.of_passages
    assert len(tree.of_passages) == 4
    told = {path: spoken(app, path) for path in tree.of_passages}
    for word in ("bread", "boat", "chess", "garden"):
        assert any(word in text.lower() for text in told.values())
    # No passage is under two of them.
    places = [at for path in tree.of_passages for at in surface(app).passages(path)]
    assert len(places) == len(set(places))
    assert set(places) <= set(surface(app).passages(root))


def test_fast_names_the_part_and_not_the_whole(app) -> None:
    root = parted(app)
    for text, word in (("rye loaf and dough", "loaf"), ("chess endgame", "chess")):
        hits = app.recall("fast", Ask(text)).hits
        assert hits
        assert root not in {hit.path for hit in hits}
        assert word in spoken(app, hits[0].path)


def test_with_nothing_new_nothing_changes(app) -> None:
    later = digest(app, again=True, now=NOW + timedelta(hours=1))
    assert [c.path for c in later.changes if c.path.startswith("topics/")] == []
    kept = app.topics()
    digest(app, again=True, weekly=True, now=NOW + timedelta(hours=2))
    tree = app.topics()
    assert tree.of_passages == kept.of_passages
    for path in tree.of_passages:
        assert tree.topics[path].notes == kept.topics[path].notes


def test_a_new_session_joins_the_topics_that_it_speaks_of(app, vault) -> None:
    before = app.topics()
    for number in range(13, 17):
        path = vault / f"talks/Session {number}.md"
        path.write_text(session(number, number))
    report = digest(app, now=NOW + timedelta(days=1))
    assert report.made == []
    tree = app.topics()
    assert tree.of_passages == before.of_passages
    held = {note for path in tree.of_passages for note in tree.topics[path].notes}
    new = set(tree.topics[parted(app)].notes) - set(before.topics[parted(app)].notes)
    assert new
    assert new <= held
    assert digest(app, again=True, now=NOW + timedelta(days=1)).changed == []


def test_what_a_person_did_to_a_part_holds(app, vault) -> None:
    path, gone, *_ = sorted(app.topics().of_passages)
    data = (vault / path).read_bytes()
    (vault / path).write_bytes(edit(data, {"summary": "My own words."}))
    (vault / gone).unlink()
    report = digest(app, weekly=True, now=NOW + timedelta(days=1))
    assert report.made == []
    assert app.topics().topics[path].node.summary == "My own words."


def night_by_night(vault: Path, app: App, count: int, day: int = 1) -> None:
    """Sessions one by one, each with a digest, that of its week's first in shape."""
    for number in range(day, count + 1):
        (vault / f"talks/Session {number}.md").write_text(session(number, number))
        moment = NOW - timedelta(days=29 - number)
        assert digest(app, weekly=True, now=moment).failed == []


def test_a_talk_that_came_night_by_night_is_parted_as_well(
    make_vault, make_app
) -> None:
    people = sessions(0)
    vault = make_vault(people)
    (vault / "talks").mkdir()
    app = make_app(vault)
    night_by_night(vault, app, 16)
    tree = app.topics()
    assert len(tree.of_passages) >= 4
    for path in tree.of_passages:
        text = spoken(app, path).lower()
        times = sorted(text.count(w) for w in ("bread", "boat", "chess", "garden"))
        assert times[-1] >= 4 * times[-2], path
    moment = NOW - timedelta(days=13)
    assert not digest(app, weekly=True, again=True, now=moment).is_change


def test_what_was_taken_out_of_a_part_stays_out(app, vault) -> None:
    path = min(app.topics().of_passages)
    note = app.topics().topics[path].notes[0]
    title = Path(note).stem
    lines = (vault / path).read_text().split("\n")
    kept = [line for line in lines if not line.startswith(f"- [[{title}]]")]
    assert len(kept) == len(lines) - 1
    (vault / path).write_text("\n".join(kept))
    for day in (1, 8, 15):
        digest(app, weekly=True, now=NOW + timedelta(days=day))
        assert note not in app.topics().topics[path].notes
    said = [e for e in app.ledger.entries if e.what == "rejected" and e.kind == "topic"]
    assert len(said) == 1


# -- what is reckoned ----------------------------------------------------------


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=30),
    st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=4),
    st.integers(0, 2**32 - 1),
)
def test_a_passage_belongs_where_its_note_is_listed(owners, lists, seed) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-127, 128, (len(owners), 8)).astype(np.int8)
    own = np.array(sorted(owners), dtype=np.intp)
    found = belong(flowing(rows, own), own, lists)
    for note, which in zip(own.tolist(), found.tolist(), strict=True):
        may = [at for at, notes in enumerate(lists) if note in notes]
        assert which in may or (which == -1 and not may)
    assert found.tolist() == belong(flowing(rows, own), own, lists).tolist()


def test_notes_that_speak_of_one_thing_each_are_not_parted() -> None:
    rng = np.random.default_rng(3)
    owners = np.repeat(np.arange(8), 10)

    def speaking(subjects: list[int]) -> list[list[int]]:
        rows = rng.normal(0, 4, (80, 32))
        rows[np.arange(80), subjects] += 100
        return part(np.rint(rows).clip(-127, 127).astype(np.int8), owners, 12)

    assert speaking((owners // 2).tolist()) == []
    # Of all four subjects each note speaks of three.
    parted = speaking([(n // 10 + n % 3) % 4 for n in range(80)])
    assert len(parted) == 4
    assert all(len(notes) == 6 for notes in parted)
    # What all notes speak of can't be told apart by the notes.
    assert speaking([n % 5 for n in range(80)]) == []


def test_few_passages_are_not_parted() -> None:
    rows = np.zeros((3, 8), dtype=np.int8)
    assert part(rows, np.zeros(3, dtype=np.intp), 12) == []
    assert len(belong(rows, np.zeros(3, dtype=np.intp), [])) == 3


def test_only_what_is_at_home_elsewhere_is_of_passages() -> None:
    lists = {"a": ["x", "y"], "b": ["x"], "c": ["z"], "d": []}
    assert of_passages(lists, ["b", "c", "d"]) == {"b"}
