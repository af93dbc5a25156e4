"""Walking a vault: what counts as a note, and the stamps by which changes are seen.

Reads names and stamps, never a note.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mindcache.errors import Problem, VaultUnavailable
from mindcache.filenames import is_note, is_passing
from mindcache.files import read_plain
from mindcache.ignoring import linear, simple_matcher
from mindcache.vault.values import LARGEST, Scan, Stamp, stamp_of

__all__ = ["Walk", "holds", "unreadable"]

_NEWLINE = re.compile(r"\r?\n")


class Walk:
    """Looks at the vault whose real path is `root`."""

    def __init__(self, root: str) -> None:
        self.root = root

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
        if not holds(self.root, real):
            message = "a symbolic link that leaves the vault is not followed"
            mend = "copy the file into the vault"
            scan.problems.append(Problem(path, 0, "symlink-outside", message, mend))
        elif not os.path.exists(real):
            message = "a symbolic link that leads nowhere"
            mend = "delete it, or point it at a file"
            scan.problems.append(Problem(path, 0, "symlink-broken", message, mend))

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
        spec = pathspec.GitIgnoreSpec.from_lines(understood)
        for pattern in spec.patterns:
            regex = getattr(pattern, "regex", None)  # a comment has none
            if regex is not None:
                pattern.regex = re.compile(linear(regex.pattern))
        return spec.match_file

    def ignore_text(self) -> str:
        """The text of `.mindcacheignore`, "" without one.

        Raises VaultUnavailable when it is there and can't be read: what it hides
        must not come to light for that.
        """
        path = os.path.join(self.root, ".mindcacheignore")
        try:
            return read_plain(path).decode("utf-8-sig", "replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise VaultUnavailable(
                f"{path} can't be read: {error.strerror}",
                mend="mend its permissions, or delete it",
            ) from error


def holds(root: str, real: str) -> bool:
    """Whether a real path is the vault's root or lies below it."""
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


class _Folder(NamedTuple):
    """A folder still to be looked at, and whether it is an ignored one's."""

    prefix: str
    ignored: bool = False


_Ignored = Callable[[str], bool]


def _is_ignored(rules: _Ignored | None, path: str) -> bool:
    return rules is not None and rules(_nfc(path))


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


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
            if not -LARGEST <= mtime_ns <= LARGEST:
                notes[prefix + name] = stamp_of(status)
                continue
            inode, device = status.st_ino & LARGEST, status.st_dev & LARGEST
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
        scan.notes[path] = stamp_of(status)
    else:
        message = "not a regular file"
        scan.problems.append(Problem(path, 0, "not-a-file", message, "move it away"))


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
