"""Tables of words: what a language calls days, months, and what stands between them.

A table says nothing about grammar. `Lexicon` turns one into a look-up from words to
their roles; `mindcache/when/tables/` holds a table per language. To add a language,
write a table beside them and its code into `LANGUAGES`: every field holds strings of
alternatives split by "|", in lower case; an alternative may be several words; what a
language lacks stays out.

What `Table.roles` may name, by what the words do (English for an example):

* before a stretch: `since` `before` `after` `until` `between` `from` `for` `within`,
  `by` (an `until` that looks ahead), `more_than`; `prep` (on, in, at: goes with the
  phrase), `the`; `week_of` and `w_c` (beginning, of)
* before or behind an amount: `ahead` (in 3 days), `ago_pre` (hace 3 días), `ago`,
  `hence` (from now), `from_then` and `before_then` (from Friday), `starting`
* between: `of`, `and`, `or`, `to`; behind: `onward`, `more` (or later), `to_date`,
  `behind` (a shift that follows its noun), and where what opens a stretch follows it,
  `since_post` `after_post` `before_post` `until_post`
* inside dates: `ordinal_mark` (th), `year_mark` `month_mark` `day_mark` (年月日),
  `year_word`, `quarter_mark`, `half_mark`, `decade_mark`, `hundred`, `thousand`
* inside times: `at`, `am`, `pm`, `oclock`, `minute_mark`, `noon`, `midnight`
* what makes a time of a weak word behind it: `in` (months, seasons), `in_year`, `on`
  (days), `on_weekend`, `on_day` (on the 5th), `for_unit`
* kinds of words: `article` (a number only before a unit), `near` (shifts to the nearest: coming), `final` (last, of its month),
  `half`, `earlier`, `later`, `now`, `singular`, `plural`, `verb` (may), `auxiliary`
  (a "last" behind it is a verb), `other`, `other_year` (fiscal), `counted` (nouns that
  follow a plain number), `follows` (words that may follow a year), `nothing` (entries
  to pass over), `every`, `trigger` (may begin a phrase that has no other such word)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from mindcache.lazy import regex

__all__ = ["LANGUAGES", "Lexicon", "Roles", "Table", "lexicon"]

LANGUAGES: Final = ("de", "en", "es", "fr", "ja", "zh")

Roles = Mapping[str, object]
"""What a word may be: a role and its value, for example {"month": 5}."""

Names = Mapping[Any, str]
_EMPTY: Final[Names] = MappingProxyType({})


class Table(NamedTuple):
    """The words of one language.

    `days` by distance from today; `months` and `weekdays` (from Monday) in order;
    `units`, `seasons`, `parts` of a day and `holidays` by our names; `day_parts` are
    parts of today (tonight). `spans` are words that are a shifted unit, by
    "unit:shift" (去年 is "year:-1"), part ("part:night:-1") or edge ("edge:year:2").
    `shifts`: last, this, next as -1, 0, 1. `numbers`, `ordinals`, `decades` by value.
    `edges`: early, mid, late as 0, 1, 2; `edges_of` need an "of" behind. `weak` words
    mean other things too and count only beside a word for time. `day_first`: 5/3 is
    in March. `spaced`: words stand apart. `week_of_shift`: "last Friday" is last week's.
    """

    days: Names
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    units: Names
    shifts: Names
    numbers: Names
    roles: Names
    ordinals: Names = _EMPTY
    parts: Names = _EMPTY
    day_parts: Names = _EMPTY
    spans: Names = _EMPTY
    seasons: Names = _EMPTY
    holidays: Names = _EMPTY
    decades: Names = _EMPTY
    edges: Names = _EMPTY
    edges_of: Names = _EMPTY
    weak: str = ""
    day_first: bool = True
    spaced: bool = True
    week_of_shift: bool = False

    def entries(self) -> list[tuple[str, str, object]]:
        """Every alternative with its role and value."""
        named: list[tuple[str, Names]] = [
            ("rel", self.days),
            ("month", dict(enumerate(self.months, 1))),
            ("weekday", dict(enumerate(self.weekdays))),
            ("unit", self.units),
            ("shift", self.shifts),
            ("number", self.numbers),
            ("ordinal", self.ordinals),
            ("part", self.parts),
            ("day_part", self.day_parts),
            ("span", self.spans),
            ("season", self.seasons),
            ("holiday", self.holidays),
            ("decade", self.decades),
            ("edge", self.edges),
            ("edge_of", self.edges_of),
            ("weak", {True: self.weak}),
        ]
        found = [
            (word, role, value)
            for role, names in named
            for value, words in names.items()
            for word in words.split("|")
            if word
        ]
        found += [
            (word, str(role), True)
            for role, words in self.roles.items()
            for word in words.split("|")
            if word
        ]
        return found


class Lexicon:
    """A table made ready for reading.

    `triggers` are the words without which no phrase is one (or it has digits),
    `fragments` their letters from a to z as bytes; where words don't stand apart,
    `shape` finds their first characters.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.triggers = frozenset(_triggers(table))
        self.fragments = frozenset(
            max(_LETTERS.findall(word), key=len).encode()
            for word in self.triggers
            if table.spaced and _LETTERS.search(word)
        )
        self.shape = None if table.spaced else _shape(self.triggers)

    # Most texts hold no trigger, and need none of what follows.

    @cached_property
    def words(self) -> dict[str, dict[str, object]]:
        """Single words with their roles."""
        found: dict[str, dict[str, object]] = {}
        for pieces, role, value in self._pieces:
            if len(pieces) == 1:
                found.setdefault(pieces[0], {})[role] = value
        return found

    @cached_property
    def longer(self) -> dict[str, list[tuple[tuple[str, ...], Roles]]]:
        """The rest of the entries of several words by their first one, longest first."""
        several: dict[tuple[str, ...], dict[str, object]] = {}
        for pieces, role, value in self._pieces:
            if len(pieces) > 1:
                several.setdefault(pieces, {})[role] = value
        found: dict[str, list[tuple[tuple[str, ...], Roles]]] = {}
        for pieces, roles in sorted(several.items(), key=lambda e: -len(e[0])):
            found.setdefault(pieces[0], []).append((pieces[1:], roles))
        return found

    @cached_property
    def token(self) -> re.Pattern[str]:
        """What finds the tokens of a text."""
        return _token_pattern(self.table, self.words)

    @cached_property
    def _pieces(self) -> list[tuple[tuple[str, ...], str, object]]:
        cut = PIECE.findall if self.table.spaced else lambda entry: [entry]
        return [(tuple(cut(e)), role, value) for e, role, value in self.table.entries()]


PIECE: Final = regex(r"[^\W\d_]+|\S")
_SPACED: Final = r"[0-9]+(?:[./:~-][0-9]+)*|[^\W\d_]+|\n[^\S\n]*\n\s*|[^\w\s]|_|\d"
# Roles whose words make no phrase by themselves: without another word, or digits,
# there is nothing to find.
_TRIGGERING: Final = frozenset(
    (
        "rel",
        "month",
        "weekday",
        "unit",
        "season",
        "part",
        "oclock",
        "noon",
        "midnight",
        "day_part",
        "span",
        "holiday",
        "decade",
        "trigger",
    )
)
_LETTERS: Final = regex(r"[a-z]+")


def _triggers(table: Table) -> set[str]:
    """Words of which every phrase has one; of entries of several words, one each."""
    entries = [e for e, role, _ in table.entries() if role in _TRIGGERING]
    if not table.spaced:
        return set(entries)
    pieces = [PIECE.findall(entry) for entry in entries]
    found = {words[0] for words in pieces if len(words) == 1}
    found |= {max(words, key=len) for words in pieces if not found.intersection(words)}
    return found


def _token_pattern(table: Table, words: Mapping[str, object]) -> re.Pattern[str]:
    if table.spaced:
        return re.compile(_SPACED)
    listed = "|".join(map(re.escape, sorted(words, key=lambda w: (-len(w), w))))
    return re.compile(rf"{listed}|[0-9]+(?:[./:~-][0-9]+)*|\s+|\S")


def _shape(triggers: frozenset[str]) -> re.Pattern[str]:
    firsts = sorted({word[0] for word in triggers})
    return re.compile("[" + re.escape("".join(firsts)) + "]")


@lru_cache(maxsize=len(LANGUAGES))
def lexicon(language: str) -> Lexicon | None:
    """The lexicon of a language (ISO 639-1); None where we have no table."""
    if language not in LANGUAGES:
        return None
    return Lexicon(import_module(f"mindcache.when.tables.{language}").TABLE)
