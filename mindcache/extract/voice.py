"""A statement told of its speaker: "I" becomes a name, a phrase gets its date. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from mindcache.extract.words import STARTS_PAST, THIRD
from mindcache.plain import plain_text
from mindcache.when import Interval, Phrase

__all__ = ["dates", "one_line", "told"]

_FIRST = re.compile(
    r"\b(?P<i>I)(?:(?P<cut>['’](?:m|ve|ll|d))|(?P<adverb>(?: (?:also|really|just|still"
    r"|usually|always|actually|absolutely|personally|generally|mostly|much|definitely"
    r"|truly|totally|currently|only))*) (?P<verb>[a-z]+(?:n['’]t)?)|)(?![\w'’-])"
    r"|\b(?P<my>[Mm]y)\b|\b(?P<me>me)\b|\b(?P<self>myself)\b|\b(?P<mine>mine)\b"
)
_SECOND = re.compile(r"\b(?:(?P<your>[Yy]our)|(?P<you>[Yy]ou(?!['’]\w)))\b")
_CUT = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
_HAD_BETTER = re.compile(r"\s+(?:better|been|had|already)\b")
_DAY = timedelta(days=1)
_LONGEST = 320


def one_line(text: str) -> str:
    """The text as a reader hears it, on one line."""
    return " ".join(plain_text(text).split())


def told(
    quote: str, speaker: str, people: Sequence[str], phrase: Phrase | None, beside: str
) -> str:
    """The quote with its speaker's name in place of "I", and `beside` behind the phrase.

    `phrase` counts from the quote's start. Where nobody is known to speak, the words
    stay as they are; where the speaker isn't the subject, the name stands in front.
    """
    if phrase is not None and beside:
        quote = f"{quote[: phrase.end]} ({beside}){quote[phrase.end :]}"
    text = one_line(quote).strip()
    if speaker:
        first = text
        text = _named(_with_subject(text), speaker)
        others = [name for name in people if name != speaker]
        if len(others) == 1:
            text = _SECOND.sub(
                lambda m: f"{others[0]}'s" if m["your"] else others[0], text
            )
        if text == first or not _names_first(text, speaker):
            text = f"{speaker}: {text}"
    text = text[:1].upper() + text[1:]
    return text[:_LONGEST].rstrip()


def _with_subject(text: str) -> str:
    """A sentence such as "Lost my job" with the "I" that it leaves out."""
    match = _NO_SUBJECT.match(text)
    if match is None:
        return text
    word = match["word"].casefold()
    if word in STARTS_PAST:
        return f"I {text[:1].lower()}{text[1:]}"
    if word in {"gonna", "planning"}:
        return f"I'm {text[:1].lower()}{text[1:]}"
    return text


_NO_SUBJECT = re.compile(
    r"(?:just |finally |recently )?(?P<word>[a-z]+)\b", re.IGNORECASE
)


def _names_first(text: str, speaker: str) -> bool:
    """Whether the name stands where nobody could take "we" for others."""
    at = text.find(speaker)
    return 0 <= at <= _NEAR and not re.match(r"(?:we|our)\b", text, re.IGNORECASE)


_NEAR = 70
"""Characters in which a sentence names its subject, a date in front included."""


def _named(text: str, speaker: str) -> str:
    named = False

    def word(match: re.Match[str]) -> str:
        nonlocal named
        if match["my"]:
            before, named = named, True
            return "their" if before else f"{speaker}'s"
        if match["me"] or match["self"]:
            before, named = named, True
            return ("them" if match["me"] else "themself") if before else speaker
        if match["mine"]:
            return "theirs" if named else f"{speaker}'s"
        named = True
        if match["cut"]:
            cut = _CUT[match["cut"][1:]]
            if cut == "would" and _HAD_BETTER.match(match.string, match.end()):
                cut = "had"
            return f"{speaker} {cut}"
        verb = match["verb"] or ""
        verb = f" {THIRD.get(verb, verb)}" if verb else ""
        return f"{speaker}{match['adverb'] or ''}{verb}"

    return _FIRST.sub(word, text)


def dates(when: Interval) -> str:
    """An interval as it stands beside its phrase: a day, a month, a year, or two days."""
    start, end = when.start, when.end
    if when.precise or end - start < _DAY:
        return start.date().isoformat()
    if end - start == _DAY:
        return start.date().isoformat()
    last = end - _DAY
    if start.day == 1 and end.day == 1:
        months = (end.year - start.year) * 12 + end.month - start.month
        if months == 1:
            return f"{start:%Y-%m}"
        if months == 12 and start.month == 1:
            return f"{start:%Y}"
    return f"{start.date().isoformat()} to {last.date().isoformat()}"
