"""`mindcache extract`: notes of what a note's text says outright."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command
from mindcache.errors import NoteNotFound

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.importers.found import Extracted

__all__ = ["extract"]

# Lines of each kind that are printed; JSON has all.
_MOST_SHOWN = 40

_WORDS = {"made": "new", "changed": "changed", "left_out": "deleted"}


@command(
    'mindcache extract "journal/Call with Ann.md" --dry-run',
    "mindcache extract conversations --json",
)
@click.argument("notes", metavar="NOTE...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option(
    "--again",
    metavar="KEY",
    multiple=True,
    help="Make this one anew although its note was deleted. Repeatable.",
)
def extract(
    call: Call, notes: tuple[str, ...], dry_run: bool, again: tuple[str, ...]
) -> None:
    """Make notes of what conversations and daily notes say outright.

    Something that happened at a time becomes an event, what was promised or is due a
    plan, a preference or decision a fact; each quotes its sentence and links to the
    block it stands in. NOTE is a name, path or id, or a folder with all its notes.
    What is asked, supposed, denied or said by others is left out, and so is whatever
    is not sure. Needs no model; run again, it changes nothing.
    """
    from mindcache.importers.found import extract_notes

    app = call.app
    paths = _paths(app, notes)
    report = extract_notes(
        app, paths, dry_run=dry_run, again=again, progress=call.progress
    )
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.extracted(report))
    else:
        _print(report)
    if report.behind is not None:
        from mindcache.cli.written import tell_behind

        tell_behind(call, report.behind)
    if report.is_lossy:
        raise click.exceptions.Exit(1)


def _paths(app: App, given: tuple[str, ...]) -> list[str]:
    """The notes that are meant. Raises NoteNotFound, AmbiguousName, UsageError."""
    from mindcache.cli.places import exact_note, notes_at

    found: list[str] = []
    for each in given:
        try:
            found.append(exact_note(app, each, by_name=True))
        except NoteNotFound as error:
            try:
                found += notes_at(app.vault, [each])
            except NoteNotFound:
                raise error from None
    return found


def _print(report: Extracted) -> None:
    lines = list(_lines(report))
    for line in lines[: 2 * _MOST_SHOWN]:
        output.say(line)
    if len(lines) > 2 * _MOST_SHOWN:
        output.say(f"… and {len(lines) // 2 - _MOST_SHOWN:,} more")
    for each in report.lost:
        said = "is back with" if each.is_back else "is put aside: gone is"
        output.say(f"{output.path_text(each.path)} {said} {output.single(each.source)}")
    for note in report.learned:
        if note.why:
            output.say(f"left out {output.path_text(note.path)}: {note.why}")
    if report.new_names:
        ranked = sorted(report.new_names.items(), key=lambda each: (-each[1], each[0]))
        shown = ", ".join(output.single(name) for name, _ in ranked[:8])
        more = f" and {len(ranked) - 8:,} more" if len(ranked) > 8 else ""
        output.say(f"no note of their own: {shown}{more}")
    output.say(_totals(report))
    _print_failures(report)


def _lines(report: Extracted) -> Iterator[str]:
    """Two lines for each finding of which something became: what, and from where."""
    from mindcache.importers.found import steps_by_source

    for path, step, finding in steps_by_source(report):
        word = _WORDS.get(step.action)
        if word is None:
            continue
        place = output.path_text(f"{path}:{finding.line}")
        mark = f"; --again {step.item.key}" if word == "deleted" else ""
        yield f"{word:<8} {finding.kind:<5}  {output.single(finding.summary)}"
        yield f"{'':<15} {place}, {finding.rule}{mark}"


def _print_failures(report: Extracted) -> None:
    for step in report.plan.of("refused"):
        place = output.path_text(step.item.place)
        output.remark(f"mindcache: {place}: {output.single(step.reason)}")
    for path, error in report.failed:
        output.remark(f"mindcache: {output.failure_text(path, error)}")
    for problem in report.problems:
        output.remark(f"mindcache: {output.problem_text(problem)}")


def _totals(report: Extracted) -> str:
    plan = report.plan
    counts = (
        (len(plan.of("made")), "new"),
        (len(plan.of("changed")), "changed"),
        (len(plan.of("unchanged", "held", "older")), "unchanged"),
        (len(plan.of("left_out")), "deleted by you"),
        (len(plan.of("refused")) + len(report.failed), "refused"),
        (report.redacted, "secrets taken out"),
    )
    said = ", ".join(f"{number:,} {word}" for number, word in counts if number)
    said = said or "nothing here is said outright enough for a note of its own"
    is_change = bool(plan.changes or report.lost)
    return (
        f"{said}; nothing written: --dry-run" if report.dry_run and is_change else said
    )
