"""Which notes a text calls by name.

A note is named where its file name or an alias stands in the text, whole; what it
involves comes along, since a note about how two things depend on each other stands for
both. The name of a note that was superseded means the note that took its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from mindcache.cache.read import Reader
from mindcache.links import fold
from mindcache.recall.question import Question
from mindcache.recall.standing import successors

__all__ = ["named"]

# Words in the longest name that is looked for.
_LONGEST = 6
# Words of a text that are looked at: a question, or the beginning of a page.
_FIRST = 200
# What surrounds a name in a sentence. `C++`, `@scope` and `#tag` keep their signs.
_AROUND = ".,;:!?…()[]{}<>\"'“”„‘’«»*_`"
_POSSESSIVES = ("'s", "’s")


def named(question: Question, reader: Reader, then: datetime | None = None) -> set[int]:
    """The file ids of the notes that a question calls by name, as of `then`."""
    said = {term.text for term in question.terms}
    said |= {each.meant for each in question.misspelt}
    keys = {
        name
        for text in dict.fromkeys((question.text, question.spelt))
        for name in _names_in(text, said)
    }
    paths = {n.path for n in reader.names(keys) if n.kind != "id"}
    found = set(reader.file_ids(paths).values())
    replaced = successors(reader, found, then)
    found = {replaced.get(file_id, file_id) for file_id in found}
    return found | _involved(reader, found)


def _names_in(text: str, said: set[str]) -> Iterable[str]:
    """Every row of words that could be a name; none of function words alone."""
    words = [fold(word.strip(_AROUND)) for word in text.split()[:_FIRST]]
    bare = [_without_possessive(word) for word in words]
    for at in range(len(words)):
        for end in range(at + 1, min(at + _LONGEST, len(words)) + 1):
            row = words[at:end]
            if not all(row):
                break
            forms = {" ".join(row), " ".join([*row[:-1], bare[end - 1]])}
            for form in forms:
                if not form.isalpha() or form in said:
                    yield form


def _without_possessive(word: str) -> str:
    for ending in _POSSESSIVES:
        word = word.removesuffix(ending)
    return word


def _involved(reader: Reader, file_ids: set[int]) -> set[int]:
    """The notes that these involve."""
    paths = reader.paths(file_ids)
    edges = reader.edges_of(paths.values())
    out = {
        target
        for source, target, relation, *_ in edges
        if relation == "involves" and source in set(paths.values())
    }
    return set(reader.file_ids(out).values())
