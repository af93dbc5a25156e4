"""How many tokens a text is for a language model, near enough to keep a budget.

Every model cuts text in its own way, so this counts what they have in common: short
words and signs are one token, long words several, a character of a script without
spaces one each. Over the paragraphs of five real vaults it comes out at .97 to 1.08 times what
the WordPiece tokenizer of the model that ships makes of them; of single paragraphs,
nine in ten lie between .84 and 1.27.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["estimate"]

_WORD: Final = 6
"""Letters of one token: "index" is one, "understanding" three. Six rather than the
seven that fit best, because who keeps a budget would rather have some of it left."""

_DIGITS: Final = 3
_LETTERS: Final = 3
"""Digits, and letters beyond ASCII, that make one token."""

_UNSPACED: Final = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_PIECES: Final = re.compile(
    rf"([A-Za-z]+)|(\d+)|([{_UNSPACED}])|((?:(?![{_UNSPACED}])[^\W\d_A-Za-z])+)|[^\w\s]|_"
)


def estimate(text: str) -> int:
    """The number of tokens; texts that white space parts add up exactly.

    Takes time linear in the text.
    """
    total = 0
    for match in _PIECES.finditer(text):
        kind = match.lastindex
        size = match.end() - match.start()
        if kind == 1:
            total += 1 + (size - 1) // _WORD
        elif kind == 2:
            total += 1 + (size - 1) // _DIGITS
        elif kind == 4:
            total += 1 + (size - 1) // _LETTERS
        else:
            total += 1
    return total
