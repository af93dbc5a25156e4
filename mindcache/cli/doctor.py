"""`mindcache doctor`: what is wrong, and what would mend it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.doctor import Health

__all__ = ["doctor"]

_UNTRIED = "mindcache doctor --repair builds it anew; your notes are not touched."
_TRIED = (
    "Building it anew did not mend that: is its disk sound? --cache-dir names another."
)


def _listing(code: Hashable) -> str:
    """The command that lists every problem of a kind."""
    is_link = code == "link-by-alias"
    return "mindcache links --by-alias" if is_link else "mindcache doctor --json"


@command("mindcache doctor", "mindcache doctor --repair")
@click.option(
    "--repair", is_flag=True, help="Build the cache anew; finish what was interrupted."
)
@click.option("--compact", is_flag=True, help="Leave no deleted text in the cache.")
def doctor(call: Call, repair: bool, compact: bool) -> None:
    """Look for faults of the cache and problems of the notes.

    Your notes are not touched, unless --repair finds a rename, move or merge that
    was interrupted, and finishes it; it deletes temporary files of ours. Ends with 1 when something keeps notes from
    being read or found.
    """
    app = call.app
    health = _repaired(app) if repair else _examined(app)
    compacted = compact and (health.repaired or not health.faults)
    if compacted:
        app.compact()
    call.settle()
    if call.json:
        from mindcache import wire
        from mindcache.cli.failures import brief

        shape = {
            "faults": [brief(fault) for fault in health.faults],
            "problems": wire.problems(health.problems),
            "repaired": health.repaired,
            "compacted": compacted,
        }
        output.print_json(wire.merged(shape))
    else:
        _print(health, compacted=compacted, tried=repair)
    if health.failed:
        raise click.exceptions.Exit(1)


def _examined(app: App) -> Health:
    """What is wrong; a cache that can't be read to the end is one fault more."""
    from mindcache.app import database_errors
    from mindcache.cli.failures import database_error, is_disk_full
    from mindcache.doctor import Health

    try:
        return app.doctor()
    except database_errors() as error:
        if is_disk_full(error):
            raise  # no fault of the cache: building it anew would not help
        return Health([database_error(error, app.cache_folder).message], [], False)


def _repaired(app: App) -> Health:
    """What was wrong before the cache was built anew, and what is left after.

    Raises MindcacheError when it can't be built.
    """
    from mindcache.app import database_errors
    from mindcache.cli.failures import database_error
    from mindcache.doctor import Health

    before = _examined(app)
    try:
        app.tidy()
        app.update(rebuild=True)
        after = app.doctor()
    except database_errors() as error:
        folder = app.cache_folder
        mend = f"delete {output.path_text(folder)}, or name another with --cache-dir"
        raise database_error(error, folder, last=mend) from error
    faults = list(dict.fromkeys((*before.faults, *after.faults)))
    return Health(faults, after.problems, not after.faults)


def _print(health: Health, *, compacted: bool, tried: bool) -> None:
    from mindcache.cli.failures import brief
    from mindcache.doctor import grouped

    if health.faults:
        output.say(strong=f"Faults of the cache ({len(health.faults)})")
        for fault in health.faults:
            output.say(f"  {brief(fault)}")
        if not health.repaired:
            output.say("  " + (_TRIED if tried else _UNTRIED))
    if health.repaired:
        output.say("The cache was built anew.")
    for heading, problems in grouped(health.problems):
        output.say(strong=f"{heading} ({len(problems):,})")
        lines = ((each.code, output.problem_text(each)) for each in problems)
        for line in output.first_of_each(lines, _listing):
            output.say("  " + line)
    if compacted:
        output.say("The cache holds no deleted text any more.")
    if not (health.faults or health.problems or health.repaired):
        output.say("Nothing is wrong.")
