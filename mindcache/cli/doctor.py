"""`mindcache doctor`: what is wrong, and what would mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.doctor import Health

__all__ = ["doctor"]


@command("mindcache doctor", "mindcache doctor --repair")
@click.option("--repair", is_flag=True, help="Build a faulty cache anew.")
@click.option("--compact", is_flag=True, help="Leave no deleted text in the cache.")
def doctor(call: Call, repair: bool, compact: bool) -> None:
    """Look for faults of the cache and problems of the notes.

    Your notes are never touched. Ends with 1 when something keeps notes from
    being read or found.
    """
    app = call.app
    health = app.doctor(repair=repair)
    compacted = compact and (health.repaired or not health.faults)
    if compacted:
        app.compact()
    call.settle()
    if call.json:
        from mindcache import wire

        shape = {
            "faults": health.faults,
            "problems": wire.problems(health.problems),
            "repaired": health.repaired,
            "compacted": compacted,
        }
        output.print_json(wire.merged(shape))
    else:
        _print(health, compacted=compacted)
    if health.failed:
        raise click.exceptions.Exit(1)


def _print(health: Health, *, compacted: bool) -> None:
    from mindcache.doctor import grouped

    if health.faults:
        output.say(strong=f"Faults of the cache ({len(health.faults)})")
        for fault in health.faults:
            output.say(f"  {output.single(fault)}")
        mended = (
            "It was built anew."
            if health.repaired
            else (
                "mindcache doctor --repair builds it anew; your notes are not touched."
            )
        )
        output.say(f"  {mended}")
    for heading, problems in grouped(health.problems):
        output.say(strong=f"{heading} ({len(problems):,})")
        output.print_problems(problems, "  ")
    if compacted:
        output.say("The cache holds no deleted text any more.")
    if not (health.faults or health.problems):
        output.say("Nothing is wrong.")
