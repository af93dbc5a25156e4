"""basic-memory's database: entities with observations and relations, as notes.

Knows the schema in its forms so far: the type of an entity is `entity_type` or, later,
`note_type`; the Markdown itself is in `note_content` where there is one, else it is
written anew from observations and relations.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from mindcache.errors import Problem
from mindcache.importers.item import Context, Item, Left, Source
from mindcache.importers.markdown.docs import Doc, taken_in
from mindcache.importers.markdown.properties import Terms
from mindcache.importers.sqlite.opening import (
    columns,
    quoted,
    rows,
    tables,
    whole_table,
)
from mindcache.importers.sqlite.values import as_text, as_time
from mindcache.memory import RELATIONS
from mindcache.note import Property, emit

__all__ = ["is_one", "read"]

_TABLES = frozenset({"entity", "observation", "relation"})
_ENTITY = frozenset({"id", "title", "file_path", "permalink"})
_UNLINKABLE = re.compile(r"[#^|\[\]\r\n]")


def is_one(connection: sqlite3.Connection) -> bool:
    """Whether the file is basic-memory's."""
    has_tables = set(tables(connection)) >= _TABLES
    return has_tables and set(columns(connection, "entity")) >= _ENTITY


def read(
    connection: sqlite3.Connection, source: Source, context: Context, terms: Terms
) -> Iterator[Item | Problem | Left]:
    """Each entity that is a note, with what was observed of it and what it relates to."""
    notes = list(_dicts(connection, "entity", "id"))
    other = [e for e in notes if not _is_markdown(e)]
    observed: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    related: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for each in _dicts(connection, "observation", "id"):
        observed[each["entity_id"]].append(each)
    for each in _dicts(connection, "relation", "id"):
        related[each["from_id"]].append(each)
    texts = {}
    if "note_content" in tables(connection):
        texts = {
            each["entity_id"]: as_text(each["markdown_content"])
            for each in _dicts(connection, "note_content", "entity_id")
        }
    projects = {}
    if "project" in tables(connection):
        projects = {
            e["id"]: as_text(e["name"]) for e in _dicts(connection, "project", "id")
        }
    titles = {e["id"]: as_text(e["title"]) for e in notes}
    docs = []
    for entity in notes:
        if not _is_markdown(entity):
            continue
        project = projects.get(entity.get("project_id"), "")
        # Two projects may have notes at one path.
        below = f"{project}/" if len(projects) > 1 and project else ""
        path = below + as_text(entity["file_path"]).lstrip("/")
        text = texts.get(entity["id"]) or _written(
            entity, observed[entity["id"]], related[entity["id"]], titles
        )
        extra: dict[str, Any] = {"title": as_text(entity["title"])}
        if made := as_time(entity.get("created_at"), context):
            extra["created_at"] = made
        if project:
            extra["project"] = project
        names = (as_text(entity["title"]), as_text(entity["permalink"]))
        docs.append(
            Doc(
                path if path.lower().endswith(".md") else f"{path}.md",
                text,
                f"{source.name}/{path}",
                f"{source.name}:entity:{entity['id']}",
                source.name,
                names=tuple(name for name in names if name),
                extra=extra,
                by_alias=True,
            )
        )
    yield from taken_in(docs, (), lambda _: "", context, terms)
    if other:
        yield Left("entity", "it is a file that is no Markdown", len(other))


def _is_markdown(entity: dict[str, Any]) -> bool:
    return entity.get("content_type") in (None, "", "text/markdown")


def _dicts(
    connection: sqlite3.Connection, table: str, key: str
) -> Iterator[dict[str, Any]]:
    found = rows(connection, whole_table(table, quoted(key)))
    names = next(found)
    for row in found:
        yield {str(name): value for name, value in zip(names, row, strict=True)}


def _written(
    entity: dict[str, Any],
    observed: list[dict[str, Any]],
    related: list[dict[str, Any]],
    titles: dict[Any, str],
) -> str:
    """The note as basic-memory would write it, relations of ours as properties."""
    properties: dict[str, Property] = {}
    kind = as_text(entity.get("note_type") or entity.get("entity_type"))
    if kind:
        properties["type"] = kind
    properties |= _given(entity)
    lines = [f"# {as_text(entity['title'])}", ""]
    for each in observed:
        tags = "".join(f" #{tag}" for tag in _listed(each.get("tags")))
        said = as_text(each["content"])
        tags = "" if tags.strip() and tags.strip() in said else tags
        context = as_text(each.get("context"))
        behind = f" ({context})" if context else ""
        lines.append(f"- [{as_text(each['category']) or 'note'}] {said}{tags}{behind}")
    if related:
        lines += ["", "## Relations", ""] if observed else ["## Relations", ""]
    edges: dict[str, list[Property]] = defaultdict(list)
    for each in related:
        to = titles.get(each.get("to_id")) or as_text(each["to_name"])
        named = as_text(each["relation_type"])
        if not to or _UNLINKABLE.search(to):
            lines.append(f"- {named} {to}")
            continue
        lines.append(f"- {named} [[{to}]]")
        word = re.sub(r"[\s-]+", "_", named.strip().casefold())
        edges[word if word in RELATIONS else "about"].append(f"[[{to}]]")
    for relation, links in edges.items():
        properties[relation] = list(dict.fromkeys(map(str, links)))
    return emit(properties, "\n".join(lines).rstrip() + "\n")


def _given(entity: dict[str, Any]) -> dict[str, Property]:
    """The frontmatter that the database keeps as JSON, what it says itself left out."""
    try:
        found = json.loads(as_text(entity.get("entity_metadata")) or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {k: v for k, v in found.items() if k not in {"title", "type", "permalink"}}


def _listed(value: object) -> list[str]:
    try:
        found = json.loads(as_text(value) or "[]")
    except (ValueError, RecursionError):
        return []
    return [str(each) for each in found] if isinstance(found, list) else []
