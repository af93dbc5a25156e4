"""The folder of notes: scanning, reading and writing it.

Owns what counts as a note, the stamps by which a change is noticed, and every
byte that is written into a vault. It does not know the cache, and it parses
nothing but the small Obsidian settings files that it reads.

Paths are vault-relative with forward slashes, spelled as they are on disk.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mindcache.errors import ChangedMeanwhile, Problem, Refused, VaultUnavailable

__all__ = [
    "Obsidian",
    "Scan",
    "Stamp",
    "Vault",
    "content_hash",
    "is_note",
    "portability",
    "template_folder",
    "unreadable",
]

# A file stamped this recently may change again within the resolution of its
# file system's clock (2 s on FAT), unseen by its stamp: it is read once more.
SETTLE_NS = 2_000_000_000

# What editors and sync programs leave beside a note while they write it.
_TEMPORARY_HEADS = ("~$", "~syncthing~", "#")
_TEMPORARY_TAILS = ("~", ".tmp", ".swp", ".part", ".crdownload", "#")

_RESERVED = re.compile(r"^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?$", re.IGNORECASE)
_WRITES = itertools.count()  # no two writes of this process share a temporary file

_FORBIDDEN = re.compile(r'[\\:*?"<>|\x00-\x1f]')


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

    `notes` and `assets` (all other files) by path; `unreadable` are folders
    ("" for none, each with a trailing slash) whose files are neither seen nor
    gone; `devices` are the file systems met.
    """

    notes: dict[str, Stamp] = field(default_factory=dict)
    assets: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)
    devices: set[int] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Obsidian:
    """The settings of Obsidian that change what a note means."""

    daily_format: str = "YYYY-MM-DD"
    daily_folder: str = ""
    problems: tuple[Problem, ...] = ()


def content_hash(data: bytes) -> bytes:
    """The 16-byte hash by which contents are compared."""
    return hashlib.blake2b(data, digest_size=16).digest()


def is_note(name: str) -> bool:
    """Whether a file of this name is a note, as Obsidian sees it."""
    return name[-3:].lower() == ".md"


def _is_passing(name: str) -> bool:
    """Hidden, temporary or a swap file: neither note nor attachment."""
    return (
        name[0] == "."
        or name.startswith(_TEMPORARY_HEADS)
        or name.endswith(_TEMPORARY_TAILS)
        or name == "4913"  # vim's probe file
    )


def portability(path: str) -> str:
    """Why a name can't live on every system that syncs, or "" when it can."""
    for part in path.split("/"):
        if _RESERVED.match(part):
            return f'"{part}" is a reserved name on Windows'
        if bad := _FORBIDDEN.search(part):
            return f'"{part}" holds {bad[0]!r}, which Windows forbids'
        if part.endswith((" ", ".")):
            return f'"{part}" ends in a space or dot, which Windows drops'
        if len(part.encode("utf-8", "surrogateescape")) > 255:
            return f'"{part[:40]}…" is longer than 255 bytes'
    return ""


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
        ignored = self._ignore_rules()
        try:
            scan.devices.add(os.stat(self.root).st_dev)
            pending = [("", os.scandir(self.root))]
        except OSError as error:
            raise VaultUnavailable(
                f"{self.root} can't be read: {error.strerror}",
                mend="check its permissions, or whether its disk is mounted",
            ) from error
        while pending:
            prefix, entries = pending.pop()
            with entries:
                folders = self._scan_folder(scan, prefix, entries, ignored)
            for folder in sorted(folders, reverse=True):
                opened = self._open_folder(scan, folder)
                if opened is not None:
                    pending.append((folder, opened))
            if progress is not None:
                progress(len(scan.notes))
        return scan

    def _scan_folder(
        self,
        scan: Scan,
        prefix: str,
        entries: Iterator[os.DirEntry[str]],
        ignored: Callable[[str], bool] | None,
    ) -> list[str]:
        folders: list[str] = []
        for entry in entries:
            name = entry.name
            if _is_passing(name):
                continue
            path = prefix + name
            if not path.isprintable() and not _is_storable(path):
                scan.problems.append(_unnameable(path))
                continue
            try:
                if entry.is_symlink():
                    self._meet_symlink(scan, path)
                elif entry.is_dir(follow_symlinks=False):
                    if ignored is None or not ignored(path + "/"):
                        folders.append(path + "/")
                elif is_note(name) and not (ignored is not None and ignored(path)):
                    _meet_note(scan, path, entry.stat(follow_symlinks=False))
                else:
                    scan.assets.add(path)
            except FileNotFoundError:
                continue  # gone between the listing and the look
            except OSError as error:
                scan.problems.append(unreadable(path, error))
        return folders

    def _open_folder(
        self, scan: Scan, folder: str
    ) -> Iterator[os.DirEntry[str]] | None:
        full = os.path.join(self.root, folder)
        try:
            entries = os.scandir(full)
            scan.devices.add(os.stat(full).st_dev)
        except FileNotFoundError:
            return None
        except OSError as error:
            scan.unreadable.append(folder)
            scan.problems.append(unreadable(folder, error))
            return None
        return entries

    def _meet_symlink(self, scan: Scan, path: str) -> None:
        """A link inside the vault is its target, seen once; others are refused."""
        real = os.path.realpath(os.path.join(self.root, path))
        if real != self.root and not real.startswith(self.root + os.sep):
            message = "a symbolic link that leaves the vault is not followed"
            mend = "copy the file into the vault"
            scan.problems.append(Problem(path, 0, "symlink-outside", message, mend))

    def _ignore_rules(self) -> Callable[[str], bool] | None:
        """The matcher of `.mindcacheignore` (gitignore syntax), None without one."""
        text = self.ignore_text()
        if not text.strip():
            return None
        import pathspec

        return pathspec.GitIgnoreSpec.from_lines(text.splitlines()).match_file

    def ignore_text(self) -> str:
        """The text of `.mindcacheignore`, "" without one."""
        try:
            with open(
                os.path.join(self.root, ".mindcacheignore"),
                encoding="utf-8-sig",
                errors="replace",
            ) as file:
                return file.read()
        except OSError:
            return ""

    def obsidian(self) -> Obsidian:
        """Obsidian's own settings, as far as they matter here; never raises."""
        path = os.path.join(self.root, ".obsidian", "daily-notes.json")
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError:
            return Obsidian()
        import json

        try:
            settings = json.loads(data)
            name = settings.get("format") or Obsidian.daily_format
            return Obsidian(str(name), str(settings.get("folder") or ""))
        except (ValueError, AttributeError) as error:
            problem = Problem(
                ".obsidian/daily-notes.json",
                getattr(error, "lineno", 0),
                "obsidian-settings",
                f"not valid JSON: {error}",
                "set the daily notes' format again in Obsidian",
            )
            return Obsidian(problems=(problem,))

    # -- reading ---------------------------------------------------------

    def read(self, path: str, size_cap: int) -> tuple[bytes | None, Stamp]:
        """A note's bytes and the stamp that belongs to them. Raises OSError.

        The bytes are None for a file larger than `size_cap` bytes, which is not
        read. The stamp's mtime is 0 when the file was written so recently, or
        while it was read, that a later change might leave the same stamp.
        """
        full = os.path.join(self.root, path)
        with open(full, "rb", opener=_open_plain) as file:
            before = os.fstat(file.fileno())
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
        return os.path.lexists(os.path.join(self.root, path))

    # -- writing ---------------------------------------------------------

    def replace(self, path: str, data: bytes, expected: bytes) -> None:
        """Put `data` where `expected` was read, in one step.

        Raises ChangedMeanwhile when the file is no longer what was read and
        Refused when the path leaves the vault. Equal bytes write nothing.
        """
        if data == expected:
            return
        full = self._inside(path)
        try:
            mode = stat.S_IMODE(os.stat(full).st_mode)
        except FileNotFoundError as error:
            raise ChangedMeanwhile(f"{path} is gone", mend="nothing written") from error
        temporary = self._write_beside(full, data, mode)
        try:
            with open(full, "rb") as file:
                current = file.read()
            if current != expected:
                raise ChangedMeanwhile(
                    f"{path} was changed by someone else", mend="run it again"
                )
            os.replace(temporary, full)
        except BaseException:
            os.unlink(temporary)
            raise
        _sync_folder(os.path.dirname(full))

    def create(self, path: str, data: bytes) -> None:
        """Write a new file. Raises Refused when the name is taken or unportable."""
        if reason := portability(path):
            raise Refused(f"{path}: {reason}", mend="choose another name")
        full = self._inside(path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        temporary = self._write_beside(full, data, 0o644)
        try:
            os.link(temporary, full)  # unlike a rename, never over a file
        except FileExistsError as error:
            raise Refused(f"{path} exists already", mend="nothing written") from error
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP}:
                raise
            with open(full, "xb") as file:  # a file system without hard links
                file.write(data)
        finally:
            os.unlink(temporary)
        _sync_folder(os.path.dirname(full))

    def _inside(self, path: str) -> str:
        full = os.path.join(self.root, path)
        folder = os.path.realpath(os.path.dirname(full))
        if folder != self.root and not folder.startswith(self.root + os.sep):
            raise Refused(f"{path} leads out of the vault", mend="nothing written")
        if os.path.islink(full):
            raise Refused(f"{path} is a symbolic link", mend="write to its target")
        return full

    @staticmethod
    def _write_beside(full: str, data: bytes, mode: int) -> str:
        folder, name = os.path.split(full)
        short = hashlib.blake2b(name.encode("utf-8", "surrogateescape")).hexdigest()
        unique = f"{os.getpid()}-{next(_WRITES)}"
        temporary = os.path.join(folder, f".{short[:16]}.mindcache-{unique}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, mode)
        except BaseException:
            os.unlink(temporary)
            raise
        return temporary

    def lay_down(self, template: str) -> tuple[list[str], list[str]]:
        """Copy a template's files in, never over a file: (written, kept)."""
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


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev)


def _meet_note(scan: Scan, path: str, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
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


def _sync_folder(folder: str) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
