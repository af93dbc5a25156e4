"""Whether a question holds nothing but a time, and which.

Told from its words alone, so that a question which has a word of its own pays for no
more than that. What answers the others is in `only_time`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from mindcache.lazy import regex
from mindcache.text import fold
from mindcache.text.stopwords import STOPWORDS
from mindcache.when import Interval, may_name_a_time

__all__ = ["asked_times", "described"]

# Read whatever language the notes are in.
_LANGUAGES = ("en", "de")
# A longer text is no question, and has a word of its own.
_LONGEST = 200

# Verbs and nouns of any doing, beside the function words: they ask for no subject.
_GENERAL = frozenset(
    [
        "do",
        "did",
        "done",
        "doing",
        "does",
        "make",
        "made",
        "happen",
        "happens",
        "happened",
        "happening",
        "go",
        "goes",
        "going",
        "went",
        "gone",
        "get",
        "got",
        "occur",
        "occurred",
        "take",
        "took",
        "taken",
        "place",
        "come",
        "came",
        "say",
        "said",
        "tell",
        "told",
        "show",
        "list",
        "know",
        "thing",
        "things",
        "stuff",
        "anything",
        "everything",
        "like",
        "day",
        "week",
        "mache",
        "machen",
        "machst",
        "macht",
        "machte",
        "machten",
        "gemacht",
        "tue",
        "tun",
        "tut",
        "tat",
        "taten",
        "getan",
        "passiert",
        "passieren",
        "passierte",
        "geschah",
        "geschehen",
        "geschieht",
        "gab",
        "gibt",
        "los",
        "war",
        "waren",
        "gewesen",
        "lief",
        "läuft",
        "gelaufen",
        "ging",
        "gegangen",
        "unternommen",
        "erlebt",
        "vorgefallen",
        "ereignet",
        "zeig",
        "zeige",
        "sag",
        "sage",
        "erzähl",
        "erzähle",
        "sache",
        "sachen",
        "tag",
        "woche",
        "fait",
        "faire",
        "faisait",
        "passé",
        "arrivé",
        "hice",
        "hicimos",
        "hizo",
        "hecho",
        "pasó",
        "pasado",
        "ocurrió",
    ]
)
# These ask for what is ahead, and for nothing else.
_AHEAD = frozenset(
    [
        "plan",
        "plans",
        "planned",
        "planning",
        "schedule",
        "scheduled",
        "agenda",
        "calendar",
        "appointment",
        "appointments",
        "upcoming",
        "due",
        "geplant",
        "ansteht",
        "steht",
        "vorhabe",
        "vorhaben",
        "termin",
        "termine",
        "kalender",
    ]
)
# A month that is over is the next one of its name, where what is ahead is asked for.
_MONTH, _YEAR = timedelta(days=28), 366
_WORD = regex(r"[^\W_]+")
_APOSTROPHES = regex(r"['’]")


def asked_times(
    text: str,
    filtered: Sequence[Interval],
    languages: Sequence[str],
    now: datetime | None,
) -> tuple[Interval, ...]:
    """The times that a text, or a filter beside it, asks for and nothing else.

    None where the text has a word of its own, or nobody names a time.
    """
    if now is None or len(text) > _LONGEST:
        return ()
    known = [lang for lang in dict.fromkeys((*languages, *_LANGUAGES)) if lang]
    if not filtered and not may_name_a_time(text, known):
        return ()
    # A cold start reads phrases only when a question may name a time.
    from mindcache.when import find_phrases

    phrases = [p for p in find_phrases(text, now, known) if p.interval is not None]
    if not (phrases or filtered):
        return ()
    rest = text
    for phrase in reversed(phrases):
        rest = rest[: phrase.start] + " " + rest[phrase.end :]
    words = list(_telling(rest, known))
    is_numbered = any(map(str.isdigit, text))
    # A date alone may be meant as the text that it is.
    is_literal = is_numbered and not filtered and not _WORD.search(rest)
    if is_literal or not _GENERAL.union(_AHEAD).issuperset(words):
        return ()
    named = (p.wide or p.interval for p in phrases)
    spans = tuple(span for span in named if span is not None) or tuple(filtered)
    is_ahead = not (is_numbered or _AHEAD.isdisjoint(words))
    return tuple(_next(span, now) for span in spans) if is_ahead else spans


def _next(span: Interval, now: datetime) -> Interval:
    """The same month or season to come, where this one is over."""
    is_over = now - timedelta(days=_YEAR) < span.end <= now
    if not is_over or span.end - span.start < _MONTH:
        return span
    return Interval(_a_year_on(span.start), _a_year_on(span.end))


def _a_year_on(moment: datetime) -> datetime:
    is_leap_day = (moment.month, moment.day) == (2, 29)
    return moment.replace(year=moment.year + 1, day=28 if is_leap_day else moment.day)


def _telling(text: str, languages: Sequence[str]) -> Iterator[str]:
    """The words that are no function word in any of these languages."""
    lists = [STOPWORDS[lang] for lang in languages if lang in STOPWORDS]
    for word in _WORD.findall(_APOSTROPHES.sub("", fold(text))):
        if not any(word in words for words in lists):
            yield word


def described(spans: Sequence[Interval]) -> str:
    """The times as people write them: days, where they are whole."""
    return ", ".join(dict.fromkeys(map(_described, spans)))


def _described(span: Interval) -> str:
    if span.end == datetime.max:  # noqa: DTZ901  civil time
        return f"{_written(span.start)} and after"
    if span.start == datetime.min:  # noqa: DTZ901  civil time
        return f"before {_written(span.end)}"
    is_whole = span.start.time() == span.end.time() == datetime.min.time()
    last = span.end - (timedelta(days=1) if is_whole else timedelta())
    first, last_text = _written(span.start), _written(last)
    return first if first == last_text else f"{first} to {last_text}"


def _written(moment: datetime) -> str:
    text = moment.isoformat(sep=" ", timespec="minutes")
    return text.removesuffix(" 00:00")
