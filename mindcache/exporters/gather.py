"""Which notes go out, in which order, and what is left where it is.

The notes that the index knows, by path, each with the bytes on disk that it was
indexed from. A note that is another by now is left out and told of: half of an
export must not be older than the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mindcache.errors import Locked, Problem
from mindcache.exporters.records import Record, Refs, Whole, record, topic
from mindcache.filenames import is_note
from mindcache.recall.filters import Filters, select
from mindcache.vault import Entry, Ledger, content_hash

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import EdgeRow, NodeRow, OccurrenceRow, Reader
    from mindcache.links import Name

__all__ = ["Gathering", "Left", "Report", "gathering", "settings_of"]

Progress = Callable[[str, int, int], None]

# Notes whose rows are in memory at a time.
_BATCH = 200

# Before any moment that is written as a date, and after.
_EVER = ("", "\U0010ffff")

_HELD = "notes held apart until a conflict is mended"
_LARGE = "notes larger than size_cap"


@dataclass(frozen=True, slots=True)
class Left:
    """Something that did not go out: `count` of `what`; `paths` where they are few."""

    what: str
    why: str
    count: int
    paths: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    """What was written where, and what was left out.

    `to` is "-" for stdout, `attachments` counts the files that were copied, `skipped`
    are notes that should have gone out and could not.
    """

    format: str
    to: str
    notes: int = 0
    topics: int = 0
    ledger: int = 0
    attachments: int = 0
    left: list[Left] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)

    @property
    def is_lossy(self) -> bool:
        """Whether a note is missing that should be there."""
        return any(problem.severity == "error" for problem in self.skipped)


@contextmanager
def gathering(
    app: App, filters: Filters, report: Report, progress: Progress | None = None
) -> Iterator[Gathering]:
    """What passes the filters, as the vault is at this moment.

    What is left out and what fails goes into the report. Raises UsageError for a
    filter that nothing has, Locked when the cache is behind and stays so.
    """
    reader = app.reader()
    reader.awake = frozenset  # what goes out is what the notes say
    if app.freshness.stale:
        raise Locked(
            "another process holds the cache; an export would be behind",
            mend="run it again when that is done",
        )
    report.skipped += app.freshness.problems
    with reader.one_moment():
        yield Gathering(app, reader, filters, report, progress)


class Gathering:
    """The notes that go out. `homes` are (path, file id) of each, by path."""

    def __init__(
        self,
        app: App,
        reader: Reader,
        filters: Filters,
        report: Report,
        progress: Progress | None,
    ) -> None:
        self._app = app
        self._reader = reader
        self._progress = progress
        self.report = report
        self.filters = {
            name: _plain(value)
            for name, value in filters.cleaned()._asdict().items()
            if value
        }
        chosen = select(self._reader, filters, app.now())
        homes = self._reader.homes()
        self.refs = Refs(homes)
        self.is_whole = chosen is None
        self.homes = [(p, i) for p, i, _ in homes if chosen is None or i in chosen]
        self.stamps = self._reader.stamps()
        report.left += self._left(len(homes) - len(self.homes))

    def _left(self, filtered: int) -> list[Left]:
        kinds: dict[str, list[str]] = {}
        for path, seen in self.stamps.items():
            kinds.setdefault(seen.kind, []).append(path)
        ignored = sum(1 for path in kinds.get("asset", ()) if is_note(path))
        held, large = sorted(kinds.get("held", ())), sorted(kinds.get("skipped", ()))
        found = [
            Left(_HELD, "mindcache doctor lists them", len(held), tuple(held)),
            Left(_LARGE, "raise size_cap, or split them", len(large), tuple(large)),
            Left("ignored notes", ".mindcacheignore names them", ignored),
            Left("other notes", "they don't pass the filters", filtered),
        ]
        return [left for left in found if left.count]

    def attachments(self) -> list[str]:
        """Every file of the vault that is no note, by path."""
        return sorted(
            path
            for path, seen in self.stamps.items()
            if seen.kind == "asset" and not is_note(path)
        )

    def names(self) -> list[Name]:
        """Every way to call a file of the vault."""
        return self._reader.names()

    def linked(self) -> set[str]:
        """Every file that the notes link to or embed."""
        paths = [path for path, _ in self.homes]
        return self._reader.linked_from(paths)

    def leave_attachments(self) -> None:
        """Tell that they stay where they are."""
        count = len(self.attachments())
        if count:
            why = "mindcache export markdown copies them"
            self.report.left.append(Left("attachments", why, count))

    def ledger(self) -> list[Entry]:
        """What was made and deleted: all of it, or what tells of the notes chosen."""
        ledger = Ledger(self._app.vault, "")
        entries = ledger.entries
        self.report.skipped += ledger.problems
        if self.is_whole:
            return entries
        paths = {path for path, _ in self.homes}
        names = {self.refs.name(path) for path in paths}
        return [e for e in entries if e.id in names or (not e.id and e.path in paths)]

    # -- notes -------------------------------------------------------------

    def files(self) -> Iterator[tuple[str, bytes]]:
        """The path of each note and its bytes."""
        for number, (path, _) in enumerate(self.homes, 1):
            data = self._read(path)
            if data is not None:
                yield path, data
            self._tell(number)

    def records(self, *, with_occurrences: bool) -> Iterator[Record]:
        """Each note as `records.record` has it."""
        for start in range(0, len(self.homes), _BATCH):
            batch = self.homes[start : start + _BATCH]
            for whole in self._wholes(batch, with_occurrences=with_occurrences):
                yield record(whole, self.refs, with_occurrences=with_occurrences)
            self._tell(start + len(batch))

    def topics(self) -> Iterator[Record]:
        """The topics among the notes, each with its place in the tree."""
        kept = self._reader.where("n.type = 'topic'", [])
        if not kept:
            return
        paths = set(self._reader.paths(kept).values())
        parents: dict[str, list[str]] = {}
        children: dict[str, list[str]] = {}
        for edge in self._reader.edges_from(relation="parent_topic"):
            if edge.source in paths:
                parents.setdefault(edge.source, []).append(edge.target)
                children.setdefault(edge.target, []).append(edge.source)
        homes = [each for each in self.homes if each[1] in kept]
        nodes = {node.path: node for node in self._reader.nodes(i for _, i in homes)}
        facts = self._reader.facts(i for _, i in homes)
        edges = self._edges(path for path, _ in homes)
        for path, file_id in homes:
            whole = Whole(nodes[path], facts[file_id], b"", edges.get(path, ()))
            yield topic(whole, parents.get(path, ()), children.get(path, ()), self.refs)

    def _wholes(
        self, batch: Sequence[tuple[str, int]], *, with_occurrences: bool
    ) -> Iterator[Whole]:
        ids = [file_id for _, file_id in batch]
        nodes: dict[str, NodeRow] = {n.path: n for n in self._reader.nodes(ids)}
        facts = self._reader.facts(ids)
        edges = self._edges(path for path, _ in batch)
        entries = self._reader.entries_of(ids)
        occurrences: dict[int, list[OccurrenceRow]] = {}
        if with_occurrences:
            for each in self._reader.occurrences(*_EVER, among=ids):
                occurrences.setdefault(each.file_id, []).append(each)
        for path, file_id in batch:
            data = self._read(path)
            if data is not None:
                yield Whole(
                    nodes[path],
                    facts[file_id],
                    data,
                    edges.get(path, ()),
                    entries.get(file_id, ()),
                    occurrences.get(file_id, ()),
                )

    def _edges(self, paths: Iterator[str]) -> dict[str, list[EdgeRow]]:
        found: dict[str, list[EdgeRow]] = {}
        for edge in self._reader.edges_from(paths):
            found.setdefault(edge.source, []).append(edge)
        return found

    def _read(self, path: str) -> bytes | None:
        """The bytes that the note was indexed from, or None with the reason told."""
        cap = self._app.settings.number("size_cap")
        try:
            data, _ = self._app.vault.read(path, cap)
        except OSError as error:
            self._skip(path, "unreadable", f"can't be read: {error.strerror}")
            return None
        if data is None or content_hash(data) != self.stamps[path].hash:
            self._skip(path, "changed", "was changed while it was exported")
            return None
        return data

    def _skip(self, path: str, code: str, message: str) -> None:
        self.report.skipped.append(
            Problem(path, 0, code, message, "run it again", "error")
        )

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress("exporting", done, len(self.homes))


def settings_of(app: App) -> dict[str, object]:
    """The vault's settings that decide what its notes mean."""
    return {
        "timezone": app.settings.text("timezone"),
        "contract.paths": list(app.settings.texts("contract.paths")),
        "size_cap": app.settings.number("size_cap"),
        "daily_notes.format": app.obsidian.daily_format,
        "daily_notes.folder": app.obsidian.daily_folder,
    }


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
