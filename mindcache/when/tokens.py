"""The tokens of a text: words with their roles, numbers that may belong to a date.

Numbers inside identifiers, prices, versions and telephone numbers keep no role, so
that no rule of the grammar has to think of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mindcache.lazy import regex
from mindcache.when.words import Lexicon, Roles, lexicon

__all__ = ["STOP", "Token", "may_hold", "may_name_a_time", "tokenize"]

_NONE: Final[Roles] = {}
_LETTERS: Final = bytes(
    c if 97 <= c <= 122 else c + 32 if 65 <= c <= 90 else 32 for c in range(256)
)
# A phrase goes on for this many tokens before and behind its first or last trigger:
# "on the first Monday evening at a quarter" before, "ago, at 5 p . m ." behind.
_BEFORE: Final = 10
_BEHIND: Final = 14

_DIGITS: Final = b"0123456789"
# Digits that can be a date or time without any word beside them.
_DATELIKE: Final = regex(
    r"[0-9]{1,4}[-/.:][0-9]{1,2}|(?<![0-9])[12][0-9]{3}(?![0-9])|[0-9]{8}"
    r"|[0-9] ?(?:st|nd|rd|th|s|h|am|pm|a\.m|p\.m)\b|\b[qQ][1-4]\b|[0-9]h[0-9]",
    re.IGNORECASE,
)
_WIDE_DIGITS: Final = {0xFF10 + n: 0x30 + n for n in range(10)}
_MONEY: Final = frozenset("$€£¥#+@^=\\")
_JOINTS: Final = frozenset("-/._:~@")
_FULL: Final = regex(r"[0-9]{4}([-./])[0-9]{1,2}\1[0-9]{1,2}|(?:19|20)[0-9]{6}")
# What may stand right behind a number: ordinals, halves of the day, decades, units.
_SUFFIXES: Final = frozenset(
    (
        "st",
        "nd",
        "rd",
        "th",
        "am",
        "pm",
        "a",
        "p",
        "s",
        "t",
        "h",
        "d",
        "w",
        "y",
        "er",
        "e",
        "re",
        "ème",
        "º",
        "ª",
        "o",
        "uhr",
        "min",
        "mins",
        "hr",
        "hrs",
    )
)
# What may stand right before one.
_PREFIXES: Final = frozenset(("q", "h", "t", "kw"))


class Token:
    """One token: its place, its text in lower case, and what it may be.

    `glued` says that nothing parts it from the token before it. A plain class: a text
    has many, and a frozen dataclass takes four times as long to make.
    """

    __slots__ = ("end", "glued", "low", "roles", "start", "text")

    def __init__(self, start: int, end: int, text: str, low: str, roles: Roles) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.low = low
        self.roles = roles
        self.glued = False


STOP: Final = Token(0, 0, "", "", _NONE)


def may_hold(text: str, lexicon: Lexicon) -> bool:
    """Whether a text has anything that a phrase needs; cheap, and often wrong."""
    if lexicon.shape is not None and lexicon.shape.search(text):
        return True
    data = text.encode("utf-8", "replace")
    if not lexicon.fragments.isdisjoint(data.translate(_LETTERS).split()):
        return True
    # deleting bytes is the fastest way to see whether there are any
    return len(data.translate(None, _DIGITS)) < len(data) and bool(
        _DATELIKE.search(text)
    )


def may_name_a_time(text: str, langs: Iterable[str]) -> bool:
    """Whether it is worth looking for phrases of these languages in a text."""
    known = (lexicon(language) for language in dict.fromkeys(langs))
    return any(words is not None and may_hold(text, words) for words in known)


def tokenize(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens about every word that a phrase may need, entries of words joined.

    What lies far from all of them is left out; a token without roles stands for it.
    """
    lowered = _lowered(text)
    matches = list(lexicon.token.finditer(lowered))
    found: list[Token] = []
    for first, last in _windows(matches, lexicon):
        if found:
            found.append(STOP)
        plain = _plain(text, lowered, matches[first:last], lexicon)
        found += _joined(text, plain, lexicon) if lexicon.longer else plain
    return found


def _lowered(text: str) -> str:
    """In lower case, with plain digits, every character at its place."""
    lowered = text.lower()
    if len(lowered) != len(text):  # "İ" grows
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lowered if text.isascii() else lowered.translate(_WIDE_DIGITS)


def _windows(
    matches: list[re.Match[str]], lexicon: Lexicon
) -> Iterator[tuple[int, int]]:
    """Stretches of tokens that hold all that a phrase about a trigger may take."""
    triggers = lexicon.triggers
    first = last = -1
    for place, match in enumerate(matches):
        low = match[0]
        if low not in triggers and not "0" <= low[0] <= "9":
            continue
        begin = max(0, place - _BEFORE)
        if begin > last:
            if last > 0:
                yield first, min(last, len(matches))
            first = begin
        last = place + _BEHIND
    if last > 0:
        yield first, min(last, len(matches))


def _plain(
    text: str, lowered: str, matches: list[re.Match[str]], lexicon: Lexicon
) -> list[Token]:
    words = lexicon.words
    found: list[Token] = []
    before = kept = STOP
    for place, match in enumerate(matches):
        low = match[0]
        if low.isspace() and "\n" not in low:
            continue
        start, end = match.span()
        roles: Roles = words.get(low, _NONE)
        if not roles and "0" <= low[0] <= "9":
            follower = matches[place + 1] if place + 1 < len(matches) else None
            roles = _number_roles(lowered, match, (before, kept), follower)
            if not (lexicon.table.spaced or roles) and low.isdigit():
                roles = _plain_number(low)
        token = Token(start, end, text[start:end], low, roles)
        token.glued = start == before.end and before is not STOP
        found.append(token)
        kept, before = before, token
    return found


def _number_roles(
    lowered: str,
    match: re.Match[str],
    before: tuple[Token, Token],
    follower: re.Match[str] | None,
) -> Roles:
    start, end = match.span()
    low = match[0]
    full = bool(_FULL.fullmatch(low))
    if not full and _is_inside(lowered, start, before):
        return _NONE
    if lowered[start - 2 : start] in {"$ ", "€ ", "£ "} or (
        start and lowered[start - 1] in "$€£"
    ):
        return _NONE
    rest = lowered[end : end + 1]
    if rest in {"%", "€", "°"}:
        return _NONE
    glued = follower is not None and follower.start() == end
    if glued and follower and follower[0][0].isalpha() and not full:
        word = follower[0]
        is_inside = lowered[follower.end() : follower.end() + 1].isalnum()
        is_inside = is_inside and word != "h"  # 15h30
        if word.isascii() and (is_inside or word not in _SUFFIXES):
            return _NONE
    return _plain_number(low) if low.isdigit() else {"numeric": low}


def _plain_number(low: str) -> Roles:
    if len(low) > 8:
        return _NONE
    if len(low) == 8:
        return {"numeric": low}
    return {"int": int(low), "digits": len(low)}


def _is_inside(lowered: str, start: int, before: tuple[Token, Token]) -> bool:
    """Whether a number goes on from something that is no part of a date."""
    if start == 0:
        return False
    last, last_but_one = before
    char = lowered[start - 1]
    if char.isalnum():
        return not (
            last.end == start
            and (last.low in _PREFIXES or "month" in last.roles or not char.isascii())
        )
    if char in _MONEY:
        return True
    if char in _JOINTS and start > 1 and lowered[start - 2].isalnum():
        if char == ":" and lowered[start - 2].isalpha():
            return False
        return not _is_of_date(last_but_one)
    return char == "_"


def _is_of_date(token: Token) -> bool:
    roles = token.roles
    return not roles.keys().isdisjoint(
        (
            "month",
            "int",
            "numeric",
            "weekday",
            "am",
            "pm",
            "quarter_mark",
            "ordinal_mark",
        )
    )


def _joined(text: str, plain: list[Token], lexicon: Lexicon) -> list[Token]:
    """The tokens with those of one entry made one."""
    longer = lexicon.longer
    found: list[Token] = []
    place = 0
    while place < len(plain):
        token = plain[place]
        place += 1
        for pieces, roles in longer.get(token.low, ()):
            behind = place + len(pieces)
            if behind <= len(plain) and all(
                plain[place + k].low == piece for k, piece in enumerate(pieces)
            ):
                end = plain[behind - 1].end
                joined = text[token.start : end]
                glued = token.glued
                token = Token(token.start, end, joined, joined.lower(), roles)
                token.glued = glued
                place = behind
                break
        found.append(token)
    return found
