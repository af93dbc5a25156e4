"""Renaming and moving on a vault: links follow, and a killed one is finished."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings

from mindcache import atomic
from mindcache.app import App
from mindcache.cli import run
from mindcache.errors import Refused
from mindcache.note import find_places, parse
from mindcache.write import forgetting, merging, moving
from tests.conftest import MakeApp, MakeVault
from tests.test_write_relink import vaults

ROOT = Path(__file__).parents[1]
REAL = ROOT.parent / "shared" / "data" / "vaults"


def files(root: Path) -> dict[str, bytes]:
    """Every file but those of Mindcache itself."""
    found = (p for p in root.rglob("*") if p.is_file())
    paths = {p.relative_to(root).as_posix(): p.read_bytes() for p in found}
    return {p: data for p, data in paths.items() if not p.startswith(".mindcache/")}


def texts(root: Path) -> dict[str, str]:
    return {
        path: data.decode("latin-1" if path.endswith("png") else "utf-8")
        for path, data in files(root).items()
    }


def moved(
    app: App, moves: Mapping[str, str], *folders: tuple[str, str]
) -> moving.Moved:
    with app.writing():
        return moving.move(app, moving.decide(app, moves, folders))


def leads(app: App) -> dict[str, list[str]]:
    """Where the links of each note lead, in order."""
    reader = app.reader()
    return {
        node.path: [row.resolved for row in reader.links_from(node.path)]
        for node in reader.nodes()
    }


def play(vault: Path, *args: str) -> tuple[int, str]:
    class Program:
        name = "mindcache"

        def main(self, args: list[str], **_: object) -> None:
            sys.exit(run(args))

    result = CliRunner().invoke(Program(), ["--vault", str(vault), *args])  # type: ignore[arg-type]
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_links_follow_a_rename(make_vault: MakeVault, make_app: MakeApp) -> None:
    root = make_vault(
        {
            "Old.md": "Me, [[Old]].",
            "a.md": "---\nup: '[[Old]]'   # kept\n---\n[[Old#H|x]] `[[Old]]`\r\n",
            "sub/b.md": "[o](../Old.md) ![[Old]]",
            "c.md": "Nothing of it.",
        }
    )
    app = make_app(root)
    done = moved(app, {"Old.md": "New.md"})
    assert not done.failed
    assert texts(root) == {
        "New.md": "Me, [[New]].",
        "a.md": "---\nup: '[[New]]'   # kept\n---\n[[New#H|x]] `[[Old]]`\r\n",
        "sub/b.md": "[o](../New.md) ![[New]]",
        "c.md": "Nothing of it.",
    }
    assert set(leads(app)["a.md"]) == {"New.md"}
    assert not (root / ".mindcache/tmp").exists()
    entries = [(e.what, e.path, e.to) for e in app.ledger.entries]
    assert entries == [("moved", "Old.md", "New.md")]


def test_a_folder_moves_with_all_that_is_in_it(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault(
        {
            "in/n.md": "![[in/p.png]] [[out]] [up](../out.md)",
            "in/p.png": b"\x89PNG",
            "in/deep/m.md": "[[in/n]] [[../n]]",
            "in/.hidden": "stays with it",
            "out.md": "[[in/n]] [[n]] ![](in/p.png) [[in/deep/m|m]]",
        }
    )
    app = make_app(root)
    done = moved(app, {}, ("in", "x/in2"))
    assert not done.failed
    assert texts(root)["out.md"] == (
        "[[x/in2/n]] [[n]] ![](x/in2/p.png) [[x/in2/deep/m|m]]"
    )
    assert texts(root)["x/in2/n.md"] == "![[x/in2/p.png]] [[out]] [up](../../out.md)"
    assert texts(root)["x/in2/deep/m.md"] == "[[x/in2/n]] [[../n]]"
    assert not (root / "in").exists()
    assert (root / "x/in2/.hidden").read_text() == "stays with it"


def test_names_that_are_taken_or_impossible_touch_nothing(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"Old.md": "o", "New.md": "n", "a.md": "[[Old]]"})
    app = make_app(root)
    before = files(root)
    for to in ("New.md", "new.md", "con.md", "a?.md", ".hid.md", "../out.md"):
        with pytest.raises(Refused):
            moved(app, {"Old.md": to})
    for name in ("a#b", "a[b", "a^b", "a|b", "", ".md", "a/b"):
        with pytest.raises(Refused):
            moving.renamed("Old.md", name)
    assert files(root) == before
    assert moving.renamed("sub/Old.md", "New.md") == "sub/New.md"


def test_a_dry_run_writes_nothing_and_says_what_the_run_then_does(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"Old.md": "o", "a.md": "[[Old]] [[Old|x]]"})
    before = files(root)
    code, out = play(root, "rename", "Old", "New", "--dry-run", "--json")
    assert code == 0
    assert files(root) == before
    assert not (root / ".mindcache").exists()
    said = json.loads(out)
    code, out = play(root, "rename", "Old", "New", "--json")
    assert code == 0
    assert {**json.loads(out), "dry_run": True} == said
    assert [link["after"] for link in said["links"]] == ["[[New]]", "[[New|x]]"]


def test_several_notes_and_a_note_changed_meanwhile(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"a.md": "[[b]] [[./b]]", "b.md": "[[./a]]", "c.md": "[[./a]]"})
    app = make_app(root)
    with app.writing():
        plan = moving.decide(app, {"a.md": "x/a.md", "b.md": "y/b.md"})
        (root / "c.md").write_text("More of [[./a]]")
        done = moving.move(app, plan)
    assert not done.failed
    assert texts(root) == {
        "x/a.md": "[[b]] [[../y/b]]",
        "y/b.md": "[[../x/a]]",
        "c.md": "More of [[./x/a]]",
    }


def test_a_note_changed_before_it_moves_stays_and_so_do_its_links(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"a.md": "A", "b.md": "B, [[./a]]", "c.md": "[[./a]] [[./b]]"})
    app = make_app(root)
    with app.writing():
        plan = moving.decide(app, {"a.md": "x/a.md", "b.md": "x/b.md"})
        (root / "a.md").write_text("A, and more")
        done = moving.move(app, plan)
    assert [path for path, _ in done.failed] == ["a.md"]
    assert texts(root) == {
        "a.md": "A, and more",
        "x/b.md": "B, [[../a]]",
        "c.md": "[[./a]] [[./x/b]]",
    }


@pytest.mark.parametrize("name", ["Halden pricin", "The nick", "Twin", "m-none"])
def test_only_what_is_meant_beyond_doubt_is_touched(
    name: str, make_vault: MakeVault
) -> None:
    """C4: no near name, no alias, no name of two notes."""
    root = make_vault(
        {
            "x/Halden pricing.md": "---\naliases: [The nick]\nid: m-1\n---\n",
            "a/Twin.md": "",
            "b/Twin.md": "",
        }
    )
    before = files(root)
    for call in (
        ("rename", name, "New"),
        ("move", name, "other"),
        ("forget", name),
        ("archive", name),
        ("entity", "merge", name, "x/Halden pricing"),
    ):
        code, out = play(root, *call)
        assert code == 3, out
    # Throwing away takes no mere name, even when only one note has it.
    assert play(root, "forget", "Halden pricing")[0] == 3
    assert files(root) == before
    assert play(root, "forget", "m-1")[0] == 0


def test_case_alone_may_change(make_vault: MakeVault, make_app: MakeApp) -> None:
    root = make_vault({"note.md": "", "a.md": "[[note]]"})
    app = make_app(root)
    assert not moved(app, {"note.md": "Note.md"}).failed
    assert texts(root) == {"Note.md": "", "a.md": "[[Note]]"}


@given(case=vaults())
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_on_a_vault_every_link_leads_where_it_led(
    case: tuple[dict[str, str], dict[str, str]],
    make_vault: MakeVault,
    make_app: MakeApp,
) -> None:
    notes, moves = case
    root = make_vault(notes)
    app = make_app(root, f"{root.name}-cache")
    before = leads(app)
    assert not moved(app, moves).failed
    after = leads(app)
    for path, goals in before.items():
        now = after[moves.get(path, path)]
        assert len(now) == len(goals)
        for old, new in zip(goals, now, strict=True):
            # A name that led nowhere may lead somewhere now, as in Obsidian.
            assert not old or new == moves.get(old, old)
    shutil.rmtree(root)


# -- killed in the middle -----------------------------------------------------------

KILLED = """
import os, sys
from mindcache import atomic
count = 0
def dying(real):
    def write(*args, **kwargs):
        global count
        real(*args, **kwargs)
        count += 1
        if count == int(sys.argv[3]):
            os.kill(os.getpid(), 9)
    return write
for name in ("create", "rename", "replace"):
    setattr(atomic, name, dying(getattr(atomic, name)))
from mindcache.cli import run
sys.exit(run(["--vault", sys.argv[1], "--cache-dir", sys.argv[2], *sys.argv[4:]]))
"""

VAULT = {
    "Old.md": "Me, [[./Old]], and [[b]].",
    "a.md": "[[Old]] [[Note]]",
    "b.md": "[[Old|x]]",
    "sub/c.md": "[o](../Old.md)",
    "sub/deep/Note.md": "",
}


def killed(root: Path, cache: Path, step: int, *args: str) -> bool:
    """Run a command that dies right after its `step`-th write; False if it lived."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(root), str(cache), str(step), *args],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def every_step(
    make_vault: MakeVault, tmp_path: Path, vault: Mapping[str, str], *args: str
) -> list[Path]:
    """A vault for each write of a command, in which it died right after that."""
    found: list[Path] = []
    while True:
        root = make_vault(vault)
        if not killed(root, tmp_path / f"{root.name}-cache", len(found) + 1, *args):
            return found
        found.append(root)


@pytest.mark.parametrize("by", ["doctor", "next"])
def test_killed_at_any_write_a_rename_is_finished(
    by: str, make_vault: MakeVault, tmp_path: Path
) -> None:
    whole = make_vault(VAULT)
    assert play(whole, "rename", "Old", "Note")[0] == 0
    expected = texts(whole)
    assert expected["a.md"] == "[[Note]] [[sub/deep/Note|Note]]"
    steps = every_step(make_vault, tmp_path, VAULT, "rename", "Old", "Note")
    # The device's name, the intent, the file, four notes, at the least.
    assert len(steps) >= 6
    unfinished = 0
    for root in steps:
        pending = (root / moving.INTENT).exists()
        if pending:
            unfinished += 1
            assert "interrupted" in play(root, "doctor")[1]
        if by == "doctor":
            out = play(root, "doctor", "--repair")[1]
        else:
            out = play(root, "archive", "sub/c.md")[1]
            play(root, "archive", "sub/c.md", "--undo")
        if pending:
            assert "finished an interrupted move: Old.md → Note.md" in out
            assert texts(root) == expected
        assert not (root / ".mindcache/tmp").exists()
    assert unfinished >= 5


def test_killed_while_a_folder_moves(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = {
        "in/a.md": "[[./b]] [[../c]]",
        "in/b.md": "[[in/a]]",
        "c.md": "[a](in/a.md)",
    }
    whole = make_vault(vault)
    assert play(whole, "move", "in", "far/out")[0] == 0
    expected = texts(whole)
    assert expected["c.md"] == "[a](far/out/in/a.md)"
    for root in every_step(make_vault, tmp_path, vault, "move", "in", "far/out"):
        if (root / moving.INTENT).exists():
            play(root, "doctor", "--repair")
            assert texts(root) == expected


def test_killed_at_any_write_a_merge_is_finished(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    vault = {
        "From.md": "---\naliases: [F]\nkind: a\n---\n# H\nText [[From]]. ^b\n## K\n",
        "Into.md": "---\naliases: [I]\nkind: b\n---\n# H\nOwn [[From#K]]. ^b\n",
        "a.md": "[[From]]",
        "b.md": "[[From#H]]",
    }
    whole = make_vault(vault)
    assert play(whole, "entity", "merge", "From", "Into")[0] == 0
    expected = texts(whole)
    assert expected["b.md"] == "[[Into#H (From)|From > H]]"
    for root in every_step(make_vault, tmp_path, vault, "entity", "merge", "From", "Into"):  # fmt: skip
        if (root / ".mindcache/tmp/merge.json").exists():
            play(root, "doctor", "--repair")
            assert texts(root) == expected


def test_what_can_not_be_finished_is_told_and_tried_once(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    root = make_vault(VAULT)
    step = 1
    while not (root / moving.INTENT).exists():
        assert killed(root, tmp_path / "c", step, "rename", "Old", "New")
        step += 1
    (root / "New.md").write_text("Somebody else's")
    before = files(root)
    out = play(root, "doctor", "--repair")[1]
    assert "Old.md was not moved: New.md exists by now" in out
    assert files(root) == before
    assert not (root / moving.INTENT).exists()
    assert "interrupted" not in play(root, "doctor", "--repair")[1]


def test_what_keeps_a_move_from_being_finished_stops_no_other_command(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"a.md": "", "b.md": ""})
    (root / moving.INTENT).mkdir(parents=True)
    code, out = play(root, "archive", "a.md")
    assert (code, "still not done" in out) == (0, True)
    assert "archived" in texts(root)["a.md"]


def test_a_damaged_intent_is_dropped(make_vault: MakeVault) -> None:
    for text in ("", "{", "[]", '{"folders": 3, "moves": [], "texts": {}}'):
        root = make_vault({"a.md": "", moving.INTENT: text})
        before = files(root)
        assert "can't be read; it is dropped" in play(root, "doctor", "--repair")[1]
        assert files(root) == before


def test_a_path_that_no_system_takes_is_refused_before_anything_is_written(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"memory/N one.md": "", "in/a.md": "", "b.md": ""})
    before = files(root)
    for folder in ("z/" * 1000, "z/" * 70, "/".join(["y" * 200] * 5), "q" * 300):
        for what in ("memory/N one.md", "in"):
            code, out = play(root, "move", what, folder)
            assert (code, "Traceback" in out) == (4, False), out
    assert files(root) == before
    assert sorted(p.name for p in root.iterdir()) == [".obsidian", "b.md", "in", "memory"]  # fmt: skip


def test_an_intent_that_nothing_can_finish_blocks_no_write(
    make_vault: MakeVault,
) -> None:
    deep = "z/" * 1000
    shape = {"folders": [["in", f"{deep}in", ["a.md"]]], "moves": [["b.md", f"{deep}b.md", "00"]], "texts": {"b.md": "00"}}  # fmt: skip
    nested = "[" * 100_000
    for text in (json.dumps(shape), nested):
        root = make_vault({"in/a.md": "", "b.md": "", moving.INTENT: text})
        assert play(root, "doctor")[0] == 1
        code, out = play(root, "archive", "b.md")
        assert code == 0, out
        assert "was not moved" in out or "dropped" in out or "not done" in out
        assert "archived" in texts(root)["b.md"]
        assert play(root, "doctor", "--repair")[0] == 0


# -- links that could not be changed at the time ---------------------------------


def test_a_link_that_can_not_be_changed_now_is_changed_later(
    make_vault: MakeVault, unwritable: set[str]
) -> None:
    root = make_vault({"Old.md": "", "a.md": "[[Old]]", "b.md": "[[Old]]", "c.md": ""})
    unwritable.add("a.md")
    code, out = play(root, "rename", "Old", "New")
    assert code == 1
    assert "a.md can't be written" in out
    code, out = play(root, "doctor")
    assert code == 1
    assert "a.md: its links don't follow Old.md → New.md yet" in out
    assert "then run mindcache doctor --repair" in out
    # Still no way, and the note itself and its goal get other names meanwhile.
    code, out = play(root, "doctor", "--repair")
    assert (code, "a.md: its links are still not changed" in out) == (1, True)
    assert play(root, "rename", "New", "Newer")[0] == 0
    assert play(root, "move", "a.md", "sub")[0] == 0
    assert texts(root)["sub/a.md"] == "[[Old]]"
    unwritable.clear()
    code, out = play(root, "archive", "c.md")
    assert (code, "sub/a.md: 1 link follows an earlier rename" in out) == (0, True)
    assert texts(root)["sub/a.md"] == "[[Newer]]"
    assert texts(root)["b.md"] == "[[Newer]]"
    assert not (root / ".mindcache/tmp").exists()
    assert play(root, "doctor")[0] == 0


def test_what_no_program_can_change_stays_told_until_somebody_does(
    make_vault: MakeVault,
) -> None:
    root = make_vault(
        {"Old.md": "", "a.md": "[[Old]] ééé ".encode() + b"\xff", "c.md": ""}
    )
    code, out = play(root, "rename", "Old", "New")
    assert (code, "save it as UTF-8" in out) == (4, True)
    code, out = play(root, "doctor", "--repair")
    assert code == 1
    assert "save it as UTF-8, then run mindcache doctor --repair" in out
    (root / "a.md").write_text("x [[New]]")
    play(root, "doctor", "--repair")
    assert play(root, "doctor")[1] == "Nothing is wrong.\n"


def test_a_note_that_is_saved_all_the_time_is_computed_again(
    make_vault: MakeVault, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault({"Old.md": "", "a.md": "[[Old]]"})
    app = make_app(root)
    real, saves = atomic.replace, 3

    def saved(full: str, *args: object, **kwargs: object) -> None:
        nonlocal saves
        if full.endswith("a.md") and saves:
            saves -= 1
            (root / "a.md").write_text(f"[[Old]] {saves}")
        real(full, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(atomic, "replace", saved)
    assert not moved(app, {"Old.md": "New.md"}).failed
    assert texts(root)["a.md"] == "[[New]] 0"


def test_a_full_disk_leaves_a_rename_to_be_finished(
    make_vault: MakeVault, unwritable: set[str]
) -> None:
    root = make_vault({"Old.md": "", "a.md": "[[Old]]"})
    unwritable |= {"a.md", "links.json"}
    code, out = play(root, "rename", "Old", "New")
    assert code == 1
    assert (root / moving.INTENT).exists()
    assert "Old.md → New.md was interrupted" in play(root, "doctor")[1]
    code, out = play(root, "rename", "a", "b")
    assert (code, "still not done" in out) == (4, True)
    unwritable.clear()
    assert "finished an interrupted move" in play(root, "doctor", "--repair")[1]
    assert texts(root) == {"New.md": "", "a.md": "[[New]]"}


def test_a_new_folder_has_a_name_that_links_can_have(make_vault: MakeVault) -> None:
    root = make_vault({"n.md": "", "C#/old.md": "", "x.md": "[[n]]"})
    for name in ("a#b", "a^b", "a[b", "a]b", "sub/a|b", "a#b/sub"):
        assert play(root, "move", "n.md", name)[0] == 4
    assert play(root, "move", "n.md", "C#")[0] == 0  # it is there already
    assert texts(root)["x.md"] == "[[n]]"


def test_a_symbolic_link_that_is_left_behind_is_told(make_vault: MakeVault) -> None:
    root = make_vault({"in/Old.md": "", "x.md": ""})
    (root / "way.md").symlink_to(root / "in/Old.md")
    (root / "folder").symlink_to("in", target_is_directory=True)
    out = play(root, "rename", "in/Old.md", "New")[1]
    assert "way.md is a symbolic link to what is moved" in out
    assert "folder is" not in out
    assert "folder is a symbolic link" in play(root, "move", "in", "sub")[1]
    assert "symbolic" not in play(root, "rename", "x", "y")[1]


def test_a_write_that_fails_leaves_no_folder_behind(
    make_vault: MakeVault, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault({"a.md": "", "has/it.md": ""})
    app = make_app(root)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(atomic, "rename", full)
        done = moved(app, {"a.md": "has/new/deep/a.md"})
        assert [path for path, _ in done.failed] == ["a.md"]
    assert [p.name for p in (root / "has").iterdir()] == ["it.md"]


def test_old_temporary_files_are_swept_and_young_ones_are_not(
    make_vault: MakeVault,
) -> None:
    names = [f".{n:016x}.mindcache-{n}-0.tmp" for n in range(2)]
    root = make_vault({"a.md": "", **{f"sub/{name}": "half" for name in names}})
    other = root / "sub/.other.tmp"
    other.write_text("not ours")
    for path in (root / "sub" / names[0], other):
        os.utime(path, (0, 0))
    assert play(root, "doctor")[0] == 0
    assert f"sub/{names[0]}: left by a killed write, deleted" in play(root, "doctor", "--repair")[1]  # fmt: skip
    left = {p.name for p in (root / "sub").iterdir()}
    assert left == {names[1], ".other.tmp"}


def test_what_a_killed_write_left_in_the_trash_is_swept_too(
    make_vault: MakeVault,
) -> None:
    name = f".trash/sub/.{1:016x}.mindcache-1-0.tmp"
    root = make_vault({"a.md": "", name: "half", ".trash/sub/b.md": "thrown away"})
    os.utime(root / name, (0, 0))
    assert name in play(root, "doctor", "--json")[1]
    assert f"{name}: left by a killed write, deleted" in play(root, "doctor", "--repair")[1]  # fmt: skip
    assert [p.name for p in (root / ".trash/sub").iterdir()] == ["b.md"]


# -- many links, real vaults ------------------------------------------------------------


def test_a_thousand_links_to_one_note(make_vault: MakeVault, make_app: MakeApp) -> None:
    notes = {
        f"n{n % 20}/note {n}.md": f"---\nup: '[[Old]]' # {n}\n---\nSee [[Old|x]] `[[Old]]` {n}.\n"
        for n in range(500)
    }
    root = make_vault({**notes, "Old.md": "", "Older.md": "[[Older]]"})
    app = make_app(root)
    done = moved(app, {"Old.md": "New.md"})
    assert sum(len(text.rewrites) for text in done.texts) == 1000
    expected = {
        path: text.replace("'[[Old]]'", "'[[New]]'").replace("[[Old|", "[[New|")
        for path, text in notes.items()
    }
    assert texts(root) == {**expected, "New.md": "", "Older.md": "[[Older]]"}
    assert len(app.reader().links_to("New.md")) == 1000


@pytest.mark.parametrize("name", ["obsidian-help-en", "kepano-obsidian", "dataview-test-vault", "markdown-oxide-testfiles", "logseq-docs"])  # fmt: skip
def test_on_real_vaults_only_links_change(
    name: str, tmp_path: Path, make_app: MakeApp
) -> None:
    if not (REAL / name).is_dir():
        pytest.skip("the shared vaults are not here")
    root = tmp_path / name
    shutil.copytree(REAL / name, root, ignore=shutil.ignore_patterns(".git"))
    (root / ".obsidian").mkdir(exist_ok=True)
    app = make_app(root)
    notes = sorted(leads(app))
    rng = random.Random(name)
    for path in rng.sample(notes, min(6, len(notes))):
        before, goals = files(root), leads(app)
        stem = Path(path).stem
        to = rng.choice((f"{stem} 2.md", f"elsewhere/{stem}.md", f"elsewhere/{stem} 3.md"))  # fmt: skip
        done = moved(app, {path: to})
        changed = {text.path for text in done.texts}
        after = files(root)
        assert after.keys() == (before.keys() - {path}) | {to}
        for each, data in before.items():
            now = after[to if each == path else each]
            if (to if each == path else each) in changed:
                assert _without_links(data) == _without_links(now)
            else:
                assert data == now
        failed = {each for each, _ in done.failed}
        now_leads = leads(app)
        for each, old in goals.items():
            there = to if each == path else each
            if there in failed:
                continue
            for one, other in zip(old, now_leads[there], strict=True):
                assert not one or other == (to if one == path else one), (each, path, to)  # fmt: skip


@pytest.mark.parametrize("name", ["kepano-obsidian", "dataview-test-vault", "markdown-oxide-testfiles"])  # fmt: skip
def test_the_other_verbs_on_real_vaults(
    name: str, tmp_path: Path, make_app: MakeApp
) -> None:
    """Only the bytes that a verb owns differ: properties, links, what is appended."""
    if not (REAL / name).is_dir():
        pytest.skip("the shared vaults are not here")
    root = tmp_path / name
    shutil.copytree(REAL / name, root, ignore=shutil.ignore_patterns(".git"))
    (root / ".obsidian").mkdir(exist_ok=True)
    app = make_app(root)
    notes = random.Random(name).sample(sorted(leads(app)), 6)
    before = files(root)
    with app.writing():
        gone = forgetting.carry_out(app, forgetting.forgotten(app, notes))
        back = forgetting.carry_out(app, forgetting.restored(app, notes))
    assert not gone.failed
    assert not back.failed
    assert files(root) == before
    with app.writing():
        plan = forgetting.archived(app, notes, undo=False)
        done = forgetting.carry_out(app, plan)
    refused = {path for path, _ in done.failed}
    after = files(root)
    for path, data in before.items():
        if path not in notes or path in refused:
            assert after[path] == data
            continue
        old, new = parse(path, data), parse(path, after[path])
        assert new.body == old.body
        lost = {key: v for key, v in new.properties.items() if key not in ("status", "outcome")}  # fmt: skip
        assert lost == {key: v for key, v in old.properties.items() if key not in ("status", "outcome")}  # fmt: skip
    before, nodes = after, [n for n in notes if n not in refused][:2]
    reader = app.reader()
    source, into = (reader.find_node(path) for path in nodes)
    assert source is not None
    assert into is not None
    with app.writing():
        merged = merging.merge(app, merging.decide(app, source, into))
    assert not merged.failed
    changed = {text.path for text in merged.texts} | {into.path}
    after = files(root)
    assert after.pop(merged.trashed) == before.pop(source.path)
    assert after.keys() == before.keys()
    for path, data in before.items():
        if path not in changed:
            assert after[path] == data
        elif path != into.path:
            assert _without_links(after[path]) == _without_links(data)
    body = _without_links(parse("", before[into.path]).body.encode())
    assert body.strip() in _without_links(after[into.path])


def _without_links(data: bytes) -> str:
    note = parse("", data)
    pieces, last = [], 0
    for place in find_places(note):
        pieces += [note.text[last : place.start], "§"]
        last = place.end
    return "".join((*pieces, note.text[last:]))
