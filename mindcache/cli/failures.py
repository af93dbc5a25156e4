"""The outer wall of the command line: errors become words and exit codes, once."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

import click

from mindcache.cli import output
from mindcache.cli.root import root
from mindcache.errors import MindcacheError, UsageError

__all__ = ["guarded"]

INTERRUPTED = 130  # 128 + SIGINT, as shells have it

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
    try:
        code = root.main(list(args), prog_name="mindcache", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        code = INTERRUPTED
    except click.ClickException as error:
        code = _misused(error, wants_json)
    except BrokenPipeError:
        code = 1
    except (MindcacheError, OSError) as error:
        code = _failed(error, wants_json)
    except _database_errors() as error:
        code = _failed(_database_error(error), wants_json)
    except SystemExit as leaving:  # click's own: a broken pipe, a completion
        code = leaving.code
    return code if isinstance(code, int) else 0


def _misused(error: click.ClickException, wants_json: bool) -> int:
    error.show()
    if wants_json:
        _print_error(UsageError(error.format_message()))
    return error.exit_code


def _failed(error: MindcacheError | OSError, wants_json: bool) -> int:
    if isinstance(error, OSError):
        error = _system_error(error)
    output.remark(f"mindcache: {error}")
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


def _database_error(error: Exception) -> MindcacheError:
    words = str(error)
    if "disk is full" in words:
        mend = "make room on the disk of the cache, or name another with --cache-dir"
    elif "readonly" in words or "unable to open" in words:
        mend = "check the permissions of the cache folder, or name another"
    elif "locked" in words:
        mend = "another process is using it; wait and run it again"
    else:
        mend = "run mindcache doctor --repair"
    return MindcacheError(f"the cache can't be used: {words}", mend=mend)
