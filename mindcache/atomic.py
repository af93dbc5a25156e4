"""Writing a file whole or not at all, so that no reader ever sees half of it.

Standard library only, and knows nothing of notes. The temporary file lies in the
target's own folder, hidden, and is gone when the call returns or raises; a killed
process may leave one behind.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO, Literal, NamedTuple, NoReturn

from mindcache import swapping
from mindcache.hashing import blake2b

__all__ = [
    "Changed",
    "Moment",
    "building",
    "create",
    "is_foreign",
    "is_temporary",
    "rename",
    "replace",
    "settle",
    "short_hash",
    "untold",
]

_WRITES = itertools.count()  # no two writes of this process share a temporary file
# The names of temporary files: hash, process, number, and for one that is about to be
# exchanged its inode.
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.mindcache-\d+-\d+(?:-(?P<inode>\d+))?\.tmp")
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP}
# A second, for a program that has a file open for writing: editors need milliseconds.
_PATIENCE, _A_MOMENT = 200, 0.005
# More saves in a row than this, each within microseconds, are nobody's typing.
_EXCHANGES = 16

# Told what is about to happen, or has just happened, to a file's name.
Moment = Callable[[str], None]
_Why = Literal["changed", "gone", "open"]


def untold(_moment: str) -> None:
    """Nobody looks."""


class Changed(Exception):
    """A file is not what it was expected to be, and nothing of ours was written.

    `why`: it was "changed", it is "gone", or somebody has it "open" for writing.
    `kept` is the full path of a file that could not get its name back, "" for none.
    """

    def __init__(self, full: str, why: _Why, kept: str = "") -> None:
        super().__init__(f"{full}: {why}")
        self.why = why
        self.kept = kept


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one that is still to get its own name."""
    return _TEMPORARY.fullmatch(name) is not None


def replace(
    full: str,
    data: bytes,
    expected: bytes | None = None,
    *,
    settled: bool = True,
    moment: Moment = untold,
) -> None:
    """Put `data` in place of the file, which keeps its mode; or make it anew.

    With `expected` it does so only where the file holds those bytes, and raises
    `Changed` otherwise: a save of somebody else is never overwritten, at whatever
    moment it comes. Where the system can't exchange two files (see `swapping`), one
    that comes between the last look and the renaming is; and where it can't say who
    has a file open, what is written into the old file after that is lost.

    Without `settled` the caller does `settle`, once for many files of a folder: until
    then a loss of power may bring the old file back, whole. `moment` is told of each
    moment at which somebody else may come in between. Raises OSError.
    """
    try:
        mode = stat.S_IMODE(os.stat(full).st_mode)
    except FileNotFoundError:
        mode = None
    temporary = _write_beside(full, data, mode)
    try:
        if expected is None:
            os.replace(temporary, full)
        else:
            moment("to be looked at")
            _expect(full, expected)
            temporary = _named_by_inode(temporary)
    except BaseException:
        # It may have its name already: Ctrl-C comes between any two steps.
        _drop(temporary)
        raise
    if expected is not None:
        _exchange(_Exchange(temporary, full, data, expected, moment))
    if settled:
        settle(full)


def create(full: str, data: bytes) -> None:
    """Write a new file by the umask. Raises FileExistsError, never writes over one."""
    temporary = _write_beside(full, data, None)
    try:
        _name(temporary, full)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    settle(full)


@contextlib.contextmanager
def building(full: str, *, over: bool = False) -> Iterator[str]:
    """A temporary file's path, to be filled piece by piece; then it takes the name.

    It exists already, empty. When the block raises, nothing is left of it. Raises
    OSError, and FileExistsError at the end when the name was taken meanwhile, unless
    it may go `over` a file.
    """
    temporary = _write_beside(full, b"", None)
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        if over:
            os.replace(temporary, full)
        else:
            _name(temporary, full)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    settle(full)


def rename(
    full: str,
    target: str,
    expected: bytes | None = None,
    *,
    moment: Moment = untold,
) -> None:
    """Give a file or folder another path, whose folder exists; never over a file.

    With `expected` a file that holds something else stays where it is, or goes back
    there, and `Changed` is raised. Raises OSError, FileExistsError where the name is taken.
    Where the system can't promise it, a name that is taken at the last moment is
    overwritten.
    """
    if expected is not None:
        _expect(full, expected)
    moment("to be renamed")
    try:
        is_same = os.path.lexists(target) and os.path.samefile(full, target)
        # The same name in other letters is taken by the file itself.
        if is_same or not swapping.rename_new(full, target):
            os.rename(full, target)  # noqa: TID251  the one rename of a file that is whole
    except FileNotFoundError:
        if expected is None or os.path.lexists(full):
            raise
        raise Changed(full, "gone") from None
    moment("renamed")
    if expected is not None and _why_not(target, expected):
        _rename_back(target, full, moment)
    settle(target)
    settle(full)


def _rename_back(target: str, full: str, moment: Moment) -> NoReturn:
    moment("to be renamed back")
    try:
        if not swapping.rename_new(target, full):
            _name(target, full)
            _drop(target)
    except FileExistsError:
        # Saved once more under its old name: both are kept.
        raise Changed(full, "changed", target) from None
    raise Changed(full, "changed")


def _expect(full: str, expected: bytes) -> None:
    """Raise Changed unless a file holds these bytes, OSError where it can't be read."""
    try:
        if not _holds(full, expected):
            raise Changed(full, "changed")
    except FileNotFoundError:
        raise Changed(full, "gone") from None


def _holds(full: str, expected: bytes) -> bool:
    """Whether a regular file, no link to one, holds just these bytes. Raises OSError."""
    with _opened(full) as file:
        is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        return is_file and file.read(len(expected) + 1) == expected


def _opened(full: str) -> BinaryIO:
    """A file to be read, no link to one; a pipe is not waited for. Raises OSError."""
    extra = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return open(full, "rb", opener=lambda path, flags: os.open(path, flags | extra))


# -- exchanging -----------------------------------------------------------------------


class _Exchange(NamedTuple):
    """What takes whose place: our bytes in `temporary`, `expected` under `full`."""

    temporary: str
    full: str
    data: bytes
    expected: bytes
    moment: Moment


def _exchange(it: _Exchange) -> None:
    """Give our file its name, and drop what had it if that is what was expected."""
    try:
        asks = _can_tell(it.temporary)
        it.moment("to be exchanged")
        if not swapping.exchange(it.temporary, it.full):
            os.replace(it.temporary, it.full)
            return
        it.moment("exchanged")
        why = _why_not(it.temporary, it.expected, asks=asks)
        kept = _put_back(it, asks=asks) if why else ""
    except FileNotFoundError:
        _clear(it)
        raise Changed(it.full, "gone") from None
    except BaseException:
        # It may have its name already: Ctrl-C comes between any two steps.
        _clear(it)
        raise
    if why:
        raise Changed(it.full, why, kept)
    _drop(it.temporary)


def _can_tell(temporary: str) -> bool:
    """Whether the system says truly who has a file open: nobody has this one."""
    with _opened(temporary) as file:
        return swapping.is_being_written(file.fileno()) is False


def _clear(it: _Exchange) -> None:
    """Leave nothing behind in the middle of an exchange, and lose nothing."""
    with contextlib.suppress(FileNotFoundError):
        is_theirs = is_foreign(it.temporary)
        if not _why_not(it.temporary, it.expected if is_theirs else it.data):
            _drop(it.temporary)
        elif is_theirs:
            _put_back(it, asks=False)
        else:
            _kept(it.temporary, it.full)


def _why_not(full: str, expected: bytes, *, asks: bool = False) -> _Why | Literal[""]:
    """Why a file isn't, or may soon not be, one of these bytes; "" where it is.

    With `asks` a program that has it open for writing is waited for, for a second.
    """
    try:
        if asks and _stays_open(full):
            return "open"
        return "" if _holds(full, expected) else "changed"
    except OSError:
        return "changed"  # a folder, a link: nothing that was expected


def _stays_open(full: str) -> bool:
    """Whether somebody still has a file open for writing after a second."""
    with _opened(full) as file:
        for _ in range(_PATIENCE):
            if not swapping.is_being_written(file.fileno()):
                return False
            time.sleep(_A_MOMENT)
    return True


def _put_back(it: _Exchange, *, asks: bool) -> str:
    """Give the file that was exchanged its name again; where what can't get it is kept.

    Who saves once more meanwhile saves the newest: that has the name in the end, and
    what it was saved over goes into a file of its own.
    """
    under = _inode_named(it.temporary)
    for _ in range(_EXCHANGES):
        it.moment("to be put back")
        above = _inode(it.temporary)
        try:
            swapping.exchange(it.temporary, it.full)
        except FileNotFoundError:
            # Deleted under its name meanwhile.
            with contextlib.suppress(FileExistsError):
                _name(it.temporary, it.full)
                _drop(it.temporary)
                return ""
            continue
        except OSError:
            break
        if _inode(it.temporary) == under:
            break
        under = above
    if is_foreign(it.temporary) or _why_not(it.temporary, it.data, asks=asks):
        return _kept(it.temporary, it.full)
    _drop(it.temporary)
    return ""


def _kept(temporary: str, full: str) -> str:
    """Give somebody's file the name of a copy in conflict; that name."""
    stem, ending = os.path.splitext(full)
    saved = time.strftime("%Y%m%d-%H%M%S", time.localtime(os.stat(temporary).st_mtime))
    for number in itertools.count():
        mark = f"MINDC{number:02d}"  # seven characters, as Syncthing's devices have
        name = f"{stem}.sync-conflict-{saved}-{mark}{ending}"
        with contextlib.suppress(FileExistsError):
            _name(temporary, name)
            _drop(temporary)
            settle(name)
            return name
    raise AssertionError  # the numbers don't end


def _named_by_inode(temporary: str) -> str:
    """Another name for a temporary file, which says whether it is still that file.

    Once it was exchanged, what has this name is somebody's, even if we are killed.
    """
    stem = temporary.removesuffix(".tmp")
    name = f"{stem}-{_inode(temporary)}.tmp"
    while os.path.lexists(name):  # of a killed process that had our number
        stem = f"{stem.rpartition('-')[0]}-{next(_WRITES)}"
        name = f"{stem}-{_inode(temporary)}.tmp"
    os.replace(temporary, name)
    return name


def _inode(full: str) -> int:
    return os.lstat(full).st_ino


def _inode_named(temporary: str) -> int:
    """The inode that the file had when it was given this name, 0 for none."""
    match = _TEMPORARY.fullmatch(os.path.basename(temporary))
    return int(match["inode"] or 0) if match else 0


def is_foreign(temporary: str) -> bool:
    """Whether what has this temporary name is a file that ours was exchanged for.

    It belongs to whoever wrote it: a killed process had no time to look at it.
    Raises OSError.
    """
    named = _inode_named(temporary)
    return bool(named) and named != _inode(temporary)


def short_hash(name: str) -> str:
    """What the name of a temporary file says of the name that it is to get."""
    return blake2b(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _drop(temporary: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)


def _name(temporary: str, full: str) -> None:
    """Give the temporary file its name, unlike a rename never over a file."""
    try:
        os.link(temporary, full)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
    else:
        return
    # A file system without hard links: take the name first, then fill it.
    os.close(os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        os.replace(temporary, full)
    except BaseException:
        # It may have its name already: Ctrl-C comes between any two steps.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(full)
        raise


def _write_beside(full: str, data: bytes, mode: int | None) -> str:
    """A temporary file with the data; `mode` None leaves it to the umask."""
    folder, name = os.path.split(full)
    short = blake2b(name.encode("utf-8", "surrogateescape")).hexdigest()
    unique = f"{os.getpid()}-{next(_WRITES)}"
    temporary = os.path.join(folder, f".{short[:16]}.mindcache-{unique}.tmp")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)  # of a killed process that had our number
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
    except BaseException:
        # It may have its name already: Ctrl-C comes between any two steps.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    return temporary


def settle(full: str) -> None:
    """Make the new names in the file's folder survive a loss of power, if possible."""
    if os.name != "posix":
        return
    # The file is written by now: a folder that can't be opened is no failure.
    with contextlib.suppress(OSError):
        descriptor = os.open(os.path.dirname(full), os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
