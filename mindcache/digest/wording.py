"""The words of notes, counted: what a topic's terms and subjects are chosen from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from mindcache.cache.read import Reader
from mindcache.digest.group import Pool
from mindcache.index.topics import (
    Background,
    Speech,
    Subject,
    Text,
    Vocabulary,
    count,
    listen,
)
from mindcache.plain import plain_text
from mindcache.text import analyze
from mindcache.text.stopwords import STOPWORDS

__all__ = ["Wording"]

# Notes whose words say how common a word is in the vault, and notes that speak for one
# topic: evenly chosen, more of them change no title.
_BACKGROUND = 500
_SPEAKERS = 60
# Notes that say for one that has its title already what it is about now.
_FEWER = 20

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ENGLISH = STOPWORDS["en"]
# What may stand in a title and in a list with commas.
_NAME = re.compile(r"[\w .&'’+-]{2,60}")
# What nobody says: code, addresses, what a template or a plugin fills in, and lines
# that hold a property (`type:: book`).
_FENCE = re.compile(
    r"^[ \t>]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*\1|\Z)", re.MULTILINE | re.DOTALL
)
_UNSAID = re.compile(
    r"\w+://\S+|\{\{.*?\}\}|<%.*?%>|!\[\[.*?\]\]|^[ \t>*+-]*[\w .-]{1,40}::.*$|^#\+\w.*$",
    re.MULTILINE,
)
# More of a note is not looked at: see `words.count`.
_READ = 3_000


class Wording:
    """What notes of a pool say, read when it is first asked for."""

    def __init__(self, reader: Reader, pool: Pool) -> None:
        self._reader = reader
        self._pool = pool
        self._stems: dict[tuple[str, str], str] = {}

    def terms(self, nodes: Sequence[int]) -> list[str]:
        """The terms that tell these notes from the others, the most telling first."""
        # Read anew for each topic: the texts of a large vault's are more than fits.
        chosen = _evenly(nodes, _SPEAKERS)
        return self._counted[0].distinctive([self._text(node) for node in chosen])

    def subjects(
        self, nodes: Sequence[int], *, is_new: bool, broad: bool
    ) -> list[Subject]:
        """The names and noun phrases that these notes share, the most telling first.

        Of a topic that is not `is_new` fewer notes are heard: it has its title. `broad`
        leaves out what only a part of the notes speaks of.
        """
        chosen = _evenly(nodes, _SPEAKERS if is_new else _FEWER)
        said = [self._speech(node) for node in chosen]
        return self._counted[1].subjects(said, broad=broad)

    def of_passages(
        self, parted: Mapping[int, Mapping[int, Sequence[int]]], topic: int
    ) -> tuple[list[str], list[Subject]]:
        """Terms and subjects of one of the topics into which the passages of notes are parted.

        What tells it from the others is told by these alone.
        """
        vocabulary, background = Vocabulary(), Background()
        spoken: list[tuple[Text, Speech]] = []
        for number, held in sorted(parted.items()):
            for node in _evenly([*held], _SPEAKERS):
                only = frozenset(held[node])
                text, speech = self._text(node, only), self._speech(node, only)
                vocabulary.add(text)
                background.add(speech)
                if number == topic:
                    spoken.append((text, speech))
        return (
            vocabulary.distinctive([text for text, _ in spoken]),
            background.subjects([speech for _, speech in spoken]),
        )

    @cached_property
    def _counted(self) -> tuple[Vocabulary, Background]:
        vocabulary, background = Vocabulary(), Background()
        for node in _evenly(range(len(self._pool.nodes)), _BACKGROUND):
            vocabulary.add(self._text(node))
            background.add(self._speech(node))
        return vocabulary, background

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

    def _text(self, at: int, only: frozenset[int] | None = None) -> Text:
        lines, stems, stop, names = self._said(at, only)
        return count("\n".join(lines), stems, stop, names)

    def _speech(self, at: int, only: frozenset[int] | None = None) -> Speech:
        return listen(*self._said(at, only))

    def _said(
        self, at: int, only: frozenset[int] | None
    ) -> tuple[list[str], Mapping[str, str], frozenset[str], Iterable[str]]:
        """A note's lines, their words' index terms, its stop words, whom it names.

        With `only`, those of some of its passages.
        """
        node = self._pool.nodes[at]
        chunks = [
            chunk
            for place, chunk in enumerate(self._reader.chunks_of(node.file_id))
            if only is None or place in only
        ]
        lang = node.lang or "en"
        lines = _lines(node.title, "\n".join(chunk.text for chunk in chunks))
        stop = STOPWORDS.get(lang, _ENGLISH) | _ENGLISH
        names = dict.fromkeys(self._called.get(at, ()))
        return lines, self._stems_of("\n".join(lines), lang), stop, names

    def _stems_of(self, text: str, lang: str) -> Mapping[str, str]:
        words = {match[0].casefold() for match in _WORD.finditer(text)}
        words |= {w.removesuffix("'s").removesuffix("’s") for w in words}
        return {word: self._stem(word, lang) for word in words}

    def _stem(self, word: str, lang: str) -> str:
        found = self._stems.get((word, lang))
        if found is None:
            terms = analyze(word, lang)
            found = self._stems[word, lang] = terms[0] if len(terms) == 1 else word
        return found


def _lines(title: str, markdown: str) -> list[str]:
    """A note's title, and line by line what it says."""
    text = _UNSAID.sub(" ", _FENCE.sub("\n", markdown[: 2 * _READ]))[:_READ]
    said = (plain_text(line) for line in text.split("\n") if line.strip())
    return [title.replace("_", " "), *(line for line in said if line)]


def _evenly(nodes: Sequence[int], most: int) -> list[int]:
    ordered = sorted(nodes)
    return ordered[:: max(1, -(-len(ordered) // most))]
