"""The composition root: opens what a command needs, once and lazily, and answers.

What is known with nothing opened is `ground`'s, the cache and writing are `keeping`'s.
Everything heavy (numpy, networkx) is imported only on the way that needs it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mindcache.app.keeping import Keeping
from mindcache.app.values import Mode, Search
from mindcache.cache.read import Reader
from mindcache.errors import (
    MindcacheError,
    Refused,
)
from mindcache.vault import SCRATCH

if TYPE_CHECKING:
    from mindcache.doctor import Health, Status
    from mindcache.recall import Ask, Corpus, Recall
    from mindcache.recall.fast import Surface
    from mindcache.recall.topics import Tree

__all__ = ["App"]

# Why topics are not asked: they are of no time, whatever they are about.
_ONLY_TIME = "nothing but a time is asked"
_FILTERED = "topics know no filters, so passages are asked"


class App(Keeping):
    """Everything a command may need of one vault: `Keeping`, and answers."""

    _corpus: Corpus | None = None
    _surface: tuple[Corpus, Surface] | None = None

    def _let_go(self) -> None:
        super()._let_go()
        self._corpus = None
        self._surface = None

    def _complete(self) -> None:
        from mindcache.vault import Ledger

        # Without this device's name, which is drawn where something is written down.
        if not Ledger(self.vault, "").is_there():
            from mindcache.digest import note_loss

            note_loss(self)
        if not self.vault.exists(SCRATCH):
            return
        from mindcache.write import merging, resuming

        for finish in (resuming.complete, merging.complete):
            try:
                self.remarks += finish(self)
            except Exception as error:  # noqa: BLE001  whatever an old intent holds, it stays noted and stops no other write
                what = str(error) or type(error).__name__
                self.remarks.append(f"an interrupted move is still not done: {what}")

    # -- answers ----------------------------------------------------------

    def corpus(self) -> Corpus:
        """What searches work on, loaded once for as long as the cache is the same."""
        from mindcache.recall import Corpus

        reader = self.reader()
        with reader.one_moment():
            version = reader.version()
            if self._corpus is None or self._corpus.version != version:
                self._corpus = Corpus(reader, self.encoder, version)
        return self._corpus

    def ask(self, search: Search, ask: Ask, corpus: Corpus | None = None) -> Recall:
        """One search, with how fresh the cache was and how long it all took.

        `corpus` is one that is at hand already; without it the vault is looked
        at first. Raises UsageError for a filter that nothing has.
        """
        began = time.perf_counter()
        from mindcache import recall

        searches = {
            "deep": recall.deep,
            "exact": recall.exact,
            "semantic": recall.semantic,
        }
        with (corpus or self.corpus()).steady() as known:
            answer = searches[search](recall.asked_at(ask, self.now()), known)
        return self._dated(answer, began)

    def _dated(self, answer: Recall, began: float) -> Recall:
        """The answer with how fresh the cache was and how long it took."""
        return answer._replace(
            stale=self.freshness.stale,
            pending=self.freshness.pending,
            problems=(*answer.problems, *self.freshness.problems),
            elapsed_ms=round((time.perf_counter() - began) * 1000, 1),
        )

    def recall(self, mode: Mode, ask: Ask, corpus: Corpus | None = None) -> Recall:
        """An answer from topics (`fast`), from passages (`deep`), or from whichever.

        `auto` begins with the topics and goes on to passages, saying why, when they
        are not enough. `topic` is `fast` over all topics, cool ones too. Otherwise as
        `ask`.
        """
        if mode == "deep":
            return self.ask("deep", ask, corpus)
        if mode == "fast" and (ask.filters or ask.phrases):
            # Topics are of all their notes, and as they are now.
            found = self.ask("deep", ask, corpus)
            said = "; ".join(filter(None, (_FILTERED, found.reason)))
            return found._replace(reason=said)
        with (corpus or self.corpus()).steady() as known:
            return self._from_topics(mode, ask, known)

    def _from_topics(self, mode: Mode, ask: Ask, corpus: Corpus) -> Recall:
        """The answer of topics, or of passages where `auto` goes on to those."""
        began = time.perf_counter()
        from mindcache import recall

        if mode == "auto":
            has_topics = bool(corpus.reader.where("n.type = ?", ["topic"]))
            if not has_topics or not ask.text.strip():
                return self.ask("deep", ask, corpus)
        asked = recall.asked_at(ask, self.now())
        if mode != "topic" and recall.asks_only_time(asked, corpus):
            found = self.ask("deep", ask, corpus)
            went_on = _ONLY_TIME if mode == "auto" else ""
            return found._replace(escalated=mode == "auto", went_on=went_on)
        from mindcache.recall import fast

        if mode == "auto":
            reason = fast.why_deep(
                ask, None if fast.asks_detail(ask) else self._topics_of(corpus)
            )
            if reason:
                found = self.ask("deep", ask, corpus)
                said = found.reason or reason
                return found._replace(escalated=True, went_on=reason, reason=said)
        is_search = mode == "topic"
        answer = fast.fast(
            asked, self._topics_of(corpus), route=("topic" if is_search else "fast"),
            all_topics=is_search,
        )  # fmt: skip
        return self._dated(answer, began)

    def _topics_of(self, corpus: Corpus) -> Surface:
        if self._surface is None or self._surface[0] is not corpus:
            from mindcache.recall.fast import Surface

            self._surface = (corpus, Surface(self.topics(corpus.reader), corpus))
        return self._surface[1]

    def topics(self, reader: Reader | None = None) -> Tree:
        """The tree of topics, with what is in no topic yet.

        `reader` is one that is at hand already; without it the vault is looked at.
        """
        from mindcache.recall.topics import read_tree

        return read_tree(reader or self.reader(), self._terms_at, self.templates)

    def _terms_at(self, path: str) -> list[str]:
        """The terms that a topic's note names, [] where it can't be read."""
        from mindcache.generated import words_of

        try:
            data, _ = self.vault.read(path, self.settings.number("size_cap"))
        except (OSError, Refused):
            return []
        return words_of((data or b"").decode("utf-8", "replace"))

    def doctor(self) -> Health:
        """Sync, then look for what is wrong with the cache and with the notes.

        Raises one of `database_errors` when the cache can't be read to its end.
        """
        from mindcache import doctor
        from mindcache.digest import ledger_gone, proposals
        from mindcache.write import sharing, unfinished

        report = self.update()
        faults = self.with_cache(lambda cache: cache.faults())
        reader = Reader.open(self.cache_path, self.fingerprint) if not faults else None
        try:
            settings = [*self.settings.problems, *self.obsidian.problems]
            settings += unfinished(self.vault)
            settings += proposals.unfinished(self)
            settings += sharing.unfinished(self.vault)
            settings += self.ledger.damaged()
            settings += ledger_gone(self) if reader is not None else []
            problems = doctor.examine(self.vault, reader, report, settings)
        finally:
            if reader is not None:
                reader.close()
        return doctor.Health(faults, problems, repaired=False)

    def tidy(self) -> None:
        """Finish what was interrupted, and delete what killed writes left for good."""
        from mindcache import doctor
        from mindcache.digest import accept_loss, proposals

        with self.writing():  # that alone finishes moves and merges
            if proposals.unfinished(self):
                done = proposals.apply(self, ticked=False)
                self.remarks += [f"{p.title}: {e}" for p, e in done.failed]
                self.remarks += [
                    f"{each.proposal.title}: {each.why}"
                    for each in (*done.done, *done.undone, *done.unclear)
                ]
            if accept_loss(self):
                self.remarks.append("the ledger goes on without what was lost")
            if path := self.ledger.mend():
                self.remarks.append(f"{path}: half a line at its end, cut off")
            for path in doctor.leftovers(self.vault.root, time.time_ns()):
                try:
                    kept = self.vault.sweep(path)
                except MindcacheError as error:
                    self.remarks.append(str(error))
                else:
                    what = f"now {kept}" if kept else "deleted"
                    self.remarks.append(f"{path}: left by a killed write, {what}")

    def status(self) -> Status:
        """Counts of the disk beside those of the cache; never syncs."""
        from mindcache import doctor

        reader = Reader.open(self.cache_path, self.fingerprint)
        try:
            return doctor.status(
                self.vault, reader, self.cache_path, self.settings.number("size_cap")
            )
        finally:
            if reader is not None:
                reader.close()
