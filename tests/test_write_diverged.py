"""Copies of sync programs, twins and markers: listed with their pairs, merged if certain."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from mindcache.digest.diverged import suggestion
from mindcache.merge import sides_of
from mindcache.write.diverged import find, settle
from tests.conftest import MakeApp, MakeVault
from tests.test_write_moving import play

NOTE = (
    "---\nid: m-1\nsummary: Pumps\ntags:\n  - tool/git\nupdated_at: 2026-11-01\n---\n"
)
TEXT = NOTE + "one\ntwo\n"
COPY = TEXT.replace("  - tool/git\n", "  - tool/git\n  - client/acme\n") + "three\n"
COPIES = (
    "n.sync-conflict-20261130-032821-CJ7RRAW.md",
    "n (Conflicted copy laptop 202611300328).md",
    "n (Ines's conflicted copy 2026-11-30).md",
)


def files(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".obsidian" not in path.parts
    }


@pytest.mark.parametrize("copy", COPIES)
def test_a_certain_copy_is_merged_and_all_of_it_can_come_back(
    make_vault: MakeVault, copy: str
) -> None:
    root = make_vault({"n.md": TEXT, copy: COPY.replace("11-01", "11-02")})
    before = files(root)
    shape = json.loads(play(root, "doctor", "conflicts", "--json")[1])
    (pair,) = shape["pairs"]
    assert (pair["kind"], pair["path"], pair["original"]) == ("copy", copy, "n.md")
    assert pair["certain"]
    assert "\n+three\n" in pair["diff"]
    assert files(root) == before
    assert "merges by itself" in play(root, "doctor", "conflicts")[1]
    shape = json.loads(play(root, "doctor", "conflicts", "--merge", "--json")[1])
    assert (shape["merged"], shape["pairs"], shape["failed"]) == ([copy], [], [])
    merged = COPY.replace("11-01", "11-02")
    assert files(root) == {
        "n.md": merged, ".trash/n.md": TEXT, f".trash/{copy}": merged
    }  # fmt: skip
    assert play(root, "doctor")[1] == "Nothing is wrong.\n"
    assert play(root, "restore", f".trash/{copy}")[0] == 0
    assert (root / copy).read_text() == merged
    assert "No note went two ways" not in play(root, "doctor", "conflicts")[1]


def test_it_is_said_into_what_a_copy_went_and_where_it_is(
    make_vault: MakeVault,
) -> None:
    copy = COPIES[0]
    root = make_vault({"n.md": TEXT, copy: COPY.replace("11-01", "11-02")})
    out = play(root, "doctor", "conflicts", "--merge")[1]
    told = "in .trash: the copy and what the note said before"
    assert f"Merged: {copy} into n.md; {told}" in out
    root = make_vault({copy: COPY})
    out = play(root, "doctor", "conflicts", "--merge")[1]
    assert f"Put back: {copy} is n.md" in out


def test_a_copy_that_is_the_same_is_told_as_that(make_vault: MakeVault) -> None:
    root = make_vault({"n.md": TEXT, COPIES[0]: TEXT})
    out = play(root, "doctor", "conflicts", "--merge")[1]
    assert out == f"The same as n.md: {COPIES[0]}; in .trash: the copy\n"
    assert files(root) == {"n.md": TEXT, f".trash/{COPIES[0]}": TEXT}


def test_what_is_not_certain_is_shown_and_left(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    theirs = TEXT.replace("two", "zwei").replace("Pumps", "Pumpen")
    root = make_vault({"n.md": TEXT, COPIES[0]: theirs})
    before = files(root)
    code, out = play(root, "doctor", "conflicts", "--merge")
    assert code == 0
    assert f"{COPIES[0]} and n.md (copy): both changed summary, lines" in out
    assert "-two" in out
    assert "+zwei" in out
    assert files(root) == before
    (pair,) = find(make_app(root))
    asked = suggestion(pair)
    assert (asked.kind, asked.notes) == ("diverged", ("n.md", COPIES[0]))
    assert asked.key == suggestion(pair).key
    assert "both changed summary, lines" in asked.reason


def test_several_copies_of_a_note_all_come_into_it(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"n.md": TEXT})
    for number, copy in enumerate(COPIES):
        (root / copy).write_text(f"{TEXT}- {number}\n")
    (root / COPIES[1]).write_text(TEXT.replace("  - tool/git\n", "  - tool/hg\n"))
    (root / COPIES[2]).write_text(TEXT)
    app = make_app(root)
    done = settle(app)
    assert ([p.path for p in done.settled], done.failed) == (sorted(COPIES), [])
    text = (root / "n.md").read_text()
    assert text.endswith("one\ntwo\n- 0\n")
    assert "tool/git" in text
    assert "tool/hg" in text
    assert sorted(p.name for p in root.glob("*.md")) == ["n.md"]
    assert settle(app).settled == []


def test_a_copy_whose_note_is_gone_takes_its_name(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({f"sub/{COPIES[0]}": TEXT})
    assert [p.path for p in settle(make_app(root)).settled] == [f"sub/{COPIES[0]}"]
    assert files(root) == {"sub/n.md": TEXT}


def test_a_copy_of_a_ledger_loses_no_line(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    ledger = ".mindcache/ledger/laptop-1a2b"
    copy = f"{ledger}.sync-conflict-20261130-032821-CJ7RRAW.jsonl"
    line = '{"what":"made","kind":"k","key":"%s","at":"2026-11-30T10:0%s"}\n'
    root = make_vault(
        {f"{ledger}.jsonl": line % ("a", 1) + line % ("c", 3), copy: line % ("b", 2)}
    )
    app = make_app(root)
    assert [pair.kind for pair in find(app)] == ["copy"]
    assert settle(app).failed == []
    assert (root / f"{ledger}.jsonl").read_text().count('"key"') == 3
    assert not (root / copy).exists()
    assert (root / ".trash" / copy).exists()


def test_notes_of_one_id_are_listed_and_never_merged(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault(
        {"n.md": TEXT, "n 2.md": COPY, "sub/x.md": COPY, "n (1).md": TEXT}
    )
    found = find(make_app(root))
    assert [(p.kind, p.path, p.original, p.is_certain) for p in found] == [
        ("twin", "n (1).md", "n.md", False),
        ("twin", "n 2.md", "n.md", False),
        ("id", "sub/x.md", "n.md", False),
    ]
    assert settle(make_app(root)).settled == []
    assert (root / "n 2.md").exists()


def test_markers_that_can_be_settled_are(
    make_vault: MakeVault, make_app: MakeApp, tmp_path: Path
) -> None:
    """What git's own merge of text makes of two lists of tags, and of two lines."""
    base, ours = tmp_path / "o", tmp_path / "a"
    base.write_text(TEXT)
    ours.write_text(TEXT.replace("tool/git\n", "tool/git\n  - tool/a\n"))
    theirs = tmp_path / "b"
    theirs.write_text(TEXT.replace("tool/git\n", "tool/git\n  - tool/b\n"))
    made = subprocess.run(
        ["git", "merge-file", "-p", str(ours), str(base), str(theirs)],
        capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    assert "<<<<<<< " in made
    torn = TEXT.replace("two\n", "<<<<<<< HEAD\nzwei\n=======\ndeux\n>>>>>>> x\n")
    root = make_vault({"tags.md": made, "torn.md": torn})
    app = make_app(root)
    done = settle(app)
    assert ([p.path for p in done.settled], done.failed) == (["tags.md"], [])
    text = (root / "tags.md").read_text()
    assert text == TEXT.replace("tool/git\n", "tool/git\n  - tool/a\n  - tool/b\n")
    assert (root / ".trash/tags.md").read_text() == made
    (pair,) = find(app)
    assert (pair.kind, pair.path, pair.clashes) == ("markers", "torn.md", ("lines",))
    assert "-zwei" in pair.diff
    assert (root / "torn.md").read_text() == torn


def test_markers_are_read_with_what_both_began_as() -> None:
    text = b"a\n<<<<<<< x\nb\n||||||| base\nc\n=======\nd\n>>>>>>> y\ne\n"
    assert sides_of(text) == (b"a\nc\ne\n", b"a\nb\ne\n", b"a\nd\ne\n")
    assert sides_of(text.replace(b"||||||| base\nc\n", b"")) == (
        None, b"a\nb\ne\n", b"a\nd\ne\n",
    )  # fmt: skip
    for torn in (
        b"a\n<<<<<<< x\nb\n",
        b"a\n",
        b"\xff\n<<<<<<< x\n=======\n>>>>>>> y\n",
    ):
        assert sides_of(torn) is None


def test_the_note_that_is_saved_meanwhile_keeps_its_copy(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"n.md": TEXT, COPIES[0]: COPY})
    app = make_app(root)
    saved = TEXT + "saved meanwhile\n"

    def moment(name: str) -> None:
        if name == "to be exchanged":
            (root / "n.md").write_text(saved)

    app.vault._moment = moment
    done = settle(app)
    assert done.settled == []
    assert [path for path, _ in done.failed] == ["n.md"]
    assert (root / "n.md").read_text() == saved
    assert (root / COPIES[0]).read_text() == COPY
