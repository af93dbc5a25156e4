"""The words of the texts that questions were held against, with their vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow
from mindcache.index import semantic
from mindcache.index.embedding import Embedder
from mindcache.text import analyze

__all__ = ["Vocabulary"]

_WORD = re.compile(r"[^\W_]{2,40}")
# Words of a text that are looked at; brief texts have a fifth of it.
_MOST_WORDS = 250
# Words, and texts, that are at hand for the next question: 20 MB at most.
_KEPT_WORDS = 20_000
_KEPT_TEXTS = 4_000


class Vocabulary:
    """The words that texts consist of, with vectors and stems, as they are met."""

    def __init__(self, encoder: Embedder) -> None:
        self._encoder = encoder
        self._begin()

    def _begin(self) -> None:
        self._rows: dict[str, int] = {}
        self._texts: dict[int, npt.NDArray[np.intp]] = {}
        self._vectors = np.zeros((0, self._encoder.dim), dtype=np.int8)
        self.stems: list[str] = []

    def prepare(self) -> None:
        """Forget everything when there is too much of it; call before a question."""
        if len(self._rows) > _KEPT_WORDS:
            self._begin()

    def words_of(self, chunk: ChunkRow, lang: str) -> npt.NDArray[np.intp]:
        """The rows of a chunk's distinct words."""
        found = self._texts.get(chunk.id)
        if found is None:
            words = dict.fromkeys(_WORD.findall(chunk.text.lower())[:_MOST_WORDS])
            found = np.array([self._row(word, lang) for word in words], dtype=np.intp)
            if len(self._texts) >= _KEPT_TEXTS:
                self._texts.clear()
            self._texts[chunk.id] = found
        return found

    def _row(self, word: str, lang: str) -> int:
        row = self._rows.get(word)
        if row is None:
            row = self._rows[word] = len(self._rows)
            self.stems.append(next(iter(analyze(word, lang)), word))
        return row

    def encode(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of words that are in no text."""
        return self._encoder.encode(words)

    def vectors(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.int8]:
        """int8 vectors of these rows."""
        if len(self._vectors) < len(self._rows):
            new = list(self._rows)[len(self._vectors) :]
            encoded = semantic.quantise(self._encoder.encode(new))
            self._vectors = np.concatenate([self._vectors, encoded])
        return self._vectors[rows]
