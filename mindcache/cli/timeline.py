"""`mindcache timeline`: what happened, when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command
from mindcache.recall.timeline import DEFAULT_LIMIT

if TYPE_CHECKING:
    from mindcache.recall.timeline import Episode, Timeline

__all__ = ["timeline"]


@command(
    "mindcache timeline",
    'mindcache timeline --since "last week" --project acme/site',
    "mindcache timeline --day yesterday --reverse",
)
@click.option(
    "--since", metavar="T", default="", help='From this date on: "last week".'
)
@click.option("--until", metavar="T", default="", help="Up to the end of this date.")
@click.option("--day", metavar="D", default="", help="On this day, week, month.")
@click.option("--project", metavar="P", default="", help="A part of the project.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMIT,
    show_default=True,
    metavar="N",
    help="The last N.",
)
@click.option("--reverse", is_flag=True, help="The newest first.")
def timeline(
    call: Call,
    reverse: bool,
    **given: Any,  # noqa: ANN401  what is asked for, each of its own type
) -> None:
    """List what happened, a line each, oldest first: journal, events, settled plans.

    Each line ends in an id that mindcache show opens.
    """
    from mindcache.recall.timeline import Span
    from mindcache.recall.timeline import timeline as found_in

    app = call.app
    reader = app.reader()
    call.settle()
    found = found_in(reader, Span(**given), app.now(), app.settings.text("timezone"))
    episodes = found.episodes[::-1] if reverse else found.episodes
    if call.json:
        from mindcache import wire

        shape = {
            "episodes": [wire.episode(each) for each in episodes],
            "left_out": found.left_out,
            "undated": found.undated,
            "stale": app.freshness.stale,
            "pending": app.freshness.pending,
            "problems": wire.problems(app.freshness.problems),
        }
        output.print_json(wire.merged(shape))
        return
    output.warn_when_stale(app.freshness)
    for each in episodes:
        _print(each)
    _print_rest(found, given["limit"])


def _print(each: Episode) -> None:
    first, *rest = each.text.split("\n")
    words = output.single(first) + (" …" if rest else "")
    if each.anchor and not each.status:
        head = f"[{output.single(each.project)}] " if each.project else ""
        parts = [head + words]
    else:
        # The line begins with its day, and says once what a note is called by.
        title = output.single(each.title).removeprefix(f"{each.date[:10]} ")
        behind = words.removeprefix(title)
        is_said = not words or (behind != words and not behind[:1].isalnum())
        parts = [words or title if is_said else f"{title}: {words}"]
        parts.append(", ".join(filter(None, (each.type, each.status))))
    parts.append(output.path_text(each.id))
    when = each.date.replace("T", " ")
    output.say("  " + "  ·  ".join(parts), strong=f"{when:<16}")


def _print_rest(found: Timeline, limit: int) -> None:
    if not found.episodes:
        output.say("Nothing happened then that the notes tell of.")
    if found.left_out:
        more = limit + found.left_out
        output.say(f"{found.left_out:,} earlier; --limit {more} shows them")
    if found.undated:
        output.remark(
            f"mindcache: {output.counted(found.undated, 'event')} without a date"
            " not among them"
        )
