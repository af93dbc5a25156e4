"""What an import has to know of the vault: its notes, its ledger, whom it knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from mindcache import lint, sync
from mindcache.errors import MindcacheError, Problem, Refused
from mindcache.importers.mentions import Entity, Known, link_to
from mindcache.importers.own import Said
from mindcache.importers.plan import Past
from mindcache.importers.plan import Vault as Facts
from mindcache.links import target_key
from mindcache.note import Note, parse
from mindcache.recurrence import expand, read_plan
from mindcache.vault import Names

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow, Reader

__all__ = ["Notes", "Vanished", "facts_of", "known_entities", "past_of"]


@dataclass(frozen=True, slots=True)
class Vanished:
    """A note whose thing was in this source once and is not now. Its status stays."""

    path: str
    key: str
    title: str
    source: str


def past_of(app: App, kind: str) -> dict[str, Past]:
    """What was made of this kind, on all machines; the last word of each counts."""
    past: dict[str, Past] = {}
    settled = {
        e.id: e.said
        for e in sorted(app.ledger.entries, key=lambda e: e.at)
        if (e.what, e.kind) == ("settled", "plan")
    }
    entries = [e for e in app.ledger.entries if e.kind == kind]
    for entry in sorted(entries, key=lambda e: e.at):
        if entry.what == "made" or (entry.what == "said" and entry.key in past):
            past[entry.key] = Past(
                entry.id,
                entry.path,
                Said.read(entry.said),
                settled.get(entry.id, ""),
            )
    return past


def known_entities(reader: Reader) -> Known:
    """The vault's entity notes, by name, title and aliases."""
    nodes = reader.nodes(reader.where("n.type = ?", ["entity"]))
    keys = {target_key(_stem(node.path)) for node in nodes}
    names = reader.names(keys)
    entities = []
    for node in nodes:
        if link := link_to(node.path, names):
            called = (_stem(node.path), node.title, *node.aliases)
            entities.append(Entity(link, tuple(dict.fromkeys(called))))
    return Known(entities)


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name[-3:].lower() == ".md" else name


class Notes:
    """The notes that were made from sources of one type, by their keys there.

    As they are when it is made: what an import then writes has no key that it had.
    """

    def __init__(self, app: App, reader: Reader, source_type: str) -> None:
        clause = "json_extract(n.properties, '$.source_type') = ?"
        self._look = _looking(app)
        self._home = app.settings.text("timezone")
        self._by_id = reader.paths_by_id()
        self._by_key = reader.paths_by("source_id", reader.where(clause, [source_type]))
        planned = reader.where(f"{clause} AND n.status = 'planned'", [source_type])
        self._ahead = [(n, reader.properties(n.file_id)) for n in reader.nodes(planned)]

    def find(self, note_id: str, key: str) -> str:
        """The note with this id, else the one that says it is of this key; "" if none."""
        return self._by_id.get(note_id) or self._by_key.get(key, "")

    def vanished(
        self, keys: set[str], whole: set[str], now: datetime
    ) -> list[Vanished]:
        """Those still ahead that came from one of these sources and aren't in it now."""
        found = []
        for node, properties in self._ahead:
            source, key = properties.get("source_path"), properties.get("source_id")
            is_gone = source in whole and key not in keys
            if is_gone and self._lies_ahead(node, properties, now):
                found.append(Vanished(node.path, str(key), node.title, str(source)))
        return found

    def _lies_ahead(
        self, node: NodeRow, properties: Mapping[str, object], now: datetime
    ) -> bool:
        """Whether it still takes place at all."""
        if not properties.get("recurrence"):
            return node.date_end[:10] >= now.date().isoformat()
        try:
            _, note = self._look(node.path)
        except (OSError, MindcacheError):
            return False
        plan, _ = read_plan(note, node.type, node.status, self._home)
        if plan is None:
            return False
        # A series that rests for longer has ended for its reader.
        return bool(expand(plan, now, now + timedelta(days=800)).occurrences)


def _looking(app: App) -> Callable[[str], tuple[bytes, Note]]:
    """Reads a note's bytes and parts; raises OSError, and Refused for a large one."""
    cap = app.settings.number("size_cap")

    def look(path: str) -> tuple[bytes, Note]:
        data, _ = app.vault.read(path, cap)
        if data is None:
            raise Refused(f"{path} is larger than size_cap", mend="split the note")
        return data, parse(path, data)

    return look


def facts_of(app: App, notes: Notes) -> Facts:
    """The questions that a plan asks of the vault, answered by its disk."""
    names = Names(app.vault.root)
    namespaces = app.settings.texts("namespaces")

    look = _looking(app)

    def breaches(path: str, data: bytes) -> list[Problem]:
        note = parse(path, data)
        found = lint.check(note, app.meaning_of(note), namespaces)
        return [each for each in found if each.severity == "error"]

    def is_taken(path: str) -> bool:
        return app.vault.exists(path) or bool(names.twin(path))

    def broken(path: str) -> str:
        if not app.vault.exists(path):
            return ""
        try:
            _, note = look(path)
        except OSError as error:
            return f"can't be read: {error.strerror}"
        except MindcacheError as error:
            return error.message
        fault = sync.held_reason(note)
        if fault is None and note.frontmatter is not None:
            fault = note.frontmatter.error
        return fault.message if fault is not None else ""

    return Facts(notes.find, look, is_taken, broken, breaches)
