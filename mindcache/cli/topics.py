"""`mindcache topics` and `mindcache search topic`: what there is, seen from above."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.answers import answer, words
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples, json_option

if TYPE_CHECKING:
    from mindcache.recall.topics import Branch, Tree

__all__ = ["show", "topic", "topics"]


@click.pass_context
def _topics(context: click.Context, *, since: str, mermaid: bool, canvas: str) -> None:
    """Print the tree, unless a command of the group was named."""
    if context.invoked_subcommand is not None:
        return
    call = context.ensure_object(Call)
    tree = call.app.topics()
    if since.strip():
        from mindcache.recall.topics import since as lively

        tree = lively(tree, _moment(call, since.strip()))
    call.settle()
    if canvas:
        _write_canvas(call, tree, canvas)
    elif mermaid:
        from mindcache.recall.drawing import mermaid as drawn

        if call.json:
            from mindcache import wire

            output.print_json(wire.merged({"mermaid": drawn(tree)}))
        else:
            output.say(drawn(tree))
    elif call.json:
        from mindcache import wire

        fresh = call.app.freshness
        shape = {**wire.topics(tree), "stale": fresh.stale, "pending": fresh.pending}
        output.print_json(wire.merged(shape))
    else:
        output.warn_when_stale(call.app.freshness)
        _print(tree, since=since.strip())


topics = Group(
    "topics",
    {"show": Entry("mindcache.cli.topics:show", "One topic and its notes.")},
    params=[
        click.Option(
            ["--since"],
            default="",
            metavar="T",
            help='Only what changed since: 3w, 10d, 2026-03-05, "last month".',
        ),
        click.Option(["--mermaid"], is_flag=True, help="As a Mermaid diagram."),
        click.Option(
            ["--canvas"],
            default="",
            metavar="FILE",
            help="Write it as an Obsidian canvas, into a new file of the vault.",
        ),
        json_option(),
    ],
    invoke_without_command=True,
    callback=_topics,
    help="Show the topics as a tree, with status and number of notes.",
    epilog=examples("mindcache topics --since 3w", 'mindcache topics show "Pricing"'),
)


@command('mindcache topics show "Money and contracts"')
@click.argument("name", nargs=-1, required=True)
def show(call: Call, name: tuple[str, ...]) -> None:
    """Show one topic by id, path, title or alias: what it is about, what it holds."""
    from mindcache.recall.topics import find_topic

    tree = call.app.topics()
    branch = find_topic(tree, " ".join(name))
    nodes = {n.path: n for n in call.app.reader().nodes()}
    call.settle()
    if call.json:
        from mindcache import wire

        notes = [wire.node(nodes[p]) for p in branch.notes if p in nodes]
        output.print_json(wire.merged(wire.topic(tree, branch), {"notes": notes}))
        return
    output.warn_when_stale(call.app.freshness)
    place = output.path_text(branch.node.path)
    output.say(f"  {place}  {branch.node.status}", strong=_name(branch))
    for line in (branch.node.summary, ", ".join(branch.terms)):
        if line:
            output.say(f"  {output.single(line)}")
    for title, paths in (
        ("Above", [branch.parent] if branch.parent else []),
        ("Below", branch.children),
        ("Related", branch.related),
        ("Read first", branch.anchors),
        ("Notes", branch.notes),
    ):
        if paths:
            output.say(f"{title}:")
        for path in paths:
            node = nodes.get(path)
            said = f"  {output.single(node.summary)}" if node and node.summary else ""
            output.say(f"  {output.path_text(path)}{said}")


@command(
    'mindcache search topic "money"', 'mindcache search topic "databases" --floor 0'
)
@click.argument("text", nargs=-1)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="How many topics at most.",
)
@click.option(
    "--floor",
    type=click.FloatRange(0, 1),
    metavar="F",
    help="The least score shown, 0 to 1.",
)
@click.option("--explain", is_flag=True, help="Show the reasons for each topic.")
def topic(
    call: Call,
    text: tuple[str, ...],
    limit: int,
    floor: float | None,
    explain: bool,
) -> None:
    """Find the topics that TEXT is about, by title, summary, terms and anchors.

    What no topic is about gets none.
    """
    from mindcache.recall import Ask

    ask = Ask(words(text), limit=limit, floor=floor)
    answer(call, lambda app, asked: app.recall("topic", asked), ask, explain=explain)


def _moment(call: Call, text: str) -> datetime:
    from mindcache.recall.filters import interval_of
    from mindcache.recall.topics import moment_of

    now = call.app.now()
    found = moment_of(text, now)
    return found if found is not None else interval_of(text, "--since", now).start


def _name(branch: Branch) -> str:
    return output.single(branch.node.title)


def _print(tree: Tree, since: str) -> None:
    if not tree.topics and since:
        output.say("No topic has changed since then.")
    elif not tree.topics:
        output.say("No topics here; mindcache digest makes them.")

    def line(path: str, depth: int) -> None:
        branch = tree.topics[path]
        held = output.counted(len(tree.held(path)), "note")
        pin = ", pinned" if branch.pinned else ""
        output.say(
            f"  {branch.node.status}, {held}{pin}", strong="  " * depth + _name(branch)
        )
        for child in branch.children:
            line(child, depth + 1)

    for root in tree.roots:
        line(root, 0)
    if tree.inbox:
        output.say(f"{output.counted(len(tree.inbox), 'note')} in no topic yet")


def _write_canvas(call: Call, tree: Tree, path: str) -> None:
    from mindcache.errors import Refused
    from mindcache.recall.drawing import canvas as drawn

    name = path if path.endswith(".canvas") else f"{path}.canvas"
    if not tree.topics:
        raise Refused("there are no topics to draw", mend="run mindcache digest")
    with call.app.writing():
        call.app.vault.create(name, drawn(tree).encode("utf-8"))
    if call.json:
        from mindcache import wire

        output.print_json(wire.merged({"written": name}))
    else:
        output.say(f"wrote {output.path_text(name)}")
