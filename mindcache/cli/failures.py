"""The outer wall of the command line: errors become words and exit codes, once."""

from __future__ import annotations

import errno
import re
import shlex
import sys
from collections.abc import Iterator, Sequence

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.root import root
from mindcache.errors import MindcacheError, UsageError

__all__ = ["as_ours", "brief", "database_error", "guarded", "is_disk_full"]

INTERRUPTED = 130  # 128 + SIGINT, as shells have it

# SQLite quotes the whole paragraph that it can't read.
_QUOTED_TEXT = re.compile(r" with text '.*", re.DOTALL)
_LONGEST = 200  # characters; whatever else it may quote

# What an argument holds of bytes that are no UTF-8, as Python hands them on.
_NO_UTF8 = re.compile("[\ud800-\udfff]")
# Folders of the machine, which the vault never writes down.
_FOLDERS = frozenset({"--vault", "--cache-dir"})

_SYSTEM_MENDS = {
    errno.ENOSPC: "make room on that disk and run it again",
    errno.EROFS: "it lies on a read-only file system; name another with --cache-dir",
    errno.EACCES: "check its permissions; --cache-dir names another folder for caches",
    errno.EPERM: "check its permissions; --cache-dir names another folder for caches",
    errno.EMFILE: "too many files are open; raise the limit with ulimit -n",
}


def guarded(args: Sequence[str]) -> int:
    """Run the command that `args` name; gives its exit code, never raises."""
    output.speak_utf8()
    wants_json = "--json" in args
    call = Call()
    if (odd := _not_utf8(args)) is not None:
        return _failed(odd, wants_json)
    try:
        code = root.main(
            list(args), prog_name="mindcache", standalone_mode=False, obj=call
        )
        sys.stdout.flush()
    except click.exceptions.Abort:
        code = INTERRUPTED
    except click.ClickException as error:
        code = _misused(error, wants_json, args)
    except BrokenPipeError:
        code = 1
    except (MindcacheError, OSError) as error:
        code = _failed(as_ours(error, ""), wants_json)
    except _database_errors() as error:
        code = _failed(database_error(error, call.cache_folder), wants_json)
    except SystemExit as leaving:  # click's own: a broken pipe, a completion
        code = leaving.code
    return code if isinstance(code, int) else 0


def _not_utf8(args: Sequence[str]) -> UsageError | None:
    """What to say of the first argument that no note could hold; None where all are text.

    Names of notes and files, tags and texts are all UTF-8 here; the folders of a
    machine may be called as they like.
    """
    before = ""
    for each in args:
        is_folder = before in _FOLDERS or each.partition("=")[0] in _FOLDERS
        before = each
        if is_folder or not _NO_UTF8.search(each):
            continue
        shown = _NO_UTF8.sub(_escaped, each)
        return UsageError(
            f"the argument '{shown}' is not UTF-8",
            mend="convert it, or give the file another name",
        )
    return None


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _misused(error: click.ClickException, wants_json: bool, args: Sequence[str]) -> int:
    if isinstance(error, click.NoSuchOption):
        said = error.message + _after_dashes(error, args)
        error = click.NoSuchOption(
            error.option_name, said, error.possibilities, error.ctx
        )
    error.show()
    if wants_json:
        _print_error(UsageError(error.format_message()))
    return error.exit_code


def _after_dashes(error: click.NoSuchOption, args: Sequence[str]) -> str:
    """How to write what only looks like an option, where it may be no slip."""
    context = error.ctx
    if context is None or error.possibilities:
        return ""
    takes = any(isinstance(each, click.Argument) for each in context.command.params)
    meant = next((each for each in args if each.startswith(error.option_name)), "")
    if not (takes and meant):
        return ""
    shown = shlex.quote(output.single(meant))
    call = f"{context.command_path} -- {shown}"
    return f" What begins with a dash comes after --: {call}"


def as_ours(error: Exception, folder: str) -> MindcacheError:
    """An error of the system, or of the cache in `folder`, as one of ours."""
    if isinstance(error, MindcacheError):
        return error
    if isinstance(error, OSError):
        return _system_error(error)
    return database_error(error, folder)


def _failed(error: MindcacheError, wants_json: bool) -> int:
    # Errors are of one line; a name or argument that they quote may hold another.
    output.remark(f"mindcache: {output.path_text(str(error))}")
    if wants_json:
        _print_error(error)
    return error.exit_code


def _print_error(error: MindcacheError) -> None:
    from mindcache import wire

    try:
        output.print_json(wire.error(error))
    except OSError:  # the error was about stdout itself, and stderr has it
        return


def _system_error(error: OSError) -> MindcacheError:
    where = f"{error.filename}: " if error.filename else ""
    what = error.strerror or str(error)
    mend = _SYSTEM_MENDS.get(error.errno or 0, "")
    return MindcacheError(f"{where}{what}", mend=mend)


def _database_errors() -> tuple[type[Exception], ...]:
    """Asked only once something was raised: nothing is imported for it before."""
    from mindcache.app import database_errors

    return database_errors()


def brief(words: str) -> str:
    """What SQLite says, without the text of a note that it may say it about."""
    return output.single(_QUOTED_TEXT.sub("", words))[:_LONGEST]


def database_error(
    error: Exception, folder: str, *, last: str = "run mindcache doctor --repair"
) -> MindcacheError:
    """An error of the cache in `folder` with its mend; `last` if none is known."""
    chain = [str(each) for each in _chain(error)]
    if is_disk_full(error):
        where = f" of {output.path_text(folder)}" if folder else " of the cache"
        return MindcacheError(
            f"the disk{where} is full",
            mend="make room on it, or name another folder with --cache-dir",
        )
    words = brief(chain[-1] if "rollback" in chain[0] else chain[0])
    if "readonly" in words or "unable to open" in words:
        mend = "check the permissions of the cache folder, or name another"
    elif "locked" in words:
        mend = "another process is using it; wait and run it again"
    else:
        mend = last
    return MindcacheError(f"the cache can't be used: {words}", mend=mend)


def is_disk_full(error: BaseException) -> bool:
    """Whether SQLite found no room, even if a failed rollback was the last of it."""
    return any("disk is full" in str(each) for each in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, then what it came from: a failed rollback hides the cause."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__
