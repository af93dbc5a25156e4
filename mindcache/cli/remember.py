"""`mindcache remember`: a new note under contract."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.scribe import Remembered
    from mindcache.write.remember import Wish

__all__ = ["remember"]

_LINKS = ("about", "involves", "entities", "derived_from")


@command(
    'mindcache remember "The harbour office closes at three." --scope global',
    'mindcache remember "We met on 3 May." --type event --project acme/site'
    ' --involves "Halden Ferries" --allow-missing',
    'echo "We rebase before we push." | mindcache remember - --tags tool/git',
)
@click.argument("text", nargs=-1)
@click.option(
    "--type",
    "type_",
    metavar="T",
    default="",
    help="fact, event, entity, summary or plan.",
)
@click.option(
    "--title", metavar="TEXT", default="", help="Its name; else its first words."
)
@click.option(
    "--summary", metavar="TEXT", default="", help="One line; else the first sentence."
)
@click.option(
    "--about", metavar="NOTE", multiple=True, help="A note it says something about."
)
@click.option(
    "--involves", metavar="NOTE", multiple=True, help="Who or what takes part."
)
@click.option(
    "--entities", metavar="NOTE", multiple=True, help="The same, as a list of names."
)
@click.option(
    "--derived-from", metavar="NOTE", multiple=True, help="A note it was drawn from."
)
@click.option("--tags", metavar="TAGS", multiple=True, help="tool/git,client/acme")
@click.option(
    "--at", metavar="WHEN", default="", help='2026-03-05T14:30, "3 May", yesterday.'
)
@click.option("--until", metavar="WHEN", default="", help="When it ends.")
@click.option("--where", metavar="PLACE", default="", help="Its location.")
@click.option(
    "--project", metavar="P", default="", help="owner/name; else where you stand."
)
@click.option("--source", metavar="TEXT", default="", help="Where it comes from.")
@click.option(
    "--scope",
    type=click.Choice(["project", "global", ""]),
    default="",
    metavar="S",
    help="project or global.",
)
@click.option("--confidence", type=click.FloatRange(0, 1), metavar="F", help="0 to 1.")
@click.option("--importance", type=click.FloatRange(0, 1), metavar="F", help="0 to 1.")
@click.option("--pinned", is_flag=True, help="It never fades.")
@click.option("--folder", metavar="DIR", default="", help="Where in the vault it goes.")
@click.option(
    "--allow-missing", is_flag=True, help="Link to notes that aren't there yet."
)
@click.option("--anyway", is_flag=True, help="Even if a note says the same.")
@click.option("--dry-run", is_flag=True, help="Show the note and write nothing.")
def remember(call: Call, text: tuple[str, ...], **given: Any) -> None:  # noqa: ANN401  click's own
    """Write TEXT (Markdown; - reads stdin) as a new note, and index it.

    Properties in front of the text are kept; options go before them. Secrets such as
    keys and tokens are taken out. A note that says the same already is named instead.
    """
    from mindcache import scribe

    wish = _wish(" ".join(text), given)
    project = "" if wish.project or wish.scope == "global" else _project(call)
    made = scribe.remember(
        call.app, wish, project, anyway=given["anyway"], dry_run=given["dry_run"]
    )
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.remembered(made.draft, written=made.written))
    else:
        _print(made)
    from mindcache.cli.written import tell_behind

    tell_behind(call, made.behind)


def _wish(text: str, given: dict[str, Any]) -> Wish:
    from mindcache.cli.written import own, text_of
    from mindcache.write.remember import Wish

    given = {**given, "summary": own(given["summary"])}
    links = {key: _named(given[key]) for key in _LINKS if _named(given[key])}
    same = ("title", "summary", "at", "until", "where", "project", "source", "scope",
            "confidence", "importance", "pinned", "folder", "allow_missing")  # fmt: skip
    return Wish(
        text_of(text),
        type=given["type_"],
        links=links,
        tags=_named(given["tags"]),
        **{key: given[key] for key in same},
    )


def _named(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value for value in values if value.strip())


def _project(call: Call) -> str:
    from mindcache.write.project import project_at

    return project_at(call.here, call.app.vault.root, os.path.expanduser("~"))


def _print(made: Remembered) -> None:
    draft = made.draft
    if not made.written:
        output.say(draft.note.text.rstrip("\n"))
        output.say(f"Nothing written: this would be {output.path_text(draft.path)}.")
    else:
        output.say(output.path_text(draft.path))
        tags = ", ".join(draft.memory.tags)
        output.say(f"  {draft.id}  {draft.memory.type}  {output.single(tags)}")
    for remark in draft.remarks:
        output.say(f"  {output.single(remark)}")
    for kind, count in draft.redacted:
        output.say(f"  redacted: {output.counted(count, kind)}")
