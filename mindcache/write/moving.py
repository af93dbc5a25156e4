"""Moving notes: other paths for files, and every link made to follow.

Owns the order of the steps. The files go first: that step can be refused, and then
no link has been touched; what is left after it are links that each can be mended on
its own, at any time. What is under way stands in a file of ours (`INTENT`) until it
is done; links that could not be changed are noted in another (`owed`). Who finds
them there, the next command that writes or `doctor --repair`, does what is missing:
see `resuming`.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from mindcache.errors import ChangedMeanwhile, Locked, MindcacheError, Refused
from mindcache.filenames import is_note, too_long
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
from mindcache.write import owed
from mindcache.write.anchors import Anchors
from mindcache.write.relink import LinkFormat, Relinked, Shift, relink

if TYPE_CHECKING:
    from mindcache.app import App, Written
    from mindcache.cache.read import Reader

__all__ = [
    "INTENT",
    "Moved",
    "Plan",
    "decide",
    "in_step",
    "move",
    "read_bytes",
    "relinked",
    "renamed",
    "shift_back",
    "shifted",
    "tell_ledger",
    "write_links",
]

INTENT = f"{SCRATCH}/move.json"

# How often a note that is saved meanwhile is computed again.
_TRIES = 5

# Obsidian makes no link to a name that holds one of these.
_UNLINKABLE = "#^[]|"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a move would do: new paths, texts with other links, and what can't be.

    `moves` has every file's new path, those in `folders` included, which move as a
    whole; `expected` the bytes of each file that moves by itself, `remarks` what is
    not going to follow.
    """

    moves: Mapping[str, str]
    folders: tuple[MoveFolder, ...] = ()
    expected: Mapping[str, bytes] = field(default_factory=dict)
    texts: tuple[Relinked, ...] = ()
    failed: tuple[tuple[str, MindcacheError], ...] = ()
    remarks: tuple[str, ...] = ()


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


def _refuse_new_folder(vault: Vault, folder: str) -> None:
    """Raise Refused for a folder that is to be made and that no link could name."""
    while folder and not vault.exists(folder):
        if reason := _unlinkable(posixpath.basename(folder)):
            raise Refused(reason, mend="choose another name for the folder")
        folder = posixpath.dirname(folder)


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
        _refuse_new_folder(app.vault, posixpath.dirname(to))
    for to in every.values():
        if reason := too_long(to):
            raise Refused(f"{to[:200]}: {reason}", mend="nothing written")
    taken: dict[str, str] = {}
    for path, to in (*moves.items(), *folders):
        if to in taken:
            raise Refused(
                f"{path} and {taken[to]} would both be {to}", mend="nothing written"
            )
        taken[to] = path
    expected = {path: read_bytes(app.vault, path) for path in moves}
    names = in_step(app).names()
    shift = shifted(app, names, every)
    texts, failed = relinked(app, shift, _concerned(app, every))
    pointing = app.vault.symlinks_to({*every, *(path for path, _ in folders)})
    remarks = [
        f"{path} is a symbolic link to what is moved, and will lead nowhere:"
        " make it anew"
        for path in pointing
        if path not in every
    ]
    return Plan(
        every, tuple(whole), expected, tuple(texts), tuple(failed), tuple(remarks)
    )


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
    anchors: Anchors | None = None,
) -> Shift:
    """The shift that takes the vault of these names to another by `moves`."""
    after = [
        name if name.path not in moves else _renamed(name, moves[name.path])
        for name in names
        if not (name.path in merged and name.kind != "alias")
    ]
    style = cast("LinkFormat", app.vault.link_format())
    return Shift(Names(names), Names(after), moves, style, merged, anchors or Anchors())


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
            text = relink(path, read_bytes(app.vault, at), shift)
        except MindcacheError as error:
            failed.append((at, error))
        else:
            if text.rewrites:
                texts.append(text)
    return texts, failed


def read_bytes(vault: Vault, path: str) -> bytes:
    """The bytes of a file of any size. Raises MindcacheError."""
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
    owing = [(plan.moves.get(path, path), error) for path, error in plan.failed]
    if done.failed:
        # The plan was about moves that were not made: what is left is another one.
        moves = dict(done.moved)
        there = set(moves.values())
        notes = {
            old: moves.get(old, old)
            for old in _concerned(app, moves)
            if old not in there  # known by its old path already
        }
        texts, owing = relinked(app, shift_back(app, moves), notes)
    else:
        texts = list(plan.texts)
    links = Moved(moves=moved.moves)
    write_links(app, links, texts)
    moved.texts, moved.behind = links.texts, moved.behind or links.behind
    owing += links.failed
    moved.failed += owing
    try:
        owed.followed(app.vault, dict(moved.moves))
        if moved.moves:
            owed.add(app.vault, dict(moved.moves), owing)
        tell_ledger(app, moved.moves)
    except MindcacheError as error:
        # All of it is noted in the intent still, which is then followed once more.
        moved.failed.append((INTENT, error))
    else:
        app.vault.discard(INTENT)
    return moved


def _path(change: Change) -> str:
    return change.path


def write_links(app: App, moved: Moved, texts: Sequence[Relinked]) -> None:
    """Write the texts, after the moves that `moved` has.

    One that was changed meanwhile is decided on again, a few times.
    """
    back = {new: old for old, new in moved.moves}
    for number in range(1, _TRIES + 1):
        done = _replace(app, texts)
        failed = {change.path: error for change, error in done.failed}
        moved.texts += [text for text in texts if text.path not in failed]
        moved.behind = moved.behind or done.behind
        changed = [p for p, e in failed.items() if isinstance(e, ChangedMeanwhile)]
        again = [p for p in changed if app.vault.exists(p)] if number < _TRIES else []
        moved.failed += [
            (path, error) for path, error in failed.items() if path not in again
        ]
        if not again:
            return
        notes = {back.get(path, path): path for path in again}
        texts, refused = relinked(app, shift_back(app, dict(moved.moves)), notes)
        moved.failed += refused


def _replace(app: App, texts: Iterable[Relinked]) -> Written:
    return app.commit([Replace(t.path, t.after, t.before) for t in texts])


def shift_back(app: App, moves: Mapping[str, str]) -> Shift:
    """The shift of moves that have been made, from the names that there are now."""
    back = {new: old for old, new in moves.items()}
    names = app.reader().names()
    before = [
        name if name.path not in back else _renamed(name, back[name.path])
        for name in names
    ]
    style = cast("LinkFormat", app.vault.link_format())
    return Shift(Names(before), Names(names), moves, style)


def tell_ledger(app: App, moves: Iterable[tuple[str, str]]) -> None:
    """Write moves that were made into the ledger. Raises MindcacheError."""
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


def _intend(app: App, plan: Plan) -> None:
    """Write down what is about to be done. Raises Refused when another is under way."""
    intent = {
        "folders": [[f.path, f.to, list(f.files)] for f in plan.folders],
        "moves": [
            [path, plan.moves[path], content_hash(data).hex()]
            for path, data in plan.expected.items()
        ],
        "texts": {
            **{plan.moves.get(path, path): "" for path, _ in plan.failed},
            **{t.path: content_hash(t.after).hex() for t in plan.texts},
        },
    }
    data = json.dumps(intent, ensure_ascii=False).encode()
    if app.vault.exists(INTENT):
        raise Refused(
            "an earlier move is still not done: see what mindcache doctor says of it",
            mend="nothing written",
        )
    app.vault.create(INTENT, data)
