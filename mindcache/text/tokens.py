"""How many tokens a text is for a language model, near enough to keep a budget.

Every model cuts text in its own way, so this counts what they have in common: short
words and signs are one token, long words several, a character of a script without
spaces one each. Over the paragraphs of five real vaults it comes out at .97 to 1.08 times what
the WordPiece tokenizer of the model that ships makes of them; of single paragraphs,
nine in ten lie between .84 and 1.27.
"""

from __future__ import annotations

from typing import Final

from mindcache.lazy import regex

__all__ = ["estimate"]

_LETTERS: Final = 6
"""ASCII letters of one token: "index" is one, "understanding" three. Six rather than
the seven that fit best, because who keeps a budget would rather have some of it left."""

_ACCENTED: Final = 4
_OTHERS: Final = 3
"""Letters of one token in a Latin word with accents, and in other alphabets."""

_DIGITS: Final = 3

_UNSPACED: Final = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_PIECES: Final = regex(
    rf"(\d+)|[{_UNSPACED}]|((?:(?![{_UNSPACED}])[^\W\d_])+)|[^\w\s]|_"
)
# The same for text without such characters, ready in a tenth of the time. None is below
# the first of them, nor among punctuation and signs.
_SPACED_BELOW, _SIGNS, _SIGNS_END = "\u0e01", "\u2000", "\u3005"
_SPACED_PIECES: Final = regex(r"(\d+)|([^\W\d_]+)|[^\w\s]|_")


def estimate(text: str) -> int:
    """The number of tokens; texts that white space parts add up exactly.

    Takes time linear in the text.
    """
    total = 0
    pieces = _SPACED_PIECES if _is_spaced(text) else _PIECES
    for match in pieces.finditer(text):
        total += 1
        if match.lastindex:
            piece = match[0]
            if match.lastindex == 1:
                most = _DIGITS
            elif piece.isascii():
                most = _LETTERS
            else:
                most = _ACCENTED if max(piece) < "\u0250" else _OTHERS
            total += (len(piece) - 1) // most
    return total


def _is_spaced(text: str) -> bool:
    """Whether certainly no character of it is of a script without spaces."""
    return text.isascii() or all(
        char < _SPACED_BELOW or _SIGNS <= char < _SIGNS_END for char in text
    )
