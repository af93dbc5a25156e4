"""`mindcache lint`: the contract, note by note."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command
from mindcache.errors import MindcacheError, Problem

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import Reader

__all__ = ["lint"]


@command("mindcache lint", "mindcache lint memory/Pricing.md")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
def lint(call: Call, paths: tuple[str, ...]) -> None:
    """Check the notes under contract, all of them or those at PATH.

    Each breach is a line with its place and its mend; with any, the exit code is
    1. Properties that can't be read and links that only Mindcache resolves are
    shown too, and break nothing.
    """
    from mindcache.cli.places import notes_at

    app = call.app
    reader = app.reader()
    chosen = set(notes_at(app.vault, paths)) if paths else None
    checked, problems = _check(app, reader, chosen)
    call.settle()
    breaches = sum(1 for problem in problems if problem.severity == "error")
    if call.json:
        from mindcache import wire

        shape = {
            "under_contract": checked,
            "breaches": breaches,
            "problems": wire.problems(problems),
        }
        output.print_json(wire.merged(shape))
    else:
        output.warn_when_stale(app.freshness)
        output.print_problems(problems)
        notes = output.counted(checked, "note")
        output.say(
            f"{notes} under contract, {output.counted(breaches, 'breach', 'breaches')}"
        )
    if breaches:
        raise click.exceptions.Exit(1)


def _check(
    app: App, reader: Reader, chosen: set[str] | None
) -> tuple[int, list[Problem]]:
    """How many notes are under contract, and every problem by path and line."""
    from mindcache import lint as contract

    namespaces = app.settings.texts("namespaces")
    checked = 0
    found: list[Problem] = []
    for node in reader.nodes():
        if not node.under_contract or not (chosen is None or node.path in chosen):
            continue
        checked += 1
        try:
            _, note, memory = app.look(node.path)
        except (OSError, MindcacheError) as error:
            found.append(Problem(node.path, 0, "unreadable", str(error), "", "error"))
            continue
        found += contract.check(note, memory, namespaces)
        found += contract.check_text(note)
    links = contract.check_links(
        (row.source, row.line, row.target, row.resolved)
        for row in reader.links_by_alias()
        if chosen is None or row.source in chosen
    )
    unread = [
        problem
        for problem in reader.problems()
        if problem.code.startswith("frontmatter")
        and (chosen is None or problem.path in chosen)
    ]
    return checked, sorted([*found, *links, *unread])
