"""`mindcache digest`: new notes find their topics."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples, json_option
from mindcache.cli.written import tell_behind

if TYPE_CHECKING:
    from mindcache.digest import Digested

__all__ = ["digest", "status"]

# Many memories may become faint in one night, and nothing is lost by that.
_MOST_FADED = 10
# A page of questions is answered, a longer one is put off.
_MOST_WAITING = 20


@click.pass_context
def _digest(
    context: click.Context,
    *,
    dry_run: bool,
    now: str,
    weekly: bool,
    again: bool,
    unasked: bool,
) -> None:
    """Run, unless a command of the group was named."""
    call = context.ensure_object(Call)
    if context.invoked_subcommand is not None:
        return
    from mindcache.digest import digest as digested
    from mindcache.digest.machine import claim, elsewhere

    other = elsewhere(call.app)
    if other:
        output.remark(
            f"mindcache: the daemon on {other} digests this vault by itself"
            " (digest.machine)"
        )
        if unasked:
            return
    report = digested(
        call.app,
        dry_run=dry_run,
        weekly=weekly,
        again=again,
        now=_moment(now),
        progress=call.progress,
    )
    if unasked and report.is_change and (problem := claim(call.app)):
        report.problems.append(problem)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.digested(report))
    else:
        _print(report)
    _end(call, report)


digest = Group(
    "digest",
    {
        "status": Entry("mindcache.cli.digest:status", "When it ran last."),
        "proposals": Entry("mindcache.cli.proposals:proposals", "What waits for you."),
        "apply": Entry("mindcache.cli.proposals:apply", "Do what you agreed to."),
        "reject": Entry("mindcache.cli.proposals:reject", "Say no, for good."),
        "undo": Entry("mindcache.cli.proposals:undo", "Take it back."),
    },
    params=[
        click.Option(["--dry-run"], is_flag=True, help="Only show what would be done."),
        click.Option(
            ["--now"],
            default="",
            metavar="T",
            help="As if it were then: 2026-03-05T03:00.",
        ),
        click.Option(
            ["--weekly"], is_flag=True, help="Put the tree in shape, as once a week."
        ),
        click.Option(
            ["--again"], is_flag=True, help="Even if today's has been written already."
        ),
        click.Option(
            ["--unasked"],
            is_flag=True,
            hidden=True,
            help="As a daemon does it: not where digest.machine names another device.",
        ),
        json_option(),
    ],
    invoke_without_command=True,
    callback=_digest,
    help="Do the night's work on the notes, once a day.\n\n"
    "Carries out what was ticked, settles plans that are over, gives new notes their"
    " topics, lets fade what nobody uses, sums up days and weeks, and proposes what"
    " would change your words.\n\n"
    "Topics are notes in topics/; what you write, rename, pin or delete there holds.",
    epilog=examples("mindcache digest --dry-run", "mindcache digest proposals"),
)


@command("mindcache digest status --json")
def status(call: Call) -> None:
    """Show when a digest wrote last, how many topics there are, and what waits."""
    from mindcache.digest import inspect

    found = inspect(call.app)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.merged(asdict(found)))
        return
    rows = [
        ("last digest", found.last_day or "never"),
        ("last in shape", found.last_week or "never"),
        ("topics", f"{found.topics:,}"),
        ("deleted by you", f"{found.deleted:,}"),
        ("proposals", f"{found.proposals:,}"),
        ("plans unsettled", f"{found.unsettled:,}"),
        ("memories", ", ".join(f"{n:,} {band}" for band, n in found.bands.items())),
    ]
    for line in output.table(rows):
        output.say(line)


def _moment(text: str) -> datetime | None:
    if not text.strip():
        return None
    from mindcache.errors import UsageError
    from mindcache.when import parse_interval

    found = parse_interval(text.strip())
    if found is None:
        raise UsageError(
            f"--now {text!r} is no time", mend="write it as 2026-03-05T03:00"
        )
    return found.start


def _print(report: Digested) -> None:
    if report.done_before:
        output.say(
            f"The digest of {report.day} is written already; --again runs it once more."
        )
        return
    for path in report.made:
        output.say(f"made     {output.path_text(path)}")
    for path in report.changed:
        output.say(f"changed  {output.path_text(path)}")
    for path, to in report.ended:
        into = f" into {output.path_text(to)}" if to else ""
        output.say(f"ended    {output.path_text(path)}{into}")
    _print_steps(report)
    for problem in report.problems:
        output.remark(f"mindcache: {output.problem_text(problem)}")
    for change, error in report.failed:
        output.remark(
            f"mindcache: {output.path_text(change.path)} was left as it is:"
            f" {output.single(str(error))}"
        )
    would = " would be" if report.dry_run else ""
    inbox = f", {len(report.inbox):,} in no topic yet" if report.inbox else ""
    output.say(
        f"{output.counted(report.placed, 'note')}{would} placed,"
        f" {output.counted(report.topics, 'topic')} with"
        f" {output.counted(report.held, 'note')}{inbox}"
        + ("" if report.is_change else "; nothing to write")
    )


def _print_steps(report: Digested) -> None:
    from mindcache.digest.step import SHOWS

    for outcome in report.outcomes:
        most = _MOST_FADED if outcome.step == "fade" else len(outcome.said)
        for line in outcome.said[:most]:
            output.say(line)
        if more := len(outcome.said[most:]):
            output.say(f"and {more:,} more; --json tells all")
    for step, lines in report.waiting:
        for line in lines[:_MOST_WAITING]:
            output.say(f"waits    {line}")
        if more := len(lines[_MOST_WAITING:]):
            shows = SHOWS.get(step, "mindcache digest --again --dry-run --json")
            output.say(f"waits    {more:,} more; {shows} shows all")


def _end(call: Call, report: Digested) -> None:
    tell_behind(call, report.behind)
    if report.failed:
        raise click.exceptions.Exit(1)
