"""`mindcache search graph`: walks along links and relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.cache.read import Reader
    from mindcache.index.graph import Direction, EdgeRow
    from mindcache.recall.standing import Standing
    from mindcache.recall.walk import Walk

__all__ = ["graph"]


@command(
    'mindcache search graph "Halden Ferries" --depth 2',
    'mindcache search graph "Halden pricing" --to "Marit Solheim"',
    'mindcache search graph "Kick-off at Halden" --after',
)
@click.argument("names", metavar="NOTE...", nargs=-1, required=True)
@click.option(
    "--relation",
    "relations",
    metavar="R",
    multiple=True,
    help="Only along this relation (about, involves, …). Repeatable.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1, max=10),
    default=1,
    show_default=True,
    metavar="N",
    help="How many steps away.",
)
@click.option(
    "--direction",
    type=click.Choice(["in", "out", "both"]),
    default="both",
    show_default=True,
    help="Along edges that come in, go out, or either.",
)
@click.option("--to", "goal", metavar="NOTE", default="", help="Ways to this note.")
@click.option("--before", is_flag=True, help="What came before the note.")
@click.option("--after", is_flag=True, help="What came after the note.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="How many notes at most (with --to: how many ways).",
)
def graph(
    call: Call,
    names: tuple[str, ...],
    *,
    relations: tuple[str, ...],
    depth: int,
    direction: Direction,
    goal: str,
    before: bool,
    after: bool,
    limit: int,
) -> None:
    """Show what is linked with NOTE: its neighbourhood, or ways and chains.

    Several notes give what connects them and what they share.
    """
    from mindcache.errors import UsageError
    from mindcache.recall import walk
    from mindcache.recall.find import get_note
    from mindcache.recall.standing import standings

    if bool(goal) + before + after > 1:
        raise UsageError(
            "--to, --before and --after are three questions", mend="ask one"
        )
    if len(names) > 1 and (goal or before or after):
        raise UsageError(
            "--to, --before and --after start from one note", mend="name one"
        )
    reader = call.app.reader()
    call.settle()
    nodes = [get_note(reader, name) for name in names]
    if goal:
        found = walk.between(reader, nodes[0], get_note(reader, goal), relations, limit)
    elif before or after:
        found = walk.chain(reader, nodes[0], forward=after, limit=limit)
    elif len(nodes) > 1:
        found = walk.around(reader, nodes, depth, limit)
    else:
        found = walk.near(reader, nodes[0], relations, depth, direction, limit)
    stand = standings(reader, [step.node for step in found.steps], call.app.now())
    if call.json:
        from mindcache import wire

        fresh = call.app.freshness
        state = {"stale": fresh.stale, "pending": fresh.pending}
        output.print_json(wire.merged(wire.walk(found, stand), state))
        return
    output.warn_when_stale(call.app.freshness)
    _print_walk(found, reader, stand)


def _print_walk(found: Walk, reader: Reader, stand: Mapping[int, Standing]) -> None:
    for step in found.steps:
        node = step.node
        summary = f"  {output.single(node.summary)}" if node.summary else ""
        mark = output.mark(stand[node.file_id].words)
        output.say(
            mark + summary, strong=f"{step.depth}  {output.path_text(node.path)}"
        )
        for line in dict.fromkeys(map(_edge, step.via)):
            output.say(f"     {line}")
    for way in found.paths:
        output.say(f"{output.counted(len(way), 'step')}:")
        for edge in way:
            output.say(f"  {_edge(edge)}")
    shown = {edge for step in found.steps for edge in step.via}
    rest = [edge for edge in found.edges if edge not in shown]
    if rest:
        output.say("Between them:")
        for line in dict.fromkeys(map(_edge, rest)):
            output.say(f"  {line}")
    if found.left_out:
        output.say(f"{found.left_out:,} more; --limit shows them")
    if not (found.steps or found.paths or found.edges):
        output.say(f"Nothing found: {_why_empty(found, reader)}.")


def _edge(edge: EdgeRow) -> str:
    source, target = output.path_text(edge.source), output.path_text(edge.target)
    return f"{source} —{edge.relation}→ {target}"


def _why_empty(found: Walk, reader: Reader) -> str:
    start = found.start[0]
    if not reader.edges_of([start]):
        return f"{output.path_text(start)} has no links to or from other notes"
    if len(found.start) > 1:
        return "nothing connects these notes within that depth"
    return "no edge of that kind and direction leads from there"
