"""The git repository that a vault lies in: where it is, and whether git is at work.

Looks at files alone; the program `git` is `git`'s.
"""

from __future__ import annotations

import os
import time

from mindcache.errors import Refused

__all__ = ["await_git", "git_folder", "under_way", "why_waiting"]

# What git leaves in its folder for as long as something is not finished.
_UNDER_WAY = {
    "MERGE_HEAD": ("a merge", "git merge --abort"),
    "rebase-merge": ("a rebase", "git rebase --abort"),
    "rebase-apply": ("a rebase", "git rebase --abort"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "git cherry-pick --abort"),
    "REVERT_HEAD": ("a revert", "git revert --abort"),
}
_LOCK = "index.lock"
_LET_IT_END = f"let it end; if none is running, delete {_LOCK} in .git"
# A checkout of ten thousand notes takes seconds.
_PATIENCE, _A_MOMENT = 10.0, 0.05


def git_folder(root: str) -> str:
    """The folder of the repository that a folder lies in, "" where there is none."""
    folder = os.path.realpath(root)
    while True:
        found = os.path.join(folder, ".git")
        if os.path.isdir(found):
            return found
        if os.path.isfile(found):  # a work tree, or a submodule
            return _pointed_at(found)
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above


def _pointed_at(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as pointer:
            key, _, path = pointer.readline().strip().partition(": ")
    except OSError:
        return ""
    return os.path.join(os.path.dirname(file), path) if key == "gitdir" else ""


def under_way(root: str) -> str:
    """What git is in the middle of, in words; "" for nothing."""
    reason, _ = _reason(git_folder(root))
    return reason


def why_waiting(root: str) -> tuple[str, str]:
    """What git is in the middle of, and the mend; ("", "") for nothing."""
    reason, mend = _reason(git_folder(root))
    return reason, (mend or _LET_IT_END) if reason else ""


def await_git(root: str, patience: float = _PATIENCE) -> None:
    """Return once git is not at work on the vault's files.

    Raises Refused where a merge or the like waits for its owner, and where a command
    takes longer than `patience` seconds.
    """
    folder = git_folder(root)
    until = time.monotonic() + patience
    while folder:
        reason, mend = _reason(folder)
        if not reason:
            return
        if mend or time.monotonic() > until:
            raise Refused(
                f"git is in the middle of {reason}: nothing is written meanwhile",
                mend=mend or _LET_IT_END,
            )
        time.sleep(_A_MOMENT)


def _reason(folder: str) -> tuple[str, str]:
    """What is under way, and how its owner ends it ("" where it ends by itself)."""
    if not folder:
        return "", ""
    for name, (what, mend) in _UNDER_WAY.items():
        if os.path.lexists(os.path.join(folder, name)):
            return what, f"finish it, or {mend}"
    is_locked = os.path.lexists(os.path.join(folder, _LOCK))
    return ("a command" if is_locked else ""), ""
