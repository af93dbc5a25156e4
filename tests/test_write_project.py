"""Which project a folder belongs to."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mindcache.write.project import project_at, project_name


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("git@github.com:acme/site.git", "acme/site"),
        ("https://github.com/acme/site", "acme/site"),
        ("https://ida:token@git.example.org/acme/web/site.git/", "acme/web/site"),
        ("ssh://git@example.org:22/acme/site.git", "acme/site"),
        ("/srv/git/site.git", "folder"),
        ("file:///srv/git/site.git", "folder"),
        ("../site.git", "folder"),
        ("C:/repos/site", "folder"),
        ("", "folder"),
    ],
)
def test_project_name(remote: str, name: str) -> None:
    assert project_name(remote, "/home/ida/folder") == name


def git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=I", "-c", "user.email=i@example.org")
    subprocess.run(
        ["git", "-C", str(folder), *name, *words], check=True, capture_output=True
    )


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "home" / "code" / "site"
    (root / "deep" / "er").mkdir(parents=True)
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "one")
    return root


def at(folder: Path, home: Path, vault: str = "vault") -> str:
    return project_at(str(folder), str(home / vault), str(home))


def test_a_repository_and_its_folders_are_one_project(repo: Path) -> None:
    home = repo.parents[1]
    assert at(repo / "deep" / "er", home) == "site"
    git(repo, "remote", "add", "origin", "git@example.org:acme/site.git")
    assert at(repo / "deep" / "er", home) == "acme/site"


def test_a_work_tree_is_the_same_project(repo: Path) -> None:
    other = repo.parent / "elsewhere"
    git(repo, "worktree", "add", "-q", str(other))
    assert at(other, repo.parents[1]) == "site"


def test_a_folder_without_git_goes_by_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "drafts"
    folder.mkdir(parents=True)
    assert at(folder, tmp_path / "home") == "drafts"


def test_home_and_the_vault_are_no_project(repo: Path) -> None:
    home = repo.parents[1]
    git(home, "init", "-q")  # dotfiles under git
    (home / "vault" / "memory").mkdir(parents=True)
    (home / "loose").mkdir()
    for folder in (home, home.parent, Path("/"), home / "vault", home / "loose"):
        assert at(folder, home) == "", folder
    assert at(home / "vault" / "memory", home) == ""
    assert at(repo, home) == "site"
