"""What the notes of a vault tell, ready to be compared: facts and entities alone.

What happened (events, the journal, imported talks) is told as it was then, and
nothing in it is made one or retired. What holds no longer is left out, and what the
digest wrote itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from mindcache import tags
from mindcache.alike import ME, THIS, Slot, Told, subject_key
from mindcache.cache.read import ChunkRow, FactsRow, NodeRow, Reader
from mindcache.digest.later import later_notes
from mindcache.digest.step import Source
from mindcache.index import semantic
from mindcache.recall import Corpus
from mindcache.recall.topics import not_digested

__all__ = ["Telling", "Tellings", "read_tellings"]

_TYPES = ("fact", "entity")
_OVER = ("archived", "canceled", "missed")

# Whose "I" is that of whoever spoke, not of the vault's owner.
_SPOKEN = frozenset({"extract", "chat"})

# Cosine from which two statements are compared word by word: denials lie above .7 of
# each other, nine wordings of a fact too.
_NEAR = 0.7
# The nearest of a note that are compared; of more, its words are a form that is filled
# in again and again.
_MOST = 32
# Notes whose properties are read at once.
_READ = 2_000
# What says when a note was written last.
_WRITTEN = ("created_at", "updated_at")
# Rows that are multiplied at once: 256 times 20,000 floats are 20 MB.
_BLOCK = 256


@dataclass(frozen=True)
class Telling:
    """One note: its row, and what its text tells.

    `at` is when it was said ("" where nobody knows), `key` its id, else its path,
    `touched` the day of its last writing ("" where it doesn't say), `kind` what kind of
    thing an entity says it is. Texts are read when they are asked for: those of a large
    vault are more than fits.
    """

    node: NodeRow
    told: Told
    at: str
    reader: Reader
    pinned: bool = False
    touched: str = ""
    kind: str = ""

    @property
    def chunks(self) -> list[ChunkRow]:
        """Its text."""
        return self.reader.chunks_of(self.node.file_id)

    @property
    def path(self) -> str:
        """Where the note is."""
        return self.node.path

    @property
    def key(self) -> str:
        """What it is known by."""
        return self.node.id or self.node.path

    @property
    def is_statement(self) -> bool:
        """Whether it is one short fact, which as a whole may hold or not.

        A page that nobody called a fact is none.
        """
        is_fact = self.node.type == "fact" and not self.node.type_inferred
        return is_fact and self.told.wording is not None

    @cached_property
    def clients(self) -> frozenset[str]:
        """Its client tags."""
        return frozenset(
            tags.key(tag) for tag in self.node.tags if tags.namespace(tag) == "client"
        )

    @property
    def is_global(self) -> bool:
        """Whether it is said of everything there is."""
        return any(tags.key(tag) == "scope/global" for tag in self.node.tags)

    def is_beside(self, other: Telling) -> bool:
        """Whether both speak of one project and client, as far as they name any."""
        mine, yours = self.node.project, other.node.project
        if mine and yours and mine != yours:
            return False
        return not (self.clients and other.clients) or bool(
            self.clients & other.clients
        )

    def source(self, words: str) -> Source:
        """Where these words stand."""
        start = words[:40]
        for chunk in self.chunks:
            at = chunk.text.find(start)
            if at >= 0:
                line = chunk.line_start + chunk.text.count("\n", 0, at)
                return Source(self.path, line, words)
        return Source(self.path, 0, words)


@dataclass(frozen=True)
class Tellings:
    """The tellings by path, with one int8 vector each."""

    of: tuple[Telling, ...]
    vectors: npt.NDArray[np.int8]

    def near(
        self, rows: Sequence[int] | None = None
    ) -> Iterator[tuple[int, int, float]]:
        """Pairs of statements that are near in meaning: (first, second, cosine).

        Each once, the smaller place first; with `rows` those alone of which one is
        among them.
        """
        short = [i for i, t in enumerate(self.of) if t.told.wording is not None]
        chosen = short if rows is None else sorted(set(rows) & set(short))
        if len(short) < 2 or not chosen:
            return
        whole = self.vectors[short].astype(np.float32)
        lengths = np.sqrt(np.maximum(semantic.norms(self.vectors[short]), 1))
        inverse = (1.0 / lengths).astype(np.float32)
        place = {at: n for n, at in enumerate(short)}
        own = [place[at] for at in chosen]
        is_own = set(own)
        for begin in range(0, len(own), _BLOCK):
            block = own[begin : begin + _BLOCK]
            # Of all pairs each is met from its first.
            first = block[0] if rows is None else 0
            # Sums of products of int8 are whole numbers that a float32 holds exactly.
            dots = whole[block] @ whole[first:].T
            cosines = dots * inverse[first:]
            cosines *= inverse[block][:, None]
            for row, one in enumerate(block):
                near = np.flatnonzero(cosines[row] >= np.float32(_NEAR))
                exact = dots[row, near] / (lengths[one] * lengths[first + near])
                hits = zip(
                    (first + near).tolist(), exact.round(6).tolist(), strict=True
                )
                fresh = [
                    (other, cosine)
                    for other, cosine in hits
                    if other > one or (other < one and other not in is_own)
                ]
                fresh.sort(key=lambda hit: (-hit[1], hit[0]))
                for other, cosine in sorted(fresh[:_MOST]):
                    a, b = sorted((short[one], short[other]))
                    yield a, b, cosine

    def unspaced(self) -> Iterator[tuple[int, int]]:
        """Pairs of statements in scripts without spaces that share half their pieces.

        The model that ships hardly knows those scripts. A piece is of three characters.
        """
        pieces: dict[int, set[str]] = {}
        homes: dict[str, list[int]] = {}
        for at, telling in enumerate(self.of):
            wording = telling.told.wording
            if wording is not None and wording.is_unspaced:
                text = "".join(wording.content)
                pieces[at] = {text[n : n + 3] for n in range(max(1, len(text) - 2))}
                for piece in sorted(pieces[at]):
                    homes.setdefault(piece, []).append(at)
        shared: Counter[tuple[int, int]] = Counter()
        for places in homes.values():
            if len(places) <= _MOST:
                shared.update(combinations(places, 2))
        for (one, other), count in sorted(shared.items()):
            if 2 * count >= min(len(pieces[one]), len(pieces[other])):
                yield one, other

    def cosine(self, one: int, other: int) -> float:
        """How near two of them are."""
        pair = self.vectors[[one, other]]
        found = semantic.similarities(pair[:1], semantic.norms(pair[:1]), pair[1])
        return round(float(found[0]), 6)

    def sharing(self) -> Iterator[tuple[int, int]]:
        """Pairs that say something of one attribute of one subject, each once."""
        by_name: dict[tuple[str, str], list[int]] = {}
        for at, telling in enumerate(self.of):
            for name in dict.fromkeys(
                (s.subject, s.attribute) for s in telling.told.slots
            ):
                by_name.setdefault(name, []).append(at)
        seen: set[tuple[int, int]] = set()
        for name in sorted(by_name):
            group = by_name[name][:_MOST]
            for n, one in enumerate(group):
                for other in group[n + 1 :]:
                    if (one, other) not in seen:
                        seen.add((one, other))
                        yield one, other


def read_tellings(
    corpus: Corpus,
    now: datetime,
    zone: str = "",
    templates: Collection[str] = (),
) -> Tellings:
    """The facts and entities that hold now, by path; `zone` is the vault's.

    Nothing of what lies in a folder of `templates`.
    """
    reader = corpus.reader
    nodes = _current(reader, now, zone, templates)
    names = _names(nodes)
    subjects = _subjects(reader, nodes)
    tellings = []
    for start in range(0, len(nodes), _READ):
        block = nodes[start : start + _READ]
        facts = reader.facts(node.file_id for node in block)
        for node in block:
            own = node.title if node.type == "entity" else subjects.get(node.path, "")
            tellings.append(_told(reader, node, facts[node.file_id], own, names))
    place = {node.file_id: at for at, node in enumerate(nodes)}
    owner = np.array([place.get(f, -1) for f in corpus.files.tolist()], dtype=np.intp)
    vectors = semantic.wholes(corpus.vectors, owner, len(nodes))
    return Tellings(tuple(tellings), vectors)


def _told(
    reader: Reader, node: NodeRow, facts: FactsRow, own: str, names: Mapping[str, str]
) -> Telling:
    """One note's telling; `own` is whom it is about, `names` who goes by which name."""
    properties = facts.properties
    at = facts.valid_from or node.date_start
    text = "\n".join(chunk.text for chunk in reader.chunks_of(node.file_id))
    told = Told.of(
        text or node.summary,
        _moment(at),
        lang=node.lang,
        subject=own,
        title=node.title,
        properties=properties,
    )
    is_spoken = properties.get("source_type") in _SPOKEN
    means = {ME: own if is_spoken else ME, THIS: _home(node)}
    told = told._replace(slots=tuple(_resolved(told.slots, names, means)))
    written = (str(properties.get(key) or "")[:10] for key in _WRITTEN)
    kind = properties.get("kind")
    return Telling(
        node,
        told,
        at,
        reader,
        facts.pinned,
        max(written),
        kind if isinstance(kind, str) else "",
    )


def _current(
    reader: Reader, now: datetime, zone: str, templates: Collection[str]
) -> list[NodeRow]:
    moment = now.replace(tzinfo=None).isoformat()
    ids = reader.where(
        "n.type IN (?, ?) AND n.status NOT IN (?, ?, ?)"
        " AND (n.valid_until = '' OR n.valid_until > ?)"
        # What begins to hold later retires nothing yet.
        " AND n.valid_from <= ? AND (n.valid_from != '' OR n.date_start <= ?)",
        [*_TYPES, *_OVER, moment, moment, moment],
    )
    ids -= later_notes(reader, now, zone)
    ids -= not_digested(reader, templates)
    ids -= reader.superseding(ids).keys()
    return reader.nodes(ids)


def _moment(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at) if at else None
    except ValueError:
        return None


def _names(nodes: Iterable[NodeRow]) -> dict[str, str]:
    """Every way to call an entity → its title, as subjects are compared.

    First names count where only one entity has them.
    """
    titles = [node for node in nodes if node.type == "entity"]
    names: dict[str, str] = {}
    firsts: dict[str, str] = {}
    for node in titles:
        own = subject_key(node.title)
        for name in (node.title, *node.aliases):
            names.setdefault(subject_key(name), own)
        first = own.partition(" ")[0]
        if first != own:
            firsts[first] = "" if first in firsts else own
    for first, own in sorted(firsts.items()):
        if own:
            names.setdefault(first, own)
    return names


def _subjects(reader: Reader, nodes: Sequence[NodeRow]) -> dict[str, str]:
    """By the paths of facts the one entity that each is about."""
    entities = {node.path: node.title for node in nodes if node.type == "entity"}
    found: dict[str, list[str]] = {}
    for edge in reader.edges_from():
        is_typed = edge.origin != "body" and edge.relation in {"about", "involves"}
        if is_typed and edge.target in entities:
            found.setdefault(edge.source, []).append(entities[edge.target])
    return {path: names[0] for path, names in found.items() if len({*names}) == 1}


def _resolved(
    slots: Iterable[Slot], names: Mapping[str, str], means: Mapping[str, str]
) -> Iterator[Slot]:
    """The slots by what their subjects mean here; without those that mean nothing."""
    for slot in slots:
        subject = subject_key(means.get(slot.subject, slot.subject))
        if subject:
            yield slot._replace(subject=names.get(subject, subject))


def _home(node: NodeRow) -> str:
    """What "the deadline" is that of, where a note names nothing else."""
    clients = [tags.key(t) for t in node.tags if tags.namespace(t) == "client"]
    return node.project or " ".join(clients)
