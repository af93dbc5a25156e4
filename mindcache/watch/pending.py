"""Hints that wait: which paths to look at, and when. Pure; time is passed in.

A hint says that something may have happened at a path, nothing more. It waits
until its path has been quiet for a moment, so that a file is read once it is
whole, but never longer than a hard limit. What vanished waits longer than what
appeared: most "deletions" are the first half of a rename. Too many hints
collapse into one: look at everything.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FLOOD", "HARD", "HELD", "QUIET", "Pending", "Work"]

# Seconds without a further hint before a path is looked at; longer than the gaps
# between the writes of an editor or a sync program.
QUIET = 0.3
# Seconds after which a path is looked at though it never rests.
HARD = 3.0
# Seconds that a path which vanished may take to come back; Syncthing's delete
# and rename lie milliseconds apart, slow editors' half a second.
HELD = 0.75
# Paths beyond which one walk over the vault is cheaper than looking at each.
FLOOD = 500


@dataclass(frozen=True, slots=True)
class Work:
    """What is due: everything (`scan`), or some `paths` in order."""

    scan: bool = False
    paths: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.scan or bool(self.paths)


@dataclass(frozen=True, slots=True)
class _Hint:
    first: float
    last: float
    wait: float

    @property
    def due(self) -> float:
        return min(self.last + self.wait, self.first + HARD)


class Pending:
    """The debounced set of hints. Times are seconds of a clock that never jumps."""

    def __init__(self) -> None:
        self._hints: dict[str, _Hint] = {}
        self._scan: _Hint | None = None

    def __len__(self) -> int:
        return len(self._hints) + (self._scan is not None)

    def touched(self, path: str, now: float) -> float:
        """Something may be new or different at this path; gives when it is due."""
        return self._hint(path, now, QUIET)

    def vanished(self, path: str, now: float) -> float:
        """Something may be gone from this path; gives when it is due."""
        return self._hint(path, now, HELD)

    def owed(self, path: str, now: float) -> float:
        """This path was due and could not be looked at; it is due again at once.

        Unless something was told of it since: then that decides.
        """
        known = self._hints.get(path)
        return self._hint(path, now, 0.0) if known is None else known.due

    def everything(self, now: float, *, at_once: bool = False) -> float:
        """Anything may have happened anywhere; gives when the scan is due.

        The scan stands for every path that waited, and is due no later than the
        hard limit of the first of them.
        """
        if self._scan is None:
            first = min((hint.first for hint in self._hints.values()), default=now)
            self._scan = _Hint(first, now, 0.0 if at_once else QUIET)
            self._hints.clear()
        else:
            wait = 0.0 if at_once else self._scan.wait
            self._scan = _Hint(self._scan.first, now, wait)
        return self._scan.due

    def _hint(self, path: str, now: float, wait: float) -> float:
        if self._scan is not None:
            return self.everything(now)
        known = self._hints.get(path)
        hint = _Hint(now if known is None else known.first, now, wait)
        self._hints[path] = hint
        if len(self._hints) > FLOOD:
            return self.everything(now)
        return hint.due

    def next_due(self) -> float | None:
        """When something will be due, None when nothing waits."""
        if self._scan is not None:
            return self._scan.due
        return min((hint.due for hint in self._hints.values()), default=None)

    def take(self, now: float) -> Work:
        """What is due by now; it waits no longer."""
        if self._scan is not None:
            if self._scan.due > now:
                return Work()
            self._scan = None
            return Work(scan=True)
        due = sorted(path for path, hint in self._hints.items() if hint.due <= now)
        for path in due:
            del self._hints[path]
        return Work(paths=tuple(due))
