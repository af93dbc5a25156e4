"""Findings become notes: each with its quote, its source, and its place in the ledger.

What `extract` finds in a note is planned as an import plans what it reads, so that a
finding is made once, follows its source, and stays deleted when its owner deletes it.
Also tells which such notes have lost their source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem
from mindcache.extract import SOURCE_TYPE, Context, Finding, findings_of, left_alone
from mindcache.hashing import blake2b
from mindcache.importers.facts import Notes, facts_of, known_entities, past_of
from mindcache.importers.item import Item
from mindcache.importers.mentions import link_to
from mindcache.importers.plan import Options, Plan, Planner, Step
from mindcache.links import Names, target_key
from mindcache.memory import Memory, moment
from mindcache.note import DELETE, Delete, Note, Property, edit, links_in_text
from mindcache.redact import redact
from mindcache.vault import Change, Replace
from mindcache.write.times import time_properties

if TYPE_CHECKING:
    from mindcache.app import App, Written
    from mindcache.cache.read import NodeRow, Reader

__all__ = ["Extracted", "Learned", "Lost", "extract_notes", "items_of"]

Progress = Callable[[str, int, int], None]

_FOLDERS = {"plan": "plans"}
_FOLDER = "memory"
_STATUS = {"event": "occurred", "plan": "planned", "fact": "active"}

# Characters of a file name: a line in a list of files. The dates that the summary has
# beside its phrases would only be read twice.
_TITLE = 64
_BESIDE = re.compile(r" \((?:about )?\d{4}[\d-]*(?: to [\d-]+)?\)")


@dataclass(frozen=True, slots=True)
class Learned:
    """What was found in the note at `path`; `why` says why that was left alone."""

    path: str
    findings: tuple[Finding, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """A note that was found in another, which is gone (or `is_back` again)."""

    path: str
    source: str
    is_back: bool = False


@dataclass(slots=True)
class Extracted:
    """What was done, or would be; `of` gives each step's finding by its item's key."""

    dry_run: bool
    learned: list[Learned] = field(default_factory=list)
    plan: Plan = field(default_factory=Plan)
    of: dict[str, tuple[str, Finding]] = field(default_factory=dict)
    new_names: Counter[str] = field(default_factory=Counter)
    lost: list[Lost] = field(default_factory=list)
    failed: list[tuple[str, MindcacheError]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    redacted: int = 0
    behind: Exception | None = None

    @property
    def is_lossy(self) -> bool:
        """Whether something could not be read or written."""
        return bool(
            self.failed
            or self.plan.of("refused")
            or any(each.severity == "error" for each in self.problems)
        )


def extract_notes(
    app: App,
    paths: Sequence[str],
    *,
    dry_run: bool = False,
    again: Sequence[str] = (),
    progress: Progress | None = None,
) -> Extracted:
    """Make notes of what the notes at these vault paths say outright.

    With `dry_run` nothing is written. `again` holds keys that may be made anew although
    their notes were deleted. A note that can't be read is a problem in the report, the
    rest goes on. Notes whose source is gone are put aside (`archived`, `orphaned`), and
    come back with it. Raises what opening the vault raises.
    """
    report = Extracted(dry_run)
    with nullcontext() if dry_run else app.writing():
        reader = app.reader()
        known = known_entities(reader)
        context = Context(
            app.settings.texts("me"),
            links_in=known.find,
            link_of=known.link_of,
        )
        ground = _Ground(app, reader, context, frozenset(again))
        for number, path in enumerate(dict.fromkeys(paths), 1):
            _learn(report, ground, path)
            if progress is not None:
                progress("reading", number, len(paths))
        changes = _lost(report, app, ground.made)
        if not dry_run:
            _carry_out(app, report, changes)
    return report


class _Ground:
    """What is looked up once for all sources."""

    def __init__(
        self, app: App, reader: Reader, context: Context, again: frozenset[str]
    ) -> None:
        self.app = app
        self.reader = reader
        self.context = context
        self.again = again
        self.past = past_of(app, SOURCE_TYPE)
        self.facts = facts_of(app, Notes(app, reader, SOURCE_TYPE))
        self.chosen: set[str] = set()
        self.made = _Made(reader)

    def key_of(self, path: str, key: str) -> str:
        """The key under which a finding of the note at `path` is known already, or its own.

        A source without an id may have had another path when it was read before.
        """
        digest = key.rpartition("#")[2]
        known = [f"{name}#{digest}" for name in self.made.names_of(path)]
        return next((each for each in (key, *known) if each in self.past), key)

    def plan(self, items: Sequence[Item], folder: str, project: str) -> Plan:
        """What becomes of items that go into one folder."""
        facts = replace(
            self.facts,
            is_taken=lambda path: (
                path.casefold() in self.chosen or self.facts.is_taken(path)
            ),
        )
        options = Options(
            SOURCE_TYPE, SOURCE_TYPE, folder, project=project, again=self.again
        )
        planner = Planner(self.past, facts, options, self.app.now())
        once = {item.key: item for item in items}
        plan = Plan([planner.step(item) for item in once.values()])
        self.chosen |= {step.path.casefold() for step in plan.of("made")}
        return plan


def _learn(report: Extracted, ground: _Ground, path: str) -> None:
    try:
        _, note, memory = ground.app.look(path)
    except OSError as error:
        message = f"can't be read: {error.strerror}"
        report.problems.append(
            Problem(path, 0, "extract-read", message, "check it", "error")
        )
        return
    except MindcacheError as error:
        report.problems.append(
            Problem(path, 0, "extract-read", error.message, error.mend, "error")
        )
        return
    why = "holds git conflict markers" if note.conflict_line else left_alone(memory)
    found = findings_of(note, memory, ground.context)
    report.learned.append(Learned(path, tuple(found.of), why))
    report.new_names.update(found.new_names)
    link = link_to(path, ground.reader.names({target_key(_stem(path))}))
    made = [
        replace(item, key=ground.key_of(path, item.key))
        for item in items_of(found.of, memory, link)
    ]
    for item, finding in zip(made, found.of, strict=True):
        report.of[item.key] = (path, finding)
        report.redacted += redact(finding.quote).taken
    for folder in (_FOLDER, *_FOLDERS.values()):
        chosen = [i for i in made if _FOLDERS.get(i.type, _FOLDER) == folder]
        report.plan.steps += ground.plan(chosen, folder, memory.project).steps


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name[-3:].lower() == ".md" else name


def items_of(findings: Sequence[Finding], source: Memory, link: str) -> list[Item]:
    """The findings of a note as items of an import, in their order.

    `link` leads to the source (`[[Note]]`); each item's own link has the block id. Its
    key is the source's identity and a hash of the quote, so that the same words stay
    the same thing wherever they move in their note.
    """
    return [_item(finding, source, link) for finding in findings]


def _item(finding: Finding, source: Memory, link: str) -> Item:
    quote = redact(finding.quote).text
    digest = blake2b(" ".join(finding.quote.split()).casefold().encode(), digest_size=6)
    said = source.date.start if source.date else None
    properties: dict[str, Property] = {"summary": finding.summary}
    properties |= _times(finding)
    if finding.links:
        properties["entities"] = list(finding.links)
    properties["derived_from"] = [_to_block(link, finding.anchor) or source.path]
    properties["confidence"] = finding.confidence
    once: dict[str, Property] = {"status": _STATUS[finding.kind]}
    if said is not None:
        once["created_at"] = moment(said)
    shown = "\n".join(f"> {line}".rstrip() for line in quote.split("\n"))
    # A day alone would be read as that of what happened.
    day = f"{said:%Y-%m-%d}" if said and finding.speaker else ""
    who = ", ".join(filter(None, [finding.speaker, day]))
    body = f"{shown}\n" + (f">\n> — {who}\n" if who else "")
    starts = finding.when.start if finding.when else said
    return Item(
        key=f"{source.id or source.path}#{digest.hexdigest()}",
        type=finding.kind,
        title=_title(finding.summary),
        when=starts,
        properties=properties,
        once=once,
        body=body,
        place=f"{source.path}:{finding.line}",
    )


def _to_block(link: str, anchor: str) -> str:
    if not link or not anchor:
        return link
    return f"{link.removesuffix(']]')}#^{anchor}]]"


def _times(finding: Finding) -> dict[str, Property]:
    when = finding.when
    if when is None:
        return {}
    if finding.kind == "fact":
        found: dict[str, Property] = {"valid_from": moment(when.start)}
        if finding.until is not None:
            found["valid_until"] = moment(finding.until)
        return found
    return time_properties(when, "", "", when.start)


def _title(summary: str) -> str:
    words = _BESIDE.sub("", summary).split()
    title = ""
    for word in words:
        if len(title) + len(word) >= _TITLE:
            break
        title = f"{title} {word}".strip()
    # Words that were cut off may have turned what it says.
    cut = "" if title == " ".join(words) else "…"
    title = title.rstrip(" .,;:!?…–—-") or words[0][:_TITLE]
    return f"{title}{cut}"


# -- what has lost its source --------------------------------------------------


class _Made:
    """The notes that were found in others, and where the links to those lead now."""

    def __init__(self, reader: Reader) -> None:
        clause = "json_extract(n.properties, '$.source_type') = ?"
        self.nodes = reader.nodes(reader.where(clause, [SOURCE_TYPE]))
        self.properties = {n.path: reader.properties(n.file_id) for n in self.nodes}
        self.targets = {path: _target(each) for path, each in self.properties.items()}
        keys = {target_key(target) for target in self.targets.values() if target}
        names = Names(reader.names(keys))
        self.sources: dict[str, str] = {}
        self._names: dict[str, dict[str, None]] = {}
        for node in self.nodes:
            source = names.resolve(node.path, self.targets[node.path])
            key = self.properties[node.path].get("source_id")
            if source is not None and self.targets[node.path]:
                self.sources[node.path] = source.path
                if isinstance(key, str):
                    name = key.rpartition("#")[0]
                    self._names.setdefault(source.path, {})[name] = None

    def names_of(self, path: str) -> Sequence[str]:
        """What the note at a path was called when something was found in it."""
        return tuple(self._names.get(path, ()))


def _lost(report: Extracted, app: App, made: _Made) -> list[Change]:
    """Put aside what was found in a note that is gone; take back what has it again."""
    changes: list[Change] = []
    for node in made.nodes:
        target = made.targets[node.path]
        is_there = not target or node.path in made.sources
        is_marked = bool(made.properties[node.path].get("orphaned"))
        if is_there != is_marked:
            continue
        change = _marked(app, node, is_back=is_there)
        if isinstance(change, Problem):
            report.problems.append(change)
            continue
        report.lost.append(Lost(node.path, target, is_back=is_there))
        changes.append(change)
    return changes


def _target(properties: Mapping[str, object]) -> str:
    """The note that another was found in, by the link to it; "" without one."""
    given = properties.get("derived_from")
    first = given[0] if isinstance(given, list) and given else given
    links = links_in_text(first) if isinstance(first, str) else ()
    return next((link.target for link in links), "")


def _marked(app: App, node: NodeRow, *, is_back: bool) -> Change | Problem:
    try:
        data, note, memory = app.look(node.path)
        now = moment(app.now().replace(microsecond=0))
        changes = _woken(note, memory) if is_back else _retired(note, now)
        return Replace(node.path, edit(data, changes), data)
    except OSError as error:
        message = f"can't be read: {error.strerror}"
        return Problem(node.path, 0, "extract-read", message, "check it", "error")
    except MindcacheError as error:
        return Problem(node.path, 0, "extract-read", error.message, error.mend, "error")


def _retired(note: Note, now: str) -> dict[str, Property | Delete]:
    """What says of a note that nothing stands behind it any more, since `now`."""
    changes: dict[str, Property | Delete] = {"status": "archived", "orphaned": now}
    if note.properties.get("valid_until") in (None, ""):
        changes["valid_until"] = now
    return changes


def _woken(note: Note, memory: Memory) -> dict[str, Property | Delete]:
    """The same taken back; what its owner has said otherwise since then stays."""
    own = note.properties
    changes: dict[str, Property | Delete] = {"orphaned": DELETE}
    if memory.status == "archived":
        changes["status"] = own.get("outcome") or _STATUS.get(memory.type, "active")
    if own.get("valid_until") == own.get("orphaned"):
        changes["valid_until"] = DELETE
    return changes


# -- doing ---------------------------------------------------------------------


def _carry_out(app: App, report: Extracted, aside: Sequence[Change]) -> None:
    """Write what was decided, then what of it the ledger keeps."""
    steps = {id(step.change): step for step in report.plan.steps if step.change}
    kept = [s.entry for s in report.plan.steps if s.entry and not s.change]
    changes = [*(s.change for s in report.plan.steps if s.change), *aside]
    if changes:
        written: Written = app.commit(changes)
        report.behind = written.behind
        failed = {id(change) for change, _ in written.failed}
        report.failed = [(change.path, error) for change, error in written.failed]
        done = [step for key, step in steps.items() if key not in failed]
        report.plan.steps = [
            step
            for step in report.plan.steps
            if step.change is None or id(step.change) not in failed
        ]
        kept += [step.entry for step in done if step.entry]
    app.ledger.add(sorted(kept, key=lambda e: (e.path, e.key)))


def steps_by_source(report: Extracted) -> Iterator[tuple[str, Step, Finding]]:
    """Each step with the note that it comes from and its finding."""
    for step in report.plan.steps:
        path, finding = report.of[step.item.key]
        yield path, step, finding
