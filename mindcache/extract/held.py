"""What holds: preferences, decisions, how somebody lives, what is out of order. Pure."""

from __future__ import annotations

import re
from datetime import timedelta

from mindcache.extract.clause import (
    ADVERB,
    CHAT,
    DENIED,
    NO_NAMES,
    REPORTED,
    UNSURE,
    WHO,
    Clause,
    Hit,
    behind,
    is_loose,
    meant,
    since,
)
from mindcache.extract.finding import Passage

__all__ = ["decision", "favourite", "life", "liking", "preference", "state"]

PASSING = timedelta(days=14)
"""How long "X is down" is worth believing: nobody writes down that it is up again."""

_DECIDED = re.compile(
    rf"{WHO}(?:\s+have|\s+has|'ve)?\s+{ADVERB}(?:(?:decided|agreed|opted)\s+(?:not\s+)?"
    r"(?:to|on|that|for|against)|settled\s+on|(?:chose|picked)\s+.{2,60}?\s+over"
    r"|made\s+the\s+decision\s+to)\s+(?P<what>.*)"
)
_PREFERS = re.compile(
    r"I\s+(?:(?:really|still|much|generally|usually|always|definitely|personally|also"
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


def _fact(
    clause: Clause, passage: Passage, what: str, end: int, *, loose: bool = False
) -> Hit | None:
    """A fact that holds since it was said, unless what it is about is left open."""
    main = clause.text[:end]
    if UNSURE.search(main) or REPORTED.search(clause.text) or CHAT.search(clause.text):
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
    return Hit(when=since(passage))


def decision(clause: Clause, passage: Passage) -> Hit | None:
    """What was decided, agreed or settled on; its time where the sentence begins with it."""
    phrase = clause.phrases[0] if clause.phrases else None
    leads = phrase is not None and phrase.start == 0
    found = _DECIDED.match(clause.text, behind(phrase, clause.text) if phrase else 0)
    if found is None:
        return None
    what = clause.text[found.start("what") : max(clause.main, found.start("what"))]
    if len(what.split()) < 2 or is_loose(what) or re.search(r"\byou", what):
        return None
    hit = _fact(clause, passage, what, found.start("what"), loose=True)
    when = meant(phrase) if phrase and leads else None
    if hit and when and passage.said and when.start <= passage.said:
        return hit._replace(phrase=phrase, when=when)
    return hit


def preference(clause: Clause, passage: Passage) -> Hit | None:
    """What somebody says to prefer."""
    found = _PREFERS.match(clause.text)
    return _fact(clause, passage, found["what"], clause.main) if found else None


def favourite(clause: Clause, passage: Passage) -> Hit | None:
    """A favourite of a named kind, or something said to be one."""
    found = _FAVOURITE.match(clause.text)
    if found is None:
        return _is_favourite(clause, passage)
    what, of = found["what"], found["of"]
    if DENIED.search(clause.text) or re.match(r"(?:when|how|that|probably)\b", what):
        return None
    if _POINTS.search(of) or re.search(r"\bpart\b|\bthing\b", of):
        return None
    loose = bool(re.match(r"(?:a|an|the|my|our|all)\b", what))
    if loose and _POINTS.search(re.split(r"[,.;!?]", what)[0]):
        return None
    return _fact(clause, passage, what, clause.main, loose=loose)


def _is_favourite(clause: Clause, passage: Passage) -> Hit | None:
    found = _IS_FAVOURITE.match(clause.text)
    if found is None or NO_NAMES.match(found["what"]):
        return None
    if not found["of"].strip() and not re.match(r"\w+ing\b", found["what"]):
        return None
    if _VAGUE.match(found["what"]) or _POINTS.search(found.group()):
        return None
    return _fact(clause, passage, found["what"], found.end())


def liking(clause: Clause, passage: Passage) -> Hit | None:
    """What somebody likes or dislikes, where it has a name."""
    found = _LIKES.match(clause.text)
    if found is None:
        return None
    what = found["what"] or found["fan"] or found["loved"] or ""
    return _fact(clause, passage, what, clause.main)


def life(clause: Clause, passage: Passage) -> Hit | None:
    """How somebody lives: where, as what, with which aims, what they took up."""
    found = _LIVES.match(clause.text)
    if found is None or DENIED.search(clause.text):
        return None
    what = next((v for k, v in found.groupdict().items() if v and k != "whose"), "")
    if (found["doing"] or found["goal"]) and is_loose(what[: clause.main]):
        return None
    loose = bool(found["long"] or re.match(r"(?:a|an|the|my|our|\w+ing)\b", what))
    return _fact(clause, passage, what, clause.main, loose=loose)


def state(clause: Clause, passage: Passage) -> Hit | None:
    """What is out of order: true for a while only."""
    found = _BROKEN.match(clause.text)
    if found is None or passage.said is None:
        return None
    what = found["what"].strip()
    if _POINTS.search(what) or NO_NAMES.match(what.removeprefix("The ")):
        return None
    if re.match(r"(?:I|we|you|he|she|they)\b", what, re.IGNORECASE):
        return None
    hit = _fact(clause, passage, what, found.end(), loose=True)
    return hit and hit._replace(until=passage.said + PASSING)
