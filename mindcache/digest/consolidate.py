"""Step 2, consolidate: what is said twice, and what speaks against something else.

By itself it makes one of two notes that are equal after normalising, where Mindcache
made both, nobody edited either, and nobody links to the one that goes. Everything else
is a suggestion: a person's words are his. The latest of two that contradict each other
wins, where one is the later; where none is, that waits for a person.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from mindcache.alike import find_conflict, judge, normal_of
from mindcache.digest.named import Called, candidates, same_thing
from mindcache.digest.nameless import nameless
from mindcache.digest.step import Night, Outcome, Suggestion
from mindcache.digest.tellings import Telling, Tellings, read_tellings
from mindcache.errors import MindcacheError
from mindcache.importers.own import Said, is_as_said
from mindcache.links import fold
from mindcache.note import Note, Property, edit
from mindcache.vault import Entry, Replace, Trash

if TYPE_CHECKING:
    from mindcache.cache.read import Reader
    from mindcache.recall import Corpus

__all__ = ["consolidate"]

# Statements up to which every pair is compared each night; of more, on an ordinary
# night only with what is new. 20,000 take three seconds of one core.
_ALL = 20_000

# Cosine from which two wordings of a fact are offered to be made one.
_TWINS = 0.8

# Share of the content words of two statements that are in both; folding asks for less,
# but shows where the other is.
_SHARED = 0.75

# Content words of a statement that says by itself what it is about.
_WORDS = 3


def consolidate(night: Night) -> Outcome:
    """What can be made one, and what a person should look at."""
    with night.app.corpus().steady() as corpus:
        return _consolidated(night, corpus)


def _consolidated(night: Night, corpus: Corpus) -> Outcome:
    app = night.app
    zone = app.settings.text("timezone")
    tellings = read_tellings(corpus, night.now, zone, app.templates)
    night.tell(0, 4)
    work = _Work(night, tellings, corpus.reader)
    work.make_one()
    night.tell(1, 4)
    work.compare()
    work.offer_twins()
    work.promote(app.settings.number("digest.promote_after"))
    night.tell(2, 4)
    work.find_twins()
    night.tell(3, 4)
    named = {fold(telling.node.title) for telling in tellings.of}
    work.out.suggestions += nameless(night, corpus.reader, named)
    night.tell(4, 4)
    return work.out


@dataclass(slots=True)
class _Work:
    night: Night
    tellings: Tellings
    reader: Reader
    out: Outcome = field(default_factory=lambda: Outcome("consolidate"))
    gone: set[int] = field(default_factory=set)
    alike: dict[tuple[int, int], str] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)

    # -- by itself ---------------------------------------------------------

    def make_one(self) -> None:
        """Make one of notes that are equal, that we made, and that nobody touched."""
        entries = self.night.app.ledger.entries
        said = _last_said(entries)
        # What came back from the trash is there because somebody wants it.
        self.wanted = {entry.id for entry in entries if entry.what == "trashed"}
        buckets: defaultdict[str, list[int]] = defaultdict(list)
        for at, telling in enumerate(self.tellings.of):
            if telling.node.id in said and not (telling.pinned or telling.is_global):
                text = " ".join(chunk.text for chunk in telling.chunks)
                buckets[" ".join(fold(text).split())].append(at)
        for _, places in sorted(buckets.items()):
            if len(places) > 1:
                self._make_one_of(places, said)

    def _make_one_of(self, places: Sequence[int], said: Mapping[str, Said]) -> None:
        equal: defaultdict[object, list[tuple[int, bytes, Note]]] = defaultdict(list)
        for at in places:
            telling = self.tellings.of[at]
            try:
                data, note, memory = self.night.app.look(telling.path)
            except (OSError, MindcacheError):
                continue  # gone or unreadable by now: it stays as it is
            body = note.text[note.body_offset :]
            if is_as_said(said[telling.node.id], note.properties, body):
                named = normal_of(memory.title, note.properties, body)
                equal[named].append((at, data, note))
        for group in equal.values():
            # The oldest stays; of equally old ones that with the smaller id.
            group.sort(key=lambda each: _age(self.tellings.of[each[0]]))
            (first, data, note), *others = group
            others = [each for each in others if self._may_go(each[0])]
            if others:
                self._unite(first, data, note, others)

    def _may_go(self, at: int) -> bool:
        """Whether it was never thrown away before, and only topics link to it."""
        node = self.tellings.of[at].node
        if node.id in self.wanted:
            return False
        sources = {link.source for link in self.reader.links_to(node.path)}
        linking = self.reader.nodes(self.reader.file_ids(sources).values())
        return all(source.type == "topic" for source in linking)

    def _unite(
        self,
        first: int,
        data: bytes,
        note: Note,
        others: Sequence[tuple[int, bytes, Note]],
    ) -> None:
        kept = self.tellings.of[first]
        changes: dict[str, Property] = {}
        for key in ("aliases", "derived_from"):
            before = _listed(note.properties.get(key))
            more = [_listed(other.properties.get(key)) for _, _, other in others]
            longer = _united(before, *more)
            if longer != before:
                changes[key] = [*longer]
        if changes:
            try:
                after = edit(data, changes)
            except MindcacheError:
                return  # it can't take what the others have
            self.out.changes.append(Replace(kept.path, after, data))
        for at, expected, _ in others:
            gone = self.tellings.of[at]
            self.gone.add(at)
            self.out.changes.append(Trash(gone.path, expected))
            self.out.before.append(self._trashed(gone))
            self.out.said.append(
                f"merged   {gone.path} into {kept.path}: they say the very same"
            )

    def _trashed(self, gone: Telling) -> Entry:
        to = self.night.app.vault.in_trash(gone.path)
        node, at = gone.node, self.night.at
        return Entry(
            "trashed", "note", node.id or node.path, node.id, node.path, to, at
        )

    # -- pairs -------------------------------------------------------------

    def compare(self) -> None:
        """Look at what is near in meaning, or says something of the same."""
        pairs = {(a, b): cosine for a, b, cosine in self.tellings.near(self._fresh())}
        for a, b in chain(self.tellings.sharing(), self.tellings.unspaced()):
            if (a, b) not in pairs:
                pairs[a, b] = self.tellings.cosine(a, b)
        told = self._told_apart()
        for (a, b), cosine in sorted(pairs.items()):
            if a in self.gone or b in self.gone:
                continue
            one, other = self.tellings.of[a], self.tellings.of[b]
            if frozenset((one.path, other.path)) not in told:
                self._compare(a, b, cosine)

    def _fresh(self) -> list[int] | None:
        """The tellings that are new since the last digest; None for all of them."""
        days = self.night.past.days
        if self.night.weekly or len(self.tellings.of) <= _ALL or not days:
            return None
        last = max(days)
        return [
            at
            for at, telling in enumerate(self.tellings.of)
            if telling.touched >= last or not telling.touched
        ]

    def _told_apart(self) -> set[frozenset[str]]:
        """Pairs of which a person has said already how they stand to each other."""
        found = set()
        for relation in ("contradicts", "superseded_by"):
            for edge in self.reader.edges_from(relation=relation):
                found.add(frozenset((edge.source, edge.target)))
        return found

    def _compare(self, a: int, b: int, cosine: float) -> None:
        one, other = self.tellings.of[a], self.tellings.of[b]
        conflict = find_conflict(one.told, other.told, cosine)
        if conflict is not None:
            if one.is_beside(other):
                words = {one.path: conflict.first, other.path: conflict.second}
                self._contradict(one, other, conflict.reason, words)
            return
        reason = _why_alike(one, other, cosine)
        if reason:
            self.alike[a, b] = reason

    def _contradict(
        self, one: Telling, other: Telling, reason: str, words: Mapping[str, str]
    ) -> None:
        older, newer = _by_age(one, other)
        if _is_later(older, newer) and older.is_statement:
            days = older.at[:10], newer.at[:10]
            times = days if days[0] != days[1] else (older.at, newer.at)
            when = f"{times[0]} and {times[1]}, the latest holds"
            self._suggest("retire", (older, newer), f"{reason} ({when})", words)
            return
        self.out.waiting.append(
            f"{older.path} and {newer.path} contradict each other: {reason};"
            " change one of them, or retire it"
        )

    def _suggest(
        self,
        kind: str,
        tellings: Sequence[Telling],
        reason: str,
        words: Mapping[str, str] | None = None,
    ) -> None:
        keys = sorted(telling.key for telling in tellings)
        sources = tuple(
            telling.source((words or {}).get(telling.path) or telling.node.summary)
            for telling in tellings
        )
        self.out.suggestions.append(
            Suggestion(
                kind,
                f"{kind}:{'+'.join(keys)}",
                tuple(telling.path for telling in tellings),
                reason,
                sources,
            )
        )

    def offer_twins(self) -> None:
        """Offer each wording of a fact to be made one with the oldest that is like it."""
        found = self.tellings.of
        for places in _groups(self.alike):
            left = sorted(places, key=lambda at: _age(found[at]))
            while left:
                first, *left = left
                taken = [
                    at
                    for at in left
                    if (min(first, at), max(first, at)) in self.alike
                    and found[first].is_beside(found[at])
                ]
                for at in taken:
                    reason = self.alike[min(first, at), max(first, at)]
                    self._suggest("merge", (found[first], found[at]), reason)
                left = [at for at in left if at not in taken]

    # -- promotion ---------------------------------------------------------

    def promote(self, least: int) -> None:
        """Offer what is said in several projects or clients for all of them."""
        for places in _groups(self.alike):
            group = [self.tellings.of[at] for at in places if at not in self.gone]
            if any(telling.is_global for telling in group):
                continue
            homes = sorted({home for telling in group for home in _homes(telling)})
            if least > 0 and len(homes) >= least:
                group.sort(key=_age)
                reason = f"said in {len(homes)} projects or clients: {', '.join(homes)}"
                first = group[0]
                self.out.suggestions.append(
                    Suggestion(
                        "promote",
                        f"promote:{first.key}",
                        tuple(telling.path for telling in group),
                        reason,
                        tuple(t.source(t.node.summary) for t in group),
                    )
                )

    # -- entities ----------------------------------------------------------

    def find_twins(self) -> None:
        """Offer entities that are one by their names."""
        entities = [
            (at, _called(telling))
            for at, telling in enumerate(self.tellings.of)
            if telling.node.type == "entity" and at not in self.gone
        ]
        for a, b in candidates([called for _, called in entities]):
            (one, mine), (other, yours) = entities[a], entities[b]
            if reason := same_thing(mine, yours, self.tellings.cosine(one, other)):
                pair = (self.tellings.of[one], self.tellings.of[other])
                longer = sorted(pair, key=lambda t: (-len(t.node.title), _age(t)))
                self._suggest("merge", longer, reason)


# -- plain ------------------------------------------------------------------------


def _why_alike(one: Telling, other: Telling, cosine: float) -> str:
    """Why two statements are one, "" where they are not."""
    first, second = one.told.wording, other.told.wording
    if first is None or second is None:
        return ""
    if cosine < _TWINS and not (first.is_unspaced and second.is_unspaced):
        return ""
    if not (one.is_statement and other.is_statement):
        return ""
    mine, yours = {*first.content}, {*second.content}
    if len(mine & yours) < max(_WORDS, _SHARED * len(mine | yours)):
        return ""
    are_claims = one.told.is_claim and other.told.is_claim
    if not are_claims and first.terms != second.terms:
        return ""
    verdict = judge(first, second, cosine)
    return f"they say the same: {verdict.reason}" if verdict.is_alike else ""


def _last_said(entries: Iterable[Entry]) -> dict[str, Said]:
    """By the ids of notes that an import or extraction made, what was said of each."""
    made: dict[str, str] = {}
    for entry in sorted(entries, key=lambda e: e.at):
        if entry.what == "made" or (entry.what == "said" and entry.id in made):
            made[entry.id] = entry.said
    return {note: Said.read(said) for note, said in made.items() if note and said}


def _age(telling: Telling) -> tuple[str, str, str]:
    """Older first: those without a date last."""
    return telling.at or "9", telling.node.id or "~", telling.path


def _by_age(one: Telling, other: Telling) -> tuple[Telling, Telling]:
    return (one, other) if _age(one) <= _age(other) else (other, one)


def _is_later(older: Telling, newer: Telling) -> bool:
    """Whether one was said after the other; of one day only where both know the time."""
    if older.at[:10] != newer.at[:10]:
        return bool(older.at and newer.at)
    # A day alone is kept as its midnight.
    has_time = older.at[11:] not in {"", "00:00", "00:00:00"}
    return has_time and older.at < newer.at


def _homes(telling: Telling) -> Iterator[str]:
    """The client or, without one, the project that it belongs to."""
    if telling.clients:
        yield from telling.clients
    elif telling.node.project:
        yield telling.node.project


def _groups(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The places that pairs hold together, each group and all groups in order."""
    home: dict[int, int] = {}

    def top(at: int) -> int:
        while home.setdefault(at, at) != at:
            at = home[at]
        return at

    for one, other in pairs:
        low, high = sorted((top(one), top(other)))
        home[high] = low
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for at in sorted(home):
        groups[top(at)].append(at)
    return [groups[key] for key in sorted(groups)]


def _called(telling: Telling) -> Called:
    names = (telling.node.title, *telling.node.aliases)
    return Called(tuple(dict.fromkeys(names)), telling.kind)


def _listed(value: Property) -> list[Property]:
    if value in (None, ""):
        return []
    return [*value] if isinstance(value, list) else [value]


def _united(first: list[Property], *others: list[Property]) -> list[Property]:
    """All items once; texts that differ only in case or Unicode form are one."""
    found = list(first)
    seen = {fold(str(item).strip()) for item in found}
    for item in (item for other in others for item in other):
        key = fold(str(item).strip())
        if key not in seen:
            seen.add(key)
            found.append(item)
    return found
