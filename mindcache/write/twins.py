"""Whether a note that is about to be written says what another one says already.

Pure: texts and their cosine in, a verdict out. Near means the same words in the same
order with nearly the same meaning; another number, date or negation, or a word on
each side that the other lacks, makes two facts of them.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from datetime import datetime
from typing import Literal

from mindcache.text import analyze, detect_language, fold, query_terms
from mindcache.when import find_phrases

__all__ = ["Verdict", "judge", "normal", "same_name"]

Verdict = Literal["same", "near", ""]

# Where pairs of sentences that people call the same begin to outweigh the rest by
# far (MRPC, STS-B; see `judge`). Word by word nearness alone calls too much a twin.
COSINE = 0.90
SHARED = 0.70
IN_ORDER = 0.80

# Longer texts are compared by their beginning: a twin has that too.
_LONGEST = 4_000

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t"
    r"|nicht|kein\w*|nie|niemals|niemand|nichts|ohne"
    r"|ne|pas|jamais|aucune?|rien|sans|nunca|ninguna?|ningún|nada|sin)\b"
    r"|[不没沒無无未非]|ない|ません",
    re.IGNORECASE,
)
# Small words that turn a sentence round, and that stop words are otherwise.
_SIDES = re.compile(
    r"\b(?:on|off|up|down|under|over|above|below|before|after|into|out"
    r"|vor|nach|über|unter|aus|avant|après|sur|sous|antes|después|sobre|bajo)\b"
    r"|[上下前後后]",
    re.IGNORECASE,
)
_UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})
_LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")


def normal(text: str) -> str:
    """The letters and digits of a text, folded: what equal texts have in common."""
    return "".join(filter(str.isalnum, fold(text)))


def same_name(one: str, other: str) -> bool:
    """Whether two names are one in different conventions: "Site Roadmap", site-roadmap.

    Signs that tell names apart (C, C++, C#) stay.
    """
    return bool(_plain_name(one)) and _plain_name(one) == _plain_name(other)


def _plain_name(name: str) -> str:
    text = unicodedata.normalize("NFC", fold(name))
    return "".join(c for c in text if not c.isspace() and c not in "-_–—.,'’\"()")


def judge(new: str, old: str, cosine: float, now: datetime) -> Verdict:
    """Whether two plain texts are the same, nearly the same, or neither ("").

    `cosine` is that of their vectors; `now` is what phrases such as "tomorrow" in
    both are relative to.
    """
    new, old = new[:_LONGEST], old[:_LONGEST]
    plain = normal(new)
    if plain and plain == normal(old):
        return "same" if _signs(new) == _signs(old) else ""
    if cosine < COSINE or not _agree(new, old, now):
        return ""
    mine, theirs = _terms(new), _terms(old)
    shared = len(set(mine) & set(theirs))
    every = len(set(mine) | set(theirs))
    if not every or shared / every < SHARED or _each_says_more(mine, theirs):
        return ""
    order = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    return "near" if order.ratio() >= IN_ORDER else ""


def _signs(text: str) -> Counter[str]:
    """Signs that mean something where letters and digits are the same: -5, C++."""
    return (
        Counter(c for c in text if c in "+-=<>%$€£#@") if len(text) < 80 else Counter()
    )


def _agree(new: str, old: str, now: datetime) -> bool:
    """Whether numbers, dates, negations and sides are the same."""
    if Counter(_NUMBER.findall(new)) != Counter(_NUMBER.findall(old)):
        return False
    if len(_NEGATION.findall(new)) != len(_NEGATION.findall(old)):
        return False
    if set(map(fold, _SIDES.findall(new))) != set(map(fold, _SIDES.findall(old))):
        return False
    return _dates(new, now) == _dates(old, now)


def _dates(text: str, now: datetime) -> set[object]:
    return {phrase.interval for phrase in find_phrases(text, now, _LANGUAGES)}


def _terms(text: str) -> list[str]:
    """The stems of a text without its stop words, in their order.

    Where words have no spaces between them, each character stands for itself.
    """
    language = detect_language(text)
    if language in _UNSPACED:
        return list(normal(text))
    terms = analyze(text, language)
    kept = {t for term in query_terms(text, [language]) for t in term.terms}
    return [t for t in terms if t in kept] or terms


def _each_says_more(mine: list[str], theirs: list[str]) -> bool:
    """Whether each side has a word that the other has not, not even misspelled."""
    only_mine = sorted(set(mine) - set(theirs))
    only_theirs = sorted(set(theirs) - set(mine))

    def lacks(word: str, others: list[str]) -> bool:
        return not difflib.get_close_matches(word, others, n=1, cutoff=0.8)

    return any(lacks(w, only_theirs) for w in only_mine) and any(
        lacks(w, only_mine) for w in only_theirs
    )
