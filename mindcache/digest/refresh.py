"""Step 6, refresh: what each topic's note shall say, and the changes that make it so.

A property that a person changed is his: what was said last stands in the ledger, and
only what still says that is said anew. A topic whose notes are the same keeps its
words; only the lines about its notes follow them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mindcache.digest.faces import Face, Ground, faces_of, first_of, inside, plain
from mindcache.digest.merge import Shaped
from mindcache.digest.tree import KIND, TIMELY, Said, Topic, TopicNote, mark
from mindcache.errors import EditRefused, MindcacheError, Problem
from mindcache.filenames import shortened
from mindcache.generated import WORDS, rendered, replaced, words_line
from mindcache.links import Name, Names, fold, path_key, written
from mindcache.memory import moment
from mindcache.note import DELETE, Delete, Property, edit, emit
from mindcache.vault import Change, Create, Entry, Replace, Trash

if TYPE_CHECKING:
    from mindcache.cache.read import NodeRow

__all__ = ["Refreshed", "refresh"]

# Bytes of a note's summary in the list of a topic: one line on most screens.
_LINE = 140


@dataclass(slots=True)
class Refreshed:
    """What is to be written, and to be noted before and after it.

    `notes` are (path, what becomes of it); `after` are entries by the path whose
    change they tell of.
    """

    changes: list[Change] = field(default_factory=list)
    before: list[Entry] = field(default_factory=list)
    after: dict[str, list[Entry]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    ended: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def refresh(shaped: Shaped, old: Mapping[int, Topic], ground: Ground) -> Refreshed:
    """Say what every topic of the tree says now. `old` is the tree before the steps."""
    return _Refresher(shaped, old, ground).run()


class _Refresher:
    def __init__(
        self, shaped: Shaped, old: Mapping[int, Topic], ground: Ground
    ) -> None:
        self.topics = shaped.topics
        self.ended = shaped.ended
        self.old = old
        self.pool = ground.pool
        self.past = ground.past
        self.reader = ground.reader
        self.namespaces = [n for n in ground.namespaces if n != "scope"]
        self.now = ground.now
        self.out = Refreshed()
        self.ground = ground
        self.faces: dict[int, Face] = {}
        self.loose: set[int] = set()
        self.kids: dict[int, list[int]] = {n: [] for n in self.topics}
        for number, topic in sorted(self.topics.items()):
            if topic.parent is not None:
                self.kids[topic.parent].append(number)
        self.ids = {t.before.id for t in old.values() if t.before is not None}
        self.names = Names([])

    def run(self) -> Refreshed:
        order = self._bottom_up()
        touched = {n for n in order if self._is_touched(n)}
        self.loose = {n for n in order if self._is_loose(n)}
        self.faces = faces_of(
            self.topics, self.kids, order, touched, self.loose, self.ground
        )
        self._name()
        for number in order:
            try:
                self._write(number)
            except MindcacheError as error:
                before = self.topics[number].before
                path = before.path if before else self.faces[number].path
                self.out.problems.append(
                    Problem(path, 1, "topic-left", error.message, error.mend)
                )
        for number, where in sorted(self.ended.items()):
            self._end(number, where)
        rank = {Create: 0, Replace: 1}
        self.out.changes.sort(key=lambda c: rank.get(type(c), 2))
        return self.out

    def _bottom_up(self) -> list[int]:
        order: list[int] = []
        waiting = [n for n in sorted(self.topics) if self.topics[n].parent is None]
        for number in waiting:
            order.append(number)
            waiting += self.kids[number]
        return order[::-1]

    def _paths(self, number: int) -> set[str]:
        """The notes that are listed in the topic."""
        topic = self.topics[number]
        return {self.pool.nodes[n].path for n in (*topic.members, *topic.extras)}

    def _is_touched(self, number: int) -> bool:
        """Whether it holds other notes or topics than its note says."""
        before = self.topics[number].before
        if before is None:
            return True
        if before.section is None:
            return False
        kids = [self.topics[n].before for n in self.kids[number]]
        if any(kid is None for kid in kids):
            return True
        listed = self._paths(number) | {kid.path for kid in kids if kid is not None}
        known = {topic.before.path for topic in self.old.values() if topic.before}
        return listed != {
            p for p in before.links if p in self.pool.places or p in known
        }

    def _is_loose(self, number: int) -> bool:
        """Whether it is related, as we said, to what is no topic any more."""
        before = self.topics[number].before
        if before is None or before.section is None:
            return False
        there = {t.before.path for t in self.topics.values() if t.before is not None}
        return bool(before.dangling) or not there.issuperset(before.related)

    # -- notes -----------------------------------------------------------

    def _name(self) -> None:
        """Know every name that a link written here may meet."""
        paths = {face.path for face in self.faces.values()}
        for number in self.topics:
            paths |= self._paths(number)
        for face in self.faces.values():
            paths |= {self.pool.nodes[n].path for n in face.anchors}
        rows = self.reader.names({path_key(path) for path in paths})
        rows += [Name(path_key(f.path), "path", f.path) for f in self.faces.values()]
        self.names = Names(dict.fromkeys(rows))

    def _link(self, source: str, path: str) -> str:
        return written(self.names, source, path)

    def _lines(self, number: int) -> list[str]:
        topic, face = self.topics[number], self.faces[number]
        kids = [self.faces[kid] for kid in self.kids[number]]
        lines = [words_line(face.terms)] if face.terms else []
        lines += [
            f"- {self._link(face.path, kid.path)}"
            for kid in sorted(kids, key=lambda f: (fold(f.path), f.path))
        ]
        nodes = [self.pool.nodes[n] for n in (*topic.members, *topic.extras)]
        for node in sorted(nodes, key=_by_name):
            said = shortened(plain(node.summary), _LINE)
            link = self._link(face.path, node.path)
            lines.append(f"- {link}: {said}" if said else f"- {link}")
        return lines

    def _write(self, number: int) -> None:
        topic, face = self.topics[number], self.faces[number]
        before = topic.before
        if before is None:
            self._create(number)
            return
        if before.section is None:
            return
        lines = self._lines(number)
        said = self.past.said.get(before.id, Said())
        heard = said.until(before.written)
        ours = {f"{WORDS}{heard['words']}"} if "words" in heard else set()
        if before.note.encoding.name != "utf-8":
            raise EditRefused("the note is not UTF-8", mend="save it as UTF-8")
        text = replaced(before.note, before.section, lines, ours)
        changes, tells = self._properties(topic, face, before, heard)
        if not before.memory.id and before.id != before.path:
            changes["id"] = before.id
        tells["words"] = ", ".join(face.terms)
        tells["kids"] = self._kids(number)
        aliases = _joined(before.memory.aliases, topic.aliases)
        if aliases is not None:
            changes["aliases"] = aliases
        if text == before.note.text and not changes:
            return
        if text == before.note.text and changes.keys() == {"status"}:
            self._write_status(before, str(changes["status"]))
            return
        changes["last_updated"] = self._moment()
        changes["updated_at"] = self._moment()
        data = edit(_encoded(before.note.encoding, text), changes)
        self.out.changes.append(Replace(before.path, data, before.data))
        self.out.changed.append(before.path)
        self._tell(number, {**heard, **tells}, heard, said)

    def _write_status(self, before: TopicNote, status: str) -> None:
        """Write what time alone changes: the note says what it said."""
        data = edit(before.data, {"status": status})
        self.out.changes.append(Replace(before.path, data, before.data))
        self.out.changed.append(before.path)
        text = json.dumps({TIMELY: status})
        self.out.after[before.path] = [
            Entry("said", KIND, before.id, id=before.id, at=self._at(), said=text)
        ]

    def _kids(self, number: int) -> str:
        return " ".join(sorted(self.faces[kid].id for kid in self.kids[number]))

    def _properties(
        self, topic: Topic, face: Face, before: TopicNote, heard: Mapping[str, str]
    ) -> tuple[dict[str, Property | Delete], dict[str, str]]:
        """What changes among the properties, and what is said by that."""
        changes: dict[str, Property | Delete] = {}
        tells: dict[str, str] = {}
        parent = None if topic.parent is None else self.faces[topic.parent]
        was = self.old[topic.number].parent if topic.number in self.old else None
        gone = heard.get("parent", "") in self.past.made.keys() - self.ids
        if topic.parent != was or (gone and topic.parent is None and not before.parent):
            link = self._link(before.path, parent.path) if parent else DELETE
            changes["parent_topic"] = link
            tells["parent"] = parent.id if parent else ""
        if face.touched or topic.number in self.loose:
            self._say_related(topic.number, before, heard, changes, tells)
        if face.touched:
            self._say_face(face, before, heard, changes, tells)
        self._say_status(face, before, heard, changes, tells)
        there = before.note.properties
        changes = {
            k: v for k, v in changes.items() if not (v is DELETE and k not in there)
        }
        return changes, tells

    def _say_related(
        self,
        number: int,
        before: TopicNote,
        heard: Mapping[str, str],
        changes: dict[str, Property | Delete],
        tells: dict[str, str],
    ) -> None:
        if not self._is_related_ours(before, heard.get("related", "").split()):
            return
        near = [self.faces[n] for n in self.faces[number].related]
        links: list[Property] = [self._link(before.path, f.path) for f in near]
        word = tells["related"] = " ".join(f.id for f in near)
        is_there = "related_topics" in before.note.properties
        # The same topic may have another name by now.
        if word != heard.get("related") or not is_there or number in self.loose:
            changes["related_topics"] = links or DELETE

    def _say_face(
        self,
        face: Face,
        before: TopicNote,
        heard: Mapping[str, str],
        changes: dict[str, Property | Delete],
        tells: dict[str, str],
    ) -> None:
        there = before.note.properties

        def is_ours(name: str, value: str) -> bool:
            return value == heard.get(name, "")

        def say(name: str, key: str, value: Property | Delete, word: str) -> None:
            tells[name] = word
            if word != heard.get(name) or key not in there:
                changes[key] = value

        if is_ours(
            "summary", mark(before.memory.summary) if there.get("summary") else ""
        ):
            say("summary", "summary", face.summary, mark(face.summary))
        if is_ours("anchors", self._marks(before.anchors)):
            paths = [self.pool.nodes[n].path for n in face.anchors]
            links: list[Property] = [self._link(before.path, path) for path in paths]
            say("anchors", "anchors", links or DELETE, self._marks(paths))

    def _say_status(
        self,
        face: Face,
        before: TopicNote,
        heard: Mapping[str, str],
        changes: dict[str, Property | Delete],
        tells: dict[str, str],
    ) -> None:
        """Say what time makes of it, too, where a person doesn't say otherwise."""
        said = self.past.said.get(before.id, Said())
        last = said.timely(before.written) or heard.get("status", "")
        there = str(before.note.properties.get("status") or "")
        if there == last and (there or face.touched):
            tells["status"] = face.status
            if face.status != there:
                changes["status"] = face.status

    def _marks(self, paths: Iterable[str]) -> str:
        places = self.pool.places
        return " ".join(
            mark(self.pool.keys[places[p]] if p in places else p) for p in paths
        )

    def _is_related_ours(self, before: TopicNote, heard: Sequence[str]) -> bool:
        """Whether the related topics are those that were said, by their names of then.

        A link to one that was renamed or deleted outside leads nowhere.
        """
        ids = {t.before.path: t.before.id for t in self.old.values() if t.before}
        lost = [path_key(target.rpartition("/")[2]) for target in before.dangling]
        there = [ids.get(path, path) for path in before.related]
        gone = [each for each in heard if each not in there]
        made = [self.past.made.get(each, "").rpartition("/")[2] for each in gone]
        return [e for e in heard if e in there] == there and sorted(
            path_key(name) for name in made
        ) == sorted(lost)

    def _create(self, number: int) -> None:
        topic, face = self.topics[number], self.faces[number]
        nodes = inside(self.topics, self.kids, number) or sorted(topic.extras)
        parent = None if topic.parent is None else self.faces[topic.parent]
        anchored = [self.pool.nodes[n].path for n in face.anchors]
        near = [self.faces[n] for n in face.related]
        properties: dict[str, Property] = {
            "id": face.id,
            "type": KIND,
            "summary": face.summary,
            "tags": list(self._tags(nodes)),
            "status": face.status,
        }
        if topic.aliases:
            properties["aliases"] = list(topic.aliases)
        if parent is not None:
            properties["parent_topic"] = self._link(face.path, parent.path)
        if anchored:
            properties["anchors"] = [self._link(face.path, p) for p in anchored]
        if near:
            properties["related_topics"] = [
                self._link(face.path, each.path) for each in near
            ]
        now = self._moment()
        properties |= {
            "first_seen": moment(first_of(nodes, self.ground)),
            "last_updated": now,
            "importance": 0.5,
            "created_at": now,
            "updated_at": now,
        }
        body = "".join(f"{line}\n" for line in rendered(self._lines(number)))
        data = emit(properties, body).encode("utf-8")
        self.out.changes.append(Create(face.path, data))
        self.out.made.append(face.path)
        says = {
            "title": face.path.rpartition("/")[2][:-3],
            "summary": mark(face.summary),
            "words": ", ".join(face.terms),
            "kids": self._kids(number),
            "status": face.status,
            "parent": parent.id if parent else "",
            "anchors": self._marks(anchored),
            "related": " ".join(each.id for each in near),
        }
        self._tell(number, says, {}, Said())
        self.out.after[face.path] = [
            Entry("made", KIND, face.id, id=face.id, path=face.path, at=self._at())
        ]

    def _tags(self, nodes: Sequence[int]) -> Iterable[str]:
        """The tags that at least half of the notes have, and the scope of most."""
        counts: Counter[str] = Counter()
        for node in nodes:
            counts.update({tag.casefold(): 0 for tag in self.pool.nodes[node].tags})
            counts.update({tag.casefold() for tag in self.pool.nodes[node].tags})
        for tag, times in sorted(counts.items()):
            if 2 * times >= len(nodes) and tag.partition("/")[0] in self.namespaces:
                yield tag
        is_global = 2 * counts["scope/global"] > len(nodes)
        yield "scope/global" if is_global else "scope/project"

    def _tell(
        self, number: int, says: dict[str, str], heard: Mapping[str, str], said: Said
    ) -> None:
        """Note what is said, where it is something else than before."""
        latest = said.until("")
        values = {
            name: word
            for name, word in says.items()
            if heard.get(name) != word or latest.get(name, word) != word
        }
        before = self.topics[number].before
        known = said.members(before.written if before else "")
        topic = self.topics[number]
        held = {mark(self.pool.keys[n]) for n in (*topic.members, *topic.extras)}
        # What was said and not written is taken back by being said again.
        last = said.members()
        for name, marks in (
            ("in", (held - last) | (held - known)),
            ("out", (last | known) - held),
        ):
            if marks:
                values[name] = " ".join(sorted(marks))
        if values:
            text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
            face = self.faces[number]
            self.out.before.append(
                Entry("said", KIND, face.id, id=face.id, at=self._at(), said=text)
            )

    def _end(self, number: int, where: int) -> None:
        before = self.old[number].before
        if before is None:
            return
        to = self.faces[where].path if where in self.faces else ""
        self.out.changes.append(Trash(before.path, before.data))
        self.out.ended.append((before.path, to))
        self.out.after[before.path] = [
            Entry("ended", KIND, before.id, id=before.id, path=before.path, to=to,
                  at=self._at())
        ]  # fmt: skip

    def _at(self) -> str:
        return self._moment()

    def _moment(self) -> str:
        return moment(self.now.replace(microsecond=0))


def _by_name(node: NodeRow) -> tuple[str, str]:
    return fold(node.path.rpartition("/")[2]), node.path


def _joined(known: Sequence[str], more: Sequence[str]) -> list[Property] | None:
    """The names with those that are new, None where none is."""
    seen = {fold(name) for name in known}
    fresh = [name for name in more if fold(name) not in seen]
    return [*known, *fresh] if fresh else None


def _encoded(encoding: object, text: str) -> bytes:
    bom = b"\xef\xbb\xbf" if getattr(encoding, "bom", False) else b""
    return bom + text.encode("utf-8")
