"""Changes of a vault as plain values, and the one place that carries them out.

Who decides what to write (an import, a rename, a digest) says it in these words;
nothing is touched before `commit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mindcache.errors import MindcacheError
from mindcache.vault.folder import Vault
from mindcache.vault.names import Names

__all__ = [
    "Change",
    "Committed",
    "Create",
    "Move",
    "MoveFolder",
    "Replace",
    "Trash",
    "commit",
]


@dataclass(frozen=True, slots=True)
class Create:
    """A new file at `path`, never over another."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Replace:
    """Other bytes for a file that still holds `expected`."""

    path: str
    data: bytes
    expected: bytes


@dataclass(frozen=True, slots=True)
class Move:
    """Another path for a file that still holds `expected`, never over another."""

    path: str
    to: str
    expected: bytes


@dataclass(frozen=True, slots=True)
class MoveFolder:
    """Another path for a folder with all that is in it, in one step.

    `files` are the notes and assets in it, by their paths below the folder.
    """

    path: str
    to: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trash:
    """A file that still holds `expected` goes to `.trash`, and can come back."""

    path: str
    expected: bytes


Change = Create | Replace | Move | MoveFolder | Trash


@dataclass(slots=True)
class Committed:
    """What came of the changes, in their order.

    `moved` holds (from, to), with where the thrown away things lie; `failed` the
    changes that were not made, each with its reason.
    """

    done: list[Change] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[Change, MindcacheError]] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """Every path whose file is another one now, sorted."""
        ends = (path for pair in self.moved for path in pair)
        files = (c.path for c in self.done if not isinstance(c, MoveFolder))
        return sorted({*files, *ends})


def commit(
    vault: Vault,
    changes: Sequence[Change],
    progress: Callable[[int, int], None] | None = None,
) -> Committed:
    """Carry out the changes one by one; one that fails never stops the others.

    A file that is no longer what the change was computed from is left as it is.
    `progress` is called with (done, of).
    """
    result = Committed()
    names = Names(vault.root)
    for number, change in enumerate(changes, 1):
        try:
            _carry_out(vault, change, names, result)
        except MindcacheError as error:
            result.failed.append((change, error))
        else:
            result.done.append(change)
        if progress is not None:
            progress(number, len(changes))
    vault.settle(c.path for c in result.done if isinstance(c, Replace))
    return result


def _carry_out(vault: Vault, change: Change, names: Names, result: Committed) -> None:
    match change:
        case Create(path, data):
            vault.create(path, data, names)
        case Replace(path, data, expected):
            vault.replace(path, data, expected, settled=False)
        case Move(path, to, expected):
            vault.move(path, to, expected, names)
            result.moved.append((path, to))
        case MoveFolder(path, to, files):
            vault.move_folder(path, to, names)
            result.moved += [(f"{path}/{each}", f"{to}/{each}") for each in files]
        case Trash(path, expected):
            to = vault.in_trash(path)
            vault.move(path, to, expected, names)
            result.moved.append((path, to))
