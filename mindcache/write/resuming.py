"""Renames and moves that did not come to their end: finished by who writes next.

Owns what becomes of a move that was killed (`moving.INTENT`) and of links that could
not be changed at the time (`owed.OWED`). What can't be done even now is told, and
stays noted as long as it may work another time; it never keeps others from writing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem, Refused
from mindcache.vault import Move, MoveFolder, Vault, content_hash
from mindcache.write import owed
from mindcache.write.moving import (
    INTENT,
    Moved,
    in_step,
    read_bytes,
    relinked,
    shift_back,
    tell_ledger,
    write_links,
)

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["complete", "pending"]


class _NotYet(MindcacheError):
    """Something that may work the next time keeps a file from being moved."""


def pending(vault: Vault) -> list[Problem]:
    """The move that was begun here and not ended, and links it owes, as problems."""
    owing = owed.pending(vault)
    if not vault.exists(INTENT):
        return owing
    try:
        folders, files, _ = _intent(vault)
        tops = [(f.path, f.to) for f in folders] + [(p, to) for p, to, _ in files]
        what = ", ".join(f"{path} → {to}" for path, to in tops[:3])
        what += f" and {len(tops) - 3:,} more" if len(tops) > 3 else ""
    except (ValueError, MindcacheError):
        what = "a rename or move"
    message = f"{what} was interrupted; some links may lead nowhere"
    mend = "run mindcache doctor --repair; the next command that writes does it too"
    return [Problem(INTENT, 0, "unfinished", message, mend, "error"), *owing]


_Intent = tuple[list[MoveFolder], list[tuple[str, str, str]], dict[str, str]]


def _intent(vault: Vault) -> _Intent:
    """What was under way: folders, files with their hashes, texts as they should be.

    Raises ValueError when it can't be understood, MindcacheError when not be read.
    """
    try:
        intent = json.loads(read_bytes(vault, INTENT))
        folders = [MoveFolder(p, to, tuple(f)) for p, to, f in intent["folders"]]
        files = [(str(p), str(to), str(h)) for p, to, h in intent["moves"]]
        texts = {str(path): str(digest) for path, digest in intent["texts"].items()}
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(INTENT) from error
    return folders, files, texts


def complete(app: App) -> list[str]:
    """Do what interrupted and half done moves left: what to tell of it.

    The caller holds `app.writing()`. What it raises leaves all noted as it is.
    """
    said = _pay(app)
    if app.vault.exists(INTENT):
        said += _finish(app)
    return said


def _pay(app: App) -> list[str]:
    """Change the links that moves of before could not."""
    if not app.vault.exists(owed.OWED):
        return []
    try:
        debts = owed.read(app.vault)
    except ValueError:
        app.vault.discard(owed.OWED)
        return ["what was noted of links still to be changed can't be read; dropped"]
    said: list[str] = []
    left: list[owed.Debt] = []
    for debt in debts:
        in_step(app)  # with what was written for the one before, too
        vault = app.vault
        moves = {
            path: to
            for path, to in debt.moves.items()
            # A name that was given anew is another note's by now.
            if vault.exists(to)
            and (_is_same(vault, path, to) or not vault.exists(path))
        }
        if not moves:
            what = ", ".join(f"{old} → {to}" for old, to in sorted(debt.moves.items()))
            said += [
                f"{path}: its links can't follow {what} any more: one was made anew,"
                " moved or deleted"
                for path in debt.notes
            ]
        back = {to: path for path, to in moves.items()}
        notes = {
            back.get(path, path): path for path in debt.notes if vault.exists(path)
        }
        shift = shift_back(app, moves)
        moved = Moved(moves=sorted(moves.items()))
        texts, failed = relinked(app, shift, notes)
        write_links(app, moved, texts)
        failed += moved.failed
        for text in moved.texts:
            count = len(text.rewrites)
            links = "1 link follows" if count == 1 else f"{count} links follow"
            said.append(f"{text.path}: {links} an earlier rename now")
        said += [f"{path}: its links are still not changed: {e}" for path, e in failed]
        left.append(owed.Debt(debt.moves, owed.reasons(failed)))
    if left != debts:
        owed.write(app.vault, left)
    return said


def _finish(app: App) -> list[str]:
    """Do what is missing of the move that was interrupted."""
    try:
        folders, files, texts = _intent(app.vault)
    except ValueError:
        # Written in one step, so that it is whole; a program or person was at it.
        app.vault.discard(INTENT)
        return ["what was noted of an interrupted move can't be read; it is dropped"]
    moved = Moved()
    said = [
        *_resume_folders(app, folders, moved),
        *_resume_files(app, files, texts, moved),
    ]
    moves = dict(moved.moves)
    planned = {to: path for path, to, _ in files}
    notes: dict[str, str] = {}
    for path, digest in texts.items():
        old = planned.get(path, path)
        at = path if app.vault.exists(path) else old
        if app.vault.exists(at) and _digest(app.vault, at) != digest:
            notes[_origin(folders, old)] = at
    in_step(app)
    left, failed = relinked(app, shift_back(app, moves), notes)
    write_links(app, moved, left)
    failed += moved.failed
    tell_ledger(app, moved.moves)
    owed.followed(app.vault, moves)
    owed.add(app.vault, moves, failed)
    app.vault.discard(INTENT)
    said += [f"{path}: its links were not changed: {e}" for path, e in failed]
    if moves:
        tops = [(f.path, f.to) for f in folders] + [(p, to) for p, to, _ in files]
        what = ", ".join(f"{path} → {to}" for path, to in tops)
        count = sum(len(text.rewrites) for text in moved.texts)
        how = "went on with" if failed else "finished"
        said.append(f"{how} an interrupted move: {what}; {count} links rewritten")
    return said


def _origin(folders: Iterable[MoveFolder], path: str) -> str:
    """Where a file was before its folder was moved."""
    for each in folders:
        if path.startswith(f"{each.to}/"):
            return f"{each.path}/{path.removeprefix(f'{each.to}/')}"
    return path


def _resume_folders(app: App, folders: Iterable[MoveFolder], moved: Moved) -> list[str]:
    said: list[str] = []
    for each in folders:
        if app.vault.exists(each.path) and not app.vault.exists(each.to):
            done = app.commit([each])
            said += [_unmoved(each.path, error) for _, error in done.failed]
        if app.vault.exists(each.to):
            moved.moves += [
                (f"{each.path}/{name}", f"{each.to}/{name}")
                for name in each.files
                if app.vault.exists(f"{each.to}/{name}")
            ]
    return said


def _resume_files(
    app: App,
    files: Iterable[tuple[str, str, str]],
    texts: Mapping[str, str],
    moved: Moved,
) -> list[str]:
    said: list[str] = []
    for path, to, digest in files:
        vault = app.vault
        if vault.exists(to) and not _is_same(vault, path, to):
            gone = not vault.exists(path)
            if gone or _digest(vault, to) in (digest, texts.get(to)):
                moved.moves.append((path, to))
            else:
                said.append(f"{path} was not moved: {to} exists by now")
            continue
        if not vault.exists(path):
            said.append(f"{path} was not moved: it is gone")
            continue
        done = app.commit([Move(path, to, read_bytes(vault, path))])
        moved.moves += done.moved
        said += [_unmoved(path, error) for _, error in done.failed]
    return said


def _unmoved(path: str, error: MindcacheError) -> str:
    """What to tell of a file that stays. Raises when it may go another time."""
    words = f"{path} was not moved: {error.message}"
    if not isinstance(error, Refused):
        raise _NotYet(words, mend=error.mend)
    return f"{words} ({error.mend})" if error.mend else words


def _digest(vault: Vault, path: str) -> str:
    return content_hash(read_bytes(vault, path)).hex()


def _is_same(vault: Vault, path: str, to: str) -> bool:
    """Whether both are one file, where upper and lower case are."""
    here, there = (os.path.join(vault.root, each) for each in (path, to))
    try:
        return os.path.samefile(here, there)
    except OSError:
        return False
