"""The tree of topics as its notes have it, and as it shall be: plain values.

Membership stands in the notes themselves, as links in their generated part; what
Mindcache said of each stands in the ledger. There is nothing else to remember.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem
from mindcache.generated import Section, find_section, has_marker
from mindcache.links import Names, target_key
from mindcache.write.ids import derived_id

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import Reader
    from mindcache.memory import Memory
    from mindcache.note import Note
    from mindcache.vault import Entry

__all__ = [
    "KIND",
    "TIMELY",
    "Past",
    "Said",
    "Topic",
    "TopicNote",
    "mark",
    "past_of",
    "read_topics",
]

# What the ledger calls them.
KIND = "topic"
# A status that was written for the time's sake alone: it leaves the note as it was
# updated last, and is noted after it is written.
TIMELY = "timely"

# The time in the id of a topic that says no date: any other would be the machine's.
_UNDATED = datetime(1970, 1, 1)  # noqa: DTZ001  civil time

# A topic whose properties can't be read looks like a note of a person's.
_BROKEN = frozenset(
    {
        "frontmatter-broken",
        "frontmatter-not-a-map",
        "frontmatter-too-large",
        "frontmatter-unclosed",
    }
)
_ID = re.compile(r"^id:[ \t]*[\"']?(m-\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TopicNote:
    """A topic's note as it is on disk.

    Where it has no id, `id` is the one that it is given when it is written; its path,
    where it is left alone or the ledger knows it by that.

    `links` are the paths that its generated part leads to, `parent`, `anchors` and
    `related` the paths that its properties do ("" and () for none), `dangling` the
    targets of related ones that lead nowhere. `section` is None
    where there is not exactly one, or the properties can't be read: then the note is
    left alone, `links` are those of its lists, and `held` the marks of the notes that
    it held when last it was written.
    """

    path: str
    id: str
    data: bytes
    note: Note
    memory: Memory
    section: Section | None
    links: tuple[str, ...] = ()
    parent: str = ""
    anchors: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()
    held: frozenset[str] = frozenset()

    @property
    def stem(self) -> str:
        """What it is called."""
        return self.path.rpartition("/")[2][:-3]

    @property
    def written(self) -> str:
        """When a digest wrote it last, "" where that isn't known."""
        return str(self.note.properties.get("last_updated") or "")

    @property
    def has_words(self) -> bool:
        """Whether a person wrote something beside the generated part."""
        note = self.note
        if self.section is None:
            return True
        lines = note.text.split("\n")
        start = note.text.count("\n", 0, note.body_offset)
        outside = [*lines[start : self.section.begin - 1], *lines[self.section.end :]]
        return self.section.is_edited or any(line.strip() for line in outside)


@dataclass(slots=True)
class Topic:
    """One topic on its way through the steps, known by its number.

    `members` are the notes that have their home in it, `extras` those of which only
    some passages belong; one that is `of_passages` has nothing else. `before` is None
    for a topic that is new.
    """

    number: int
    before: TopicNote | None = None
    parent: int | None = None
    members: list[int] = field(default_factory=list)
    extras: list[int] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    is_pinned: bool = False
    of_passages: bool = False

    @property
    def is_left_alone(self) -> bool:
        """Whether its note can't be written, so that nothing may come in or go."""
        return self.before is not None and self.before.section is None

    @property
    def is_ours(self) -> bool:
        """Whether it may be merged, split, thrown away: nobody made it their own."""
        if self.before is None:
            return True
        return not (self.is_pinned or self.before.has_words)


# -- reading ---------------------------------------------------------------


def read_topics(
    app: App, reader: Reader, past: Past
) -> tuple[list[TopicNote], list[Problem]]:
    """The vault's topics by id and path, and what is wrong with some.

    Of two notes with one id, the one that is where it was made is meant, else the one
    with the smaller path.
    """
    problems: list[Problem] = []
    raw: list[tuple[bytes, Note, Memory, Section | None]] = []
    broken = {p.path for p in reader.problems() if p.code in _BROKEN}
    dates = {
        n.path: n.date_start for n in reader.nodes(reader.where("n.type = ?", [KIND]))
    }
    topics = dates.keys()
    for path in sorted(topics | broken):
        try:
            data, note, memory = app.look(path)
        except OSError as error:
            if path in topics:
                message = f"can't be read: {error.strerror}"
                problems.append(Problem(path, 0, "topic-unread", message))
            continue
        except MindcacheError as error:
            if path in topics:
                problems.append(
                    Problem(path, 0, "topic-unread", error.message, error.mend)
                )
            continue
        section = find_section(note)
        if path in broken:
            if not has_marker(note.text) and path not in past.made.values():
                continue
            message = "its properties can't be read, and it is left alone"
            mend = f"mend them; mindcache lint {path} says where"
            problems.append(Problem(path, 1, "topic-unread", message, mend))
            raw.append((data, note, memory, None))
        elif isinstance(section, str):
            mend = "put one pair of markers in, each alone on its line"
            message = f"{section}, and is left alone"
            problems.append(Problem(path, 1, "topic-markers", message, mend, "info"))
            raw.append((data, note, memory, None))
        else:
            raw.append((data, note, memory, section))
    keys = {target_key(link.target) for _, note, _, _ in raw for link in note.links}
    names = Names(reader.names(keys))
    found = [_resolved(names, *each) for each in raw]
    found = [_named(topic, past.made, dates.get(topic.path, "")) for topic in found]
    found = _recalled(found, broken, past)
    found.sort(key=lambda topic: (topic.id, topic.path))
    return _without_copies(found, past.made, problems), problems


def _recalled(
    found: Sequence[TopicNote], broken: Collection[str], past: Past
) -> list[TopicNote]:
    """The topics, with what the ledger knows of those that are left alone."""
    ids = {topic.id for topic in found if topic.memory.id}
    made = {path: each for each, path in past.made.items()}
    paths = {topic.id: topic.path for topic in found}
    kept = []
    for topic in found:
        if topic.section is not None:
            kept.append(topic)
            continue
        key, parent = topic.id, topic.parent
        if topic.path in broken and not topic.memory.id:
            written = _ID.search(topic.note.text)
            key = written[1] if written else made.get(topic.path, topic.path)
            key = topic.path if key in ids else key
        said = past.said.get(key, Said())
        if topic.path in broken and not parent:
            parent = paths.get(said.until("").get("parent", ""), "")
        held = frozenset(said.members())
        kept.append(replace(topic, id=key, parent=parent, held=held))
    return kept


def _named(topic: TopicNote, made: Mapping[str, str], date: str) -> TopicNote:
    """The topic with an id, where it will be written and is known by none.

    Every machine that sees the note gives it the same: by its path and its own date.
    """
    is_known = bool(topic.memory.id) or topic.path in made
    if is_known or topic.section is None or topic.note.encoding.name != "utf-8":
        return topic
    when = datetime.fromisoformat(date).replace(tzinfo=None) if date else _UNDATED
    return replace(topic, id=derived_id(when, KIND, topic.path))


def _without_copies(
    found: Sequence[TopicNote], made: Mapping[str, str], problems: list[Problem]
) -> list[TopicNote]:
    """The topics, those left alone that are copies of others."""
    first: dict[str, str] = {}
    for topic in found:
        if topic.id not in first or topic.path == made.get(topic.id):
            first[topic.id] = topic.path
    kept = []
    for topic in found:
        if topic.path == first[topic.id]:
            kept.append(topic)
            continue
        message = f"it has the id of {first[topic.id]}, and is left alone"
        mend = "delete one of them, or give this one another id"
        problems.append(Problem(topic.path, 1, "topic-copy", message, mend))
        kept.append(replace(topic, id=topic.path, section=None, links=()))
    return kept


def _resolved(
    names: Names, data: bytes, note: Note, memory: Memory, section: Section | None
) -> TopicNote:
    def paths(targets: Iterable[str]) -> tuple[str, ...]:
        hits = (names.resolve(note.path, target) for target in targets)
        return tuple(dict.fromkeys(hit.path for hit in hits if hit is not None))

    def of(name: str) -> tuple[str, ...]:
        return paths(x.target for x in note.links if x.field == name and x.target)

    lines = note.text.split("\n")
    is_damaged = section is None and has_marker(note.text)
    inside = (
        link.target
        for link in note.links
        if link.origin == "body"
        and (
            section.holds(link.line)
            if section is not None
            else is_damaged and lines[link.line - 1].startswith("- ")
        )
    )
    return TopicNote(
        path=note.path,
        id=memory.id or note.path,
        data=data,
        note=note,
        memory=memory,
        section=section,
        links=paths(target for target in inside if target),
        parent=next(iter(of("parent_topic")), ""),
        anchors=of("anchors"),
        related=of("related_topics"),
        dangling=tuple(
            link.target
            for link in note.links
            if link.field == "related_topics"
            and link.target
            and names.resolve(note.path, link.target) is None
        ),
    )


# -- the past --------------------------------------------------------------


@dataclass(slots=True)
class Said:
    """What was said of one topic, in the order of saying: (when, property → value)."""

    times: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def until(self, when: str) -> dict[str, str]:
        """What had been said by then: what is said is noted before it is written.

        A property that still holds its value is ours to change; "" stands for all time.
        """
        heard: dict[str, str] = {}
        for at, values in self.times:
            if not when or at <= when:
                heard.update(values)
        return heard

    def timely(self, when: str) -> str:
        """The last status written since then beside everything else, "" for none."""
        found = (values.get(TIMELY, "") for at, values in self.times if at > when)
        return next((status for status in [*found][::-1] if status), "")

    def members(self, when: str = "") -> set[str]:
        """The marks of the notes that it held by then."""
        held: set[str] = set()
        for at, values in self.times:
            if not when or at <= when:
                held |= set(values.get("in", "").split())
                held -= set(values.get("out", "").split())
        return held


@dataclass(frozen=True, slots=True)
class Past:
    """What the ledger knows: topics made (id → path), those we ended, what was said.

    `refused` are pairs (topic's id, note's mark) that a person took apart, `put` those
    that he put together; `days` the civil days, and `weeks` the weeks, in which a digest wrote something.
    """

    made: Mapping[str, str]
    ended: frozenset[str]
    said: Mapping[str, Said]
    refused: frozenset[tuple[str, str]]
    days: frozenset[str]
    weeks: frozenset[str]
    put: frozenset[tuple[str, str]] = frozenset()


def mark(key: str) -> str:
    """A note's key in eight digits, for the ledger."""
    return hashlib.blake2b(
        key.encode("utf-8", "surrogateescape"), digest_size=4
    ).hexdigest()


def past_of(entries: Sequence[Entry]) -> Past:
    """The past of the tree by all devices' ledgers."""
    said: dict[str, Said] = {}
    made: dict[str, str] = {}
    for entry in sorted(entries, key=lambda e: e.at):
        if entry.kind != KIND:
            continue
        if entry.what == "made":
            made[entry.id] = entry.path
        elif entry.what == "said":
            _hear(said.setdefault(entry.id, Said()), entry.at, entry.said)
    return Past(
        made,
        frozenset(e.id for e in entries if (e.what, e.kind) == ("ended", KIND)),
        said,
        frozenset(
            (e.id, e.key) for e in entries if (e.what, e.kind) == ("rejected", KIND)
        ),
        frozenset(e.key for e in entries if (e.what, e.kind) == ("digest", "day")),
        frozenset(e.key for e in entries if (e.what, e.kind) == ("digest", "week")),
        frozenset((e.id, e.key) for e in entries if (e.what, e.kind) == ("put", KIND)),
    )


def _hear(said: Said, when: str, text: str) -> None:
    try:
        values = json.loads(text)
    except ValueError:
        return
    if not isinstance(values, dict):
        return
    plain = {k: v for k, v in values.items() if isinstance(v, str)}
    said.times.append((when, plain))
