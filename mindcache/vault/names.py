"""Which names of the vault would be one on another system."""

from __future__ import annotations

import os
import unicodedata

__all__ = ["Names"]


class Names:
    """The names in the vault's folders, read once each: who would clash with whom.

    On most systems `Note.md` and `note.md`, or an accent written in two ways, are
    one file.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders: dict[str, dict[str, str]] = {}

    def twin(self, path: str) -> str:
        """The path there is that differs only in case or accents' form, "" for none."""
        above = ""
        for part in path.split("/"):
            found = self._in(above).get(_key(part), part)
            if found != part:
                return f"{above}{found}"
            above += f"{part}/"
        return ""

    def add(self, path: str) -> None:
        """Note a path that is about to exist."""
        above = ""
        for part in path.split("/"):
            self._in(above).setdefault(_key(part), part)
            above += f"{part}/"

    def _in(self, folder: str) -> dict[str, str]:
        known = self._folders.get(folder)
        if known is None:
            try:
                entries = sorted(os.listdir(os.path.join(self._root, folder)))
            except OSError:
                entries = []  # to be made, or the write itself will say what is wrong
            known = self._folders[folder] = {_key(name): name for name in entries}
        return known


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
