"""`mindcache link`, `unlink` and `retire`: typed edges between two notes."""

from __future__ import annotations

import click

from mindcache.cli.call import Call
from mindcache.cli.shape import command

__all__ = ["link", "retire", "unlink"]


@command(
    'mindcache link "Halden pricing" about "Halden Ferries"',
    'mindcache link "Crane course" occurred_after "Crane inspection" --dry-run',
)
@click.argument("source", metavar="NOTE")
@click.argument("relation", metavar="RELATION")
@click.argument("target", metavar="OTHER")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def link(call: Call, source: str, relation: str, target: str, dry_run: bool) -> None:
    """Draw an edge from NOTE to OTHER, in the property called like RELATION.

    Relations: about, involves, entities, before_after, same_topic, derived_from,
    planned_for, occurred_after, contradicts, superseded_by. An edge that is there is
    not drawn twice.
    """
    from mindcache import scribe
    from mindcache.cli.places import in_vault
    from mindcache.cli.written import report

    one, other = in_vault(call.app.vault, source), in_vault(call.app.vault, target)
    done = scribe.link(call.app, one, relation, other, dry_run=dry_run)
    report(call, done, dry_run=dry_run)


@command('mindcache unlink "Halden pricing" about "Halden Ferries"')
@click.argument("source", metavar="NOTE")
@click.argument("relation", metavar="RELATION")
@click.argument("target", metavar="OTHER")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def unlink(call: Call, source: str, relation: str, target: str, dry_run: bool) -> None:
    """Take away the edge from NOTE to OTHER that RELATION names.

    A symmetric one goes from whichever note it stands in. Links in the text stay.
    """
    from mindcache import scribe
    from mindcache.cli.places import in_vault
    from mindcache.cli.written import report

    one, other = in_vault(call.app.vault, source), in_vault(call.app.vault, target)
    done = scribe.unlink(call.app, one, relation, other, dry_run=dry_run)
    report(call, done, dry_run=dry_run)


@command(
    "mindcache retire memory/Pricing.md --for 'New pricing' --because 'Ida raised it'"
)
@click.argument("note", metavar="ID")
@click.option("--for", "successor", metavar="NOTE", default="", help="What holds now.")
@click.option("--because", metavar="TEXT", default="", help="Why, as a line in it.")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def retire(call: Call, note: str, successor: str, because: str, dry_run: bool) -> None:
    """Say of the note with this ID, or at this path, that it holds no longer.

    It is archived, `valid_until` is set to now, and with --for it contradicts that
    note and is superseded by it. Nothing is deleted.
    """
    from mindcache import scribe
    from mindcache.cli.places import in_vault
    from mindcache.cli.written import report

    given = in_vault(call.app.vault, note)
    after = in_vault(call.app.vault, successor) if successor.strip() else ""
    done = scribe.retire(call.app, given, after, because, dry_run=dry_run)
    report(call, done, dry_run=dry_run)
