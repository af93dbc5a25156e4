"""`mindcache update`: change one note's properties or text."""

from __future__ import annotations

from typing import Any

import click

from mindcache.cli.call import Call
from mindcache.cli.shape import command

__all__ = ["update"]


@command(
    'mindcache update memory/Pricing.md --summary "Prices hold until May." --dry-run',
    "mindcache update memory/Pricing.md --add-tag client/acme --append 'Ida agreed.'",
)
@click.argument("note", metavar="ID")
@click.option("--summary", metavar="TEXT", help="Another summary.")
@click.option(
    "--set", "assigned", metavar="KEY=VALUE", multiple=True, help="Set a property."
)
@click.option("--unset", metavar="KEY", multiple=True, help="Take a property away.")
@click.option(
    "--add-tag", metavar="TAG", multiple=True, help="Add a tag to the properties."
)
@click.option("--remove-tag", metavar="TAG", multiple=True, help="Take one away.")
@click.option("--append", metavar="TEXT", help="Text to add at the end; - reads stdin.")
@click.option(
    "--body", metavar="TEXT", help="Another text for the whole; - reads stdin."
)
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
def update(call: Call, note: str, dry_run: bool, **given: Any) -> None:  # noqa: ANN401  click's own
    """Change the note with this ID, or at this path; a mere likeness won't do.

    Every byte that isn't meant stays. `updated_at` moves with what the note says, not
    with its status.
    """
    from mindcache import scribe
    from mindcache.cli.places import in_vault
    from mindcache.cli.written import own, report, text_of
    from mindcache.errors import UsageError
    from mindcache.write.update import Edits, read_assignments

    append, body = given["append"], given["body"]
    if append == "-" and body == "-":
        raise UsageError("--body and --append exclude each other")
    edits = Edits(
        summary=None if given["summary"] is None else own(given["summary"]),
        assign=read_assignments(given["assigned"]),
        unset=given["unset"],
        add_tags=given["add_tag"],
        remove_tags=given["remove_tag"],
        append=None if append is None else text_of(append),
        body=None if body is None else text_of(body),
    )
    if edits.is_empty:
        raise UsageError(
            "nothing is to be changed",
            mend="give --summary, --set, --unset, --add-tag, --remove-tag, --append or"
            " --body",
        )
    name = in_vault(call.app.vault, note)
    report(call, scribe.update(call.app, name, edits, dry_run=dry_run), dry_run=dry_run)
