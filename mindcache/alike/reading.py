"""What a text says, as far as two texts are compared: its wording. Pure.

Whatever a fact can turn on is read out: numbers, times, names, negations, directions,
signs. A cold question that folds one text pays for the loading of this: tuples rather
than dataclasses, and patterns that are made when they are first needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from mindcache.alike.early import BLOCK_ID, GROUPED, NUMBER, READ
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

__all__ = ["Wording", "dropped"]

_ENOUGH: Final = 3
"""Content words from which on a text is taken to say itself what it is about; one
with a subject of its own ("the user prefers …") says so with fewer."""

_WORD: Final = r"[^\W\d_]+(?:['’][^\W\d_]+)*"
_TOKENS: Final = re.compile(r"\w+")
_DONE: Final = "[x]"
# Signs that mean something beside a word or a number: C++, C#, -5, 5%.
_SIGN: Final = r"(?<![\w)])[-+<>=$€£](?=\d)|(?<=\w)(?:\+\+|[#%€$£])(?!\w)"
# Han, kana and Hangul.
_UNSPACED: Final = (
    "[\u3005-\u3007\u3041-\u30fa\u30fc-\u312f\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
# Letters of scripts for which the lists of words hold nothing.
_OTHER_SCRIPT: Final = "[\u0370-\u1dff\u2c00-\u2dff\ua640-\uabff]"
# A capital that no sentence gave: after a word or a comma, or inside of the word.
_NAME: Final = (
    r"(?<=[\w,;)'’\"”\]] )[\[\"“'(]*([^\W\d_a-z]\w*)"
    r"|(?<!\w)(\w*[a-z]\w*[A-Z]\w*)|(?<!\w)@([\w.-]+\w)|\[\[([^\]|#]+)"
)
_pattern = cache(re.compile)


class Wording(NamedTuple):
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
    signs: tuple[str, ...]
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
        read = BLOCK_ID.sub("", text[:READ])
        folded = GROUPED.sub("", fold(read))
        tokens = _TOKENS.findall(folded)
        is_ascii = folded.isascii()
        unspaced = "" if is_ascii else "".join(_pattern(_UNSPACED).findall(folded))
        is_guarded = lang[:2] in GUARDED and (
            is_ascii or not _pattern(_OTHER_SCRIPT).search(folded)
        )
        content = _content(folded, unspaced, lang, drop=is_guarded)
        names = _names(read)
        is_brief = len(set(content)) < _ENOUGH and SUBJECTS.isdisjoint(tokens)
        return cls(
            terms=tuple(analyze(BLOCK_ID.sub("", text), lang)),
            content=content,
            numbers=_numbers(folded, unspaced),
            signs=tuple(sorted(_pattern(_SIGN).findall(folded))),
            times=frozenset(map(time_word, tokens)) - {""},
            names=tuple(name for name, _ in names),
            roles=tuple(name for name, is_marked in names if not is_marked),
            negations=sum(map(_is_negation, _pattern(_WORD).findall(folded)))
            + _count(UNSPACED_NEGATIONS, unspaced),
            directions=_directions(tokens, unspaced),
            phrases=_phrases(tokens, lang),
            context=_context(context, lang, strict=is_brief),
            is_unspaced=2 * len(unspaced) > len(folded.replace(" ", "")),
            is_guarded=is_guarded,
        )


def _found(pattern: str, unspaced: str) -> list[str]:
    return _pattern(pattern).findall(unspaced) if unspaced else []


def _count(pattern: str, unspaced: str) -> int:
    return len(_found(pattern, unspaced))


def _content(folded: str, unspaced: str, lang: str, *, drop: bool) -> tuple[str, ...]:
    """Content words in order, then characters; all words unless `drop`."""
    frames = dropped(lang[:2]) if drop else frozenset[str]()
    words = _pattern(_UNSPACED).sub(" ", folded) if unspaced else folded
    kept = [t for t in analyze(words, lang) if t not in frames and "_" not in t]
    if not unspaced:
        return tuple(kept)
    return (*kept, *_pattern(UNSPACED_FRAMES).sub("", unspaced))


def _numbers(folded: str, unspaced: str) -> tuple[str, ...]:
    """Every number that is given, ticked boxes among them, sorted."""
    found = NUMBER.findall(folded) + [_DONE] * folded.count(_DONE)
    return tuple(sorted(found + _found(UNSPACED_NUMBERS, unspaced)))


def _directions(tokens: Iterable[str], unspaced: str) -> frozenset[str]:
    spaced = {"after" if token in AFTER else token for token in tokens}
    return frozenset(spaced & DIRECTIONS | set(_found(UNSPACED_DIRECTIONS, unspaced)))


def _phrases(tokens: Sequence[str], lang: str) -> dict[str, frozenset[str]]:
    """The content words right behind each small word or number that comes once."""
    frames = dropped(lang[:2])
    found: dict[str, frozenset[str]] = {}
    for at, mark in enumerate(tokens):
        if mark not in ENDS and not mark[0].isdigit():
            continue
        behind: list[str] = []
        for token in tokens[at + 1 : at + 6]:
            stems = [t for t in analyze(token, lang) if t not in frames]
            if not stems and (behind or token in MARKS):
                break
            behind += stems
        found[mark] = frozenset() if mark in found else frozenset(behind)
    return found


def time_word(token: str) -> str:
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
    for match in _pattern(_NAME).finditer(line):
        before = line[: match.start()].split()[-1:]
        mark = fold(before[0]).strip("\"'(") if before else ""
        is_marked = mark in MARKS or line[match.end() :].startswith(("'s", "’s"))
        name = next(part for part in match.groups() if part)
        if not time_word(fold(name)):
            terms = analyze(name, "")
            found += [(term, is_marked) for term in terms if term not in dropped("")]
    return found


def _context(text: str, lang: str, *, strict: bool) -> frozenset[str]:
    """What a title says that tells texts below it apart: names; `strict`: all words.

    A title whose every word has a capital is a name.
    """
    words = _TOKENS.findall(text)
    if not strict and not all(word[0].isupper() for word in words):
        words = [word for word in words[1:] if word[0].isupper()]
    kept = analyze(" ".join(words), lang)
    return frozenset(t for t in kept if t not in dropped("") and "_" not in t)


@cache
def dropped(lang: str) -> frozenset[str]:
    """The index terms of English and one other language that carry no fact."""
    return frozenset(
        term
        for each in ("en", lang)
        for word in (*FRAMES.get(each, "").split(), *STOPWORDS.get(each, ()))
        for term in (*analyze(word, lang), *analyze(word, each), fold(word))
    )
