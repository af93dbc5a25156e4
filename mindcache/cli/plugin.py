"""`mindcache plugin`: whether the Claude Code plugin is whole and finds what it needs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples

if TYPE_CHECKING:
    from mindcache.session.installed import Finding

__all__ = ["doctor", "plugin"]

plugin = Group(
    "plugin",
    {"doctor": Entry("mindcache.cli.plugin:doctor", "Check an installation.")},
    help="The plugin for Claude Code that this repository is.",
    epilog=examples("mindcache plugin doctor"),
)


@command("mindcache plugin doctor", "mindcache plugin doctor --json")
@click.option(
    "--folder",
    metavar="DIR",
    default="",
    help="The plugin's folder, where it isn't found by itself.",
)
def doctor(call: Call, folder: str) -> None:
    """Check the plugin's files, the command they call, the vault, and the last failures.

    Ends with 1 when a session would start without its memory.
    """
    from mindcache.session.installed import examine

    given = os.path.abspath(os.path.expanduser(folder)) if folder.strip() else ""
    found = examine(given, call.vault or "", call.cache_dir)
    if call.json:
        from mindcache import wire

        shape = [each._asdict() for each in found]
        output.print_json(
            wire.merged({"checks": shape, "ok": all(f.ok for f in found)})
        )
    else:
        _print(found)
    if not all(each.ok for each in found):
        raise click.exceptions.Exit(1)


def _print(found: list[Finding]) -> None:
    for each in found:
        word = "ok  " if each.ok else "FAIL"
        output.say(f"{word}  {output.single(each.what)}")
        if each.mend:
            output.say(f"      {output.single(each.mend)}")
