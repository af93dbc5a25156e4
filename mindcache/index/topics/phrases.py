"""What notes speak of, as people would say it: names and noun phrases. Pure.

No grammar is known here. That a word is a thing and not what is done with it, the
company it keeps tells: `the order` is one, `to order` is none.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mindcache.index.topics.fillers import FILLERS
from mindcache.index.topics.near import PLACES

__all__ = ["Background", "Speech", "Subject", "listen", "overlap"]

# Words of a text that are heard: what a note is about, it says by then.
_HEARD = 400
# Words of a phrase; longer ones are sentences.
_LONGEST = 3
# A phrase in a note's title says what the note is about: it counts as so many more.
_IN_TITLE = 2
# A phrase of fewer notes is one note's.
_LEAST_NOTES = 2
# Of what a topic's notes say, a subject of the topic is said by this share of them.
_LEAST_SHARE = 0.12
# Of a branch, which holds several subjects, by more: it is called by what they share.
_BROAD_SHARE = 0.25
# The words of a phrase belong together when this share of the rarer one's
# occurrences is in it.
_COHESION = 0.2
# What is mostly said before another word is half of a name, or tells how things are:
# at the end of what is said together stand things, in this share at least.
_LAST = 0.4
_LAST_OF_NAME = 0.25
# A word that is written small this often, for every time large, is no name: it is part
# of some.
_SMALL = 0.2
# A phrase that is this share of the time part of a longer one is that one.
_PART = 0.6
# Many of a thing are a subject rather than one of it, where people write so this often
# for every time they write the commonest form.
_PLURAL = 0.12
# What this share of a topic's titles say is a subject, whatever stands beside it; what
# this share of all notes say tells no topic from another.
_TITLED = 0.4
_COMMON = 0.35
# Two words tell more than one: a phrase may be this much rarer.
_PHRASE_BONUS = 1.7
# A name stands for a subject by itself.
_NAME_BONUS = 1.25
# Letters that are no abbreviation of two, which few can read.
_SHORTEST = 3
# Letters that two words have to have in common to be nearly one.
_STEM = 4
# Subjects that a topic is asked for.
_SUBJECTS = 8

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NUMBER = re.compile(r"\d[\d.,:-]*(?:st|nd|rd|th|s|m|bn|am|pm|gb|mb|km)?|[ivx]+")
_SENTENCE_END = re.compile(r"[.!?:;\n]")
# `-ly` is how, `-ing` and `-ed` what is done, unless an article says otherwise.
_DOING = re.compile(r"\w{2,}ing")
_DONE = re.compile(r"\w{2,}[^\We]ed")
_MANNER = re.compile(r"\w{2,}(?:ly|n't|n’t)")

# What stands before a person's name, and belongs to no title.
_HONORIFICS = frozenset(
    {"mr", "mrs", "ms", "dr", "sir", "lord", "lady", "secretary", "minister"}
)

# What stands before a thing, and what before a deed.
_ARTICLES = """
a an the this that these those my your his her its our their each every some any no of
in on for with from by at about into between all many several few two three four five
der die das den dem des ein eine einen einem einer im am zum le la les un une du au aux
el los las una del il lo gli i al o os as um uma het een de en ett
"""
_PRONOUNS = """
to can could will would shall should may might must i you we they he she it who which not
don't doesn't didn't won't can't cannot let please zu
"""
_BEFORE_THINGS = frozenset(_ARTICLES.split())
_BEFORE_DEEDS = frozenset(_PRONOUNS.split())


@dataclass(frozen=True, slots=True)
class Speech:
    """What one note says: phrases with how often, and how often each is written how.

    `last` is how often nothing follows that would belong to the phrase, `titled` are
    those in the note's title. `things` and `deeds` are how often each single word
    stands where one or the other does.
    """

    times: Mapping[str, int]
    last: Mapping[str, int]
    forms: Mapping[tuple[str, str], int]
    things: Mapping[str, int]
    deeds: Mapping[str, int]
    titled: frozenset[str]


@dataclass(frozen=True, slots=True)
class Subject:
    """A phrase that a topic's notes share: its form, score, whether it is a name.

    `share` is that of the notes that say it.
    """

    form: str
    score: float
    share: float
    is_name: bool


@dataclass(slots=True)
class Background:
    """How common phrases are in a whole vault."""

    notes: int = 0
    total: Counter[str] = field(default_factory=Counter)
    having: Counter[str] = field(default_factory=Counter)
    things: Counter[str] = field(default_factory=Counter)
    deeds: Counter[str] = field(default_factory=Counter)

    def add(self, speech: Speech) -> None:
        """Count a note in."""
        self.notes += 1
        self.total.update(speech.times)
        self.having.update(speech.times.keys())
        self.things.update(speech.things)
        self.deeds.update(speech.deeds)

    def subjects(
        self, speeches: Sequence[Speech], *, broad: bool = False
    ) -> list[Subject]:
        """What these notes speak of more than others do, the most telling first.

        `broad` leaves out what only a part of them speaks of.
        """
        inside: Counter[str] = Counter()
        last: Counter[str] = Counter()
        having: Counter[str] = Counter()
        things, deeds = Counter(self.things), Counter(self.deeds)
        for speech in speeches:
            inside.update(speech.times)
            last.update(speech.last)
            having.update(speech.times.keys())
            things.update(speech.things)
            deeds.update(speech.deeds)
        share = _BROAD_SHARE if broad else _LEAST_SHARE
        titled = Counter(key for speech in speeches for key in speech.titled)
        least = max(min(_LEAST_NOTES, len(speeches)), share * len(speeches))
        known = {key for key, count in having.items() if count >= least}
        forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for speech in speeches:
            for (key, form), count in speech.forms.items():
                if key in known:
                    forms[key][form] += count
        found = {}
        for key in sorted(known):
            form = _form(forms[key])
            is_name = _is_name(form)
            least = _LAST_OF_NAME if is_name and " " in form else _LAST
            if not (_is_sound(form) and _coheres(key, inside)):
                continue
            is_told = titled[key] >= max(_TITLED * len(speeches), _LEAST_NOTES)
            is_last = last[key] >= least * inside[key]
            if not (is_told or (is_last and _is_thing(key, form, things, deeds))):
                continue
            share = having[key] / max(len(speeches), 1)
            score = self._score(key, inside[key], share)
            score *= _PHRASE_BONUS if " " in key else 1.0
            score *= _NAME_BONUS if is_name else 1.0
            found[key] = Subject(
                form, round(score, PLACES), round(share, PLACES), is_name
            )
        telling = {
            key: subject
            for key, subject in found.items()
            if self.having[key] <= _COMMON * self.notes
        }
        # Where only a few notes have something of their own in common, what others
        # have too is what they all are.
        if any(each.share >= _BROAD_SHARE for each in telling.values()):
            found = telling
        return _without_overlap(found, inside)

    def _score(self, key: str, times: int, share: float) -> float:
        # As terms are weighed, in `words`.
        idf = math.log1p(self.notes / max(self.having[key], 1))
        own = math.sqrt(times / max(self.total[key], times))
        return math.log1p(times) * idf * own * 2.0 * share


def _without_overlap(
    found: Mapping[str, Subject], inside: Mapping[str, int]
) -> list[Subject]:
    """The subjects in their order, none of which says again what another one says."""
    whole: dict[str, str] = {}
    for key in sorted(found):
        words = key.split()
        for size in range(1, len(words)):
            for start in range(len(words) - size + 1):
                part = " ".join(words[start : start + size])
                if part in found and inside[key] >= _PART * inside[part]:
                    whole[part] = key
    order = sorted(
        (each for key, each in found.items() if key not in whole),
        key=lambda each: (-each.score, each.form),
    )
    chosen: list[Subject] = []
    for each in order:
        if not any(overlap(each.form, other.form) for other in chosen):
            chosen.append(each)
        if len(chosen) == _SUBJECTS:
            break
    return chosen


def listen(
    lines: Sequence[str],
    stems: Mapping[str, str],
    stop: frozenset[str],
    names: Iterable[str] = (),
) -> Speech:
    """What the lines of a note say, its title the first of them.

    `stems` gives the index term of each word, folded; `stop` are words that belong to
    no phrase; `names` are those of known things that it speaks of.
    """
    ear = _Ear(stems, stop)
    titled: frozenset[str] = frozenset()
    for number, line in enumerate(lines):
        ear.hear(line, 1 if number else 1 + _IN_TITLE)
        titled = titled if number else frozenset(ear.times)
    for name in names:
        key = " ".join(stems.get(word, word) for word in name.casefold().split())
        ear.times[key] += 1
        ear.last[key] += 1
        ear.forms[key, name] += len(lines) + 1
    return Speech(ear.times, ear.last, ear.forms, ear.things, ear.deeds, titled)


@dataclass(frozen=True, slots=True)
class _Said:
    """One word of a phrase: its term, as it is written, whether a sentence begins."""

    term: str
    word: str
    starts: bool


class _Ear:
    """What was heard so far."""

    def __init__(self, stems: Mapping[str, str], stop: frozenset[str]) -> None:
        self._stems = stems
        self._stop = stop
        self._left = _HEARD
        self.times: Counter[str] = Counter()
        self.last: Counter[str] = Counter()
        self.things: Counter[str] = Counter()
        self.deeds: Counter[str] = Counter()
        self.forms: Counter[tuple[str, str]] = Counter()

    def hear(self, line: str, weight: int) -> None:
        """Hear a line: words between which nothing but a space stands are together."""
        run: list[_Said] = []
        before, opening, last = "", "", 0
        starts = True
        for match in list(_WORD.finditer(line))[: self._left]:
            self._left -= 1
            word = match[0].removesuffix("'s").removesuffix("’s")
            key = word.casefold()
            gap = line[last : match.start()]
            starts = starts or _SENTENCE_END.search(gap) is not None
            is_content = self._is_content(key)
            if run and (gap != " " or not is_content):
                self._take(run, weight, opening)
                run = []
            before = before if gap == " " else ""
            if is_content:
                opening = opening if run else before
                term = self._stems.get(key, key)
                self._weigh(term, before)
                run.append(_Said(term, word, starts))
            before, last, starts = key, match.end(), False
        self._take(run, weight, opening)

    def _is_content(self, key: str) -> bool:
        return not (
            key in self._stop or len(key) < 2 or _NUMBER.fullmatch(key) is not None
        )

    def _weigh(self, term: str, before: str) -> None:
        if before in _BEFORE_THINGS:
            self.things[term] += 1
        elif before in _BEFORE_DEEDS:
            self.deeds[term] += 1

    def _take(self, run: Sequence[_Said], weight: int, opening: str) -> None:
        """Count what stands together, and every part of it."""
        if 1 < len(run) <= _LONGEST and opening in _BEFORE_THINGS:
            self.things[run[-1].term] += 1
        for start, first in enumerate(run):
            # The first word of a sentence is written large whatever it is: how it is
            # written elsewhere counts.
            is_small = first.starts and first.word[1:].islower()
            key, form = first.term, first.word.lower() if is_small else first.word
            most = min(start + _LONGEST, len(run))
            for end in range(start + 1, most + 1):
                self.times[key] += weight
                if end == len(run):
                    self.last[key] += weight
                self.forms[key, form] += 0 if first.starts else weight
                if end < most:
                    key, form = f"{key} {run[end].term}", f"{form} {run[end].word}"


def _form(ways: Mapping[str, int]) -> str:
    """How a phrase is written: as most do, in the plural where that is common."""
    order = sorted(ways, key=lambda form: (-ways[form], form))
    best = order[0]
    if " " not in best and ways.get(best.lower(), 0) >= _SMALL * ways[best]:
        best = best.lower()
    if not _is_name(best) and not best.endswith("s"):
        for form in order[1:]:
            is_many = form.startswith(best[:-1]) and form.endswith("s")
            if is_many and ways[form] >= _PLURAL * ways[best]:
                return form
    return best


def _is_name(form: str) -> bool:
    return all(word[:1].isupper() for word in form.split())


def _is_sound(form: str) -> bool:
    """Whether every word of a phrase can stand in a title."""
    words = form.split()
    idle = [
        word.casefold() in FILLERS or _MANNER.fullmatch(word.casefold()) is not None
        for word in words
    ]
    is_name = _is_name(form)
    is_titled = words[0].casefold() in _HONORIFICS and len(words) > 1
    if is_titled or len(form) < _SHORTEST:
        return False
    # `Six Nations` is a name for all that.
    if all(idle) if is_name and len(words) > 1 else any(idle):
        return False
    if not is_name and any(_DONE.fullmatch(word) for word in words):
        return False
    return len({word.casefold() for word in words}) == len(words)


def _is_thing(
    key: str, form: str, things: Mapping[str, int], deeds: Mapping[str, int]
) -> bool:
    """Whether the last word of a phrase stands where things do."""
    head = key.rsplit(maxsplit=1)[-1]
    for_it, against = things.get(head, 0), deeds.get(head, 0)
    if _is_name(form):
        return " " in form or 2 * against <= 1 + for_it
    least = 3 * against if _DOING.fullmatch(form.rsplit(maxsplit=1)[-1]) else against
    return for_it > least


def _coheres(key: str, inside: Mapping[str, int]) -> bool:
    words = key.split()
    if len(words) == 1:
        return True
    rarest = min(inside.get(word, 0) for word in words)
    return inside[key] >= _COHESION * rarest


def overlap(one: str, other: str) -> bool:
    """Whether two phrases have a word in common, or nearly, or one is short for one."""
    if _is_short_for(one, other) or _is_short_for(other, one):
        return True
    return any(
        a == b or (min(len(a), len(b)) >= _STEM and (_is_in(a, b) or _is_in(b, a)))
        for a in one.casefold().split()
        for b in other.casefold().split()
    )


def _is_in(word: str, other: str) -> bool:
    return other.startswith(word) or other.endswith(word)


def _is_short_for(short: str, name: str) -> bool:
    """Whether the one is made of the other's first letters."""
    first = "".join(word[0] for word in name.split())
    return len(first) > 1 and short.casefold() == first.casefold()
