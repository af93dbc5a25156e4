"""The vault's folder: every byte that is read from it and written into it."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from mindcache import atomic
from mindcache.errors import ChangedMeanwhile, MindcacheError, Refused
from mindcache.filenames import is_gits, is_passing, portability, shortened
from mindcache.vault import appending, obsidian
from mindcache.vault.names import Names
from mindcache.vault.values import Obsidian, Scan, Stamp, stamp_of
from mindcache.vault.walk import Walk, holds

__all__ = ["SCRATCH", "TRASH", "UNDO", "Vault", "template_folder"]

# A file stamped this recently may change again within the resolution of its
# file system's clock (2 s on FAT), unseen by its stamp: it is read once more.
SETTLE_NS = 2_000_000_000

# Where Obsidian puts what is deleted, when it is told to keep it in the vault.
TRASH = ".trash"

# Bytes of a path that is refused: a reader has to find the reason behind it.
_SHOWN = 200

# What to say of a file that is not the one that was read.
_CHANGED = {
    "changed": ("was changed by someone else", "run it again"),
    "gone": ("is gone", "nothing written"),
    "open": ("is being written by another program", "close it there and run it again"),
}

# Where we keep what is under way; no synchronisation takes it along.
SCRATCH = ".mindcache/tmp"

# Where texts lie as they were before an applied proposal, by day.
UNDO = ".mindcache/undo"


class Vault:
    """One folder of notes. `root` is its real path.

    `moment` is told of each moment of a write at which somebody else, who is alone with
    the vault as well as he knows, may come in between.
    """

    def __init__(self, root: str, moment: atomic.Moment = atomic.untold) -> None:
        self.root = root
        self._walk = Walk(root)
        self._moment = moment

    # -- looking ---------------------------------------------------------

    def scan(self, progress: Callable[[int], None] | None = None) -> Scan:
        """Walk the vault. Raises VaultUnavailable when its root can't be read.

        `progress` is called with the number of files seen so far.
        """
        return self._walk.scan(progress)

    def look(self, paths: Iterable[str]) -> Scan:
        """Meet these paths alone, by the rules of a scan; the rest is not looked at.

        What is not there, or is none of the vault's files, is simply not in the
        answer.
        """
        return self._walk.look(paths)

    def folders_left_out(self) -> Callable[[str], bool]:
        """Whether a folder ("a/b/") is one that holds no notes of the vault."""
        return self._walk.folders_left_out()

    def ignore_text(self) -> str:
        """The text of `.mindcacheignore`, "" without one. Raises VaultUnavailable."""
        return self._walk.ignore_text()

    def obsidian(self) -> Obsidian:
        """Obsidian's own settings, as far as they matter here; never raises."""
        return obsidian.daily_notes(self.root)

    def template_folders(self) -> tuple[str, ...]:
        """The folders that Obsidian takes templates from, without slashes around them.

        Of its own plugin and of Templater; () where neither says one. Never raises.
        """
        return obsidian.template_folders(self.root)

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
                return None, stamp_of(before)
            data = file.read()
            after = os.fstat(file.fileno())
        settled = (
            stamp_of(before) == stamp_of(after)
            and len(data) == after.st_size
            and abs(time.time_ns() - after.st_mtime_ns) > SETTLE_NS
        )
        stamp = stamp_of(after)
        return data, stamp if settled else stamp._replace(mtime_ns=0)

    def exists(self, path: str) -> bool:
        """Whether the path leads to anything on disk right now."""
        try:
            return os.path.lexists(self._below(path))
        except Refused:
            return False

    def replace(
        self, path: str, data: bytes, expected: bytes, *, settled: bool = True
    ) -> None:
        """Put `data` where `expected` was read, in one step.

        Without `settled` the caller does `settle` for the folder when all is written.

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
            with self._unchanged(path):
                atomic.replace(
                    full, data, expected, settled=settled, moment=self._moment
                )

    @contextlib.contextmanager
    def _unchanged(self, path: str) -> Iterator[None]:
        """Say of a file that was found to be another what became of it."""
        try:
            yield
        except atomic.Changed as error:
            kept = ""
            if error.kept:
                shown = os.path.relpath(error.kept, self.root).replace(os.sep, "/")
                kept = f"; what was saved just before that is kept as {shown}"
            what, mend = _CHANGED[error.why]
            raise ChangedMeanwhile(f"{path} {what}{kept}", mend=mend) from error

    def settle(self, paths: Iterable[str]) -> None:
        """Make what was written under these names survive a loss of power."""
        by_folder = {os.path.dirname(path): path for path in paths}
        for path in by_folder.values():
            with contextlib.suppress(Refused):  # somebody has moved it since
                atomic.settle(self._inside(path))

    def create(self, path: str, data: bytes, names: Names | None = None) -> None:
        """Write a new file; of its folders, those that are missing are made.

        `names` is what is known of the vault's names from writes just before.
        Raises Refused when the name is taken, would clash with another where
        upper and lower case are one, or can't travel, and MindcacheError when the
        system won't write.
        """
        full = self._free(path, names or Names(self.root))
        with _writing(path), _folder_of(full):
            try:
                atomic.create(full, data)
            except FileExistsError as error:
                raise _taken(path) from error

    def move(
        self, path: str, to: str, expected: bytes, names: Names | None = None
    ) -> None:
        """Give the file that holds `expected` another path, never over a file.

        Raises as `replace` and `create` do.
        """
        source = self._inside(path)
        if not os.path.lexists(source):
            raise ChangedMeanwhile(f"{path} is gone", mend="nothing written")
        target = self._inside(to)
        # The same name in other letters is the same file where case doesn't count.
        if not _is_same_file(source, target):
            target = self._free(to, names or Names(self.root), leaving=path)
        with _writing(to), _folder_of(target), self._unchanged(path):
            try:
                atomic.rename(source, target, expected, moment=self._moment)
            except FileExistsError as error:
                raise _taken(to) from error

    def may_move(self, path: str, to: str) -> None:
        """Raise Refused when the file or folder at `path` can't be given another."""
        if any(is_passing(part) for part in to.split("/") if part):
            raise Refused(f"{to} would be hidden", mend="choose another name")
        source, target = self._inside(path), self._inside(to)
        if f"{to}/".startswith(f"{path}/") and os.path.isdir(source):
            raise Refused(f"{path} can't be moved into itself", mend="nothing written")
        if not _is_same_file(source, target):
            self._free(to, Names(self.root), leaving=path)

    def move_folder(self, path: str, to: str, names: Names | None = None) -> None:
        """Give a folder another path, with all that is in it.

        Raises Refused when the path is taken or can't be had, ChangedMeanwhile when
        there is no such folder, and MindcacheError when the system won't write.
        """
        source = self._inside(path)
        if f"{to}/".startswith(f"{path}/"):
            raise Refused(f"{path} can't be moved into itself", mend="nothing written")
        if not os.path.isdir(source):
            raise ChangedMeanwhile(f"{path} is gone", mend="nothing written")
        target = self._free(to, names or Names(self.root), leaving=path)
        with _writing(to), _folder_of(target):
            try:
                atomic.rename(source, target, moment=self._moment)
            except FileExistsError as error:
                raise _taken(to) from error

    def discard(self, path: str) -> None:
        """Delete a file of our own in `SCRATCH` or `UNDO`, and folders it leaves empty.

        Raises MindcacheError.
        """
        if not path.startswith((f"{SCRATCH}/", f"{UNDO}/")):
            raise Refused(f"{path} is no scratch file", mend="nothing written")
        full = self._inside(path)
        with _writing(path), contextlib.suppress(FileNotFoundError):
            os.unlink(full)
        folder = os.path.dirname(full)
        with contextlib.suppress(OSError):  # something else is in there
            while folder != self.root:
                os.rmdir(folder)
                folder = os.path.dirname(folder)

    def sweep(self, path: str) -> str:
        """Delete a temporary file that a killed write of ours left.

        One that holds what somebody else wrote is put into the trash instead; the path
        where it lies then, "" when it is deleted. Raises MindcacheError.
        """
        folder, _, name = path.rpartition("/")
        if not atomic.is_temporary(name):
            raise Refused(f"{path} is no temporary file of ours", mend="nothing done")
        full = self._inside(path)
        with _writing(path), contextlib.suppress(FileNotFoundError):
            if not atomic.is_foreign(full):
                os.unlink(full)
                return ""
            notes = os.listdir(os.path.dirname(full))
            named = (each for each in notes if name[1:17] == atomic.short_hash(each))
            note = next(named, f"{name[1:17]}.md")
            folder = folder.removeprefix(TRASH).lstrip("/")
            to = self.in_trash(f"{folder}/{note}" if folder else note)
            target = self._inside(to)
            with _folder_of(target):
                atomic.rename(full, target)
            return to
        return ""

    def symlinks_to(self, paths: Collection[str]) -> list[str]:
        """The symbolic links in the vault that lead to one of these, sorted.

        Those in hidden folders are other programs' own.
        """
        real = {os.path.join(self.root, path) for path in paths}
        found: list[str] = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [each for each in folders if each[0] != "."]
            for name in (*folders, *names):
                full = os.path.join(folder, name)
                if os.path.islink(full) and os.path.realpath(full) in real:
                    found.append(os.path.relpath(full, self.root).replace(os.sep, "/"))
        return sorted(found)

    def link_format(self) -> str:
        """What Obsidian is told to write in links: shortest, relative or absolute."""
        found = obsidian.told(self.root, "newLinkFormat")
        return found if found in ("relative", "absolute") else "shortest"

    def attachment_folder(self) -> str:
        """Where Obsidian is told to put attachments, as it says so; "" when it isn't."""
        return obsidian.told(self.root, "attachmentFolderPath")

    def _free(self, path: str, names: Names, leaving: str = "") -> str:
        """The full path of a name that a new file may take."""
        if reason := portability(path):
            shown = shortened(path, _SHOWN)
            raise Refused(
                f"{shown}{'' if shown == path else '…'}: {reason}",
                mend="choose another name",
            )
        full = self._inside(path)
        if os.path.lexists(full):
            raise _taken(path)
        if (twin := names.twin(path)) and twin != leaving:
            raise Refused(
                f"{path} and {twin} differ only in how they are spelled",
                mend="they would clash on other systems: choose another name",
            )
        names.add(path)
        return full

    def in_trash(self, path: str, taken: Collection[str] = ()) -> str:
        """A free path in `.trash`, none of `taken`, for a file that is thrown away."""
        for found in _names_in_trash(path):
            if found not in taken and not os.path.lexists(self._below(found)):
                return found
        raise AssertionError  # the names don't end

    def find_in_trash(self, path: str, data: bytes) -> str | None:
        """Where a file that was thrown away from `path` lies, if it holds just this.

        Raises OSError.
        """
        for found in _names_in_trash(path):
            try:
                there, _ = self.read(found, len(data))
            except FileNotFoundError:
                return None
            if there == data:
                return found
        raise AssertionError  # the names don't end

    def append(self, path: str, lines: Sequence[str]) -> None:
        """Add lines of JSON to the end of a file of our own below `.mindcache`.

        One write each call: no reader and no other writer sees half of it. Half a line
        that a killed write left at the end is cut off first.
        Raises MindcacheError.
        """
        full = self._inside(path)
        data = "".join(f"{line}\n" for line in lines).encode()
        with _writing(path), _folder_of(full):
            appending.append(full, data, self._moment)

    def mend_end(self, path: str) -> bool:
        """Cut off half a line of JSON at the end of a file of our own, if one is there.

        Raises MindcacheError.
        """
        full = self._inside(path)
        if not os.path.isfile(full):
            return False
        with _writing(path):
            return appending.cut_torn(full)

    def _below(self, path: str) -> str:
        """The full path of a path that is written as one below the root."""
        if path.startswith(("/", os.sep)) or ".." in path.split("/") or "\0" in path:
            raise Refused(f"{path} leads out of the vault", mend="nothing done")
        return os.path.join(self.root, path)

    def _inside(self, path: str) -> str:
        """The full path of a file to be written, which really lies below the root."""
        full = self._below(path)
        if any(is_gits(name) for name in path.split("/")):
            raise Refused(f"{path} is git's own", mend="nothing written")
        if not holds(self.root, os.path.realpath(os.path.dirname(full))):
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


def _names_in_trash(path: str) -> Iterator[str]:
    """What a file of this path may be called in `.trash`, without end."""
    stem, dot, ending = path.rpartition(".")
    if not dot or "/" in ending:
        stem, dot, ending = path, "", ""
    for number in itertools.count(1):
        mark = "" if number == 1 else f" {number}"
        yield f"{TRASH}/{stem}{mark}{dot}{ending}"


def _taken(path: str) -> Refused:
    return Refused(f"{path} exists already", mend="nothing written")


def _is_same_file(source: str, target: str) -> bool:
    try:
        return source != target and os.path.samefile(source, target)
    except OSError:
        return False


@contextlib.contextmanager
def _folder_of(full: str) -> Iterator[None]:
    """A file's folder, made for what is written in it; gone again if that fails."""
    made: list[str] = []
    folder = os.path.dirname(full)
    while not os.path.lexists(folder):
        made.append(folder)
        folder = os.path.dirname(folder)
    try:
        os.makedirs(os.path.dirname(full), exist_ok=True)
        yield
    except BaseException:
        for each in made:
            with contextlib.suppress(OSError):  # somebody put something there
                os.rmdir(each)
        raise


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


def _open_plain(path: str, flags: int) -> int:
    """Open without following a link and without waiting on a pipe."""
    extra = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags | extra)


def template_folder() -> str:
    """The vault template that ships with this package or stands beside it."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(here, "_vault_template")
    return (
        inside
        if os.path.isdir(inside)
        else os.path.join(os.path.dirname(here), "vault_template")
    )
