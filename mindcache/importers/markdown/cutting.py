"""A long text cut at its headings. Pure."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from mindcache.filenames import safe_stem
from mindcache.links import fold
from mindcache.note import Heading, Link, Note, Property, emit, find_places, parse

__all__ = ["Cut", "cut", "part_of", "pointed"]

# Words up to which a text is one note: about three chunks of recall, a page.
_SHORT = 600
# Headings of these levels begin a part; deeper ones stay with theirs.
_LEVELS = (1, 2)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
# Properties of the whole that its parts have as well.
_SHARED = ("type", "status", "tags", "tag", "project", "created_at", "created", "date")


@dataclass(frozen=True, slots=True)
class Cut:
    """The parts of a text as (name without `.md`, text), the first named as it was.

    `where` gives the name of the part that has a heading or a block ("^id"), folded.
    """

    parts: tuple[tuple[str, str], ...]
    where: Mapping[str, str] = field(default_factory=dict)


def cut(path: str, text: str) -> Cut:
    """The text in parts; a short one, or one without headings to cut at, is its only one.

    Each part is `derived_from` the first and lies `before_after` the next; together
    their bodies are the body, but for links to its headings, which lead to the part.
    """
    note = parse(path, text.encode())
    stem = posixpath.basename(path).removesuffix(".md")
    if len(note.body.split()) <= _SHORT:
        return Cut(((stem, text),))
    starts = _starts(note)
    if not starts:
        return Cut(((stem, text),))
    names = _names(stem, [heading for _, heading in starts])
    ends = [*(at for at, _ in starts[1:]), len(text)]
    bodies = [text[note.body_offset : starts[0][0]]]
    bodies += [text[at:end] for (at, _), end in zip(starts, ends, strict=True)]
    where = _where(note, [stem, *names], starts)
    bodies = [
        pointed(body, f"{own}.md", partial(_goal, own, stem, where))
        for body, own in zip(bodies, [stem, *names], strict=True)
    ]
    found = [(stem, text[: note.body_offset] + bodies[0])]
    shared = {k: note.properties[k] for k in _SHARED if k in note.properties}
    for number, (name, body) in enumerate(zip(names, bodies[1:], strict=True)):
        properties: dict[str, Property] = dict(shared)
        properties["derived_from"] = [f"[[{stem}]]"]
        if number + 1 < len(names):
            properties["before_after"] = [f"[[{names[number + 1]}]]"]
        found.append((name, emit(properties, "") + body))
    return Cut(tuple(found), where)


def _goal(own: str, stem: str, where: Mapping[str, str], link: Link) -> str:
    """Where a part's link to a place in the whole must lead, "" when it does."""
    if link.target and fold(link.target) != fold(stem):
        return ""
    goal = part_of(link, where)
    return "" if goal == (stem if link.target else own) else goal


def _starts(note: Note) -> list[tuple[int, Heading]]:
    """Where parts begin. What stands before the first makes a part of its own words."""
    lines = [0, *(match.end() for match in _LINE.finditer(note.text))]
    found = [
        (lines[heading.line - 1], heading)
        for heading in note.headings
        if heading.level in _LEVELS and lines[heading.line - 1] >= note.body_offset
    ]
    # The title of the whole, with nothing before it, begins no part of its own.
    if found and not note.text[note.body_offset : found[0][0]].strip():
        found = found[1:]
    return found


def _names(stem: str, headings: Sequence[Heading]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for heading in headings:
        name = f"{stem} - {safe_stem(heading.text) or 'part'}"
        seen[fold(name)] += 1
        count = seen[fold(name)]
        names.append(f"{name} {count}" if count > 1 else name)
    return names


def _where(
    note: Note, names: Sequence[str], starts: Sequence[tuple[int, Heading]]
) -> dict[str, str]:
    """The part that has a heading or a block, by what a link says behind its "#"."""
    found: dict[str, str] = {}
    lines = [heading.line for _, heading in starts]

    def part(line: int) -> str:
        return names[sum(1 for start in lines if start <= line)]

    for heading in note.headings:
        found.setdefault(fold(heading.text.strip()), part(heading.line))
    for block in note.blocks:
        found.setdefault(fold(f"^{block.id}"), part(block.line))
    return found


def pointed(text: str, path: str, goal_of: Callable[[Link], str]) -> str:
    """The text with other targets for those of its wikilinks that `goal_of` gives any."""
    note = parse(path, text.encode())
    pieces: list[str] = []
    last = 0
    for place in find_places(note):
        is_wiki = place.link.kind in {"wikilink", "embed"} and place.link.subpath
        goal = goal_of(place.link) if is_wiki else ""
        if goal:
            raw = note.text[place.inner : place.inner_end]
            pieces += (note.text[last : place.inner], goal)
            last = place.inner + len(raw.partition("#")[0])
    return "".join((*pieces, note.text[last:])) if pieces else text


def part_of(link: Link, where: Mapping[str, str]) -> str:
    """The part that has what a link's subpath names first, "" for none."""
    return where.get(fold(link.subpath.partition("#")[0].strip()), "")
