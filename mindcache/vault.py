"""The folder of notes: scanning, reading and writing it.

Owns what counts as a note, the stamps by which a change is noticed, and every
byte that is written into a vault. It does not know the cache, and it parses
nothing but the small Obsidian settings files that it reads.

Paths are vault-relative with forward slashes, spelled as they are on disk.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mindcache import atomic
from mindcache.errors import (
    ChangedMeanwhile,
    MindcacheError,
    Problem,
    Refused,
    VaultUnavailable,
)
from mindcache.filenames import is_note, is_passing, portability
from mindcache.hashing import blake2b
from mindcache.ignoring import simple_matcher

__all__ = [
    "Obsidian",
    "Scan",
    "Stamp",
    "Vault",
    "content_hash",
    "template_folder",
    "unreadable",
]

# A file stamped this recently may change again within the resolution of its
# file system's clock (2 s on FAT), unseen by its stamp: it is read once more.
SETTLE_NS = 2_000_000_000

# SQLite's largest whole number.
_LARGEST = 2**63 - 1

_NEWLINE = re.compile(r"\r?\n")
_DAILY_FORMAT = "YYYY-MM-DD"  # Obsidian's default


class Stamp(NamedTuple):
    """What is compared, for difference only, to notice that a file changed.

    `size` in bytes, `mtime_ns` in nanoseconds (0: read too soon after a write
    to be trusted), `inode` and `device` as the file system gives them.
    """

    size: int
    mtime_ns: int
    inode: int
    device: int


@dataclass(slots=True)
class Scan:
    """What one walk over the vault found.

    `notes` and `assets` (all other files, ignored notes among them) by path;
    `unreadable` are folders (with a trailing slash) and files of which nobody
    can say whether they are gone; `devices` are the file systems met.
    """

    notes: dict[str, Stamp] = field(default_factory=dict)
    assets: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)
    devices: set[int] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Obsidian:
    """The settings of Obsidian that change what a note means."""

    daily_format: str = _DAILY_FORMAT
    daily_folder: str = ""
    problems: tuple[Problem, ...] = ()


def content_hash(data: bytes) -> bytes:
    """The 16-byte hash by which contents are compared."""
    return blake2b(data, digest_size=16).digest()


class Vault:
    """One folder of notes. `root` is its real path."""

    def __init__(self, root: str) -> None:
        self.root = root

    # -- looking ---------------------------------------------------------

    def scan(self, progress: Callable[[int], None] | None = None) -> Scan:
        """Walk the vault. Raises VaultUnavailable when its root can't be read.

        `progress` is called with the number of files seen so far.
        """
        scan = Scan()
        ignored = self._ignore_rules(scan)
        pending = [_Folder("")]
        while pending:
            # One folder is open at a time: a process may hold few files open.
            folder = pending.pop()
            try:
                pending += self._scan_folder(scan, folder, ignored)
            except OSError as error:
                if not folder.prefix:
                    raise VaultUnavailable(
                        f"{self.root} can't be read: {error.strerror}",
                        mend="check its permissions, or whether its disk is mounted",
                    ) from error
                if not isinstance(error, FileNotFoundError):
                    scan.unreadable.append(folder.prefix)
                    if not folder.ignored:
                        scan.problems.append(unreadable(folder.prefix, error))
            if progress is not None:
                progress(len(scan.notes))
        scan.problems.sort()
        return scan

    def _scan_folder(
        self, scan: Scan, folder: _Folder, ignored: _Ignored | None
    ) -> list[_Folder]:
        """Meet a folder's entries; the folders among them are left for later."""
        found: list[_Folder] = []
        full = os.path.join(self.root, folder.prefix)
        with os.scandir(full) as entries:
            scan.devices.add(os.stat(full).st_dev)
            rest: Iterable[os.DirEntry[str]] = entries
            if not folder.ignored:
                rest = _meet_plain_notes(scan, folder.prefix, entries, ignored)
            for entry in rest:
                path = folder.prefix + entry.name
                if is_passing(entry.name):
                    continue
                if not path.isprintable() and not _is_storable(path):
                    scan.problems.append(_unnameable(path))
                    continue
                try:
                    if entry.is_symlink():
                        self._meet_symlink(scan, path)
                    elif entry.is_dir(follow_symlinks=False):
                        hidden = folder.ignored or _is_ignored(ignored, path + "/")
                        found.append(_Folder(path + "/", hidden))
                    else:
                        _meet_file(scan, folder, entry, ignored)
                except FileNotFoundError:
                    continue  # gone between the listing and the look
                except OSError as error:
                    scan.unreadable.append(path)
                    scan.problems.append(unreadable(path, error))
        return found

    def look(self, paths: Iterable[str]) -> Scan:
        """Meet these paths alone, by the rules of a scan; the rest is not looked at.

        What is not there, or is none of the vault's files, is simply not in the
        answer.
        """
        scan = Scan()
        ignored = self._ignore_rules(scan)
        for path in sorted(set(paths)):
            names = path.split("/")
            if not all(names) or any(map(is_passing, names)) or "\0" in path:
                continue
            if not _is_storable(path):
                scan.problems.append(_unnameable(path))
                continue
            try:
                self._look_at(scan, path, ignored)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                scan.unreadable.append(path)
                scan.problems.append(unreadable(path, error))
        return scan

    def _look_at(self, scan: Scan, path: str, ignored: _Ignored | None) -> None:
        full = os.path.join(self.root, path)
        status = os.lstat(full)
        folder = os.path.dirname(full)
        if os.path.realpath(folder) != folder or stat.S_ISDIR(status.st_mode):
            return  # what lies behind a link is met where it really lies
        scan.devices.add(status.st_dev)
        names = path.split("/")[:-1]
        folders = ("/".join(names[: i + 1]) + "/" for i in range(len(names)))
        inherited = any(_is_ignored(ignored, above) for above in folders)
        if stat.S_ISLNK(status.st_mode):
            self._meet_symlink(scan, path)
        elif is_note(path):
            hidden = inherited or _is_ignored(ignored, path)
            _meet_note(scan, path, status, ignored=hidden)
        elif not inherited:
            scan.assets.add(path)

    def folders_left_out(self) -> Callable[[str], bool]:
        """Whether a folder ("a/b/") is one that holds no notes of the vault."""
        ignored = self._ignore_rules(Scan())

        def is_left_out(folder: str) -> bool:
            names = folder.rstrip("/").split("/")
            return is_passing(names[-1]) or _is_ignored(ignored, folder)

        return is_left_out

    def _meet_symlink(self, scan: Scan, path: str) -> None:
        """A link inside the vault is its target, seen once; others are refused."""
        real = os.path.realpath(os.path.join(self.root, path))
        if not self._holds(real):
            message = "a symbolic link that leaves the vault is not followed"
            mend = "copy the file into the vault"
            scan.problems.append(Problem(path, 0, "symlink-outside", message, mend))
        elif not os.path.exists(real):
            message = "a symbolic link that leads nowhere"
            mend = "delete it, or point it at a file"
            scan.problems.append(Problem(path, 0, "symlink-broken", message, mend))

    def _holds(self, real: str) -> bool:
        """Whether a real path is the vault's root or lies below it."""
        return real == self.root or real.startswith(self.root.rstrip(os.sep) + os.sep)

    def _ignore_rules(self, scan: Scan) -> _Ignored | None:
        """The matcher of `.mindcacheignore` (gitignore syntax), None without one."""
        lines = _NEWLINE.split(_nfc(self.ignore_text()))
        if all(not line.strip() or line.startswith("#") for line in lines):
            return None
        simple = simple_matcher(lines)
        if simple is not None:
            return simple
        import pathspec

        understood: list[str] = []
        for number, line in enumerate(lines, 1):
            try:
                pathspec.GitIgnoreSpec.from_lines([line])
                understood.append(line)
            except (ValueError, re.error) as error:
                message = f"not a pattern that can be understood: {error}"
                mend = "mend the line; the others count"
                scan.problems.append(
                    Problem(".mindcacheignore", number, "ignore-pattern", message, mend)
                )
        return pathspec.GitIgnoreSpec.from_lines(understood).match_file

    def ignore_text(self) -> str:
        """The text of `.mindcacheignore`, "" without one.

        Raises VaultUnavailable when it is there and can't be read: what it hides
        must not come to light for that.
        """
        path = os.path.join(self.root, ".mindcacheignore")
        try:
            with open(path, encoding="utf-8-sig", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise VaultUnavailable(
                f"{path} can't be read: {error.strerror}",
                mend="mend its permissions, or delete it",
            ) from error

    def obsidian(self) -> Obsidian:
        """Obsidian's own settings, as far as they matter here; never raises."""
        path = os.path.join(self.root, ".obsidian", "daily-notes.json")
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError:
            return Obsidian()
        import json

        message = "no settings of daily notes in it"
        line = 0
        try:
            settings = json.loads(data)
            if isinstance(settings, dict):
                name = settings.get("format") or _DAILY_FORMAT
                return Obsidian(str(name), str(settings.get("folder") or ""))
        except json.JSONDecodeError as error:
            message, line = f"not valid JSON: {error.msg}", error.lineno
        except (ValueError, RecursionError) as error:
            message = f"not valid JSON: {error}"
        mend = "set the daily notes' format again in Obsidian"
        place = ".obsidian/daily-notes.json"
        problem = Problem(place, line, "obsidian-settings", message, mend)
        return Obsidian(problems=(problem,))

    # -- reading ---------------------------------------------------------

    def read(self, path: str, size_cap: int) -> tuple[bytes | None, Stamp]:
        """A note's bytes and the stamp that belongs to them.

        Raises OSError, also for what is no regular file, and Refused for a path
        that doesn't stay below the root.
        The bytes are None for a file larger than `size_cap` bytes, which is not
        read. The stamp's mtime is 0 when the file was written so recently, or
        while it was read, that a later change might leave the same stamp.
        """
        full = self._below(path)
        with open(full, "rb", opener=_open_plain) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise OSError(errno.EINVAL, "not a regular file", path)
            if before.st_size > size_cap:
                return None, _stamp(before)
            data = file.read()
            after = os.fstat(file.fileno())
        settled = (
            _stamp(before) == _stamp(after)
            and len(data) == after.st_size
            and abs(time.time_ns() - after.st_mtime_ns) > SETTLE_NS
        )
        stamp = _stamp(after)
        return data, stamp if settled else stamp._replace(mtime_ns=0)

    def exists(self, path: str) -> bool:
        """Whether the path leads to anything on disk right now."""
        try:
            return os.path.lexists(self._below(path))
        except Refused:
            return False

    # -- writing ---------------------------------------------------------

    def replace(self, path: str, data: bytes, expected: bytes) -> None:
        """Put `data` where `expected` was read, in one step.

        Raises ChangedMeanwhile when the file is no longer what was read, Refused
        when the path leaves the vault, and MindcacheError when the system won't
        write. Equal bytes write nothing.
        """
        if data == expected:
            return
        full = self._inside(path)
        with _writing(path):
            if not os.path.lexists(full):
                raise ChangedMeanwhile(f"{path} is gone", mend="nothing written")
            atomic.replace(full, data, lambda: _compare(path, full, expected))

    def create(self, path: str, data: bytes) -> None:
        """Write a new file.

        Raises Refused when the name is taken or unportable, and MindcacheError
        when the system won't write.
        """
        if reason := portability(path):
            raise Refused(f"{path}: {reason}", mend="choose another name")
        full = self._inside(path)
        with _writing(path):
            os.makedirs(os.path.dirname(full), exist_ok=True)
            try:
                atomic.create(full, data)
            except FileExistsError as error:
                raise Refused(
                    f"{path} exists already", mend="nothing written"
                ) from error

    def _below(self, path: str) -> str:
        """The full path of a path that is written as one below the root."""
        if path.startswith(("/", os.sep)) or ".." in path.split("/") or "\0" in path:
            raise Refused(f"{path} leads out of the vault", mend="nothing done")
        return os.path.join(self.root, path)

    def _inside(self, path: str) -> str:
        """The full path of a file to be written, which really lies below the root."""
        full = self._below(path)
        if not self._holds(os.path.realpath(os.path.dirname(full))):
            raise Refused(f"{path} leads out of the vault", mend="nothing written")
        if os.path.islink(full):
            raise Refused(f"{path} is a symbolic link", mend="write to its target")
        return full

    def lay_down(self, template: str) -> tuple[list[str], list[str]]:
        """Copy a template's files in, never over a file: (written, kept).

        Raises what `create` raises, and MindcacheError when there is no template.
        """
        if not os.path.isdir(template):
            raise MindcacheError(f"the vault template is missing: {template}")
        written: list[str] = []
        kept: list[str] = []
        for folder, folders, names in os.walk(template):
            folders.sort()
            for name in sorted(names):
                source = os.path.join(folder, name)
                path = os.path.relpath(source, template).replace(os.sep, "/")
                if self.exists(path):
                    kept.append(path)
                    continue
                with open(source, "rb") as file:
                    self.create(path, file.read())
                written.append(path)
        return written, kept


def template_folder() -> str:
    """The vault template that ships with this package or stands beside it."""
    here = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(here, "_vault_template")
    return (
        inside
        if os.path.isdir(inside)
        else os.path.join(os.path.dirname(here), "vault_template")
    )


class _Folder(NamedTuple):
    """A folder still to be looked at, and whether it is an ignored one's."""

    prefix: str
    ignored: bool = False


_Ignored = Callable[[str], bool]


def _is_ignored(rules: _Ignored | None, path: str) -> bool:
    return rules is not None and rules(_nfc(path))


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _compare(path: str, full: str, expected: bytes) -> None:
    """Raise ChangedMeanwhile unless the file still holds what was read."""
    with open(full, "rb", opener=_open_plain) as file:
        if file.read() != expected:
            raise ChangedMeanwhile(
                f"{path} was changed by someone else", mend="run it again"
            )


@contextlib.contextmanager
def _writing(path: str) -> Iterator[None]:
    """Say of an error of the system which file it kept from being written."""
    try:
        yield
    except OSError as error:
        raise MindcacheError(
            f"{path} can't be written: {error.strerror}",
            mend="check the folder's permissions and the free space",
        ) from error


def _stamp(status: os.stat_result) -> Stamp:
    """The stamp, in numbers that SQLite can hold: dates past 2262 all look alike."""
    mtime_ns = status.st_mtime_ns
    if not -_LARGEST <= mtime_ns <= _LARGEST:
        mtime_ns = _LARGEST if mtime_ns > 0 else -_LARGEST
    inode, device = status.st_ino & _LARGEST, status.st_dev & _LARGEST
    return Stamp(status.st_size, mtime_ns, inode, device)


def _meet_plain_notes(
    scan: Scan,
    prefix: str,
    entries: Iterable[os.DirEntry[str]],
    ignored: _Ignored | None,
) -> Iterator[os.DirEntry[str]]:
    """Meet the notes that nothing is special about; pass on whatever else is there.

    This is where a walk over a large vault spends its time: half of what asking
    every question of every file would take.
    """
    notes = scan.notes
    make = tuple.__new__  # a named tuple's own maker is Python
    for entry in entries:
        name = entry.name
        if (
            name[-3:] == ".md"
            and name[0] not in ".~#"
            and name.isprintable()
            and entry.is_file(follow_symlinks=False)
            and (ignored is None or not _is_ignored(ignored, prefix + name))
        ):
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                yield entry
                continue
            mtime_ns = status.st_mtime_ns
            if not -_LARGEST <= mtime_ns <= _LARGEST:
                notes[prefix + name] = _stamp(status)
                continue
            inode, device = status.st_ino & _LARGEST, status.st_dev & _LARGEST
            stamp = (status.st_size, mtime_ns, inode, device)
            notes[prefix + name] = make(Stamp, stamp)
        else:
            yield entry


def _meet_file(
    scan: Scan, folder: _Folder, entry: os.DirEntry[str], rules: _Ignored | None
) -> None:
    path = folder.prefix + entry.name
    if is_note(entry.name):
        hidden = folder.ignored or _is_ignored(rules, path)
        _meet_note(scan, path, entry.stat(follow_symlinks=False), ignored=hidden)
    # An ignored folder may hold a hundred thousand files of some program.
    elif not folder.ignored:
        scan.assets.add(path)


def _meet_note(scan: Scan, path: str, status: os.stat_result, *, ignored: bool) -> None:
    if ignored:
        scan.assets.add(path)  # no note of ours, but links to it lead somewhere
    elif stat.S_ISREG(status.st_mode):
        scan.notes[path] = _stamp(status)
    else:
        message = "not a regular file"
        scan.problems.append(Problem(path, 0, "not-a-file", message, "move it away"))


def _open_plain(path: str, flags: int) -> int:
    """Open without following a link and without waiting on a pipe."""
    extra = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags | extra)


def _is_storable(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\n" not in path


def _unnameable(path: str) -> Problem:
    shown = path.encode("utf-8", "backslashreplace").decode()
    message = "the name is not valid UTF-8 or holds a line break"
    return Problem(shown, 0, "name", message, "rename the file", "error")


def unreadable(path: str, error: OSError) -> Problem:
    """What to say of a file or folder that the system won't let us read."""
    name = errno.errorcode.get(error.errno or 0, "error")
    message = f"can't be read: {error.strerror} ({name})"
    mend = "check its permissions; what was known of it is kept"
    return Problem(path.rstrip("/"), 0, "unreadable", message, mend, "error")
