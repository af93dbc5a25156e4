"""A sentence as rules read it: main clause, time phrases, what makes it unsure. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from mindcache.extract.finding import Context, Passage
from mindcache.extract.sentences import Sentence
from mindcache.when import Interval, Phrase, find_phrases

__all__ = [
    "ADVERB",
    "BACK",
    "CHAT",
    "DAY",
    "DENIED",
    "FEWEST_WORDS",
    "JEST",
    "NAME",
    "NO_NAMES",
    "OTHERS",
    "REPORTED",
    "SIGNS",
    "SPOKEN",
    "UNSURE",
    "VERB",
    "WHO",
    "Clause",
    "Hit",
    "behind",
    "clause_of",
    "doubt",
    "is_loose",
    "is_plain",
    "meant",
    "only",
    "parts_of",
    "since",
]

FEWEST_WORDS = 4
"""Words of the shortest sentence that says something."""

DAY = timedelta(days=1)
_YEAR = timedelta(days=370)

ADVERB = (
    r"(?:(?:[Jj]ust|also|[Ff]inally|actually|[Rr]ecently|even|only|really|first|still"
    r"|already|then|both|all|currently|officially|definitely)\s+)*"
)
NAME = r"[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?"
WHO = (
    rf"(?:I\b|[Ww]e\b|(?:[Mm]y|[Ss]ome|[Aa]\s+few)\s+(?:[\w-]+\s+){{1,3}}?and\s+I\b"
    rf"|{NAME}\s+and\s+I\b|(?:I|[Mm]e)\s+and\s+(?:my\s+)?[\w-]+(?:\s+[\w-]+)?)"
)
OTHERS = r"(?:[Mm]y|[Oo]ur)\s+(?:[\w'-]+\s+){1,3}?"
_SUBJECT = re.compile(rf"[\s,]*(?:{WHO}|{OTHERS}|\w+)")

# Where the main clause ends at the latest.
_BOUND = re.compile(
    r";|\s[–—-]+\s|\s?[–—]\s?|\(|:\s"
    r"|,?\s+(?:but|because|'cause|cause|cuz|since|when|while|if|which|who|whose|where"
    r"|though|although|whenever|unless|until i|as i|as we|as it|as they|like i|so that"
    r"|so i|so we|so it|how|what|why|whether|that i|that we|than|after|before i"
    r"|before we|once)\b(?!\s+(?:a|an)\s+(?:week|month|year|day))"
    r"|(?:,|\s+and|\s+or)\s+(?:i|we|it|he|she|they|you|my|this|that|these|those|there"
    r"|the|her|his|their|our|now|here)\b"
    r"|\s+(?:i|we|he|she|they|you)(?:'\w+)?\s",
    re.IGNORECASE,
)
# What makes a sentence no assertion of its speaker.
UNSURE = re.compile(
    r"\b(?:if|maybe|perhaps|might|may(?=\s+[a-z]+\b)|would|could|should|supposedly"
    r"|apparently|imagine|pretend|as though|wish|wishes|almost|nearly|supposed to"
    r"|hopefully|hoping|hope to|dreamed|dreamt|dreaming of|used to|was going to"
    r"|were going to|about to|unless|ideally|someday|one day|thinking (?:about|of)"
    r"|considering|not sure|guess|i think|i thought|probably|possibly|seems? like)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\bif\b", re.IGNORECASE)
DENIED = re.compile(
    r"n't\b|\b(?:not|never|no|none|nobody|nothing|nowhere|hardly|barely|neither|nor"
    r"|cannot|without)\b",
    re.IGNORECASE,
)
REPORTED = re.compile(
    r"\b(?:said|says|told|tells|asked|heard|claims?|claimed|according to|quoted?"
    r"|mentioned|texted me that|wrote that|reads?:|rumou?r)\b",
    re.IGNORECASE,
)
JEST = re.compile(
    r"(?:^|\s)/s(?:\s|$)|\b(?:just kidding|kidding|jk|joking|lol|lmao|rofl|haha\w*"
    r"|as if|yeah,? right|not!|sarcas\w+|hypothetically|once upon a time)\b"
    r"|[\U0001f609\U0001f61c\U0001f61d\U0001f643\U0001f644\U0001f602\U0001f923]",
    re.IGNORECASE,
)
# "When we met, I …": what is told depends on what stood in front.
_WHEN = re.compile(r"\b(?:whenever|once|after|before|until)\b", re.IGNORECASE)
SPOKEN = re.compile(r"[\"“«](?:\S+\s+){6,}\S+[\"”»]")
CHAT = re.compile(
    r"\b(?:since|last time|when|after) (?:we|you|i) (?:last )?(?:talked|chatted|spoke"
    r"|met|saw|caught)|\blast (?:chat|talk|conversation|spoke|chatted|talked)\b"
    r"|\b(?:talk|chat|speak|see|catch) (?:to |with |up with )?(?:you|ya|u)\b"
    r"|\bcatch(?:ing)? up\b",
    re.IGNORECASE,
)
# Words that stand for something that was named elsewhere.
_LOOSE = re.compile(
    r"\b(?:it|them|there|ones?|he|she|him|hers?|they|their|here|its|something|someone"
    r"|somebody|stuff|thing|things|such|another|same|other|so"
    # "this cute pup" brings in what it names; "this" alone points elsewhere.
    r"|(?:this|that|these|those)(?=\W*$|[^\w\s]|\s+(?:to|for|with|in|on|at|and|by|was|is"
    r"|were|are|from|of|when|last|yesterday|today|too|as|because|made|makes|pic|picture"
    r"|photo|one|way|time|place|stuff|thing|whole)\b))\b",
    re.IGNORECASE,
)
BACK = re.compile(r"(?:from|of|about|like|than|since|for|the|as)\s*$", re.IGNORECASE)

VERB = r"(?P<verb>[a-z]+)\b"
NO_NAMES = re.compile(
    r"(?:The|This|That|These|Those|There|It|He|She|They|You|What|Who|How|When|Where|Why"
    r"|Then|Here|So|Such|All|Some|Everyone|Everybody|Nobody|Someone|Each|One|Just|Not"
    r"|Been|Being|Love|Can|Glad|Happy|Sorry|Looking|Going|Yesterday|Today|Last|Its"
    r"|His|Her|Your|Their|Most|Many|Both|Another|Which|Whatever|If|As|In|On|At|For|To)\b"
)


class Clause(NamedTuple):
    """A sentence ready for rules: 1:1 with its text, signs alike; `main` is its end."""

    text: str
    main: int
    phrases: tuple[Phrase, ...]
    ahead: tuple[Phrase, ...]


class Hit(NamedTuple):
    """What a rule took out of a sentence."""

    phrase: Phrase | None = None
    when: Interval | None = None
    until: datetime | None = None
    doubt: float = 0.0
    is_about: bool = False


SIGNS = str.maketrans({"’": "'", "‘": "'", "\n": " ", "\t": " ", "\u00a0": " "})


def clause_of(text: str, passage: Passage, context: Context) -> Clause:
    """A sentence with its main clause and the time phrases of both sides of now."""
    now = passage.said
    past: list[Phrase] = []
    ahead: list[Phrase] = []
    for side, found in (("past", past), ("future", ahead)):
        anchor = now or datetime(1, 1, 1)  # noqa: DTZ001  only absolute dates count then
        for phrase in find_phrases(
            text, anchor, ("en",), context.week_start,
            prefer="past" if side == "past" else "future",
        ):  # fmt: skip
            is_absolute = re.search(r"\b(?:19|20)\d\d\b", phrase.text)
            if phrase.interval is not None and (now or is_absolute):
                found.append(phrase)
    first = past[0] if past else ahead[0] if ahead else None
    begins = 0
    if first and first.start == 0:
        begins = first.end
    # The subject itself is no boundary.
    subject = _SUBJECT.match(text, begins)
    bound = _BOUND.search(text, subject.end() if subject else begins)
    main = bound.start() if bound else len(text)
    return Clause(text, main, tuple(past), tuple(ahead))


_TAIL = re.compile(
    r"(?:\s[–—-]+\s+|\s?[–—]\s?|;\s+|\.{2,}\s+|…\s*|,\s+(?:(?:and|but|so|then)\s+)?"
    r"|\s+(?:and|but)\s+|\bjust\s+(?=yesterday|last\b))"
    r"(?=(?:I|[Ww]e|[Mm]y|[Oo]ur|[Ll]ast|[Nn]ext|[Yy]esterday|[Tt]omorrow|[Jj]ust"
    r"|[Tt]here)\b)",
    re.IGNORECASE,
)


def parts_of(sentence: Sentence) -> Iterator[Sentence]:
    """The sentence, then what is left of it from each place where a new clause begins.

    Not behind anything that makes what follows a supposition or another's words.
    """
    yield sentence
    for match in _TAIL.finditer(sentence.text):
        front = sentence.text[: match.start()]
        if any(each.search(front) for each in (UNSURE, REPORTED, _WHEN)):
            return
        if front.rstrip().endswith("like"):  # "it feels like just yesterday"
            continue
        rest = sentence.text[match.end() :]
        if len(rest.split()) >= FEWEST_WORDS:
            start = sentence.start + match.end()
            yield Sentence(start, sentence.end, rest, sentence.is_question)


def is_plain(clause: Clause, *, till: int = 0) -> bool:
    """Whether the main clause is asserted: neither supposed, denied, nor another's."""
    text = clause.text
    main = text[: till or clause.main]
    return not (
        UNSURE.search(main)
        or DENIED.search(main)
        or REPORTED.search(text)
        or CHAT.search(text)
        or _IF.search(text)
    )


def only(phrases: tuple[Phrase, ...], clause: Clause) -> Phrase | None:
    """The only time phrase of the main clause."""
    inside = [p for p in phrases if p.start < clause.main]
    return inside[0] if len(inside) == 1 else None


def meant(phrase: Phrase) -> Interval | None:
    """What a phrase means as a time: the wide reading of a rough one, no open end."""
    if _VAGUE.search(phrase.text):
        return None
    found = phrase.wide or phrase.interval
    if found is None or phrase.kind not in {"date", "range"}:
        return None
    return found if found.end - found.start <= _YEAR else None


# "A few weeks ago" is a time for a listener, and none for a calendar.
_VAGUE = re.compile(r"\b(?:few|several|some|couple|many)\b", re.IGNORECASE)


def doubt(when: Interval) -> float:
    """How much less sure a time of several days makes a finding."""
    return 0.0 if when.end - when.start <= DAY else 0.05


def behind(phrase: Phrase, text: str) -> int:
    """Where the subject stands: behind a phrase that leads the sentence, else first."""
    if phrase.start > 0:
        return 0
    gap = re.compile(r"[\s,]*").match(text, phrase.end)
    return gap.end() if gap else phrase.end


def is_loose(text: str) -> bool:
    """Whether a text has words that stand for something named elsewhere."""
    return bool(_LOOSE.search(text))


def since(passage: Passage) -> Interval | None:
    """The day on which a passage was said, None when unknown."""
    if passage.said is None:
        return None
    day = passage.said.replace(hour=0, minute=0, second=0, microsecond=0)
    return Interval(day, day + DAY)
