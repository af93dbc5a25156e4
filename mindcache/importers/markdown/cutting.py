"""A long text cut at its headings. Pure."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence

from mindcache.filenames import safe_stem
from mindcache.links import fold
from mindcache.note import Heading, Note, emit, find_places, parse
from mindcache.note.types import Property

__all__ = ["cut", "parts_of"]

# Words up to which a text is one note: about three chunks of recall, a page.
_SHORT = 600
# Headings of these levels begin a part; deeper ones stay with theirs.
_LEVELS = (1, 2)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
# Properties of the whole that its parts have as well.
_SHARED = ("type", "status", "tags", "tag", "project", "created_at", "created", "date")


def parts_of(path: str, text: str) -> list[tuple[str, str]]:
    """The parts of a text as (name without `.md`, text), the first named as it was.

    A short text, or one without headings to cut at, is its only part. Each part is
    `derived_from` the first and lies `before_after` the next; together their bodies
    are the body. Links to a heading of the text lead to the part that has it.
    """
    note = parse(path, text.encode())
    stem = posixpath.basename(path).removesuffix(".md")
    if len(note.body.split()) <= _SHORT:
        return [(stem, text)]
    starts = _starts(note)
    if not starts:
        return [(stem, text)]
    names = _names(stem, [heading for _, heading in starts])
    ends = [*(at for at, _ in starts[1:]), len(text)]
    bodies = [text[note.body_offset : starts[0][0]]]
    bodies += [text[at:end] for (at, _), end in zip(starts, ends, strict=True)]
    where = _where(note, [stem, *names], starts)
    bodies = [
        _pointed(body, own, stem, where)
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
    return found


def cut(parts: Sequence[tuple[str, str]]) -> list[str]:
    """What tells each part but the first from the others: its heading's words."""
    stem = parts[0][0]
    return [fold(name.removeprefix(f"{stem} - ")) for name, _ in parts[1:]]


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


def _pointed(body: str, own: str, stem: str, where: dict[str, str]) -> str:
    """The part's text, whose links to places in the whole lead to their parts."""
    note = parse(f"{own}.md", body.encode())
    pieces: list[str] = []
    last = 0
    for place in find_places(note):
        link = place.link
        first = fold(link.subpath.partition("#")[0].strip())
        is_ours = not link.target or fold(link.target) == fold(stem)
        goal = where.get(first, "")
        if link.kind not in {"wikilink", "embed"} or not is_ours or not goal:
            continue
        if goal == (own if not link.target else stem):
            continue
        raw = note.text[place.inner : place.inner_end]
        end = place.inner + len(raw.partition("#")[0])
        pieces += (note.text[last : place.inner], goal)
        last = end
    return "".join((*pieces, note.text[last:])) if pieces else body
