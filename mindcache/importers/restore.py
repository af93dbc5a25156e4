"""Making a vault again of what an export of ours holds.

A restore is no feed: notes come back byte for byte, at the paths that they had, and
what is in the vault already is never changed. Everything is decided before anything is
written; what was there before and is the same is left as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from mindcache.errors import (
    ChangedMeanwhile,
    MindcacheError,
    NoteNotFound,
    Problem,
    Refused,
    UsageError,
)
from mindcache.exporters.gather import settings_of
from mindcache.exporters.records import FORMAT, SCHEMA, bytes_of
from mindcache.filenames import is_note, is_passing, portability
from mindcache.importers.exported import members
from mindcache.note import parse
from mindcache.vault import Create, Entry, Names, content_hash

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import Reader

__all__ = ["Restored", "restore", "restore_from"]

Progress = Callable[[str, int, int], None]

# Notes whose bytes are in memory at a time, and that are indexed at once.
_BATCH = 1_000


@dataclass(slots=True)
class Restored:
    """What was made, or would be. Paths are vault-relative.

    `moved` are notes that are in the vault elsewhere, as (path, where); `refused` those
    that could not come back, each with its reason; `ledger` counts the lines that were
    taken over; `behind` kept the notes from being indexed.
    """

    dry_run: bool
    made: list[str] = field(default_factory=list)
    unchanged: int = 0
    moved: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, MindcacheError]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    ledger: int = 0
    behind: Exception | None = None

    @property
    def is_lossy(self) -> bool:
        """Whether something of the export could not be taken in."""
        return bool(self.refused) or any(p.severity == "error" for p in self.problems)


def restore_from(
    app: App,
    path: str,
    *,
    dry_run: bool,
    stdin: BinaryIO,
    progress: Progress | None = None,
) -> Restored:
    """Restore what lies at a path ("-" for stdin); see `restore`.

    Raises NoteNotFound where nothing lies.
    """
    if path != "-":
        full = os.path.expanduser(path)
        if not os.path.isfile(full):
            raise NoteNotFound(f"no file lies at {path}", mend="check the path")
        return restore(app, full, dry_run=dry_run, progress=progress)
    with _kept(stdin) as full:
        return restore(app, full, dry_run=dry_run, progress=progress)


def restore(
    app: App, path: str, *, dry_run: bool = False, progress: Progress | None = None
) -> Restored:
    """Make the notes again that the export at `path` holds, never over another.

    Raises UsageError when the file is no export, Refused when it is a newer one than
    we know, OSError, and what opening the vault raises; nothing is written then.
    """
    report = Restored(dry_run)
    with nullcontext() if dry_run else app.writing():
        plan = _Plan(app, report)
        for done, (name, value) in enumerate(members(path), 1):
            plan.take(name, value)
            if progress is not None and not done % _BATCH:
                progress("reading", done, 0)
        plan.check()
        if dry_run:
            report.made = sorted(plan.wanted)
            report.ledger = len(plan.entries())
        else:
            _carry_out(app, plan, path, progress)
    return report


# -- deciding ------------------------------------------------------------------


class _Plan:
    """What becomes of each note; `wanted` has the hash of each one to be made."""

    def __init__(self, app: App, report: Restored) -> None:
        self._app = app
        self.report = report
        self._reader: Reader = app.reader()
        self._names = Names(app.vault.root)
        self._cap = app.settings.number("size_cap")
        self._header: dict[str, object] = {}
        self._ledger: list[Entry] = []
        self._seen: set[str] = set()
        self._refused_ids: set[str] = set()
        self._ids: dict[str, str] = {}
        self.wanted: dict[str, bytes] = {}

    def take(self, name: str, value: object) -> None:
        """Take in one member of the export."""
        if name == "nodes":
            self._take_node(value)
        elif name == "ledger":
            self._take_entry(value)
        elif name != "topics":
            self._header[name] = value

    def check(self) -> None:
        """Raise unless it was an export that we know; tell of other settings."""
        if self._header.get("format") != FORMAT:
            raise UsageError(
                f"this is no export of Mindcache: its format is not {FORMAT}",
                mend="give a file that mindcache export json or sqlite wrote",
            )
        schema = self._header.get("schema")
        if not isinstance(schema, int) or isinstance(schema, bool):
            raise UsageError(
                f"the schema of the export is {json.dumps(schema)[:80]}, which is no number",
                mend=f"give the file as it was exported; its schema is {SCHEMA}",
            )
        if schema > SCHEMA:
            raise Refused(
                f"the export has schema {schema}; this version knows {SCHEMA}",
                mend="update mindcache",
            )
        theirs, ours = self._header.get("settings"), settings_of(self._app)
        if isinstance(theirs, dict):
            self.report.problems += [
                Problem("", 0, "import-settings",
                        f"{key} was {theirs[key]!r} there and is {value!r} here",
                        "set it likewise if notes should read as they did")
                for key, value in ours.items() if theirs.get(key, value) != value
            ]  # fmt: skip

    def _take_node(self, value: object) -> None:
        try:
            path, note_id, data = _node(value)
            note_id = _id_in(path, data) or note_id
        except ValueError as error:
            shown = str(value.get("path", "")) if isinstance(value, dict) else ""
            self.report.problems.append(
                Problem(shown, 0, "import-node", f"a node that can't be read: {error}",
                        "it is left out; export it again", "error")
            )  # fmt: skip
            return
        try:
            self._decide(path, note_id, data)
        except MindcacheError as error:
            self.report.refused.append((path, error))
            if note_id and note_id not in self._ids:
                self._refused_ids.add(note_id)

    def _decide(self, path: str, note_id: str, data: bytes) -> None:
        """Note what becomes of a node. Raises Refused."""
        if path in self._seen:
            raise Refused("the export has two notes of this path", mend="keep one")
        self._seen.add(path)
        _check_path(path)
        self._take_in(path, note_id, data)
        if note_id:
            self._ids.setdefault(note_id, path)

    def _take_in(self, path: str, note_id: str, data: bytes) -> None:
        """Note what becomes of a node whose path no other has. Raises Refused."""
        if self._app.vault.exists(path):
            if self._holds(path, data):
                self.report.unchanged += 1
                return
            raise Refused(
                "another text is at this path", mend="move it away to get this one"
            )
        if note_id in self._ids:
            # The vault it came from had both: a backup comes back as it was.
            self.report.problems.append(
                Problem(path, 0, "import-twin",
                        f"its id {note_id} is that of {self._ids[note_id]} too",
                        "mindcache doctor tells of both; give one another id")
            )  # fmt: skip
        elif note_id and (at := self._at_home(note_id, data)):
            self.report.unchanged += 1
            self.report.moved.append((path, at))
            return
        if len(data) > self._cap:
            raise Refused(
                f"larger than size_cap ({self._cap:,} bytes)",
                mend="raise size_cap in .mindcache/config.toml",
            )
        if twin := self._names.twin(path):
            raise Refused(
                f"{twin} differs only in how it is spelled",
                mend="they would clash on other systems: rename one",
            )
        self._names.add(path)
        self.wanted[path] = content_hash(data)

    def _at_home(self, note_id: str, data: bytes) -> str:
        """Where the note of this id and content is already, "" for nowhere.

        Raises Refused where the id belongs to a note that says something else.
        """
        there = [node.path for node in self._reader.nodes_by_id(note_id)]
        for path in there:
            if self._holds(path, data):
                return path
        if there:
            raise Refused(
                f"its id {note_id} belongs to {there[0]}, which is another",
                mend="mindcache show both, and keep one",
            )
        return ""

    def _holds(self, path: str, data: bytes) -> bool:
        try:
            return self._app.vault.read(path, max(self._cap, len(data)))[0] == data
        except OSError:
            return False

    def _take_entry(self, value: object) -> None:
        if isinstance(value, dict) and all(isinstance(v, str) for v in value.values()):
            known = {k: v for k, v in value.items() if k in Entry.__slots__}
            if all(known.get(k) for k in ("what", "kind", "key")) and _is_writable(
                known
            ):
                self._ledger.append(Entry(**known))
                return
        self.report.problems.append(
            Problem("", 0, "import-ledger", "a line of the ledger that can't be read",
                    "it is left out", "error")
        )  # fmt: skip

    def to_make(self, value: object) -> Create | None:
        """The change that makes this node, if that was decided of this very one."""
        try:
            path, _, data = _node(value)
        except ValueError:
            return None  # told already
        if self.wanted.get(path) != content_hash(data):
            return None
        return Create(path, data)

    def entries(self) -> list[Entry]:
        """The lines that the vault's ledger lacks, without those of refused notes."""
        known = Counter(self._app.ledger.entries)
        lacking: list[Entry] = []
        for entry in self._ledger:
            known[entry] -= 1
            if known[entry] < 0 and entry.id not in self._refused_ids:
                lacking.append(entry)
        return lacking


def _node(value: object) -> tuple[str, str, bytes]:
    """A node's path, its id, and the bytes of its file. Raises ValueError."""
    if not isinstance(value, Mapping):
        raise ValueError("no object")  # noqa: TRY004  callers know one error
    fields = [value.get(key, "") for key in ("path", "id", "head", "text", "base64")]
    texts = [each for each in fields if isinstance(each, str)]
    if len(texts) < len(fields):
        raise ValueError("path, id, head, text and base64 have to be texts")
    path, note_id, head, text, kept = texts
    if not path:
        raise ValueError("it has no path")
    if "text" not in value and not kept:
        raise ValueError("it has no text")
    path.encode()  # what no file can be called is no path
    return path, note_id, bytes_of(head, text, kept)


def _id_in(path: str, data: bytes) -> str:
    """The id that the note's own text gives it, "" for none."""
    if not data.lstrip(b"\xef\xbb\xbf").startswith(b"---"):
        return ""
    found = parse(path, data).properties.get("id")
    return found.strip() if isinstance(found, str) else ""


def _is_writable(entry: Mapping[str, str]) -> bool:
    try:
        "".join(entry.values()).encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_path(path: str) -> None:
    """Raise Refused for what can't be the path of a note."""
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts):
        raise Refused("leads out of the vault", mend="give a path from its root")
    if any(map(is_passing, parts)) or not is_note(path):
        raise Refused("is not the path of a note", mend="notes end in .md, unhidden")
    if reason := portability(path):
        raise Refused(reason, mend="choose another name")


# -- doing ---------------------------------------------------------------------


def _carry_out(app: App, plan: _Plan, path: str, progress: Progress | None) -> None:
    """Read the export once more, and write what was decided, batch by batch."""
    report = plan.report
    batch: list[Create] = []
    for name, value in members(path):
        if name != "nodes":
            continue
        found = plan.to_make(value)
        if found is not None:
            batch.append(found)
        if len(batch) == _BATCH:
            _commit(app, plan, batch)
            batch = []
            if progress is not None:
                progress("restoring", len(report.made), len(plan.wanted))
    if batch:
        _commit(app, plan, batch)
    _tell_missing(plan)
    entries = plan.entries()
    app.ledger.add(entries)
    report.ledger = len(entries)


def _tell_missing(plan: _Plan) -> None:
    """Notes that were there when it was decided, and were others when it was done."""
    report = plan.report
    came = {*report.made, *(path for path, _ in report.refused)}
    report.refused += [
        (
            path,
            ChangedMeanwhile("the export was changed meanwhile", mend="run it again"),
        )
        for path in sorted(plan.wanted.keys() - came)
    ]


def _commit(app: App, plan: _Plan, batch: list[Create]) -> None:
    done = app.commit(batch)
    failed = {id(change) for change, _ in done.failed}
    report = plan.report
    report.made += [each.path for each in batch if id(each) not in failed]
    report.refused += [(change.path, error) for change, error in done.failed]
    report.behind = done.behind or report.behind


@contextmanager
def _kept(stream: BinaryIO) -> Iterator[str]:
    """A file that holds what a stream gives: it is read twice."""
    with tempfile.TemporaryDirectory(prefix="mindcache-") as folder:
        full = os.path.join(folder, "stdin")
        with open(full, "xb") as file:
            shutil.copyfileobj(stream, file)
        yield full
