"""Where a link leads: Obsidian's rules of resolution, with ours on top.

Pure: the caller hands in the names that exist. Owns the normal form of a name
(`fold`), the key under which links and names meet (`target_key`, `path_key`)
and the order of precedence:

1. the exact path from the vault's root, with or without `.md`;
2. a file of that name (or partial path) in the source note's own folder;
3. the shortest path that ends in the target; ties go by the path itself;
4. an alias, then an id (Obsidian resolves neither: what we write has the name).

`./x` and `../x` are paths from the source's folder and nothing else.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Name", "NameKind", "Names", "Resolution", "fold", "path_key", "target_key"]

NameKind = Literal["path", "alias", "id"]


def fold(name: str) -> str:
    """A name as compared: NFC, no-break spaces as spaces, casefolded."""
    if name.isascii():
        return name.lower()
    text = unicodedata.normalize("NFC", name.replace("\u00a0", " "))
    return unicodedata.normalize("NFC", text.casefold())


def _without_md(name: str) -> str:
    return name[:-3] if name[-3:].lower() == ".md" else name


def path_key(path: str) -> str:
    """The key of a file: its folded base name, a note's without `.md`."""
    return fold(_without_md(path.rpartition("/")[2]))


def target_key(target: str) -> str:
    """The key under which a link's target is looked up."""
    return fold(_without_md(target.strip().rstrip("/").rpartition("/")[2]))


@dataclass(frozen=True, slots=True)
class Name:
    """One way to call a file: its path, an alias, or an id."""

    key: str
    kind: NameKind
    path: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a link leads, and which kind of name it went by."""

    path: str
    by: NameKind


def _precedence(path: str) -> tuple[int, str]:
    return (len(path), path)


class Names:
    """The names that exist, or those of them that the links in question ask for."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._paths: dict[str, list[str]] = defaultdict(list)
        self._others: dict[NameKind, dict[str, list[str]]] = {
            "alias": defaultdict(list),
            "id": defaultdict(list),
        }
        for name in names:
            if name.kind == "path":
                self._paths[name.key].append(name.path)
            else:
                self._others[name.kind][name.key].append(name.path)

    def resolve(self, source: str, target: str) -> Resolution | None:
        """The file that `target`, written in the note `source`, leads to.

        `source` is vault-relative; "" stands for a question from outside any
        note. An empty target leads to the source itself.
        """
        wanted = unicodedata.normalize("NFC", target.strip().replace("\u00a0", " "))
        if not wanted:
            return Resolution(source, "path") if source else None
        folder = source.rpartition("/")[0]
        if wanted.startswith(("./", "../")):
            wanted = posixpath.normpath(posixpath.join(folder, wanted))
            found = self._exact(wanted)
            return Resolution(found, "path") if found else None
        wanted = wanted.lstrip("/")
        found = self._by_path(folder, wanted)
        if found:
            return Resolution(found, "path")
        return self._by_other_name(wanted)

    def _by_path(self, folder: str, wanted: str) -> str | None:
        found = self._exact(wanted)
        if found is None and folder:
            found = self._exact(f"{folder}/{wanted}")
        return found or self._shortest(wanted)

    def _exact(self, wanted: str) -> str | None:
        """The file at this path; of case twins, the one spelled just so."""
        bare = _without_md(wanted)
        folded = fold(bare)
        twins = [p for p in self._candidates(wanted) if fold(_without_md(p)) == folded]
        if not twins:
            return None
        same = [p for p in twins if _nfc(_without_md(p)) == bare]
        return min(same or twins, key=_precedence)

    def _shortest(self, wanted: str) -> str | None:
        bare = _without_md(wanted)
        suffix = "/" + fold(bare)
        ends = [
            p
            for p in self._candidates(wanted)
            if ("/" + fold(_without_md(p))).endswith(suffix)
        ]
        if not ends:
            return None
        spelled = [p for p in ends if ("/" + _nfc(_without_md(p))).endswith("/" + bare)]
        return min(spelled or ends, key=_precedence)

    def _candidates(self, wanted: str) -> list[str]:
        return self._paths.get(target_key(wanted), [])

    def _by_other_name(self, wanted: str) -> Resolution | None:
        kinds: tuple[NameKind, ...] = ("alias", "id")
        for kind in kinds:
            paths = self._others[kind].get(fold(wanted))
            if paths:
                best = min(paths) if kind == "id" else min(paths, key=_precedence)
                return Resolution(best, kind)
        return None


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
