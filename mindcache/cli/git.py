"""`mindcache git` and `mindcache merge-driver`: a vault that machines share by git."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples

if TYPE_CHECKING:
    from mindcache.merge.lines import Clash
    from mindcache.write.sharing import Shared

__all__ = ["git", "merge_driver", "setup", "sync"]

git = Group(
    "git",
    {
        "setup": Entry("mindcache.cli.git:setup", "Let this clone merge notes."),
        "sync": Entry("mindcache.cli.git:sync", "Commit, fetch, merge, push."),
    },
    help="A vault that several machines share by git.",
    epilog=examples("mindcache git setup", "mindcache git sync"),
)


@command("mindcache git setup", "mindcache git setup --dry-run")
@click.option("--dry-run", is_flag=True, help="Only show what would be set.")
def setup(call: Call, dry_run: bool) -> None:
    """Set this clone up to merge notes by property, line and entry.

    Writes two settings into .git/config, which no other clone gets, and the lines
    that are missing in the vault's .gitattributes and .gitignore. Hooks are neither
    needed nor touched. Says what else this clone lets git run: sync runs it too.
    """
    from mindcache.watch.daemon import program
    from mindcache.write import sharing

    words = shlex.join(program()).replace("%", "%%")
    driver = f"{words} merge-driver %O %A %B %P"
    app = call.app
    if dry_run:
        done = sharing.set_up(app.vault, driver, dry_run=True)
    else:
        with app.writing():
            done = sharing.set_up(app.vault, driver)
            sharing.trust(app)
    call.settle()
    if named := sharing.programs(app.vault):
        output.remark("mindcache: what sync lets git run here; is all of it yours?")
    for each in named:
        output.remark(f"  {output.single(each)}")
    if call.json:
        from mindcache import wire

        shape = {
            "dry_run": dry_run,
            "settings": [{"key": k, "value": v} for k, v in done.settings],
            "lines": [{"path": path, "line": line} for path, line in done.lines],
        }
        output.print_json(wire.merged(shape))
        return
    for key, value in done.settings:
        output.say(f".git/config: {key} = {output.single(value)}")
    for path, line in done.lines:
        output.say(f"{path}: {line}")
    if not (done.settings or done.lines):
        output.say("This clone is set up.")
    elif dry_run:
        output.say("Nothing was written.")


@command("mindcache git sync")
def sync(call: Call) -> None:
    """Commit the vault, fetch, merge and push.

    Never forces, never rebases, never leaves a merge half done. Where notes can't be
    merged, this machine's commits go to a branch of their own, the files stay as they
    are, and it ends with 1.
    """
    from mindcache.write import sharing

    done = sharing.share(call.app)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.merged(asdict(done)))
    else:
        _print(done)
    if not done.is_in_step:
        raise click.exceptions.Exit(1)


def _print(done: Shared) -> None:
    files = output.counted(done.committed, "file")
    if done.committed:
        output.say(f"{files} committed on {done.branch}.")
    elif done.is_in_step and not (done.received or done.sent):
        output.say(f"Nothing to sync on {done.branch}.")
    if not done.remote:
        output.say("There is no remote to share it with: git remote add origin URL")
        return
    commits = output.counted(done.received, "commit")
    if done.is_in_step:
        pushed = "and pushed" if done.sent else "nothing to push"
        if done.received or done.sent:
            output.say(f"{commits} received from {done.remote}, {pushed}.")
        return
    output.say(f"Not merged with {done.remote}: {output.single(done.reason)}.")
    for path in done.conflicts:
        output.say(f"  {output.path_text(path)}")
    if done.rescue:
        output.say(f"What this machine has is safe on the branch {done.rescue}.")
    output.say(f"Merge it by hand: git merge {done.remote}/{done.branch}")


@command(
    "git config merge.mindcache.driver 'mindcache merge-driver %O %A %B %P'",
    has_json=False,
)
@click.argument("base", metavar="BASE")
@click.argument("ours", metavar="OURS")
@click.argument("theirs", metavar="THEIRS")
@click.argument("path", metavar="PATH")
def merge_driver(call: Call, base: str, ours: str, theirs: str, path: str) -> None:
    """Merge two versions of a note; git calls it, and OURS is written.

    PATH is where the note lies: it tells notes from files of JSON lines. Ends with 1
    where both versions are kept between git's markers.
    """
    del call
    from mindcache.merge import merge

    first, one, other = (_bytes(name) for name in (base, ours, theirs))
    # Of a note that both made anew git gives an empty file as what they began as.
    found = merge(path, first or None, one, other)
    if found.data != one:
        with open(ours, "wb") as file:
            file.write(found.data)
    for clash in found.clashes:
        output.remark(f"mindcache: {output.path_text(path)}: {_told(clash)}")
    if not found.is_certain:
        raise click.exceptions.Exit(1)


def _told(clash: Clash) -> str:
    """What both changed, and how a property is settled: its versions are no text."""
    said = f"both changed {clash.what}"
    if clash.what in {"lines", "file"}:
        return said
    return f"{said} (it has ours: settle it there, and delete both lines in the text)"


def _bytes(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()
