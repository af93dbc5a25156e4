"""What a search works on: the cache's chunks as arrays, loaded once.

A `Corpus` belongs to one version of the cache. It reads through `cache.read`
and holds no text: texts are fetched for the few chunks that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import NO_FILE, SEGMENT_ROWS, Reader
from mindcache.index import lexical, semantic
from mindcache.index.embedding import Embedder
from mindcache.text import QueryTerm

__all__ = ["Corpus"]

_COLUMNS = {
    "body": lexical.BODY,
    "heading": lexical.HEADINGS,
    "title": lexical.TITLE,
    "words": lexical.PROPERTIES,
}

# Rows of postings that a warm process holds on to, 24 bytes each: the frequent
# words of its last questions, whose reading is most of the time that a search takes.
_KEPT_ROWS = 500_000


class Corpus:
    """The chunks of one vault, ready to be scored."""

    def __init__(
        self, reader: Reader, encoder: Embedder, version: tuple[int, int]
    ) -> None:
        self.reader = reader
        self.version = version
        self.encoder = encoder
        numbers, files, lengths, norms = _columns(reader)
        slots = np.arange(SEGMENT_ROWS)
        ids = (numbers[:, None] * SEGMENT_ROWS + slots).reshape(-1)
        self._live = np.flatnonzero(files != NO_FILE)
        self.ids: npt.NDArray[np.int64] = ids[self._live]
        self.files: npt.NDArray[np.int64] = files[self._live].astype(np.int64)
        self.norms: npt.NDArray[np.int32] = norms[self._live]
        self.collection = lexical.Collection.of(
            self.ids, lengths[self._live], self.files
        )
        self._kept: dict[str, lexical.Postings] = {}
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

    def similarities(self, text: str) -> npt.NDArray[np.float64]:
        """The cosine of the text with every chunk, in the order of `ids`."""
        query = semantic.quantise(self.encoder.encode([text]))[0]
        return semantic.similarities(self.vectors, self.norms, query)

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
]:
    """The layout: segment numbers, then files, lengths and norms of all rows."""
    rows = reader.layout()
    numbers = np.array([row[0] for row in rows], dtype=np.int64)
    files, lengths, norms = (
        np.frombuffer(b"".join(parts), dtype=np.int32)
        for parts in (
            [row[1] for row in rows],
            [row[2] for row in rows],
            [row[3] for row in rows],
        )
    )
    return numbers, files, lengths, norms
