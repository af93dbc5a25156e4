"""The embedding model that ships inside the package, and what identifies one.

Standard library only: a cold start asks for a model's identity without loading
it. The folder's README.md is the model's card.
"""

from __future__ import annotations

import hashlib
import os

from mindcache.errors import ConfigError

__all__ = ["identity", "shipped"]

# Enough of a weights file to tell two models apart without reading 8 MB: the
# header, which lists every tensor, and a sample of the rows.
_SAMPLE = 65_536


def shipped() -> str:
    """The folder of the model that ships inside the package."""
    return os.path.dirname(os.path.abspath(__file__))


def identity(folder: str) -> str:
    """A short name for the model in `folder`, equal where the contents are.

    Raises ConfigError when the folder or one of its three files is missing.
    """
    digest = hashlib.blake2b(digest_size=12)
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        path = os.path.join(folder, name)
        try:
            size = os.path.getsize(path)
            with open(path, "rb") as file:
                digest.update(f"{name} {size}\n".encode())
                digest.update(file.read(_SAMPLE))
                file.seek(max(0, size - _SAMPLE))
                digest.update(file.read(_SAMPLE))
        except OSError as error:
            raise ConfigError(
                f"{path}: the embedding model can't be read: {error.strerror}",
                mend="point the setting `model` at a model2vec folder, or unset it",
            ) from error
    return digest.hexdigest()
