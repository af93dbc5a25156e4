"""How a vault and its cache are: counts side by side, and what is wrong.

Owns the checks over the whole vault (names that clash, ids given twice) and the
headings under which problems are told. It repairs nothing and writes nothing.
"""

from __future__ import annotations

import os
import posixpath
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache import lint
from mindcache.atomic import is_temporary
from mindcache.cache import beat
from mindcache.errors import Problem
from mindcache.filenames import portability
from mindcache.links import fold
from mindcache.sync import diff, is_same
from mindcache.vault import TRASH, Vault

if TYPE_CHECKING:
    from mindcache.cache.read import Reader
    from mindcache.sync import SyncReport

__all__ = ["Health", "Status", "examine", "grouped", "leftovers", "status"]

_HEADINGS = {
    "unreadable": "Can't be read",
    "kept": "Can't be read",
    "missing": "Can't be read",
    "not-a-file": "Can't be read",
    "name": "Names",
    "unportable": "Names",
    "clash": "Names",
    "too-large": "Too large",
    "conflict-copy": "Conflicts, kept out of search until mended",
    "git-conflict": "Conflicts, kept out of search until mended",
    "symlink-outside": "Links that leave the vault",
    "encoding": "Encoding",
    "nul": "Encoding",
    "duplicate-id": "Ids that several notes carry",
    "link-by-alias": "Links that only Mindcache resolves",
    "obsidian-settings": "Settings",
    "leftover": "Left behind by a write that was killed",
    "ledger": "Lines of the ledger that can't be read",
    "ledger-gone": "The ledger",
    "git-unfinished": "Git",
    "unfinished": "Left behind by a write that was killed",
}
# Files older than this are no write's that is still under way, however slow.
_LEFT_FOR_GOOD_NS = 3_600_000_000_000
# A note is written within milliseconds, on a slow disk within a second or two.
_LONGEST_WRITE_NS = 10_000_000_000

# What a person has to mend because notes, or words of theirs, can't be read or found for
# it. What bears the name "error" where it is found does so, too; these are no more than
# a remark there, since the work at hand goes on without them. A setting's doing
# (size_cap) is none of it, nor what waits for a decision (copies, notes of one id, a
# ledger that is gone).
_LOST = frozenset({"git-conflict", "not-a-file", "ledger"})
# What a walk says of files and folders that it could not take in.
_UNREAD = frozenset({"unreadable", "name", "not-a-file"})

_BY_PREFIX = {"frontmatter": "Properties", "config": "Settings"}
_ELSE = "Notes"


@dataclass(frozen=True, slots=True)
class Status:
    """What lies on disk beside what is indexed.

    `unread` are files and folders that can't be read; they are not `pending`, for no
    question takes them in.
    """

    vault: str
    cache: str
    on_disk: int
    indexed: int
    held: int
    skipped: int
    unread: int
    pending: int
    last_scan: str
    daemon: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Health:
    """What `doctor` found: faults of the cache, problems of notes, what it did.

    `faults` stay listed after a repair; `repaired` says that they are gone now.
    """

    faults: list[str]
    problems: list[Problem]
    repaired: bool

    @property
    def failed(self) -> bool:
        """Whether something is left that keeps notes from being found."""
        broken = any(p.severity == "error" for p in self.problems)
        return broken or (bool(self.faults) and not self.repaired)


def status(
    vault: Vault, reader: Reader | None, cache_path: str, size_cap: int
) -> Status:
    """What lies on disk beside what the cache holds; `reader` None: nothing yet."""
    scan = vault.scan()
    folder = os.path.dirname(cache_path)
    daemon = str(beat.read(folder).get("mode", "on")) if beat.alive(folder) else "off"
    counts = dict.fromkeys(("notes", "chunks", "links", "unresolved", "tags"), 0)
    counts |= {"held": 0, "skipped": 0}
    unread = sum(1 for problem in scan.problems if problem.code in _UNREAD)
    waiting, gone, last_scan = list(scan.notes), 0, ""
    if reader is not None:
        counts = reader.counts()
        seen = reader.stamps()
        found = diff(scan, seen)
        waiting = [
            p for p in found.suspects if not is_same(vault, p, seen.get(p), size_cap)
        ]
        gone = len(found.gone)
        last_scan = reader.meta("last_scan")
    readable = [p for p in waiting if os.access(os.path.join(vault.root, p), os.R_OK)]
    return Status(
        vault=vault.root,
        cache=cache_path,
        on_disk=len(scan.notes),
        indexed=counts["notes"],
        held=counts.pop("held"),
        skipped=counts.pop("skipped"),
        unread=unread + len(waiting) - len(readable),
        pending=len(readable) + gone,
        last_scan=last_scan,
        daemon=daemon,
        counts=counts,
    )


def examine(
    vault: Vault,
    reader: Reader | None,
    report: SyncReport,
    settings: Iterable[Problem] = (),
) -> list[Problem]:
    """Every problem of the vault, once each, by path and line.

    An error is what keeps notes, or words of a person, from being read or found until
    somebody mends it.
    `report` is that of the sync just done, `settings` what is wrong with
    settings files; without a `reader` only the disk is looked at.
    """
    scan = vault.scan()
    paths = sorted((*scan.notes, *scan.assets))
    found = [
        *settings,
        *scan.problems,
        *report.skipped,
        *report.problems,
        *_unportable(paths),
        *_clashes(paths),
        *_leftovers(vault.root),
    ]
    if reader is not None:
        found += reader.problems()
        found += _duplicate_ids(reader)
        found += lint.check_links(
            (row.source, row.line, row.target, row.resolved)
            for row in reader.links_by_alias()
        )
    return sorted(_once(map(_graded, found)))


def _graded(problem: Problem) -> Problem:
    return problem._replace(severity="error") if problem.code in _LOST else problem


def grouped(problems: Iterable[Problem]) -> list[tuple[str, list[Problem]]]:
    """The problems under their headings, those with errors first."""
    groups: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        groups[_heading(problem.code)].append(problem)
    return sorted(
        groups.items(),
        key=lambda group: (all(p.severity != "error" for p in group[1]), group[0]),
    )


def _heading(code: str) -> str:
    known = _HEADINGS.get(code)
    return known or _BY_PREFIX.get(code.partition("-")[0], _ELSE)


def _once(problems: Iterable[Problem]) -> Iterable[Problem]:
    """Problems of one kind at one place are one; the gravest is kept."""
    kept: dict[tuple[str, int, str, str], Problem] = {}
    for problem in problems:
        # A git conflict is reported by the parser and again when it is held.
        words = "" if problem.code == "git-conflict" else problem.message
        place = (problem.path, problem.line, problem.code, words)
        if place not in kept or problem.severity == "error":
            kept[place] = problem
    return kept.values()


def _unportable(paths: Iterable[str]) -> Iterator[Problem]:
    """Names that can't exist everywhere: each folder and file told once."""
    seen: set[str] = set()
    for path in paths:
        place = path
        while place and place not in seen:
            seen.add(place)
            if reason := portability(posixpath.basename(place)):
                yield Problem(place, 0, "unportable", reason, "rename it")
            place = posixpath.dirname(place)


def _clashes(paths: Iterable[str]) -> Iterator[Problem]:
    """Files that are one file where case or Unicode form doesn't count."""
    twins: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        twins[fold(path)].append(path)
    for first, *others in twins.values():
        if others:
            message = (
                f"the same name as {', '.join(others)} on systems that don't tell"
                " case or Unicode forms apart"
            )
            yield Problem(first, 0, "clash", message, "rename all but one")


def leftovers(root: str, now_ns: int) -> list[str]:
    """The temporary files of ours that were written more than an hour before `now_ns`."""
    return list(_temporary(root, now_ns - _LEFT_FOR_GOOD_NS))


def _leftovers(root: str) -> Iterator[Problem]:
    """Temporary files of ours that nobody is writing any more, as problems."""
    message = "a temporary file of a write that was killed"
    mend = "delete it; mindcache doctor --repair does once it is an hour old"
    for path in _temporary(root, time.time_ns() - _LONGEST_WRITE_NS):
        yield Problem(path, 0, "leftover", message, mend, "info")


def _temporary(root: str, latest: int) -> Iterator[str]:
    """Temporary files of ours that were written before a time (ns).

    Looked for where notes, our own settings and what is thrown away are; other hidden
    folders belong to other programs.
    """
    ours = {".mindcache", TRASH}
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f[0] != "." or f in ours]
        for name in filter(is_temporary, names):
            full = os.path.join(folder, name)
            try:
                written = os.lstat(full).st_mtime_ns
            except FileNotFoundError:  # a write that has just ended well
                continue
            if written < latest:
                yield os.path.relpath(full, root).replace(os.sep, "/")


def _duplicate_ids(reader: Reader) -> Iterator[Problem]:
    for node_id, (first, *others) in reader.duplicate_ids():
        for path in others:
            message = f"has the id of {first}: {node_id}; a link by it means that note"
            mend = "delete its id line; mindcache adopt then gives it its own"
            yield Problem(path, 0, "duplicate-id", message, mend)
