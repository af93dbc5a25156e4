"""Whether two short texts say the same: the one judge of duplicates. Pure.

Used where an answer shows one of many wordings, and wherever else a text must not
come twice. To take two facts for one loses a fact; to keep two wordings apart costs a
line. So whatever a fact can turn on decides against: a number, a day or month, a
name, a negation, a direction ("before", "after"), a word that stands in another's
place. Nearness in meaning, which the caller brings, only confirms: static vectors
hold Monday for Tuesday and "dark" for "light". The words are in `words`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from mindcache.alike.words import (
    AFTER,
    DIRECTIONS,
    ENDS,
    FRAMES,
    GUARDED,
    MARKS,
    NEGATIONS,
    SUBJECTS,
    TIMES,
    UNSPACED_DIRECTIONS,
    UNSPACED_FRAMES,
    UNSPACED_NEGATIONS,
    UNSPACED_NUMBERS,
)
from mindcache.text import analyze, fold
from mindcache.text.stopwords import STOPWORDS

__all__ = [
    "CLOSE",
    "NEAR",
    "Kind",
    "More",
    "Verdict",
    "Wording",
    "judge",
    "may_be_alike",
]

Kind = Literal["alike", "contradicting", "different"]
More = Literal["", "a", "b"]

NEAR: Final = 0.5
"""Cosine under which two texts are not one, whatever words they share. Texts of one
subject lie above it; nine wordings of a fact lie at .7 and above of each other."""

CLOSE: Final = 0.8
"""Cosine from which a text with a few words more than the other may be one with it."""

_SHARED: Final = 0.6
"""Least Jaccard of content words, as measured on pairs of news sentences."""

_SAME_MATTER: Final = 0.5
"""Jaccard from which two texts are about the same, so that a value that differs is
one of the two being wrong or outdated."""

_ENOUGH: Final = 3
"""Content words from which on a text is taken to say itself what it is about; one
with a subject of its own ("the user prefers …") says so with fewer."""

_READ: Final = 4_000
"""Characters that are compared; a longer text is no wording, and only equal to its
own copy."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TOKENS: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+(?:[.,:/\-]\d+)*")
_GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BLOCK_ID: Final = re.compile(r"(?m)(?:^|\s)\^[\w-]+[ \t]*$")
_DONE: Final = re.compile(r"\[x\]")
# Han, kana and Hangul.
_UNSPACED: Final = re.compile(
    "[\u3005-\u3007\u3041-\u30fa\u30fc-\u312f\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
# Letters of scripts for which the lists of words hold nothing.
_OTHER_SCRIPT: Final = re.compile("[\u0370-\u1dff\u2c00-\u2dff\ua640-\uabff]")
# A capital that no sentence gave: after a word or a comma, or inside of the word.
_NAME: Final = re.compile(
    r"(?<=[\w,;)'’\"”\]] )[\[\"“'(]*([^\W\d_a-z]\w*)"
    r"|(?<!\w)(\w*[a-z]\w*[A-Z]\w*)|(?<!\w)@([\w.-]+\w)|\[\[([^\]|#]+)"
)


@dataclass(frozen=True, slots=True)
class Wording:
    """What a text says, as far as two texts are compared. Made by `Wording.of`.

    `phrases` are, by a small word or number, the content words right behind it.
    `content` are stems (characters, in scripts without spaces) in reading order,
    without function words and such as "user" or "prefers"; the rest is what a fact
    turns on. `roles` are the names that no small word marks, `context` the words of
    a title that say what all of it is about.
    """

    terms: tuple[str, ...]
    content: tuple[str, ...]
    numbers: tuple[str, ...]
    times: frozenset[str]
    names: tuple[str, ...]
    roles: tuple[str, ...]
    negations: int
    directions: frozenset[str]
    phrases: Mapping[str, frozenset[str]]
    context: frozenset[str]
    is_unspaced: bool
    is_guarded: bool

    @classmethod
    def of(cls, text: str, lang: str = "", context: str = "") -> Wording:
        """The wording of a text; `lang` as `text.analyze` takes it.

        `context` is the title, or title and heading, that the text stands under:
        "likes hiking" below two names is two facts.
        """
        read = _BLOCK_ID.sub("", text[:_READ])
        folded = _GROUPED.sub("", fold(read))
        tokens = _TOKENS.findall(folded)
        unspaced = "".join(_UNSPACED.findall(folded))
        is_guarded = lang[:2] in GUARDED and not _OTHER_SCRIPT.search(folded)
        content = _content(folded, unspaced, lang, drop=is_guarded)
        names = _names(read)
        is_brief = len(set(content)) < _ENOUGH and SUBJECTS.isdisjoint(tokens)
        return cls(
            terms=tuple(analyze(_BLOCK_ID.sub("", text), lang)),
            content=content,
            numbers=_numbers(folded, unspaced),
            times=frozenset(map(_time, tokens)) - {""},
            names=tuple(name for name, _ in names),
            roles=tuple(name for name, is_marked in names if not is_marked),
            negations=sum(map(_is_negation, _WORD.findall(folded)))
            + len(UNSPACED_NEGATIONS.findall(unspaced)),
            directions=_directions(tokens, unspaced),
            phrases=_phrases(tokens, lang),
            context=_context(context, lang, strict=is_brief),
            is_unspaced=2 * len(unspaced) > len(folded.replace(" ", "")),
            is_guarded=is_guarded,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
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
    if a.terms == b.terms and a.numbers == b.numbers:
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


def may_be_alike(a: str, b: str) -> bool:
    """Whether two texts are worth being read: `judge` costs ten times as much.

    Never false for texts that `judge` would call alike.
    """
    first, second = (fold(_BLOCK_ID.sub("", text[:_READ])) for text in (a, b))
    if first == second:
        return True
    numbers = (sorted(_NUMBER.findall(_GROUPED.sub("", t))) for t in (first, second))
    return next(numbers) == next(numbers)


def _without_difference(a: Wording, b: Wording, shared: float, meant: float) -> Verdict:
    """The verdict on texts of which at most one says more."""
    in_common = f"{shared:.0%} of the words in common"
    if shared == 1.0:
        return Verdict("alike", in_common)
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
        ("times", Counter(a.times), Counter(b.times)),
        ("words", Counter(a.directions), Counter(b.directions)),
        ("names", Counter(_own_names(a, b)), Counter(_own_names(b, a))),
    ):
        # Of numbers each must be there; of the rest, either has one of its own.
        apart = ours != theirs if what == "numbers" else ours - theirs and theirs - ours
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
    mine, yours = set(a.content), set(b.content)
    if mine - yours and yours - mine:
        return _versus("words", mine, yours)
    return ""


def _jaccard(a: Iterable[str], b: Iterable[str]) -> float:
    mine, yours = set(a), set(b)
    both = mine | yours
    return len(mine & yours) / len(both) if both else 0.0


# -- reading ------------------------------------------------------------------


def _content(folded: str, unspaced: str, lang: str, *, drop: bool) -> tuple[str, ...]:
    """Content words in order, then characters; all words unless `drop`."""
    dropped = _dropped(lang[:2]) if drop else frozenset[str]()
    words = _UNSPACED.sub(" ", folded) if unspaced else folded
    kept = [t for t in analyze(words, lang) if t not in dropped and "_" not in t]
    return (*kept, *UNSPACED_FRAMES.sub("", unspaced))


def _numbers(folded: str, unspaced: str) -> tuple[str, ...]:
    """Every number that is given, ticked boxes among them, sorted."""
    found = _NUMBER.findall(folded) + _DONE.findall(folded)
    return tuple(sorted(found + UNSPACED_NUMBERS.findall(unspaced)))


def _directions(tokens: Iterable[str], unspaced: str) -> frozenset[str]:
    spaced = {"after" if token in AFTER else token for token in tokens}
    return frozenset(spaced & DIRECTIONS | set(UNSPACED_DIRECTIONS.findall(unspaced)))


def _phrases(tokens: Sequence[str], lang: str) -> dict[str, frozenset[str]]:
    """The content words right behind each small word or number that comes once."""
    dropped = _dropped(lang[:2])
    found: dict[str, frozenset[str]] = {}
    for at, mark in enumerate(tokens):
        if mark not in ENDS and not mark[0].isdigit():
            continue
        behind: list[str] = []
        for token in tokens[at + 1 : at + 6]:
            stems = [t for t in analyze(token, lang) if t not in dropped]
            if not stems and (behind or token in MARKS):
                break
            behind += stems
        found[mark] = frozenset() if mark in found else frozenset(behind)
    return found


def _time(token: str) -> str:
    """A word of time in its one form, "" for other words."""
    if token in TIMES:
        return token
    single = token.removesuffix("s")
    return single if single in TIMES else ""


def _is_negation(word: str) -> bool:
    return word.replace("'", "") in NEGATIONS or word.endswith("n't")


def _names(text: str) -> list[tuple[str, bool]]:
    """Names as index terms, in order, and whether a small word marks their role."""
    line = " ".join(text.split())
    found = []
    for match in _NAME.finditer(line):
        before = line[: match.start()].split()[-1:]
        mark = fold(before[0]).strip("\"'(") if before else ""
        is_marked = mark in MARKS or line[match.end() :].startswith(("'s", "’s"))
        name = next(part for part in match.groups() if part)
        if not _time(fold(name)):
            terms = analyze(name, "")
            found += [(term, is_marked) for term in terms if term not in _dropped("")]
    return found


def _context(text: str, lang: str, *, strict: bool) -> frozenset[str]:
    """What a title says that tells texts below it apart: names; `strict`: all words.

    A title whose every word has a capital is a name.
    """
    words = _TOKENS.findall(text)
    if not strict and not all(word[0].isupper() for word in words):
        words = [word for word in words[1:] if word[0].isupper()]
    kept = analyze(" ".join(words), lang)
    return frozenset(t for t in kept if t not in _dropped("") and "_" not in t)


@cache
def _dropped(lang: str) -> frozenset[str]:
    """The index terms of English and one other language that carry no fact."""
    return frozenset(
        term
        for each in ("en", lang)
        for word in (*FRAMES.get(each, "").split(), *STOPWORDS.get(each, ()))
        for term in (*analyze(word, lang), *analyze(word, each), fold(word))
    )
