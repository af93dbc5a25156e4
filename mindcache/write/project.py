"""Which project somebody works on, by where they stand."""

from __future__ import annotations

import os
import re
import stat
from typing import NamedTuple

from mindcache.lazy import regex

__all__ = ["Project", "find_project", "project_at", "project_name"]

# git@host:owner/name.git, and any URL; a path on this machine has no owner.
_SCP = regex(r"(?:[^@/:]+@)?[^/:]{2,}:(?!/)(.+)")
_URL = regex(r"[a-z][a-z0-9+.-]*://[^/]+/(.+)", re.IGNORECASE)

# The part of a repository's settings about `origin`, and the address in it.
_ORIGIN = regex(r'\[remote[ \t]+"origin"\][^\n]*\n((?:[ \t]*(?:[^\s\[][^\n]*)?\n)*)')
_ADDRESS = regex(r"^[ \t]*url[ \t]*=[ \t]*(\S[^\n#;]*)", re.MULTILINE)
# Characters of a file of git's; settings with a thousand branches have fewer.
_LARGEST = 1 << 20

# Git answers from a file; who waits longer has a broken disk.
_PATIENCE_SECONDS = 5


def project_name(remote: str, folder: str) -> str:
    """The project's name: `owner/name` of the git remote, else the folder's name.

    "" when neither tells one. A password in the remote is no part of the name.
    """
    remote = remote.strip().rstrip("/")
    is_file = remote.casefold().startswith("file:")
    match = None if is_file else _URL.fullmatch(remote) or _SCP.fullmatch(remote)
    if match:
        name = match[1].removesuffix(".git").strip("/")
        if name:
            return name
    return os.path.basename(folder.rstrip("/\\"))


class Project(NamedTuple):
    """A project by its name, and the folder of this work tree, where its files lie."""

    name: str
    root: str


def project_at(folder: str, vault: str, home: str) -> str:
    """The project that the folder belongs to, "" where it belongs to none.

    None is the vault itself and what lies in it, the home folder and what lies above
    it. Work trees of one repository are one project.
    """
    found = find_project(folder, vault, home)
    return found.name if found else ""


def find_project(folder: str, vault: str, home: str) -> Project | None:
    """As `project_at`, with the top of the work tree; None for no project."""
    here, vault, home = (os.path.realpath(each) for each in (folder, vault, home))
    if _is_within(here, vault):
        return None
    tree, common = _repository(here)
    root = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    root = os.path.realpath(root.removesuffix(".git")) if root else here
    if _is_within(home, root) or _is_within(home, tree or here):
        return None
    name = project_name(_remote(common) if common else "", root)
    return Project(name, tree or here) if name else None


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _repository(here: str) -> tuple[str, str]:
    """(top of the work tree, folder that all its work trees share), "" for none.

    As git looks for them, without git: two of its processes cost more than a hook may.
    """
    at = here
    while True:
        dot = os.path.join(at, ".git")
        if _is_repository(dot):
            return at, dot
        if common := _linked(at, _read(dot)):
            return at, common
        if _is_repository(at):
            return at, at
        parent = os.path.dirname(at)
        if parent == at:
            return "", ""
        at = parent


def _is_repository(folder: str) -> bool:
    return all(
        os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects")
    )


def _linked(at: str, text: str) -> str:
    """The shared folder that a `.git` file leads to, "" where it is none."""
    if not text.startswith("gitdir:"):
        return ""
    own = os.path.normpath(os.path.join(at, text.removeprefix("gitdir:").strip()))
    if not os.path.exists(os.path.join(own, "HEAD")):
        return ""
    shared = _read(os.path.join(own, "commondir")).strip()
    return os.path.realpath(os.path.join(own, shared)) if shared else own


def _read(path: str) -> str:
    """A small file of git's, "" where it can't be read or is no plain file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except OSError:
        return ""


def _remote(common: str) -> str:
    """The address of `origin`, "" without one."""
    text = _read(os.path.join(common, "config")) + "\n"
    found = _ORIGIN.search(text)
    url = _ADDRESS.search(found[1]) if found else None
    if url is not None:
        return url[1].strip().strip('"')
    if "[include" not in text.lower():
        return ""
    return _git(common, "config", "--get", "remote.origin.url")


def _git(folder: str, *words: str) -> str:
    """What git says of the folder, "" when it says nothing or isn't there."""
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603  our own words, no shell
            ["git", "-C", folder, *words],  # noqa: S607  the user's git
            capture_output=True,
            text=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
