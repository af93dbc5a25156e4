"""What a note said before, as far as this machine still has it, and merging by that.

Looks into what was remembered of a shared vault, where Syncthing keeps what it replaced
(`.stversions`), and into git's history.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from mindcache.errors import MindcacheError, Refused
from mindcache.merge import (
    How,
    Merged,
    Version,
    merge,
    merge_by_earlier,
    merge_by_versions,
)
from mindcache.vault import git
from mindcache.vault.repository import git_folder

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.versions import Versions

__all__ = ["Joined", "earlier_versions", "joined"]

_KEPT = ".stversions"
_AT = re.compile(r"~\d{8}-\d{6}")
# The latest will do, or none.
_MOST = 20
_LARGEST = 2**20
# More machines than these may write what is taken for somebody else's.
_PAIR = 2
# Folders in which each machine has a file of its own.
_EACH_ITS_OWN = (".mindcache/access", ".mindcache/ledger")

# What Obsidian leaves there on a phone, which has no Mindcache.
_OF_A_PHONE = ".obsidian/workspace-mobile.json"
# Whose version lost, in the name of a copy of Syncthing's; `MINDC01` are our own copies.
_DEVICE = re.compile(r"\.sync-conflict-\d{8}-\d{6}-(?!MINDC)([A-Z0-9]{7})\.md")

_HOWS: dict[str, How] = {
    "born": "born",
    "arrived": "arrived",
    "changed": "changed",
}


class Joined(NamedTuple):
    """Two versions of a note in one, and the base that it was done by, in words.

    `base` is "" where none was needed or none is known.
    """

    merged: Merged
    base: str = ""


def joined(app: App, path: str, ours: bytes, theirs: bytes) -> Joined:
    """Both versions of the note at `path` merged by what this machine knows of it.

    Nothing is certain that an earlier version, surely the base of both, says otherwise.
    """
    plain = merge(path, None, ours, theirs)
    if not path.casefold().endswith(".md"):
        return Joined(plain)
    sides = (ours, theirs)
    found = _on_remembered(app, path, sides)
    replaced = _replaced(app, path)
    found = found or _on_versions(path, _called("in .stversions", replaced), sides)
    if found is not None or plain.is_certain:
        return found or Joined(plain)
    committed = _committed(app.vault.root, path)
    found = _on_versions(path, _called("in git's history", committed), sides)
    if found is None:
        merged = merge_by_earlier(path, [*replaced, *committed], ours, theirs)
        found = None if merged is None else Joined(merged, "an earlier version")
    return found or Joined(plain)


def _called(where: str, latest_first: Sequence[bytes]) -> list[tuple[Version, str]]:
    """Versions of which nothing else is known, the oldest first, with their name."""
    return [(Version(text), f"a version {where}") for text in latest_first[::-1]]


def _on_versions(
    path: str,
    versions: Sequence[tuple[Version, str]],
    sides: tuple[bytes, bytes],
    *,
    is_pair: bool = False,
) -> Joined | None:
    """Merged on one of these, each with what it is called; None where none is proven."""
    based = merge_by_versions(
        path, [version for version, _ in versions], *sides, is_pair=is_pair
    )
    if based is None:
        return None
    if based.base is None:
        return Joined(based.merged)
    return Joined(based.merged, versions[based.base][1])


def _on_remembered(app: App, path: str, sides: tuple[bytes, bytes]) -> Joined | None:
    """Merged on what was remembered of a note; what can't be read is a remark."""
    versions = app.versions
    if versions is None:
        return None
    try:
        kept = versions.of(path)
        is_pair = bool(kept) and _is_pair(app, versions)
    except MindcacheError as error:
        app.remarks.append(str(error))
        return None
    seen = [
        (
            Version(
                each.data,
                _HOWS.get(each.how, "unknown"),
                each.is_first,
                each.is_followed,
            ),
            f"the version that was here on {each.seen[:16].replace('T', ' at ')}",
        )
        for each in kept
    ]
    return _on_versions(path, seen, sides, is_pair=is_pair)


def _is_pair(app: App, versions: Versions) -> bool:
    """Whether two machines share the vault: it is said so, and nothing speaks against it.

    A third one that is not known of may have written what would be taken for the other's.
    Raises MindcacheError.
    """
    if app.settings.number("machines") != _PAIR:
        return False
    copies = (p.path for p in app.reader().problems() if p.code == "conflict-copy")
    losers = {found[1] for path in copies if (found := _DEVICE.search(path))}
    named = set()
    for folder in _EACH_ITS_OWN:
        try:
            names = os.listdir(os.path.join(app.vault.root, folder))
        except OSError:
            continue
        named |= {name for name in names if name.endswith(".jsonl")}
    phones = app.vault.exists(_OF_A_PHONE)
    return max(versions.devices(losers), len(named) + phones) <= _PAIR


def earlier_versions(app: App, path: str) -> list[bytes]:
    """The texts of a note that this machine had before; the latest first.

    Those of Syncthing go before those of git.
    """
    return [*_replaced(app, path), *_committed(app.vault.root, path)]


def _replaced(app: App, path: str) -> list[bytes]:
    folder, _, name = path.rpartition("/")
    stem, ending = os.path.splitext(name)
    where = f"{_KEPT}/{folder}" if folder else _KEPT
    try:
        names = os.listdir(os.path.join(app.vault.root, where))
    except OSError:
        return []
    dated = [
        each
        for each in names
        if each.startswith(stem)
        and each.endswith(ending)
        and _AT.fullmatch(each[len(stem) : len(each) - len(ending)])
    ]
    # Without a date: the one that its trash can has.
    found = [*sorted(dated, reverse=True), *(each for each in names if each == name)]
    texts = (_read(app, f"{where}/{each}") for each in found[:_MOST])
    return [text for text in texts if text is not None]


def _read(app: App, path: str) -> bytes | None:
    try:
        return app.vault.read(path, _LARGEST)[0]
    except (OSError, Refused):
        return None


def _committed(root: str, path: str) -> list[bytes]:
    if not git_folder(root):
        return []
    texts = []
    for version in git.history(root, path, _MOST).versions:
        said = git.told(root, "show", f"{version.commit}:{version.path}")
        if said.is_done and "\ufffd" not in said.out:
            texts.append(said.out.encode())
    return texts
