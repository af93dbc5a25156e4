"""Links that a rename still owes: notes that could not be written when it was made.

Owns the file in which that stands (`OWED`), from the rename until the links lead
where they led, and how it follows what is renamed later. Who mends them is
`resuming`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mindcache.errors import ChangedMeanwhile, MindcacheError, Problem
from mindcache.vault import SCRATCH, Vault

__all__ = ["OWED", "Debt", "add", "followed", "pending", "read", "reasons", "write"]

OWED = f"{SCRATCH}/links.json"

_NO_CAP = 2**62  # it is our own file


@dataclass(frozen=True, slots=True)
class Debt:
    """One rename, by the paths that its files had → have, and the notes it owes.

    `notes` are the paths where they lie → (why their links were not changed, the mend).
    """

    moves: Mapping[str, str]
    notes: Mapping[str, tuple[str, str]]


def read(vault: Vault) -> list[Debt]:
    """What is owed, the oldest first. Raises ValueError when it can't be read."""
    try:
        data, _ = vault.read(OWED, _NO_CAP)
    except FileNotFoundError:
        return []
    try:
        return [
            Debt(
                {str(path): str(to) for path, to in each["moves"].items()},
                {str(p): (str(why), str(m)) for p, (why, m) in each["notes"].items()},
            )
            for each in json.loads(data or b"")
        ]
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(OWED) from error


def write(vault: Vault, debts: Sequence[Debt]) -> None:
    """Put this in place of what was owed. Raises MindcacheError."""
    left = [each for each in debts if each.notes]
    if not left:
        vault.discard(OWED)
        return
    shape = [{"moves": dict(d.moves), "notes": dict(d.notes)} for d in left]
    data = json.dumps(shape, ensure_ascii=False).encode("utf-8", "surrogateescape")
    try:
        before, _ = vault.read(OWED, _NO_CAP)
    except FileNotFoundError:
        vault.create(OWED, data)
    else:
        vault.replace(OWED, data, before or b"")


def add(
    vault: Vault,
    moves: Mapping[str, str],
    failed: Iterable[tuple[str, MindcacheError]],
) -> None:
    """Note that these notes' links do not follow these moves yet.

    Raises MindcacheError when that can't be written down.
    """
    notes = reasons(failed)
    try:
        debts = read(vault)
    except ValueError:
        vault.discard(OWED)  # a program or person was at it; it is good for nothing
        debts = []
    if notes:
        write(vault, [*debts, Debt(dict(moves), notes)])


def reasons(
    failed: Iterable[tuple[str, MindcacheError]],
) -> dict[str, tuple[str, str]]:
    """By path, why something was not done, and what a reader of it later can do."""
    return {path: (error.message, _mend(error)) for path, error in failed}


def _mend(error: MindcacheError) -> str:
    # What it was run for need not be run again.
    again = isinstance(error, ChangedMeanwhile)
    return "save and close it in your editor" if again else error.mend


def followed(vault: Vault, moves: Mapping[str, str]) -> None:
    """Let what is owed follow renames that were made since. Raises MindcacheError."""
    try:
        debts = read(vault)
    except ValueError:
        return
    if debts:
        write(
            vault,
            [
                replace(
                    each,
                    moves={old: moves.get(to, to) for old, to in each.moves.items()},
                    notes={moves.get(p, p): why for p, why in each.notes.items()},
                )
                for each in debts
            ],
        )


def pending(vault: Vault) -> list[Problem]:
    """The notes whose links don't follow a rename yet, each as a problem."""
    try:
        debts = read(vault)
    except (ValueError, OSError):
        message = "what was noted of links still to be changed can't be read"
        mend = "run mindcache doctor --repair, which drops it"
        return [Problem(OWED, 0, "unfinished", message, mend, "error")]
    found: list[Problem] = []
    for debt in debts:
        first, *more = [f"{path} → {to}" for path, to in sorted(debt.moves.items())]
        what = f"{first} and {len(more):,} more" if more else first
        for path, (why, first_of_all) in sorted(debt.notes.items()):
            message = f"its links don't follow {what} yet: {why}"
            run = "run mindcache doctor --repair"
            mend = f"{first_of_all}, then {run}" if first_of_all else run
            found.append(Problem(path, 0, "unfinished", message, mend, "error"))
    return found
