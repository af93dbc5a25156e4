"""An import from its paths to its report: the one place here that touches anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem
from mindcache.importers.facts import (
    Notes,
    Vanished,
    facts_of,
    known_entities,
    past_of,
)
from mindcache.importers.item import Context, Importer, Item, Left, Source, Stranger
from mindcache.importers.plan import Options, Plan, Step, plan_items
from mindcache.importers.wishes import Wishes, options_of, sources_at
from mindcache.note import Property
from mindcache.redact import redact

if TYPE_CHECKING:
    from mindcache.app import App, Written

__all__ = ["Report", "run_import"]

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Report:
    """What was done, or would be. `failed` are steps that could not be carried out.

    `problems` are about the source, `left` is what the importer doesn't take,
    `strangers` who takes part without a note, with how often; `redacted` counts the
    secrets that were taken out, by kind; `behind` kept the notes from being indexed.
    """

    importer: str
    dry_run: bool
    plan: Plan
    failed: list[tuple[Step, MindcacheError]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    strangers: Counter[Stranger] = field(default_factory=Counter)
    vanished: list[Vanished] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)
    sources: int = 0
    behind: Exception | None = None

    @property
    def is_lossy(self) -> bool:
        """Whether something of the source could not be taken in."""
        return (
            bool(self.failed)
            or bool(self.plan.of("refused"))
            or any(problem.severity == "error" for problem in self.problems)
        )


def run_import(
    app: App,
    importer: Importer,
    paths: Sequence[str],
    wishes: Wishes,
    progress: Progress | None = None,
) -> Report:
    """Import what lies at these paths, or with `dry_run` say what would become of it.

    Raises NoteNotFound for a path where nothing is, UsageError for a wish that makes
    no sense, and what opening the vault raises.
    """
    options = options_of(app, importer, wishes)
    sources = sources_at(paths, importer.suffixes)
    report = Report(importer.name, wishes.dry_run, Plan(), sources=len(sources))
    # Reading may take its time (stdin may wait for ever): nobody is kept waiting by it.
    context = Context(
        app.now(),
        app.settings.text("timezone"),
        app.settings.texts("me"),
        known_entities(app.reader()),
    )
    items, whole = _read(report, importer, sources, context, progress)
    with nullcontext() if wishes.dry_run else app.writing():
        notes = Notes(app, app.reader(), importer.source_type)
        past = past_of(app, importer.name)
        report.problems += app.ledger.problems
        facts = facts_of(app, notes)
        shown = None if progress is None else partial(progress, "deciding")
        report.plan = plan_items(items, past, facts, options, app.now(), shown)
        report.problems += _not_again(report.plan, options)
        keys = {item.key for item in items}
        report.vanished = notes.vanished(keys, whole, app.now())
        if not wishes.dry_run:
            _carry_out(app, report)
    return report


# -- deciding --------------------------------------------------------------


def _read(
    report: Report,
    importer: Importer,
    sources: Sequence[Source],
    context: Context,
    progress: Progress | None,
) -> tuple[list[Item], set[str]]:
    """The items of all sources, and the sources that were read whole."""
    items: list[Item] = []
    whole: set[str] = set()
    left: Counter[tuple[str, str]] = Counter()
    for number, source in enumerate(sources, 1):
        try:
            for each in importer.read([source], context):
                if isinstance(each, Item):
                    items.append(_without_secrets(each, report.redacted))
                elif isinstance(each, Problem):
                    report.problems.append(each)
                elif isinstance(each, Left):
                    left[each.what, each.why] += each.count
                elif isinstance(each, Stranger):
                    report.strangers[each] += 1
                elif each.whole:
                    whole.add(each.source)
        except OSError as error:
            message = f"can't be read: {error.strerror or error}"
            report.problems.append(
                Problem(source.name, 0, "import-read", message, "check it", "error")
            )
        if progress is not None:
            progress("reading", number, len(sources))
    report.left = [Left(*what, count) for what, count in sorted(left.items())]
    return items, whole


def _without_secrets(item: Item, found: Counter[str]) -> Item:
    """The item as it may be written: no secret in its name, properties and text.

    Its key stays, since it names the thing in its source.
    """
    told: set[str] = set()  # the name is a property too, and counts once

    def cleaned(text: str) -> str:
        redacted = redact(text)
        if text not in told:
            found.update(dict(redacted.found))
        told.add(text)
        return redacted.text

    def clean(value: Property) -> Property:
        if isinstance(value, list):
            return [clean(each) for each in value]
        return cleaned(value) if isinstance(value, str) else value

    return replace(
        item,
        title=cleaned(item.title),
        properties={key: clean(value) for key, value in item.properties.items()},
        once={key: clean(value) for key, value in item.once.items()},
        body=cleaned(item.body),
    )


def _not_again(plan: Plan, options: Options) -> list[Problem]:
    """The keys that were to be made anew and were not."""
    made = {step.item.key for step in plan.of("made")}
    return [
        Problem("", 0, "import-again", f"nothing here is made anew as {key!r}",
                "--again takes a key of what this import leaves out as deleted")
        for key in sorted(options.again - made)
    ]  # fmt: skip


# -- doing -----------------------------------------------------------------


def _carry_out(app: App, report: Report) -> None:
    """Write what was decided, then what of it the ledger keeps."""
    steps = {id(step.change): step for step in report.plan.steps if step.change}
    kept = [s.entry for s in report.plan.steps if s.entry and not s.change]
    changes = report.plan.changes
    if changes:
        written: Written = app.commit(changes)
        report.behind = written.behind
        failed = {id(change) for change, _ in written.failed}
        report.failed = [(steps[id(c)], error) for c, error in written.failed]
        done = [step for key, step in steps.items() if key not in failed]
        kept += [step.entry for step in done if step.entry]
    app.ledger.add(sorted(kept, key=lambda e: (e.path, e.key)))
