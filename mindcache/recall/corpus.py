"""What a search works on: the cache's chunks as arrays, loaded once.

A `Corpus` belongs to one version of the cache. It reads through `cache.read`
and holds no text: texts are fetched for the few chunks that are shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import (
    FTS_COLUMNS,
    NO_FILE,
    SEGMENT_ROWS,
    EntryRow,
    Reader,
)
from mindcache.index import lexical, semantic
from mindcache.index.embedding import Embedder
from mindcache.recall.own import our_pages, topics_without_words
from mindcache.text import TRAITS, QueryTerm

if TYPE_CHECKING:
    from mindcache.when import Interval

__all__ = ["Corpus", "Likeness"]

_COLUMNS = {
    "body": lexical.BODY,
    "heading": lexical.HEADINGS,
    "title": lexical.TITLE,
    "words": lexical.PROPERTIES,
}
# The number of each of the table's columns, by its place there.
_FIELDS = np.array([_COLUMNS[name] for name in FTS_COLUMNS], dtype=np.int8)

# The longest chunk that text is packed to, in terms, and what a turn of a
# conversation needs to say anything: more of either tells nothing.
_LONG = 250
_TURN = 40

# Rows of postings that a warm process holds on to, 13 bytes each: the frequent words
# of its last questions, whose reading is the longest single step of a search.
_KEPT_ROWS = 3_000_000
# So often the paths of a few notes are read: that is three times in a question. Then
# all are, which takes a few milliseconds.
_LOOKUPS = 6


# A search makes a hundred arrays of some hundred kilobytes and lets go of them. glibc
# hands so large ones back to the system each time, and getting them anew is a quarter
# of a search of 100,000 chunks. It keeps what is smaller than the largest that it has
# ever been given back, up to 32 MB: an array of this size, never touched, costs nothing.
_KEEPS = 24 << 20


class Likeness(NamedTuple):
    """Cosines of a text with every chunk: as they are, and without what all share."""

    plain: npt.NDArray[np.float64]
    centred: npt.NDArray[np.float64]


class Corpus:
    """The chunks of one vault, ready to be scored."""

    def __init__(
        self, reader: Reader, encoder: Embedder, version: tuple[int, int]
    ) -> None:
        self.reader = reader
        self.version = version
        self.encoder = encoder
        np.empty(_KEEPS, dtype=np.uint8)
        numbers, files, lengths, norms, traits = _columns(reader)
        self._segments = len(numbers)  # of vectors too: each has a row in both tables
        slots = np.arange(SEGMENT_ROWS)
        ids = (numbers[:, None] * SEGMENT_ROWS + slots).reshape(-1)
        self._live = np.flatnonzero(files != NO_FILE)
        self.ids: npt.NDArray[np.int64] = ids[self._live]
        self.files: npt.NDArray[np.int64] = files[self._live].astype(np.int64)
        self.norms: npt.NDArray[np.int32] = norms[self._live]
        self.traits: npt.NDArray[np.int32] = traits[self._live]
        self.collection = lexical.Collection.of(
            self.ids,
            lengths[self._live],
            self.files,
            self.trait("asks") > 0,
            self.trait("continues") > 0,
        )
        self._paths: dict[int, str] = {}
        self._lookups = 0
        self._kept: dict[str, lexical.Postings] = {}
        # The times that texts tell of, by chunk, as far as they have been read.
        self.told: dict[int, tuple[Interval, ...]] = {}
        self._kept_rows = 0
        self.languages: tuple[str, ...] = tuple(reader.languages()) or ("en",)

    @contextmanager
    def steady(self) -> Iterator[Corpus]:
        """What the cache says right now, for as long as this lasts, whoever writes it.

        That is this corpus, or a newer one where somebody has written since: its ids
        would be looked up in a cache that has others by now.
        """
        with self.reader.one_moment():
            version = self.reader.version()
            is_as_it_was = version == self.version
            yield self if is_as_it_was else Corpus(self.reader, self.encoder, version)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def vectors(self) -> npt.NDArray[np.int8]:
        """One int8 row for each chunk, in the order of `ids`."""
        # Row by row, so that not all of them lie in memory twice.
        size = SEGMENT_ROWS * self.encoder.dim
        flat = np.empty(self._segments * size, dtype=np.int8)
        for place, (_, data) in enumerate(self.reader.segments()):
            flat[place * size : (place + 1) * size] = np.frombuffer(data, np.int8)
        whole = flat.reshape(-1, self.encoder.dim)
        if len(self) and self._live[-1] == len(self) - 1:
            return whole[: len(self)]  # no gaps: nothing to gather
        return whole[self._live]

    def rows(self, ids: Sequence[int]) -> npt.NDArray[np.int8]:
        """The vectors of a few chunks, one row each, without reading all there are."""
        if "vectors" in self.__dict__:
            return self.vectors[np.searchsorted(self.ids, ids)]
        numbers = {chunk_id // SEGMENT_ROWS for chunk_id in ids}
        blocks = {
            number: np.frombuffer(data, dtype=np.int8).reshape(SEGMENT_ROWS, -1)
            for number, data in self.reader.segments(numbers)
        }
        return np.stack(
            [blocks[each // SEGMENT_ROWS][each % SEGMENT_ROWS] for each in ids]
        )

    def similarities(self, text: str) -> Likeness:
        """How near the text is to every chunk, in the order of `ids`."""
        query = semantic.quantise(self.encoder.encode([text]))
        plain = semantic.similarities(self.vectors, self.norms, query[0])
        own = semantic.similarities(query, semantic.norms(query), self._direction)
        return Likeness(plain, semantic.centred(plain, self._common, float(own[0])))

    @cached_property
    def _direction(self) -> npt.NDArray[np.int8]:
        return semantic.direction(self.vectors)

    @cached_property
    def _common(self) -> npt.NDArray[np.float64]:
        return semantic.similarities(self.vectors, self.norms, self._direction)

    @cached_property
    def texts(self) -> dict[str, npt.NDArray[np.float64]]:
        """What each text is like, whatever is asked: signals from 0 to 1."""
        lengths = self.collection.lengths
        return {
            "asks": self.trait("asks"),
            "dated": self.trait("dated"),
            "flow": self.collection.flow,
            "length": np.minimum(np.log1p(lengths) / math.log(_LONG), 1.0),
            "says": np.minimum(np.log1p(lengths) / math.log(_TURN), 1.0),
        }

    def trait(self, name: str) -> npt.NDArray[np.float64]:
        """Whether each chunk has a trait (see `text.traits`): 1 or 0."""
        return (self.traits >> TRAITS.index(name) & 1).astype(np.float64)

    @cached_property
    def proposals(self) -> dict[int, str]:
        """The notes that only propose, by file id: what they say is not known yet."""
        return self.reader.paths(self.reader.where("n.type = 'proposal'", []))

    @cached_property
    def our_pages(self) -> dict[int, tuple[str, ...]]:
        """What explains Mindcache, by file id with its names: see `own`."""
        return our_pages(self.reader)

    @cached_property
    def maps(self) -> dict[int, tuple[str, ...]]:
        """Topics that say nothing but where things are, by file id with their names."""
        return topics_without_words(self.reader)

    @cached_property
    def people(self) -> dict[str, str]:
        """Every way to call somebody whom chunks are about → their folded name.

        That is the name itself, the aliases of their note, and a first name that
        only one of them has.
        """
        found = {name for line in self._subjects for name in line.split("\n")}
        if not found:
            return {}
        known = {name: name for name in found}
        for alias in self.reader.aliases_of(found):
            known.setdefault(*alias)
        firsts: dict[str, str] = {}
        for name in found:
            first = name.partition(" ")[0]
            firsts[first] = "" if first in firsts else name
        for first, name in firsts.items():
            if name and len(first) > 1:
                known.setdefault(first, name)
        return known

    @cached_property
    def _subjects(self) -> dict[str, list[str]]:
        """By person: the lines of subjects that name them."""
        naming: dict[str, list[str]] = {}
        for line in self.reader.subjects():
            for person in dict.fromkeys(line.split("\n")):
                naming.setdefault(person, []).append(line)
        return naming

    def about(self, person: str) -> npt.NDArray[np.bool_]:
        """Which chunks are by or about this person, by their folded name."""
        lines = self._subjects.get(person, [])
        ids = np.array(self.reader.about(lines), dtype=np.int64)
        return np.isin(self.ids, ids)

    def postings(self, terms: Sequence[QueryTerm]) -> list[lexical.Postings]:
        """Where each query term occurs, all of its alternatives together."""
        return [self._postings(term) for term in terms]

    def _postings(self, term: QueryTerm) -> lexical.Postings:
        forms = list(term.terms)
        if term.prefix:
            forms = [f for each in forms for f in self.reader.terms_from(each)]
        parts = [self._occurrences(form) for form in forms]
        return parts[0] if len(parts) == 1 else lexical.Postings.joined(parts)

    def _occurrences(self, form: str) -> lexical.Postings:
        """Where one index term occurs; the last ones asked for are at hand."""
        kept = self._kept.pop(form, None)
        if kept is None:
            kept = _unpacked(self.reader.postings(form))
            self._kept_rows += len(kept.chunk_ids) + 1
        self._kept[form] = kept
        while self._kept_rows > _KEPT_ROWS and len(self._kept) > 1:
            oldest = self._kept.pop(next(iter(self._kept)))
            self._kept_rows -= len(oldest.chunk_ids) + 1
        return kept

    @cached_property
    def entries(self) -> list[EntryRow]:
        """The journal's entries among the chunks, by time."""
        return self.reader.entries()

    def paths(self, file_ids: Iterable[int]) -> Mapping[int, str]:
        """The paths of at least these notes."""
        missing = set(file_ids) - self._paths.keys()
        if missing:
            # Who comes back for more will come for most of them.
            wanted = missing if self._lookups < _LOOKUPS else self.files.tolist()
            self._paths.update(self.reader.paths(wanted))
            self._lookups += 1
        return self._paths

    def mask(self, file_ids: Iterable[int] | None) -> npt.NDArray[np.bool_] | None:
        """Which chunks belong to these notes; None for no restriction."""
        if file_ids is None:
            return None
        return np.isin(self.files, np.fromiter(file_ids, dtype=np.int64))


def _unpacked(packed: str) -> lexical.Postings:
    """What `Reader.postings` gives, one row for each chunk and field."""
    codes = np.fromstring(packed, dtype=np.int64, sep=",")
    if not len(codes):
        return lexical.Postings(codes, codes)
    if (codes[1:] < codes[:-1]).any():
        codes.sort()
    starts = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    ids, places = np.divmod(codes[starts], len(_FIELDS))
    times = None
    if len(starts) < len(codes):
        times = np.diff(starts, append=len(codes)).astype(np.int32)
    return lexical.Postings(ids, _FIELDS[places], times)


def _columns(
    reader: Reader,
) -> tuple[
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
]:
    """The layout: segment numbers, then files, lengths, norms, traits of all rows."""
    rows = reader.layout()
    numbers = np.array([row[0] for row in rows], dtype=np.int64)
    files, lengths, norms, traits = (
        np.frombuffer(b"".join(parts), dtype=np.int32)
        for parts in (
            [row[1] for row in rows],
            [row[2] for row in rows],
            [row[3] for row in rows],
            [row[4] for row in rows],
        )
    )
    return numbers, files, lengths, norms, traits
