"""What a topic is known by: its id and path, its words, the notes to read first."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mindcache.cache.read import Reader
from mindcache.digest.group import Pool
from mindcache.digest.naming import (
    MONTHS,
    Called,
    Naming,
    free,
    is_day,
    spoken_of,
)
from mindcache.digest.passages import passages_of
from mindcache.digest.tree import KIND, Past, Topic
from mindcache.digest.wording import Wording
from mindcache.filenames import safe_stem, shortened
from mindcache.generated import words_in
from mindcache.index.topics import ANCHORS, anchors, related, sums
from mindcache.links import path_key
from mindcache.memory import plain_text
from mindcache.write.ids import derived_id

__all__ = ["FOLDER", "Face", "Ground", "faces_of", "first_of", "inside", "plain"]

FOLDER = "topics"

# Days since the newest of its notes: a fortnight is what people still have in mind, a
# quarter what they are still at.
_HOT = 14
_WARM = 90

# Notes that nobody is at any more.
_ASLEEP = frozenset({"faint", "archived", "canceled"})

_MARKS = re.compile(r"%%|==|::|\[\[|\]\]|(?<!\S)#(?=\S)|(?<!\S)\^(?=\w)")
_FALLBACK = "Untitled"
# Notes or topics that a summary names, and the length of what is quoted of one.
_SUCH = 3
_SAID = 70


@dataclass(frozen=True, slots=True)
class Ground:
    """What a refresh stands on: the notes, the past, the cache, the tags allowed."""

    pool: Pool
    past: Past
    reader: Reader
    namespaces: Sequence[str]
    now: datetime


@dataclass(slots=True)
class Face:
    """A topic as it will be known: its id, path, the values of its properties."""

    id: str
    path: str
    touched: bool
    terms: list[str]
    anchors: list[int]
    related: list[int]
    summary: str
    status: str


def faces_of(
    topics: Mapping[int, Topic],
    kids: Mapping[int, Sequence[int]],
    order: Sequence[int],
    touched: Collection[int],
    loose: Collection[int],
    ground: Ground,
) -> dict[int, Face]:
    """The faces of all topics; `order` has those below before those above.

    Only what holds other notes than before (`touched`) is looked at anew, and of what
    is `loose` the related topics.
    """
    maker = _Faces(topics, kids, ground)
    maker.make(order, touched, loose)
    return maker.faces


class _Faces:
    def __init__(
        self,
        topics: Mapping[int, Topic],
        kids: Mapping[int, Sequence[int]],
        ground: Ground,
    ) -> None:
        self.topics = topics
        self.kids = kids
        self.ground = ground
        self.faces: dict[int, Face] = {}
        self._parted: dict[int, dict[int, dict[int, list[int]]]] = {}

    def make(
        self, order: Sequence[int], touched: Collection[int], loose: Collection[int]
    ) -> None:
        """Find the faces of these topics, those below before those above."""
        nodes_of = {n: inside(self.topics, self.kids, n) for n in order}
        directions = dict(
            zip(
                order,
                sums(self.ground.pool.vectors, [nodes_of[n] for n in order]),
                strict=True,
            )
        )
        wording = Wording(self.ground.reader, self.ground.pool)
        naming = Naming(self.ground.reader, self.ground.pool)
        taken = self._taken()
        for number in order:
            topic, before = self.topics[number], self.topics[number].before
            is_new = number in touched
            nodes = nodes_of[number] or sorted(topic.extras)
            called = Called()
            chosen: list[int] = []
            if is_new and topic.of_passages:
                terms, called, chosen = self._spoken(number, wording)
            elif is_new:
                terms = wording.terms(nodes)
                subjects = wording.subjects(
                    nodes, is_new=before is None, broad=bool(self.kids[number])
                )
                called = naming.called(nodes, subjects)
            else:
                section = before.section if before else None
                terms = words_in(section.lines) if section else []
            if is_new and not topic.of_passages:
                chosen = self._anchors(nodes)
            apart = [*self._above(number), *self._below(number)]
            looks = (is_new or number in loose) and bool(nodes)
            near = related(directions, number, apart) if looks else []
            if before is not None:
                note_id, path = before.id, before.path
            else:
                note_id = self._id(number, nodes)
                title = free(called.titles, taken) or self._called(chosen)
                path = self._path(title, note_id, taken)
            self.faces[number] = Face(
                note_id,
                path,
                is_new,
                terms,
                chosen,
                near,
                self._summary(number, nodes, called, chosen) if is_new else "",
                self._status(nodes),
            )

    def _spoken(
        self, number: int, wording: Wording
    ) -> tuple[list[str], Called, list[int]]:
        """Terms, titles and anchors of a topic of passages: by these alone."""
        parent = self.topics[number].parent
        assert parent is not None  # noqa: S101  by what such a topic is
        if parent not in self._parted:
            self._parted[parent] = passages_of(self.topics, self.ground.pool, parent)
        parted = self._parted[parent]
        terms, subjects = wording.of_passages(parted, number)
        held = parted[number]
        chosen = sorted(held, key=lambda n: (-len(held[n]), n))[:ANCHORS]
        called = spoken_of(subjects, terms)
        return terms, called, chosen

    def _called(self, chosen: Sequence[int]) -> str:
        """A title for what has no words of its own: those of two of its notes."""
        titles = [plain(self.ground.pool.nodes[n].title) for n in chosen[:2]]
        title = " and ".join(title for title in titles if title) or _FALLBACK
        return title[:1].upper() + title[1:]

    def _taken(self) -> dict[str, object]:
        """What may not be a topic's title: every name that a link may lead by."""
        return dict.fromkeys(
            name.key for name in self.ground.reader.names() if name.kind != "id"
        )

    def _above(self, number: int) -> list[int]:
        found = []
        above = self.topics[number].parent
        while above is not None:
            found.append(above)
            above = self.topics[above].parent
        return found

    def _below(self, number: int) -> list[int]:
        found = list(self.kids[number])
        for each in found:
            found += self.kids[each]
        return found

    def _anchors(self, nodes: Sequence[int]) -> list[int]:
        lively = [n for n in nodes if self.ground.pool.nodes[n].status not in _ASLEEP]
        return anchors(self.ground.pool.vectors, lively or nodes)

    def _id(self, number: int, nodes: Sequence[int]) -> str:
        """An id of the first of its notes' time, and of who they are."""
        whole = [self.ground.pool.keys[n] for n in nodes]
        whole += [self.faces[kid].id for kid in self.kids[number]]
        key = hashlib.sha256("\n".join(sorted(whole)).encode()).hexdigest()
        used = {face.id for face in self.faces.values()} | self.ground.past.made.keys()
        when = first_of(nodes, self.ground)
        found = derived_id(when, KIND, key)
        again = 1
        while found in used:
            again += 1
            found = derived_id(when, KIND, f"{key} {again}")
        return found

    def _path(self, title: str, note_id: str, taken: dict[str, object]) -> str:
        stem = safe_stem(title) or _FALLBACK
        if path_key(f"{stem}.md") in taken:
            stem = f"{stem} {note_id[-6:].lower()}"
        taken[path_key(f"{stem}.md")] = None
        taken[title.casefold()] = None
        return f"{FOLDER}/{stem}.md"

    def _summary(
        self, number: int, nodes: Sequence[int], called: Called, chosen: Sequence[int]
    ) -> str:
        """One sentence: how many notes, of what, since when, and which to look at."""
        kind = "daily note" if called.is_diary else "note"
        size = f"{len(nodes)} {kind}{'' if len(nodes) == 1 else 's'}"
        kids = [self.faces[kid] for kid in self.kids[number]]
        if kids:
            topics = f"{len(kids)} topic{'' if len(kids) == 1 else 's'}"
            size = f"{topics} with {size}"
            such = [kid.path.rpartition("/")[2][:-3] for kid in kids]
        else:
            such = [self._named(node) for node in chosen]
        about = f" about {plain(called.subject)}" if called.subject else ""
        since = self._since(nodes)
        such = [name for name in dict.fromkeys(such) if name and not is_day(name)]
        listed = _listed(such[:_SUCH])
        what = f"{size}{about}{since}"
        return shortened(f"{what}, such as {listed}" if listed else what, 240) + "."

    def _since(self, nodes: Sequence[int]) -> str:
        """When the first of the notes is of, where most have a date."""
        dates = sorted(d for n in nodes if (d := self.ground.pool.nodes[n].date_start))
        if 2 * len(dates) < len(nodes) or not dates:
            return ""
        first = datetime.fromisoformat(dates[0])
        return f" since {MONTHS[first.month - 1]} {first.year}"

    def _named(self, node: int) -> str:
        """What a reader knows a note by: where its title is a number, what it says."""
        row = self.ground.pool.nodes[node]
        title = plain(row.title.replace("___", " "))
        if any(each.isalpha() for each in title):
            return title
        said = plain(row.summary).rstrip(".")
        return f"\u201c{said}\u201d" if 0 < len(said) <= _SAID else title

    def _status(self, nodes: Sequence[int]) -> str:
        """How lively the topic is at this moment, by the dates of its notes."""
        now = self.ground.now.isoformat()
        rows = [self.ground.pool.nodes[n] for n in nodes]
        if rows and all(row.status in _ASLEEP for row in rows):
            return "faint"
        dates = [row.date_start for row in rows if "" < row.date_start <= now]
        if not dates:
            return "warm"
        days = (
            self.ground.now - datetime.fromisoformat(max(dates)).replace(tzinfo=None)
        ).days
        return "hot" if days <= _HOT else "warm" if days <= _WARM else "cool"


def inside(
    topics: Mapping[int, Topic], kids: Mapping[int, Sequence[int]], number: int
) -> list[int]:
    """All notes of the topic and of those below it."""
    nodes = set(topics[number].members)
    for kid in kids[number]:
        nodes |= set(inside(topics, kids, kid))
    return sorted(nodes)


def first_of(nodes: Iterable[int], ground: Ground) -> datetime:
    """When the first of these notes is of; now, where none has a date."""
    dates = sorted(d for n in nodes if (d := ground.pool.nodes[n].date_start))
    first = datetime.fromisoformat(dates[0]) if dates else ground.now
    return min(first.replace(tzinfo=None), ground.now).replace(microsecond=0)


def plain(text: str) -> str:
    """Text that makes no link, tag, field or comment where it is put."""
    return " ".join(_MARKS.sub(" ", plain_text(html.unescape(text))).split())


def _listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
