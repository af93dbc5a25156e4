"""Which files of the vault a command's PATHs mean."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mindcache.errors import AmbiguousName, NoteNotFound, UsageError
from mindcache.vault import Vault

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["exact_note", "in_vault", "notes_at", "vault_path"]


def vault_path(vault: Vault, given: str) -> str:
    """A path as the vault has it: relative to its root, forward slashes.

    A path is first taken as the shell sees it, from where we stand, and then
    as one from the vault's root. Raises UsageError when it is empty, or leaves
    the vault.
    """
    wanted = given.strip()
    if not wanted:
        raise UsageError("a path is empty", mend="give one; . is all that is here")
    here = _here(os.path.expanduser(wanted))
    inside = _inside(vault.root, here) if here else None
    if inside is not None and (os.path.isabs(wanted) or os.path.lexists(here)):
        return inside
    from_root = _inside(vault.root, os.path.join(vault.root, wanted))
    if from_root is None:
        raise UsageError(
            f"{given} is not in the vault {vault.root}",
            mend="name a note of this vault, or another vault with --vault",
        )
    return from_root


def _here(path: str) -> str:
    """The path from where we stand, "" when that folder is gone."""
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        return ""


def _inside(root: str, path: str) -> str | None:
    """The path from the root, None when it lies elsewhere."""
    folder = os.path.realpath(os.path.dirname(path))
    real = os.path.normpath(os.path.join(folder, os.path.basename(path)))
    if real == root:
        return ""
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        return None
    return os.path.relpath(real, root).replace(os.sep, "/")


def in_vault(vault: Vault, given: str) -> str:
    """A name of a note; where it is a path from where we stand, the vault's path."""
    here = _here(os.path.expanduser(given.strip()))
    inside = _inside(vault.root, here) if here and os.path.lexists(here) else None
    return inside or given


def notes_at(vault: Vault, given: Sequence[str], *, gone: bool = False) -> list[str]:
    """The notes that these paths mean, a folder standing for all within it.

    Exact paths only, with or without `.md`. `gone` lets paths through that are
    no longer on disk. Raises NoteNotFound naming the nearest, and UsageError
    for a file that is no note of the vault.
    """
    notes = vault.scan().notes
    found: dict[str, None] = {}
    for each in given:
        path = vault_path(vault, each)
        folder = path + "/" if path else ""
        below = [note for note in sorted(notes) if note.startswith(folder)]
        if path in notes:
            found[path] = None
        elif path + ".md" in notes:
            found[path + ".md"] = None
        elif below:
            found.update(dict.fromkeys(below))
        elif vault.exists(path):
            raise UsageError(
                f"{each} is not a note of this vault",
                mend="notes are Markdown files that are neither hidden nor ignored",
            )
        elif gone:
            found[path] = None
        else:
            raise _missing(each, path, notes)
    return list(found)


def exact_note(app: App, given: str, *, by_name: bool = False) -> str:
    """The path of the one note that is meant beyond doubt; see `get_exact`.

    A path may also be one from where we stand. Raises NoteNotFound, AmbiguousName.
    """
    from mindcache.recall.find import get_exact

    ways = {given.strip()} if given.strip() else set()
    try:
        ways.add(vault_path(app.vault, given))
    except UsageError:
        ways.discard("")  # a name may be no path at all
    scan = app.vault.look([*ways, *(f"{way}.md" for way in ways)])
    exact = [way for way in ways if way in scan.notes]
    found = sorted(exact or scan.notes)
    if len(found) > 1:
        raise AmbiguousName(f"{given!r} is a path from here and from the root", found)
    if found:
        return found[0]
    return get_exact(app.reader(), given, by_name=by_name).path


def _missing(given: str, path: str, notes: Iterable[str]) -> NoteNotFound:
    import difflib

    close = difflib.get_close_matches(path, sorted(notes), n=3, cutoff=0.6)
    mend = f"did you mean {', '.join(close)}?" if close else "give its path"
    return NoteNotFound(f"no note lies at {given}", mend=mend)
