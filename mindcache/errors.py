"""The errors that Mindcache raises on purpose, and the exit codes they carry.

One bad note is a `Problem` in a report, never an exception. An exception means
that the command as a whole cannot do what it was asked.

    MindcacheError                  1   something failed
    ├── UsageError                  2   the words of the call are off
    │   └── ConfigError             2   a settings file or variable is off
    ├── NoteNotFound                3   no note goes by that name
    │   └── AmbiguousName           3   several notes go by that name
    ├── Refused                     4   the contract or a safety rule forbids it
    │   ├── EditRefused             4   the property can't be changed safely
    │   ├── ChangedMeanwhile        4   the file is no longer the one that was read
    │   └── TwinFound               4   another note says the same already
    └── VaultUnavailable            5   the vault can't be found or read
        └── Locked                  5   another process holds it for too long
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Self

__all__ = [
    "AmbiguousName",
    "ChangedMeanwhile",
    "ConfigError",
    "EditRefused",
    "Locked",
    "MindcacheError",
    "NoteNotFound",
    "Problem",
    "Refused",
    "Severity",
    "TwinFound",
    "UsageError",
    "VaultUnavailable",
]

Severity = Literal["error", "warning", "info"]


class Problem(NamedTuple):
    """One thing that is wrong with one file, with the way to mend it.

    `path` is vault-relative with forward slashes ("" for the vault as a whole),
    `line` counts from 1 (0 when no line is meant), `code` is a stable word for
    programs, `message` says what is wrong, `mend` what the reader can do.
    """

    path: str
    line: int
    code: str
    message: str
    mend: str = ""
    severity: Severity = "warning"

    def __str__(self) -> str:
        mend = f" ({self.mend})" if self.mend else ""
        return f"{self.said}{mend}"

    @property
    def said(self) -> str:
        """Where it is and what is wrong, without the mend."""
        where = self.path or "vault"
        if self.line:
            where += f":{self.line}"
        return f"{where}: {self.message}"


class MindcacheError(Exception):
    """Root of all errors of this package; `mend` says what would help."""

    exit_code = 1

    def __init__(self, message: str, *, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.message} ({self.mend})" if self.mend else self.message


class UsageError(MindcacheError):
    """The call itself makes no sense: an unknown tag, type, date or option."""

    exit_code = 2


class ConfigError(UsageError):
    """A settings file or an environment variable can't be understood."""


class NoteNotFound(MindcacheError):
    """No note goes by the given id, path, title or alias."""

    exit_code = 3


class AmbiguousName(NoteNotFound):
    """More than one note goes by the given name; `candidates` are their paths."""

    def __init__(self, message: str, candidates: list[str]) -> None:
        super().__init__(message, mend="name one of: " + ", ".join(candidates))
        self.candidates = candidates


class Refused(MindcacheError):
    """The contract or a rule of safety forbids what was asked."""

    exit_code = 4

    @classmethod
    def over(cls, problem: Problem) -> Self:
        """Because of a problem, in its words and with its mend."""
        return cls(problem.said, mend=problem.mend)


class EditRefused(Refused):
    """A property can't be changed without touching bytes that aren't its own."""


class ChangedMeanwhile(Refused):
    """The file on disk is no longer the one that the change was computed from."""


class TwinFound(Refused):
    """Another note says it already, or is called so; `candidates` are paths."""

    def __init__(self, message: str, candidates: list[str], *, mend: str) -> None:
        super().__init__(message, mend=mend)
        self.candidates = candidates


class VaultUnavailable(MindcacheError):
    """The vault can't be found, or its root can't be read."""

    exit_code = 5


class Locked(VaultUnavailable):
    """Another process has held the vault's cache for longer than we wait."""
