"""What a note says that something has for a value: subject, attribute, value. Pure.

Read from properties, inline fields and sentences. Two notes speak against each other
where they give one attribute of one subject two values that can't both hold; that
somebody is mentioned in both says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from mindcache.alike.nouns import (
    COUNTED,
    DATED,
    HOLDERS,
    MANY,
    NOT_OF_A_NOTE,
    NOUNS,
    OPPOSITES,
    PROPERTIES,
)
from mindcache.alike.patterns import (
    FAVOURITE,
    IS_OF,
    LEADS,
    NOUN_WORDS,
    PATTERNS,
    PHRASES,
    PREFERS,
    STATE,
    TAILS,
    UNSURE,
    Pattern,
)
from mindcache.alike.sentences import READ, sentences_of
from mindcache.note.fields import find_fields
from mindcache.plain import plain_text
from mindcache.text import fold
from mindcache.when import Interval, find_phrases, parse_phrase

__all__ = [
    "ME",
    "THIS",
    "Slot",
    "clash",
    "slots_of",
    "subject_key",
]

ME: Final = "me"
"""The subject of what a vault's owner says of himself."""

THIS: Final = "this"
"""The subject of "the deadline is": the one thing that a note is about."""

_ALONE: Final = frozenset({"the", "die", "der", "das"})

_LANGUAGES: Final = ("en", "de")

_I: Final = frozenset(
    {
        "i", "we", "my", "our", "me", "us", "user", "users", "ich", "wir", "mein",
        "meine", "unser", "unsere", "nutzer",
    }
)  # fmt: skip
_POINTING: Final = frozenset(
    {
        "he", "she", "it", "they", "his", "her", "its", "their", "er", "sie", "es",
        "this", "that", "these", "those", "who", "which", "there", "what", "everyone",
        "everybody", "nobody", "someone", "somebody", "one", "you",
    }
)  # fmt: skip
_ARTICLES: Final = re.compile(
    r"(?:the|a|an|our|my|his|her|their|its|der|die|das|den|dem|ein|eine|einen|all)\s+"
)
_SUBJECT_STOPS: Final = frozenset(
    {
        "said", "says", "that", "if", "when", "who", "which", "because", "told",
        "thinks", "think", "asked", "whether", "not", "no", "never",
    }
)  # fmt: skip
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_UNIT: Final = re.compile(
    r"(?:per|a|an|each|every|/|pro|im|je)\s*"
    r"(hour|day|night|week|month|year|seat|user|person|head|piece|item|kg|kilo|litre|liter"
    r"|metre|meter|tag|woche|monat|jahr|stunde|stück|nacht)s?\b",
    re.IGNORECASE,
)
_ADVERBIAL_UNIT: Final = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month",
    "yearly": "year", "annual": "year", "annually": "year",
    "monat": "month", "jahr": "year", "tag": "day", "woche": "week", "stunde": "hour",
}  # fmt: skip
_CURRENCY: Final = {
    "€": "eur", "euro": "eur", "euros": "eur", "eur": "eur", "$": "usd", "usd": "usd",
    "dollar": "usd", "dollars": "usd", "£": "gbp", "gbp": "gbp", "pounds": "gbp",
    "chf": "chf", "francs": "chf",
}  # fmt: skip
_CURRENCIES: Final = re.compile(
    "|".join(sorted(map(re.escape, _CURRENCY), key=lambda c: (-len(c), c)))
)
_SHORTEST_PHONE: Final = 6
_PHONE: Final = 8
"""Digits: two ways to write one number agree in so many at the end."""

_EXACT: Final = re.compile(rf"is |prefers |(?:.* )?(?:{'|'.join(sorted(COUNTED))})\b")
"""Attributes of which a value is never a part of another."""

_PREFERRING: Final = frozenset({"prefer", "prefers", "preferring", "bevorzugt"})

_LONGEST: Final = 200
"""Characters of a sentence that gives a value; a longer one tells a story."""

_VAGUE: Final = frozenset(
    {
        "it", "them", "this", "that", "these", "those", "something", "anything",
        "nothing", "everything", "there", "here", "more", "less", "much", "many",
        "home", "night", "free", "now", "all", "us", "me", "him", "her", "you",
    }
)  # fmt: skip
_DENIED: Final = re.compile(
    r"(?:not|no\s+longer|never|nicht|kein\w*)\s+", re.IGNORECASE
)


class Slot(NamedTuple):
    """One value of one attribute of one subject, as somebody wrote it down.

    `subject`, `attribute` and `value` are as they are compared; `when` is the interval
    of a value that is a time. `denies` says that it is so no longer, `many` that there
    may be several such values at once. `words` is the sentence.
    """

    subject: str
    attribute: str
    value: str
    words: str
    denies: bool = False
    many: bool = False
    when: Interval | None = None


def slots_of(
    text: str,
    said: datetime | None = None,
    subject: str = "",
    properties: Mapping[str, object] | None = None,
    title: str = "",
) -> list[Slot]:
    """The slots of a Markdown text, each once, in its order; properties go first.

    `said` is when it was written, which "on Friday" is reckoned from; `subject` whom
    the whole text is about ("" for nobody): "lives in Berlin" and "she" are about that,
    and so are properties and inline fields, else about the `title`.
    """
    own = subject_key(subject)
    found: dict[tuple[object, ...], Slot] = {}
    pairs = [*_pairs(properties or {}), *_inline(text)]
    slots = [_field(*pair, own or subject_key(title), said) for pair in pairs]
    for sentence in sentences_of(text[:READ]):
        slots += _sentence(sentence, said, own)
    for slot in slots:
        if slot is not None:
            found.setdefault((*slot[:3], slot.denies), slot)
    return list(found.values())


def subject_key(name: str) -> str:
    """Whom a name means, as it is compared: folded, without articles; `ME` for "I"."""
    key = fold(name).strip(" \"'“”‘’*_.")
    while match := _ARTICLES.match(key):
        key = key[match.end() :]
    return ME if key in _I else key


def clash(one: Slot, other: Slot) -> bool:
    """Whether two slots can't both hold."""
    if (one.subject, one.attribute) != (other.subject, other.attribute):
        return False
    is_same = _is_same(one, other)
    if one.denies != other.denies:
        return is_same
    return not (one.denies or one.many or other.many or is_same)


# -- properties and fields --------------------------------------------------------


def _pairs(properties: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in properties.items():
        items = value if isinstance(value, list) else [value]
        if len(items) == 1 and isinstance(items[0], (str, int, float)):
            yield key, str(items[0])


def _inline(text: str) -> Iterator[tuple[str, str]]:
    if "::" in text:
        for span in find_fields(text[:READ]):
            yield span.key, text[span.value_start : span.value_end].strip()


def _field(key: str, value: str, own: str, said: datetime | None) -> Slot | None:
    name = key.replace("-", "_").replace(" ", "_").casefold()
    attribute = PROPERTIES.get(name, "")
    if not attribute or name in NOT_OF_A_NOTE:
        return None
    read = plain_text(value)
    return _slot(own, attribute, read, f"{key}: {read}", said)


# -- sentences --------------------------------------------------------------------


def _sentence(sentence: str, said: datetime | None, own: str) -> Iterator[Slot]:
    words = sentence.strip()
    if len(words) > _LONGEST:
        return
    while match := LEADS.match(words):
        words = words[match.end() :]
    if not words or words.endswith("?"):
        return
    slots = [*_read(words, said, own, sentence)]
    if not slots and own:
        slots = [*_read(f"{own} {words[0].lower()}{words[1:]}", said, own, sentence)]
    # Asked last: few sentences say anything of an attribute.
    if slots and not UNSURE.search(words):
        yield from slots


# Most sentences have no cue of any pattern, and few have those of several.
_BY_CUE: dict[str, list[int]] = {}
for _place, _pattern in enumerate(PATTERNS):
    for _cue in _pattern.cues:
        _BY_CUE.setdefault(_cue, []).append(_place)


def _read(words: str, said: datetime | None, own: str, whole: str) -> Iterator[Slot]:
    tokens = set(re.findall(r"[^\W\d_]+", words.lower()))
    for cues, reading in (
        (_PREFERRING, _prefers),
        (NOUN_WORDS, _called),
        (NOUN_WORDS, _held),
        (OPPOSITES.keys(), _state),
    ):
        if tokens.isdisjoint(cues):
            continue
        found = reading(words, said, own, whole)
        if found is not None:
            yield found
            return
    for place in sorted(
        {place for token in tokens for place in _BY_CUE.get(token, ())}
    ):
        pattern = PATTERNS[place]
        match = pattern.form.fullmatch(words.rstrip(" .!"))
        slots = [*_of_pattern(pattern, match, said, own, whole)] if match else []
        yield from slots
        if slots:
            return


def _of_pattern(
    pattern: Pattern,
    match: re.Match[str],
    said: datetime | None,
    own: str,
    whole: str,
) -> Iterator[Slot]:
    subject = _subject(match["s"], own)
    value = TAILS.sub("", match["v"]).strip()
    if pattern.needs == "name":
        value = _before_time(value, said)
    if not subject or not value or not _fits(pattern.needs, value, said):
        return
    for attribute in pattern.attributes:
        if attribute == "version":
            attribute = f"version {fold(match['n'])}"  # noqa: PLW2901  of what it is
        if attribute == "contact":
            attribute = "email" if "@" in value else "phone"  # noqa: PLW2901  by its shape
        if fold(value).split()[0] in _VAGUE:
            return
        made = _slot(subject, attribute, value, whole, said, denies=pattern.denies)
        if made is not None:
            yield made


def _fits(needs: str, value: str, said: datetime | None) -> bool:
    if needs == "name":
        head = re.sub(r"^(?:the|a|an|der|die|das)\s+", "", value)
        return (value[:1].isupper() and not _time(value, said)) or (
            head != value and not _time(value, said)
        )
    if needs == "time":
        return _time(value, said) is not None
    if needs == "number":
        return _NUMBER.search(value) is not None
    return True


def _called(words: str, said: datetime | None, own: str, whole: str) -> Slot | None:
    """The deadline of the audit is May."""
    for form in PHRASES:
        match = form.match(words)
        if match is None:
            continue
        noun = " ".join(match["a"].lower().split())
        given = match["s"].strip()
        subject = _subject(given, own) if given else own
        if fold(given) in _ALONE:
            subject = own or THIS
        attribute = NOUNS.get(noun, noun if noun in HOLDERS else "")
        if re.match(FAVOURITE, noun):
            attribute = f"favourite {noun.split()[-1]}"
        qualifier = " ".join(fold(match["q"]).split())
        if qualifier in {"new", "current", "main", "final", "own"}:
            qualifier = ""
        value = match["v"]
        denied = _DENIED.match(value)
        if denied:
            value = value[denied.end() :]
        if not subject or not attribute or not _is_value(value):
            continue
        if attribute in DATED and _time(TAILS.sub("", value), said) is None:
            continue
        name = f"{qualifier} {attribute}".strip()
        return _slot(subject, name, value, whole, said, denies=denied is not None)
    return None


def _is_value(value: str) -> bool:
    """Whether it is one, and not the rest of another sentence."""
    first = fold(value).split()[:1]
    return bool(first) and first[0] not in {
        "that", "to", "when", "if", "too", "very", "in", "on", "of", "what", "why",
        "because", "more", "less", "being", "getting", "about", "hard", "important",
        "called", "named", "due", "based", "open", "closed", "located", "held", "for",
    }  # fmt: skip


def _held(words: str, said: datetime | None, own: str, whole: str) -> Slot | None:
    """Tom is the CEO of Acme."""
    for form in IS_OF:
        match = form.fullmatch(words.rstrip(" .!"))
        if match is None:
            continue
        subject = _subject(TAILS.sub("", match["s"]), own)
        holder = _subject(match["v"], own)
        if subject and holder:
            noun = " ".join(match["a"].lower().split())
            return _slot(subject, noun, holder, whole, said)
    return None


def _prefers(words: str, _said: datetime | None, own: str, whole: str) -> Slot | None:
    match = PREFERS.fullmatch(words.rstrip(" .!"))
    subject = _subject(match["s"], own) if match else ""
    if match is None or not subject:
        return None
    first, over, second = re.sub(
        r"\s+(?:over|to|rather than|instead of|gegenüber)\s+", "\0", match["v"]
    ).partition("\0")
    value = fold(TAILS.sub("", first))
    if over:
        pair = sorted((value, fold(TAILS.sub("", second))))
        return Slot(subject, f"prefers {' / '.join(pair)}", value, whole)
    head, _, last = value.rpartition(" ")
    if not head or " in " in value or " for " in value:
        return Slot(subject, "prefers", value, whole, many=True)
    return Slot(subject, f"prefers {last}", head, whole)


def _state(words: str, _said: datetime | None, own: str, whole: str) -> Slot | None:
    match = STATE.fullmatch(words.rstrip(" .!"))
    subject = _subject(match["s"], own) if match else ""
    if match is None or not subject:
        return None
    state = match["v"].lower()
    rest = " ".join(re.findall(r"\w+", TAILS.sub("", fold(match["rest"]))))
    group = min(state, *OPPOSITES[state])
    attribute = f"is {group} {rest}".strip()
    return Slot(subject, attribute, state, whole, denies=bool(match["not"]))


def _subject(given: str, own: str) -> str:
    key = subject_key(given.removesuffix("'s").removesuffix("’s"))
    words = key.split()
    if not words or len(words) > 7 or not _SUBJECT_STOPS.isdisjoint(words):
        return ""
    if key in _POINTING:
        return own
    return "" if words[0] in _POINTING else key


# -- values -----------------------------------------------------------------------


def _slot(
    subject: str,
    attribute: str,
    value: str,
    words: str,
    said: datetime | None,
    *,
    denies: bool = False,
) -> Slot | None:
    text = TAILS.sub("", value).strip(" .,;\"'“”‘’`")
    base = attribute.rpartition(" ")[2]
    when = _time(text, said) if base in DATED else None
    shown = _shown(base, text)
    if base in COUNTED:
        attribute = _counted(attribute, value)
    if not subject or not shown or (base in COUNTED and not _NUMBER.search(shown)):
        return None
    many = attribute in MANY
    return Slot(subject, attribute, shown, words.strip(), denies, many, when)


def _shown(attribute: str, text: str) -> str:
    """The value as it is compared."""
    folded = fold(text)
    if attribute == "phone":
        digits = "".join(filter(str.isdigit, folded))
        return digits if len(digits) > 2 else folded
    if attribute in COUNTED:
        number = _NUMBER.search(folded)
        currency = _CURRENCIES.search(folded)
        given = number[0].replace(",", "") if number else ""
        given = given.removesuffix(".00")
        if number and folded[number.end() : number.end() + 1] == "k":
            given += "000"
        return f"{given} {_CURRENCY[currency[0]] if currency else ''}".strip()
    while match := _ARTICLES.match(folded):
        folded = folded[match.end() :]
    return folded


def _counted(attribute: str, value: str) -> str:
    """The attribute with what it is counted by: a price a month is none a year."""
    unit = _UNIT.search(value)
    name = unit[1].lower() if unit else ""
    if not name:
        adverb = next((w for w in fold(value).split() if w in _ADVERBIAL_UNIT), "")
        name = adverb
    words = attribute.split()
    if words[0] in _ADVERBIAL_UNIT and len(words) > 1:
        name, attribute = words[0], " ".join(words[1:])
    name = _ADVERBIAL_UNIT.get(name, name)
    return f"{attribute} a {name}" if name else attribute


def _time(text: str, said: datetime | None) -> Interval | None:
    """The time that a value is."""
    now = said or datetime(2000, 1, 1)  # noqa: DTZ001  civil time
    while match := _ARTICLES.match(text):
        text = text[match.end() :]
    found = parse_phrase(text, now, _LANGUAGES, prefer="future")
    if found is not None:
        return found
    phrases = find_phrases(text, now, _LANGUAGES, prefer="future")
    if len(phrases) == 1 and 2 * len(phrases[0].text) >= len(text):
        return phrases[0].interval
    return None


def _before_time(value: str, said: datetime | None) -> str:
    """A name without the time that stands behind it."""
    now = said or datetime(2000, 1, 1)  # noqa: DTZ001  civil time
    phrases = find_phrases(value, now, _LANGUAGES)
    if phrases and phrases[0].start:
        value = value[: phrases[0].start].strip()
        value = re.sub(r"\s+(?:in|on|at|by|from|im|am|ab)$", "", value)
    return value


def _is_same(one: Slot, other: Slot) -> bool:
    """Whether two values are one, or one says the other more exactly."""
    if one.value == other.value:
        return True
    if one.when is not None and other.when is not None:
        return one.when.start < other.when.end and other.when.start < one.when.end
    if one.attribute.startswith("version "):
        return _is_prefix(one.value.split("."), other.value.split("."))
    if one.attribute.endswith("phone") and (one.value + other.value).isdigit():
        last = min(len(one.value), len(other.value), _PHONE)
        return last >= _SHORTEST_PHONE and one.value[-last:] == other.value[-last:]
    if _EXACT.match(one.attribute):
        return False
    mine, yours = (set(re.findall(r"\w+", each.value)) for each in (one, other))
    return bool(mine and yours) and (mine <= yours or yours <= mine)


def _is_prefix(one: Iterable[str], other: Iterable[str]) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))
