"""The chunks as arrays: vectors, and beside them whose chunk each row is.

A search over the whole vault needs five numbers of every chunk at once. As rows
of a table they would take a cold process longer to fetch than the search takes;
here they lie side by side in blobs of `SEGMENT_ROWS` chunk ids, in two tables,
so that forgetting a note rewrites 4 KB and not 64.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mindcache.cache.read import NO_FILE, SEGMENT_ROWS

__all__ = ["Placed", "Segments"]


class Placed(NamedTuple):
    """A chunk's part in the arrays: int8 vector, file id, length and traits."""

    vector: bytes
    file_id: int
    length: int
    traits: int


class _Rows:
    """The small arrays of one segment, on their way in or out."""

    def __init__(self, row: tuple[bytes, bytes, bytes, bytes] | None) -> None:
        if row is None:
            self.files = array("i", [NO_FILE] * SEGMENT_ROWS)
            self.lengths = array("i", bytes(4 * SEGMENT_ROWS))
            self.norms = array("i", bytes(4 * SEGMENT_ROWS))
            self.traits = array("i", bytes(4 * SEGMENT_ROWS))
        else:
            self.files, self.lengths, self.norms, self.traits = (
                array("i", part) for part in row
            )

    def parts(self) -> tuple[array[int], ...]:
        """The arrays in the order of their columns."""
        return self.files, self.lengths, self.norms, self.traits


class Segments:
    """Reads and writes both tables, inside the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, dimension: int) -> None:
        self._connection = connection
        self._dimension = dimension

    def vectors_of(self, chunk_ids: Iterable[int]) -> dict[int, bytes]:
        """The vectors of these chunks."""
        blobs: dict[int, bytes] = {}
        found: dict[int, bytes] = {}
        for chunk_id in chunk_ids:
            number, slot = divmod(chunk_id, SEGMENT_ROWS)
            if number not in blobs:
                blobs[number] = self._vectors(number)
            start = slot * self._dimension
            found[chunk_id] = blobs[number][start : start + self._dimension]
        return found

    def write(self, placed: Mapping[int, Placed]) -> None:
        """Put these chunks, by their ids, into the arrays."""
        vectors: dict[int, bytearray] = {}
        rows: dict[int, _Rows] = {}
        squares = self._squares([each.vector for each in placed.values()])
        for (chunk_id, each), square in zip(placed.items(), squares, strict=True):
            number, slot = divmod(chunk_id, SEGMENT_ROWS)
            if number not in vectors:
                vectors[number] = bytearray(self._vectors(number))
                rows[number] = self._rows(number)
            start = slot * self._dimension
            vectors[number][start : start + self._dimension] = each.vector
            rows[number].files[slot] = each.file_id
            rows[number].lengths[slot] = each.length
            rows[number].traits[slot] = each.traits
            rows[number].norms[slot] = square
        self._connection.executemany(
            "INSERT OR REPLACE INTO segments (id, vectors) VALUES (?, ?)",
            [(number, bytes(data)) for number, data in sorted(vectors.items())],
        )
        self._save(rows)

    def forget(self, chunk_ids: Iterable[int]) -> None:
        """Mark these chunks as gone; their vectors stay until they are written over."""
        rows: dict[int, _Rows] = {}
        for chunk_id in chunk_ids:
            number, slot = divmod(chunk_id, SEGMENT_ROWS)
            if number not in rows:
                rows[number] = self._rows(number)
            rows[number].files[slot] = NO_FILE
        self._save(rows)

    def clear(self) -> None:
        """Empty both tables."""
        self._connection.execute("DELETE FROM segments")
        self._connection.execute("DELETE FROM layout")

    def _squares(self, vectors: list[bytes]) -> list[int]:
        """The squared length of each vector."""
        import numpy as np

        matrix = np.frombuffer(b"".join(vectors), dtype=np.int8)
        wide = matrix.reshape(len(vectors), self._dimension).astype(np.int32)
        squares: list[int] = np.einsum("ij,ij->i", wide, wide).tolist()
        return squares

    def _vectors(self, number: int) -> bytes:
        row = self._connection.execute(
            "SELECT vectors FROM segments WHERE id = ?", (number,)
        ).fetchone()
        return bytes(row[0]) if row else bytes(SEGMENT_ROWS * self._dimension)

    def _rows(self, number: int) -> _Rows:
        return _Rows(
            self._connection.execute(
                "SELECT files, lengths, norms, traits FROM layout WHERE id = ?",
                (number,),
            ).fetchone()
        )

    def _save(self, rows: Mapping[int, _Rows]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO layout (id, files, lengths, norms, traits)"
            " VALUES (?, ?, ?, ?, ?)",
            [
                (number, *(part.tobytes() for part in r.parts()))
                for number, r in sorted(rows.items())
            ],
        )
