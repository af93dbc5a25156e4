"""The tool that opens one note, and the notes as resources."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from mindcache import wire
from mindcache.fence import NOTICE
from mindcache.mcp.answer import Answer, Wash, fitted
from mindcache.mcp.arguments import Given
from mindcache.mcp.standing import sources, stale_line, state
from mindcache.mcp.tools import AROUND, BUDGET
from mindcache.text.tokens import estimate

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import ChunkRow, LinkRow, NodeRow, Reader
    from mindcache.recall.standing import Standing

__all__ = ["get", "text_of"]

# Links of a note that its answer lists each way; `neighbours` lists all.
_LINKS = 12
# Names of a note's properties that its first lines tell already.
_TOLD = frozenset(
    {"id", "type", "status", "title", "summary", "tags", "tag", "aliases"}
)


def get(app: App, given: Given, wash: Wash) -> Answer:
    """One note, or a part of one, from a line on. Raises NoteNotFound."""
    from mindcache.recall.find import find_block, get_note

    reader = app.reader()
    name = given.text("name")
    budget = given.whole("budget", BUDGET)
    if part := find_block(reader, name):
        return _block(app, reader, *part, wash=wash, budget=budget)
    node = get_note(reader, name)
    _, note, _ = app.look(node.path)
    first = note.text.count("\n", 0, note.body_offset) + 1
    # A secret of many lines has to go before the text is cut.
    body = wash.lines(note.body.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n"))
    begin = max(0, given.whole("line", first) - first)
    out, back = reader.links_from(node.path), reader.links_to(node.path)
    head = _head(reader, node, note.properties, app) if not begin else []
    links = [*_link_lines("→", out), *_link_lines("←", back, is_back=True)]
    kept, left = fitted(body[begin:], max(60, budget - AROUND - _cost(head, links)))
    source = str(note.properties.get("source_type") or "")
    fence = wash.fence("\n".join((*head, *kept)), node.path, source)
    lines = [NOTICE, fence, *map(wash.line, links), *stale_line(app)]
    after = first + begin + len(kept)
    if left:
        lines.append(f"{left:,} lines more; get with line {after} goes on.")
    if kept and kept[-1] != body[begin + len(kept) - 1]:
        lines.append(f"Line {after - 1} is cut; a larger budget shows more of it.")
    if begin >= len(body):
        lines.append(f"The note ends before line {first + begin}.")
    data = {
        **wire.merged(wire.node(node)),
        **wire.standing(_standing(app, reader, node)),
        "properties": dict(note.properties),
        "text_line": first + begin,
        "next_line": after if left else None,
        "links": [_brief(row) for row in out[:_LINKS]],
        "backlinks": [_brief(row) for row in back[:_LINKS]],
        "problems": wire.problems(note.problems),
    }
    whole = cast("dict[str, object]", wash.data(data)) | {
        "text": wash.fence("\n".join(kept), node.path, source)
    }
    whole |= {**state(app, wash), "problems": whole["problems"]}
    return Answer("\n".join((*lines, *wash.told())), whole, (node,))


def _cost(*lines: Iterable[str]) -> int:
    return sum(estimate(line) for each in lines for line in each)


def _standing(app: App, reader: Reader, node: NodeRow) -> Standing:
    from mindcache.recall.standing import standing_of

    return standing_of(reader, node, app.now())


def _head(
    reader: Reader, node: NodeRow, properties: Mapping[str, object], app: App
) -> list[str]:
    """The note's name and what its properties say, a line each."""
    stands = _standing(app, reader, node)
    mark = f" ({stands.words})" if stands.words else ""
    rows = [
        ("id", node.id),
        ("type", f"{node.type}, {node.status}"),
        ("date", node.date),
        ("tags", ", ".join(node.tags)),
        ("aliases", ", ".join(node.aliases)),
        ("summary", node.summary),
    ]
    rows += [(k, _value(v)) for k, v in properties.items() if k not in _TOLD]
    lines = [f"{key}: {' '.join(text.split())}" for key, text in rows if text]
    kept, left = fitted(lines, 400)
    more = [f"… {left} more properties"] if left else []
    return [f"# {' '.join(node.title.split())}{mark}", *kept, *more, ""]


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _link_lines(
    arrow: str, rows: Sequence[LinkRow], *, is_back: bool = False
) -> list[str]:
    """The links one way, each note once."""
    ends: dict[str, str] = {}
    for row in rows:
        other = row.source if is_back else row.resolved or f"{row.target} (nowhere)"
        ends.setdefault(other, row.relation)
    shown = [f"{arrow} {relation} {other}" for other, relation in ends.items()]
    more = [f"{arrow} {len(shown) - _LINKS} more"] if len(shown) > _LINKS else []
    return shown[:_LINKS] + more


def _brief(row: LinkRow) -> dict[str, object]:
    shape = wire.link(row)
    return {key: shape[key] for key in ("source", "target", "relation", "resolved")}


def _block(
    app: App, reader: Reader, node: NodeRow, chunk: ChunkRow, *, wash: Wash, budget: int
) -> Answer:
    from mindcache import journal

    entry = journal.parse(chunk.text, chunk.anchor[1:]) if chunk.at else None
    project = (entry.project if entry else "") or node.project
    text = entry.text if entry else chunk.text
    kept, left = fitted(text.split("\n"), max(60, budget - AROUND))
    source = sources(reader, [node.path]).get(node.path, "")
    when = chunk.at[:16] or node.date
    place = f"{node.path}#{chunk.anchor}"
    head = " · ".join(part for part in (node.title, when, project) if part)
    links = [
        row
        for row in reader.links_from(node.path)
        if chunk.line_start <= row.line <= chunk.line_end
    ]
    fence = wash.fence("\n".join((f"[{head}]", *kept)), place, source)
    lines = [NOTICE, fence, *map(wash.line, _link_lines("→", links))]
    if left:
        lines.append(f"{left:,} lines more; a larger budget shows them.")
    shape = wire.merged(wire.block(node, chunk, "", project))
    data = cast("dict[str, object]", wash.data(shape)) | {
        "text": wash.fence("\n".join(kept), place, source),
        "links": [_brief(row) for row in links[:_LINKS]],
        **state(app, wash),
    }
    return Answer("\n".join((*lines, *stale_line(app), *wash.told())), data, (node,))


def text_of(app: App, name: str, wash: Wash) -> str:
    """A note's text, whole and fenced, for a resource. Raises NoteNotFound."""
    from mindcache.recall.find import get_note

    node = get_note(app.reader(), name)
    _, note, _ = app.look(node.path)
    source = str(note.properties.get("source_type") or "")
    return wash.fence(note.text, node.path, source)
