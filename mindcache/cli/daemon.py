"""`mindcache watch` and `mindcache daemon`: keep the cache in step by itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["daemon", "install", "start", "status", "stop", "watch"]

daemon = Group(
    "daemon",
    {
        "start": Entry("mindcache.cli.daemon:start", "Watch in the background."),
        "stop": Entry("mindcache.cli.daemon:stop", "End the background watch."),
        "status": Entry("mindcache.cli.daemon:status", "Whether it lives, and how."),
        "install": Entry("mindcache.cli.daemon:install", "Start it at every login."),
    },
    help="A background process that keeps one vault's cache in step.",
    epilog=examples("mindcache daemon start", "mindcache daemon status"),
)


@command("mindcache watch --vault ~/notes", has_json=False)
def watch(call: Call) -> None:
    """Watch the vault in the foreground until interrupted.

    Each line says what was taken in, or what is wrong; nothing in the vault is
    written but by the digest and the sync by git, where digest.at and git.every say
    when. Ends with 5 when a daemon watches the vault already.
    """
    from mindcache.watch import daemon as process

    def say(line: str) -> None:
        moment = call.app.now().isoformat(" ", "seconds")
        output.say(f"{moment}  {line}")
        sys.stdout.flush()

    process.run(call.app, say)


@command("mindcache daemon start")
def start(call: Call) -> None:
    """Start watching in the background, and return once it does.

    The first index of a large vault goes on after that; questions wait for it.
    """
    from mindcache.watch import daemon as process

    pid = process.start(call.app, _watch_words(call.app))
    if call.json:
        _print_json({"started": pid, "log": process.log_path(call.app)})
        return
    output.say(f"Watching {call.app.vault.root} (process {pid}).")
    output.say(f"Its log: {process.log_path(call.app)}")


def _watch_words(app: App) -> list[str]:
    """The call that watches this very vault with this very cache."""
    import os

    # The daemon runs elsewhere: a path from here would lead it astray.
    caches = os.path.abspath(os.path.dirname(app.cache_folder))
    return ["watch", "--vault", app.vault.root, "--cache-dir", caches]


@command("mindcache daemon stop")
def stop(call: Call) -> None:
    """End the background watch; with none there is nothing to do."""
    from mindcache.watch import daemon as process

    was_there = process.stop(call.app)
    if call.json:
        _print_json({"stopped": was_there})
    else:
        output.say("Stopped." if was_there else "No daemon watches this vault.")


@command("mindcache daemon status --json")
def status(call: Call) -> None:
    """Say whether a daemon watches the vault, and what it is doing."""
    from mindcache.cache import beat

    folder = call.app.cache_folder
    alive = beat.alive(folder)
    state = beat.read(folder) if alive else {}
    state.pop("began", None)  # tells processes apart, nobody reads it
    if call.json:
        _print_json({"alive": alive, "fresh": beat.is_fresh(folder), **state})
        return
    if not alive:
        output.say("No daemon watches this vault. Start one: mindcache daemon start")
        return
    rows = [
        (name.replace("_", " "), output.single(str(value)))
        for name, value in state.items()
        if value != ""
    ]
    for line in output.table([("alive", "yes"), *rows]):
        output.say(line)


@command("mindcache daemon install", "mindcache daemon install --write")
@click.option("--write", is_flag=True, help="Write the file instead of showing it.")
def install(call: Call, write: bool) -> None:
    """Show what starts the daemon at every login: a systemd unit or launchd agent."""
    import os

    from mindcache.watch import daemon as process

    words = [*process.program(), *_watch_words(call.app)]
    path, text, turn_on = process.unit(call.app, words)
    if write:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    if call.json:
        _print_json({"path": path, "text": text, "turn_on": turn_on, "written": write})
        return
    if write:
        output.say(f"Written: {path}")
        output.say(f"Turn it on: {turn_on}")
        return
    output.say(f"# {path}")
    output.say(text)
    output.say("# mindcache daemon install --write writes it, then:")
    output.say(f"# {turn_on}")


def _print_json(shape: dict[str, object]) -> None:
    from mindcache import wire

    output.print_json(wire.merged(shape))
