"""`mindcache export`: the memory in forms that other programs read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.filters import export_filter_options, filters_of
from mindcache.cli.shape import Entry, Group, command, examples

if TYPE_CHECKING:
    from mindcache.exporters import Properties, Report

__all__ = ["exporting", "to_json", "to_markdown", "to_sqlite"]

# Lines about single notes that are printed; JSON has all.
_MOST_SHOWN = 20

exporting = Group(
    "export",
    {
        "json": Entry("mindcache.cli.exporting:to_json", "One documented JSON file."),
        "markdown": Entry(
            "mindcache.cli.exporting:to_markdown", "A plain folder of notes."
        ),
        "sqlite": Entry(
            "mindcache.cli.exporting:to_sqlite", "The graph as tables of a new file."
        ),
    },
    help="Take the memory out, whole or filtered. Nothing in the vault changes.",
    epilog=examples(
        "mindcache export json --to memory.json",
        "mindcache export markdown --to ~/plain --properties plain",
    ),
)


_force = click.option(
    "--force", is_flag=True, help="Replace what an export wrote there before."
)


@command(
    "mindcache export json --to memory.json",
    "mindcache export json --tag client/acme | jq '.nodes[].title'",
)
@click.option(
    "--to",
    metavar="PATH",
    default="-",
    show_default=True,
    help="The file; - is stdout.",
)
@_force
@click.option("--occurrences", is_flag=True, help="Add when plans take place.")
@click.option(
    "--schema", "schema_wanted", is_flag=True, help="Print the JSON Schema, no export."
)
@export_filter_options
def to_json(
    call: Call,
    to: str,
    force: bool,
    occurrences: bool,
    schema_wanted: bool,
    **given: Any,  # noqa: ANN401  the filters, each of its own type
) -> None:
    """Write the notes as one JSON file, whole: meaning, edges, text, and the ledger.

    `mindcache import json` makes the same vault of it again. Two exports of the same
    notes are the same bytes.
    """
    from mindcache.errors import UsageError
    from mindcache.exporters import Destination, export_json, schema_text

    if schema_wanted:
        click.echo(schema_text(), nl=False)
        return
    if call.json and to == "-":
        raise UsageError(
            "--json reports on stdout, where the export goes", mend="add --to FILE"
        )
    app = call.app
    report = export_json(
        app,
        filters_of(given),
        Destination(to, force),
        stdout=sys.stdout.buffer,
        with_occurrences=occurrences,
        progress=call.progress,
    )
    _tell(call, report)


@command(
    "mindcache export markdown --to ~/plain",
    "mindcache export markdown --to ~/site --properties plain --tag domain/pumps",
)
@click.option("--to", metavar="DIR", required=True, help="The folder to make.")
@_force
@click.option(
    "--properties",
    type=click.Choice(["keep", "plain", "none"]),
    default="keep",
    show_default=True,
    help="As they are; without Mindcache's own; or no properties at all.",
)
@export_filter_options
def to_markdown(
    call: Call,
    to: str,
    force: bool,
    properties: Properties,
    **given: Any,  # noqa: ANN401  the filters, each of its own type
) -> None:
    """Copy the notes and their attachments into a folder of plain Markdown.

    With `keep`, files are copied as they are, with the settings that decide what they
    mean: the folder is a vault. With `plain` and `none`, links by an alias or id are
    written by name, so that they lead where they led.
    """
    from mindcache.exporters import Destination, export_folder

    app = call.app
    report = export_folder(
        app,
        filters_of(given),
        Destination(to, force),
        properties,
        call.progress,
    )
    _tell(call, report)


@command(
    "mindcache export sqlite --to memory.sqlite",
    "mindcache export sqlite --to plans.sqlite --type plan",
)
@click.option("--to", metavar="PATH", required=True, help="The file to write.")
@_force
@export_filter_options
def to_sqlite(
    call: Call,
    to: str,
    force: bool,
    **given: Any,  # noqa: ANN401  the filters, each of its own type
) -> None:
    """Write the graph as tables: nodes, edges, tags, topics, plans, and the ledger."""
    from mindcache.exporters import Destination, export_sqlite

    app = call.app
    report = export_sqlite(
        app, filters_of(given), Destination(to, force), call.progress
    )
    _tell(call, report)


def _tell(call: Call, report: Report) -> None:
    """Say what was written and what was not; beside an export on stdout, on stderr."""
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.exported(report))
    else:
        tell = output.remark if report.to == "-" else output.say
        for left in report.left:
            tell(f"left out  {left.count:,} {left.what}: {output.single(left.why)}")
            for path in left.paths[:_MOST_SHOWN]:
                tell(f"          {output.path_text(path)}")
            if len(left.paths) > _MOST_SHOWN:
                tell(f"          … and {len(left.paths) - _MOST_SHOWN:,} more")
        tell(_totals(report))
    for problem in report.skipped[:_MOST_SHOWN]:
        output.remark(f"mindcache: {output.problem_text(problem)}")
    if len(report.skipped) > _MOST_SHOWN:
        more = len(report.skipped) - _MOST_SHOWN
        output.remark(f"mindcache: {more:,} more; --json lists all")
    if report.is_lossy:
        raise click.exceptions.Exit(1)


def _totals(report: Report) -> str:
    counts = [output.counted(report.notes, "note")]
    if report.topics:
        counts.append(output.counted(report.topics, "topic"))
    if report.attachments:
        counts.append(output.counted(report.attachments, "attachment"))
    if report.ledger:
        counts.append(output.counted(report.ledger, "line", "lines") + " of the ledger")
    where = "stdout" if report.to == "-" else output.path_text(report.to)
    return f"{', '.join(counts)} written to {where}"
