"""The extractor that ships: a few rules of English, each sure of what it takes. Pure.

A sentence is read as far as its main clause reaches; a time phrase counts only in
there. One sentence gives one finding at most, by the first rule that takes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from mindcache.extract.finding import Context, Finding, Kind, Passage
from mindcache.extract.sentences import Sentence, is_foreign, sentences_of
from mindcache.extract.voice import dates, told
from mindcache.extract.words import (
    DOING,
    FEELINGS,
    MOODS,
    NO_DEED,
    PAST,
    SMALL,
    STARTS_PAST,
    WHOLE,
)
from mindcache.redact import redact
from mindcache.when import Interval, Phrase, find_phrases

__all__ = ["Rules"]

# A longer sentence says several things, of which a date belongs to one.
_MOST_WORDS = 45
_FEWEST_WORDS = 4
# How long "X is down" is worth believing: nobody writes down that it is up again.
PASSING = timedelta(days=14)

_DAY = timedelta(days=1)
_YEAR = timedelta(days=370)

_ADVERB = (
    r"(?:(?:[Jj]ust|also|[Ff]inally|actually|[Rr]ecently|even|only|really|first|still"
    r"|already|then|both|all|currently|officially|definitely)\s+)*"
)
_NAME = r"[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?"
_WHO = (
    rf"(?:I\b|[Ww]e\b|(?:[Mm]y|[Ss]ome|[Aa]\s+few)\s+(?:[\w-]+\s+){{1,3}}?and\s+I\b"
    rf"|{_NAME}\s+and\s+I\b|(?:I|[Mm]e)\s+and\s+(?:my\s+)?[\w-]+(?:\s+[\w-]+)?)"
)
_OTHERS = r"(?:[Mm]y|[Oo]ur)\s+(?:[\w'-]+\s+){1,3}?"
_SUBJECT = re.compile(rf"[\s,]*(?:{_WHO}|{_OTHERS}|\w+)")

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
_UNSURE = re.compile(
    r"\b(?:if|maybe|perhaps|might|may(?=\s+[a-z]+\b)|would|could|should|supposedly"
    r"|apparently|imagine|pretend|as though|wish|wishes|almost|nearly|supposed to"
    r"|hopefully|hoping|hope to|dreamed|dreamt|dreaming of|used to|was going to"
    r"|were going to|about to|unless|ideally|someday|one day|thinking (?:about|of)"
    r"|considering|not sure|guess|i think|i thought|probably|possibly|seems? like)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\bif\b", re.IGNORECASE)
_DENIED = re.compile(
    r"n't\b|\b(?:not|never|no|none|nobody|nothing|nowhere|hardly|barely|neither|nor"
    r"|cannot|without)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|says|told|tells|asked|heard|claims?|claimed|according to|quoted?"
    r"|mentioned|texted me that|wrote that|reads?:|rumou?r)\b",
    re.IGNORECASE,
)
_JEST = re.compile(
    r"(?:^|\s)/s(?:\s|$)|\b(?:just kidding|kidding|jk|joking|lol|lmao|rofl|haha\w*"
    r"|as if|yeah,? right|not!|sarcas\w+|hypothetically|once upon a time)\b"
    r"|[\U0001f609\U0001f61c\U0001f61d\U0001f643\U0001f644\U0001f602\U0001f923]",
    re.IGNORECASE,
)
# "When we met, I …": what is told depends on what stood in front.
_WHEN = re.compile(r"\b(?:whenever|once|after|before|until)\b", re.IGNORECASE)
_SPOKEN = re.compile(r"[\"“«](?:\S+\s+){6,}\S+[\"”»]")
_CHAT = re.compile(
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
_BACK = re.compile(r"(?:from|of|about|like|than|since|for|the|as)\s*$", re.IGNORECASE)


class _Clause(NamedTuple):
    """A sentence ready for rules: 1:1 with its text, signs alike; `main` is its end."""

    text: str
    main: int
    phrases: tuple[Phrase, ...]
    ahead: tuple[Phrase, ...]


class _Hit(NamedTuple):
    """What a rule took out of a sentence."""

    phrase: Phrase | None = None
    when: Interval | None = None
    until: datetime | None = None
    doubt: float = 0.0
    is_about: bool = False


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    kind: Kind
    confidence: float
    take: Callable[[_Clause, Passage], _Hit | None]


class Rules:
    """The deterministic extractor; see `finding.Extractor`."""

    def find(self, passage: Passage, context: Context) -> Iterator[Finding]:
        """The statements of a passage in its order; nothing where orders are given."""
        if is_foreign(passage.text):
            return
        text = passage.text.translate(_SIGNS)
        for sentence in sentences_of(text, passage.people):
            if finding := self._read(sentence, passage, context):
                yield finding

    def _read(
        self, sentence: Sentence, passage: Passage, context: Context
    ) -> Finding | None:
        words = len(sentence.text.split())
        if sentence.is_question or not _FEWEST_WORDS <= words <= _MOST_WORDS:
            return None
        if _JEST.search(sentence.text) or _SPOKEN.search(sentence.text):
            return None
        for part in _parts(sentence):
            clause = _clause(part.text, passage, context)
            for rule in _RULES:
                hit = rule.take(clause, passage)
                if hit is not None:
                    return _finding(rule, hit, part, passage)
        return None


_TAIL = re.compile(
    r"(?:\s[–—-]+\s+|\s?[–—]\s?|;\s+|\.{2,}\s+|…\s*|,\s+(?:(?:and|but|so|then)\s+)?"
    r"|\s+(?:and|but)\s+|\bjust\s+(?=yesterday|last\b))"
    r"(?=(?:I|[Ww]e|[Mm]y|[Oo]ur|[Ll]ast|[Nn]ext|[Yy]esterday|[Tt]omorrow|[Jj]ust"
    r"|[Tt]here)\b)",
    re.IGNORECASE,
)


def _parts(sentence: Sentence) -> Iterator[Sentence]:
    """The sentence, then what is left of it from each place where a new clause begins.

    Not behind anything that makes what follows a supposition or another's words.
    """
    yield sentence
    for match in _TAIL.finditer(sentence.text):
        front = sentence.text[: match.start()]
        if any(each.search(front) for each in (_UNSURE, _REPORTED, _WHEN)):
            return
        if front.endswith("like"):  # "it feels like just yesterday"
            continue
        rest = sentence.text[match.end() :]
        if len(rest.split()) >= _FEWEST_WORDS:
            start = sentence.start + match.end()
            yield Sentence(start, sentence.end, rest, sentence.is_question)


_SIGNS = str.maketrans({"’": "'", "‘": "'", "\n": " ", "\t": " ", "\u00a0": " "})


def _clause(text: str, passage: Passage, context: Context) -> _Clause:
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
    return _Clause(text, main, tuple(past), tuple(ahead))


def _finding(
    rule: _Rule, hit: _Hit, sentence: Sentence, passage: Passage
) -> Finding:
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


# -- what rules share ------------------------------------------------------------


def _is_plain(clause: _Clause, *, till: int = 0) -> bool:
    """Whether the main clause is asserted: neither supposed, denied, nor another's."""
    text = clause.text
    main = text[: till or clause.main]
    return not (
        _UNSURE.search(main)
        or _DENIED.search(main)
        or _REPORTED.search(text)
        or _CHAT.search(text)
        or _IF.search(text)
    )


def _one(phrases: tuple[Phrase, ...], clause: _Clause) -> Phrase | None:
    """The only time phrase of the main clause."""
    inside = [p for p in phrases if p.start < clause.main]
    return inside[0] if len(inside) == 1 else None


def _meant(phrase: Phrase) -> Interval | None:
    """What a phrase means as a time: the wide reading of a rough one, no open end."""
    found = phrase.wide or phrase.interval
    if found is None or phrase.kind not in {"date", "range"}:
        return None
    return found if found.end - found.start <= _YEAR else None


def _doubt(when: Interval) -> float:
    return 0.0 if when.end - when.start <= _DAY else 0.05


def _after(phrase: Phrase, text: str) -> int:
    """Where the subject stands: behind a phrase that leads the sentence, else first."""
    if phrase.start > 0:
        return 0
    gap = re.compile(r"[\s,]*").match(text, phrase.end)
    return gap.end() if gap else phrase.end


def _is_loose(text: str) -> bool:
    return bool(_LOOSE.search(text))


# -- events ----------------------------------------------------------------------

_VERB = r"(?P<verb>[a-z]+)\b"
_DID = re.compile(rf"(?P<who>{_WHO})\s+{_ADVERB}{_VERB}\s*(?P<rest>.*)")
_DID_OTHERS = re.compile(rf"(?P<who>{_OTHERS}|{_NAME}\s+){_ADVERB}{_VERB}\s*(?P<rest>.*)")
_DID_THE = re.compile(rf"(?P<who>The\s+(?:[\w'-]+\s+){{1,3}}?){_ADVERB}{_VERB}\s*(?P<rest>.*)")
_THERE_WAS = re.compile(
    r"(?P<who>)[Tt]here\s+(?P<verb>was|were)\s+(?P<rest>(?:an?|some|two|three)\s+.*)"
)
_DID_BARE = re.compile(rf"(?P<who>){_ADVERB}(?P<verb>[A-Za-z]+)\b\s*(?P<rest>.*)")
_JUST = re.compile(rf"{_WHO}\s+(?P<just>just)\s+{_VERB}\s*(?P<rest>.*)")
_NO_NAMES = re.compile(
    r"(?:The|This|That|These|Those|There|It|He|She|They|You|What|Who|How|When|Where|Why"
    r"|Then|Here|So|Such|All|Some|Everyone|Everybody|Nobody|Someone|Each|One|Just|Not"
    r"|Been|Being|Love|Can|Glad|Happy|Sorry|Looking|Going|Yesterday|Today|Last|Its"
    r"|His|Her|Your|Their|Most|Many|Both|Another|Which|Whatever|If|As|In|On|At|For|To)\b"
)


_PLACED = re.compile(
    r"(?:in\s+(?!a\b)|at\s|on\s|born\b|chosen\b|given\b|hit\s+by\b|sent\b|stolen\b|cut\b)"
)


def _is_deed(verb: str, rest: str) -> bool:
    if verb in {"was", "were"}:
        # "was at the fair", "was promoted": where somebody was, or what was done.
        if _PLACED.match(rest):
            return True
        done = re.match(r"([a-z]+ed)\b", rest)
        return bool(done) and done[1] not in NO_DEED and done[1] not in FEELINGS
    if verb in {"had", "got"} and re.match(r"(?:to|been|better|it)\b", rest):
        return False
    if verb in PAST:
        return True
    return verb.endswith("ed") and len(verb) > 4 and verb not in NO_DEED


def _event(clause: _Clause, passage: Passage) -> _Hit | None:
    phrase = _one(clause.phrases, clause)
    when = _meant(phrase) if phrase else None
    if phrase is None or when is None or not _is_plain(clause):
        return None
    if passage.said and when.start > passage.said:
        return None
    text = clause.text
    if _BACK.search(text[: phrase.start]) or text[phrase.end :].startswith(("'s", "-")):
        return None
    at = _after(phrase, text)
    found = _deed(text, at, passage)
    if found is None:
        return None
    deed = text[found.start("verb") : clause.main]
    own = deed.replace(phrase.text, " ")
    fewest = 1 if found["verb"] in WHOLE else 3
    if len(own.split()) < fewest or _is_loose(own):
        return None
    if at == 0 and phrase.start < found.end("verb"):
        return None
    doubt = _doubt(when) + (0.05 if not found["who"] else 0.0)
    return _Hit(phrase, when, doubt=doubt)


def _deed(text: str, at: int, passage: Passage) -> re.Match[str] | None:
    forms = [_DID, _DID_OTHERS, *([] if passage.speaker else [_DID_THE])]
    for form in forms:
        found = form.match(text, at)
        if found and not _NO_NAMES.match(found["who"]):
            verb = found["verb"]
            if _is_deed(verb, found["rest"]):
                return found
    there = _THERE_WAS.match(text, at)
    if there:
        return there
    bare = _DID_BARE.match(text, at)
    if bare and passage.speaker and bare["verb"].casefold() in STARTS_PAST:
        is_was = bare["verb"].casefold() == "was"
        if not is_was or _is_deed("was", bare["rest"]):
            return bare
    return None


# -- plans -----------------------------------------------------------------------

_WILL = re.compile(
    rf"(?:(?P<who>{_WHO}|{_OTHERS}|{_NAME}\s+)\s*"
    r"(?P<will>'ll|will|(?:'m|'re|am|are|is)\s+(?:also\s+|actually\s+|still\s+)?"
    r"(?:going\s+to|gonna|planning\s+to|planning\s+on|scheduled\s+to|set\s+to|due\s+to)"
    r"|gonna|plan\s+to|plans\s+to|intend\s+to|have\s+to|has\s+to|need\s+to|needs\s+to"
    r"|must|'ve\s+got\s+to|promised?\s+to|agreed\s+to|shall)"
    r"|(?P<bare>[Gg]onna|[Pp]lanning\s+to|[Pp]lanning\s+on))"
    rf"\s+{_ADVERB}{_VERB}\s*(?P<rest>.*)"
)
_DOING = re.compile(
    rf"(?P<who>{_WHO}|{_OTHERS}|{_NAME}\s+)\s*(?:'m|'re|'s|am|are|is)\s+{_ADVERB}"
    r"(?P<verb>[a-z]+ing)\b\s*(?P<rest>.*)"
)
_HAVING = re.compile(
    rf"(?P<who>{_WHO}|{_OTHERS})\s*(?:'ve\s+got|have|has|got)\s+{_ADVERB}"
    r"(?P<rest>(?:a|an|another|my|our|the|two|three|some)\s+.*)"
)
_STARTING = re.compile(
    r"(?P<who>(?:[Mm]y|[Oo]ur|[Tt]he)\s+(?:[\w'-]+\s+){1,4}?)"
    r"(?:(?:is|are)\s+(?:on\s+|in\s+|at\s+)?(?=\W*$|\w)|(?:starts?|begins?|opens?"
    r"|leaves?|ends?|expires?|closes?|takes\s+place)\b)(?P<rest>.*)"
)
_DUE = re.compile(
    r"(?P<who>.{3,60}?)\s+(?:is|are|'s)\s+due\b|(?:[Tt]he\s+)?(?:[\w'-]+\s+){0,3}?"
    r"[Dd]eadline\b.{0,40}?\s(?:is|was\s+moved\s+to|moved\s+to)\b"
)
_BY = re.compile(r"(?:by|before|no later than)\b", re.IGNORECASE)
_OPEN = re.compile(r"(?:until|till|til|through|up to)\b", re.IGNORECASE)


def _plan_time(clause: _Clause, passage: Passage) -> tuple[Phrase, Interval] | None:
    """The one time ahead in the main clause; of a deadline, its last day."""
    phrase = _one(clause.ahead, clause)
    if phrase is None or phrase.interval is None or _OPEN.match(phrase.text):
        return None
    if _BACK.search(clause.text[: phrase.start]):
        return None
    if phrase.kind == "before" and _BY.match(phrase.text):
        last = phrase.interval.end
        when = Interval(last - _DAY, last)
    else:
        meant = _meant(phrase)
        if meant is None:
            return None
        when = meant
    if passage.said and when.end <= passage.said:
        return None
    return phrase, when


def _commitment(clause: _Clause, passage: Passage) -> _Hit | None:
    found = _WILL.match(clause.text, _led(clause))
    timed = _plan_time(clause, passage)
    if not (found and timed) or not _is_plain(clause):
        return None
    if found["who"] and _NO_NAMES.match(found["who"]):
        return None
    if found["bare"] and not passage.speaker:
        return None
    phrase, when = timed
    verb, rest = found["verb"], found["rest"]
    if verb in SMALL and not (verb == "be" and _does(rest)):
        return None
    return _planned(clause, phrase, when, found.start("verb"))


def _does(rest: str) -> bool:
    word = re.match(r"[a-z]+", rest)
    return bool(word) and (
        word[0] in DOING or (word[0].endswith("ing") and word[0] not in MOODS)
    )


def _planned(
    clause: _Clause, phrase: Phrase, when: Interval, start: int
) -> _Hit | None:
    own = clause.text[start : clause.main].replace(phrase.text, " ")
    if len(own.split()) < 2 or _is_loose(own):
        return None
    return _Hit(phrase, when, doubt=_doubt(when))


def _led(clause: _Clause) -> int:
    phrase = clause.ahead[0] if clause.ahead else None
    return _after(phrase, clause.text) if phrase and phrase.start == 0 else 0


def _arranged(clause: _Clause, passage: Passage) -> _Hit | None:
    timed = _plan_time(clause, passage)
    if timed is None or not _is_plain(clause):
        return None
    phrase, when = timed
    # "this week" may be over for the most part; what is arranged lies ahead.
    if passage.said and when.start <= passage.said - _DAY:
        return None
    at = _led(clause)
    found = _DOING.match(clause.text, at)
    if found and not _NO_NAMES.match(found["who"]):
        if not _is_settled(found["verb"], found["rest"]):
            return None
        return _planned(clause, phrase, when, found.start("verb"))
    found = _HAVING.match(clause.text, at)
    if found:
        return _planned(clause, phrase, when, found.start("rest"))
    return None


def _is_settled(verb: str, rest: str) -> bool:
    """Whether "I'm …ing" says what will be done, and not a mood."""
    if verb == "getting":
        return bool(re.match(r"(?:ready\s+for|married)\b", rest))
    if verb == "planning":
        return bool(re.match(r"(?:an?|my|our|the)\s", rest))
    if verb == "going":
        return not re.match(r"(?:through|on\b|well)", rest)
    return verb not in MOODS


def _scheduled(clause: _Clause, passage: Passage) -> _Hit | None:
    timed = _plan_time(clause, passage)
    if timed is None or not _is_plain(clause):
        return None
    phrase, when = timed
    if passage.said and when.start <= passage.said - _DAY:
        return None
    found = _STARTING.match(clause.text)
    if found is None or found.end() < phrase.start:
        return None
    is_next = clause.text[found.start("rest") : phrase.start].strip(" ,") in {"", "on"}
    if not is_next or _is_loose(found["who"]):
        return None
    return _Hit(phrase, when, doubt=_doubt(when))


def _deadline(clause: _Clause, passage: Passage) -> _Hit | None:
    timed = _plan_time(clause, passage)
    found = _DUE.match(clause.text)
    if not (timed and found) or not _is_plain(clause):
        return None
    if _is_loose(clause.text[: found.end()]):
        return None
    return _Hit(timed[0], timed[1])


# -- facts -----------------------------------------------------------------------

_DECIDED = re.compile(
    rf"{_WHO}(?:\s+have|\s+has|'ve)?\s+{_ADVERB}(?:(?:decided|agreed|opted)\s+(?:not\s+)?"
    r"(?:to|on|that|for|against)|settled\s+on|(?:chose|picked)\s+.{2,60}?\s+over"
    r"|(?:are|'re|am|'m)\s+going\s+with|made\s+the\s+decision\s+to)\s+(?P<what>.*)"
)
_PREFERS = re.compile(
    rf"I\s+(?:(?:really|still|much|generally|usually|always|definitely|personally|also"
    r"|would|'d)\s+)*prefer\s+(?P<what>.*)"
)
_FAVOURITE = re.compile(
    r"(?:[Mm]y|[Oo]ur)\s+(?:all-time\s+|absolute\s+|personal\s+|own\s+)*"
    r"favou?rite\s+(?P<of>(?:(?!is\b|are\b|was\b)[\w'-]+\s+){1,5}?)"
    r"(?:is|are|has\s+to\s+be|would\s+be)\s+(?P<what>.*)"
)
_IS_FAVOURITE = re.compile(
    r"(?P<what>[A-Z\"“'*_][^,.;!?]{2,60}?)\s+(?:is|are)\s+(?:definitely\s+)?(?:one\s+of\s+)?"
    r"my\s+(?:all-time\s+|absolute\s+)*favou?rites?(?P<of>(?:\s+[\w'-]+){0,4})"
)
_LIKES = re.compile(
    r"I(?:\s+(?:really|absolutely|also|just|still|totally|truly|always))*\s+(?:love|like"
    r"|enjoy|hate|dislike|adore|can't\s+stand|am\s+(?:a\s+)?(?:huge|big)\s+fan\s+of"
    r"|am\s+passionate\s+about)\s+(?P<what>.*)"
    r"|I'm(?:\s+(?:really|also|so|super))*\s+(?:a\s+(?:(?:huge|big)\s+)?fan\s+of"
    r"|passionate\s+about|keen\s+on|allergic\s+to)\s+(?P<fan>.*)"
    r"|I(?:\s+really)?\s+loved\s+(?P<loved>(?:reading\s+|watching\s+)?[\"“].*)"
)
_LIVES = re.compile(
    r"(?:I|[Ww]e)(?:\s+(?:currently|still|now|also))*\s+(?:live\s+in|work\s+(?:as|at|for)"
    r"|grew\s+up\s+in)\s+(?P<what>.*)"
    r"|I\s+was\s+born\s+(?:in|on)\s+(?P<born>.*)"
    r"|[Mm]y\s+(?P<whose>(?:[\w-]+\s+){1,3}?)(?:is|are)\s+(?:called|named)\s+(?P<named>.*)"
    r"|[Mm]y\s+(?:[\w-]+\s+){0,2}[\w-]+'s\s+name\s+is\s+(?P<name>.*)"
    r"|(?:I|[Ww]e)(?:'ve|\s+have)\s+(?:known|been\s+(?:into|[a-z]+ing))\s+"
    r"(?P<long>(?:[^,.;!?]*?\s)?(?:for\s+(?:\w+\s+){0,3}(?:years|months|decades)\b"
    r"|since\s+(?:I|(?:19|20)\d\d|college|school|childhood)\b).*)"
    r"|(?:[Mm]y|[Oo]ur)\s+(?:\w+\s+)?(?:goal|dream|plan|aim)\s+is\s+to\s+(?P<goal>.*)"
    r"|(?:I'm|I\s+am)\s+(?:currently\s+|now\s+|also\s+)?(?:volunteering|studying"
    r"|training\s+for|starting(?!\s+to\b)|saving\s+(?:up\s+)?for|researching|organizing"
    r"|building|learning\s+(?:how\s+)?to|taking\s+(?:a|an|some)?\s*(?:\w+\s+)?"
    r"(?:class|classes|course|courses|lessons)|working\s+(?:on|with|at|as))\s+(?P<doing>.*)"
    r"|(?:I'm|I\s+am)\s+(?:an?)\s+(?P<being>(?:(?:\w+\s+){0,2}(?:\w+(?:er|or|ist|ian|ant"
    r"|ent|nurse|cook|chef|vegan|vegetarian))\b).*)"
)
_BROKEN = re.compile(
    r"(?P<what>(?:(?:[Tt]he|[Oo]ur|[Mm]y)\s+)?(?:[\w`./-]+\s+){1,4}?)"
    r"(?:(?:is|are)\s+(?:still\s+|currently\s+|again\s+)?(?:down|broken|failing|flaky"
    r"|offline|out\s+of\s+order|unreachable|unavailable)|(?:does|do)n't\s+work"
    r"|(?:has\s+)?stopped\s+working)\b"
)
# What a preference is for must be a thing with a name, not something at hand.
_VAGUE = re.compile(
    r"(?:it|that|this|these|those|them|him|her|you|your|the|how|what|when|his|their|its"
    r"|hearing|seeing|being|to\s+(?:hear|see|know|think|be|say|believe)|a|an|all|every"
    r"|some|my|our|such|both|so|doing|having|getting|for|people|and|talking|everything"
    r"|whatever|too|these|looking|working)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:you|your|yours|it|them|this|these|those|that|there|one|ones|here|so)\b",
    re.IGNORECASE,
)


_NEAR_WORDS = 4


def _since(passage: Passage) -> Interval | None:
    if passage.said is None:
        return None
    day = passage.said.replace(hour=0, minute=0, second=0, microsecond=0)
    return Interval(day, day + _DAY)


def _fact(
    clause: _Clause, passage: Passage, what: str, end: int, *, loose: bool = False
) -> _Hit | None:
    """A fact that holds since it was said, unless what it is about is left open."""
    main = clause.text[:end]
    if _UNSURE.search(main) or _REPORTED.search(clause.text) or _CHAT.search(clause.text):
        return None
    first = re.split(r"[,.;!?(]|\s[–—-]+\s", what, maxsplit=1)[0]
    words = re.findall(r"[\w']+", first)
    if not words:
        return None
    # Behind a thing that is named, "it" may well be that.
    near = " ".join(words[:_NEAR_WORDS])
    if not loose and (
        _VAGUE.match(first) or _POINTS.search(near) or re.search(r"\byou", first)
    ):
        return None
    return _Hit(when=_since(passage))


def _decision(clause: _Clause, passage: Passage) -> _Hit | None:
    phrase = clause.phrases[0] if clause.phrases else None
    leads = phrase is not None and phrase.start == 0
    found = _DECIDED.match(clause.text, _after(phrase, clause.text) if phrase else 0)
    if found is None:
        return None
    what = clause.text[found.start("what") : max(clause.main, found.start("what"))]
    if len(what.split()) < 2 or _is_loose(what) or re.search(r"\byou", what):
        return None
    hit = _fact(clause, passage, what, found.start("what"), loose=True)
    when = _meant(phrase) if phrase and leads else None
    if hit and when and passage.said and when.start <= passage.said:
        return hit._replace(phrase=phrase, when=when)
    return hit


def _news(clause: _Clause, passage: Passage) -> _Hit | None:
    """ "I just …" without a date: it happened about when it was said."""
    if passage.said is None or not _is_plain(clause):
        return None
    if any(p.start < clause.main for p in (*clause.phrases, *clause.ahead)):
        return None
    found = _JUST.match(clause.text)
    if found is None or not _is_deed(found["verb"], found["rest"]):
        return None
    own = clause.text[found.start("verb") : clause.main]
    if len(own.split()) < 4 or _is_loose(own) or re.search(r"\byou", own):
        return None
    when = _since(passage)
    start, end = found.start("just"), found.end("just")
    phrase = Phrase(start, end, "just", when, "date", "day")
    return _Hit(phrase, when, is_about=True)


def _preference(clause: _Clause, passage: Passage) -> _Hit | None:
    found = _PREFERS.match(clause.text)
    return _fact(clause, passage, found["what"], clause.main) if found else None


def _favourite(clause: _Clause, passage: Passage) -> _Hit | None:
    found = _FAVOURITE.match(clause.text)
    if found is None:
        found = _IS_FAVOURITE.match(clause.text)
        if found is None or _NO_NAMES.match(found["what"]):
            return None
        if not found["of"].strip() and not re.match(r"\w+ing\b", found["what"]):
            return None
        if _VAGUE.match(found["what"]) or _POINTS.search(found.group()):
            return None
        return _fact(clause, passage, found["what"], found.end())
    what = found["what"]
    if _DENIED.search(clause.text) or re.match(r"(?:when|how|that|probably)\b", what):
        return None
    if _POINTS.search(found["of"]) or re.search(r"\bpart\b|\bthing\b", found["of"]):
        return None
    loose = bool(re.match(r"(?:a|an|the|my|our|all)\b", what))
    if loose and _POINTS.search(re.split(r"[,.;!?]", what)[0]):
        return None
    return _fact(clause, passage, what, clause.main, loose=loose)


def _liking(clause: _Clause, passage: Passage) -> _Hit | None:
    found = _LIKES.match(clause.text)
    if found is None:
        return None
    what = found["what"] or found["fan"] or found["loved"] or ""
    return _fact(clause, passage, what, clause.main)


def _life(clause: _Clause, passage: Passage) -> _Hit | None:
    found = _LIVES.match(clause.text)
    if found is None or _DENIED.search(clause.text):
        return None
    what = next((v for k, v in found.groupdict().items() if v and k != "whose"), "")
    if (found["doing"] or found["goal"]) and _is_loose(what[: clause.main]):
        return None
    loose = bool(found["long"] or re.match(r"(?:a|an|the|my|our|\w+ing)\b", what))
    return _fact(clause, passage, what, clause.main, loose=loose)


def _state(clause: _Clause, passage: Passage) -> _Hit | None:
    found = _BROKEN.match(clause.text)
    if found is None or passage.said is None:
        return None
    what = found["what"].strip()
    if _POINTS.search(what) or _NO_NAMES.match(what.removeprefix("The ")):
        return None
    if re.match(r"(?:I|we|you|he|she|they)\b", what, re.IGNORECASE):
        return None
    hit = _fact(clause, passage, what, found.end(), loose=True)
    return hit and hit._replace(until=passage.said + PASSING)


_RULES = (
    _Rule("decision", "fact", 0.8, _decision),
    _Rule("deadline", "plan", 0.8, _deadline),
    _Rule("commitment", "plan", 0.75, _commitment),
    _Rule("arranged", "plan", 0.7, _arranged),
    _Rule("scheduled", "plan", 0.7, _scheduled),
    _Rule("event", "event", 0.75, _event),
    _Rule("news", "event", 0.65, _news),
    _Rule("preference", "fact", 0.8, _preference),
    _Rule("favourite", "fact", 0.8, _favourite),
    _Rule("life", "fact", 0.75, _life),
    _Rule("liking", "fact", 0.65, _liking),
    _Rule("passing state", "fact", 0.6, _state),
)
