"""A foreign note's properties as ours: what is known is mapped, the rest stays. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mindcache import lint, tags
from mindcache.errors import EditRefused, Problem, UsageError
from mindcache.importers.item import Context, Item
from mindcache.importers.prose import unlinked
from mindcache.links import fold
from mindcache.memory import STATUSES, Meaning, Memory, describe, moment
from mindcache.note import Note, Property, emit, parse
from mindcache.plain import plain_text
from mindcache.write.ids import derived_id

if TYPE_CHECKING:
    from mindcache.importers.markdown.docs import Doc

__all__ = ["Terms", "aliases_of", "mapped"]

# Types that a note can be imported as. Topics, journals and proposals belong to the
# vault that made them.
_TYPES = frozenset({"fact", "event", "entity", "summary", "plan"})
_STATUSES = frozenset(STATUSES) - {"hot", "warm", "cool"}

# Where a foreign value of a name of ours goes.
_OTHER_NAMES = {"type": "kind", "status": "state"}
# What every import writes itself, and what lint doesn't check but we read.
_TAKEN = ("type", "id", "source_type", "source_id", "source_path")
# What is read and written in a way of its own.
_ELSEWHERE = frozenset({"tags", "tag", "aliases", "alias", "summary"})
# Inline fields that say of the whole note what a property would.
_INLINE = frozenset(
    {"created", "created_at", "date", "time_start", "summary", "alias", "aliases"}
)
_SPACE = re.compile(r"\s+")
_LINKED = re.compile(r"^\[\[([^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]$")
_BREACH = "contract-"
# Characters up to which a description may be a summary.
_LINE = 300
# Breaches whose property is renamed, one a round; a note has few names of ours.
_MOST_ROUNDS = 16


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms texts are taken in.

    Tags without a namespace of the vault's go under `namespace`; `cut` makes several
    notes of a long text.
    """

    namespace: str = "domain"
    cut: bool = False

    def check(self, namespaces: Sequence[str]) -> None:
        """Raise UsageError for a namespace that tags can't go under."""
        known = {tags.key(name) for name in namespaces} - {"scope"}
        if tags.key(self.namespace) not in known:
            shown = ", ".join(n for n in namespaces if tags.key(n) != "scope")
            raise UsageError(
                f"--namespace {self.namespace}: tags can't go there",
                mend=f"one of: {shown}",
            )


def aliases_of(note: Note) -> tuple[str, ...]:
    """What else the note is called: its aliases, and its id."""
    memory = describe(note, Meaning())
    return (*memory.aliases, *([memory.id] if memory.id else []))


def mapped(
    note: Note, doc: Doc, context: Context, terms: Terms
) -> tuple[Item, list[Problem]]:
    """The note as an item under contract, and what could not be kept by its name."""
    own = _own(note, doc)
    memory = describe(_as_note(note, own), Meaning(context.zone))
    reading = _Reading(note, own, context, terms)
    properties = reading.properties(memory)
    once: dict[str, Property] = {"source_path": doc.source}
    if "created_at" not in properties:
        once["created_at"] = _created(memory, context)
    item = Item(
        key=doc.key,
        type=memory.type if memory.type in _TYPES else "fact",
        title=memory.title,
        when=memory.date.start if memory.date else None,
        properties=properties,
        once=once,
        body=note.body,
        place=doc.place,
    )
    return reading.lawful(item), [
        Problem(doc.place, 0, "import-property", f"{name} is kept as {to}", "", "info")
        for name, to in reading.renamed
    ]


def _own(note: Note, doc: Doc) -> dict[str, Property]:
    """The properties that the note has, in front, by its fields, or from its source."""
    own = dict(note.properties)
    for each in note.fields:
        key = each.key.replace("-", "_")
        value = _SPACE.sub(" ", each.value).strip()
        if key in _INLINE and key not in own and value:
            listed: list[Property] = [v.strip() for v in value.split(",") if v.strip()]
            own[key] = listed if key.startswith("alias") else value
    for key, given in doc.extra.items():
        if own.get(key) in (None, "", []):
            own[key] = list(given) if isinstance(given, list) else given
    stem = note.path.rpartition("/")[2].removesuffix(".md")
    if doc.wanted.rpartition("/")[2].removesuffix(".md") != stem:
        names = own.pop("alias", None) if "aliases" not in own else own["aliases"]
        given_names = names if isinstance(names, list) else [names] if names else []
        own["aliases"] = [*given_names, stem]
    return own


def _as_note(note: Note, own: Mapping[str, Property]) -> Note:
    """The note as if it had these properties."""
    try:
        return parse(note.path, emit(own, note.body).encode())
    except (EditRefused, UnicodeEncodeError):
        return note


def _created(memory: Memory, context: Context) -> Property:
    """When the note was made, as far as it says; else today, to the day."""
    if memory.date is None:
        return context.now.date().isoformat()
    start = memory.date.start
    return moment(start) if memory.date.precise else start.date().isoformat()


class _Reading:
    """One note's properties on their way to ours."""

    def __init__(
        self, note: Note, own: Mapping[str, Property], context: Context, terms: Terms
    ) -> None:
        self.note = note
        self.own = own
        self.context = context
        self.terms = terms
        self.renamed: list[tuple[str, str]] = []

    def properties(self, memory: Memory) -> dict[str, Property]:
        """All of them, under names that don't collide with what they mean here."""
        found: dict[str, Property] = {}
        for key, value in self.own.items():
            if key in _ELSEWHERE or (key == "type" and self._is_type(value)):
                continue
            if key in _TAKEN or (key == "status" and not self._is_status(value)):
                if value not in (None, ""):
                    self._rename(found, key, value)
            else:
                found[key] = value
        found = {"summary": self._summary(memory), **found}
        if not isinstance(self.own.get("summary", ""), str):
            self._rename(found, "summary", self.own["summary"])
        if names := _distinct(memory.aliases):
            found["aliases"] = list(names)
        if marks := list(self._tags()):
            found["tags"] = [*dict.fromkeys(marks)]
        return found

    def _summary(self, memory: Memory) -> str:
        """The note's own, else its description, else its first sentence or its name."""
        if not memory.summary_inferred:
            return memory.summary
        told = self.own.get("description")
        plain = plain_text(told) if isinstance(told, str) and len(told) <= _LINE else ""
        found = _SPACE.sub(" ", plain or memory.summary or memory.title).strip()
        # A link that was shown as code would become one in a property.
        return unlinked(found)

    @staticmethod
    def _is_type(value: Property) -> bool:
        return isinstance(value, str) and value.strip().casefold() in _TYPES

    @staticmethod
    def _is_status(value: Property) -> bool:
        return isinstance(value, str) and value.strip().casefold() in _STATUSES

    def _rename(self, found: dict[str, Property], key: str, value: Property) -> None:
        first = _OTHER_NAMES.get(key, f"own_{key}")
        names = (first, f"own_{key}", *(f"own_{key}_{n}" for n in range(2, 100)))
        name = next(n for n in names if n not in self.own and n not in found)
        found[name] = value
        self.renamed.append((key, name))

    def _tags(self) -> Iterator[str]:
        known = {tags.key(name) for name in self.context.namespaces}
        for given in (self.own.get("tags"), self.own.get("tag")):
            listed = given if isinstance(given, list) else str(given or "").split(",")
            if isinstance(given, str) and "," not in given and "[[" not in given:
                listed = list(given.split())
            for each in listed:
                linked = _LINKED.match(str(each).strip().lstrip("#"))
                tag = tags.normalise(linked[1] if linked else str(each))
                tag = re.sub(r"[^\w/-]+", "-", tag).strip("-/")
                if not tag or each is None:
                    continue
                if tags.namespace(tag) in known:
                    yield tag
                else:
                    yield f"{tags.normalise(self.terms.namespace)}/{tag}"

    def lawful(self, item: Item) -> Item:
        """The item, of whose properties those that the contract refuses are renamed."""
        properties = dict(item.properties)
        for _ in range(_MOST_ROUNDS):
            wrong = self._breach(item, properties)
            if wrong not in properties or wrong in {"tags", "summary"}:
                break
            value = properties.pop(wrong)
            self._rename(properties, wrong, value)
        once = dict(item.once)
        if "created_at" not in properties and "created_at" not in once:
            once["created_at"] = self._created(properties)
        return replace(item, properties=properties, once=once)

    def _created(self, properties: Mapping[str, Property]) -> Property:
        """When the note was made, by what is left of its dates."""
        note = _as_note(self.note, properties)
        return _created(describe(note, Meaning(self.context.zone)), self.context)

    def _breach(self, item: Item, properties: Mapping[str, Property]) -> str:
        """The first property that breaks the contract, "" for none."""
        trial: dict[str, Property] = {
            "id": derived_id(self.context.now, "trial", item.key),
            "type": item.type,
            **item.once,
            **properties,
        }
        trial["tags"] = [*_listed(properties.get("tags")), "scope/project"]
        try:
            note = parse(self.note.path, emit(trial, "").encode())
        except (EditRefused, UnicodeEncodeError):
            return ""
        memory = describe(note, Meaning(self.context.zone))
        for breach in lint.check(note, memory, self.context.namespaces):
            name = breach.code.removeprefix(_BREACH)
            if name in properties:
                return name
        return ""


def _listed(value: Property) -> list[Property]:
    return list(value) if isinstance(value, list) else []


def _distinct(names: Sequence[str]) -> list[str]:
    """Each name once, whatever its letters' case and form; the first spelling counts."""
    return list({fold(name): name for name in reversed(names)}.values())[::-1]
