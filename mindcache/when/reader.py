"""Reading numbers: how many, which day of a month, which year."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mindcache.when.tokens import STOP, Token
from mindcache.when.values import Context, Value
from mindcache.when.words import Lexicon

__all__ = ["DASHES", "Reader"]

DASHES: Final = frozenset("-–—~〜～－")
_PADDING: Final = (STOP,) * 32
"""More than any rule looks ahead of the last word it has read."""
_YEARS: Final = range(1000, 2200)
"""Four digits outside of these are rather a number of things."""
_PIVOT: Final = 20
"""Two digits are a year up to this many years ahead, else one of the century before."""


class Reader:
    """A look at tokens by place; every rule returns where it ends and what it read."""

    def __init__(
        self, tokens: Sequence[Token], lexicon: Lexicon, context: Context
    ) -> None:
        # Places before the first token and a little behind the last hold nothing.
        self.tokens = [*tokens, *_PADDING]
        self.length = len(tokens)
        self.table = lexicon.table
        self.context = context
        self.memo: dict[tuple[str, int], tuple[int, Value] | None] = {}

    def token(self, at: int) -> Token:
        """The token at a place; one without roles outside of the text."""
        return self.tokens[at]

    def has(self, at: int, role: str) -> bool:
        """Whether the token at a place may be this."""
        return role in self.tokens[at].roles

    def value(self, at: int, role: str) -> object:
        """What the role of a token says, or None."""
        return self.tokens[at].roles.get(role)

    def number_of(self, at: int, role: str) -> int | None:
        """The same for roles that stand for a number."""
        found = self.tokens[at].roles.get(role)
        return found if isinstance(found, int) else None

    def skip(self, at: int, role: str) -> int:
        """The place behind a token that may stand here and needn't."""
        return at + 1 if role in self.tokens[at].roles else at

    def skip_sign(self, at: int, signs: str) -> int:
        """The same for one punctuation mark."""
        low = self.token(at).low
        return at + 1 if low and low in signs else at

    def dash(self, at: int) -> bool:
        """Whether a dash stands here."""
        return self.token(at).low in DASHES

    # -- numbers ----------------------------------------------------------------------

    def count(self, at: int) -> tuple[int, int] | None:
        """How many: digits, or words up to ninety-nine."""
        digits = self.number_of(at, "int")
        if digits is not None:
            # "sixteen (16)" and "3d" are no plain counts
            return at + 1, digits
        return self.word_number(at)

    def word_number(self, at: int) -> tuple[int, int] | None:
        """A number in words: "nine", "twenty-nine", "二十九"."""
        first = self.number_of(at, "number")
        if first is None:
            return None
        if not self.table.spaced:
            return self._ideographic(at)
        if first >= 20 and first % 10 == 0:
            behind = at + 2 if self.dash(at + 1) else at + 1
            ones = self.number_of(behind, "number")
            if ones is not None and 1 <= ones <= 9 and not self.has(behind, "article"):
                return behind + 1, first + ones
        return at + 1, first

    def _ideographic(self, at: int) -> tuple[int, int]:
        total = 0
        ones = 0
        seen = at
        while (found := self.number_of(seen, "number")) is not None and seen < at + 3:
            if found == 10:
                total, ones = (ones or 1) * 10, 0
            else:
                ones = found
            seen += 1
        return seen, total + ones

    def ordinal(self, at: int) -> tuple[int, int] | None:
        """Which one: "5th", "fifth", "twenty-fifth"."""
        digits = self.number_of(at, "int")
        if digits is not None:
            if self.has(at + 1, "ordinal_mark") and self.token(at + 1).glued:
                return at + 2, digits
            return None
        tens = self.number_of(at, "number")
        if tens is not None and tens >= 20 and tens % 10 == 0:
            behind = at + 2 if self.dash(at + 1) else at + 1
            ones = self.number_of(behind, "ordinal")
            if ones is not None and ones < 10:
                return behind + 1, tens + ones
        plain = self.number_of(at, "ordinal")
        return None if plain is None else (at + 1, plain)

    def day_number(self, at: int) -> tuple[int, int] | None:
        """The day of a month in digits or words."""
        found = self.ordinal(at)
        if found is None:
            digits = self.number_of(at, "digits")
            if digits is None:
                found = None if self.has(at, "article") else self.word_number(at)
            elif digits <= 2:
                found = self.count(at)
        if found is None or not 1 <= found[1] <= 31:
            return None
        return found

    # -- years ------------------------------------------------------------------------

    def year(self, at: int, *, short: bool = False) -> tuple[int, int] | None:
        """A year in digits or words; of two digits only when `short`."""
        digits = self.number_of(at, "digits")
        number = self.number_of(at, "int")
        if digits is None or number is None:
            return self._year_in_words(at)
        if digits == 4 and number in _YEARS and not self._goes_on(at):
            return at + 1, number
        if digits == 2 and short:
            return at + 1, self.full_year(number)
        return None

    def _goes_on(self, at: int) -> bool:
        """Whether something is glued to a number that makes it another thing."""
        behind = self.token(at + 1)
        return behind.glued and behind.low.isalpha() and behind.low.isascii()

    def full_year(self, number: int) -> int:
        """The year that two digits mean."""
        now = self.context.now.year
        year = now // 100 * 100 + number
        return year - 100 if year > now + _PIVOT else year

    def _year_in_words(self, at: int) -> tuple[int, int] | None:
        first = self.word_number(at)
        if first is None or self.has(at, "article"):
            return None
        behind, number = first
        if self.has(behind, "thousand") and number in {1, 2}:
            return self._ones(behind + 1, number * 1000)
        if self.has(behind, "hundred") and 10 <= number <= 21:
            return self._ones(behind + 1, number * 100)
        rest = self.word_number(behind)
        if rest is not None and 13 <= number <= 21 and 10 <= rest[1] <= 99:
            return rest[0], number * 100 + rest[1]
        return None

    def _ones(self, at: int, base: int) -> tuple[int, int]:
        rest = self.word_number(self.skip(at, "and"))
        return (at, base) if rest is None else (rest[0], base + rest[1])
