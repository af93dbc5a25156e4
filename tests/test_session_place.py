"""Where a hook stands, whatever lies in the folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from mindcache.session.entry import vault_meant
from mindcache.session.place import Place, place_at


@pytest.fixture
def code(tmp_path: Path) -> Path:
    root = tmp_path / "home" / "code" / "site"
    (root / "deep").mkdir(parents=True)
    git(root, "init", "-q")
    git(root, "remote", "add", "origin", "git@example.org:acme/site.git")
    git(root, "commit", "-q", "--allow-empty", "-m", "one")
    return root


def git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=I", "-c", "user.email=i@example.org")
    subprocess.run(
        ["git", "-C", str(folder), *name, *words], check=True, capture_output=True
    )


def at(folder: Path) -> Place:
    home = next(p for p in (folder, *folder.parents) if p.name == "home")
    return place_at(str(folder), str(home / "vault"), str(home))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        (
            "Mindcache: convention/python, client/acme",
            ("convention/python", "client/acme"),
        ),
        (
            "# Site\n\n- **Mindcache:** `tool/git`, #Client/Acme\n",
            ("tool/git", "client/acme"),
        ),
        ("<!-- Mindcache: domain/fares -->", ("domain/fares",)),
        ("We like Mindcache: it is good", ()),
        ("Mindcache:", ()),
        ("Mindcache: client, scope/global, ../../etc/passwd, a b c/\x1b[31m", ()),
    ],
)
def test_a_line_declares_tags(code: Path, text: str, tags: tuple[str, ...]) -> None:
    (code / "CLAUDE.md").write_text(text)
    assert at(code).tags == tags
    assert at(code / "deep").tags == tags


def test_a_settings_file_declares_tags_and_nothing_else(code: Path) -> None:
    (code / ".mindcache.toml").write_text(
        'vault = "/evil"\ntags = [\n  "tool/dbt", # ours\n  \'client/acme\',\n]\n'
    )
    assert at(code).tags == ("tool/dbt", "client/acme")


def test_what_names_no_subject_is_counted(code: Path) -> None:
    (code / "CLAUDE.md").write_text("Mindcache: client, scope/global, tool/git")
    assert at(code) == Place("acme/site", str(code), ("tool/git",), 2)


def test_a_folder_below_adds_its_own(code: Path) -> None:
    (code / "CLAUDE.md").write_text("Mindcache: tool/git")
    (code / "deep" / "CLAUDE.md").write_text("Mindcache: tool/dbt")
    assert at(code / "deep").tags == ("tool/dbt", "tool/git")
    assert at(code).tags == ("tool/git",)


def test_work_trees_are_one_project_and_declare_by_their_own_files(code: Path) -> None:
    (code / "CLAUDE.md").write_text("Mindcache: tool/git")
    other = code.parent / "elsewhere"
    git(code, "worktree", "add", "-q", str(other))
    (other / "CLAUDE.md").write_text("Mindcache: tool/dbt")
    assert at(other) == Place("acme/site", str(other), ("tool/dbt",))


def test_home_is_no_project_and_declares_nothing(code: Path) -> None:
    home = code.parents[1]
    (home / "CLAUDE.md").write_text("Mindcache: client/acme")
    (home / "vault").mkdir()
    for folder in (home, home / "vault"):
        assert at(folder) == Place()
    assert at(code).tags == ()


def test_odd_files_neither_hang_nor_fail(code: Path) -> None:
    os.mkfifo(code / "CLAUDE.md")
    (code / ".mindcache.toml").mkdir()
    assert at(code).tags == ()
    (code / "CLAUDE.md").unlink()
    (code / "CLAUDE.md").write_bytes(b"\xff\xfe\0" * 100_000 + b"\nMindcache: tool/git")
    assert at(code).tags == ()
    (code / "CLAUDE.md").write_text(
        "Mindcache: " + ", ".join(f"tool/t{n}" for n in range(500))
    )
    assert len(at(code).tags) == 16


def test_a_broken_repository_is_only_a_folder(tmp_path: Path) -> None:
    root = tmp_path / "home" / "odd"
    root.mkdir(parents=True)
    (root / ".git").write_text("gitdir: /nowhere\n")
    assert at(root).project == "odd"
    (root / ".git").write_bytes(b"\0" * 100)
    assert at(root).project == "odd"


def test_settings_with_many_lines_are_read_in_no_time(code: Path) -> None:
    config = code / ".git" / "config"
    config.write_text('[remote "origin"]\n' + "\n \n\t" * 100_000 + "x" * 100_000)
    assert at(code).project == "site"


def test_a_cloned_vault_is_not_the_vault(tmp_path: Path, monkeypatch) -> None:
    clone = tmp_path / "clone"
    (clone / ".mindcache").mkdir(parents=True)
    monkeypatch.chdir(clone)
    assert vault_meant() == ""
    mine = tmp_path / "mine"
    mine.mkdir()
    monkeypatch.setenv("MINDCACHE_VAULT", str(mine))
    assert vault_meant() == str(mine)
    monkeypatch.setenv("MINDCACHE_VAULT", str(tmp_path / "gone"))
    assert vault_meant() == ""
