"""`mindcache why-faint`: why a memory is faint, or when it will be."""

from __future__ import annotations

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

__all__ = ["why_faint"]


@command('mindcache why-faint "Halden pricing"', "mindcache why-faint m-01K7Z0 --json")
@click.argument("name")
def why_faint(call: Call, name: str) -> None:
    """Say how strong the memory that goes by NAME is, and when it fades, in one line.

    Faint notes are found like all others; a use wakes them.
    """
    from mindcache.digest.fading import why_faint as why
    from mindcache.errors import Refused
    from mindcache.recall.find import get_note

    node = get_note(call.app.reader(), name)
    found = why(call.app, node)
    call.settle()
    if found is None:
        raise Refused(
            f"{node.path} is a note of type {node.type}, which doesn't fade",
            mend="facts, entities, plans, events and summaries do",
        )
    if call.json:
        from mindcache import wire

        output.print_json(wire.faintness(found))
        return
    output.warn_when_stale(call.app.freshness)
    output.say(f"{output.path_text(node.path)}: {found.line()}")
