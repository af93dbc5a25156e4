"""What a search works on: the cache's chunks as arrays, loaded once.

A `Corpus` belongs to one version of the cache. It reads through `cache.read`
and holds no text: texts are fetched for the few chunks that are shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import NO_FILE, SEGMENT_ROWS, Reader
from mindcache.index import lexical, semantic
from mindcache.index.embedding import Embedder
from mindcache.text import TRAITS, QueryTerm
from mindcache.when import Interval

__all__ = ["Corpus", "Likeness"]

_COLUMNS = {
    "body": lexical.BODY,
    "heading": lexical.HEADINGS,
    "title": lexical.TITLE,
    "words": lexical.PROPERTIES,
}

# The longest chunk that text is packed to, in terms, and what a turn of a
# conversation needs to say anything: more of either tells nothing.
_LONG = 250
_TURN = 40

# Rows of postings that a warm process holds on to, 24 bytes each: the frequent
# words of its last questions, whose reading is most of the time that a search takes.
_KEPT_ROWS = 500_000


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
        numbers, files, lengths, norms, traits = _columns(reader)
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
        self._kept: dict[str, lexical.Postings] = {}
        # The times that texts tell of, by chunk, as far as they have been read.
        self.told: dict[int, tuple[Interval, ...]] = {}
        self._kept_rows = 0
        self.languages: tuple[str, ...] = tuple(reader.languages()) or ("en",)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def vectors(self) -> npt.NDArray[np.int8]:
        """One int8 row for each chunk, in the order of `ids`."""
        blocks = [
            np.frombuffer(data, dtype=np.int8) for _, data in self.reader.segments()
        ]
        if not blocks:
            return np.zeros((0, self.encoder.dim), dtype=np.int8)
        whole = np.concatenate(blocks).reshape(len(blocks) * SEGMENT_ROWS, -1)
        if len(self) and self._live[-1] == len(self) - 1:
            return whole[: len(self)]  # no gaps: nothing to gather
        return whole[self._live]

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
        firsts: dict[str, list[str]] = {}
        for name in sorted(found):
            firsts.setdefault(name.split(" ")[0], []).append(name)
        for first, names in firsts.items():
            if len(names) == 1 and len(first) > 1:
                known.setdefault(first, names[0])
        return known

    @cached_property
    def _subjects(self) -> list[str]:
        return self.reader.subjects()

    def about(self, person: str) -> npt.NDArray[np.bool_]:
        """Which chunks are by or about this person, by their folded name."""
        lines = [line for line in self._subjects if person in line.split("\n")]
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
            rows = self.reader.postings(form)
            kept = lexical.Postings(
                np.array([row[0] for row in rows], dtype=np.int64),
                np.array([_COLUMNS[row[1]] for row in rows], dtype=np.intp),
            )
            self._kept_rows += len(rows) + 1
        self._kept[form] = kept
        while self._kept_rows > _KEPT_ROWS and len(self._kept) > 1:
            oldest = self._kept.pop(next(iter(self._kept)))
            self._kept_rows -= len(oldest.chunk_ids) + 1
        return kept

    def mask(self, file_ids: Iterable[int] | None) -> npt.NDArray[np.bool_] | None:
        """Which chunks belong to these notes; None for no restriction."""
        if file_ids is None:
            return None
        return np.isin(self.files, np.fromiter(file_ids, dtype=np.int64))


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
