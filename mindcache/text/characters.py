"""Characters: how they are folded, and which class each belongs to.

Owns what makes two spellings equal (compatibility forms, case, accents, invisible
characters) and the classes that words are cut by. It knows no words and no languages.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from mindcache.lazy import regex

__all__ = ["CLASSES", "fold", "normal", "strip_marks"]

_NFKC_PIECE: Final = 256
"""Ordering a run of combining marks takes quadratic time; no word needs more."""

_APOSTROPHES: Final = "\u2018\u2019\u02bc\u02b9\u055a\u2032"
# Soft hyphen, joiners, direction marks, variation selectors, Arabic tatweel: they
# shape the look of a word, and search must not see them.
_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u0640\u180b\u180c\u180d\u200c\u200d\u200e\u200f\u202a\u202b"
    "\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
_CLEAN: Final = str.maketrans(
    dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_INVISIBLE)
)

# Letters with a stroke or tied together have no decomposition in Unicode.
_LETTER_FOLDS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d"}
)

# Classes of characters, one letter each: w letter, d digit, m combining mark, c Han
# and kana, k Hangul, t Thai and its kin, e emoji, j joiner, a apostrophe; "-", ".",
# "+", "#" and "," are themselves; " " is a break.
_JOINERS: Final = "/\\:@_&=~\u2044"
_OWN_CLASS: Final = (
    {ord(c): c for c in "-.+#,"}
    | {ord(c): "j" for c in _JOINERS}
    | {0x2010: "-", 0xB7: "-", 0x27: "a"}
)
_UNSPACED: Final = (
    (0x0E00, 0x0EFF, "t"),
    (0x1000, 0x109F, "t"),
    (0x1100, 0x11FF, "k"),
    (0x1780, 0x17FF, "t"),
    (0x2E80, 0x312F, "c"),
    (0x3130, 0x318F, "k"),
    (0x3190, 0x9FFF, "c"),
    (0xA960, 0xA97F, "k"),
    (0xAC00, 0xD7FF, "k"),
    (0xF900, 0xFAFF, "c"),
    (0x1B000, 0x1B16F, "c"),
    (0x20000, 0x3FFFF, "c"),
)
_EMOJI: Final = (
    (0x2300, 0x23FF),
    (0x2600, 0x27BF),
    (0x2B00, 0x2BFF),
    (0x1F000, 0x1FAFF),
)


def _class_of(code: int) -> str:
    char = chr(code)
    category = unicodedata.category(char)
    if own := _OWN_CLASS.get(code):
        return own
    if category[0] == "M":
        return "m"
    if category == "Nd":
        return "d"
    if category[0] in "LN":
        return next((c for a, b, c in _UNSPACED if a <= code <= b), "w")
    is_emoji = category == "So" and any(a <= code <= b for a, b in _EMOJI)
    return "e" if is_emoji else " "


class _Classes(dict[int, str]):
    """Code point → class, worked out when first seen; for `str.translate`."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _class_of(code)
        return found


CLASSES: Final = _Classes()


_NFKC_RUNS: Final = regex(rf"\s*\S{{1,{_NFKC_PIECE}}}|\s+")


def _nfkc(text: str) -> str:
    if len(text) <= _NFKC_PIECE:
        return unicodedata.normalize("NFKC", text)
    pieces = _NFKC_RUNS.findall(text)
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces)


def normal(run: str) -> str:
    """NFKC and casefold, apostrophes made one, invisible characters gone."""
    if run.isascii():
        return run.lower()
    folded = _nfkc(run.translate(_CLEAN)).casefold()
    # Both may bring back what the steps before had settled.
    return _nfkc(folded).translate(_CLEAN)


def _takes_folding(base: str) -> bool:
    """Whether marks on this letter are optional to a reader: not so in Indic or Thai."""
    code = ord(base)
    return code < 0x0780 or 0x1D00 <= code < 0x2000 or 0xA640 <= code < 0xA800


class _Plain(dict[int, str]):
    """Code point → the letter without its accents; for `str.translate`."""

    def __missing__(self, code: int) -> str:
        apart = unicodedata.normalize("NFD", chr(code))
        plain = apart[0] if len(apart) > 1 and _takes_folding(apart[0]) else chr(code)
        found = self[code] = plain.translate(_LETTER_FOLDS)
        return found


_PLAIN: Final = _Plain()


def strip_marks(text: str) -> str:
    """Without accents and vowel points on Latin, Greek, Cyrillic, Arabic, Hebrew.

    Expects composed text (NFC or NFKC).
    """
    if text.isascii():
        return text
    plain = text.translate(_PLAIN)
    if "m" not in plain.translate(CLASSES):
        return plain
    kept: list[str] = []
    base = "\uffff"
    for char in plain:
        if CLASSES[ord(char)] != "m":
            base = char
        elif _takes_folding(base) and unicodedata.category(char) == "Mn":
            continue
        kept.append(char)
    return "".join(kept)


def fold(text: str) -> str:
    """The text as phrases are compared: NFKC, casefolded, without accents.

    Every run of white space is one space and none is left at the ends. Words keep
    their endings and punctuation stays.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    words = [w.lower() if w.isascii() else strip_marks(normal(w)) for w in text.split()]
    return " ".join(" ".join(words).split())
