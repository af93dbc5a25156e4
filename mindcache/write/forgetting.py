"""Putting notes aside, throwing them away, and taking them back.

Nothing here deletes: what is forgotten lies in the vault's `.trash`, and the ledger
knows where it was, so that it can come back and no import makes it again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, NoteNotFound, Refused
from mindcache.filenames import is_note
from mindcache.links import Names
from mindcache.memory import moment
from mindcache.note import DELETE, Delete, Note, Property, edit, parse
from mindcache.vault import TRASH, Change, Entry, Move, Replace, Trash, Vault

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.memory import Memory

__all__ = [
    "Lost",
    "Outcome",
    "Plan",
    "Step",
    "archived",
    "carry_out",
    "forgotten",
    "restored",
]

# What a plan came to; kept when its status says something else (design 3.1).
_OUTCOMES = ("occurred", "missed", "canceled")

_NO_CAP = 2**62  # what is thrown away may be of any size


@dataclass(frozen=True, slots=True)
class Lost:
    """A link that led to a forgotten note; `leads` is where it leads now, or ""."""

    path: str
    line: int
    target: str
    leads: str


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of one note; without a `change` it is as it should be already.

    `what` is the word for the ledger, "" for nothing, `said` what else it is to keep.
    """

    path: str
    id: str = ""
    to: str = ""
    status: str = ""
    change: Change | None = None
    what: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a command would do, note by note, with the links that lose their note.

    `remarks` are what its caller should know of it besides.
    """

    steps: tuple[Step, ...]
    lost: tuple[Lost, ...] = ()
    failed: tuple[tuple[str, MindcacheError], ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class Outcome:
    """What was done, what was not, and what kept it from being indexed."""

    steps: list[Step] = field(default_factory=list)
    failed: list[tuple[str, MindcacheError]] = field(default_factory=list)
    behind: Exception | None = None


def archived(app: App, paths: Iterable[str], *, undo: bool) -> Plan:
    """Other statuses for these notes: archived, or what they were before."""
    steps: list[Step] = []
    failed: list[tuple[str, MindcacheError]] = []
    for path in paths:
        try:
            steps.append(_archived(app, path, undo=undo))
        except (MindcacheError, OSError) as error:
            failed.append((path, _ours(path, error)))
    return Plan(tuple(steps), failed=tuple(failed))


def _archived(app: App, path: str, *, undo: bool) -> Step:
    data, note, memory = app.look(path)
    if note.frontmatter is not None and note.frontmatter.error is not None:
        raise Refused.over(note.frontmatter.error)
    is_archived = memory.status == "archived"
    if is_archived is not undo:
        return Step(path, memory.id, status=memory.status)
    if undo:
        return _woken(app, data, note, memory)
    outcome = note.properties.get("outcome")
    changes: dict[str, Property] = {"status": "archived"}
    if memory.status in _OUTCOMES and outcome in (None, ""):
        changes["outcome"] = memory.status
    change = Replace(path, edit(data, changes), data)
    own = note.properties
    was = {key: own[key] or "" for key in ("status", "outcome") if key in own}
    return Step(
        path,
        memory.id,
        status="archived",
        change=change,
        what="archived",
        said=json.dumps(was, ensure_ascii=False, default=str),
    )


def _woken(app: App, data: bytes, note: Note, memory: Memory) -> Step:
    """An archived note as it was: by the ledger, else by what it says itself."""
    path, outcome = note.path, note.properties.get("outcome")
    plain = "planned" if memory.type == "plan" else "active"
    changes: dict[str, Property | Delete] = {}
    was = _before(app, memory.id, path)
    if was is None:
        known = isinstance(outcome, str) and outcome in _OUTCOMES
        changes["status"] = outcome if known else plain
    else:
        for key in ("status", "outcome"):
            if key in was:
                changes[key] = was[key] or None
            elif key in note.properties:
                changes[key] = DELETE
    status = changes["status"]
    told = plain if isinstance(status, Delete) or not status else str(status)
    change = Replace(path, edit(data, changes), data)
    return Step(path, memory.id, status=told, change=change)


def _before(app: App, note_id: str, path: str) -> dict[str, str] | None:
    """The status and outcome that a note had when we archived it last."""
    keys = {note_id or path, path}
    entries = (e for e in app.ledger.entries if e.what == "archived" and e.key in keys)
    last = max(entries, key=lambda e: e.at, default=None)
    try:
        was = json.loads(last.said) if last else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(was, dict):
        return None
    return {key: value for key, value in was.items() if isinstance(value, str)}


def _ours(path: str, error: MindcacheError | OSError) -> MindcacheError:
    if isinstance(error, MindcacheError):
        return error
    return MindcacheError(f"{path} can't be read: {error.strerror}")


def forgotten(app: App, paths: Sequence[str]) -> Plan:
    """These notes in the trash, and what becomes of the links to them."""
    reader = app.reader()
    gone = set(paths)
    rows = [
        row
        for path in sorted(gone)
        for row in reader.links_to(path)
        if row.source not in gone
    ]
    names = Names(n for n in reader.names() if n.path not in gone) if rows else None
    lost: list[Lost] = []
    for row in rows:
        found = names.resolve(row.source, row.target) if names else None
        leads = found.path if found else ""
        lost.append(Lost(row.source, row.line, row.target, leads))
    steps: list[Step] = []
    failed: list[tuple[str, MindcacheError]] = []
    for path in paths:
        node = reader.find_node(path)
        try:
            change = Trash(path, _read(app.vault, path))
            to = app.vault.in_trash(path)
        except (MindcacheError, OSError) as error:
            failed.append((path, _ours(path, error)))
        else:
            node_id = node.id if node else ""
            steps.append(Step(path, node_id, to, change=change, what="trashed"))
    return Plan(tuple(steps), tuple(lost), tuple(failed))


def _read(vault: Vault, path: str) -> bytes:
    data, _ = vault.read(path, _NO_CAP)
    return data or b""


def restored(app: App, names: Sequence[str]) -> Plan:
    """These notes where they were, by the ledger, else by their path in the trash.

    Raises NoteNotFound for what is not in the trash.
    """
    lying = _lying(app)
    remarks: list[str] = []
    steps: dict[str, Step] = {}
    failed: dict[str, MindcacheError] = {}
    for name in names:
        entry = _in_trash(app, lying, name)
        if app.vault.exists(entry.path):
            mend = "rename that one, or move the file out of .trash by hand"
            failed[entry.to] = Refused(f"{entry.path} exists already", mend=mend)
            continue
        data = _read(app.vault, entry.to)
        change = Move(entry.to, entry.path, data)
        node_id = parse(entry.path, data).properties.get("id")
        same = app.reader().nodes_by_id(node_id) if isinstance(node_id, str) else []
        remarks += [
            f"{entry.path} and {node.path} carry the same id, {node_id}: delete the id"
            " line of one, mindcache adopt then gives it its own"
            for node in same
        ]
        steps[entry.to] = Step(
            entry.to, entry.id, entry.path, change=change, what="restored"
        )
    return Plan(
        tuple(steps.values()), failed=tuple(failed.items()), remarks=tuple(remarks)
    )


def _lying(app: App) -> dict[str, Entry]:
    """What the ledger knows of the files that are in the trash now, by their paths.

    Of several notes that ever lay at one path the last one is meant.
    """
    found: dict[str, Entry] = {}
    for entry in sorted(app.ledger.entries, key=lambda e: e.at):
        if entry.what == "trashed" and entry.to.startswith(f"{TRASH}/"):
            found[entry.to] = entry
        elif entry.what == "restored":
            found.pop(entry.path, None)
    return {to: e for to, e in found.items() if e.path and app.vault.exists(to)}


def _in_trash(app: App, lying: dict[str, Entry], name: str) -> Entry:
    wanted = name.strip()
    paths = {wanted, f"{wanted}.md"}
    known = [
        entry
        for entry in lying.values()
        if (entry.id and entry.id == wanted) or paths & {entry.path, entry.to}
    ]
    if known:
        return max(known, key=lambda e: (e.at, e.to))
    files = _files_in_trash(app.vault)
    for path in sorted(paths):
        for to in (path, f"{TRASH}/{path}"):
            if to in files:
                return Entry("", "", "", path=to.removeprefix(f"{TRASH}/"), to=to)
    for to in files:
        if wanted and parse(to, _read(app.vault, to)).properties.get("id") == wanted:
            path = to.removeprefix(f"{TRASH}/")
            return Entry("", "", "", id=wanted, path=path, to=to)
    raise _missing(name, [*files, *(e.path for e in lying.values())])


def _files_in_trash(vault: Vault) -> list[str]:
    """The notes in the trash, with their paths from the vault's root, sorted."""
    found: list[str] = []
    for folder, _, names in os.walk(os.path.join(vault.root, TRASH)):
        for name in filter(is_note, names):
            path = os.path.relpath(os.path.join(folder, name), vault.root)
            found.append(path.replace(os.sep, "/"))
    return sorted(found)


def _missing(name: str, paths: Iterable[str]) -> NoteNotFound:
    import difflib

    close = difflib.get_close_matches(name, sorted(set(paths)), n=3, cutoff=0.6)
    mend = f"did you mean {', '.join(close)}?" if close else "see what is in .trash"
    return NoteNotFound(f"nothing in the trash is {name!r}", mend=mend)


def carry_out(app: App, plan: Plan) -> Outcome:
    """Do it, index it, and write it into the ledger.

    The caller holds `app.writing()` since before the plan was made.
    """
    outcome = Outcome(failed=list(plan.failed))
    # The ledger first: a line of it about a file that stays does no harm, a file in the
    # trash that it does not know may not find its way back.
    at = moment(app.now())
    steps = _told(app, plan.steps, at, outcome)
    done = app.commit([step.change for step in steps if step.change is not None])
    failed = {id(change) for change, _ in done.failed}
    moved = dict(done.moved)
    outcome.behind = done.behind
    outcome.failed += [(change.path, error) for change, error in done.failed]
    outcome.steps += [
        replace(step, to=moved.get(step.path, step.to))
        for step in steps
        if id(step.change) not in failed
    ]
    back = [each for each in outcome.steps if each.what == "restored"]
    try:
        app.ledger.add(_entry(step, at) for step in back)
    except MindcacheError as error:
        outcome.failed += [
            (step.to, MindcacheError(f"{step.to} is restored, but {error.message}"))
            for step in back
        ]
    return outcome


def _told(app: App, steps: Iterable[Step], at: str, outcome: Outcome) -> list[Step]:
    """The steps that may be done: those that the ledger knows of, or need not."""
    taken: set[str] = set()
    found: list[Step] = []
    for step in steps:
        to = step.to
        if step.what == "trashed":
            to = app.vault.in_trash(step.path, taken)
            taken.add(to)
        found.append(replace(step, to=to))
    before = [step for step in found if step.what in ("trashed", "archived")]
    try:
        app.ledger.add(_entry(step, at) for step in before)
    except MindcacheError as error:
        words = f"{error.message}, and nothing is done that is not written there"
        told = MindcacheError(words, mend=error.mend)
        outcome.failed += [(step.path, told) for step in before]
        return [step for step in found if step not in before]
    return found


def _entry(step: Step, at: str) -> Entry:
    key = step.id or (step.to if step.what == "restored" else step.path)
    return Entry(
        step.what, "note", key, step.id, step.path, step.to, at, said=step.said
    )
