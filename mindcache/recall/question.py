"""What a question asks for, as far as it can be read off its words.

Its index terms with the forms that a stemmer misses, its quoted phrases, the one
person it is about, the times it names, and whether it asks when, or for several things. All but phrases
are guesses: they raise what fits and exclude nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from mindcache.lazy import regex
from mindcache.links import fold as fold_name
from mindcache.recall.corpus import Corpus
from mindcache.recall.seeking import sought
from mindcache.recall.spelling import Misspelt, nearest
from mindcache.text import QueryTerm, fold, parse_phrases, query_terms, with_forms

if TYPE_CHECKING:
    from mindcache.when import Interval

__all__ = ["Question", "as_speech", "read"]

# A question that is answered by a date or a stretch of time.
_WHEN = regex(
    r"^\W*(?:(?:since |until |by )?when\b|(?:(?:in|on|at) )?(?:what|which) (?:date|day"
    r"|month|year|week|time)\b|how long ago\b)",
    re.IGNORECASE,
)

# A question that is answered by several things: "which books did she read".
_SEVERAL = regex(
    r"^\W*(?:(?:in|on|at|to|from) )?(?:what|which)\b[^?]*?\b[^\W\d_]{2,}s"
    r" (?:has|have|had|did|does|do|are|were)\b|\bhow many\b",
    re.IGNORECASE,
)

_QUESTION_MARKS = ("?", "？", "؟")
# So many words around what is quoted are a sentence: who quotes in order to require
# adds a word or two.
_SENTENCE = 5

# Words of a question that may name somebody, tried up to three in a row.
_WORD = regex(r"\w+(?:['’.-]\w+)*")
_LETTERS = regex(r"[^\W\d_]+")
_NAME_WORDS = 3
# A pasted page names everybody; its first words are the question.
_NAMED_IN = 64


class Question(NamedTuple):
    """A question as the searches read it.

    `text` is as it was typed, `spelt` with those words mended that stand nowhere in the
    vault (`misspelt`). `phrases` are folded and required, `quoted` are those that only stand in quotes
    in a whole sentence, where quotes name a title or speak (`spoken`: they were
    required, and stand nowhere). `bare` is its text without the names of known people, `names` are the folded
    words of those. `subject` is the one
    person that it names ("" for none or several), `times` are half-open intervals;
    `sought` are the traits of which what answers it has one (see `seeking`).
    """

    text: str
    terms: tuple[QueryTerm, ...] = ()
    phrases: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    bare: str = ""
    names: frozenset[str] = frozenset()
    subject: str = ""
    times: tuple[Interval, ...] = ()
    asks_when: bool = False
    asks_several: bool = False
    sought: tuple[str, ...] = ()
    spelt: str = ""
    misspelt: tuple[Misspelt, ...] = ()
    spoken: bool = False

    @property
    def index_terms(self) -> frozenset[str]:
        """Every index term that stands for a word of it."""
        return frozenset(t for term in self.terms for t in term.terms)


def read(
    text: str, phrases: Iterable[str], corpus: Corpus, now: datetime | None
) -> Question:
    """Read a question with the vault's languages and people in mind."""
    words, quoted = parse_phrases(text)
    required = [p for p in phrases if p.strip()]
    whole = " ".join([words, *quoted, *required]).strip()
    rest = len(words.split())
    names_titles = rest >= _SENTENCE or (
        rest > 0 and text.rstrip().endswith(_QUESTION_MARKS)
    )
    if not names_titles:
        required = [*quoted, *required]
    terms = list(with_forms(query_terms(whole, corpus.languages)))
    misspelt = _misspelt(terms, corpus)
    spelt = _mended(whole, misspelt)
    people, bare, names = _people(spelt, corpus)
    return Question(
        text=whole,
        spelt=spelt,
        misspelt=misspelt,
        terms=tuple(_as_meant(terms, misspelt)),
        phrases=tuple(f for p in required if (f := fold(p))),
        quoted=tuple(f for p in quoted if names_titles and (f := fold(p))),
        bare=bare,
        names=names,
        subject=people[0] if len(people) == 1 else "",
        times=_times(whole, now, corpus),
        asks_when=_WHEN.search(whole) is not None,
        asks_several=_SEVERAL.search(whole) is not None,
        sought=sought(whole),
    )


def as_speech(question: Question) -> Question:
    """The same with quoted sentences as what somebody said, not as what has to stand.

    `spoken` says that there were any. Shorter quotes stay required.
    """
    sentences = [p for p in question.phrases if len(p.split()) > _SENTENCE]
    if not sentences:
        return question
    return question._replace(
        phrases=tuple(p for p in question.phrases if p not in sentences),
        quoted=(*question.quoted, *sentences),
        spoken=True,
    )


def _misspelt(terms: Sequence[QueryTerm], corpus: Corpus) -> tuple[Misspelt, ...]:
    unknown = [
        term
        for term, postings in zip(terms, corpus.postings(terms), strict=True)
        if not len(postings.chunk_ids)
    ]
    return tuple(nearest(unknown, corpus.reader, corpus.languages)) if unknown else ()


def _mended(text: str, misspelt: Sequence[Misspelt]) -> str:
    """The text with each misspelt word as it was meant."""
    meant = {each.word: each.meant for each in misspelt}
    if not meant:
        return text
    return _LETTERS.sub(lambda m: meant.get(fold(m[0]), m[0]), text)


def _as_meant(
    terms: Sequence[QueryTerm], misspelt: Sequence[Misspelt]
) -> Iterable[QueryTerm]:
    meant = {each.word: each.terms for each in misspelt}
    for term in terms:
        yield term._replace(terms=meant[term.text]) if term.text in meant else term


def _people(text: str, corpus: Corpus) -> tuple[list[str], str, frozenset[str]]:
    """The known people that a text names, the text without them, and their words."""
    if not corpus.people:
        return [], text, frozenset()
    matches = list(_WORD.finditer(text))[:_NAMED_IN]
    found: dict[str, None] = {}
    cuts: list[tuple[int, int]] = []
    at = 0
    while at < len(matches):
        for last in range(min(at + _NAME_WORDS, len(matches)) - 1, at - 1, -1):
            start, end = matches[at].start(), matches[last].end()
            person = _find_person(text[start:end], corpus)
            if person:
                found[person] = None
                cuts.append((start, end))
                at = last
                break
        at += 1
    bare, names, rest = "", "", 0
    for start, end in cuts:
        bare += text[rest:start] + " "
        names += text[start:end] + " "
        rest = end
    bare = " ".join((bare + text[rest:]).split())
    if not any(map(str.isalnum, bare)):
        return list(found), text, frozenset()
    words = frozenset(term.text for term in query_terms(names, corpus.languages))
    return list(found), bare, words


def _find_person(name: str, corpus: Corpus) -> str:
    key = fold_name(name)
    for ending in ("'s", "’s", "'", "’"):
        key = key.removesuffix(ending)
    return corpus.people.get(key, "")


def _times(text: str, now: datetime | None, corpus: Corpus) -> tuple[Interval, ...]:
    """The stretches of time that a question names, seen from `now`."""
    if now is None:
        return ()
    from mindcache.when import may_name_a_time

    langs = [lang for lang in corpus.languages if lang] or ["en"]
    if not may_name_a_time(text, langs):
        return ()
    from mindcache.when import find_phrases

    phrases = find_phrases(text, now, langs)
    return tuple(
        phrase.wide or phrase.interval
        for phrase in phrases
        if phrase.interval is not None and phrase.kind in {"date", "range"}
    )
