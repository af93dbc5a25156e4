"""The program `git`: what it knows of a note, and its words for whoever shares a vault.

Owns the two ways in which it is called. Asked for a history it runs no pager, no hooks
and no other program that a repository may name, fetches nothing, and ends after
`TIMEOUT`; told to share a vault it runs as its owner would run it, hooks and filters
that he set up included, and asks nobody. In neither way does a folder among the notes
count as a repository of its own, nor does a monitor run, its own or a nested one's.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

from mindcache.errors import MindcacheError

__all__ = ["History", "Said", "Version", "history", "told"]

# Seconds; following a note through 10,000 commits takes one or two.
TIMEOUT = 20.0
# Fetching and pushing a vault over a slow line.
_LONG = 600.0
# What another repository's hook may have set around us.
_OF_ONE_REPOSITORY = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
    }
)

_RECORD, _UNIT = "\x1e", "\x1f"
_FORMAT = _UNIT.join(("%H", "%aI", "%an", "%s")) + _UNIT
# A pull may bring files that look like a repository without `.git` around them, with
# settings and hooks; and git asks the monitor of whatever repository it finds below.
_ALWAYS = (
    "core.fsmonitor=false",
    "core.quotePath=false",
    "safe.bareRepository=explicit",
)
_SETTINGS = (
    *_ALWAYS,
    "core.pager=cat",
    f"core.hooksPath={os.devnull}",
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
        result = _run(words, {**environment, **_ENVIRONMENT}, TIMEOUT)
    except MindcacheError as error:
        return History(reason=error.message)
    if result.returncode:
        return History(reason=_reason(result.stderr.decode("utf-8", "replace")))
    text = result.stdout.decode("utf-8", "replace")
    versions = tuple(_version(each) for each in text.split(_RECORD)[1:])
    return History(versions, "" if versions else "git knows no version of it yet")


@dataclass(frozen=True, slots=True)
class Said:
    """How git ended, and what it said; `why` is its last word on what went wrong."""

    code: int
    out: str
    why: str

    @property
    def is_done(self) -> bool:
        """Whether git did what it was told."""
        return self.code == 0


def told(root: str, *words: str) -> Said:
    """Run git in a folder as its owner would, but for questions and editors.

    Raises MindcacheError where there is no git, or it takes ten minutes.
    """
    environment = {k: v for k, v in os.environ.items() if k not in _OF_ONE_REPOSITORY}
    environment |= {
        "GIT_EDITOR": "true",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_MERGE_AUTOEDIT": "no",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    environment.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    options = [option for each in _ALWAYS for option in ("-c", each)]
    call = ["--no-pager", "-C", root, *options, *words]
    result = _run(call, environment, _LONG)
    out = result.stdout.decode("utf-8", "replace")
    error = result.stderr.decode("utf-8", "replace")
    lines = [line.strip() for line in (error or out).splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:", " !", "!"))]
    why = (told or lines or ["no reason given"])[-1]
    return Said(result.returncode, out, why.removeprefix("fatal: "))


def _run(
    words: list[str], environment: dict[str, str], seconds: float
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603  one program, words of ours and paths
            ["git", *words],  # noqa: S607  wherever the user has it
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError as error:
        raise MindcacheError("git is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise MindcacheError(f"git did not answer within {seconds:.0f} s") from error


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
