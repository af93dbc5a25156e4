"""The extractor that ships: a few rules of English, each sure of what it takes. Pure.

A sentence is read as far as its main clause reaches; a time phrase counts only in
there. One sentence gives one finding at most, by the first rule that takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mindcache.extract.ahead import arranged, commitment, deadline, scheduled
from mindcache.extract.clause import (
    FEWEST_WORDS,
    JEST,
    SIGNS,
    SPOKEN,
    Clause,
    Hit,
    clause_of,
    parts_of,
)
from mindcache.extract.finding import Context, Finding, Kind, Passage
from mindcache.extract.happened import event, news
from mindcache.extract.held import (
    decision,
    favourite,
    life,
    liking,
    preference,
    state,
)
from mindcache.extract.sentences import Sentence, is_foreign, sentences_of
from mindcache.extract.voice import dates, told
from mindcache.redact import redact

__all__ = ["Rules"]

# A longer sentence says several things, of which a date belongs to one.
_MOST_WORDS = 45
_MOST_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    kind: Kind
    confidence: float
    take: Callable[[Clause, Passage], Hit | None]


class Rules:
    """The deterministic extractor; see `finding.Extractor`."""

    def find(self, passage: Passage, context: Context) -> Iterator[Finding]:
        """The statements of a passage in its order; nothing where orders are given."""
        if is_foreign(passage.text):
            return
        text = passage.text.translate(SIGNS)
        for sentence in sentences_of(text, passage.people):
            if finding := self._read(sentence, passage, context):
                yield finding

    def _read(
        self, sentence: Sentence, passage: Passage, context: Context
    ) -> Finding | None:
        words = len(sentence.text.split())
        if sentence.is_question or len(sentence.text) > _MOST_CHARACTERS:
            return None
        if not FEWEST_WORDS <= words <= _MOST_WORDS:
            return None
        if JEST.search(sentence.text) or SPOKEN.search(sentence.text):
            return None
        if sentence.text.count('"') % 2 or "”" in sentence.text[-3:]:
            return None  # somebody else is still speaking
        for part in parts_of(sentence):
            clause = clause_of(part.text, passage, context)
            for rule in _RULES:
                hit = rule.take(clause, passage)
                if hit is not None:
                    return _finding(rule, hit, part, passage)
        return None


def _finding(rule: _Rule, hit: Hit, sentence: Sentence, passage: Passage) -> Finding:
    start = sentence.start
    quote = passage.text[start : sentence.end]
    beside = dates(hit.when) if hit.phrase and hit.when else ""
    beside = f"about {beside}" if hit.is_about else beside
    summary = told(quote, passage.speaker, passage.people, hit.phrase, beside)
    return Finding(
        rule.kind,
        rule.name,
        redact(summary).text,
        quote,
        passage.line + passage.text.count("\n", 0, start),
        passage.anchor,
        passage.speaker,
        hit.when,
        hit.until,
        round(rule.confidence - hit.doubt, 2),
    )


_RULES = (
    _Rule("decision", "fact", 0.8, decision),
    _Rule("deadline", "plan", 0.8, deadline),
    _Rule("commitment", "plan", 0.75, commitment),
    _Rule("arranged", "plan", 0.7, arranged),
    _Rule("scheduled", "plan", 0.7, scheduled),
    _Rule("event", "event", 0.75, event),
    _Rule("news", "event", 0.65, news),
    _Rule("preference", "fact", 0.8, preference),
    _Rule("favourite", "fact", 0.8, favourite),
    _Rule("life", "fact", 0.75, life),
    _Rule("liking", "fact", 0.65, liking),
    _Rule("passing state", "fact", 0.6, state),
)
