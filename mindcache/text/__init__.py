"""Text: terms for search, phrases, languages, and the chunks a note is cut into. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.text.analyzer import (
        ANALYZER_VERSION,
        STEMMED_LANGUAGES,
        QueryTerm,
        analyze,
        query_terms,
    )
    from mindcache.text.characters import fold
    from mindcache.text.chunks import Chunk, chunk
    from mindcache.text.forgetting import forget_words
    from mindcache.text.forms import FORMS, with_forms
    from mindcache.text.language import detect_language
    from mindcache.text.phrases import contains_phrase, parse_phrases
    from mindcache.text.traits import TRAITS, traits_of

__all__ = [
    "ANALYZER_VERSION",
    "FORMS",
    "STEMMED_LANGUAGES",
    "TRAITS",
    "Chunk",
    "QueryTerm",
    "analyze",
    "chunk",
    "contains_phrase",
    "detect_language",
    "fold",
    "forget_words",
    "parse_phrases",
    "query_terms",
    "traits_of",
    "with_forms",
]

__getattr__ = exports(
    __name__,
    {
        "analyzer": "ANALYZER_VERSION STEMMED_LANGUAGES QueryTerm analyze query_terms",
        "characters": "fold",
        "chunks": "Chunk chunk",
        "language": "detect_language",
        "forgetting": "forget_words",
        "forms": "FORMS with_forms",
        "phrases": "contains_phrase parse_phrases",
        "traits": "TRAITS traits_of",
    },
)
