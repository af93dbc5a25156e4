"""A note without what only Mindcache reads in it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mindcache.errors import EditRefused, Problem
from mindcache.memory import RELATIONS, STATUSES, TYPES
from mindcache.note import Note, Property, emit, parse
from mindcache.when import time_of_ulid

__all__ = ["without_ours"]

# Our names for what other programs know by another.
_RENAMED = {
    "summary": "description",
    "created_at": "created",
    "updated_at": "updated",
    "time_start": "date",
    "external_ref": "source",
}
# What only Mindcache makes something of.
_DROPPED = frozenset(
    {
        "outcome", "time_end", "all_day", "timezone", "valid_from", "valid_until",
        "recurrence", "sequence", "source_type", "source_id", "source_path",
        "confidence", "importance", "pinned", "project", "first_seen", "last_updated",
    }
)  # fmt: skip
# Ours only where their values are: others use these names for things of their own.
_CLAIMED = {"type": TYPES, "status": STATUSES}
# Edges: their links are kept, in one list.
_EDGES = frozenset(
    {
        *RELATIONS,
        "entities",
        "superseded_by",
        "parent_topic",
        "related_topics",
        "anchors",
    }
)


@dataclass(slots=True)
class _Kept:
    properties: dict[str, Property]
    related: list[Property]


def without_ours(
    path: str, data: bytes, *, keep_plain: bool
) -> tuple[bytes, Problem | None]:
    """The note in UTF-8 without properties, or with those that any reader knows.

    The marks around generated text go, the text stays. Properties that can't be read
    are left as they are, and told of.
    """
    note = parse(path, data)
    if note.frontmatter is not None and note.frontmatter.error is not None:
        message = "its properties can't be read; they were left as they are"
        return data, Problem(path, 1, "properties", message, "mend them in the note")
    body = _unmarked(note)
    if not keep_plain or not note.properties:
        return _bare(note, body), None
    properties = _plain(note.properties)
    try:
        head = emit(properties, "", note.encoding.newline) if properties else ""
    except EditRefused as error:
        message = f"its properties were left as they are: {error.message}"
        return data, Problem(path, 1, "properties", message, "mend them in the note")
    if not head:
        return _bare(note, body), None
    return (head + body).encode("utf-8", "replace"), None


def _bare(note: Note, body: str) -> bytes:
    """The body alone; a rule at its start must not become the fence of properties."""
    if note.body_offset and body.startswith("---"):
        body = note.encoding.newline + body
    return body.encode("utf-8", "replace")


def _plain(properties: Mapping[str, Property]) -> dict[str, Property]:
    kept = _Kept({}, [])
    for key, value in properties.items():
        _take(key, value, properties, kept)
    if kept.related:
        kept.properties["related"] = kept.related
    return kept.properties


def _take(
    key: str, value: Property, properties: Mapping[str, Property], kept: _Kept
) -> None:
    if key in _DROPPED or (key in _CLAIMED and _is_ours(value, _CLAIMED[key])):
        return
    if key == "id" and isinstance(value, str) and time_of_ulid(value) is not None:
        return
    if key in _EDGES:
        links = value if isinstance(value, list) else [value]
        known = kept.related
        known += [each for each in links if each is not None and each not in known]
        return
    name = _RENAMED.get(key, key)
    if name != key and name in properties:
        name = key  # the owner has a property of that name
    kept.properties[name] = value


def _is_ours(value: Property, ours: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value.strip().casefold() in ours


def _unmarked(note: Note) -> str:
    """The body without the lines that say what in it is generated."""
    if not note.generated:
        return note.body
    marks = {line for pair in note.generated for line in pair}
    first = note.text[: note.body_offset].count("\n") + 1
    lines = note.body.splitlines(keepends=True)
    return "".join(
        line for number, line in enumerate(lines, first) if number not in marks
    )
