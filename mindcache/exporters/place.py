"""Where an export may be written: outside of the vault, and over nothing but its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Refused, UsageError

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Destination", "file_at", "folder_at"]


@dataclass(frozen=True, slots=True)
class Destination:
    """The path as the caller gave it ("-" for stdout), and whether ours may go."""

    path: str
    force: bool = False


def file_at(app: App, wanted: Destination, is_ours: Callable[[str], bool]) -> str:
    """The full path of a file that may be written.

    `is_ours` says of a file whether an export of this kind wrote it. Raises Refused
    for a place in the vault or a name that is taken, UsageError for no file's name.
    """
    full = _outside(app, wanted)
    if os.path.isdir(full):
        raise UsageError(f"{wanted.path} is a folder", mend="name a file to write")
    if os.path.lexists(full):
        _check_ours(wanted, ours=is_ours(full))
    return full


def folder_at(app: App, wanted: Destination, is_ours: Callable[[str], bool]) -> str:
    """The full path of a folder that may be made anew; likewise.

    An empty folder may always be taken.
    """
    full = _outside(app, wanted)
    if not os.path.lexists(full):
        return full
    if not os.path.isdir(full):
        raise Refused(f"{wanted.path} is a file", mend="name a folder to be made")
    if os.listdir(full):
        _check_ours(wanted, ours=is_ours(full))
    return full


def _outside(app: App, wanted: Destination) -> str:
    if not wanted.path.strip():
        raise UsageError("--to names nothing", mend="give a path")
    if wanted.path == "-":
        raise UsageError("only JSON goes to stdout", mend="give a path with --to")
    full = os.path.realpath(os.path.expanduser(wanted.path))
    root = app.vault.root
    if full == root or full.startswith(root.rstrip(os.sep) + os.sep):
        raise Refused(
            f"{wanted.path} lies in the vault", mend="choose a place outside of it"
        )
    if root.startswith(full.rstrip(os.sep) + os.sep):
        raise Refused(f"the vault lies in {wanted.path}", mend="choose another place")
    folder = os.path.dirname(full)
    if not os.path.isdir(folder):
        raise MindcacheError(f"there is no folder {folder}", mend="make it first")
    return full


def _check_ours(wanted: Destination, *, ours: bool) -> None:
    if not ours:
        raise Refused(
            f"{wanted.path} is there already, and is not just what an export wrote",
            mend="choose another place; --force replaces only what an export wrote",
        )
    if not wanted.force:
        raise Refused(
            f"{wanted.path} is there already",
            mend="choose another place; --force replaces what an export wrote",
        )
