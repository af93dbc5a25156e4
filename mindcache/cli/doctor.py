"""`mindcache doctor`: what is wrong, and what would mend it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples, json_option

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.doctor import Health
    from mindcache.write.diverged import Outcome, Pair

__all__ = ["conflicts", "doctor"]

_UNTRIED = "mindcache doctor --repair builds it anew; your notes are not touched."
_TRIED = (
    "Building it anew did not mend that: is its disk sound? --cache-dir names another."
)


def _listing(code: Hashable) -> str:
    """The command that lists every problem of a kind."""
    is_link = code == "link-by-alias"
    return "mindcache links --by-alias" if is_link else "mindcache doctor --json"


@click.pass_context
def _doctor(context: click.Context, *, repair: bool, compact: bool) -> None:
    """Examine the vault, unless a command of the group was named."""
    if context.invoked_subcommand is not None:
        return
    call = context.ensure_object(Call)
    app = call.app
    health = _repaired(app) if repair else _examined(app)
    compacted = compact and (health.repaired or not health.faults)
    if compacted:
        app.compact()
    call.settle()
    if call.json:
        from mindcache import wire
        from mindcache.cli.failures import brief

        shape = {
            "faults": [brief(fault) for fault in health.faults],
            "problems": wire.problems(health.problems),
            "repaired": health.repaired,
            "compacted": compacted,
        }
        output.print_json(wire.merged(shape))
    else:
        _print(health, compacted=compacted, tried=repair)
    if health.failed:
        raise click.exceptions.Exit(1)


doctor = Group(
    "doctor",
    {"conflicts": Entry("mindcache.cli.doctor:conflicts", "Notes that went two ways.")},
    params=[
        click.Option(
            ["--repair"],
            is_flag=True,
            help="Build the cache anew; finish what was interrupted.",
        ),
        click.Option(
            ["--compact"], is_flag=True, help="Leave no deleted text in the cache."
        ),
        json_option(),
    ],
    invoke_without_command=True,
    callback=_doctor,
    help="""Look for faults of the cache and problems of the notes.

    Your notes are not touched, unless --repair finds a rename, move, merge or proposal
    that was interrupted, and finishes it; it deletes temporary files of ours. Ends with 1
    when notes or words of yours can't be read or found until somebody mends something.""",
    epilog=examples("mindcache doctor", "mindcache doctor --repair"),
)


@command("mindcache doctor conflicts", "mindcache doctor conflicts --merge")
@click.option("--merge", is_flag=True, help="Bring together what is certain.")
def conflicts(call: Call, merge: bool) -> None:
    """List copies of sync programs, notes of one id, and notes with git's markers.

    Each with its pair and a diff. --merge writes into a note what its copy has besides,
    where nobody needs to choose, and puts the copy and what the note said before into
    the vault's .trash.
    """
    from mindcache.write import diverged

    done = diverged.settle(call.app) if merge else None
    pairs = diverged.find(call.app)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.merged(wire.diverged(pairs, done)))
    else:
        _print_pairs(pairs, done)
    if done is not None and done.failed:
        raise click.exceptions.Exit(1)


def _print_pairs(pairs: Sequence[Pair], done: Outcome | None) -> None:
    for pair in [] if done is None else done.settled:
        output.say(_settled(pair))
    for path, error in [] if done is None else done.failed:
        output.remark(f"mindcache: {output.failure_text(path, error)}")
    for pair in pairs:
        of = "" if pair.path == pair.original else f" and {pair.original}"
        what = "merges by itself" if pair.is_certain else _asked(pair)
        what += f", by {pair.base}" if pair.base else ""
        strong = f"{output.path_text(pair.path + of)}"
        output.say(f" ({pair.kind}): {what}", strong=strong)
        for line in pair.diff.splitlines():
            output.say(f"  {line}")
    if any(pair.is_certain for pair in pairs):
        output.say("mindcache doctor conflicts --merge does what needs nobody.")
    if not pairs and not (done and done.settled):
        output.say("No note went two ways.")


def _settled(pair: Pair) -> str:
    """What was brought together, into which note, and where the rest of it is."""
    from mindcache.vault import Move

    path, original = output.path_text(pair.path), output.path_text(pair.original)
    if pair.kind == "markers":
        return f"Merged: {path}; in .trash: the note with its markers"
    if not pair.diff and isinstance(pair.changes[0], Move):
        return f"Put back: {path} is {original}, which was gone"
    if not pair.diff:
        return f"The same as {original}: {path}; in .trash: the copy"
    before = " and what the note said before" if len(pair.changes) > 1 else ""
    by = f", by {pair.base}" if pair.base else ""
    return f"Merged: {path} into {original}{by}; in .trash: the copy{before}"


def _asked(pair: Pair) -> str:
    """What somebody has to settle."""
    if pair.clashes:
        return f"both changed {', '.join(pair.clashes)}"
    return "which of them stays is for you to say"


def _examined(app: App) -> Health:
    """What is wrong; a cache that can't be read to the end is one fault more."""
    from mindcache.app import database_errors
    from mindcache.cli.failures import database_error, is_disk_full
    from mindcache.doctor import Health

    try:
        return app.doctor()
    except database_errors() as error:
        if is_disk_full(error):
            raise  # no fault of the cache: building it anew would not help
        return Health([database_error(error, app.cache_folder).message], [], False)


def _repaired(app: App) -> Health:
    """What was wrong before the cache was built anew, and what is left after.

    Raises MindcacheError when it can't be built.
    """
    from mindcache.app import database_errors
    from mindcache.cli.failures import database_error
    from mindcache.doctor import Health

    before = _examined(app)
    try:
        app.tidy()
        app.update(rebuild=True)
        after = app.doctor()
    except database_errors() as error:
        folder = app.cache_folder
        mend = f"delete {output.path_text(folder)}, or name another with --cache-dir"
        raise database_error(error, folder, last=mend) from error
    faults = list(dict.fromkeys((*before.faults, *after.faults)))
    return Health(faults, after.problems, not after.faults)


def _print(health: Health, *, compacted: bool, tried: bool) -> None:
    from mindcache.cli.failures import brief
    from mindcache.doctor import grouped

    if health.faults:
        output.say(strong=f"Faults of the cache ({len(health.faults)})")
        for fault in health.faults:
            output.say(f"  {brief(fault)}")
        if not health.repaired:
            output.say("  " + (_TRIED if tried else _UNTRIED))
    if health.repaired:
        output.say("The cache was built anew.")
    for heading, problems in grouped(health.problems):
        output.say(strong=f"{heading} ({len(problems):,})")
        lines = ((each.code, output.problem_text(each)) for each in problems)
        for line in output.first_of_each(lines, _listing):
            output.say("  " + line)
    if compacted:
        output.say("The cache holds no deleted text any more.")
    if not (health.faults or health.problems or health.repaired):
        output.say("Nothing is wrong.")
