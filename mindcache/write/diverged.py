"""Notes that lie in the vault twice, or hold two versions: found, and brought together.

Owns what counts as a pair, and that only what is certain is merged: the copy goes to
the trash, and so does what the note said before. Merging itself is `merge`'s.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mindcache.errors import MindcacheError, Refused
from mindcache.memory import conflict_copy_of
from mindcache.merge import Merged, merge, sides_of
from mindcache.vault import Create, Move, Replace, Trash
from mindcache.write.change import unified
from mindcache.write.earlier import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindcache.app import App
    from mindcache.vault import Change

__all__ = ["Kind", "Outcome", "Pair", "find", "settle"]

Kind = Literal["copy", "twin", "id", "markers"]
# Folders of our own whose files sync programs may copy.
_OWN = (".mindcache/ledger", ".mindcache/access")
# What iCloud, Drive, OneDrive and others put behind a name, as people do, too: only a
# common id tells that it is the same note.
_BEHIND = re.compile(r" ?(?:[0-9]+|\([^()]+\)|copy|-[\w.-]+)")
_NO_CAP = 2**62


@dataclass(frozen=True, slots=True)
class Pair:
    """A note that went two ways.

    `kind`: `path` is a sync program's "copy" of `original`; a "twin" by its name and
    id; another note with the same "id"; or the note itself holds git's "markers".
    `diff` leads from the original to the other. `clashes` are what both changed, `[]`
    for what merges by itself; `changes` are what would be written then. `base` says in
    words by which earlier version that was found, "" without one.
    """

    kind: Kind
    path: str
    original: str
    diff: str
    clashes: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    base: str = ""

    @property
    def is_certain(self) -> bool:
        """Whether it can be brought together without asking anybody."""
        return bool(self.changes)


@dataclass(slots=True)
class Outcome:
    """The pairs that were brought together, and what kept others from it.

    `behind` is what kept the notes, written as they are, from being indexed.
    """

    settled: list[Pair]
    failed: list[tuple[str, MindcacheError]]
    behind: Exception | None = None


def find(app: App) -> list[Pair]:
    """Every pair in the vault, by kind and path; nothing is written.

    Raises VaultUnavailable. A file that can't be read is none: `doctor` lists it.
    """
    reader = app.reader()
    found: list[Pair] = []
    for problem in reader.problems():
        if problem.code == "conflict-copy":
            original = conflict_copy_of(problem.path)
            found += _copy(app, problem.path, original)
        elif problem.code == "git-conflict":
            found += _markers(app, problem.path)
    for path in _own_copies(app.vault.root):
        found += _copy(app, path, _own_original(path))
    for _, paths in reader.duplicate_ids():
        # A copy has the longer name.
        first, *others = sorted(paths, key=lambda path: (len(path), path))
        for other in others:
            found += _twin(app, first, other)
    return sorted(set(found), key=lambda pair: (_ORDER.index(pair.kind), pair.path))


_ORDER: tuple[Kind, ...] = ("copy", "twin", "markers", "id")


def _read(app: App, path: str) -> bytes | None:
    try:
        data, _ = app.vault.read(path, _NO_CAP)
    except (OSError, Refused):
        return None
    return data


def _copy(app: App, path: str, original: str) -> Iterator[Pair]:
    theirs = _read(app, path)
    if theirs is None:
        return
    ours = _read(app, original)
    if ours is None:
        # The note itself is gone: the copy is all that is left of it.
        back: tuple[Change, ...] = (Move(path, original, theirs),)
        is_there = app.vault.exists(original)
        yield Pair("copy", path, original, "", (), () if is_there else back)
        return
    found, base = joined(app, original, ours, theirs)
    changes = _changes(app, path, original, (ours, theirs), found)
    pair = _pair("copy", path, original, (ours, theirs), found, changes)
    yield replace(pair, base=base)


def _changes(
    app: App, path: str, original: str, texts: tuple[bytes, bytes], found: Merged
) -> tuple[Change, ...]:
    ours, theirs = texts
    if not found.is_certain:
        return ()
    drop = Trash(path, theirs)
    if found.data == ours:
        return (drop,)
    kept = Create(app.vault.in_trash(original), ours)
    return kept, Replace(original, found.data, ours), drop


def _pair(
    kind: Kind,
    path: str,
    original: str,
    texts: tuple[bytes, bytes],
    found: Merged,
    changes: tuple[Change, ...] = (),
) -> Pair:
    clashes = tuple(dict.fromkeys(clash.what for clash in found.clashes))
    return Pair(kind, path, original, unified(original, *texts), clashes, changes)


def _twin(app: App, first: str, other: str) -> Iterator[Pair]:
    """Two notes with one id: which is whose copy is for a person to say."""
    texts = (_read(app, first), _read(app, other))
    if texts[0] is None or texts[1] is None:
        return
    stem, copied = first.rpartition(".")[0], other.rpartition(".")[0]
    is_copy = copied.startswith(stem) and _BEHIND.fullmatch(copied[len(stem) :])
    found = merge(first, None, texts[0], texts[1])
    kind: Kind = "twin" if is_copy else "id"
    yield _pair(kind, other, first, (texts[0], texts[1]), found)


def _markers(app: App, path: str) -> Iterator[Pair]:
    data = _read(app, path)
    sides = None if data is None else sides_of(data)
    if data is None or sides is None:
        return
    base, ours, theirs = sides
    found = merge(path, base, ours, theirs)
    changes: tuple[Change, ...] = ()
    if found.is_certain:
        kept = Create(app.vault.in_trash(path), data)
        changes = (kept, Replace(path, found.data, data))
    yield _pair("markers", path, path, (ours, theirs), found, changes)


def _own_copies(root: str) -> Iterator[str]:
    for folder in _OWN:
        try:
            names = sorted(os.listdir(os.path.join(root, folder)))
        except OSError:
            continue
        yield from (f"{folder}/{n}" for n in names if _own_original(f"{folder}/{n}"))


def _own_original(path: str) -> str:
    """Of which file of ours this is a copy, "" for none."""
    if not path.endswith(".jsonl"):
        return ""
    found = conflict_copy_of(path.removesuffix(".jsonl") + ".md")
    return f"{found.removesuffix('.md')}.jsonl" if found else ""


def settle(app: App) -> Outcome:
    """Bring together every pair that is certain, one after the other.

    What each note said before lies in the trash. Raises what `App.writing` raises.
    """
    outcome = Outcome([], [])
    with app.writing():
        touched: set[str] = set()
        for found in find(app):
            pair: Pair | None = found
            if found.kind == "copy" and found.original in touched:
                # Two copies of one note: the second is merged with what came of the first.
                pair = next(_copy(app, found.path, found.original), None)
            if pair is not None and pair.is_certain:
                touched.add(pair.original)
                _settle(app, pair, outcome)
    return outcome


def _settle(app: App, pair: Pair, outcome: Outcome) -> None:
    # What is dropped is dropped last, once the other has all of it.
    for changes in filter(None, (pair.changes[:-1], pair.changes[-1:])):
        done = app.commit(changes)
        outcome.behind = done.behind or outcome.behind
        if done.failed:
            outcome.failed += [(change.path, error) for change, error in done.failed]
            return
    outcome.settled.append(pair)
