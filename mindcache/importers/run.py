"""An import from its paths to its report: the one place here that touches anything."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mindcache import lint, sync, tags
from mindcache.errors import MindcacheError, NoteNotFound, Problem, Refused, UsageError
from mindcache.filenames import portability
from mindcache.importers.item import (
    Context,
    Importer,
    Item,
    Left,
    Source,
    Stranger,
)
from mindcache.importers.mentions import Entity, Known, link_to
from mindcache.importers.own import Said
from mindcache.importers.plan import Options, Past, Plan, Step, plan_items
from mindcache.importers.plan import Vault as Facts
from mindcache.links import target_key
from mindcache.note import Note, parse
from mindcache.vault import Names

if TYPE_CHECKING:
    from mindcache.app import App, Written
    from mindcache.cache.read import Reader

__all__ = ["Report", "Vanished", "Wishes", "run_import", "sources_at"]

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller wants: where new notes go and what they are marked with.

    `folder` is "" for the importer's own; `again` holds keys that may be made anew
    although their notes were deleted.
    """

    dry_run: bool = False
    folder: str = ""
    tags: tuple[str, ...] = ()
    project: str = ""
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vanished:
    """A note whose thing was in this source once and is not now. Its status stays."""

    path: str
    key: str
    title: str
    source: str


@dataclass(slots=True)
class Report:
    """What was done, or would be. `failed` are steps that could not be carried out.

    `problems` are about the source, `left` is what the importer doesn't take,
    `strangers` who takes part without a note, with how often; `behind` kept the notes
    from being indexed.
    """

    importer: str
    dry_run: bool
    plan: Plan
    failed: list[tuple[Step, MindcacheError]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    strangers: Counter[Stranger] = field(default_factory=Counter)
    vanished: list[Vanished] = field(default_factory=list)
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
    options = _options(app, importer, wishes)
    sources = sources_at(paths, importer.suffixes)
    if wishes.dry_run:
        return _decided(app, importer, sources, options, progress, dry_run=True)
    with app.writing():
        report = _decided(app, importer, sources, options, progress, dry_run=False)
        _carry_out(app, report)
    return report


# -- wishes ----------------------------------------------------------------


def _options(app: App, importer: Importer, wishes: Wishes) -> Options:
    folder = _folder(wishes.folder or importer.folder)
    return Options(
        importer.name,
        importer.source_type,
        folder,
        _tags(wishes.tags, app.settings.texts("namespaces")),
        wishes.project.strip(),
        frozenset(wishes.again),
    )


def _folder(given: str) -> str:
    folder = given.replace("\\", "/").strip().strip("/")
    parts = folder.split("/") if folder else []
    if given.strip().startswith("/") or any(p in {"", "..", "."} for p in parts):
        raise UsageError(
            f"{given} is no folder of the vault",
            mend="give one from the vault's root, such as plans/work",
        )
    if any(part.startswith(".") for part in parts) or portability(folder):
        raise UsageError(
            f"notes can't lie in {given}",
            mend="hidden folders hold no notes; some names can't be on every system",
        )
    return folder


def _tags(given: Sequence[str], namespaces: Sequence[str]) -> tuple[str, ...]:
    found = [tag.strip().lstrip("#") for each in given for tag in each.split(",")]
    found = list(dict.fromkeys(tag for tag in found if tag))
    allowed = {tags.key(name) for name in namespaces}
    for tag in found:
        if tags.namespace(tag) not in allowed:
            raise UsageError(
                f"the tag {tag} has no known namespace",
                mend=f"put it under one of: {', '.join(f'{n}/' for n in namespaces)}",
            )
    if not any(tags.namespace(tag) == "scope" for tag in found):
        found.append("scope/project")
    return tuple(found)


def sources_at(paths: Sequence[str], suffixes: Sequence[str]) -> list[Source]:
    """The files that these paths mean: files, "-" for stdin, folders with all below.

    Files come in the order given, those of a folder by name, hidden ones left out; a
    file that is met twice counts once. Raises NoteNotFound and UsageError.
    """
    found: dict[str, Source] = {}
    for given in paths:
        path = os.path.expanduser(given)
        if given == "-":
            found.setdefault("-", Source("-", "stdin"))
        elif os.path.isdir(path):
            inside = list(_below(path, suffixes))
            if not inside:
                kinds = ", ".join(suffixes)
                raise UsageError(
                    f"no file in {given} ends in {kinds}", mend="name the file itself"
                )
            for each in inside:
                found.setdefault(os.path.realpath(each.path), each)
        elif os.path.lexists(path):
            found.setdefault(
                os.path.realpath(path), Source(path, os.path.basename(path))
            )
        else:
            raise NoteNotFound(f"nothing lies at {given}", mend="check the path")
    return list(found.values())


def _below(folder: str, suffixes: Sequence[str]) -> Iterator[Source]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(tuple(suffixes)) and not name.startswith("."):
                path = os.path.join(here, name)
                yield Source(path, os.path.relpath(path, folder).replace(os.sep, "/"))


# -- deciding --------------------------------------------------------------


def _decided(
    app: App,
    importer: Importer,
    sources: Sequence[Source],
    options: Options,
    progress: Progress | None,
    *,
    dry_run: bool,
) -> Report:
    reader = app.reader()
    notes = _Notes(reader, importer.source_type)
    report = Report(importer.name, dry_run, Plan(), sources=len(sources))
    context = Context(
        app.now(),
        app.settings.text("timezone"),
        app.settings.texts("me"),
        known_entities(reader),
    )
    items, whole = _read(report, importer, sources, context, progress)
    past = _past(app, importer.name)
    facts = _facts(app, notes)
    report.plan = plan_items(items, past, facts, options, app.now())
    keys = {item.key for item in items}
    report.problems += _not_again(report.plan, options)
    report.vanished = notes.vanished(keys, whole, app.now().date().isoformat())
    return report


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
                    items.append(each)
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


def _past(app: App, kind: str) -> dict[str, Past]:
    """What was made of this kind, on all machines; the last word of each counts."""
    past: dict[str, Past] = {}
    entries = [e for e in app.ledger.entries if e.kind == kind]
    for entry in sorted(entries, key=lambda e: e.at):
        if entry.what == "made" or (entry.what == "said" and entry.key in past):
            past[entry.key] = Past(entry.id, entry.path, Said.read(entry.said))
    return past


def known_entities(reader: Reader) -> Known:
    """The vault's entity notes, by name, title and aliases."""
    nodes = reader.nodes(reader.where("n.type = ?", ["entity"]))
    keys = {target_key(_stem(node.path)) for node in nodes}
    names = reader.names(keys)
    entities = []
    for node in nodes:
        if link := link_to(node.path, names):
            called = (_stem(node.path), node.title, *node.aliases)
            entities.append(Entity(link, tuple(dict.fromkeys(called))))
    return Known(entities)


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name[-3:].lower() == ".md" else name


class _Notes:
    """The notes that were made from sources of one type, by their keys there."""

    def __init__(self, reader: Reader, source_type: str) -> None:
        clause = "json_extract(n.properties, '$.source_type') = ?"
        self._reader = reader
        self._nodes = reader.nodes(reader.where(clause, [source_type]))
        self._properties = {n.path: reader.properties(n.file_id) for n in self._nodes}
        self._by_key: dict[str, str] = {}
        for node in self._nodes:
            key = self._properties[node.path].get("source_id")
            if isinstance(key, str):
                self._by_key.setdefault(key, node.path)

    def find(self, note_id: str, key: str) -> str:
        """The note with this id, else the one that says it is of this key; "" if none."""
        nodes = self._reader.nodes_by_id(note_id)
        return nodes[0].path if nodes else self._by_key.get(key, "")

    def vanished(self, keys: set[str], whole: set[str], today: str) -> list[Vanished]:
        """Those still ahead that came from one of these sources and aren't in it now."""
        found = []
        for node in self._nodes:
            properties = self._properties[node.path]
            source, key = properties.get("source_path"), properties.get("source_id")
            lies_ahead = node.date_end[:10] >= today or bool(
                properties.get("recurrence")
            )
            if (
                source in whole
                and key not in keys
                and node.status == "planned"
                and lies_ahead
            ):
                found.append(Vanished(node.path, str(key), node.title, str(source)))
        return found


def _facts(app: App, notes: _Notes) -> Facts:
    names = Names(app.vault.root)
    namespaces = app.settings.texts("namespaces")

    def look(path: str) -> tuple[bytes, Note]:
        data, _ = app.vault.read(path, app.settings.number("size_cap"))
        if data is None:
            raise Refused(f"{path} is larger than size_cap", mend="split the note")
        return data, parse(path, data)

    def breaches(path: str, data: bytes) -> list[Problem]:
        note = parse(path, data)
        return lint.check(note, app.meaning_of(note), namespaces)

    def is_taken(path: str) -> bool:
        return app.vault.exists(path) or bool(names.twin(path))

    def broken(path: str) -> str:
        if not app.vault.exists(path):
            return ""
        try:
            _, note = look(path)
        except OSError as error:
            return f"can't be read: {error.strerror}"
        except MindcacheError as error:
            return error.message
        fault = sync.held_reason(note)
        if fault is None and note.frontmatter is not None:
            fault = note.frontmatter.error
        return fault.message if fault is not None else ""

    return Facts(notes.find, look, is_taken, broken, breaches)


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
