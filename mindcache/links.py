"""Where a link leads: Obsidian's rules of resolution, with ours on top.

Pure: the caller hands in the names that exist. Owns the normal form of a name
(`fold`), the key under which links and names meet (`target_key`, `path_key`)
and the order of precedence:

1. the exact path from the vault's root, with or without `.md`;
2. a file of that name (or partial path) in the source note's own folder;
3. the shortest path that ends in the target; of paths equally long, the one
   spelled just so, then the first by name;
4. an alias, then an id (Obsidian resolves neither: what we write has the name).

`./x` and `../x` are paths from the source's folder and nothing else; `/x` is a
path, never an alias. Of files that differ only in case, the one spelled as the
link is meant. A target without an extension means a note before a file without
one; with an extension it means the file itself before a note of that name.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from mindcache.lazy import regex

__all__ = [
    "Name",
    "NameKind",
    "Names",
    "Resolution",
    "fold",
    "is_linkable",
    "path_key",
    "target_key",
    "written",
]

NameKind = Literal["path", "alias", "id"]

# What ends or parts a wikilink, and what would begin a comment or a formula.
_UNLINKABLE = regex(r"[#^|\[\]\\\n]|%%|\$\$|<!--")
_BRACKETS = str.maketrans("[]\\\n", "()/ ")

# Obsidian reads these no-break spaces as spaces; macOS puts the narrow one into
# the names of its screenshots.
_SPACES = str.maketrans("\u00a0\u202f", "  ")


def fold(name: str) -> str:
    """A name as compared: NFC, no-break spaces as spaces, casefolded."""
    if name.isascii():
        return name.lower()
    return _nfc(_nfc(name).casefold())


def _nfc(name: str) -> str:
    """A name as spelled, whatever system it was spelled on."""
    if name.isascii():
        return name
    return unicodedata.normalize("NFC", name.translate(_SPACES))


def _stem(name: str) -> str:
    """The name without `.md`, however often it stands there.

    A note `x.md.md` goes by `x.md`, which is the name of `x.md` too: the two
    have to meet under one key to be told apart.
    """
    end = len(name)
    while name[max(0, end - 3) : end].lower() == ".md":
        end -= 3
    return name[:end]


def path_key(path: str) -> str:
    """The key of a file: its folded base name, a note's without `.md`."""
    return fold(_stem(path.rpartition("/")[2]))


@lru_cache(maxsize=32_768)  # the same few names, linked to again and again
def target_key(target: str) -> str:
    """The key under which a link's target is looked up."""
    return fold(_stem(target.strip().rstrip("/").rpartition("/")[2]))


class Name(NamedTuple):
    """One way to call a file: its path, an alias, or an id."""

    key: str
    kind: NameKind
    path: str


class Resolution(NamedTuple):
    """Where a link leads, and which kind of name it went by."""

    path: str
    by: NameKind


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
        # A vault may hold thousands of README.md and links to them: each key's
        # paths are folded once, and each target is looked for once.
        self._folded: dict[str, dict[str, list[str]]] = {}
        self._found: dict[str, str | None] = {}

    def resolve(self, source: str, target: str) -> Resolution | None:
        """The file that `target`, written in the note `source`, leads to.

        `source` is vault-relative; "" stands for a question from outside any
        note. An empty target leads to the source itself.
        """
        wanted = _nfc(target.strip())
        if not wanted:
            return Resolution(source, "path") if source else None
        folder = source.rpartition("/")[0]
        if wanted.startswith(("./", "../")):
            wanted = posixpath.normpath(posixpath.join(folder, wanted))
            found = self._exact(wanted)
            return Resolution(found, "path") if found else None
        path = wanted.lstrip("/")
        found = self._by_path("" if path != wanted else folder, path)
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
        paths = self._candidates(wanted)
        for form in _forms(wanted):
            if twins := paths.get(form):
                same = (wanted, f"{wanted}.md")
                return min(twins, key=lambda path: (_nfc(path) not in same, path))
        return None

    def _shortest(self, wanted: str) -> str | None:
        if wanted not in self._found:
            self._found[wanted] = self._find_shortest(wanted)
        return self._found[wanted]

    def _find_shortest(self, wanted: str) -> str | None:
        same = (f"/{wanted}", f"/{wanted}.md")
        for form in _forms(wanted):
            rows = [
                (len(_nfc(path)), not f"/{_nfc(path)}".endswith(same), path)
                for folded, paths in self._candidates(wanted).items()
                if f"/{folded}".endswith(f"/{form}")
                for path in paths
            ]
            if rows:
                return min(rows)[-1]
        return None

    def _candidates(self, wanted: str) -> dict[str, list[str]]:
        """The paths of the wanted key, by their folded form."""
        key = target_key(wanted)
        if key not in self._folded:
            by_form: dict[str, list[str]] = defaultdict(list)
            for path in self._paths.get(key, ()):
                by_form[fold(path)].append(path)
            self._folded[key] = dict(by_form)
        return self._folded[key]

    def _by_other_name(self, wanted: str) -> Resolution | None:
        kinds: tuple[NameKind, ...] = ("alias", "id")
        for kind in kinds:
            paths = self._others[kind].get(fold(wanted))
            if paths:
                best = min(paths, key=(_by_name if kind == "id" else _by_length))
                return Resolution(best, kind)
        return None


def written(
    names: Names, source: str, path: str, display: str = "", subpath: str = ""
) -> str:
    """The link to the file at `path`, from the note `source`, that Obsidian resolves.

    By the file's name alone where that leads there, else by its path; a name that
    can't stand between brackets makes it a Markdown link. `names` knows the file's
    key; `subpath` comes without the "#".
    """
    whole = path[:-3] if path[-3:].lower() == ".md" else path
    stem = whole.rpartition("/")[2]
    found = names.resolve(source, stem)
    target = stem if found == Resolution(path, "path") else whole
    if _UNLINKABLE.search(target) or _UNLINKABLE.search(display):
        from urllib.parse import quote  # slow to load, and hardly ever needed

        label = (display or stem).translate(_BRACKETS)
        behind = f"#{quote(subpath)}" if subpath else ""
        return f"[{label}]({quote(path)}{behind})"
    behind = f"#{subpath}" if subpath else ""
    shown = f"|{display}" if display and display != target else ""
    return f"[[{target}{behind}{shown}]]"


def is_linkable(path: str) -> bool:
    """Whether a wikilink can lead to the file by its name."""
    return _UNLINKABLE.search(path.rpartition("/")[2]) is None


def _forms(wanted: str) -> tuple[str, str]:
    """What a folded path may look like to be meant, the likelier first."""
    folded = fold(wanted)
    if "." in folded.rpartition("/")[2]:
        return folded, f"{folded}.md"
    return f"{folded}.md", folded


def _by_length(path: str) -> tuple[int, str]:
    return len(_nfc(path)), path


def _by_name(path: str) -> tuple[int, str]:
    return 0, path
