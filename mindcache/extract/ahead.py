"""What is promised, arranged or due at a time that lies ahead. Pure."""

from __future__ import annotations

import re

from mindcache.extract.clause import (
    ADVERB,
    BACK,
    DAY,
    NAME,
    NO_NAMES,
    OTHERS,
    VERB,
    WHO,
    Clause,
    Hit,
    behind,
    doubt,
    is_loose,
    is_plain,
    meant,
    only,
)
from mindcache.extract.finding import Passage
from mindcache.extract.words import DOING, MOODS, SMALL
from mindcache.when import Interval, Phrase

__all__ = ["arranged", "commitment", "deadline", "scheduled"]

_WILL = re.compile(
    rf"(?:(?P<who>{WHO}|{OTHERS}|{NAME}\s+)\s*"
    r"(?P<will>'ll|will|(?:'m|'re|am|are|is)\s+(?:also\s+|actually\s+|still\s+)?"
    r"(?:going\s+to|gonna|planning\s+to|planning\s+on|scheduled\s+to|set\s+to|due\s+to)"
    r"|gonna|plan\s+to|plans\s+to|intend\s+to|have\s+to|has\s+to|need\s+to|needs\s+to"
    r"|must|'ve\s+got\s+to|promised?\s+to|agreed\s+to|shall)"
    r"|(?P<bare>[Gg]onna|[Pp]lanning\s+to|[Pp]lanning\s+on))"
    rf"\s+{ADVERB}{VERB}\s*(?P<rest>.*)"
)
_DOING = re.compile(
    rf"(?P<who>{WHO}|{OTHERS}|{NAME}\s+)\s*(?:'m|'re|'s|am|are|is)\s+{ADVERB}"
    r"(?P<verb>[a-z]+ing)\b\s*(?P<rest>.*)"
)
_HAVING = re.compile(
    rf"(?P<who>{WHO}|{OTHERS})\s*(?:'ve\s+got|have|has|got)\s+{ADVERB}"
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


def _plan_time(clause: Clause, passage: Passage) -> tuple[Phrase, Interval] | None:
    """The one time ahead in the main clause; of a deadline, its last day."""
    phrase = only(clause.ahead, clause)
    if phrase is None or phrase.interval is None or _OPEN.match(phrase.text):
        return None
    if BACK.search(clause.text[: phrase.start]):
        return None
    if phrase.kind == "before" and _BY.match(phrase.text):
        last = phrase.interval.end
        when = Interval(last - DAY, last)
    else:
        found = meant(phrase)
        if found is None:
            return None
        when = found
    if passage.said and when.end <= passage.said:
        return None
    return phrase, when


def commitment(clause: Clause, passage: Passage) -> Hit | None:
    """What somebody says they will do, have to do or mean to do, by a time or at one."""
    found = _WILL.match(clause.text, _led(clause))
    timed = _plan_time(clause, passage)
    if not (found and timed) or not is_plain(clause):
        return None
    if found["who"] and NO_NAMES.match(found["who"]):
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
    return word is not None and (
        word[0] in DOING or (word[0].endswith("ing") and word[0] not in MOODS)
    )


def _planned(clause: Clause, phrase: Phrase, when: Interval, start: int) -> Hit | None:
    own = clause.text[start : clause.main].replace(phrase.text, " ")
    words = len(own.split())
    # "I'll send it by Friday" binds, whatever it is: its source tells.
    named = _IT.sub(" ", own) if phrase.kind == "before" else own
    if words < 2 or is_loose(named):
        return None
    return Hit(phrase, when, doubt=doubt(when) + (0.15 if named != own else 0.0))


_IT = re.compile(r"\b(?:it|them)\b")


def _led(clause: Clause) -> int:
    phrase = clause.ahead[0] if clause.ahead else None
    return behind(phrase, clause.text) if phrase and phrase.start == 0 else 0


def arranged(clause: Clause, passage: Passage) -> Hit | None:
    """What is settled for a time: "I'm …ing next week", "we have a meeting then"."""
    timed = _plan_time(clause, passage)
    if timed is None or not is_plain(clause):
        return None
    phrase, when = timed
    # "this week" may be over for the most part; what is arranged lies ahead.
    if passage.said and when.start <= passage.said - DAY:
        return None
    at = _led(clause)
    found = _DOING.match(clause.text, at)
    if found and not NO_NAMES.match(found["who"]):
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


def scheduled(clause: Clause, passage: Passage) -> Hit | None:
    """Something whose own time is said: it is, begins or closes then."""
    timed = _plan_time(clause, passage)
    if timed is None or not is_plain(clause):
        return None
    phrase, when = timed
    if passage.said and when.start <= passage.said - DAY:
        return None
    found = _STARTING.match(clause.text)
    if found is None or found.end() < phrase.start:
        return None
    is_next = clause.text[found.start("rest") : phrase.start].strip(" ,") in {"", "on"}
    if not is_next or is_loose(found["who"]):
        return None
    return Hit(phrase, when, doubt=doubt(when))


def deadline(clause: Clause, passage: Passage) -> Hit | None:
    """What is due, and a deadline that has a date."""
    timed = _plan_time(clause, passage)
    found = _DUE.match(clause.text)
    if not (timed and found) or not is_plain(clause):
        return None
    if is_loose(clause.text[: found.end()]):
        return None
    return Hit(timed[0], timed[1])
