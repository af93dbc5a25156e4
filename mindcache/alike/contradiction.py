"""Whether two notes speak against each other, and in what. Pure.

Three grounds, and a mention of the same person is none: two values of one attribute
(`attributes`), the same sentence said and denied, the same sentence with another
number in it. None proves that a note is wrong: that is for a person to say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from mindcache.alike.attributes import Slot, clash, slots_of
from mindcache.alike.nouns import LABELS
from mindcache.alike.patterns import UNSURE
from mindcache.alike.reading import Wording
from mindcache.alike.sentences import sentences_of
from mindcache.text import fold

__all__ = ["Conflict", "Told", "find_conflict"]

DENIAL: Final = 0.6
"""Jaccard of the content words of a sentence and of one that denies it, at the least.
Fitted on one half of SICK's training pairs, reported on the other."""

NEAR: Final = 0.7
"""Cosine of the two, at the least."""

_LONGEST: Final = 60
"""Words of a note that is one statement; of a longer one only the slots are compared."""

_MOST: Final = 600
"""Characters of a text that may be one statement, links written out."""

_TOKEN: Final = re.compile(r"\d+(?:[.,:/\-]\d+)*|[^\W\d_]+")
_DATE: Final = re.compile(r"\d+[:/\-]\d+|\d+\.\d+\.|(?:19|20)\d\d")
_PAST: Final = re.compile(
    r"\b(?:was|were|met|ran|bought|went|had|did|got|paid|sold|saw|made|took|came|spent"
    r"|\w{3,}ed)\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"(\d+(?:[.,]\d+)*)\s+[^\W\d_]")
_OF_ONE: Final = (
    "a|an|the|one|another|his|her|its|their|my|our|some|ein|eine|einen|der|die|das"
)
_AHEAD: Final = 2
"""Words in front of a number that is no name: "5 km" alone tells of nothing."""


class Told(NamedTuple):
    """What a note tells: its slots, and its wording where it is one statement."""

    slots: tuple[Slot, ...]
    text: str
    wording: Wording | None

    @property
    def is_claim(self) -> bool:
        """Whether a statement says what is: no question, no perhaps, no used-to-be."""
        return not (self.text.endswith("?") or UNSURE.search(self.text))

    @classmethod
    def of(
        cls,
        text: str,
        said: datetime | None = None,
        *,
        lang: str = "",
        subject: str = "",
        title: str = "",
        properties: Mapping[str, object] | None = None,
    ) -> Told:
        """What a Markdown text tells.

        `subject` is whom it is about, "" for nobody; `title` tells apart what stands
        under it; the rest as of `slots_of` and `Wording.of`.
        """
        slots = slots_of(text, said, subject, properties, title)
        if len(text) > _MOST:
            return cls(tuple(slots), "", None)
        plain = " ".join(sentences_of(text))
        if not 0 < len(plain.split()) <= _LONGEST:
            return cls(tuple(slots), "", None)
        return cls(tuple(slots), plain, Wording.of(plain, lang, title))


class Conflict(NamedTuple):
    """Why two notes can't both hold, and the words of each that say so."""

    reason: str
    first: str
    second: str


def find_conflict(a: Told, b: Told, cosine: float) -> Conflict | None:
    """What speaks against each other in two notes; `cosine` is that of their vectors.

    Symmetric, but for the order of the words.
    """
    shared = [*_pairs(a.slots, b.slots)]
    for one, other in shared:
        if clash(one, other):
            return Conflict(_reason(one, other), one.words, other.words)
    if any(
        one.denies == other.denies and not _counts_differ(one, other)
        for one, other in shared
    ):
        return None  # they agree in what they are about
    if a.wording is None or b.wording is None or cosine < NEAR:
        return None
    reason = _denied(a.wording, b.wording) or _other_number(a, b)
    return Conflict(reason, a.text, b.text) if reason else None


def _pairs(
    ours: tuple[Slot, ...], theirs: tuple[Slot, ...]
) -> Iterator[tuple[Slot, Slot]]:
    by_name: dict[tuple[str, str], list[Slot]] = {}
    for slot in theirs:
        by_name.setdefault((slot.subject, slot.attribute), []).append(slot)
    for slot in ours:
        for other in by_name.get((slot.subject, slot.attribute), ()):
            yield slot, other


def _counts_differ(one: Slot, other: Slot) -> bool:
    """Whether of what there may be many two sentences say how many, and not as many."""
    counts = _count(one), _count(other)
    return one.many and all(counts) and counts[0] != counts[1]


def _count(slot: Slot) -> str:
    """The number of things that a value begins with, "" for a kind or a name of one."""
    match = _COUNTED.match(slot.value)
    if match is None:
        return ""
    # "A 27 inch screen" is one of several.
    of_one = rf"\b(?:{_OF_ONE})\s+{re.escape(match[1])}\b"
    return "" if re.search(of_one, fold(slot.words)) else match[1]


def _reason(one: Slot, other: Slot) -> str:
    name = f"{one.attribute} of {one.subject}"
    if one.denies != other.denies:
        return f"{name}: {one.value} is said and denied"
    first, second = sorted((one.value, other.value))
    return f"{name}: {first} / {second}"


def _denied(a: Wording, b: Wording) -> str:
    """The same said and denied, nothing else being different."""
    if (a.negations % 2) == (b.negations % 2) or _subjects_differ(a, b):
        return ""
    mine, yours = set(a.content), set(b.content)
    if not mine or not yours or len(mine & yours) < DENIAL * len(mine | yours):
        return ""
    is_same = Counter(a.numbers) == Counter(b.numbers) and not (
        a.times - b.times and b.times - a.times
    )
    return "one denies what the other says" if is_same else ""


def _subjects_differ(a: Wording, b: Wording) -> bool:
    known = {*a.terms, *b.terms}
    return bool(a.context - b.context - known and b.context - a.context - known)


def _other_number(a: Told, b: Told) -> str:
    """The same sentence, about what is, with one other number that is no name."""
    one, other = a.wording, b.wording
    if one is None or other is None or _subjects_differ(one, other):
        return ""
    mine = [*(Counter(one.numbers) - Counter(other.numbers)).elements()]
    yours = [*(Counter(other.numbers) - Counter(one.numbers)).elements()]
    if len(mine) != 1 or len(yours) != 1 or one.times != other.times:
        return ""
    first, second = _without(a.text, mine[0]), _without(b.text, yours[0])
    if not first or first != second or not (_tells_of_now(a) and _tells_of_now(b)):
        return ""
    if _DATE.fullmatch(mine[0]) or _DATE.fullmatch(yours[0]):
        return ""
    pair = sorted((mine[0], yours[0]))
    return f"numbers differ: {pair[0]} / {pair[1]}"


def _tells_of_now(told: Told) -> bool:
    """Whether it says how things are: what happened twice is no contradiction."""
    return told.is_claim and not _PAST.search(told.text)


def _without(text: str, number: str) -> tuple[str, ...]:
    """The words with a gap in place of the number, () where that is a name."""
    tokens = _TOKEN.findall(fold(text).replace(",", ""))
    if number not in tokens:
        return ()
    at = tokens.index(number)
    before = tokens[at - 1] if at else ""
    if at <= _AHEAD or before in LABELS or before.rstrip("s") in LABELS:
        return ()
    return (*tokens[:at], "", *tokens[at + 1 :])
