"""Moving notes: other paths for files, and every link made to follow.

Owns the order of the steps and their completion. The files go first: that step can
be refused, and then no link has been touched; what is left after it are links that
each can be mended on its own, at any time. What is under way stands in a file of
ours (`INTENT`) until it is done. Who finds it there, the next command that writes or
`doctor --repair`, does what is missing. An intent is followed once: what can't be
done even then is told, not tried for ever.
"""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from mindcache.errors import Locked, MindcacheError, Problem, Refused
from mindcache.filenames import is_note
from mindcache.links import Name, Names, path_key
from mindcache.memory import moment
from mindcache.vault import (
    SCRATCH,
    Change,
    Entry,
    Move,
    MoveFolder,
    Replace,
    Vault,
    content_hash,
)
from mindcache.write.relink import LinkFormat, Relinked, Shift, relink

if TYPE_CHECKING:
    from mindcache.app import App, Written
    from mindcache.cache.read import Reader

__all__ = [
    "INTENT",
    "Moved",
    "Plan",
    "complete",
    "decide",
    "in_step",
    "move",
    "pending",
    "relinked",
    "renamed",
    "shifted",
]

INTENT = f"{SCRATCH}/move.json"

# Obsidian makes no link to a name that holds one of these.
_UNLINKABLE = "#^[]|"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a move would do: new paths, texts with other links, and what can't be.

    `moves` has every file's new path, those in `folders` included, which move as a
    whole; `expected` the bytes of each file that moves by itself.
    """

    moves: Mapping[str, str]
    folders: tuple[MoveFolder, ...] = ()
    expected: Mapping[str, bytes] = field(default_factory=dict)
    texts: tuple[Relinked, ...] = ()
    failed: tuple[tuple[str, MindcacheError], ...] = ()


@dataclass(slots=True)
class Moved:
    """What a move did; `texts` are the notes whose links were written anew."""

    moves: list[tuple[str, str]] = field(default_factory=list)
    texts: list[Relinked] = field(default_factory=list)
    failed: list[tuple[str, MindcacheError]] = field(default_factory=list)
    behind: Exception | None = None


# -- deciding -------------------------------------------------------------------


def _unlinkable(name: str) -> str:
    """Why links could not lead to a file of that name, "" when they can."""
    bad = next((char for char in name if char in _UNLINKABLE), "")
    if bad:
        return f"{name!r} holds {bad!r}, which no link can"
    return f"{name!r} would be hidden" if name.startswith(".") else ""


def renamed(path: str, name: str) -> str:
    """The path of a note that gets another name in its folder.

    Raises Refused for a name that no note can have.
    """
    stem = name[:-3] if is_note(name) else name
    if not stem.strip() or "/" in stem:
        raise Refused(f"{name!r} is no name of a note", mend="nothing written")
    if reason := _unlinkable(stem):
        raise Refused(reason, mend="choose another name")
    return posixpath.join(posixpath.dirname(path), f"{stem}.md")


def decide(
    app: App, moves: Mapping[str, str], folders: Sequence[tuple[str, str]] = ()
) -> Plan:
    """What giving files and folders other paths would do; writes nothing.

    `moves` are files, `folders` whole folders, from → to. Raises Refused for a path
    that is taken, or that no file can have.
    """
    whole: list[MoveFolder] = []
    scan = app.vault.scan() if folders else None
    every = dict(moves)
    for path, to in folders:
        assert scan is not None  # noqa: S101  looked at above
        within = [
            each.removeprefix(f"{path}/")
            for each in sorted((*scan.notes, *scan.assets))
            if each.startswith(f"{path}/")
        ]
        whole.append(MoveFolder(path, to, tuple(within)))
        every.update((f"{path}/{each}", f"{to}/{each}") for each in within)
    for path, to in (*moves.items(), *folders):
        app.vault.may_move(path, to)
    taken: dict[str, str] = {}
    for path, to in (*moves.items(), *folders):
        if to in taken:
            raise Refused(
                f"{path} and {taken[to]} would both be {to}", mend="nothing written"
            )
        taken[to] = path
    expected = {path: _read(app.vault, path) for path in moves}
    names = in_step(app).names()
    shift = shifted(app, names, every)
    texts, failed = relinked(app, shift, _concerned(app, every))
    return Plan(every, tuple(whole), expected, tuple(texts), tuple(failed))


def in_step(app: App) -> Reader:
    """A look into a cache that shows every link there is. Raises Locked."""
    reader = app.reader()
    if app.freshness.stale:
        raise Locked(
            "another process holds the cache, so that links might be overlooked",
            mend="wait for it, and run this again",
        )
    return reader


def shifted(
    app: App,
    names: Sequence[Name],
    moves: Mapping[str, str],
    merged: frozenset[str] = frozenset(),
) -> Shift:
    """The shift that takes the vault of these names to another by `moves`."""
    after = [
        name if name.path not in moves else _renamed(name, moves[name.path])
        for name in names
        if not (name.path in merged and name.kind != "alias")
    ]
    style = cast("LinkFormat", app.vault.link_format())
    return Shift(Names(names), Names(after), moves, style, merged)


def _renamed(name: Name, path: str) -> Name:
    key = path_key(path) if name.kind == "path" else name.key
    return name._replace(key=key, path=path)


def _concerned(app: App, moves: Mapping[str, str]) -> dict[str, str]:
    """The notes whose links may have to change: their paths then and now.

    Those that move come first.
    """
    keys = {path_key(path) for pair in moves.items() for path in pair}
    notes = {path: path for path in moves if is_note(path)}
    for path in app.reader().linked_under(keys):
        notes.setdefault(path, path)
    return notes


def relinked(
    app: App, shift: Shift, notes: Mapping[str, str]
) -> tuple[list[Relinked], list[tuple[str, MindcacheError]]]:
    """The notes whose text changes by a shift, and those where it can't be done.

    `notes` are the paths that notes had before the shift → where they lie now.
    """
    texts: list[Relinked] = []
    failed: list[tuple[str, MindcacheError]] = []
    for path, at in notes.items():
        try:
            text = relink(path, _read(app.vault, at), shift)
        except MindcacheError as error:
            failed.append((at, error))
        else:
            if text.rewrites:
                texts.append(text)
    return texts, failed


def _read(vault: Vault, path: str) -> bytes:
    try:
        data, _ = vault.read(path, _NO_CAP)
    except OSError as error:
        raise MindcacheError(f"{path} can't be read: {error.strerror}") from error
    return data or b""


_NO_CAP = 2**62  # what is moved is moved, however large it is


# -- doing ------------------------------------------------------------------------


def move(app: App, plan: Plan) -> Moved:
    """Carry out a plan, files first, and index what it touched.

    The caller holds `app.writing()` since before the plan was made.
    """
    _intend(app, plan)
    changes: list[Change] = list(plan.folders)
    inside = {f"{f.path}/{each}" for f in plan.folders for each in f.files}
    changes += [
        Move(path, to, plan.expected[path])
        for path, to in plan.moves.items()
        if path not in inside
    ]
    done = app.commit(changes)
    moved = Moved(sorted(done.moved), behind=done.behind)
    moved.failed += [(_path(change), error) for change, error in done.failed]
    moved.failed += plan.failed
    if done.failed:
        # The plan was about moves that were not made: what is left is another one.
        moves = dict(done.moved)
        there = set(moves.values())
        notes = {
            old: moves.get(old, old)
            for old in _concerned(app, moves)
            if old not in there  # known by its old path already
        }
        shift = _shift_back(app, moves)
        texts, failed = relinked(app, shift, notes)
        moved.failed += failed
    else:
        texts = list(plan.texts)
    _relink(app, moved, texts)
    _tell_ledger(app, moved.moves)
    app.vault.discard(INTENT)
    return moved


def _path(change: Change) -> str:
    return change.path


def _relink(app: App, moved: Moved, texts: Sequence[Relinked]) -> None:
    """Write the texts; one that was changed meanwhile is decided on once more."""
    done = _replace(app, texts)
    failed = {change.path: error for change, error in done.failed}
    moved.texts += [text for text in texts if text.path not in failed]
    moved.behind = moved.behind or done.behind
    if failed:
        moves = dict(moved.moves)
        back = {new: old for old, new in moves.items()}
        notes = {back.get(path, path): path for path in failed}
        again, refused = relinked(app, _shift_back(app, moves), notes)
        done = _replace(app, again)
        moved.failed += refused
        moved.failed += [(_path(change), error) for change, error in done.failed]
        lost = {_path(change) for change, _ in done.failed}
        moved.texts += [text for text in again if text.path not in lost]


def _replace(app: App, texts: Iterable[Relinked]) -> Written:
    return app.commit([Replace(t.path, t.after, t.before) for t in texts])


def _shift_back(app: App, moves: Mapping[str, str]) -> Shift:
    """The shift of moves that have been made, from the names that there are now."""
    back = {new: old for old, new in moves.items()}
    names = app.reader().names()
    before = [
        name if name.path not in back else _renamed(name, back[name.path])
        for name in names
    ]
    style = cast("LinkFormat", app.vault.link_format())
    return Shift(Names(before), Names(names), moves, style)


def _tell_ledger(app: App, moves: Iterable[tuple[str, str]]) -> None:
    at = moment(app.now())
    reader = app.reader()
    entries = []
    for path, to in moves:
        if is_note(to):
            node = reader.find_node(to)
            node_id = node.id if node else ""
            entries.append(
                Entry("moved", "note", node_id or path, node_id, path, to, at)
            )
    app.ledger.add(entries)


# -- completing -----------------------------------------------------------------


def _intend(app: App, plan: Plan) -> None:
    """Write down what is about to be done. Raises Refused when another is under way."""
    intent = {
        "folders": [[f.path, f.to, list(f.files)] for f in plan.folders],
        "moves": [
            [path, plan.moves[path], content_hash(data).hex()]
            for path, data in plan.expected.items()
        ],
        "texts": {t.path: content_hash(t.after).hex() for t in plan.texts},
    }
    data = json.dumps(intent, ensure_ascii=False).encode()
    app.vault.create(INTENT, data)


def pending(vault: Vault) -> list[Problem]:
    """The move that was begun here and not ended, as a problem."""
    if not vault.exists(INTENT):
        return []
    message = "a rename or move was interrupted; some links may lead nowhere"
    mend = "run mindcache doctor --repair; the next command that writes does it too"
    return [Problem(INTENT, 0, "unfinished", message, mend, "error")]


def complete(app: App) -> list[str]:
    """Finish the move that was interrupted, if there is one: what to tell of it.

    The caller holds `app.writing()`.
    """
    if not app.vault.exists(INTENT):
        return []
    try:
        intent = json.loads(_read(app.vault, INTENT))
        folders = [MoveFolder(p, to, tuple(f)) for p, to, f in intent["folders"]]
        files = [(str(p), str(to), str(h)) for p, to, h in intent["moves"]]
        texts = {str(path): str(digest) for path, digest in intent["texts"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
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
    left, failed = relinked(app, _shift_back(app, moves), notes)
    moved.failed += failed
    _relink(app, moved, left)
    _tell_ledger(app, moved.moves)
    app.vault.discard(INTENT)
    said += [f"{path}: its links were not changed: {e}" for path, e in moved.failed]
    if moves:
        tops = [(f.path, f.to) for f in folders] + [(p, to) for p, to, _ in files]
        what = ", ".join(f"{path} → {to}" for path, to in tops)
        count = sum(len(text.rewrites) for text in moved.texts)
        said.append(f"finished an interrupted move: {what}; {count} links rewritten")
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
            said += [f"{each.path} was not moved: {error}" for _, error in done.failed]
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
        done = app.commit([Move(path, to, _read(vault, path))])
        moved.moves += done.moved
        said += [f"{path} was not moved: {error}" for _, error in done.failed]
    return said


def _digest(vault: Vault, path: str) -> str:
    return content_hash(_read(vault, path)).hex()


def _is_same(vault: Vault, path: str, to: str) -> bool:
    """Whether both are one file, where upper and lower case are."""
    here, there = (os.path.join(vault.root, each) for each in (path, to))
    try:
        return os.path.samefile(here, there)
    except OSError:
        return False
