"""What a topic is called: by what people gave its notes in common, or by what they say.

A tag, a folder, a note that all of them link to: where such a mark is on most of a
topic's notes and on few others, somebody has named the topic already. Else it is the
names and noun phrases that its notes share, at most two.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from mindcache.cache.read import Reader
from mindcache.digest.group import Pool
from mindcache.index.topics import FILLERS, Subject, overlap
from mindcache.links import path_key

__all__ = ["MONTHS", "Called", "Naming", "free", "is_day", "spoken_of"]

# A mark names a topic when this share of its notes have it, and this share of those
# that have it are the topic's. What half of the vault has tells nothing apart.
_COVERS = 0.6
_OWN = 0.5
_COMMON = 0.5
# A second subject is said beside the first when it tells at least so much as a share
# of that, and not when nearly every note says the first.
_SECOND = 0.35
_WHOLE = 0.85
# Subjects beside a first one that tell about as much as each other.
_BESIDE = 3
# Notes that are called by their day say nothing by that; where so many are, and less
# than this share has a subject in common, the topic is a diary.
_DIARY = 0.6
_SPOKEN = 0.4

# Words of a name; what is longer says something of a thing.
_LONGEST = 3

_DAY = re.compile(r"(\d{4})[-_. ](\d\d)(?:[-_. ](\d\d))?(?!\d).*|\w{3} \d+\w\w, \d{4}")
_DAY_ALONE = re.compile(r"\d{4}[-_. ]\d\d(?:[-_. ]\d\d)?|\w{3} \d+\w\w, \d{4}")
_OPENING = re.compile(r"(?:an? )?introduction to ", re.IGNORECASE)
_NUMBERED = re.compile(r"^\d+[ ._-]+")
_PLAIN = re.compile(r"[\w .&'’+-]{2,60}")
# What is said for short by who talks: "I'll", "don't".
_SHORT = re.compile(r"\w['’](?:ll|m|ve|re|d|t)\b", re.IGNORECASE)
_PLACE = re.compile(r"/|___")
_NAMES = """
January February March April May June July August September October November December
"""
MONTHS = tuple(_NAMES.split())


@dataclass(frozen=True, slots=True)
class Called:
    """The titles that a topic might have, the best first, and what it is about.

    `subject` stands in the middle of a sentence; a diary is about nothing.
    """

    titles: tuple[str, ...] = ()
    subject: str = ""
    is_diary: bool = False


class Naming:
    """Names for topics of one pool."""

    def __init__(self, reader: Reader, pool: Pool) -> None:
        self._reader = reader
        self._pool = pool

    def called(self, nodes: Sequence[int], subjects: Sequence[Subject]) -> Called:
        """What to call a topic of these notes that share these subjects.

        No titles where nothing is found.
        """
        mark, covers = self._mark(nodes)
        if mark:
            others = [s.form for s in subjects if not overlap(s.form, mark)]
            titles = _titles(mark, others)
            if covers < _WHOLE and others and " and " not in mark:
                pair = f"{mark} and {others[0]}"
                return Called((_large(pair), *titles), pair)
            return Called(titles, mark)
        widest = max((s.share for s in subjects), default=0.0)
        days = self._diary(nodes)
        if days and widest < _SPOKEN:
            return Called((days,), is_diary=True)
        return spoken_of(subjects)

    # -- marks -----------------------------------------------------------

    def _mark(self, nodes: Sequence[int]) -> tuple[str, float]:
        """The mark that fits these notes best and the share that has it, "" for none."""
        having: Counter[tuple[int, str]] = Counter()
        names: dict[tuple[int, str], str] = {}
        for node in nodes:
            own = dict(self._marks(node))
            having.update(own.keys())
            names.update(own)
        best, fit, share = "", 0.0, 0.0
        for which in sorted(having):
            inside, whole = having[which], self._counts[which]
            covers, own_share = inside / len(nodes), inside / whole
            if inside < 2 or covers < _COVERS or own_share < _OWN:
                continue
            if whole > _COMMON * len(self._pool.nodes) or not _is_name(names[which]):
                continue
            together = round(2 * inside / (len(nodes) + whole), 6)
            if together > fit:
                best, fit, share = names[which], together, covers
        return best, share

    @cached_property
    def _counts(self) -> Counter[tuple[int, str]]:
        """How many notes have each mark."""
        counts: Counter[tuple[int, str]] = Counter()
        for at in range(len(self._pool.nodes)):
            counts.update(dict(self._marks(at)).keys())
        return counts

    @cached_property
    def _targets(self) -> dict[int, list[int]]:
        """The notes that each note links to."""
        places = self._pool.places
        found: defaultdict[int, list[int]] = defaultdict(list)
        for source, target, _, _, _ in self._reader.edges():
            if source in places and target in places:
                found[places[source]].append(places[target])
        return found

    def _marks(self, at: int) -> Iterator[tuple[tuple[int, str], str]]:
        """What a note may have in common with others: of what kind, which, its name."""
        node = self._pool.nodes[at]
        for other in (at, *sorted(self._targets.get(at, ()))):
            hub = self._pool.nodes[other]
            if not _DAY.match(hub.title):
                yield (0, hub.path), _OPENING.sub("", hub.title)
        for tag in node.tags:
            if not tag.casefold().startswith("scope/"):
                last = tag.rpartition("/")[2].replace("-", " ").replace("_", " ")
                yield (1, tag.casefold()), last
        # Some write the folder that a note would be in into its name.
        parts = _PLACE.split(node.path)[:-1]
        for count in range(1, len(parts) + 1):
            name = _NUMBERED.sub("", parts[count - 1]).replace("_", " ")
            yield (2, "/".join(parts[:count]).casefold()), name

    def _diary(self, nodes: Sequence[int]) -> str:
        """What to call notes that are called by their days, "" where others are."""
        days = []
        for node in nodes:
            stem = self._pool.nodes[node].path.rpartition("/")[2][:-3]
            match = _DAY.fullmatch(stem)
            if match and match[1]:
                days.append((match[1], match[2]))
        if not days or len(days) < _DIARY * len(nodes):
            return ""
        (year, month), (last, end) = min(days), max(days)
        if (year, month) == (last, end) and 1 <= int(month) <= 12:
            return f"Daily notes of {MONTHS[int(month) - 1]} {year}"
        if year == last:
            return f"Daily notes of {year}"
        return f"Daily notes from {year} to {last}"


def spoken_of(subjects: Sequence[Subject], terms: Sequence[str] = ()) -> Called:
    """What to call what speaks of these subjects; without any, by its first terms."""
    subjects = [s for s in subjects if not _SHORT.search(s.form)]
    if not subjects:
        if not terms:
            return Called()
        name = " and ".join(terms[:2])
        return Called((_large(name), f"Notes on {name}"), name)
    first, *more = subjects
    near = [s.form for s in more if s.score >= _SECOND * first.score]
    far = [s.form for s in more if s.form not in near]
    if near and first.share < _WHOLE:
        two = [f"{first.form} and {form}" for form in (*near, *far)]
        return Called((*map(_large, two), _large(first.form)), two[0])
    return Called(_titles(first.form, (*near, *far)), first.form)


def is_day(title: str) -> bool:
    """Whether a title is a day and nothing else, which tells nothing of what is said."""
    return _DAY_ALONE.fullmatch(title.strip("\u201c\u201d")) is not None


def _is_name(name: str) -> bool:
    folded = name.casefold()
    has_letters = any(each.isalpha() for each in name)
    is_short = len(name.split()) <= _LONGEST
    return (
        is_short
        and has_letters
        and folded not in FILLERS
        and _PLAIN.fullmatch(name) is not None
    )


def _titles(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Titles of one name; where that is taken, of it and another one."""
    is_pair = " and " in name
    # Of those that tell about as much, several words say more beside a name.
    order = list(others)
    order[:_BESIDE] = sorted(order[:_BESIDE], key=lambda form: " " not in form)
    two = [] if is_pair else [_large(f"{name} and {form}") for form in order]
    return (_large(name), *two, f"Notes on {name}")


def _large(title: str) -> str:
    return title[:1].upper() + title[1:]


def free(titles: Iterable[str], taken: Container[str]) -> str:
    """The first of these titles that is no note's name, "" where all are."""
    for title in titles:
        if title.casefold() not in taken and path_key(f"{title}.md") not in taken:
            return title
    return ""
