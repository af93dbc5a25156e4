"""The cache in step with the vault, and writing: what every command stands on.

Owns the decision whether the cache is fresh enough to answer from, the turn to write,
and what is noted of use. Everything heavy (Peewee, the model) is imported only on the
way that needs it.
"""

from __future__ import annotations

import functools
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from mindcache.app.ground import Ground
from mindcache.app.values import Freshness, Written
from mindcache.cache import beat
from mindcache.cache.read import Reader
from mindcache.errors import (
    Locked,
    MindcacheError,
    VaultUnavailable,
)
from mindcache.vault import TRASH

if TYPE_CHECKING:
    from mindcache.cache.read import NodeRow
    from mindcache.cache.store import Cache
    from mindcache.index.embedding import Embedder
    from mindcache.recall import Hit
    from mindcache.sync import Progress, Rules, Scope, SyncReport
    from mindcache.vault import Change

__all__ = ["Keeping", "database_errors"]

# How long a command waits for another process that is writing the cache. A
# first index of 50,000 notes takes about a minute; a query has less patience
# and answers from what is there, marked as stale.
WAIT_TO_WRITE = 600.0
WAIT_TO_ANSWER = 60.0

T = TypeVar("T")


class Keeping(Ground):
    """A vault and its cache, in step.

    Args:
        vault: the vault's folder as given by flag, or None to find it.
        cache_dir: the folder for caches as given by flag, or None.
        cwd: where the search for a vault starts.
        now: gives the current time, the one clock of the program; one without a zone
            is the vault's civil time.
        progress: gets (stage, done, of) during long work.
        waiting: called once when another process has the cache.

    `patience`, where it is set, is the most seconds that this App waits for another
    process.
    """

    def __init__(
        self,
        vault: str | None = None,
        cache_dir: str | None = None,
        *,
        cwd: str | None = None,
        now: Callable[[], datetime] | None = None,
        progress: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(vault, cache_dir, cwd=cwd, now=now)
        self.patience: float | None = None
        self._progress = progress
        self._waiting = waiting
        self._reader: Reader | None = None
        self._writers = 0
        self.remarks: list[str] = []
        self.freshness = Freshness()

    def refresh(self) -> None:
        """Read the settings anew, for a process that lives long enough to need it."""
        for name in ("settings", "obsidian", "fingerprint", "versions"):
            self.__dict__.pop(name, None)
        chosen = self.__dict__.pop("model_folder", None)
        if chosen is not None and chosen != self.model_folder:
            self.__dict__.pop("encoder", None)

    # -- keeping in step --------------------------------------------------

    def update(
        self,
        *,
        rebuild: bool = False,
        scope: Scope | None = None,
        wait: float | None = None,
        check: Callable[[], None] | None = None,
    ) -> SyncReport:
        """Bring the cache in step with the vault.

        `check` is called between folders and batches; what it raises ends the sync
        there. Who gives one also tells, himself, of a cache that another process has.
        Raises VaultUnavailable when the vault can't be read and Locked when
        another process keeps the cache for longer than `wait` seconds (None: as long
        as this App waits).
        """
        from mindcache import sync
        from mindcache.cache import lock

        self._let_go()
        if not os.path.isdir(self.vault.root):
            raise VaultUnavailable(f"{self.vault.root} is gone")
        embedder = self.encoder
        if scope is not None and scope.only:
            self._load_indexing()
        self.make_cache_folder()
        waiting = self._waiting if check is None else None
        patience = self._wait(WAIT_TO_WRITE) if wait is None else wait
        with lock.hold(self.cache_path + ".lock", patience, waiting):
            cache = self._open_cache(embedder.dim, rebuild=rebuild)
            try:
                return sync.sync(
                    self.vault,
                    cache,
                    embedder,
                    self._rules,
                    scope,
                    self._checked(check),
                )
            finally:
                cache.close()

    def _load_indexing(self) -> None:
        """Load what indexing a note takes: who waits for the cache doesn't wait for this.

        It takes ten times as long as to index a note. Called where one is certain.
        """
        from mindcache import text
        from mindcache.cache import store  # noqa: F401  to import it takes the longest
        from mindcache.index import semantic
        from mindcache.note import parse

        note = parse("n.md", b"---\na: 1\n---\na")
        text.analyze(note.body, text.detect_language(note.body))
        semantic.quantise(self.encoder.encode([note.body]))

    def _wait(self, usual: float) -> float:
        """Seconds to wait for another process, at most what this App has patience for."""
        return usual if self.patience is None else min(usual, self.patience)

    def _checked(self, check: Callable[[], None] | None) -> Progress | None:
        """The progress display, with a check before each of its steps."""
        shown = self._progress
        if check is None:
            return shown

        def progress(stage: str, done: int, of: int) -> None:
            check()
            if shown is not None:
                shown(stage, done, of)

        return progress

    @property
    def _rules(self) -> Rules:
        from mindcache import sync

        return sync.Rules(
            sync.meaning(self.settings, self.obsidian),
            self.settings.number("size_cap"),
            self.now(),
            self.versions,
        )

    def compact(self) -> None:
        """Rewrite the cache so that no text of a deleted note is left in its file.

        What notes said before is forgotten, too.
        """
        self.with_cache(lambda cache: cache.compact())
        if self.versions is not None:
            self.versions.forget_gone()

    def with_cache(self, work: Callable[[Cache], T]) -> T:
        """Do something to the open cache, alone with it."""
        from mindcache.cache import lock

        self._let_go()
        self.make_cache_folder()
        with lock.hold(
            self.cache_path + ".lock", self._wait(WAIT_TO_WRITE), self._waiting
        ):
            cache = self._open_cache(self.encoder.dim, rebuild=False)
            try:
                return work(cache)
            finally:
                cache.close()

    @cached_property
    def encoder(self) -> Embedder:
        """The reader of the embedding model, for notes and questions alike."""
        from mindcache.index.embedding import open_encoder

        return open_encoder(self.model_folder)

    def _open_cache(self, dimension: int, *, rebuild: bool) -> Cache:
        from mindcache.cache.store import Cache

        if rebuild:
            Cache.discard(self.cache_path)
        return Cache(self.cache_path, self.fingerprint, dimension)

    def make_cache_folder(self) -> None:
        """Make the folder for the cache. Raises MindcacheError."""
        folder = self.cache_folder
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            # It has the vault's name and ours in it: nobody else put anything there.
            if os.name == "posix" and os.stat(folder).st_mode & 0o022:
                with suppress(OSError):  # a file system without modes
                    os.chmod(folder, 0o700)
        except OSError as error:
            raise MindcacheError(
                f"the cache folder {folder} can't be made: {error.strerror}",
                mend="name another with --cache-dir or MINDCACHE_CACHE_DIR",
            ) from error

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Alone, among the processes of this machine, in deciding and writing notes.

        May be entered again from within. What an interrupted move left undone is
        done first, and told in `remarks`. Raises Locked, and Refused while git is in
        the middle of something.
        """
        from mindcache.cache import lock
        from mindcache.vault.repository import await_git

        if self._writers == 0:
            await_git(self.vault.root)
            self.make_cache_folder()
            path = os.path.join(self.cache_folder, "write.lock")
            turn: AbstractContextManager[None] = lock.hold(
                path, self._wait(WAIT_TO_WRITE), self._waiting, "the vault"
            )
        else:
            turn = nullcontext()
        with turn:
            self._writers += 1
            try:
                if self._writers == 1:
                    self._complete()
                yield
            finally:
                self._writers -= 1

    def _complete(self) -> None:
        """Finish what a killed process began to write in several steps."""

    def commit(self, changes: Sequence[Change]) -> Written:
        """Carry out the changes, then index every note that they touched.

        One that fails never stops the others; see `vault.commit`. What keeps the
        notes from being indexed undoes no write.
        """
        from mindcache.vault import commit

        shown = self._progress
        progress = None if shown is None else functools.partial(shown, "writing")
        with self.writing():
            done = commit(self.vault, changes, progress)
            paths = [p for p in done.paths if not p.startswith(f"{TRASH}/")]
            behind = self.index(paths) if paths else None
            if done.done:
                self.flush_uses()
        return Written(done.paths, done.moved, done.failed, behind)

    def index(self, paths: Sequence[str]) -> Exception | None:
        """Index these notes alone; gives what kept them from it, which undoes no write."""
        from mindcache.sync import Scope

        try:
            self.update(scope=Scope(only=tuple(paths)))
        except (MindcacheError, OSError) as error:
            return error
        except database_errors() as error:
            return error
        return None

    # -- use --------------------------------------------------------------

    def used(self, nodes: Iterable[NodeRow | Hit], how: str) -> None:
        """Note that these memories were used: packed for an agent, or opened.

        `how` is the word for it. Nothing is written into the vault; what keeps the
        use from being noted is a remark, and no reason not to answer.
        """
        keys = [node.id or node.path for node in nodes]
        try:
            if keys and self.settings.flag("track_access"):
                self.access.note(keys, self.now(), how)
        except (OSError, MindcacheError) as error:
            self.remarks.append(f"not noted as used: {error}")

    def flush_uses(self) -> None:
        """Bring the uses that are noted on this machine into the vault."""
        try:
            if self.access.has_spooled():
                self.access.flush()
        except (OSError, MindcacheError) as error:
            self.remarks.append(f"what was used is still noted outside: {error}")

    def _awake(self) -> frozenset[str]:
        """The keys of what was used so lately that it is awake, whatever its note says."""
        from mindcache.memory import AWAKE

        try:
            return self.access.since((self.now() - AWAKE).date())
        except MindcacheError:
            return frozenset()

    def reader(self) -> Reader:
        """A look into a cache that is in step with the vault.

        Where a living daemon has just seen the disk, that is known without
        looking. Otherwise the vault is walked, and synced when it differs. Where
        that can't be done because another process holds the cache, the answer
        comes from what is there and `freshness` says so. Raises VaultUnavailable.
        """
        try:
            found = self._reader_in_step()
        except FileNotFoundError:
            # Somebody deleted the cache at this very moment, as anybody may.
            self._let_go()
            found = self._reader_in_step()
        found.awake = self._awake
        return found

    def _reader_in_step(self) -> Reader:
        from mindcache import sync

        if self._reader is None:
            self._reader = Reader.open(self.cache_path, self.fingerprint)
        if self._reader is None:
            return self._synced_reader(0, self._wait(WAIT_TO_WRITE))
        try:
            if self._reader.window_year() != self.now().year:
                return self._synced_reader(0, self._wait(WAIT_TO_ANSWER))
            if beat.is_fresh(self.cache_folder) and self._reader.is_settled():
                current, pending = True, 0
            else:
                cap = self.settings.number("size_cap")
                current, found = sync.is_current(self.vault, self._reader, cap)
                pending = len(found.suspects) + len(found.gone)
        except sqlite3.DatabaseError:
            self._let_go()
            return self._synced_reader(0, self._wait(WAIT_TO_WRITE))
        if not current:
            return self._synced_reader(pending, self._wait(WAIT_TO_ANSWER))
        self.freshness = Freshness()
        return self._reader

    def _synced_reader(self, pending: int, wait: float) -> Reader:
        self._load_indexing()
        try:
            report = self.update(wait=wait)
        except Locked:
            reader = Reader.open(self.cache_path, self.fingerprint)
            if reader is None:
                raise
            self._reader = reader
            self.freshness = Freshness(stale=True, pending=max(pending, 1))
            return reader
        unread = [
            p for p in (*report.skipped, *report.problems) if p.severity == "error"
        ]
        self.freshness = Freshness(problems=unread)
        self._reader = Reader.open(self.cache_path, self.fingerprint)
        if self._reader is None and not os.path.exists(self.cache_path):
            raise FileNotFoundError(self.cache_path)
        if self._reader is None:
            raise MindcacheError(
                "the cache can't be read right after it was written",
                mend="run mindcache index update --rebuild",
            )
        return self._reader

    def _let_go(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = None

    def close(self) -> None:
        """Close what is open."""
        self._let_go()


def database_errors() -> tuple[type[Exception], ...]:
    """The errors of SQLite and of Peewee, where that was imported at all."""
    peewee = sys.modules.get("peewee")
    if peewee is None:
        return (sqlite3.Error,)
    return (sqlite3.Error, peewee.PeeweeException)
