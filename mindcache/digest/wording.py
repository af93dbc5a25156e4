"""The words of notes, counted: what a topic's terms are chosen from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from mindcache.cache.read import Reader
from mindcache.digest.group import Pool
from mindcache.index.topics import Text, Vocabulary, count
from mindcache.plain import plain_text
from mindcache.text import analyze
from mindcache.text.stopwords import STOPWORDS

__all__ = ["Wording"]

# Notes whose words say how common a word is in the vault, and notes that speak for one
# topic: evenly chosen, more of them change no title.
_BACKGROUND = 500
_SPEAKERS = 60

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ENGLISH = STOPWORDS["en"]
# What may stand in a title and in a list with commas.
_NAME = re.compile(r"[\w .&'’+-]{2,60}")
_ADDRESS = re.compile(r"\w+://\S+")
# More of a note is not looked at: see `words.count`.
_READ = 3_000


class Wording:
    """What notes of a pool say, read when it is first asked for."""

    def __init__(self, reader: Reader, pool: Pool) -> None:
        self._reader = reader
        self._pool = pool
        self._texts: dict[int, Text] = {}
        self._stems: dict[tuple[str, str], str] = {}

    def terms(self, nodes: Sequence[int]) -> list[str]:
        """The terms that tell these notes from the others."""
        chosen = _evenly(nodes, _SPEAKERS)
        return self._vocabulary.distinctive([self._text(node) for node in chosen])

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        vocabulary = Vocabulary()
        for node in _evenly(range(len(self._pool.nodes)), _BACKGROUND):
            vocabulary.add(self._text(node))
        return vocabulary

    @cached_property
    def _called(self) -> dict[int, list[str]]:
        """The known things that each note links to, by their names."""
        titles = {
            n.path: n.title
            for n in self._pool.nodes
            if n.type == "entity" and _NAME.fullmatch(n.title)
        }
        found: dict[int, list[str]] = {}
        for source, target, _, _, _ in self._reader.edges():
            if target in titles and source in self._pool.places:
                found.setdefault(self._pool.places[source], []).append(titles[target])
        return found

    def _text(self, at: int) -> Text:
        known = self._texts.get(at)
        if known is None:
            node = self._pool.nodes[at]
            chunks = self._reader.chunks_of(node.file_id)
            text = _ADDRESS.sub(
                " ", "\n".join([node.title, *(plain_text(c.text) for c in chunks)])
            )[:_READ]
            lang = node.lang or "en"
            words = {match[0].casefold() for match in _WORD.finditer(text)}
            words |= {w.removesuffix("'s").removesuffix("’s") for w in words}
            stems = {word: self._stem(word, lang) for word in words}
            stop = STOPWORDS.get(lang, _ENGLISH) | _ENGLISH
            names = dict.fromkeys(self._called.get(at, ()))
            known = self._texts[at] = count(text, stems, stop, names)
        return known

    def _stem(self, word: str, lang: str) -> str:
        found = self._stems.get((word, lang))
        if found is None:
            terms = analyze(word, lang)
            found = self._stems[word, lang] = terms[0] if len(terms) == 1 else word
        return found


def _evenly(nodes: Sequence[int], most: int) -> list[int]:
    ordered = sorted(nodes)
    return ordered[:: max(1, -(-len(ordered) // most))]
