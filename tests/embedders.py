"""A small embedder for tests that need meaning to be repeatable, not clever."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


class HashingEmbedder:
    """Each word adds ±1 at a place that its hash picks: shared words, near texts.

    Keeps to the `Embedder` protocol: unit rows, zero for a text without words, a
    row depends on its own text only. Two of different `dim` have different names.
    """

    def __init__(self, dim: int = 64) -> None:
        self.dim = dim
        self.name = f"hashing-{dim}"
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors; `encoded` counts all texts that were ever asked for."""
        self.encoded += len(texts)
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                digest = hashlib.blake2b(word.encode(), digest_size=5).digest()
                place = int.from_bytes(digest[:4], "little") % self.dim
                row[place] += 1.0 if digest[4] & 1 else -1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0.0] = 1.0
        unit: npt.NDArray[np.float32] = vectors / lengths
        return unit

    def forget_words(self) -> None:
        """Nothing: it remembers none."""
