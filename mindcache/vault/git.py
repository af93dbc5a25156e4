"""What git knows of a note, where the vault is in a repository. Never writes.

Owns the one call of the program `git`: no pager, no colours, no hooks and no other
program that a repository may name, nothing fetched, and an end after `TIMEOUT`.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

__all__ = ["History", "Version", "history"]

# Seconds; following a note through 10,000 commits takes one or two.
TIMEOUT = 20.0

_RECORD, _UNIT = "\x1e", "\x1f"
_FORMAT = _UNIT.join(("%H", "%aI", "%an", "%s")) + _UNIT
_SETTINGS = (
    "core.pager=cat",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=false",
    "log.showSignature=false",
    "log.mailmap=false",
    "diff.external=",
)
_ENVIRONMENT = {
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Version:
    """One commit that touched a note.

    `date` is ISO with the author's offset, `path` where the note was then, in the
    repository's terms; `added` and `removed` count lines.
    """

    commit: str
    date: str
    author: str
    subject: str
    path: str
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class History:
    """The versions of a note, the newest first; `reason` says why there are none."""

    versions: tuple[Version, ...] = ()
    reason: str = ""


def history(root: str, path: str, limit: int = 0) -> History:
    """The commits that touched the note at `path`, through its renames.

    `limit` 0 means all. Never raises for what git can't tell: `reason` has it.
    """
    options = [option for each in _SETTINGS for option in ("-c", each)]
    words = ["--no-pager", "-C", root, *options, "log", "--follow", "--numstat", "-z"]
    words += ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames"]
    words += [f"--max-count={limit}"] if limit else []
    words += [f"--format={_RECORD}{_FORMAT}", "--", path]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    try:
        result = subprocess.run(  # noqa: S603  one program, words of ours and a path
            ["git", *words],  # noqa: S607  wherever the user has it
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**environment, **_ENVIRONMENT},
            timeout=TIMEOUT,
            check=False,
        )
    except FileNotFoundError:
        return History(reason="git is not installed")
    except subprocess.TimeoutExpired:
        return History(reason=f"git did not answer within {TIMEOUT:.0f} s")
    if result.returncode:
        return History(reason=_reason(result.stderr.decode("utf-8", "replace")))
    text = result.stdout.decode("utf-8", "replace")
    versions = tuple(_version(each) for each in text.split(_RECORD)[1:])
    return History(versions, "" if versions else "git knows no version of it yet")


def _reason(said: str) -> str:
    if "not a git repository" in said:
        return "the vault is not in a git repository"
    if "does not have any commits yet" in said:
        return "the repository has no commits yet"
    line = next((line for line in said.splitlines() if line.strip()), "no reason given")
    return f"git says: {line.removeprefix('fatal: ')}"


def _version(record: str) -> Version:
    commit, date, author, subject, stat = record.split(_UNIT, 4)
    # "\0\n12\t3\tpath\0", or for a rename "\0\n12\t3\t\0old\0new\0".
    parts = [part for part in stat.strip("\0\n").split("\0") if part]
    added, removed, path = [*(parts[0] if parts else "").split("\t"), "", "", ""][:3]
    path = path or (parts[-1] if len(parts) > 1 else "")
    return Version(commit, date, author, subject, path, _count(added), _count(removed))


def _count(text: str) -> int:
    return int(text) if text.strip().isdigit() else 0  # "-" for what is no text
