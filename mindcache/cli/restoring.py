"""`mindcache import json`: a vault again, from what an export of ours holds."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command
from mindcache.cli.written import tell_behind

if TYPE_CHECKING:
    from mindcache.importers.restore import Restored

__all__ = ["bring_back", "from_json", "from_sqlite"]

# Lines of each kind that are printed; JSON has all.
_MOST_SHOWN = 20


_WHAT = """Make the notes again that an export holds: their bytes, paths, and the ledger.

FILE is what `mindcache export {name}` wrote; - is stdin. Nothing in the vault is ever
changed: what is there already stays, and a note that finds another in its place is
refused and listed. Ends with 1 when one was."""


def _command(name: str, example: str) -> click.Command:
    """The command that takes back one form; either reads both."""

    def work(call: Call, path: str, dry_run: bool) -> None:
        bring_back(call, path, dry_run=dry_run)

    work.__doc__ = _WHAT.format(name=name)
    argument = click.argument("path", metavar="FILE")
    option = click.option(
        "--dry-run", is_flag=True, help="Only show what would be done."
    )
    made = command(
        f"mindcache import {name} {example} --dry-run",
        f"mindcache import {name} {example}",
    )(argument(option(work)))
    made.name = name
    return made


from_json = _command("json", "memory.json")
from_sqlite = _command("sqlite", "memory.sqlite")


def bring_back(call: Call, path: str, *, dry_run: bool) -> None:
    """Restore what lies at a path, and say what came of it."""
    from mindcache.importers.restore import restore_from

    report = restore_from(
        call.app,
        path,
        dry_run=dry_run,
        stdin=sys.stdin.buffer,
        progress=call.progress,
    )
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.restored(report))
    else:
        _print(report)
    tell_behind(call, report.behind)
    if report.is_lossy:
        raise click.exceptions.Exit(1)


def _print(report: Restored) -> None:
    _shown("new", [output.path_text(path) for path in report.made])
    _shown(
        "moved",
        [
            f"{output.path_text(path)} is at {output.path_text(at)}"
            for path, at in report.moved
        ],
    )
    counts = (
        (len(report.made), "new"),
        (report.unchanged, "unchanged"),
        (len(report.refused), "refused"),
        (report.ledger, "of the ledger"),
    )
    said = ", ".join(f"{number:,} {word}" for number, word in counts if number)
    is_idle = report.dry_run and (report.made or report.ledger)
    output.say(
        (said or "nothing in it") + ("; nothing written: --dry-run" if is_idle else "")
    )
    for path, error in report.refused[:_MOST_SHOWN]:
        tail = f" ({output.single(error.mend)})" if error.mend else ""
        output.remark(
            f"mindcache: {output.path_text(path)}: {output.single(error.message)}{tail}"
        )
    for problem in report.problems[:_MOST_SHOWN]:
        output.remark(f"mindcache: {output.problem_text(problem)}")
    if max(len(report.refused), len(report.problems)) > _MOST_SHOWN:
        output.remark("mindcache: there are more; --json lists all")


def _shown(word: str, lines: list[str]) -> None:
    for line in lines[:_MOST_SHOWN]:
        output.say(f"{word:<9} {line}")
    if len(lines) > _MOST_SHOWN:
        output.say(f"{word:<9} … and {len(lines) - _MOST_SHOWN:,} more")
