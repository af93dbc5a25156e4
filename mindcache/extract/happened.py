"""What happened at a time that a sentence names, or just now. Pure."""

from __future__ import annotations

import re

from mindcache.extract.clause import (
    ADVERB,
    BACK,
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
    since,
)
from mindcache.extract.finding import Passage
from mindcache.extract.words import FEELINGS, NO_DEED, PAST, STARTS_PAST, WHOLE
from mindcache.when import Phrase

__all__ = ["event", "news"]

_DID = re.compile(rf"(?P<who>{WHO})\s+{ADVERB}{VERB}\s*(?P<rest>.*)")
_DID_OTHERS = re.compile(rf"(?P<who>{OTHERS}|{NAME}\s+){ADVERB}{VERB}\s*(?P<rest>.*)")
_DID_THE = re.compile(
    rf"(?P<who>The\s+(?:[\w'-]+\s+){{1,3}}?){ADVERB}{VERB}\s*(?P<rest>.*)"
)
_THERE_WAS = re.compile(
    r"(?P<who>)[Tt]here\s+(?P<verb>was|were)\s+(?P<rest>(?:an?|some|two|three)\s+.*)"
)
_DID_BARE = re.compile(rf"(?P<who>){ADVERB}(?P<verb>[A-Za-z]+)\b\s*(?P<rest>.*)")


_PLACED = re.compile(
    r"(?:in\s+(?!a\b)|at\s|on\s|born\b|chosen\b|given\b|hit\s+by\b|sent\b|stolen\b|cut\b)"
)


def is_deed(verb: str, rest: str) -> bool:
    if verb in {"was", "were"}:
        # "was at the fair", "was promoted": where somebody was, or what was done.
        if _PLACED.match(rest):
            return True
        done = re.match(r"([a-z]+ed)\b", rest)
        return done is not None and done[1] not in NO_DEED | FEELINGS
    if verb in {"had", "got"}:
        hoped = re.match(r"[a-z]+ed\b", rest)
        if re.match(r"(?:to|been|better|it)\b", rest) or (
            hoped and hoped[0] in NO_DEED
        ):
            return False
    if verb in PAST:
        return True
    return verb.endswith("ed") and len(verb) > 3 and verb not in NO_DEED


def event(clause: Clause, passage: Passage) -> Hit | None:
    """What somebody did, or what took place, at the one time of the main clause."""
    phrase = only(clause.phrases, clause)
    when = meant(phrase) if phrase else None
    if phrase is None or when is None or not is_plain(clause):
        return None
    if (passage.said and when.start > passage.said) or _is_of_a_noun(clause, phrase):
        return None
    at = behind(phrase, clause.text)
    found = _deed(clause.text, at, passage)
    if found is None or (at == 0 and phrase.start < found.end("verb")):
        return None
    if not _says_enough(clause, found, phrase):
        return None
    unsure = doubt(when) + (0.05 if not found["who"] else 0.0)
    return Hit(phrase, when, doubt=unsure)


def _is_of_a_noun(clause: Clause, phrase: Phrase) -> bool:
    """Whether the time belongs to a thing: "the trip of last year", "today's"."""
    rest = clause.text[phrase.end :]
    if phrase.start and (_TITLE.match(phrase.text) or re.match(r"\s[A-Z]", rest)):
        return True
    return bool(BACK.search(clause.text[: phrase.start])) or rest.startswith(
        ("'s", "-")
    )


# "Suddenly Last Summer", "the 11 September attacks".
_TITLE = re.compile(r"(?:Last|Next|This|New|Yesterday|Today)\b|the\s+\d")


_PLEASURE = re.compile(
    r"had\s+(?:an?|some|such|the)\s+(?:[\w-]+\s+){0,2}(?:time|blast|experience|day|night"
    r"|incident|fun|moment|week|weekend)\b(?P<what>.*)"
)


_OF_WHAT = re.compile(
    r"\s*(?:out\s+)?(?:at|in|on|with|for|from|to|during|[a-z]+ing)\s+\w+"
)


def _says_enough(clause: Clause, found: re.Match[str], phrase: Phrase) -> bool:
    """Whether the deed is told without what was named elsewhere, and is more than fun."""
    own = clause.text[found.start("verb") : clause.main].replace(phrase.text, " ")
    # "My dog died" says in its subject what "I left" keeps to itself.
    has_subject = re.match(r"(?:The|[Mm]y|[Oo]ur)\s", found["who"])
    fewest = 1 if found["verb"] in WHOLE or has_subject else 3
    if len(own.split()) < fewest or is_loose(own):
        return False
    pleasure = _PLEASURE.match(own)
    return pleasure is None or bool(_OF_WHAT.match(pleasure["what"]))


def _deed(text: str, at: int, passage: Passage) -> re.Match[str] | None:
    forms = [_DID, _DID_OTHERS, *([] if passage.people else [_DID_THE])]
    for form in forms:
        found = form.match(text, at)
        if found and (form is _DID_THE or not NO_NAMES.match(found["who"])):
            verb = found["verb"]
            if is_deed(verb, found["rest"]):
                return found
    there = _THERE_WAS.match(text, at)
    if there:
        return there
    bare = _DID_BARE.match(text, at)
    if bare and passage.speaker and bare["verb"].casefold() in STARTS_PAST:
        is_was = bare["verb"].casefold() == "was"
        if not is_was or is_deed("was", bare["rest"]):
            return bare
    return None


_JUST = re.compile(rf"{WHO}\s+(?P<just>just)\s+{VERB}\s*(?P<rest>.*)")


def news(clause: Clause, passage: Passage) -> Hit | None:
    """What "just" happened, without a date: about when it was said."""
    if passage.said is None or not is_plain(clause):
        return None
    if any(p.start < clause.main for p in (*clause.phrases, *clause.ahead)):
        return None
    found = _JUST.match(clause.text)
    if found is None or not is_deed(found["verb"], found["rest"]):
        return None
    own = clause.text[found.start("verb") : clause.main]
    if len(own.split()) < 4 or is_loose(own) or re.search(r"\byou", own):
        return None
    when = since(passage)
    start, end = found.start("just"), found.end("just")
    phrase = Phrase(start, end, "just", when, "date", "day")
    return Hit(phrase, when, is_about=True)
