"""`mindcache journal`: note what happened, as it happens."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples
from mindcache.cli.written import own, tell_behind

if TYPE_CHECKING:
    from datetime import datetime

    from mindcache.app import App

__all__ = ["append", "journal"]

journal = Group(
    "journal",
    {"append": Entry("mindcache.cli.journal:append", "Add an entry to its day.")},
    help="The journal: one note a day, one line an entry, only ever added to.",
    epilog=examples('mindcache journal append "Moved the site to the new host"'),
)


@command(
    'mindcache journal append "Moved the site to the new host" --project acme/site',
    'mindcache journal append "Called Ines" --link "Ines Moreau" --at "yesterday at 17:30"',
    'git log -1 --format=%B | mindcache journal append - --sub "went live"',
)
@click.argument("text", nargs=-1, required=True)
@click.option("--project", metavar="P", default="", help="The project it belongs to.")
@click.option(
    "--link",
    "links",
    metavar="NOTE",
    multiple=True,
    help="A note it is about. Repeatable.",
)
@click.option(
    "--at", metavar="WHEN", default="", help='When it was: 14:30, "yesterday at 17:30".'
)
@click.option(
    "--sub", "subs", metavar="TEXT", multiple=True, help="A further line. Repeatable."
)
def append(
    call: Call,
    text: tuple[str, ...],
    project: str,
    links: tuple[str, ...],
    at: str,
    subs: tuple[str, ...],
) -> None:
    """Add an entry with TEXT to the journal of its day; - reads it from stdin.

    It goes to the end of the day's note, and nothing that stands there changes.
    Further lines of the text become lines below the entry.
    """
    from mindcache.write.journal import Diary, compose
    from mindcache.write.journal import append as written

    words = own(_stdin() if text == ("-",) else " ".join(text))
    subs = tuple(map(own, subs))
    app = call.app
    now = app.now()
    moment = _moment(app, at)
    compose(words, moment, further=subs, project=project)  # before any work
    diary = Diary.of(app.vault, app.settings, app.obsidian)
    with app.writing():
        # A name means what it means when it is written: not before we are alone.
        targets = [_link(app, name) for name in links if name.strip()]
        draft = compose(words, moment, further=subs, project=project, links=targets)
        done = written(app.vault, diary, draft, now)
    behind = app.index([done.path])
    call.settle()
    if call.json:
        from mindcache import wire

        is_indexed = behind is None and done.held is None
        output.print_json(wire.merged(wire.appended(done), {"indexed": is_indexed}))
    else:
        place = f"{output.path_text(done.path)}:{done.line}"
        output.say(f"  {done.at:%Y-%m-%d %H:%M}  {place}", strong=done.entry.id)
        for kind, count in done.redacted:
            output.say(f"  redacted: {output.counted(count, kind)}")
    if done.held is not None:
        output.remark(f"mindcache: {output.problem_text(done.held)}")
    tell_behind(call, behind)


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8-sig", "surrogateescape")


def _moment(app: App, at: str) -> datetime:
    if not at.strip():
        return app.now()
    from mindcache.recall.filters import interval_of
    from mindcache.write.journal import moment_in

    zone = app.settings.text("timezone")
    return moment_in(interval_of(at, "--at", app.now(), zone), app.now())


def _link(app: App, name: str) -> str:
    """The link to what a name means: a note, a heading or block of it, or an entry."""
    from mindcache.recall.find import link_to

    return link_to(app.reader(), name, app.settings.text("journal.folder"))
