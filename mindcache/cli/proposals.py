"""`mindcache digest proposals`, `apply`, `reject` and `undo`: what waits for a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command
from mindcache.cli.written import tell_behind

if TYPE_CHECKING:
    from mindcache.digest.proposals import Applied, Told

__all__ = ["apply", "proposals", "reject", "undo"]

_WORDS = {"open": "", "yes": "  (ticked)", "unclear": "  (can't be read)"}


@command("mindcache digest proposals --json")
def proposals(call: Call) -> None:
    """List the changes that wait for you: each with its id and where its box is."""
    from mindcache.digest.proposals import listed

    found = listed(call.app)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.proposals(found))
        return
    for proposal, path, line, said in found:
        asked = output.single(proposal.title)
        output.say(f"{proposal.id}  {asked}{_WORDS.get(said, '')}")
        output.say(f"  {output.single(proposal.reason)}")
        output.say(f"  {output.path_text(path)}:{line}")
    if not found:
        output.say("Nothing waits for you.")


@command(
    "mindcache digest apply",
    "mindcache digest apply p-yk2bn6xarj --dry-run",
)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--all-ticked", is_flag=True, help="Beside these, all that are ticked.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def apply(call: Call, ids: tuple[str, ...], all_ticked: bool, dry_run: bool) -> None:
    """Carry out proposals: the named ones, or else all whose boxes are ticked.

    What was changed since it was proposed is left as it is, and told.
    """
    from mindcache.digest.proposals import apply as carried_out

    ticked = all_ticked or not ids
    done = carried_out(call.app, ids, ticked=ticked, dry_run=dry_run)
    _report(call, done)
    if ids and not all_ticked and done.skipped:
        raise click.exceptions.Exit(4)


@command("mindcache digest reject p-yk2bn6xarj")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def reject(call: Call, ids: tuple[str, ...]) -> None:
    """Say no to proposals: they are not made again."""
    from mindcache.digest.proposals import reject as rejected

    _report(call, rejected(call.app, ids))


@command("mindcache digest undo", "mindcache digest undo 2026-03-05")
@click.argument("what", metavar="[ID|DAY]", default="")
def undo(call: Call, what: str) -> None:
    """Take back what a proposal did: the last one, one by its id, or those of a day.

    Texts are kept for 30 days. A note that was changed since is left as it is.
    """
    from mindcache.digest.proposals import undo as taken_back

    _report(call, taken_back(call.app, what))


def _report(call: Call, done: Applied) -> None:
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.applied(done))
    else:
        _print(done)
    tell_behind(call, done.behind)
    if done.failed:
        raise click.exceptions.Exit(1)


def _print(done: Applied) -> None:
    if done.dry_run:
        for each in done.done:
            output.say(f"would do  {_asked(each)}")
            output.say(each.diff.rstrip("\n"))
    else:
        _tell("done", done.done)
    _tell("undone", done.undone)
    _tell("rejected", done.rejected)
    _tell("changed since", done.skipped)
    _tell("no longer needed", done.moot)
    _tell("can't be read", done.unclear)
    for proposal, error in done.failed:
        asked = output.single(proposal.title)
        output.remark(f"mindcache: {asked}: {output.single(str(error))}")
    told = (done.done, done.undone, done.rejected, done.skipped, done.moot)
    if not any((*told, done.unclear, done.failed)):
        output.say("Nothing to do.")
    elif done.dry_run:
        output.say("Nothing written: this was a dry run.")


def _tell(word: str, found: Iterable[Told]) -> None:
    for each in found:
        why = f": {output.single(each.why)}" if each.why else ""
        output.say(f"{word}  {_asked(each)}{why}")


def _asked(each: Told) -> str:
    return f"{each.proposal.id}  {output.single(each.proposal.title)}"
