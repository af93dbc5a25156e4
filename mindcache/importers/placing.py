"""Where an import's notes and attachments lie, or will lie, in the vault."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, cast

from mindcache.importers.facts import Notes, past_of
from mindcache.importers.naming import free_path
from mindcache.importers.plan import Options, Past
from mindcache.vault import Names
from mindcache.write.relink import LinkFormat

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.importers.item import Importer
    from mindcache.links import Name

__all__ = ["Placing"]

# Where attachments go when Obsidian isn't told: its own habit, the vault's root, puts
# pictures between the notes.
_ATTACHMENTS = "attachments"


class Placing:
    """See `importers.item.Places`. Asks the vault only when it is asked itself."""

    def __init__(self, app: App, importer: Importer, options: Options) -> None:
        self._app = app
        self._importer = importer
        self._options = options
        self._chosen: dict[str, str] = {}
        self._told: dict[str, str] = {}

    @property
    def link_format(self) -> LinkFormat:
        """What Obsidian is told to write in links."""
        return cast("LinkFormat", self._app.vault.link_format())

    @cached_property
    def _past(self) -> dict[str, Past]:
        return past_of(self._app, self._importer.name)

    @cached_property
    def _notes(self) -> Notes:
        return Notes(self._app, self._app.reader(), self._importer.source_type)

    @cached_property
    def _disk(self) -> Names:
        return Names(self._app.vault.root)

    @cached_property
    def _attachments(self) -> str:
        return self._app.vault.attachment_folder()

    def note(self, key: str, wanted: str) -> str:
        """The path of a key's note; where it lay, for one that its owner deleted."""
        if key not in self._told:
            self._told[key] = self._note(key, wanted)
        return self._told[key]

    def _note(self, key: str, wanted: str) -> str:
        past = self._past.get(key)
        if path := self._notes.find(past.id if past else "-", key):
            return path
        if past is not None and past.path:
            # Links to what its owner deleted go on leading nowhere by the same words.
            return past.path
        folder, _, name = wanted.rpartition("/")
        inside = "/".join(part for part in (self._options.folder, folder) if part)
        path = free_path(inside, name.removesuffix(".md"), _mark(key), self._is_taken)
        self._chosen[path.casefold()] = key
        return path

    def asset(self, key: str, name: str, beside: str, data: bytes) -> str:
        """The path of an attachment; where it lay, for one that its owner deleted."""
        past = self._past.get(key)
        if past is not None and past.path:
            return past.path
        told = self._attachments or _ATTACHMENTS
        folder = told.strip("/")
        if told.startswith("./"):
            folder = posixpath.normpath(posixpath.join(posixpath.dirname(beside), told))
        path = "" if folder in {"", "."} else f"{folder}/"
        path += name
        if self._is_taken(path) and not self._holds(path, data):
            stem, dot, ending = path.rpartition(".")
            mark = hashlib.blake2b(data, digest_size=3).hexdigest()
            path = (
                f"{stem or ending} {mark}{dot if stem else ''}{ending if stem else ''}"
            )
        self._chosen[path.casefold()] = key
        return path

    def _holds(self, path: str, data: bytes) -> bool:
        if path.casefold() in self._chosen:
            return False
        try:
            found, _ = self._app.vault.read(path, len(data))
        except OSError:
            return False
        return found == data

    def _is_taken(self, path: str) -> bool:
        known = path.casefold() in self._chosen or self._app.vault.exists(path)
        return known or bool(self._disk.twin(path))

    def names(self, keys: Iterable[str]) -> list[Name]:
        """The names under these keys that the vault has already."""
        return self._app.reader().names(keys)


def _mark(key: str) -> str:
    return hashlib.blake2b(key.encode(), digest_size=3).hexdigest()
