"""The embedding model that ships inside the package, and what identifies one.

Standard library only: a cold start asks for a model's identity without loading
it. The folder's README.md is the model's card.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

from mindcache.errors import ConfigError
from mindcache.hashing import blake2b

__all__ = ["identity", "shipped"]

# Blocks read of each file, spread over it from its first to its last byte: 64 KiB
# in all, so that asking costs well under 2 ms and a changed matrix is noticed.
_BLOCKS = 16
_BLOCK = 4_096


def shipped() -> str:
    """The folder of the model that ships inside the package."""
    return os.path.dirname(os.path.abspath(__file__))


def identity(folder: str) -> str:
    """A short name for the model in `folder`, equal where the contents are.

    Raises ConfigError when there is no such folder or it can't be read.
    """
    digest = blake2b(digest_size=12)
    try:
        for path in sorted(_files(folder)):
            digest.update(os.path.relpath(path, folder).encode())
            with open(path, "rb") as file:
                _add_samples(digest, file)
    except OSError as error:
        raise ConfigError(
            f"{error.filename}: the embedding model can't be read: {error.strerror}",
            mend="point the setting `model` at a model2vec folder, or unset it",
        ) from error
    return digest.hexdigest()


def _files(folder: str) -> Iterator[str]:
    """The files that make a model: its numbers and settings, no card, no code."""
    for entry in os.scandir(folder):
        if entry.is_dir():
            if not entry.name.startswith((".", "__")):
                yield from _files(entry.path)
        elif entry.name.endswith((".json", ".safetensors")):
            yield entry.path


def _add_samples(digest: blake2b, file: BinaryIO) -> None:
    size = file.seek(0, os.SEEK_END)
    digest.update(size.to_bytes(8, "little"))
    last = max(0, size - _BLOCK)
    for block in range(_BLOCKS):
        file.seek(last * block // (_BLOCKS - 1))
        digest.update(file.read(_BLOCK))
