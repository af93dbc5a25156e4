"""`mindcache hook`: what the hooks of the Claude Code plugin call."""

from __future__ import annotations

import click

from mindcache.cli.call import Call
from mindcache.cli.shape import command

__all__ = ["hook"]

# As in `session.entry`, which help has no need to load; the last two are what hooks
# leave to a process of its own.
_EVENTS = (
    "session-start",
    "user-prompt-submit",
    "post-tool-use",
    "stop",
    "pre-compact",
    "session-end",
    "work",
    "index",
)


@command(
    'echo \'{"session_id": "s", "cwd": "/code/site"}\' | mindcache hook session-start',
    has_json=False,
)
@click.argument("event", type=click.Choice(_EVENTS))
@click.option(
    "--file", "files", metavar="PATH", multiple=True, help="For index: which notes."
)
def hook(call: Call, event: str, files: tuple[str, ...]) -> None:
    """Answer a hook of Claude Code: its input on stdin, what it prints on stdout.

    Always ends with 0; what fails is a line in hooks.log in the state folder. work
    writes the journal's entries of sessions that are over.
    """
    if event == "work":
        from mindcache.session.work import work

        work(call.app)
    elif event == "index":
        from mindcache.session.work import index

        index(call.app, list(files))
    else:
        from mindcache.session import entry

        entry.main(event, call.vault, call.cache_dir)
