"""Which notes a text calls by name, and which of them hold now.

A note is named where its file name or an alias stands in the text, whole; what it
involves comes along, since a note about how two things depend on each other stands for
both. The name of a note that was superseded means the note that took its place.
"""

from __future__ import annotations

from collections.abc import Iterable

from mindcache.cache.read import Reader
from mindcache.links import fold
from mindcache.recall.question import Question

__all__ = ["named", "successors"]

# Words in the longest name that is looked for.
_LONGEST = 6
# Words of a text that are looked at: a question, or the beginning of a page.
_FIRST = 200
# What surrounds a name in a sentence. `C++`, `@scope` and `#tag` keep their signs.
_AROUND = ".,;:!?…()[]{}<>\"'“”„‘’«»*_`"
_POSSESSIVES = ("'s", "’s")
# A chain of notes that replaced each other is no longer than this, or a circle.
_LONGEST_CHAIN = 16


def named(question: Question, reader: Reader) -> set[int]:
    """The file ids of the notes that a question calls by name."""
    said = {term.text for term in question.terms}
    said |= {each.meant for each in question.misspelt}
    keys = {
        name
        for text in dict.fromkeys((question.text, question.spelt))
        for name in _names_in(text, said)
    }
    paths = {n.path for n in reader.names(keys) if n.kind != "id"}
    found = set(reader.file_ids(paths).values())
    replaced = successors(reader, found)
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


def successors(reader: Reader, file_ids: Iterable[int]) -> dict[int, int]:
    """Of these notes, those that were superseded, each with the one that holds now.

    Chains are followed to their end; a circle supersedes nothing.
    """
    step: dict[int, int] = {}
    ask = set(file_ids)
    for _ in range(_LONGEST_CHAIN):
        new = reader.superseding(ask)
        step.update(new)
        ask = set(new.values()) - step.keys()
        if not ask:
            break
    found = {}
    for old, new_one in step.items():
        seen, at = {old}, new_one
        while at in step and at not in seen:
            seen.add(at)
            at = step[at]
        if at not in seen:
            found[old] = at
    return found


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
