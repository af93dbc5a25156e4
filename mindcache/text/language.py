"""Which language a text is written in, told by its script and its function words.

Owns a cheap, deterministic guess that is good enough to choose a stemmer. It does
not tell dialects apart, and it says nothing ("") rather than something weak.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Final

from mindcache.text.stopwords import STOPWORDS

__all__ = ["detect_language"]

_SAMPLE: Final = 900
"""Characters looked at: about 140 words, where function words have settled it."""

_UNIT: Final = 12
"""Weight of a word that only one language has; one shared by n counts 12 // n."""

_SHARE: Final = 0.6
"""Least mean weight per word. Running text scores 2 to 6; a list of names or a log
with a stray "in" or "de" stays under it and remains unknown."""

_LEAST: Final = 2
"""Different signs a language must show: one "com" or "lei" is a name more often."""

_MAX_LETTER: Final = 3
"""A letter counts at most three times: "ñ" in one repeated name is no proof."""

_CJK_WEIGHT: Final = 3
"""One Han, kana or Hangul character stands for about three Latin letters."""

_ADDRESS: Final = re.compile(r"[a-z]*://\S+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NON_LATIN: Final = re.compile(r"[^\W\d_a-zA-Z\u00aa-\u024f\u1e00-\u1eff]")
_LATIN: Final = re.compile(r"[a-zA-Z\u00aa-\u024f\u1e00-\u1eff]")

# First and last code point, and the language (or family, settled below) of a script.
_SCRIPTS: Final = (
    (0x0370, 0x03FF, "el"),
    (0x1F00, 0x1FFF, "el"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0530, 0x058F, "hy"),
    (0x0590, 0x05FF, "he"),
    (0x0600, 0x06FF, "arabic"),
    (0x0750, 0x077F, "arabic"),
    (0x0900, 0x097F, "hi"),
    (0x0980, 0x09FF, "bn"),
    (0x0A00, 0x0A7F, "pa"),
    (0x0A80, 0x0AFF, "gu"),
    (0x0B80, 0x0BFF, "ta"),
    (0x0C00, 0x0C7F, "te"),
    (0x0C80, 0x0CFF, "kn"),
    (0x0D00, 0x0D7F, "ml"),
    (0x0D80, 0x0DFF, "si"),
    (0x0E00, 0x0E7F, "th"),
    (0x0E80, 0x0EFF, "lo"),
    (0x1000, 0x109F, "my"),
    (0x10A0, 0x10FF, "ka"),
    (0x1100, 0x11FF, "ko"),
    (0x1200, 0x137F, "am"),
    (0x1780, 0x17FF, "km"),
    (0x3040, 0x30FF, "kana"),
    (0x3130, 0x318F, "ko"),
    (0x3400, 0x4DBF, "zh"),
    (0x4E00, 0x9FFF, "zh"),
    (0xAC00, 0xD7AF, "ko"),
    (0xF900, 0xFAFF, "zh"),
    (0xFF66, 0xFF9F, "kana"),
    (0x20000, 0x3FFFF, "zh"),
)
_DENSE: Final = frozenset({"zh", "kana", "ko"})

# Letters that only some of the languages use.
_LETTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "ß": ("de",),
    "ñ": ("es",),
    "¿": ("es",),
    "¡": ("es",),
    "ã": ("pt",),
    "õ": ("pt",),
    "œ": ("fr",),
    "ł": ("pl",),
    "ą": ("pl",),
    "ę": ("pl",),
    "ż": ("pl",),
    "ř": ("cs",),
    "ě": ("cs",),
    "ů": ("cs",),
    "ő": ("hu",),
    "ű": ("hu",),
    "ğ": ("tr",),
    "ı": ("tr",),
    "ț": ("ro",),
    "ș": ("ro",),
    "ă": ("ro",),
    "ø": ("da", "no"),
    "å": ("sv", "da", "no"),
    "ä": ("de", "sv", "fi"),
    "ö": ("de", "sv", "fi", "hu", "tr"),
    "ü": ("de", "hu", "tr"),
    "è": ("fr", "it"),
    "ê": ("fr", "pt"),
    "ò": ("it",),
}


def _votes() -> dict[str, tuple[tuple[str, ...], int]]:
    langs_of: dict[str, list[str]] = {}
    for lang, words in STOPWORDS.items():
        for word in words:
            if len(word) > 1 and _LATIN.match(word):
                langs_of.setdefault(word, []).append(lang)
    return {w: (tuple(ls), _UNIT // len(ls)) for w, ls in langs_of.items()}


_VOTES: Final = _votes()


def detect_language(text: str) -> str:
    """The ISO 639-1 code of the text's language, or "" when it can't be told.

    Looks at the first 900 characters. Scripts decide where they can (kana means
    "ja", Han without kana "zh"); Latin script is decided by function words and rare
    letters, and stays "" on a tie or when there are too few of them, as in a line of
    names. The same text gives the same answer everywhere.
    """
    sample = text[:_SAMPLE]
    if not sample.isascii():
        sample = unicodedata.normalize("NFC", sample)
        foreign = _NON_LATIN.findall(sample)
        if foreign:
            by_script = _script_language(foreign, len(_LATIN.findall(sample)))
            if by_script:
                return by_script
    return _latin_language(sample.replace("'", "").replace("\u2019", "").casefold())


def _script_language(letters: list[str], latin: int) -> str:
    """The language that the non-Latin letters speak for, "" if Latin outweighs them."""
    counts: dict[str, int] = {}
    for letter in letters:
        code = ord(letter)
        for first, last, name in _SCRIPTS:
            if first <= code <= last:
                weight = _CJK_WEIGHT if name in _DENSE else 1
                counts[name] = counts.get(name, 0) + weight
                break
    if not counts:
        return ""
    kana, han = counts.pop("kana", 0), counts.get("zh", 0)
    if kana:
        # Chinese text quotes a Japanese name now and then; Japanese is half kana.
        name = "ja" if kana * 10 > han else "zh"
        counts[name] = counts.pop("zh", 0) + kana
    best = max(counts, key=lambda name: (counts[name], name))
    if counts[best] < latin:
        return ""
    if best == "cyrillic":
        return _cyrillic_language(set(letters))
    if best == "arabic":
        return _arabic_language(set(letters))
    return best


def _cyrillic_language(letters: set[str]) -> str:
    lowered = {letter.lower() for letter in letters}
    if lowered & set("ўі") and "ў" in lowered:
        return "be"
    if lowered & set("іїєґ"):
        return "uk"
    if lowered & set("ђћљњџј"):
        return "sr"
    if "ъ" in lowered and not lowered & set("ыэё"):
        return "bg"
    return "ru"


def _arabic_language(letters: set[str]) -> str:
    if letters & set("ٹڈڑےہ"):
        return "ur"
    if letters & set("پچژگ"):
        return "fa"
    return "ar"


def _latin_language(sample: str) -> str:
    if "://" in sample:
        sample = _ADDRESS.sub(" ", sample)
    words = _WORD.findall(sample)
    # What each language is shown by, and how strongly: words, then rare letters.
    votes = [
        (vote[0], vote[1] * count)
        for word, count in Counter(words).items()
        if (vote := _VOTES.get(word)) is not None
    ]
    if not sample.isascii():
        for letter in _LETTERS.keys() & set(sample):
            langs = _LETTERS[letter]
            seen = min(sample.count(letter), _MAX_LETTER)
            votes.append((langs, seen * (_UNIT // len(langs))))
    scores: dict[str, int] = {}
    signs: dict[str, int] = {}
    for langs, weight in votes:
        for lang in langs:
            scores[lang] = scores.get(lang, 0) + weight
            signs[lang] = signs.get(lang, 0) + 1
    if not scores:
        return ""
    (first, best), *rest = sorted(scores.items(), key=lambda x: (-x[1], x[0]))
    second = rest[0][1] if rest else 0
    is_weak = best < _UNIT or signs[first] < _LEAST or best < _SHARE * len(words)
    return "" if is_weak or best == second else first
