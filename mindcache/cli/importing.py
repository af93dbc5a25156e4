"""`mindcache import`: one command for each importer, all of one shape."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.import_options import OWN_OPTIONS, Option, configured, save_mapping
from mindcache.cli.shape import Entry, Group, command, examples, json_option
from mindcache.cli.written import tell_behind
from mindcache.importers.registry import BUILT_IN, RESTORES

if TYPE_CHECKING:
    from mindcache.importers import Importer, Report
    from mindcache.importers.plan import Step

__all__ = ["importing"]

# Lines of each kind that are printed; JSON has all.
_MOST_SHOWN = 20


class _Imports(Group):
    """A group whose commands are the importers, those of other packages included."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of an importer; built when it is called for."""
        if cmd_name in RESTORES and cmd_name not in BUILT_IN:
            return super().get_command(ctx, cmd_name)
        known = BUILT_IN.get(cmd_name)
        if known is None and cmd_name not in self.entries:
            from mindcache.importers.registry import names

            short = names().get(cmd_name)
            if short is None:
                return None
            return _command(cmd_name, short)
        return _command(cmd_name, known.short if known else "")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Let other packages' importers in before saying that there is none."""
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            from mindcache.importers.registry import names

            theirs = {n: Entry("", short) for n, short in names().items()}
            self.entries |= {n: e for n, e in theirs.items() if n not in self.entries}
        return super().resolve_command(ctx, args)


def _listed(call: Call) -> None:
    from mindcache.importers.registry import names

    found = names()
    if call.json:
        from mindcache import wire

        rows = [{"name": name, "short": short} for name, short in found.items()]
        output.print_json(wire.merged({"importers": rows}))
        return
    for row in output.table([(n, output.single(short)) for n, short in found.items()]):
        output.say(row)


@click.pass_context
def _start(context: click.Context, *, listed: bool) -> None:
    """List the importers, or leave it to the one that is named."""
    if context.invoked_subcommand is not None:
        return
    if listed:
        _listed(context.ensure_object(Call))
        return
    output.say(context.get_help())
    context.exit(2)


importing = _Imports(
    "import",
    {
        **{name: Entry(known.target, known.short) for name, known in BUILT_IN.items()},
        **{
            name: Entry(f"mindcache.cli.restoring:from_{name}", short)
            for name, short in RESTORES.items()
            if name not in BUILT_IN
        },
    },
    params=[
        click.Option(
            ["--list", "listed"], is_flag=True, help="Show every importer there is."
        ),
        json_option(),
    ],
    invoke_without_command=True,
    callback=_start,
    help="Make notes of what lies elsewhere, and keep them in step with it.",
    epilog=examples("mindcache import calendar work.ics", "mindcache import --list"),
)


def _command(name: str, short: str) -> click.Command:
    """The command of one importer; it is imported when the command runs."""

    def work(call: Call, **given: Any) -> None:  # noqa: ANN401  click's own
        _import(call, name, **given)

    work.__doc__ = (
        f"{short}\n\nMakes a note of each, and changes it at the next import where its"
        " source did. What you changed stays as you have it; what you deleted is not"
        " made again. PATH is a file, a folder, or - for stdin. Ends with 1 when"
        " something could not be taken in."
    )
    decorated: Callable[..., Any] = work
    for option in reversed((*_OPTIONS, *OWN_OPTIONS.get(name, ()))):
        decorated = option(decorated)
    made = command(
        f"mindcache import {name} {_EXAMPLES.get(name, 'export')} --dry-run",
        f"mindcache import {name} {_MORE.get(name, '~/exports --project acme/site')}",
    )(decorated)
    made.name, made.short_help = name, short
    return made


_EXAMPLES = {
    "calendar": "work.ics",
    "chat": "conversations.zip",
    "markdown": "~/notes",
    "sqlite": "~/.basic-memory/memory.db",
    "openclaw": "~/.openclaw/workspace",
}
_MORE = {
    "sqlite": "notes.db --table note --map title=name,body=text,key=id",
    "openclaw": "~/.openclaw --project acme/site",
}

_OPTIONS: tuple[Option, ...] = (
    click.argument("paths", metavar="PATH...", nargs=-1, required=True),
    click.option("--dry-run", is_flag=True, help="Only show what would be done."),
    click.option(
        "--folder", metavar="DIR", default="", help="Where in the vault new notes go."
    ),
    click.option(
        "--tags", metavar="TAGS", multiple=True, help="Tags of new notes. Repeatable."
    ),
    click.option(
        "--project", metavar="P", default="", help="The project new notes belong to."
    ),
    click.option(
        "--again",
        metavar="KEY",
        multiple=True,
        help="Make this one anew although its note was deleted. Repeatable.",
    ),
)


def _import(call: Call, name: str, **given: Any) -> None:  # noqa: ANN401  click's own
    from mindcache.importers import Wishes, find, run_import

    if name in RESTORES and _is_export(given["paths"]):
        from mindcache.cli.restoring import bring_back

        bring_back(call, given["paths"][0], dry_run=given["dry_run"])
        return
    importer: Importer | None = find(name)
    if importer is None:
        raise click.UsageError(f"No importer is called {name!r}.")
    wishes = Wishes(
        given["dry_run"],
        given["folder"],
        given["tags"],
        given["project"],
        given["again"],
        given.get("form", ""),
    )
    importer = configured(importer, given)
    report = run_import(call.app, importer, given["paths"], wishes, call.progress)
    if not wishes.dry_run:
        save_mapping(given)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.imported(report))
    else:
        _print(report)
    tell_behind(call, report.behind)
    if report.is_lossy:
        raise click.exceptions.Exit(1)


def _is_export(paths: Sequence[str]) -> bool:
    """Whether the one file that is meant is an export of ours."""
    import os

    from mindcache.importers.exported import is_sqlite_export

    return len(paths) == 1 and is_sqlite_export(os.path.expanduser(paths[0]))


# -- printing ------------------------------------------------------------------


def _print(report: Report) -> None:
    from mindcache.importers.item import REPLACED

    plan = report.plan
    failed = {id(step) for step, _ in report.failed}
    _print_steps("new", [s for s in plan.of("made") if id(s) not in failed])
    _print_steps("changed", [s for s in plan.of("changed") if id(s) not in failed])
    held = [step for step in plan.steps if step.held]
    _print_steps("yours", held)
    _print_steps("older", plan.of("older"))
    _print_steps("deleted", plan.of("left_out"))
    _shown(
        [
            f"{output.path_text(each.path)} is no longer in {output.single(each.source)}"
            for each in report.vanished
        ],
        "vanished",
    )
    _print_attachments(report)
    for left in report.left:
        word = "replaced" if left.what == REPLACED else "left out"
        output.say(f"{word}  {left.count} × {left.what}: {output.single(left.why)}")
    if report.strangers:
        _print_strangers(report)
    if plan.of("left_out"):
        output.say("What you deleted stays deleted; --again KEY makes one anew.")
    for kind, count in sorted(report.redacted.items()):
        output.say(f"redacted  {count} × {kind}")
    output.say(_totals(report))
    refused = [
        *((step, step.reason, step.mend) for step in plan.of("refused")),
        *((step, error.message, error.mend) for step, error in report.failed),
    ]
    lines: list[tuple[Hashable, str]] = [
        (("refused", mend), _refusal(step, reason, mend))
        for step, reason, mend in refused
    ]
    lines += [
        ((each.path, each.code, each.severity, each.mend), output.problem_text(each))
        for each in report.problems
        if each.severity != "info"
    ]
    for line in output.first_of_each(lines, lambda _: "--json"):
        output.remark(f"mindcache: {line}")


def _refusal(step: Step, reason: str, mend: str) -> str:
    tail = f" ({output.single(mend)})" if mend else ""
    place = output.path_text(step.item.place or step.path)
    return f"{place}: {output.single(reason)}{tail}"


def _print_steps(word: str, steps: Sequence[Step]) -> None:
    _shown([_line(word, step) for step in steps], word)


def _line(word: str, step: Step) -> str:
    path = output.path_text(step.path)
    if word == "changed":
        return f"{path}: {', '.join(step.names)}"
    if word == "yours":
        return (
            f"{path}: {', '.join(step.held)} changed in the source, and by you before"
        )
    if word == "older":
        return f"{path}: {step.reason}"
    if word == "deleted":
        return f"{path}: {output.single(step.item.key)}"
    return path


def _shown(lines: Sequence[str], word: str) -> None:
    for line in lines[:_MOST_SHOWN]:
        output.say(f"{word:<9} {line}")
    if len(lines) > _MOST_SHOWN:
        output.say(f"{word:<9} … and {len(lines) - _MOST_SHOWN:,} more")


def _print_attachments(report: Report) -> None:
    counts = [
        (sum(1 for each in report.attachments if each.action == action), word)
        for action, word in (
            ("made", "copied"),
            ("changed", "changed"),
            ("unchanged", "unchanged"),
            ("held", "changed by you"),
            ("left_out", "deleted by you"),
        )
    ]
    if any(number for number, _ in counts):
        output.say(f"attached  {_words(counts)}")
    for each in report.attachments:
        if each.action == "failed":
            place, reason = output.path_text(each.path), output.single(each.reason)
            output.remark(f"mindcache: {place}: not copied: {reason}")


def _print_strangers(report: Report) -> None:
    ranked = sorted(
        report.strangers.items(),
        key=lambda each: (-each[1], each[0].name, each[0].address),
    )
    shown = [output.single(who.name or who.address) for who, _ in ranked[:8]]
    more = len(ranked) - len(shown)
    rest = f" and {more:,} more" if more > 0 else ""
    mend = "mindcache entity create NAME makes a note to link to"
    output.say(f"unlinked  {', '.join(shown)}{rest}; {mend}")


def _totals(report: Report) -> str:
    plan = report.plan
    failed = {id(step) for step, _ in report.failed}
    unchanged = len(plan.of("unchanged", "held", "older"))
    counts = (
        (sum(1 for s in plan.of("made") if id(s) not in failed), "new"),
        (sum(1 for s in plan.of("changed") if id(s) not in failed), "changed"),
        (unchanged, "unchanged"),
        (len(plan.of("left_out")), "deleted by you"),
        (len(plan.of("refused")) + len(failed), "refused"),
    )
    said = _words(counts)
    if report.dry_run and plan.changes:
        return f"{said}; nothing written: --dry-run"
    return said


def _words(counts: Iterable[tuple[int, str]]) -> str:
    said = [f"{number:,} {word}" for number, word in counts if number]
    return ", ".join(said) or "nothing to import"
