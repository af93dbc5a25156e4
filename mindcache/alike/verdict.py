"""Whether two short texts say the same: the one judge of duplicates. Pure.

Used where an answer shows one of many wordings, and wherever else a text must not
come twice. To take two facts for one loses a fact; to keep two wordings apart costs a
line. So whatever a fact can turn on decides against: a number, a day or month, a
name, a negation, a direction ("before", "after"), a word that stands in another's
place. Nearness in meaning, which the caller brings, only confirms: static vectors
hold Monday for Tuesday and "dark" for "light". The words are in `words`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from mindcache.alike.early import CLOSE, NEAR
from mindcache.alike.reading import Wording
from mindcache.alike.words import AFTER

__all__ = ["Kind", "More", "Verdict", "judge"]

Kind = Literal["alike", "contradicting", "different"]
More = Literal["", "a", "b"]

_SHARED: Final = 0.6
"""Least Jaccard of content words, as measured on pairs of news sentences."""

_LONG_WORD: Final = 6
"""Letters from which on a word with two neighbours swapped is one mistyped; "from" and
"form" are two words."""

_EXACT: Final = ("numbers", "signs")
"""What must be in both texts as often, where it is in either."""

_SAME_MATTER: Final = 0.5
"""Jaccard from which two texts are about the same, so that a value that differs is
one of the two being wrong or outdated."""


class Verdict(NamedTuple):
    """What two texts are to each other, and why, in words.

    `contradicting` is said where both are about the same and a value differs; it is
    a reason to keep them apart, no proof that one is wrong. `more` tells which of two
    that are alike has words that the other lacks: "a", "b", or "" for neither.
    """

    kind: Kind
    reason: str
    more: More = ""

    @property
    def is_alike(self) -> bool:
        """Whether both say the same, but for words that one of them adds."""
        return self.kind == "alike"

    @property
    def covers(self) -> bool:
        """Whether the first may stand for both: it says all that the second does."""
        return self.kind == "alike" and self.more != "b"


def judge(a: Wording, b: Wording, cosine: float) -> Verdict:
    """Whether two texts say the same; `cosine` is that of their vectors, -1..1.

    Symmetric, but for `more`. Alike are texts of equal words, and such whose content
    words are the same (`NEAR`) or mostly the same (`CLOSE`), as long as nothing
    differs that a fact may turn on. Contradicting needs half of the words in common,
    and such a difference. The meaning of scripts without spaces is not asked for:
    the model that ships hardly knows them.
    """
    if subjects := _subjects(a, b):
        return Verdict("different", subjects)
    if a.terms == b.terms and a.numbers == b.numbers and a.signs == b.signs:
        return Verdict("alike", "the same words")
    meant = 1.0 if a.is_unspaced and b.is_unspaced else cosine
    shared = _jaccard(a.content, b.content)
    if meant < NEAR or shared < _SHARED / 2:
        return Verdict("different", "about different things")
    if difference := _difference(a, b):
        kind: Kind = "contradicting" if shared >= _SAME_MATTER else "different"
        return Verdict(kind, difference)
    if apart := _replaced(a, b) or _addition(a, b):
        return Verdict("different", apart)
    return _without_difference(a, b, shared, meant)


def _without_difference(a: Wording, b: Wording, shared: float, meant: float) -> Verdict:
    """The verdict on texts of which at most one says more."""
    in_common = f"{shared:.0%} of the words in common"
    if shared == 1.0:
        return Verdict("alike", "the same words in another order")
    # In a language without lists, a word more may be the one that denies.
    if shared < _SHARED or not (a.is_guarded and b.is_guarded):
        return Verdict("different", in_common)
    if meant < CLOSE:
        return Verdict("different", f"not near enough in meaning: {meant:.2f}")
    says_more = len(set(a.content)) > len(set(b.content))
    return Verdict("alike", in_common, "a" if says_more else "b")


# -- what differs -------------------------------------------------------------


def _subjects(a: Wording, b: Wording) -> str:
    """How the titles say that the texts are about two things, "" if they don't."""
    known = {*a.terms, *b.terms}
    ours, theirs = a.context - b.context - known, b.context - a.context - known
    return _versus("subjects", ours, theirs) if ours and theirs else ""


def _difference(a: Wording, b: Wording) -> str:
    """A value that differs between two texts about the same, "" without one."""
    for what, ours, theirs in (
        ("numbers", Counter(a.numbers), Counter(b.numbers)),
        ("signs", Counter(a.signs), Counter(b.signs)),
        ("times", Counter(a.times), Counter(b.times)),
        ("words", Counter(a.directions), Counter(b.directions)),
        ("names", Counter(_own_names(a, b)), Counter(_own_names(b, a))),
    ):
        # Of some each must be there; of the rest, either has one of its own.
        apart = ours != theirs if what in _EXACT else ours - theirs and theirs - ours
        if ours and theirs and apart:
            return _versus(what, ours.elements(), theirs.elements())
    if a.negations != b.negations:
        return "one denies what the other says"
    return "the same words in other places" if _is_swapped(a, b) else ""


def _addition(a: Wording, b: Wording) -> str:
    """What only one of the texts gives and a fact may turn on, "" without it."""
    for mine, yours in ((a, b), (b, a)):
        more = (
            *(Counter(mine.numbers) - Counter(yours.numbers)).elements(),
            *(Counter(mine.signs) - Counter(yours.signs)).elements(),
            *sorted(mine.times - yours.times),
            # That it comes after may go without saying.
            *sorted(mine.directions - yours.directions - AFTER),
            *_own_names(mine, yours),
        )
        if more:
            return f"only one says {' '.join(more[:3])}"
    return ""


def _versus(what: str, ours: Iterable[str], theirs: Iterable[str]) -> str:
    # In a fixed order, so that either way round gives the same words.
    first, second = Counter(ours), Counter(theirs)
    sides = sorted(
        " ".join(sorted((mine - yours).elements())[:3]) or "none"
        for mine, yours in ((first, second), (second, first))
    )
    return f"{what} differ: {sides[0]} / {sides[1]}"


def _own_names(a: Wording, b: Wording) -> tuple[str, ...]:
    known = {*b.names, *b.terms}
    return tuple(name for name in dict.fromkeys(a.names) if name not in known)


def _is_swapped(a: Wording, b: Wording) -> bool:
    """Whether the same words behind "from" or "on", or names, have changed places."""
    known = set(a.content) & set(b.content)
    for mark in a.phrases.keys() & b.phrases.keys():
        ours, theirs = a.phrases[mark], b.phrases[mark]
        if ours and theirs and not ours & theirs and known >= ours | theirs:
            return True
    first = [name for name in dict.fromkeys(a.roles) if name in b.roles]
    second = [name for name in dict.fromkeys(b.roles) if name in a.roles]
    if first != second:
        return True
    return sorted(a.terms) == sorted(b.terms) and _is_exchange(a.content, b.content)


def _is_exchange(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether two words stand in each other's place around others that stay.

    "The man pushes the child" is not "the child pushes the man".
    """
    first, second = list(dict.fromkeys(ours)), list(dict.fromkeys(theirs))
    moved = [
        at
        for at, pair in enumerate(zip(first, second, strict=False))
        if pair[0] != pair[1]
    ]
    return len(first) == len(second) and len(moved) == 2 and moved[1] - moved[0] > 1


def _replaced(a: Wording, b: Wording) -> str:
    """The content words that stand where the other text has others, if any do.

    "Tabs" for "spaces" changes the fact, "resides" for "lives" does not, and no list
    or vector tells them apart: either keeps the texts apart.
    """
    mine, yours = set(a.content) - set(b.content), set(b.content) - set(a.content)
    for word in sorted(mine):
        mistyped = next((w for w in sorted(yours) if _is_slip(word, w)), "")
        if mistyped:
            mine.discard(word)
            yours.discard(mistyped)
    return _versus("words", mine, yours) if mine and yours else ""


def _is_slip(one: str, other: str) -> bool:
    """Whether one long word is the other with two neighbouring letters swapped."""
    if len(one) != len(other) or len(one) < _LONG_WORD:
        return False
    apart = [
        at for at, pair in enumerate(zip(one, other, strict=True)) if len({*pair}) > 1
    ]
    return (
        len(apart) == 2
        and apart[1] - apart[0] == 1
        and one[apart[0]] == other[apart[1]]
        and one[apart[1]] == other[apart[0]]
    )


def _jaccard(a: Iterable[str], b: Iterable[str]) -> float:
    mine, yours = set(a), set(b)
    both = mine | yours
    return len(mine & yours) / len(both) if both else 0.0
