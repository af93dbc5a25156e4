"""`archive`, `forget` and `restore`: notes put aside, thrown away, taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.move import ending, told
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.write.forgetting import Outcome, Plan

__all__ = ["archive", "forget", "restore"]

_IDS = click.argument("names", metavar="ID|PATH...", nargs=-1, required=True)
_DRY = click.option("--dry-run", is_flag=True, help="Only show what would change.")


@command(
    "mindcache archive m-01KQR4HQ0016B8652A2VCAEF06",
    "mindcache archive memory/Pricing.md --undo",
)
@_IDS
@click.option("--undo", is_flag=True, help="Make archived notes active again.")
@_DRY
def archive(call: Call, names: tuple[str, ...], undo: bool, dry_run: bool) -> None:
    """Set the status of notes to archived; their text stays as it is.

    What became of a plan is kept as its outcome, and --undo brings that back.
    """
    from mindcache.write import forgetting

    def decide(app: App) -> Plan:
        return forgetting.archived(app, _exact(app, names), undo=undo)

    _carry_out(call, decide, dry_run=dry_run)


@command(
    "mindcache forget m-01KQR4HQ0016B8652A2VCAEF06",
    "mindcache forget memory/Pricing.md --dry-run",
)
@_IDS
@_DRY
def forget(call: Call, names: tuple[str, ...], dry_run: bool) -> None:
    """Throw notes away, into the vault's .trash; restore takes them back.

    Only an exact id or path will do. Says which links lead nowhere then. What an
    import made and you forget is not made again.
    """
    from mindcache.write import forgetting

    def decide(app: App) -> Plan:
        return forgetting.forgotten(app, _exact(app, names))

    _carry_out(call, decide, dry_run=dry_run)


@command(
    "mindcache restore m-01KQR4HQ0016B8652A2VCAEF06",
    "mindcache restore memory/Pricing.md",
)
@_IDS
@_DRY
def restore(call: Call, names: tuple[str, ...], dry_run: bool) -> None:
    """Take notes back from .trash to where they were, never over a file.

    PATH is where a note was, or where it lies now.
    """
    from mindcache.write import forgetting

    def decide(app: App) -> Plan:
        return forgetting.restored(app, names)

    _carry_out(call, decide, dry_run=dry_run)


def _exact(app: App, names: Sequence[str]) -> list[str]:
    """The notes that are meant, each once; one that isn't known ends it all."""
    from mindcache.cli.places import exact_note

    return list(dict.fromkeys(exact_note(app, name) for name in names))


def _carry_out(call: Call, decide: Callable[[App], Plan], *, dry_run: bool) -> None:
    from mindcache.write import forgetting

    app = call.app
    if dry_run:
        plan = decide(app)
        done = forgetting.Outcome([*plan.steps], [*plan.failed])
    else:
        with app.writing():
            plan = decide(app)
            done = forgetting.carry_out(app, plan)
    app.remarks += plan.remarks
    call.settle()
    if call.json:
        _print_json(plan, done, dry_run=dry_run)
    else:
        _print(plan, done, dry_run=dry_run)
    ending(app, done.failed, done.behind, say=not call.json)


def _print_json(plan: Plan, done: Outcome, *, dry_run: bool) -> None:
    from mindcache import wire

    notes = [
        {
            "path": step.path,
            "id": step.id,
            "to": step.to,
            "status": step.status,
            "changed": step.change is not None and not dry_run,
        }
        for step in done.steps
    ]
    links = [
        {"path": each.path, "line": each.line, "target": each.target, "to": each.leads}
        for each in plan.lost
    ]
    shape = {"dry_run": dry_run, "notes": notes, "links": links}
    output.print_json(wire.merged(shape, {"failed": told(done.failed)}))


def _print(plan: Plan, done: Outcome, *, dry_run: bool) -> None:
    for step in done.steps:
        there = f" → {output.path_text(step.to)}" if step.to else ""
        status = f": {step.status}" if step.status else ""
        already = "" if step.change is not None else " already"
        output.say(f"{output.path_text(step.path)}{there}{status}{already}")
    for each in plan.lost:
        where = f"leads to {output.path_text(each.leads)}" if each.leads else "nowhere"
        place = f"{output.path_text(each.path)}:{each.line}"
        output.say(f"  {place}  {output.single(each.target)}: {where}")
    nowhere = sum(1 for each in plan.lost if not each.leads)
    if nowhere:
        lead = "would lead" if dry_run else "now lead" if nowhere > 1 else "now leads"
        output.say(f"{output.counted(nowhere, 'link')} {lead} nowhere")
    if dry_run:
        output.say("nothing written yet")
