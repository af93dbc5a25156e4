"""`mindcache entity`: notes about people, projects and things."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.move import ending, links_json, print_links, told
from mindcache.cli.shape import Entry, Group, command, examples

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.write.merging import Merged, Merger

__all__ = ["create", "entity", "merge"]

entity = Group(
    "entity",
    {
        "create": Entry(
            "mindcache.cli.entity:create", "A note about someone or -thing."
        ),
        "merge": Entry("mindcache.cli.entity:merge", "Make two notes one."),
    },
    help="Notes about people, projects and things.",
    epilog=examples(
        'mindcache entity create "Ada Lovelace" --alias Ada --kind person',
        "mindcache entity merge Ada 'Ada Lovelace' --dry-run",
    ),
)


@command(
    'mindcache entity create "Ada Lovelace" --alias Ada --kind person',
    'mindcache entity create Halden --summary "The ferry line" --tag client/halden',
)
@click.argument("name")
@click.option("--alias", "aliases", metavar="A", multiple=True, help="Another name.")
@click.option("--kind", metavar="K", default="", help="As in person, project, place.")
@click.option("--summary", metavar="TEXT", default="", help="One line about it.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="As client/acme.")
def create(
    call: Call,
    name: str,
    aliases: tuple[str, ...],
    kind: str,
    summary: str,
    tags: tuple[str, ...],
) -> None:
    """Write a note of type entity about NAME, in the folder memory/.

    Refused when a note goes by that name or alias already, however it is spelled.
    """
    from mindcache.write.entities import Wanted, created

    app = call.app
    with app.writing():
        change, redacted = created(app, Wanted(name, aliases, kind, summary, tags))
        done = app.commit([change])
    call.settle()
    failed = [(c.path, error) for c, error in done.failed]
    if call.json:
        from mindcache import wire
        from mindcache.note import parse

        properties = parse(change.path, change.data).properties
        shape = {
            "path": change.path,
            "id": properties["id"],
            "written": not failed,
            "failed": told(failed),
            "redacted": [{"kind": k, "count": n} for k, n in redacted],
        }
        output.print_json(wire.merged(shape))
    elif not failed:
        output.say(f"{output.path_text(change.path)} written")
        for what, count in redacted:
            output.say(f"  redacted: {output.counted(count, what)}")
    ending(app, failed, done.behind, say=not call.json)


@command(
    "mindcache entity merge Ada 'Ada Lovelace' --dry-run",
    "mindcache entity merge m-01KQR4HQ0016B8652A2VCAEF06 memory/Halden.md",
)
@click.argument("source", metavar="FROM")
@click.argument("into", metavar="INTO")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def merge(call: Call, source: str, into: str, dry_run: bool) -> None:
    """Merge the note FROM into INTO: names, properties, text and links.

    INTO keeps what it has and gets what it lacks; other values and the text of FROM
    go below its own, headings and blocks of a name it has too with another. Links to
    FROM lead to INTO and show what they showed; its id is an alias. FROM goes to .trash.
    Both are ids, paths, or file names that no other note has.
    """
    from mindcache.write import merging

    app = call.app
    if dry_run:
        plan = _decided(app, source, into)
        done = merging.Merged("", [*plan.texts], [*plan.failed])
    else:
        with app.writing():
            plan = _decided(app, source, into)
            done = merging.merge(app, plan)
    call.settle()
    if call.json:
        _print_json(plan, done, dry_run=dry_run)
    else:
        _print(plan, done, dry_run=dry_run)
    ending(app, done.failed, done.behind, say=not call.json)


def _decided(app: App, source: str, into: str) -> Merger:
    from mindcache.cli.places import exact_note
    from mindcache.errors import Refused
    from mindcache.write import merging

    reader = app.reader()
    nodes = []
    for name in (source, into):
        path = exact_note(app, name, by_name=True)
        node = reader.find_node(path)
        if node is None:
            raise Refused(f"{path} is kept apart", mend="mindcache doctor says why")
        nodes.append(node)
    return merging.decide(app, *nodes)


def _print_json(plan: Merger, done: Merged, *, dry_run: bool) -> None:
    from mindcache import wire

    shape = {
        "dry_run": dry_run,
        "from": plan.source,
        "into": plan.into.path,
        "properties": dict(plan.added),
        "differing": {
            key: {"into": mine, "from": theirs}
            for key, (mine, theirs) in plan.differing.items()
        },
        "diff": _diff(plan),
        "links": links_json(done.texts),
        "trashed": done.trashed,
        "failed": told(done.failed),
    }
    output.print_json(wire.merged(shape))


def _diff(plan: Merger) -> str:
    from mindcache.write.change import unified

    return unified(plan.into.path, plan.into.before, plan.into.after)


def _print(plan: Merger, done: Merged, *, dry_run: bool) -> None:
    output.say(_diff(plan).rstrip("\n"))
    for key, (mine, theirs) in plan.differing.items():
        stays, kept = output.single(str(mine)), output.single(str(theirs))
        output.say(f"  {output.single(key)}: {stays} stays; {kept} is kept in the text")
    print_links(done.texts, dry_run=dry_run)
    if done.trashed:
        here, there = output.path_text(plan.source), output.path_text(done.trashed)
        output.say(f"{here} → {there}")
