"""Time phrases of a text, as half-open civil intervals relative to a given now.

Nothing here asks a clock or a zone: `now` is the vault's wall clock, or the date of
the note that speaks. What may be a time and isn't said to be one is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from mindcache.when.civil import Span
from mindcache.when.ranges import Kind, Reading
from mindcache.when.spans import Spans
from mindcache.when.tokens import may_hold, tokenize
from mindcache.when.values import Context, Side, Value
from mindcache.when.words import Lexicon, lexicon
from mindcache.when.written import Interval, parse_interval

__all__ = ["Phrase", "find_phrases", "parse_phrase"]


class Phrase(NamedTuple):
    """A time phrase: `text` is what stands at `[start, end)`.

    `kind` is "date" (a day or less), "range" (longer), "since" and "before" (open at
    one side: the interval reaches to `datetime.max`, or from `datetime.min`), or
    "duration", which is no interval and has None.
    `unit` is what was counted or named in ("day", "week", "month"…).
    `last` is the last stretch that a range or a limit names, which the interval takes
    in: Friday, of "from Monday to Friday". `wide` is what a rough phrase may well
    mean ("two months ago": that month), else the interval.
    """

    start: int
    end: int
    text: str
    interval: Interval | None
    kind: Kind
    unit: str = ""
    last: Interval | None = None
    wide: Interval | None = None


def find_phrases(
    text: str,
    now: datetime,
    langs: Sequence[str] = ("en",),
    week_start: int = 0,
    *,
    prefer: Side = "past",
) -> list[Phrase]:
    """The time phrases of a text in their order, the longest of those that overlap.

    `now` is civil (a zone in it is ignored). `langs` are the languages whose words
    are understood, unknown ones are passed over. `week_start` is 0 for Monday.
    `prefer` says on which side of now "in March" and "on Friday" lie when nothing
    else does; today and this month belong to both. Never raises.
    """
    context = Context(now.replace(tzinfo=None), week_start % 7, prefer)
    found: list[Phrase] = []
    for language in dict.fromkeys(langs):
        words = lexicon(language)
        if words is not None and may_hold(text, words):
            found += _phrases(text, words, context)
    return found if len(langs) < 2 else _apart(found)


def parse_phrase(
    text: str,
    now: datetime,
    langs: Sequence[str] = ("en",),
    week_start: int = 0,
    *,
    prefer: Side = "past",
) -> Interval | None:
    """The interval of a text that is one phrase as a whole, else None.

    Understands what `find_phrases` finds, words that count only by themselves
    ("May", "5/12", "2025"), and all that `parse_interval` does.
    """
    written = parse_interval(text)
    if written is not None:
        return written
    context = Context(now.replace(tzinfo=None), week_start % 7, prefer)
    for language in dict.fromkeys(langs):
        words = lexicon(language)
        phrase = words and _only_phrase(text, words, context)
        if phrase:
            return phrase.interval
    return None


def _only_phrase(text: str, words: Lexicon, context: Context) -> Phrase | None:
    if len(text) > _LONGEST:
        return None
    tokens = tokenize(text.strip(), words)
    rules = Spans(tokens, words, context)
    for at in (0, 1) if rules.has(0, "prep") else (0,):
        reading = rules.phrase(at)
        if reading and reading.end == rules.length and reading.value:
            return _phrase(text, rules, reading)
    return None


_LONGEST = 200
"""Characters of a phrase that a person gives to a flag."""


def _phrases(text: str, words: Lexicon, context: Context) -> Iterator[Phrase]:
    rules = Spans(tokenize(text, words), words, context)
    at = 0
    before: Reading | None = None
    while at < rules.length:
        if rules.has(at, "every"):
            at = _behind_every(rules, at)
            continue
        reading = rules.phrase(at, before)
        if reading is None:
            at += 1
            continue
        yield _phrase(text, rules, reading, before.end if before else 0)
        before, at = reading, reading.end


def _behind_every(rules: Spans, at: int) -> int:
    """Behind "every other Monday at 9": what comes again and again is no date."""
    at += 1
    for _ in range(4):
        roles = rules.token(at).roles
        if not roles.keys().isdisjoint(("unit", "weekday", "month", "part")):
            at += 1
            break
        if roles.keys().isdisjoint(("int", "number", "ordinal", "other")):
            break
        at += 1
    at = rules.skip(at, "part")
    time = rules.time(rules.skip(at, "at"))
    return time[0] if time else at


def _phrase(text: str, rules: Spans, reading: Reading, free: int = 0) -> Phrase:
    """The phrase with the preposition before it, if that is still `free`."""
    first = reading.first
    article = first - 1 if rules.has(first - 1, "the") else first
    is_led = rules.has(article - 1, "prep") and reading.kind != "duration"
    if is_led and article > free:
        first = article - 1
    start = rules.tokens[first].start
    end = rules.tokens[reading.end - 1].end
    value = reading.value
    if value is None:
        return Phrase(start, end, text[start:end], None, "duration")
    interval = Interval(value.start, value.end, value.precise)
    return Phrase(
        start,
        end,
        text[start:end],
        interval,
        reading.kind,
        _unit(value),
        _interval(value.last),
        _interval(value.wide) or interval,
    )


def _unit(value: Value) -> str:
    kind, _, unit = value.unit.partition(":")
    if kind == "weekday":
        return "day"
    return unit if kind == "edge" else kind


def _interval(span: Span | None) -> Interval | None:
    return Interval(*span) if span else None


def _apart(found: list[Phrase]) -> list[Phrase]:
    """Phrases of several languages: the earliest and longest first, no two overlap."""
    kept: list[Phrase] = []
    for phrase in sorted(found, key=lambda p: (p.start, -p.end)):
        if not kept or phrase.start >= kept[-1].end:
            kept.append(phrase)
    return kept
