"""Edges are drawn once, in the form that Obsidian resolves, and can be taken away."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mindcache import scribe
from mindcache.app import App
from mindcache.errors import EditRefused, MindcacheError, Refused, UsageError
from mindcache.note import parse
from mindcache.write.edges import LINKABLE, relation_of
from mindcache.write.update import Edits
from tests.conftest import MakeApp, MakeVault

ID = "m-01KA00000000000000000000A1"
A = "---\n# mine\nabout: '[[B]]' # why\nlast: x\n---\nSee [[C]].\n\ninvolves:: [[C]]\n"
VAULT = {
    "A.md": A,
    "B.md": "Bee.\n",
    "C.md": "---\naliases:\n  - Sea\n---\nSea.\n",
    "one/Twin.md": "One.\n",
    "two/Twin.md": "Two.\n",
    "deep/A#1.md": "Odd.\n",
    "Ours.md": f"---\nid: {ID}\ntype: plan\nsummary: Ours\ntags:\n  - scope/global\n"
    "status: occurred\ncreated_at: 2026-01-01\n---\nText.\n",
}
VAULTS = Path(__file__).parents[2] / "shared" / "data" / "vaults"


@pytest.fixture
def app(make_vault: MakeVault, make_app: MakeApp) -> App:
    return make_app(make_vault(VAULT))


def text(app: App, path: str) -> str:
    return (Path(app.vault.root) / path).read_bytes().decode()


@pytest.mark.parametrize(
    ("relation", "target", "line"),
    [
        ("derived_from", "B", 'derived_from:\n  - "[[B]]"\n'),
        ("Before-After", "C", 'before_after:\n  - "[[C]]"\n'),
        ("same topic", "Sea", 'same_topic:\n  - "[[C|Sea]]"\n'),
        ("entities", "one/Twin.md", 'entities:\n  - "[[one/Twin|Twin]]"\n'),
        ("planned_for", ID, 'planned_for:\n  - "[[Ours]]"\n'),
        ("superseded_by", "B", 'superseded_by: "[[B]]"\n'),
    ],
)
def test_an_edge_is_a_property_of_its_relation(
    app: App, relation: str, target: str, line: str
) -> None:
    """Field case C5: what is written is what Obsidian resolves."""
    scribe.link(app, "A", relation, target)
    assert text(app, "A.md") == A.replace("last: x\n", f"last: x\n{line}")
    row = next(
        r for r in app.reader().links_from("A.md") if r.field == relation_of(relation)
    )
    assert row.resolved
    assert row.resolved_by == "path"
    once = text(app, "A.md")
    done = scribe.link(app, "A", relation, target)
    assert not done.written
    assert text(app, "A.md") == once
    scribe.unlink(app, "A", relation, target)
    assert text(app, "A.md") == A


def test_a_single_text_becomes_a_list(app: App) -> None:
    scribe.link(app, "A", "about", "C")
    assert parse("", text(app, "A.md").encode()).properties["about"] == [
        "[[B]]",
        "[[C]]",
    ]
    assert "# why" in text(app, "A.md")
    scribe.unlink(app, "A", "about", "B")
    scribe.unlink(app, "A", "about", "C")
    assert "about" not in parse("", text(app, "A.md").encode()).properties


def test_what_the_text_says_is_an_edge_already(app: App) -> None:
    done = scribe.link(app, "A", "entities", "C")
    assert not done.written
    with pytest.raises(Refused, match=r"A\.md:8: the link stands in the text"):
        scribe.unlink(app, "A", "involves", "C")
    assert text(app, "A.md") == A


def test_a_symmetric_edge_stands_at_one_end(app: App) -> None:
    scribe.link(app, "B", "contradicts", "C")
    assert not scribe.link(app, "C", "contradicts", "B").written
    assert text(app, "C.md") == VAULT["C.md"]
    scribe.unlink(app, "C", "contradicts", "B")
    assert text(app, "B.md") == VAULT["B.md"]
    assert not scribe.unlink(app, "C", "contradicts", "B").written


def test_the_stamp_of_a_note_under_contract_moves(app: App) -> None:
    scribe.link(app, ID, "about", "B")
    assert "updated_at: 2026-11-30T12:00\n" in text(app, "Ours.md")
    scribe.link(app, "B", "about", ID)
    assert "updated_at" not in text(app, "B.md")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (("A", "about", "A"), Refused),
        (("A", "abuot", "B"), UsageError),
        (("A", "", "B"), UsageError),
        (("A", "about", "Nobody"), MindcacheError),
        (("A", "about", "Twin"), MindcacheError),
        (("B", "about", "deep/A#1.md"), Refused),
    ],
)
def test_what_is_no_edge_is_refused(
    app: App, call: tuple[str, str, str], error: type[MindcacheError]
) -> None:
    with pytest.raises(error):
        scribe.link(app, *call)
    assert text(app, "A.md") == A
    assert text(app, "B.md") == VAULT["B.md"]


def test_the_nearest_relation_is_named() -> None:
    with pytest.raises(UsageError, match="derived_from"):
        relation_of("derives_from")
    assert [relation_of(each) for each in LINKABLE] == list(LINKABLE)


def test_a_second_successor_is_refused(app: App) -> None:
    scribe.link(app, "A", "superseded_by", "B")
    with pytest.raises(Refused, match="superseded by"):
        scribe.link(app, "A", "superseded_by", "C")


def test_words_beside_a_link_are_not_taken_away(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    note = "---\nabout:\n  - '[[B]] and more'\n---\n"
    app = make_app(make_vault({"A.md": note, "B.md": "x"}))
    with pytest.raises(Refused, match="says more"):
        scribe.unlink(app, "A", "about", "B")
    assert text(app, "A.md") == note


def test_a_retired_fact_says_until_when_and_for_what(app: App) -> None:
    scribe.retire(app, ID, "Sea", "It was wrong.")
    found = parse("", text(app, "Ours.md").encode())
    assert {k: found.properties[k] for k in list(found.properties)[4:]} == {
        "status": "archived",
        "created_at": "2026-01-01",
        "valid_until": "2026-11-30T12:00",
        "outcome": "occurred",
        "contradicts": ["[[C]]"],
        "superseded_by": "[[C]]",
        "updated_at": "2026-11-30T12:00",
    }
    assert found.body == "Text.\n\nRetired on 2026-11-30, see [[C]]: It was wrong.\n"
    once = text(app, "Ours.md")
    assert not scribe.retire(app, ID, "C").written
    # Whoever was interrupted says it once more, and it stands there once.
    assert not scribe.retire(app, ID, "Sea", "It was  wrong.").written
    assert text(app, "Ours.md") == once
    with pytest.raises(MindcacheError):
        scribe.retire(app, "Sea")


@pytest.mark.parametrize(
    "name", ["kepano-obsidian", "obsidian-help-en", "dataview-test-vault"]
)
def test_in_real_vaults_a_note_comes_back_as_it_was(
    name: str, tmp_path: Path, make_app: MakeApp
) -> None:
    """Draw an edge, set a property, take both away: every byte is the owner's again."""
    if not (VAULTS / name).is_dir():
        pytest.skip("the shared vaults are not here")
    root = tmp_path / "real"
    shutil.copytree(VAULTS / name, root)
    (root / "Hub of this test.md").write_text("x")
    app = make_app(root)
    paths = sorted(app.vault.scan().notes)
    changed = 0
    for path in paths[:: max(1, len(paths) // 25)]:
        before = (root / path).read_bytes()
        if path.startswith("Hub") or len(parse(path, before).properties) == 0:
            continue
        try:
            scribe.link(app, path, "occurred_after", "Hub of this test")
            scribe.update(app, path, Edits(assign={"zz": "1"}, add_tags=()))
        except EditRefused:
            assert (root / path).read_bytes() == before
            continue
        middle = (root / path).read_bytes()
        added = b'occurred_after:\n  - "[[Hub of this test]]"\nzz: "1"\n'
        assert middle.replace(b"\r\n", b"\n") == before.replace(b"\r\n", b"\n").replace(
            b"\n---", b"\n" + added + b"---", 1
        ), path
        scribe.update(app, path, Edits(unset=("zz",)))
        scribe.unlink(app, path, "occurred_after", "Hub of this test")
        assert (root / path).read_bytes() == before, path
        changed += 1
    assert changed >= 3


def test_retired_twice_it_says_so_once(app: App) -> None:
    scribe.retire(app, ID, "Sea", "It was wrong.")
    before = text(app, "Ours.md")
    again = scribe.retire(app, ID, "C", "It was wrong.")
    assert not again.written
    assert text(app, "Ours.md") == before
    more = scribe.retire(app, ID, "C", "And late.")
    assert "status" not in more.rewrites[0].changes
    assert text(app, "Ours.md").count("Retired on") == 2


def test_a_link_that_stands_in_the_text_is_named_where_it_is_to_be_unlinked(
    app: App,
) -> None:
    done = scribe.unlink(app, "A", "about", "C")
    assert not done.written
    assert done.rewrites[0].remarks == (
        "no about leads from A.md to C.md but a link in its text, line 6, which is yours",
    )
