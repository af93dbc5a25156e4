"""What the cache holds for a place: whatever a start of a session there may show.

Owns what may speak unasked: notes that hold, of this project or of none, of no client
that the project did not declare, and never what was imported. Reads the cache; whether
a file is still there is asked of the disk for the few that are shown.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from mindcache import journal, tags
from mindcache.cache.read import NodeRow, Reader
from mindcache.lazy import regex
from mindcache.recall.standing import standings
from mindcache.session.place import Place

__all__ = ["Item", "Left", "Picture", "may_speak", "select", "speaking"]

Section = Literal["convention", "global", "note", "plan"]

# More than a start has room for.
_MOST = 40
_TOPICS, _NAMED, _OTHERS = 24, 6, 4
# Plans are told a week ahead, and for a fortnight after they should have been settled;
# then they are counted, as long as the digest asks for them.
_AHEAD, _BACK, _COUNTED = timedelta(days=7), timedelta(days=14), timedelta(days=60)
# A box of a proposal that nobody ticked or refused, by its id. What it proposes is not
# told: a person decides on it in its note.
_UNDECIDED = regex(
    r"^[ \t>]*[-*+][ \t]+\[ \][^\n]*\^(p-[0-9a-z]{10})(?:-[ab])?[ \t\r]*$", re.MULTILINE
)
# Notes of proposals that are read for that; more would cost a start more than a count.
_PAGES = 8
# Longer texts are read in the note.
_TEXT = 4_000
_LINE = 240

_EPISODES = ("event", "journal", "topic")
_AMONG = "f.id IN (SELECT value FROM json_each(?))"
# What was taken in from elsewhere says so; most notes hold no such word at all.
_WRITTEN_HERE = (
    "instr(n.properties, '\"source_') = 0"
    " OR (coalesce(json_extract(n.properties, '$.source_type'), '') = ''"
    " AND coalesce(json_extract(n.properties, '$.source_path'), '') = '')"
)
_KNOWLEDGE = "n.type NOT IN ('event', 'journal', 'topic', 'proposal', 'plan')"


class Item(NamedTuple):
    """A note that may be shown: by its line alone, or with its text."""

    section: Section
    path: str
    line: str
    text: str = ""


class Left:
    """How many notes were not for this place, and why; `more` had others before them."""

    __slots__ = ("foreign", "gone", "imported", "more")

    def __init__(
        self, more: int = 0, foreign: int = 0, imported: int = 0, gone: int = 0
    ) -> None:
        self.more = more
        self.foreign = foreign
        self.imported = imported
        self.gone = gone


class Picture(NamedTuple):
    """All that may be said at a place; empty texts where there is nothing to say.

    `items` in the order of their worth within a section; `changed` are the paths that
    are not on disk as they were indexed. `proposals` wait for a person, and so do the
    plans that are over and `unsettled`.
    """

    notes: int
    events: int
    items: tuple[Item, ...]
    topics: tuple[str, ...] = ()
    last: str = ""
    elsewhere: str = ""
    left: Left = Left()
    changed: frozenset[str] = frozenset()
    proposals: int = 0
    unsettled: int = 0


def select(reader: Reader, root: str, place: Place, now: datetime) -> Picture:
    """What may be said at this place; `root` is the vault's folder, `now` civil."""
    left = Left()
    chosen = _chosen(reader, place, now, left)
    plans, unsettled = _plans(reader, place, now, left)
    found = [*chosen, *plans]
    there, changed = _on_disk(reader, root, [item.path for item in found])
    left.gone = sum(item.path not in there for item in found)
    types = reader.types()
    return Picture(
        notes=sum(n for kind, n in types.items() if kind not in _EPISODES),
        events=types.get("event", 0),
        items=tuple(item for item in found if item.path in there),
        topics=tuple(_topics(reader, place)),
        last=_last(reader, place),
        elsewhere=_elsewhere(reader, place, now),
        left=left,
        changed=changed,
        proposals=_proposals(reader, root),
        unsettled=unsettled,
    )


# -- notes ------------------------------------------------------------------------


def _chosen(reader: Reader, place: Place, now: datetime, left: Left) -> list[Item]:
    everywhere = {file_id for file_id, _ in reader.tagged("scope/global")}
    declared = {
        tag: {file_id for file_id, _ in reader.tagged(tag)} for tag in place.tags
    }
    own = reader.where("n.project = ?", [place.project]) if place.project else set()
    wanted = everywhere.union(own, *declared.values())
    judged = reader.answers(wanted, _KNOWLEDGE, _WRITTEN_HERE, "n.project = ''")
    known = {file_id for file_id, (is_known, *_) in judged.items() if is_known}
    trusted = {file_id for file_id in known if judged[file_id][1]}
    left.imported += len(known - trusted)
    near = {each for each in trusted if judged[each][2]} | trusted & (everywhere | own)
    left.foreign += len(trusted - near)
    conventions = {
        each
        for tag, ids in declared.items()
        if tags.namespace(tag) == "convention"
        for each in ids & near
    }
    groups: tuple[tuple[Section, set[int]], ...] = (
        ("convention", conventions),
        ("global", near & everywhere - conventions),
        ("note", near - everywhere - conventions),
    )
    found: list[Item] = []
    for section, ids in groups:
        order = reader.foremost(ids, _MOST)
        left.more += len(ids) - len(order)
        nodes = {node.file_id: node for node in reader.nodes(order)}
        stands = standings(reader, nodes.values(), now)
        for file_id in order:
            node = nodes[file_id]
            if not stands[file_id].holds:
                continue
            if not may_speak(node, place):
                left.foreign += 1
                continue
            text = _text(reader, file_id) if section == "convention" else ""
            line = _line(node)
            if stands[file_id].contradicted_by:
                line += _CONTRADICTED
            found.append(Item(section, node.path, line, text))
    return found


def _trusted(reader: Reader, file_ids: Iterable[int]) -> set[int]:
    """Of these notes, those that were written here and not taken in from elsewhere."""
    judged = reader.answers(file_ids, _WRITTEN_HERE)
    return {file_id for file_id, (is_ours,) in judged.items() if is_ours}


# Which one is not said: it may be another project's.
_CONTRADICTED = " (contradicted by another note; recall shows it)"


def may_speak(node: NodeRow, place: Place) -> bool:
    """Whether a note may be said at a place without being asked for.

    What holds everywhere may; what is another project's may not, nor what is about a
    client that the project did not declare and is not in the project itself.
    """
    keys = [tags.key(tag) for tag in node.tags]
    if "scope/global" in keys:
        return True
    if node.project:
        return node.project == place.project
    clients = [key for key in keys if tags.namespace(key) == "client"]
    return all(any(tags.matches(t, key) for t in place.tags) for key in clients)


def speaking(reader: Reader, paths: Iterable[str], place: Place) -> set[str]:
    """Of the notes at these paths, those that may speak at a place unasked."""
    trusted = _trusted(reader, reader.file_ids(paths).values())
    return {node.path for node in reader.nodes(trusted) if may_speak(node, place)}


def _line(node: NodeRow) -> str:
    return " ".join((node.summary or node.title).split())[:_LINE]


def _text(reader: Reader, file_id: int) -> str:
    parts: list[str] = []
    size = 0
    for chunk in reader.chunks_of(file_id):
        size += len(chunk.text)
        if size > _TEXT:
            break
        parts.append(chunk.text.strip())
    return "\n".join(filter(None, parts))


def _on_disk(
    reader: Reader, root: str, paths: Sequence[str]
) -> tuple[set[str], frozenset[str]]:
    """(those of these notes that are there, those that changed since they were read)."""
    there: set[str] = set()
    changed: set[str] = set()
    seen = reader.seen(paths)
    for path in paths:
        try:
            status = os.stat(os.path.join(root, path))
        except OSError:
            continue
        there.add(path)
        known = seen.get(path)
        # A time of 0 was too near the write to tell anything.
        times = (0, status.st_mtime_ns)
        if known is None or known.size != status.st_size or known.mtime_ns not in times:
            changed.add(path)
    return there, frozenset(changed)


# -- plans, topics, the journal -----------------------------------------------------


def _proposals(reader: Reader, root: str) -> int:
    """How many changes wait for a person's word, in the last notes that hold any."""
    pages = reader.nodes(
        reader.where("n.type = 'proposal' AND n.status != 'archived'", [])
    )
    waiting: set[str] = set()
    for path in sorted((page.path for page in pages), reverse=True)[:_PAGES]:
        try:
            with open(
                os.path.join(root, path), encoding="utf-8", errors="replace"
            ) as f:
                waiting.update(_UNDECIDED.findall(f.read()))
        except OSError:
            continue
    return len(waiting)


def _plans(
    reader: Reader, place: Place, now: datetime, left: Left
) -> tuple[list[Item], int]:
    """The plans to tell, and how many are over of which nobody said what became."""
    low, high = (now - _COUNTED).isoformat(), (now + _AHEAD).isoformat()
    told_from = (now - _BACK).isoformat()
    rows = [
        row for row in reader.occurrences(low, high)
        if row.status == "planned" and low <= row.begins
    ]  # fmt: skip
    ids = {row.file_id for row in rows}
    if not ids:
        return [], 0
    clause = f"{_AMONG} AND n.type = 'plan'"
    plans = reader.where(clause, [json.dumps(sorted(ids))])
    trusted = _trusted(reader, plans)
    near = {row.file_id for row in rows if row.begins >= told_from} & plans
    left.imported += len(near - trusted)
    nodes = {node.file_id: node for node in reader.nodes(plans)}
    stands = standings(reader, nodes.values(), now)
    found: list[tuple[bool, str, Item]] = []
    foreign: set[int] = set()
    unsettled: set[int] = set()
    for row in rows:
        node = nodes.get(row.file_id)
        if node is None or not stands[row.file_id].holds:
            continue
        is_near, is_over = row.begins >= told_from, row.ends <= now.isoformat()
        if not may_speak(node, place):
            if is_near and row.file_id in trusted:
                foreign.add(row.file_id)
            continue
        if is_over:  # of a series, all that is open is one thing to ask
            unsettled.add(row.file_id)
        if not is_near or row.file_id not in trusted:
            continue
        when = row.begins[:10] if row.all_day else row.begins[:16].replace("T", " ")
        word = f"{when} (over, not settled)" if is_over else when
        line = f"{word}: {_line(node)}"
        found.append((is_over, row.begins, Item("plan", node.path, line)))
    left.foreign += len(foreign)
    found.sort(key=lambda each: (each[0], each[1], each[2].path))
    return [item for _, _, item in found[:_MOST]], len(unsettled)


def _topics(reader: Reader, place: Place) -> list[str]:
    """The hottest topics in which there is a note that may speak here."""
    hot = reader.where("n.type = 'topic' AND n.status = 'hot'", [])
    order = reader.foremost(hot, _TOPICS)
    topics = {node.file_id: node for node in reader.nodes(order)}
    members: dict[str, list[str]] = {}
    for source, target, _, origin, _ in reader.edges_of(
        node.path for node in topics.values()
    ):
        if origin == "topic":
            members.setdefault(source, []).append(target)
            members.setdefault(target, []).append(source)
    ids = reader.file_ids(
        path for node in topics.values() for path in members.get(node.path, [])[:_MOST]
    )
    trusted = _trusted(reader, ids.values())
    heard = {node.path for node in reader.nodes(trusted) if may_speak(node, place)}
    named = [
        topics[file_id].title
        for file_id in order
        if not heard.isdisjoint(members.get(topics[file_id].path, ()))
    ]
    return named[:_NAMED]


def _last(reader: Reader, place: Place) -> str:
    """The latest entry of the journal about the project, as a pointer to it."""
    entry = reader.last_entry(place.project) if place.project else None
    if entry is None:
        return ""
    chunk = reader.chunks([entry.chunk_id])[entry.chunk_id]
    found = journal.parse(chunk.text, entry.block)
    text = found.text if found else chunk.text
    first = " ".join(text.split("\n")[0].split())[:_LINE]
    when = entry.at[:16].replace("T", " ")
    return f"{when}: {first} (mindcache show {entry.block})"


def _elsewhere(reader: Reader, place: Place, now: datetime) -> str:
    """The other projects that something was written about, today and yesterday."""
    yesterday = (now - timedelta(days=1)).date().isoformat()
    others = [
        (project, count)
        for project, count in reader.projects_since(yesterday)
        if project and project != place.project
    ]
    return _joined(others)


def _joined(others: Collection[tuple[str, int]]) -> str:
    shown = list(others)[:_OTHERS]
    words = [f"{' '.join(project.split())[:60]} ({count})" for project, count in shown]
    if len(others) > len(shown):
        words.append(f"{len(others) - len(shown)} more")
    return ", ".join(words)
