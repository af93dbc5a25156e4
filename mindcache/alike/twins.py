"""Whether a note that is about to be written says what another one says already. Pure.

Refusing asks for more than folding does: the vectors must be very near too.
"""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

from mindcache.alike.reading import Wording
from mindcache.alike.verdict import judge
from mindcache.text import detect_language, fold

__all__ = ["Twin", "same_name", "twin"]

Twin = Literal["same", "near", ""]

COSINE: Final = 0.90
"""Where pairs of sentences that people call the same begin to outweigh the rest by far
(MRPC, STS-B)."""


def twin(new: str, old: str, cosine: float) -> Twin:
    """Whether two plain texts are the same, nearly the same, or neither ("").

    `cosine` is that of their vectors.
    """
    one, other = (Wording.of(text, detect_language(text)) for text in (new, old))
    if not one.terms or not judge(one, other, cosine).is_alike:
        return ""
    if _letters(new) == _letters(old):
        return "same"
    return "near" if cosine >= COSINE else ""


def same_name(one: str, other: str) -> bool:
    """Whether two names are one in different conventions: "Site Roadmap", site-roadmap.

    Signs that tell names apart (C, C++, C#) stay.
    """
    return bool(_plain_name(one)) and _plain_name(one) == _plain_name(other)


def _plain_name(name: str) -> str:
    text = unicodedata.normalize("NFC", fold(name))
    return "".join(c for c in text if not c.isspace() and c not in "-_–—.,'’\"()")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, fold(text)))
