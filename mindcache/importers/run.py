"""An import from its paths to its report: the one place here that touches anything.

Sources are read to their end before anything is decided; then items are decided and
written a batch at a time, so that an import needs no more memory than a batch does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem
from mindcache.importers.attachments import Copied, copy_attachments
from mindcache.importers.facts import (
    Notes,
    Vanished,
    facts_of,
    known_entities,
    past_of,
)
from mindcache.importers.item import (
    Attachment,
    Context,
    Importer,
    Item,
    Left,
    Read,
    Source,
    Stranger,
)
from mindcache.importers.placing import Placing
from mindcache.importers.plan import Options, Plan, Planner, Step
from mindcache.importers.spool import Spool
from mindcache.importers.wishes import Wishes, options_of, refuse_own, sources_at
from mindcache.note import Property
from mindcache.redact import redact

if TYPE_CHECKING:
    from mindcache.app import App, Written

__all__ = ["Report", "run_import"]

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Report:
    """What was done, or would be. `failed` are steps that could not be carried out.

    `attachments` are files that came along; `problems` are about the source, `left` is
    what the importer doesn't take, `strangers` who takes part without a note, with how
    often; `redacted` counts the secrets that were taken out here, by kind; `behind`
    kept the notes from being indexed.
    """

    importer: str
    dry_run: bool
    plan: Plan
    failed: list[tuple[Step, MindcacheError]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    attachments: list[Copied] = field(default_factory=list)
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
            or any(each.action == "failed" for each in self.attachments)
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
    takes_folder = getattr(importer, "takes_folder", None)
    sources = sources_at(paths, importer.suffixes, takes_folder)
    refuse_own(app.vault.root, sources)
    report = Report(importer.name, wishes.dry_run, Plan(), sources=len(sources))
    context = Context(
        app.now(),
        app.settings.text("timezone"),
        app.settings.texts("me"),
        known_entities(app.reader()),
        wishes.format,
        namespaces=app.settings.texts("namespaces"),
        size_cap=app.settings.number("size_cap"),
        places=Placing(app, importer, options),
    )
    with Spool(app.cache_folder) as spool:
        # Reading may take its time (stdin may wait for ever): nobody is kept waiting.
        whole = _read(report, importer, sources, context, spool, progress)
        with nullcontext() if wishes.dry_run else app.writing():
            notes = Notes(app, app.reader(), importer.source_type)
            past = past_of(app, importer.name)
            report.problems += app.ledger.problems
            planner = Planner(past, facts_of(app, notes), options, app.now())
            report.vanished = notes.vanished(spool.keys, whole, app.now())
            _decide(app, report, planner, spool, progress)
            report.attachments = copy_attachments(
                app,
                importer.name,
                list(spool.attachments.values()),
                options.again,
                dry_run=wishes.dry_run,
            )
            report.problems += _not_again(report, options)
    return report


# -- deciding --------------------------------------------------------------


def _read(
    report: Report,
    importer: Importer,
    sources: Sequence[Source],
    context: Context,
    spool: Spool,
    progress: Progress | None,
) -> set[str]:
    """Put the items of all sources into the spool; the sources that were read whole."""
    whole: set[str] = set()
    left: Counter[tuple[str, str]] = Counter()
    for number, source in enumerate(sources, 1):
        try:
            for each in importer.read([source], context):
                if isinstance(each, Item):
                    kept = spool.add(_without_secrets(each, report.redacted))
                    if kept.key != each.key:
                        report.problems.append(_namesake(kept, each.key))
                elif isinstance(each, Attachment):
                    spool.attachments.setdefault(each.key, each)
                elif isinstance(each, Read):
                    whole |= {each.source} if each.whole else set()
                else:
                    _hear(report, left, each)
        except OSError as error:
            message = f"can't be read: {error.strerror or error}"
            report.problems.append(
                Problem(source.name, 0, "import-read", message, "check it", "error")
            )
        if progress is not None:
            progress("reading", number, len(sources))
    report.left = [Left(*what, count) for what, count in sorted(left.items())]
    return whole


def _namesake(item: Item, key: str) -> Problem:
    message = (
        f"another thing of the source has its id ({key}): it is kept as {item.key}"
    )
    mend = "check both notes; that the source gave one id twice is its fault"
    return Problem(item.place, 0, "import-namesake", message, mend)


def _hear(
    report: Report,
    left: Counter[tuple[str, str]],
    each: Problem | Left | Stranger,
) -> None:
    """Keep what is said beside the items."""
    if isinstance(each, Problem):
        report.problems.append(each)
    elif isinstance(each, Left):
        left[each.what, each.why] += each.count
    else:
        report.strangers[each] += 1


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


def _not_again(report: Report, options: Options) -> list[Problem]:
    """The keys that were to be made anew and were not."""
    made = {step.item.key for step in report.plan.of("made")}
    made |= {each.key for each in report.attachments if each.action == "made"}
    return [
        Problem("", 0, "import-again", f"nothing here is made anew as {key!r}",
                "--again takes a key of what this import leaves out as deleted")
        for key in sorted(options.again - made)
    ]  # fmt: skip


# -- doing -----------------------------------------------------------------


def _decide(
    app: App,
    report: Report,
    planner: Planner,
    spool: Spool,
    progress: Progress | None,
) -> None:
    """Decide what becomes of every item, and write it unless this is a dry run."""
    done = 0
    for batch in spool.batches():
        steps = [planner.step(item) for item in batch]
        told = [step.told() for step in steps]
        report.plan.steps += told
        if not report.dry_run:
            _carry_out(app, report, steps, told)
        done += len(batch)
        if progress is not None:
            progress("deciding", done, len(spool))


def _carry_out(
    app: App, report: Report, steps: Sequence[Step], told: Sequence[Step]
) -> None:
    """Write what was decided, then what of it the ledger keeps."""
    writing = {
        id(s.change): (s, t) for s, t in zip(steps, told, strict=True) if s.change
    }
    kept = [step.entry for step in steps if step.entry and not step.change]
    changes = [step.change for step in steps if step.change]
    if changes:
        written: Written = app.commit(changes)
        report.behind = report.behind or written.behind
        failed = {id(change) for change, _ in written.failed}
        report.failed += [(writing[id(c)][1], error) for c, error in written.failed]
        done = [step for key, (step, _) in writing.items() if key not in failed]
        kept += [step.entry for step in done if step.entry]
    app.ledger.add(sorted(kept, key=lambda e: (e.path, e.key)))
