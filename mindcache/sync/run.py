"""Disk to cache: making the cache say what the vault says.

Nothing here writes into the vault. A file that can't be read, a folder that
can't be listed and a file system that is not mounted are never taken for
deletions: what was known is kept, and the report says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache import memory as memories
from mindcache import text
from mindcache.cache.read import SeenFile
from mindcache.cache.rows import Batch, NoteRows, Planned, StampValues
from mindcache.errors import Problem, VaultUnavailable
from mindcache.note import parse
from mindcache.sync.compare import Diff, diff, rare_collection
from mindcache.sync.drafting import Draft, draft, held_reason
from mindcache.sync.remembering import Put, Remembering
from mindcache.vault import Scan, Stamp, Vault, content_hash, unreadable

if TYPE_CHECKING:
    from mindcache.cache.store import Cache
    from mindcache.index.embedding import Embedder
    from mindcache.versions import Versions

__all__ = ["Progress", "Rules", "Scope", "SyncReport", "sync"]

# Notes in one transaction: enough that SQLite's commits don't count, few enough
# that texts and vectors of a batch stay below 10 MB.
BATCH_NOTES = 200

# Characters of a time in ISO form, up to its minute.
_MINUTE = 16

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class SyncReport:
    """What a sync did. Paths are vault-relative; `moved` are (from, to)."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    on_disk: int = 0
    indexed: int = 0
    partial: bool = False

    @property
    def failed(self) -> bool:
        """Whether something that should be indexed could not be read."""
        return any(p.severity == "error" for p in (*self.skipped, *self.problems))


# Notes of the same bytes, such as empty ones, beyond which nobody knows which moved.
_ALIKE = 8


@dataclass(frozen=True, slots=True)
class Scope:
    """What a sync is limited to; the default is everything.

    `only` are paths to look at, whatever their stamps say; `since` leaves out
    files with an mtime (ns) before it. Either makes the report partial. `arrived` are
    the notes that a sync program has put there since the last sync, each as the file
    that it put, None where nobody looked on.
    """

    only: tuple[str, ...] = ()
    since_ns: int = 0
    arrived: Mapping[str, Put] | None = None

    @property
    def partial(self) -> bool:
        """Whether something is left out."""
        return bool(self.only or self.since_ns)


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides how files become rows: meaning, size cap in bytes, civil now.

    `versions` is where what the notes say is remembered, None for nowhere.
    """

    meaning: memories.Meaning
    size_cap: int
    now: datetime
    versions: Versions | None = None


def sync(
    vault: Vault,
    cache: Cache,
    embedder: Embedder,
    rules: Rules,
    scope: Scope | None = None,
    progress: Progress | None = None,
) -> SyncReport:
    """Bring the cache in step with the vault; the caller holds its lock.

    Raises VaultUnavailable when the vault can't be read or looks unmounted. One
    bad note is a problem in the report. `progress` gets (stage, done, of).
    """
    scope = scope or Scope()
    try:
        with rare_collection():
            return _Run(vault, cache, embedder, rules, progress).run(scope)
    finally:
        # A daemon lives for months: it keeps what the next note needs, not a vault's.
        text.forget_words()
        embedder.forget_words()


class _Run:
    """One sync: what it works with, and the report that it fills."""

    def __init__(
        self,
        vault: Vault,
        cache: Cache,
        embedder: Embedder,
        rules: Rules,
        progress: Progress | None,
    ) -> None:
        self.vault = vault
        self.cache = cache
        self.embedder = embedder
        self.rules = rules
        self.progress = progress or (lambda _stage, _done, _of: None)
        self.report = SyncReport()
        self.seen: Mapping[str, SeenFile] = {}
        self.gone_by_hash: dict[bytes, list[str]] = {}
        self.homes: dict[bytes, list[str]] | None = None
        self.found = Diff()
        self.remembering = Remembering(
            rules.versions, vault, rules.now, is_first=not cache.is_complete()
        )

    def run(self, scope: Scope) -> SyncReport:
        report = self.report
        if scope.partial and not self.cache.is_complete():
            scope = Scope()  # there is no whole yet that this could be a part of
        self.remembering.follow(scope.arrived)
        if scope.only:
            self.seen = self.cache.seen(scope.only)
            found = self._look_at(scope.only)
            report.partial = True
        else:
            found = self._scan(scope)
        self.found = found
        for path in found.gone:
            known = self.seen[path]
            if known.kind == "note":
                self.gone_by_hash.setdefault(known.hash, []).append(path)
        self._write(found)
        if not scope.partial:
            notes = (path for path, each in self.seen.items() if each.kind == "note")
            report.problems += self.remembering.begin(notes, self.rules.size_cap)
        self._remove(found.gone)
        self._finish(anything=bool(found))
        return report

    def _record_scan(self, *, anything: bool) -> None:
        self._turn_the_year()
        now = self.rules.now
        when = now.isoformat("T", "seconds")
        # Nobody needs to know to the second that nothing was found, and writing it
        # costs more than the finding.
        if anything or self.cache.meta("last_scan")[:_MINUTE] != when[:_MINUTE]:
            self.cache.record_scan(when, now.year)

    def _finish(self, *, anything: bool) -> None:
        """Resolve links and record the scan; a partial run completes nothing."""
        report = self.report
        anything = anything or not self.cache.is_complete()
        if anything:
            self.cache.settle()
        if not report.partial:
            self._record_scan(anything=anything)
        if self.cache.is_sparse():
            self.cache.compact()
        report.indexed = self.cache.count_notes()

    def _turn_the_year(self) -> None:
        """Derive anew what was derived for the window of another year.

        From what the cache keeps of each plan: a new year is no reason to read, let
        alone to embed, every note again.
        """
        year = self.rules.now.year
        stale = self.cache.plans_of_other_years(year)
        if not stale:
            return
        from mindcache.sync.plans import derive_again

        plans: dict[int, Planned] = {}
        problems: list[Problem] = []
        for file_id, path, source in stale:
            plans[file_id], found = derive_again(path, source, year)
            problems += found
        self.cache.replace_plans(plans, problems)
        self.report.problems += problems

    def _scan(self, scope: Scope) -> Diff:
        report = self.report
        self.seen = self.cache.seen()
        scan = self.vault.scan(lambda done: self.progress("scan", done, 0))
        self._refuse_a_vanished_vault(scan)
        report.on_disk = len(scan.notes)
        report.problems += scan.problems
        found = diff(scan, self.seen)
        if scope.since_ns:
            found.suspects = [
                p for p in found.suspects if scan.notes[p].mtime_ns >= scope.since_ns
            ]
            report.partial = True
        for path in found.kept[:1]:
            message = f"{len(found.kept)} known files can't be seen; they are kept"
            mend = "mount the disk or mend the permissions, then run it again"
            report.problems.append(Problem(path, 0, "kept", message, mend, "error"))
        return found

    def _refuse_a_vanished_vault(self, scan: Scan) -> None:
        """An empty folder where a vault was is a missing mount until proven."""
        if scan.notes:
            return
        known = sum(1 for s in self.seen.values() if s.kind == "note")
        if not known:
            return
        if any(self.vault.exists(name) for name in (".obsidian", ".mindcache")):
            return
        raise VaultUnavailable(
            f"{self.vault.root} holds no notes, where {known} are known;"
            " nothing was removed",
            mend="mount its disk; or, if it was emptied on purpose, run"
            " mindcache index update --rebuild",
        )

    def _look_at(self, paths: Sequence[str]) -> Diff:
        """What became of these paths; a note is read whatever its stamp says."""
        scan = self.vault.look(paths)
        self.report.problems += scan.problems
        found = Diff(suspects=sorted(scan.notes))
        for path in sorted(set(paths) - scan.notes.keys()):
            if path in scan.assets:
                known = self.seen.get(path)
                if known is None or known.kind != "asset":
                    found.new_assets.append(path)
            elif path in self.seen and path not in scan.unreadable:
                found.gone.append(path)
            elif path not in scan.unreadable:
                self._miss(path)
        return found

    def _miss(self, path: str) -> None:
        message = "no such note, on disk or in the cache"
        mend = "give its path from the vault's root"
        self.report.skipped.append(Problem(path, 0, "missing", message, mend, "error"))

    # -- batches ---------------------------------------------------------

    def _write(self, found: Diff) -> None:
        total = len(found.suspects)
        for start in range(0, total, BATCH_NOTES):
            self._write_batch(found.suspects[start : start + BATCH_NOTES])
            self.progress("index", min(start + BATCH_NOTES, total), total)
        for start in range(0, len(found.new_assets), BATCH_NOTES):
            part = found.new_assets[start : start + BATCH_NOTES]
            self.cache.apply(Batch(stamps=[StampValues(p, "asset") for p in part]))

    def _write_batch(self, paths: Sequence[str]) -> None:
        batch = Batch()
        drafts: list[Draft] = []
        restamped: list[StampValues] = []
        for path in paths:
            self._read(path, batch, drafts, restamped)
        batch.notes = self._embed(drafts)
        if batch.stamps:
            self.cache.apply(batch)
        if restamped:
            self.cache.restamp(restamped)
        self.report.problems += self.remembering.keep(self.report.moved)

    def _read(
        self,
        path: str,
        batch: Batch,
        drafts: list[Draft],
        restamped: list[StampValues],
    ) -> None:
        """Read one note and decide what becomes of it in this batch."""
        known = self.seen.get(path)
        try:
            data, stamp = self.vault.read(path, self.rules.size_cap)
        except FileNotFoundError:
            return  # gone since the scan; the next one notices
        except OSError as error:
            self.report.skipped.append(unreadable(path, error))
            return
        if data is None:
            self._skip_large(path, stamp, batch)
            return
        digest = content_hash(data)
        if known is not None and known.hash == digest and known.kind != "asset":
            restamped.append(_stamp_values(path, known.kind, stamp, digest))
            self.remembering.saw_again(path)
            return
        note = parse(path, data)
        reason = held_reason(note)
        kind = "held" if reason else "note"
        batch.stamps.append(_stamp_values(path, kind, stamp, digest))
        batch.problems += [
            p for p in note.problems if not reason or p.code != reason.code
        ]
        if reason:
            batch.problems.append(reason)
            self.report.skipped.append(reason)
            return
        self.report.problems += note.problems
        self._count(path, known, digest)
        self.remembering.saw(path, data, digest, is_known=known is not None)
        drafted = draft(note, self.rules.meaning, stamp.mtime_ns)
        if drafted.memory.type == "plan" or "recurrence" in note.properties:
            from mindcache.sync.plans import derive

            zone, year = self.rules.meaning.zone, self.rules.now.year
            planned, found = derive(note, drafted.memory, zone, year)
            batch.problems += found
            self.report.problems += found
            drafted = replace(drafted, planned=planned)
        drafts.append(drafted)

    def _skip_large(self, path: str, stamp: Stamp, batch: Batch) -> None:
        message = f"{stamp.size:,} bytes, more than size_cap ({self.rules.size_cap:,})"
        mend = "split the note, or raise size_cap in .mindcache/config.toml"
        problem = Problem(path, 0, "too-large", message, mend)
        batch.stamps.append(_stamp_values(path, "skipped", stamp, b""))
        batch.problems.append(problem)
        self.report.skipped.append(problem)

    def _count(self, path: str, known: SeenFile | None, digest: bytes) -> None:
        if known is not None and known.kind == "note":
            self.report.changed.append(path)
            return
        origins = self.gone_by_hash.get(digest) or self._left(digest)
        if origins:
            self.report.moved.append((origins.pop(0), path))
        else:
            self.report.added.append(path)

    def _left(self, digest: bytes) -> list[str]:
        """Notes with these bytes that are gone, though only the new place was told of.

        A rename is two hints, and the second may be long in coming: until then one
        memory would be at two places.
        """
        if not self.report.partial:
            return []
        if self.homes is None:
            self.homes = {}
            for path, known in self.cache.seen().items():
                if known.kind == "note" and path not in self.seen:
                    self.homes.setdefault(known.hash, []).append(path)
        paths = self.homes.pop(digest, [])
        if not 0 < len(paths) <= _ALIKE:
            return []
        self.seen = {**self.seen, **self.cache.seen(paths)}
        gone = self._look_at(paths).gone
        self.found.gone += gone
        self.gone_by_hash[digest] = gone
        return gone

    def _embed(self, drafts: Sequence[Draft]) -> list[NoteRows]:
        """Give every chunk its vector, embedding only text never seen before."""
        from mindcache.index.semantic import quantise

        wanted = {c.hash: c.embedded for d in drafts for c in d.chunks}
        vectors = self.cache.known_vectors(wanted)
        fresh = [h for h in wanted if h not in vectors]
        if fresh:
            encoded = quantise(self.embedder.encode([wanted[h] for h in fresh]))
            for chunk_hash, row in zip(fresh, encoded, strict=True):
                vectors[chunk_hash] = row.tobytes()
        return [d.rows(vectors) for d in drafts]

    def _remove(self, gone: Sequence[str]) -> None:
        moved = {origin for origin, _ in self.report.moved}
        for start in range(0, len(gone), BATCH_NOTES):
            part = self._still_gone(gone[start : start + BATCH_NOTES])
            self.cache.apply(Batch(removed=part))
            self.report.problems += self.remembering.gone(part)
            self.report.removed += [
                p for p in part if p not in moved and self.seen[p].kind == "note"
            ]
            self.progress("remove", start + len(part), len(gone))

    def _still_gone(self, paths: Sequence[str]) -> list[str]:
        """Without those that were written since the scan.

        A pipe, a folder or a link of a note's name is not that note.
        """
        there = [path for path in paths if self.vault.exists(path)]
        if not there:
            return list(paths)
        scan = self.vault.look(there)
        back = {*scan.notes, *scan.assets}
        hidden = tuple(scan.unreadable)
        return [
            path
            for path in paths
            if path not in back and not (hidden and path.startswith(hidden))
        ]


def _stamp_values(path: str, kind: str, stamp: Stamp, digest: bytes) -> StampValues:
    return StampValues(path, kind, *stamp, digest)
