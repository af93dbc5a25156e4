"""Two clones of a vault, a remote between them, and edits on both sides."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.errors import Refused
from mindcache.note import parse
from mindcache.vault.repository import await_git, git_folder, under_way
from tests.conftest import MakeApp, MakeVault, write_files
from tests.test_write_moving import play

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")

NOTE = "---\nid: m-1\nsummary: Pumps\ntags:\n  - tool/git\n---\none\ntwo\nthree\n"
DAY = "---\ntype: journal\ndate: 2026-11-30\n---\n"


@pytest.fixture(autouse=True)
def _as_ines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(
        "[user]\nname = Ines\nemail = i@example.org\n[init]\ndefaultBranch = main\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(root: Path, *args: str, fails: bool = False) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *args], check=False, capture_output=True, text=True
    )
    assert fails or done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def clones(make_vault: MakeVault, tmp_path: Path) -> tuple[Path, Path]:
    """Two clones of one vault, both set up."""
    one = make_vault({"n.md": NOTE, "journal/2026-11-30.md": DAY})
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(one, "init", "-q")
    git(one, "remote", "add", "origin", str(remote))
    assert play(one, "git", "setup")[0] == 0
    code, out = play(one, "git", "sync")
    assert (code, "and pushed" in out) == (0, True), out
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(remote), str(other))
    (other / ".obsidian").mkdir(exist_ok=True)
    assert play(other, "git", "setup")[0] == 0
    return one, other


def contents(root: Path) -> dict[str, str]:
    listed = git(root, "ls-files", "-z").split("\0")
    return {path: (root / path).read_text() for path in listed if path}


def synced(root: Path) -> dict[str, object]:
    code, out = play(root, "git", "sync", "--json")
    shape: dict[str, object] = json.loads(out)
    assert code == (1 if shape["reason"] else 0)
    return shape


# -- setting up -----------------------------------------------------------------------


def test_setup_shows_writes_and_then_has_nothing_to_do(make_vault: MakeVault) -> None:
    root = make_vault({"n.md": NOTE, ".gitignore": "*.bak"})
    code, out = play(root, "git", "setup")
    assert (code, "not in a git repository" in out) == (4, True)
    git(root, "init", "-q")
    hook = root / ".git/hooks/post-merge"
    hook.write_text("#!/bin/sh\n")
    out = play(root, "git", "setup", "--dry-run")[1]
    assert "merge.mindcache.driver" in out
    assert "Nothing was written" in out
    assert not (root / ".gitattributes").exists()
    assert git(root, "config", "--get", "merge.mindcache.driver", fails=True) == ""
    shape = json.loads(play(root, "git", "setup", "--json")[1])
    assert [each["line"] for each in shape["lines"]] == [
        "*.md merge=mindcache", "*.jsonl merge=mindcache",
        ".mindcache/tmp/", ".*.mindcache-*.tmp",
    ]  # fmt: skip
    assert (root / ".gitignore").read_text().startswith("*.bak\n.mindcache/tmp/\n")
    assert "merge-driver %O %A %B %P" in git(root, "config", "merge.mindcache.driver")
    before = contents(root) | {"config": (root / ".git/config").read_text()}
    assert "is set up" in play(root, "git", "setup")[1]
    assert contents(root) | {"config": (root / ".git/config").read_text()} == before
    assert hook.read_text() == "#!/bin/sh\n"


def test_the_template_needs_no_more_attributes(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    assert play(tmp_path, "init", str(root), "--no-default")[0] == 0
    git(root, "init", "-q")
    shape = json.loads(play(root, "git", "setup", "--json", "--vault", str(root))[1])
    assert shape["lines"] == []
    assert len(shape["settings"]) == 2


# -- the driver -----------------------------------------------------------------------


def test_the_driver_merges_and_says_when_it_can_not(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in "oab"]
    for name, text in zip(
        names,
        (NOTE, NOTE.replace("one", "1"), NOTE.replace("three", "3")),
        strict=True,
    ):
        Path(name).write_text(text)
    assert play(tmp_path, "merge-driver", *names, "n.md")[0] == 0
    assert Path(names[1]).read_text() == NOTE.replace("one", "1").replace("three", "3")
    Path(names[2]).write_text(NOTE.replace("one", "uno"))
    code, out = play(tmp_path, "merge-driver", *names, "sub/n.md")
    assert (code, "sub/n.md: both changed lines" in out) == (1, True)
    assert "<<<<<<< ours\n1\n=======\nuno\n>>>>>>> theirs" in Path(names[1]).read_text()
    for name, word in zip(names, ("dry", "wet", "hot"), strict=True):
        Path(name).write_text(f"---\nsummary: {word}\n---\nText.\n")
    code, out = play(tmp_path, "merge-driver", *names, "n.md")
    assert "both changed summary (it has ours: settle it there" in out
    Path(names[0]).write_text("")
    Path(names[1]).write_text("a\nb\n")
    Path(names[2]).write_text("a\nc\n")
    assert play(tmp_path, "merge-driver", *names, "n.md")[0] == 1


# -- in step --------------------------------------------------------------------------


def test_edits_of_both_sides_come_together_and_no_word_is_lost(
    clones: tuple[Path, Path],
) -> None:
    words: set[str] = set()
    for number in range(3):
        for side, root in enumerate(clones):
            word = f"word-{number}-{side}"
            words.add(word)
            text = (root / "n.md").read_text()
            at = ("one", "three")[side]
            text = text.replace(at, f"{at} {word}")
            text = text.replace("  - tool/git\n", f"  - tool/git\n  - domain/{word}\n")
            (root / "n.md").write_text(f"{text}- {word} at the end\n")
            day = root / "journal/2026-11-30.md"
            entry = f"- 09:{number:02} {word} ^j-000{number}{side}x\n"
            day.write_text(day.read_text() + entry)
            ledger = root / ".mindcache/ledger/shared.jsonl"
            ledger.parent.mkdir(parents=True, exist_ok=True)
            before = ledger.read_text() if ledger.exists() else ""
            ledger.write_text(before + json.dumps({"what": word}) + "\n")
            write_files(root, {f"{word}.md": f"A note of its own: {word}\n"})
        assert synced(clones[0])["reason"] == ""
        second = synced(clones[1])
        assert (second["reason"], second["received"]) == ("", 1)
        first = synced(clones[0])
        assert (first["committed"], first["pushed"]) == (0, True)
        found = contents(clones[0])
        assert found == contents(clones[1])
        for path in ("n.md", "journal/2026-11-30.md", ".mindcache/ledger/shared.jsonl"):
            assert {w for w in words if w not in found[path]} == set(), path
            assert "<<<<<<<" not in found[path]
        tags = parse("n.md", found["n.md"].encode()).properties["tags"]
        assert {f"domain/{w}" for w in words} <= set(tags)  # type: ignore[arg-type]
    assert "rebase" not in git(clones[1], "reflog")


def test_what_can_not_be_merged_goes_to_a_branch_of_its_own(
    clones: tuple[Path, Path],
) -> None:
    one, other = clones
    (one / "n.md").write_text(NOTE.replace("two", "two of one"))
    (other / "n.md").write_text(NOTE.replace("two", "two of other"))
    write_files(other, {"new.md": "new"})
    assert synced(one)["pushed"]
    shape = synced(other)
    assert shape["conflicts"] == ["n.md"]
    assert (other / "n.md").read_text() == NOTE.replace("two", "two of other")
    assert under_way(str(other)) == ""
    rescue = str(shape["rescue"])
    assert rescue.startswith("mindcache-rescue/")
    git(one, "fetch", "-q")
    assert git(one, "show", f"origin/{rescue}:new.md") == "new"
    assert "two of one" in git(one, "show", "origin/main:n.md")
    waits = f"origin/{rescue} holds commits that could not be merged"
    # Who hasn't these commits merges them; who has, what they could not be merged with.
    assert f"{waits} (git merge origin/{rescue}, mend" in play(one, "doctor")[1]
    assert f"{waits} (git merge origin/main, mend" in play(other, "doctor")[1]
    # Later commits reach it too, and once a person has merged, all goes on.
    write_files(other, {"newer.md": "newer"})
    assert synced(other)["rescue"] == rescue
    git(one, "fetch", "-q")
    assert git(one, "show", f"origin/{rescue}:newer.md") == "newer"
    git(other, "merge", "origin/main", fails=True)
    assert "<<<<<<< ours\ntwo of other" in (other / "n.md").read_text()
    code, out = play(other, "remember", "A fact", "--tags", "tool/git")
    assert (code, "git is in the middle of a merge" in out) == (4, True)
    assert play(other, "git", "sync")[0] == 4
    (other / "n.md").write_text(NOTE.replace("two", "two of both"))
    git(other, "commit", "-qam", "merged")
    assert synced(other)["reason"] == ""
    assert synced(one)["received"]
    assert waits not in play(other, "doctor")[1]
    assert contents(one) == contents(other)


def test_who_pushes_in_between_is_merged_first(clones: tuple[Path, Path]) -> None:
    one, other = clones
    hook = other / ".git/hooks/pre-push"
    script = f"""#!/bin/sh
test -e {other}/.git/raced && exit 0
touch {other}/.git/raced
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git -C {one} commit -qam 'in between' && git -C {one} push -q origin main
"""
    hook.write_text(script)
    hook.chmod(0o755)
    (one / "n.md").write_text(NOTE.replace("one", "1"))
    (other / "n.md").write_text(NOTE.replace("three", "3"))
    shape = synced(other)
    assert (shape["received"], shape["pushed"]) == (1, True)
    assert (other / "n.md").read_text() == NOTE.replace("one", "1").replace(
        "three", "3"
    )


def test_what_keeps_a_sync_from_being_done_is_said(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    root = make_vault({"n.md": NOTE})
    assert "not in a git repository" in play(root, "git", "sync")[1]
    git(root, "init", "-q")
    assert "run mindcache git setup" in play(root, "git", "sync")[1]
    play(root, "git", "setup")
    code, out = play(root, "git", "sync")
    assert (code, "There is no remote" in out) == (0, True)
    git(root, "remote", "add", "origin", str(tmp_path / "nowhere"))
    code, out = play(root, "git", "sync")
    assert (code, "mindcache: git fetch:" in out) == (1, True)
    git(root, "checkout", "-q", "--detach")
    code, out = play(root, "git", "sync")
    assert (code, "no branch is checked out" in out) == (4, True)


def test_a_vault_in_a_folder_of_a_repository_leaves_the_rest_alone(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    top = make_vault(
        {"code.py": "x", "notes/n.md": NOTE, "notes/.obsidian/app.json": "{}"}
    )
    git(top, "init", "-q")
    git(top, "add", "code.py")
    git(tmp_path, "init", "-q", "--bare", "r.git")
    git(top, "remote", "add", "origin", str(tmp_path / "r.git"))
    root = top / "notes"
    assert play(root, "git", "setup", "--vault", str(root))[0] == 0
    code, out = play(root, "git", "sync", "--vault", str(root))
    assert code == 0, out
    assert git(top, "diff", "--cached", "--name-only") == "code.py\n"
    assert "notes/n.md" in git(top, "ls-tree", "-r", "--name-only", "HEAD")


# -- while git is at work -------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "what"),
    [("MERGE_HEAD", "a merge"), ("rebase-merge", "a rebase"), ("rebase-apply", "a rebase"),
     ("CHERRY_PICK_HEAD", "a cherry-pick"), ("REVERT_HEAD", "a revert")],
)  # fmt: skip
def test_nothing_is_written_while_git_waits_for_its_owner(
    make_vault: MakeVault, make_app: MakeApp, name: str, what: str
) -> None:
    root = make_vault({"n.md": NOTE})
    git(root, "init", "-q")
    app: App = make_app(root)
    with app.writing():
        pass
    (root / ".git" / name).write_text("")
    assert under_way(str(root)) == what
    (found,) = [p for p in app.doctor().problems if p.code == "git-unfinished"]
    assert f"in the middle of {what}" in found.message
    assert "--abort" in found.mend
    with pytest.raises(Refused, match=f"in the middle of {what}"), app.writing():
        pass
    (root / ".git" / name).unlink()
    with app.writing():
        pass


def test_a_command_of_git_is_waited_for(make_vault: MakeVault, tmp_path: Path) -> None:
    import threading

    root = make_vault({"n.md": NOTE, "sub/m.md": ""})
    git(root, "init", "-q")
    lock = root / ".git/index.lock"
    lock.write_text("")
    with pytest.raises(Refused, match="delete index"):
        await_git(str(root), 0.1)
    threading.Timer(0.2, lock.unlink).start()
    await_git(str(root / "sub"), 5)
    assert not lock.exists()
    git(root, "add", "n.md")
    git(root, "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert git_folder(str(tmp_path / "tree")).endswith("worktrees/tree")
    assert git_folder(os.sep) == ""


def test_a_sync_of_nothing_says_so(clones: tuple[Path, Path]) -> None:
    play(clones[0], "git", "sync")
    code, out = play(clones[0], "git", "sync")
    assert code == 0
    assert out == "Nothing to sync on main.\n"
