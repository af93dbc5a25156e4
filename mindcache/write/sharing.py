"""A vault that several machines share by git: set up, and brought in step.

Owns what is never done: nothing is forced, nothing rebased, and no note is taken apart.
Notes merge by `merge`, which git calls as its driver; where that can't decide, this
machine's commits go to a branch of their own, and its files stay as they are.

Git runs what a clone's own settings and hooks name. A vault that came with its `.git`,
unpacked or synced, has a stranger's: it is brought in step only once somebody on this
machine has said `git setup` to it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem, Refused
from mindcache.vault import git
from mindcache.vault.repository import git_folder, why_waiting

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from mindcache.app import App
    from mindcache.vault import Vault

__all__ = [
    "RESCUE",
    "Setup",
    "Shared",
    "programs",
    "set_up",
    "share",
    "trust",
    "unfinished",
]

# Where commits go that can't be merged: a branch for each device.
RESCUE = "mindcache-rescue"
_NAME = "merge.mindcache.name"
_DRIVER = "merge.mindcache.driver"
_TITLE = "notes by property, line and entry"
_ATTRIBUTES = ("*.md merge=mindcache", "*.jsonl merge=mindcache")
# Files of these names must merge by the driver.
_PROBES = ("a.md", "journal/a.md", "a.jsonl", ".mindcache/ledger/a.jsonl")
_IGNORED = (".mindcache/tmp/", ".*.mindcache-*.tmp")
# How often somebody else may push, or save a note, before we give it up.
_TRIES = 3
# Settings whose values git runs, and such as lead to more of them.
_RUN = re.compile(
    r"core\.(?:hookspath|sshcommand|gitproxy|askpass|alternaterefscommand)"
    r"|(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|gpg\..*program"
    r"|credential\..*helper|remote\..*\.(?:uploadpack|receivepack|vcs)"
    r"|include\.path|includeif\..*\.path)",
    re.IGNORECASE | re.DOTALL,
)
_NO_CAP = 2**62


@dataclass(frozen=True, slots=True)
class Setup:
    """What a clone needed: settings of its own, and lines in files of the vault."""

    settings: tuple[tuple[str, str], ...] = ()
    lines: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Shared:
    """What came of a sync.

    `committed` counts files, `received` and `sent` commits; `conflicts` are the paths that nobody
    but a person can merge, or that git would not, `rescue` the branch that our commits
    went to then, and `reason` why.
    """

    branch: str
    remote: str = ""
    committed: int = 0
    received: int = 0
    pushed: bool = False
    conflicts: tuple[str, ...] = ()
    rescue: str = ""
    reason: str = ""
    sent: int = 0

    @property
    def is_in_step(self) -> bool:
        """Whether what was there is merged, or nobody is there to share with."""
        return not self.reason


def set_up(vault: Vault, driver: str, *, dry_run: bool = False) -> Setup:
    """Make this clone merge notes by `driver`, and what it needs for that.

    Done again it changes nothing. Hooks are neither needed nor touched. Raises Refused
    where the vault is in no repository, and what `Vault.replace` raises.
    """
    root = _repository(vault)
    wanted = ((_NAME, _TITLE), (_DRIVER, driver))
    settings = tuple(
        (key, value) for key, value in wanted if _setting(root, key) != value
    )
    attributes = git.told(root, "check-attr", "merge", "--", *_PROBES)
    has_all = attributes.out.count(": merge: mindcache\n") == len(_PROBES)
    lines = [] if has_all else _missing(vault, ".gitattributes", _ATTRIBUTES)
    lines += _missing(vault, ".gitignore", _IGNORED)
    if not dry_run:
        for key, value in settings:
            _do(root, "config", "--local", key, value)
        for path in dict.fromkeys(path for path, _ in lines):
            _append(vault, path, [line for each, line in lines if each == path])
    return Setup(settings, tuple(lines))


def unfinished(vault: Vault) -> list[Problem]:
    """What git has not ended here, and commits that wait on a branch of their own."""
    found = []
    reason, mend = why_waiting(vault.root)
    if reason:
        message = f"git is in the middle of {reason}: no note is written meanwhile"
        found.append(Problem(".git", 0, "git-unfinished", message, mend))
    for branch, missing in _rescued(vault.root):
        message = f"{branch} holds commits that could not be merged"
        mend = f"git merge {missing}, mend what conflicts, then mindcache git sync"
        found.append(Problem(".git", 0, "git-unfinished", message, mend))
    return found


def _rescued(root: str) -> list[tuple[str, str]]:
    """The branches with commits of a device that the shared branch has not.

    Each with what is to be merged here: that branch, or on the device whose commits they
    are, which has them, the shared one.
    """
    if not git_folder(root):
        return []
    listing = ("for-each-ref", "--format=%(refname)", f"refs/remotes/*/{RESCUE}/*")
    try:
        waiting = git.told(root, *listing).out.split()
        head = git.told(root, "symbolic-ref", "--short", "HEAD") if waiting else None
        if head is None or not head.is_done:
            return []
        branch = head.out.strip()
        pairs = (_missing_here(root, ref, branch) for ref in waiting)
        return [pair for pair in pairs if pair is not None]
    except MindcacheError:
        return []  # without the program there is nothing to tell


def _missing_here(root: str, ref: str, branch: str) -> tuple[str, str] | None:
    """A branch of rescued commits with what is to be merged; None where nothing is."""
    shared = f"{ref.partition(f'/{RESCUE}/')[0]}/{branch}"
    if _is_within(root, ref, shared) is not False:
        return None
    name, other = (each.removeprefix("refs/remotes/") for each in (ref, shared))
    return name, other if _is_within(root, ref, "HEAD") else name


def _is_within(root: str, one: str, other: str) -> bool | None:
    """Whether one commit is part of another's past; None where git can't tell."""
    code = git.told(root, "merge-base", "--is-ancestor", one, other).code
    return {0: True, 1: False}.get(code)


def programs(vault: Vault) -> list[str]:
    """What this clone's own settings and hooks let git run, ours left out, sorted."""
    listed = git.told(vault.root, "config", "--local", "--null", "--list").out
    found = []
    for each in listed.split("\0"):
        key, _, value = each.partition("\n")
        if _RUN.fullmatch(key) and key != _DRIVER:
            found.append(f"{key} = {value}")
    folder = os.path.join(git_folder(vault.root), "hooks")
    try:
        names = os.listdir(folder)
    except OSError:
        names = []
    hooks = (n for n in names if not n.endswith(".sample"))
    found += [
        f"hooks/{name}" for name in hooks if os.access(f"{folder}/{name}", os.X_OK)
    ]
    return sorted(found)


def trust(app: App) -> None:
    """Note on this machine that its owner set this clone up. Raises MindcacheError."""
    path = _trusted(app)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "ab"):
            pass
    except OSError as error:
        raise MindcacheError(
            f"{path}: can't be written: {error.strerror}", mend="check its permissions"
        ) from error


def _trusted(app: App) -> str:
    return os.path.join(app.state_folder, "git", os.path.basename(app.cache_folder))


def _repository(vault: Vault) -> str:
    if not git_folder(vault.root):
        raise Refused(
            "the vault is not in a git repository",
            mend="git init in it, or clone the one that you share",
        )
    return vault.root


def _setting(root: str, key: str) -> str:
    return git.told(root, "config", "--local", "--get", key).out.removesuffix("\n")


def _read(vault: Vault, path: str) -> bytes | None:
    try:
        data, _ = vault.read(path, _NO_CAP)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MindcacheError(f"{path} can't be read: {error.strerror}") from error
    return data


def _missing(vault: Vault, path: str, lines: tuple[str, ...]) -> list[tuple[str, str]]:
    there = (_read(vault, path) or b"").decode("utf-8", "replace").split("\n")
    known = {line.strip() for line in there}
    return [(path, line) for line in lines if line not in known]


def _append(vault: Vault, path: str, lines: list[str]) -> None:
    before = _read(vault, path)
    text = "".join(f"{line}\n" for line in lines).encode()
    if before is None:
        vault.create(path, text)
    else:
        gap = b"\n" if before and not before.endswith(b"\n") else b""
        vault.replace(path, before + gap + text, before)


def _do(root: str, *words: str) -> str:
    """What git says; raises MindcacheError where it won't."""
    said = git.told(root, *words)
    if not said.is_done:
        raise MindcacheError(f"git {words[0]}: {said.why}")
    return said.out


# -- in step --------------------------------------------------------------------------


def share(app: App) -> Shared:
    """Commit the vault, fetch, merge and push.

    Raises Refused where git is in the middle of something or the clone isn't set up,
    and MindcacheError where git can't do it, with what it said.
    """
    root = _repository(app.vault)
    with app.writing():
        if not (_setting(root, _DRIVER) and os.path.exists(_trusted(app))):
            raise Refused(
                "this clone was not set up on this machine",
                mend="run mindcache git setup",
            )
        head = git.told(root, "symbolic-ref", "--quiet", "--short", "HEAD")
        if not head.is_done:
            raise Refused(
                "no branch is checked out", mend="git switch to the one you share"
            )
    shared = _Share(root, head.out.strip(), app.device, app.writing).done()
    if shared.received:
        app.update()
    return shared


class _Share:
    """One sync of a branch; a device's name is what its commits are known by.

    `alone` keeps others from writing, which they may while a remote is talked to.
    """

    def __init__(
        self,
        root: str,
        branch: str,
        device: str,
        alone: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.root = root
        self.alone = alone
        self.branch = branch
        self.device = device
        self.committed = 0
        self.received = 0
        self.remote, self.target = self._upstream()

    def done(self) -> Shared:
        """Do it, and say what came of it. Raises MindcacheError."""
        self._commit()
        if not self.remote:
            return self._said()
        reason = ""
        for _ in range(_TRIES):
            _do(self.root, "fetch", "--quiet", self.remote)
            with self.alone():
                conflicts, reason = self._merge()
            if conflicts or reason:
                if not conflicts and self._commit():
                    continue  # saved meanwhile: git does not merge over it
                return self._rescued(conflicts, reason)
            ahead = self._ahead()
            pushed = self._push()
            if pushed.is_done:
                return self._said(pushed=True, sent=ahead)
            reason = pushed.why
        return self._rescued((), reason)

    def _ahead(self) -> int:
        """How many commits the remote hasn't, as far as the last fetch knows."""
        there = git.told(self.root, "rev-parse", "--quiet", "--verify", self._theirs)
        span = f"{self._theirs}..HEAD" if there.is_done else "HEAD"
        return int(_do(self.root, "rev-list", "--count", span))

    def _said(self, **more: object) -> Shared:
        return Shared(
            self.branch, self.remote, self.committed, self.received, **more,  # type: ignore[arg-type]
        )  # fmt: skip

    def _upstream(self) -> tuple[str, str]:
        """The remote, and the name of the branch there; ("", "") without a remote."""
        remote = _setting(self.root, f"branch.{self.branch}.remote")
        target = _setting(self.root, f"branch.{self.branch}.merge")
        if remote and remote != "." and target:
            return remote, target.removeprefix("refs/heads/")
        remotes = _do(self.root, "remote").split()
        if not remotes:
            return "", ""
        named = "origin" if "origin" in remotes else remotes[0]
        if len(remotes) > 1 and named != "origin":
            raise Refused(
                f"which of {', '.join(remotes)} is shared?",
                mend=f"git branch --set-upstream-to REMOTE/{self.branch}",
            )
        return named, self.branch

    def _commit(self) -> int:
        """Commit what is new in the vault; the number of files."""
        with self.alone():
            _do(self.root, "add", "--all", "--", ".")
            listed = _do(self.root, "diff", "--cached", "--name-only", "-z", "--", ".")
            count = len([path for path in listed.split("\0") if path])
            if count:
                noun = "file" if count == 1 else "files"
                message = f"{count} {noun} of the vault from {self.device}"
                _do(self.root, "commit", "--quiet", "--message", message, "--", ".")
        self.committed += count
        return count

    @property
    def _theirs(self) -> str:
        return f"refs/remotes/{self.remote}/{self.target}"

    def _merge(self) -> tuple[tuple[str, ...], str]:
        """The paths that conflict, and why it could not be merged: both empty if it was.

        It is tried beside the files first: those of a merge that stops are in nobody's
        way.
        """
        if not git.told(
            self.root, "rev-parse", "--verify", "--quiet", self._theirs
        ).out:
            return (), ""
        count = _do(self.root, "rev-list", "--count", f"HEAD..{self._theirs}")
        if not int(count):
            return (), ""
        tried = git.told(
            self.root, "merge-tree", "--write-tree", "--name-only", "-z",
            "HEAD", self._theirs,
        )  # fmt: skip
        if tried.code == 1:
            names = tried.out.split("\0")[1:]
            paths = names[: names.index("")] if "" in names else names
            return tuple(dict.fromkeys(paths)), "both sides changed the same"
        said = self._taken(tried)
        if said.is_done:
            self.received += int(count)
            return (), ""
        listed = git.told(
            self.root, "diff", "--name-only", "--diff-filter=U", "-z", "--relative"
        )
        paths = [path for path in listed.out.split("\0") if path]
        if os.path.exists(os.path.join(git_folder(self.root), "MERGE_HEAD")):
            _do(self.root, "merge", "--abort")
        return tuple(paths), said.why

    def _taken(self, tried: git.Said) -> git.Said:
        """What was tried becomes what is there.

        Not one note is merged again: with a process for each that is most of the time.
        """
        message = f"Merge what others wrote into {self.branch}"
        behind = git.told(
            self.root, "merge-base", "--is-ancestor", "HEAD", self._theirs
        )
        if tried.is_done and behind.code == 1:
            tree = tried.out.split("\0")[0].strip()
            made = git.told(
                self.root, "commit-tree", *self._signed(), tree,
                "-p", "HEAD", "-p", self._theirs, "-m", message,
            )  # fmt: skip
            commit = made.out.strip()
            if made.is_done:
                said = git.told(self.root, "merge", "--quiet", "--ff-only", commit)
                if said.is_done:
                    return said
        return git.told(
            self.root, "merge", "--quiet", "--message", message, self._theirs
        )

    def _signed(self) -> list[str]:
        """What makes a commit be signed, where its owner wants that of each."""
        asked = ("config", "--type=bool", "--get", "commit.gpgsign")
        return ["-S"] if git.told(self.root, *asked).out.strip() == "true" else []

    def _push(self, target: str = "") -> git.Said:
        where = f"HEAD:refs/heads/{target or self.target}"
        return git.told(self.root, "push", "--quiet", self.remote, where)

    def _rescued(self, conflicts: tuple[str, ...], reason: str) -> Shared:
        """Our commits on a branch of their own; nothing is merged."""
        name = f"{RESCUE}/{self.device}"
        if not self._push(name).is_done:
            # Of another clone of this device, or of what was there before.
            name += "-" + _do(self.root, "rev-parse", "--short=10", "HEAD").strip()
            if not self._push(name).is_done:
                name = ""
        return self._said(conflicts=conflicts, rescue=name, reason=reason)
