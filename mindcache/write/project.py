"""Which project somebody works on, by where they stand."""

from __future__ import annotations

import os
import re
import subprocess

__all__ = ["project_at", "project_name"]

# git@host:owner/name.git, and any URL; a path on this machine has no owner.
_SCP = re.compile(r"(?:[^@/:]+@)?[^/:]{2,}:(?!/)(.+)")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^/]+/(.+)", re.IGNORECASE)

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


def project_at(folder: str, vault: str, home: str) -> str:
    """The project that the folder belongs to, "" where it belongs to none.

    None is the vault itself and what lies in it, the home folder and what lies above
    it. Work trees of one repository are one project.
    """
    here, vault, home = (os.path.realpath(each) for each in (folder, vault, home))
    if _is_within(here, vault):
        return ""
    common = _git(here, "rev-parse", "--path-format=absolute", "--git-common-dir")
    root = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    root = os.path.realpath(root.removesuffix(".git")) if root else here
    if _is_within(home, root):
        return ""
    remote = _git(here, "config", "--get", "remote.origin.url") if common else ""
    return project_name(remote, root)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _git(folder: str, *words: str) -> str:
    """What git says of the folder, "" when it says nothing or isn't there."""
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
