"""From text to index terms: the one analyzer of every lexical surface.

Owns how words are stemmed and become terms, for notes (`analyze`) and for queries
(`query_terms`). It does not own characters (`characters`), where words begin and end
(`units`), which language a text is in (`language`), quoted phrases (`phrases`), nor the
scoring.

A text is cut at white space into runs. A run's units (words, compounds, strings of
a script without spaces, emoji) depend on the run alone and not on a language; only the
last step, stemming, does. So a note and a query are cut alike whatever their languages,
and everything up to the terms is kept in bounded dictionaries by run and by word.

Terms hold ASCII letters and digits, `+`, `#`, `_` and non-ASCII characters, so that
SQLite's FTS5 with `tokenize="ascii tokenchars '+#_'"` reads a line of them unchanged.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise, repeat
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from mindcache.text.characters import strip_marks
from mindcache.text.stemming import algorithms, stemmer
from mindcache.text.stopwords import STOPWORDS
from mindcache.text.units import MAX_WORD, Unit, units_of

__all__ = [
    "ANALYZER_VERSION",
    "STEMMED_LANGUAGES",
    "QueryTerm",
    "analyze",
    "forget_words",
    "query_terms",
]

STEMMED_LANGUAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ar": "arabic",
        "ca": "catalan",
        "cs": "czech",
        "da": "danish",
        "de": "german",
        "el": "greek",
        "en": "english",
        "es": "spanish",
        "et": "estonian",
        "eu": "basque",
        "fa": "persian",
        "fi": "finnish",
        "fr": "french",
        "ga": "irish",
        "hi": "hindi",
        "hu": "hungarian",
        "hy": "armenian",
        "id": "indonesian",
        "it": "italian",
        "lt": "lithuanian",
        "ne": "nepali",
        "nl": "dutch",
        "no": "norwegian",
        "pl": "polish",
        "pt": "portuguese",
        "ro": "romanian",
        "ru": "russian",
        "sr": "serbian",
        "sv": "swedish",
        "ta": "tamil",
        "tr": "turkish",
    }
)
"""ISO 639-1 code → Snowball algorithm. Other languages are indexed unstemmed."""

ANALYZER_VERSION: Final = (
    f"1/unicode{unicodedata.unidata_version}/snowball{len(algorithms())}"
)
"""Part of the cache's fingerprint: changes whenever a text may give other terms.

The number of algorithms stands for Snowball's release, which has no version constant.
"""

_MAX_STEMMED: Final = 40
"""Longer words are no words of a language; stemmers are slow on them."""

_MAX_CACHED_RUN: Final = 40
"""Longer runs (sentences without spaces, URLs) hardly come twice."""

_CACHE_SIZE: Final = 1 << 16
"""Entries of each cache, some 10 MB when full; a vault of 10,000 notes has as many runs,
counted with their punctuation, and with half the room most of them come anew."""

_MAX_QUERY: Final = 10_000
"""Characters of a query that are read; a question is 100, a pasted page 5,000."""

_MAX_QUERY_TERMS: Final = 64
"""Each term costs a read of its postings, and a page pasted as a query is
characterised by its first 64 different words."""

_ALIASES: Final = {"nb": "no", "nn": "no", "iw": "he", "in": "id"}

_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
"""Upper-case function words that people type as operators, not as acronyms."""


# Terms ----------------------------------------------------------------------------

_term_caches: dict[str, dict[str, str]] = {}
_run_caches: dict[str, dict[str, tuple[str, ...]]] = {}

# First code point after a script, its stemmer of choice, and all that are written in
# it: a Russian word in an English note is stemmed as Russian.
_STEMMERS_OF_SCRIPTS: Final[tuple[tuple[int, str, frozenset[str]], ...]] = (
    (0x0370, "", frozenset()),
    (0x0400, "el", frozenset({"el"})),
    (0x0530, "ru", frozenset({"ru", "uk", "be", "bg", "sr", "mk"})),
    (0x0590, "hy", frozenset({"hy"})),
    (0x0600, "", frozenset({"he", "yi"})),
    (0x0700, "ar", frozenset({"ar", "fa", "ur"})),
    (0x0900, "", frozenset()),
    (0x0980, "hi", frozenset({"hi", "ne", "mr"})),
    (0x0B80, "", frozenset()),
    (0x0C00, "ta", frozenset({"ta"})),
)
_NOT_LATIN: Final = frozenset(
    lang for _, _, langs in _STEMMERS_OF_SCRIPTS for lang in langs
) - {"sr"}


@lru_cache(maxsize=256)  # asked of every sentence that is analysed
def _code(lang: str) -> str:
    """An ISO 639-1 code from what a note may say: "en-US", "pt_BR", "nb", "DE"."""
    code = re.split(r"[-_]", lang.strip().casefold(), maxsplit=1)[0][:8]
    return _ALIASES.get(code, code)


_OTHER: Final = "?"
"""Stands for every language that is dealt with like no other: all have the same terms,
and what a note calls its language, however many there are, makes no cache of its own."""


def _kind_of(code: str) -> str:
    """The language by which a text's words become terms, for a code of ISO 639-1."""
    return code if not code or code in _TOLD_APART else _OTHER


def _stemmer_language(word: str, lang: str) -> str:
    """Whose stemmer a word gets: the text's, if it is written in the word's script."""
    first = ord(word[0])
    if first < 0x0250 or 0x1E00 <= first < 0x1F00:
        if lang and lang not in _NOT_LATIN and lang not in _UNSPACED_LANGUAGES:
            return lang
        return "en" if word.isascii() else ""
    if 0x1F00 <= first < 0x2000:
        return "el"
    for end, chosen, langs in _STEMMERS_OF_SCRIPTS:
        if first < end:
            return lang if lang in langs else chosen
    return ""


_UNSPACED_LANGUAGES: Final = frozenset({"zh", "ja", "ko", "th", "lo", "km", "my"})


_TOLD_APART: Final = frozenset(STEMMED_LANGUAGES) | _NOT_LATIN | _UNSPACED_LANGUAGES


def _stem(word: str, lang: str) -> str:
    if len(word) > _MAX_STEMMED or (not word.isalpha() and _UNSTEMMED.search(word)):
        return strip_marks(word)
    algorithm = STEMMED_LANGUAGES.get(_stemmer_language(word, lang))
    if algorithm is None or algorithm not in algorithms():
        return strip_marks(word)
    # A stemmer keeps its state between calls; one of our own is safe in any thread,
    # and costs a third of a microsecond.
    stem = stemmer(algorithm).stemWord(word)
    return strip_marks(stem.lower() or word) or word


_UNSTEMMED: Final = re.compile(r"[\d+#_]")


def _term(word: str, lang: str, cache: dict[str, str]) -> str:
    term = cache.get(word)
    if term is None:
        term = _stem(word, lang) if word else ""
        if len(cache) >= _CACHE_SIZE:
            cache.clear()
        cache[word] = term
    return term


def _unit_terms(unit: Unit, lang: str, cache: dict[str, str]) -> Iterator[str]:
    if unit.kind == "c":
        characters = unit.words
        for first, second in pairwise(characters):
            yield first + second
        yield characters[-1]
        return
    for word in unit.words:
        yield _term(word, lang, cache)
    if unit.joined:
        yield "_".join(_term(word, lang, cache) for word in unit.joined)


def _run_terms(run: str, lang: str) -> tuple[str, ...]:
    cache = _term_caches.setdefault(lang, {})
    # Most runs are one plain word with punctuation about it, and need no more.
    word = run.lstrip('("').rstrip('.,;:!?)"')
    if word.isascii() and word.isalpha():
        return (_term(word.lower()[:MAX_WORD], lang, cache),)
    return tuple(
        term for unit in units_of(run) for term in _unit_terms(unit, lang, cache)
    )


def analyze(text: str, lang: str) -> list[str]:
    """The index terms of a text in reading order, stop words included.

    `lang` is an ISO 639-1 code ("en-US" and "EN" are understood) or "" for unknown.
    Words are stemmed by it if they are in its script, else by the chief language of
    their own; a text of unknown language has its ASCII words stemmed as English, since
    notes too short to be recognised are English more often than anything else, and
    other languages lose little by it. A compound ("pre-edit", "GB/s", "1.0.21") gives
    its parts and then its joined form. Scripts without spaces give overlapping pairs
    of characters and the last character alone. Takes time linear in the text.
    """
    code = _kind_of(_code(lang)) if lang else ""
    cache = _run_caches.setdefault(code, {})
    runs = text.split()
    # Without a step of Python for each run, as long as they are known.
    terms = list(chain.from_iterable(map(cache.get, runs, repeat(_NEW))))
    if None in terms:
        kept = (_kept_terms(run, code, cache) for run in runs)
        return list(chain.from_iterable(kept))
    return cast("list[str]", terms)


_NEW: Final = (None,)
"""Stands for the terms of a run that is not in the cache."""


def _kept_terms(
    run: str, lang: str, cache: dict[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """The terms of a run that is not in the cache, or was not a moment ago."""
    found = cache.get(run)
    if found is None:
        found = _run_terms(run, lang)
        if len(run) <= _MAX_CACHED_RUN:
            if len(cache) >= _CACHE_SIZE:
                cache.clear()
            cache[run] = found
    return found


def forget_words(kept: int) -> None:
    """Forget all words, where more than so many are known."""
    for caches in (_term_caches, _run_caches):
        if sum(map(len, caches.values())) > kept:
            caches.clear()


# Queries --------------------------------------------------------------------------


class QueryTerm(NamedTuple):
    """One thing a query asks for.

    `text` is the word as folded but not stemmed. A chunk has it if it has any of
    `terms` (the word's index terms under each language, without repeats) or, with
    `prefix`, any term that starts with the only one in `terms`. `joined` marks the
    literal form of a compound whose parts come as terms of their own before it: more
    evidence where it is found, nothing missing where it is not.
    """

    text: str
    terms: tuple[str, ...]
    prefix: bool = False
    joined: bool = False


def query_terms(text: str, langs: Sequence[str]) -> list[QueryTerm]:
    """What a query asks for, in its order and without repeats; never raises.

    `langs` are the languages of the vault's notes, the commonest first ("" may be among
    them and is always tried): each word's alternatives are its stems under all of them.
    Function words are dropped, by the list of the one language of `langs` that
    explains most of the query's words (on a tie the first), unless nothing else is
    left, or the word is an acronym (IT, US) in a query that isn't all capitals.
    A string of two or more characters of a script without spaces gives its pairs; a
    single one is a prefix. At most the first 10,000 characters are read and 64 terms
    returned; a query without a letter, digit or emoji gives [].
    """
    codes = list(dict.fromkeys([*(_code(lang) for lang in langs), ""]))
    runs = text[:_MAX_QUERY].split()
    stop = _stop_words(runs, codes)
    kinds = list(dict.fromkeys(map(_kind_of, codes)))
    shouts = text[:_MAX_QUERY].isupper()
    kept: dict[QueryTerm, None] = {}
    dropped: dict[QueryTerm, None] = {}
    for run in runs:
        spare = frozenset() if _is_acronym(run) and not shouts else stop
        for unit in units_of(run):
            for term in _unit_query(unit, kinds):
                (dropped if term.text in spare else kept)[term] = None
        if len(kept) >= _MAX_QUERY_TERMS:
            break
    return list(kept or dropped)[:_MAX_QUERY_TERMS]


def _stop_words(runs: Sequence[str], codes: Sequence[str]) -> frozenset[str]:
    words = [
        word
        for run in runs
        for unit in units_of(run)
        for word in unit.words
        if unit.kind == "w"
    ]
    lists = [STOPWORDS[code] for code in [*codes, "en"] if code in STOPWORDS]
    return max(lists, key=lambda stop: sum(word in stop for word in words))


def _is_acronym(run: str) -> bool:
    letters = run.strip(".,;:!?()[]\"'")
    return len(letters) > 1 and letters.isupper() and letters not in _OPERATORS


def _unit_query(unit: Unit, codes: Sequence[str]) -> Iterator[QueryTerm]:
    words = unit.words
    if unit.kind == "e" or (unit.kind == "c" and len(words) == 1):
        yield QueryTerm(words[0], words, prefix=unit.kind == "c")
        return
    if unit.kind == "c":
        for first, second in pairwise(words):
            yield QueryTerm(first + second, (first + second,))
        return
    for word in words:
        yield QueryTerm(word, _alternatives((word,), codes))
    if unit.joined:
        yield QueryTerm(
            "_".join(unit.joined), _alternatives(unit.joined, codes), joined=True
        )


def _alternatives(words: tuple[str, ...], codes: Sequence[str]) -> tuple[str, ...]:
    found = (
        "_".join(_term(word, code, _term_caches.setdefault(code, {})) for word in words)
        for code in codes
    )
    return tuple(dict.fromkeys(found))
