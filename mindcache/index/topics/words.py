"""What a topic is about, in words: its distinctive terms and the notes that cover it."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mindcache.index.topics.near import PLACES, likeness, sums

__all__ = ["ANCHORS", "Text", "Vocabulary", "anchors", "count", "related"]

# Terms that stand for a topic, in its note and on the fast surface.
_TERMS = 12
# Notes that cover a topic between them.
ANCHORS = 4
# Other topics that a reader of one may want next.
_RELATED = 3
_RELATED_COSINE = 0.3
# A term of one note of the topic says nothing about the topic.
_LEAST_NOTES = 2
# Words of a text that are counted: what a note is about, it says by then.
_READ = 250
# Notes nearest the middle that anchors are chosen from.
_CENTRAL = 60

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NUMBER = re.compile(r"[\d.,:-]+(?:st|nd|rd|th|s|m|bn|am|pm|gb|mb|km)?")
_SENTENCE_END = re.compile(r"[.!?:]\s*$")


@dataclass(frozen=True, slots=True)
class Text:
    """The words of one note: how often each term, and how each is written.

    Terms are index terms, forms what people read; a name of several words is a term
    of its own.
    """

    terms: Mapping[str, int]
    forms: Mapping[str, Mapping[str, int]]


@dataclass(slots=True)
class Vocabulary:
    """How common terms are in a whole vault: occurrences, notes, forms."""

    notes: int = 0
    total: Counter[str] = field(default_factory=Counter)
    having: Counter[str] = field(default_factory=Counter)

    def add(self, text: Text) -> None:
        """Count a note in."""
        self.notes += 1
        self.total.update(text.terms)
        self.having.update(text.terms.keys())

    def distinctive(self, texts: Sequence[Text]) -> list[str]:
        """The terms that tell these notes from all others, as people write them.

        `log1p(tf)·idf·sqrt(tf/total)`, which beat c-TF-IDF on dialogues; the most
        telling first.
        """
        inside: Counter[str] = Counter()
        having: Counter[str] = Counter()
        forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            inside.update(text.terms)
            having.update(text.terms.keys())
            for term, ways in text.forms.items():
                forms[term].update(ways)
        least = min(_LEAST_NOTES, len(texts))
        scores = {
            term: self._score(term, times, having[term], len(texts))
            for term, times in inside.items()
            if having[term] >= least
        }
        order = sorted(scores, key=lambda term: (-scores[term], term))
        chosen: list[str] = []
        for term in order:
            form = min(forms[term].items(), key=lambda each: (-each[1], each[0]))[0]
            if not _is_part_of(form, chosen):
                chosen.append(form)
            if len(chosen) == _TERMS:
                break
        return chosen

    def _score(self, term: str, times: int, having: int, notes: int) -> float:
        idf = math.log1p(self.notes / max(self.having[term], 1))
        share = math.sqrt(times / max(self.total[term], times))
        # Half of a topic's notes say its subject; a word of few is theirs alone.
        spread = min(1.0, 2.0 * having / notes)
        return round(math.log1p(times) * idf * share * spread, PLACES)


def _is_part_of(form: str, chosen: Sequence[str]) -> bool:
    """Whether a name was chosen that holds this word, or that this name holds."""
    words = set(form.casefold().split())
    return any(
        words <= (held := set(each.casefold().split())) or held <= words
        for each in chosen
    )


def count(
    text: str, stems: Mapping[str, str], stop: frozenset[str], names: Iterable[str] = ()
) -> Text:
    """The words of a text, its stop words and numbers left out.

    `stems` gives the index term of each word (folded) that counts; `names` are those
    of known things, counted where the text names them.
    """
    words: Counter[str] = Counter()
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    run: list[str] = []
    last = 0
    for match in list(_WORD.finditer(text))[:_READ]:
        word = match[0].removesuffix("'s").removesuffix("’s")
        key = word.casefold()
        gap = text[last : match.start()]
        is_name = word[:1].isupper() and len(word) > 1 and key not in stop
        if run and (not is_name or gap != " "):
            _add_name(run, words, forms)
            run = []
        # The first word of a sentence is written large whatever it is.
        starts = not last or _SENTENCE_END.search(gap) is not None or "\n" in gap
        if is_name and (run or not starts):
            run.append(word)
        last = match.end()
        if key in stop or len(key) < 2 or _NUMBER.fullmatch(key):
            continue
        term = stems.get(key, key)
        words[term] += 1
        forms[term][key if starts or not is_name else word] += 1
    _add_name(run, words, forms)
    for name in names:
        words[name.casefold()] += 1
        forms[name.casefold()][name] += 1
    return Text(words, forms)


def _add_name(
    run: Sequence[str], words: Counter[str], forms: defaultdict[str, Counter[str]]
) -> None:
    if 2 <= len(run) <= 3:
        name = " ".join(run)
        words[name.casefold()] += 1
        forms[name.casefold()][name] += 1


def anchors(vectors: npt.NDArray[np.int8], nodes: Sequence[int]) -> list[int]:
    """The few notes that cover these: the middle first, then what it leaves out."""
    ordered = sorted(nodes)
    if not ordered:
        return []
    middle = sums(vectors, [ordered])[0]
    rows = vectors[ordered].astype(np.int64)
    closeness = {n: likeness(row, middle) for n, row in zip(ordered, rows, strict=True)}
    central = sorted(ordered, key=lambda n: (-closeness[n], n))[:_CENTRAL]
    whole = vectors[central].astype(np.float64)
    lengths = np.sqrt((whole**2).sum(axis=1))
    lengths[lengths == 0.0] = 1.0
    # Whole millionths, so that sums are the same in whatever order they are made.
    alike = np.rint(whole @ whole.T / np.outer(lengths, lengths) * 10**PLACES)
    shares = np.maximum(alike, 0.0).astype(np.int64)
    chosen = [0]
    covered = shares[0].copy()
    while len(chosen) < min(ANCHORS, len(central)):
        gains = np.maximum(shares - covered, 0).sum(axis=1)
        gains[chosen] = -1
        best = int(np.argmax(gains))
        chosen.append(best)
        covered = np.maximum(covered, shares[best])
    return [central[at] for at in chosen]


def related(
    directions: Mapping[int, npt.NDArray[np.int64]], topic: int, apart: Iterable[int]
) -> list[int]:
    """The topics whose notes are most like this one's, the nearest first."""
    left_out = {topic, *apart}
    scores = {
        other: likeness(directions[topic], directions[other])
        for other in sorted(directions)
        if other not in left_out
    }
    near = [other for other in scores if scores[other] >= _RELATED_COSINE]
    return sorted(near, key=lambda other: (-scores[other], other))[:_RELATED]
