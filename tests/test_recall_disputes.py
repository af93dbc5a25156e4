"""Two notes that contradict each other, and nobody decided yet: both say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.digest import digest, proposals
from mindcache.recall import Ask, Filters, Recall
from tests.conftest import NOW, MakeApp, MakeVault
from tests.test_write_moving import play

HEAD = (
    "---\nid: m-01KQR4HQ0016B8652A2VCAEF0{}\ntype: fact\ntags: [scope/project]\n"
    "created_at: {}\n{}---\n"
)
OLD, NEW = "memory/Old.md", "memory/New.md"
# The older note has all the words of the question, and comes first by itself.
FILES = {
    OLD: HEAD.format(1, "2026-11-20T10:00", "") + "Mia works at Acme in Oslo.\n",
    NEW: HEAD.format(2, "2026-11-25T10:00", "") + "Mia works for Globex by now.\n",
    "memory/Tea.md": HEAD.format(3, "2026-02-05T10:00", "") + "Tea is green.\n",
}
QUESTION = "Mia works at which place in Oslo?"
EDGE = FILES | {
    OLD: FILES[OLD].replace("created_at", 'contradicts: "[[New]]"\ncreated_at')
}


def ask(app: App, text: str = QUESTION, **filters: object) -> Recall:
    return app.ask("deep", Ask(text, Filters(**filters), floor=0.0))  # type: ignore[arg-type]


def order(answer: Recall) -> list[str]:
    return [hit.path for hit in answer.hits if hit.path in (OLD, NEW)]


def page_of(root: Path) -> Path:
    [page] = (root / "proposals").glob("*.md")
    return page


def test_the_later_of_two_in_a_proposal_comes_right_before_the_outdated(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault(FILES)
    app = make_app(root)
    before = ask(app)
    assert order(before) == [OLD, NEW]
    assert not any(hit.contradicted_by for hit in before.hits)
    digest(app, now=NOW)
    [(proposal, *_)] = proposals.listed(app)
    after = ask(app)
    assert [hit.path for hit in after.hits[:2]] == [NEW, OLD]
    new, old = after.hits[:2]
    assert new.score >= old.score > 0
    assert (new.contradicted_by, old.contradicted_by) == ((OLD,), (NEW,))
    assert {new.proposal, old.proposal} == {proposal.id}
    assert new.holds
    assert old.holds
    assert old.standing == f"contradicted by {NEW}, proposal {proposal.id} waits"
    assert new.standing == f"contradicts {OLD}, proposal {proposal.id} waits"
    assert "later" in [why.signal for why in new.why]


def test_what_only_an_edge_names_and_answers_far_worse_comes_right_behind(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    files = dict(EDGE)
    files["memory/Also.md"] = HEAD.format(4, "2026-02-05T10:00", "") + (
        "Mia works in Oslo, at a place by the water.\n"
    )
    answer = ask(make_app(make_vault(files)))
    paths = [hit.path for hit in answer.hits]
    assert paths.index(NEW) == paths.index(OLD) + 1


@pytest.mark.parametrize(
    ("mark", "is_open"), [("[x]", True), ("[-]", False), ("[>]", False)]
)
def test_a_box_counts_while_nobody_said_no(
    make_vault: MakeVault, make_app: MakeApp, mark: str, is_open: bool
) -> None:
    root = make_vault(FILES)
    app = make_app(root)
    digest(app, now=NOW)
    page = page_of(root)
    page.write_text(page.read_text().replace("[ ] Retire", f"{mark} Retire"))
    found = {hit.path: hit.contradicted_by for hit in ask(app).hits}
    assert bool(found[OLD]) is bool(found[NEW]) is is_open


def test_what_was_decided_is_no_longer_contradicted(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault(FILES))
    digest(app, now=NOW)
    [(proposal, *_)] = proposals.listed(app)
    proposals.apply(app, [proposal.id])
    found = {hit.path: hit for hit in ask(app).hits}
    assert found[OLD].superseded_by == NEW
    assert not any(hit.contradicted_by for hit in found.values())


def test_an_edge_is_told_on_both_sides_and_folds_neither(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    said = "Mia works at Acme in Oslo, she says so herself.\n"
    files = EDGE | {
        OLD: EDGE[OLD].replace("Mia works at Acme in Oslo.\n", said),
        NEW: HEAD.format(2, "2026-11-25T10:00", "") + said,
    }
    app = make_app(make_vault(files))
    answer = ask(app, "where does Mia work?")
    assert order(answer) == [NEW, OLD]
    assert [hit.standing for hit in answer.hits[:2]] == [
        f"contradicts {OLD}",
        f"contradicted by {NEW}",
    ]


def test_nothing_is_said_of_a_time_before_or_of_what_is_over(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault(EDGE))
    then = ask(app, as_of="2026-11-27")
    assert not any(hit.contradicted_by for hit in then.hits)
    over = EDGE | {NEW: FILES[NEW].replace("type:", "status: archived\ntype:")}
    found = ask(make_app(make_vault(over), "other"))
    assert not any(hit.contradicted_by for hit in found.hits)


def test_without_dates_neither_is_the_later_one(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    bare = {
        OLD: '---\ncontradicts: "[[New]]"\n---\nMia works at Acme in Oslo.\n',
        NEW: "Mia works for Globex by now.\n",
    }
    answer = ask(make_app(make_vault(bare)))
    assert [(hit.path, hit.standing) for hit in answer.hits] == [
        (OLD, f"contradicted by {NEW}"),
        (NEW, f"contradicted by {OLD}"),
    ]


@pytest.mark.parametrize(
    "args",
    [
        ("recall", QUESTION, "--floor", "0"),
        ("recall", QUESTION, "--floor", "0", "--budget", "900"),
        ("search", "exact", "Mia"),
        ("search", "semantic", QUESTION, "--floor", "0"),
        ("show", OLD),
    ],
)
def test_every_surface_marks_it(make_vault: MakeVault, args: tuple[str, ...]) -> None:
    root = make_vault(EDGE)
    code, out = play(root, *args)
    assert code == 0
    assert f"contradicted by {NEW}" in " ".join(out.split())
    code, out = play(root, *args, "--json")
    hits = json.loads(out).get("hits", [])
    if hits:
        told = {hit["path"]: hit["contradicted_by"] for hit in hits}
        assert (told[OLD], told[NEW]) == ([NEW], [OLD])


def test_a_box_in_somebodys_own_words_says_nothing(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    files = FILES | {
        "proposals/Mine.md": "---\ntype: proposal\n---\n- [ ] Retire [[Old]] some day\n"
        "- [ ] Retire [[Old]] for [[Nowhere]] ^p-aaaaaaaaaa\n"
    }
    app = make_app(make_vault(files))
    assert not any(hit.contradicted_by for hit in ask(app).hits)


def test_of_two_boxes_about_one_pair_every_machine_names_the_same(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    page = "---\ntype: proposal\n---\n- [ ] Retire [[Old]] for [[New]] ^p-{}\n"
    pages = {
        "proposals/A.md": page.format("bbbbbbbbbb"),
        "proposals/B.md": page.format("aaaaaaaaaa"),
    }
    for number, files in enumerate((pages | FILES, FILES | pages)):
        app = make_app(make_vault(files), f"cache{number}")
        assert {hit.proposal for hit in ask(app).hits[:2]} == {"p-aaaaaaaaaa"}
    first, second = (Path(app.vault.root) / path for path in sorted(pages))
    first.write_text(first.read_text() + "\n")
    app.update()
    assert {hit.proposal for hit in ask(app).hits[:2]} == {"p-aaaaaaaaaa"}
    second.unlink()
    assert {hit.proposal for hit in ask(app).hits[:2]} == {"p-bbbbbbbbbb"}


def test_the_other_side_is_shown_where_it_is_no_hit_itself(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault(EDGE)
    app = make_app(root)
    [hit] = app.ask("deep", Ask("which Globex?", limit=1)).hits
    assert hit.path == NEW
    [other] = hit.linked
    assert (other.path, other.relation) == (OLD, "contradicts")
    assert other.standing == f"contradicted by {NEW}"
    out = play(root, "recall", "which Globex?", "--limit", "1")[1]
    line = next(each for each in out.splitlines() if each.strip().startswith(OLD))
    assert "Mia works at Acme in Oslo." in line
    packed = play(root, "recall", "which Globex?", "--limit", "1", "--budget", "300")[1]
    assert f"→ contradicts {OLD} (contradicted by {NEW})" in packed
    both = app.ask("deep", Ask(QUESTION, floor=0.0)).hits
    assert not any(each.linked for each in both)
