"""What a note said before, as far as this machine still has it.

Looks where Syncthing keeps what it replaced (`.stversions`), and into git's history.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from mindcache.errors import Refused
from mindcache.vault import git
from mindcache.vault.repository import git_folder

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["earlier_versions"]

_KEPT = ".stversions"
_AT = re.compile(r"~\d{8}-\d{6}")
# The latest will do, or none.
_MOST = 20
_LARGEST = 2**20


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
