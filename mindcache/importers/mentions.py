"""The notes that names in a text lead to: whole words, aliases, the longest match. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mindcache.links import Name, fold, target_key

__all__ = ["Entity", "Known", "link_to"]

_WORD = re.compile(r"\w+(?:['’]\w+)*")
# Scripts that put no space between words: there a name may begin anywhere.
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
# What ends a link, or the name of the note within it.
_BREAKS_LINK = re.compile(r"[\[\]|#^\n]")

# A name of one letter ("A", "X") stands in every text.
_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class Entity:
    """A note that things can be about: what it is called, and the link to it."""

    link: str
    names: tuple[str, ...]


class Known:
    """Who and what the vault has notes about. A name that several share leads nowhere."""

    def __init__(self, entities: Iterable[Entity] = ()) -> None:
        self._exact: dict[str, str] = {}
        self._by_words: dict[tuple[str, ...], str] = {}
        self._unspaced: list[tuple[str, str]] = []
        for entity in entities:
            for name in entity.names:
                self._add(fold(name.strip()), entity.link)
        self._longest = max((len(words) for words in self._by_words), default=0)
        self._unspaced.sort(key=lambda each: (-len(each[0]), each))

    def _add(self, name: str, link: str) -> None:
        if self._exact.setdefault(name, link) != link:
            self._exact[name] = ""
        words = tuple(_WORD.findall(name))
        if not words or "@" in name or len(name) < _SHORTEST or name.isdigit():
            return
        if _UNSPACED.search(name):
            self._unspaced.append((name, name))
        self._by_words[words] = name

    def link_of(self, name: str) -> str:
        """The link to the note that goes by this very name, "" for none or several."""
        return self._exact.get(fold(name.strip()), "")

    def find(self, text: str) -> list[str]:
        """The links to the notes that a text names, in its order, each once.

        Of names that begin at one word the longest is meant.
        """
        folded = fold(text)
        found: list[tuple[int, str]] = []
        words = [(match[0], match.start()) for match in _WORD.finditer(folded)]
        at = 0
        while at < len(words):
            step = 1
            for length in range(min(self._longest, len(words) - at), 0, -1):
                name = self._by_words.get(tuple(w for w, _ in words[at : at + length]))
                if name is not None:
                    found.append((words[at][1], self._exact[name]))
                    step = length
                    break
            at += step
        taken: list[tuple[int, int]] = []
        for name, _ in self._unspaced if _UNSPACED.search(folded) else ():
            place = folded.find(name)
            if place >= 0 and not any(a <= place < b for a, b in taken):
                taken.append((place, place + len(name)))
                found.append((place, self._exact[name]))
        return list(dict.fromkeys(link for _, link in sorted(found) if link))


def link_to(path: str, names: Iterable[Name]) -> str:
    """The link that Obsidian resolves to the note at `path`, "" where none can.

    `names` are those that share the note's key: its file name alone will do unless
    another file has it too.
    """
    whole = path[:-3] if path[-3:].lower() == ".md" else path
    stem = whole.rpartition("/")[2]
    if _BREAKS_LINK.search(whole):
        return ""
    key = target_key(stem)
    twins = {n.path for n in names if n.kind == "path" and n.key == key} - {path}
    return f"[[{whole if twins else stem}]]"
