"""Sentences of a passage, and whether one says anything in its own name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Sentence", "is_foreign", "sentences_of"]

_END = re.compile(r"(?:(?<![.!?…])[.!?…]++|\n[ \t]*\n)[\"'”’)\]*_]*(?=\s|$|\()")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|e\.g|i\.e|etc|approx|No|a\.m|p\.m|U\.S)"
    r"|\b[A-Z])\.$"
)
_LONGEST_ABBREVIATION = 8
_LEAD = re.compile(
    r"(?:(?:hey|hi|hello|wow|whoa|yeah|yes|yep|yup|oh|ooh|ah|aw|aww|well|so|thanks"
    r"|thank you|thx|btw|by the way|actually|also|and|but|anyway|honestly|totally"
    r"|absolutely|definitely|sure|cool|great|awesome|nice|ok|okay|right|true|haha"
    r"|plus|for sure|of course|guess what|you know what|no|hmm|you bet|exactly)\b"
    r"(?: (?:so much|a lot|a bunch|there|again))*)",
    re.IGNORECASE,
)
_STOP = re.compile(r"\s*(?:[,!.:;~–—-]+(?=\s)|(?<=[,!]))\s*")
_CONJUNCTION = re.compile(r"(?:and|so|but|also|well|plus|then)\s+", re.IGNORECASE)

# An order to whoever reads it: stored text acts as no instruction, and is no fact.
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier"
    r"|instructions?|rules|prompts?)\b|\bsystem prompt\b|\bas an ai\b|\bjailbreak\b"
    r"|\b(?:assistant|agent|model|ai) (?:must|should|shall|has to)\b",
    re.IGNORECASE | re.DOTALL,
)
# Characters that nobody sees; those that join emoji are no disguise.
_UNSEEN = re.compile(
    "[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u00ad\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without what leads into it; `start` and `end` are in the passage."""

    start: int
    end: int
    text: str
    is_question: bool


def is_foreign(text: str) -> bool:
    """Whether a text gives orders to its reader, or hides characters in itself."""
    return bool(_UNSEEN.search(text) or _ORDERS.search(text))


def sentences_of(text: str, people: tuple[str, ...] = ()) -> Iterator[Sentence]:
    """The sentences of a text in its order.

    Greetings, interjections and the name of whoever is spoken to are left out of their
    front. `people` are those who speak.
    """
    at = 0
    for match in _END.finditer(text):
        near = max(at, match.start() - _LONGEST_ABBREVIATION)
        if _ABBREVIATION.search(text, near, match.start() + 1):
            continue
        yield from _sentence(text, at, match.end(), people)
        at = match.end()
    yield from _sentence(text, at, len(text), people)


def _sentence(
    text: str, start: int, end: int, people: tuple[str, ...]
) -> Iterator[Sentence]:
    whole = text[start:end]
    start += len(whole) - len(whole.lstrip())
    end = start + len(whole.strip())
    start = _behind_lead(text, start, end, _names(people))
    if start < end:
        shown = text[start:end]
        yield Sentence(start, end, shown, "?" in shown[-4:])


@lru_cache(maxsize=64)
def _names(people: tuple[str, ...]) -> re.Pattern[str]:
    """What the people may be called: their names, first names, and short ones."""
    names = {part for name in people for part in (name, name.split()[0]) if part}
    short = {name[:length] for name in names for length in (3, 4) if len(name) > length}
    every = sorted(names | short, key=lambda n: (-len(n), n))
    return re.compile("|".join(map(re.escape, every)) + r"\b" if every else r"(?!)")


def _behind_lead(text: str, start: int, end: int, names: re.Pattern[str]) -> int:
    """Behind "Hey Ann, well, " and "And "."""
    while start < end:
        at = start
        lead = _LEAD.match(text, at, end)
        at = lead.end() if lead else at
        space = at + 1 if lead and text[at : at + 1] == " " else at
        name = names.match(text, space, end)
        at = name.end() if name else at
        if at == start:
            return start
        stop = _STOP.match(text, at, end)
        if stop and stop.end() > at:
            start = stop.end()
            continue
        word = _CONJUNCTION.match(text, start, end)
        return word.end() if word else start
    return start
