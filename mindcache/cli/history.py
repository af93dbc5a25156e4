"""`mindcache history`: what git knows of a note."""

from __future__ import annotations

from dataclasses import asdict

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

__all__ = ["history"]

_ABBREVIATED = 10  # characters of a commit's name, enough for any vault


@command(
    'mindcache history "Halden pricing"',
    "mindcache history memory/Pricing.md --limit 5",
)
@click.argument("name")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Only the newest N; 0 for all.",
)
def history(call: Call, name: str, limit: int) -> None:
    """Show the commits that touched the note NAME, its renames included.

    Where the vault is in no git repository the answer is empty and says so.
    """
    from mindcache.recall.find import get_note
    from mindcache.vault import git

    app = call.app
    node = get_note(app.reader(), name)
    found = git.history(app.vault.root, node.path, limit)
    call.settle()
    if call.json:
        from mindcache import wire

        versions = [asdict(version) for version in found.versions]
        shape = {"path": node.path, "versions": versions, "reason": found.reason}
        output.print_json(wire.merged(shape))
        return
    if not found.versions:
        output.say(f"No history of {output.path_text(node.path)}: {found.reason}.")
        return
    rows = [
        (
            version.commit[:_ABBREVIATED],
            version.date[:16].replace("T", " "),
            f"+{version.added} -{version.removed}",
            output.single(version.author),
            output.single(version.subject),
        )
        for version in found.versions
    ]
    for line in output.table(rows):
        output.say(line)
