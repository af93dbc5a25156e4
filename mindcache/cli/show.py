"""`mindcache show`: one note, whole, or a part of one with what it points to."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.cache.read import ChunkRow, NodeRow, Reader
    from mindcache.note import Note
    from mindcache.recall.belief import Belief

__all__ = ["show"]

# Properties that the first lines of the answer tell already.
_TOLD = frozenset(
    {"id", "type", "status", "title", "summary", "tags", "tag", "aliases", "alias"}
)


@command(
    'mindcache show "Halden pricing"',
    "mindcache show memory/Pricing.md --raw",
    "mindcache show j-6kd3f2a9xw",
)
@click.argument("name")
@click.option("--raw", is_flag=True, help="The file's bytes, exactly.")
def show(call: Call, name: str, raw: bool) -> None:
    """Show the note that goes by NAME: an id, a path, a file name or an alias.

    The id of a journal entry, or a note's name with #^ and a block's id, shows that
    alone, with what it links to.
    """
    from mindcache.recall.belief import belief_of
    from mindcache.recall.find import find_block, get_note
    from mindcache.recall.standing import standing_of

    reader = call.app.reader()
    call.settle()
    if part := find_block(reader, name):
        call.app.used([part[0]], "show")
        _show_block(call, reader, *part, raw=raw)
        return
    node = get_note(reader, name)
    data, note, _ = call.app.look(node.path)
    call.app.used([node], "show")
    if raw:
        sys.stdout.buffer.write(data)
        return
    if call.json:
        _print_json(call, reader, node, note)
        return
    output.warn_when_stale(call.app.freshness)
    stands = standing_of(reader, node, call.app.now())
    belief = belief_of(reader, node, call.app.now())
    _print_head(node, note.properties, output.mark(stands.words), belief)
    if text := note.body.strip("\r\n"):
        output.say()
        output.say(text)
    _print_links(reader, node)


def _show_block(
    call: Call, reader: Reader, node: NodeRow, chunk: ChunkRow, *, raw: bool
) -> None:
    from mindcache import journal
    from mindcache.recall.standing import standing_of

    if raw:
        data, _, _ = call.app.look(node.path)
        lines = data.splitlines(keepends=True)
        sys.stdout.buffer.write(b"".join(lines[chunk.line_start - 1 : chunk.line_end]))
        return
    entry = journal.parse(chunk.text, chunk.anchor[1:]) if chunk.at else None
    text = entry.text if entry else chunk.text
    project = entry.project if entry else ""
    links = [
        (row, reader.find_node(row.resolved) if row.resolved else None)
        for row in reader.links_from(node.path)
        if chunk.line_start <= row.line <= chunk.line_end
    ]
    if call.json:
        from mindcache import wire

        shape = {
            **wire.standing(standing_of(reader, node, call.app.now())),
            "links": [
                {
                    **wire.link(row),
                    "title": found.title if found else "",
                    "summary": found.summary if found else "",
                }
                for row, found in links
            ],
            "stale": call.app.freshness.stale,
            "pending": call.app.freshness.pending,
        }
        output.print_json(wire.merged(wire.block(node, chunk, text, project), shape))
        return
    output.warn_when_stale(call.app.freshness)
    stands = standing_of(reader, node, call.app.now())
    mark = output.mark(stands.words)
    _print_block(node, chunk, text, project or node.project, mark)
    if links:
        output.say()
    for row, found in {
        row.resolved or row.target: (row, found) for row, found in links
    }.values():
        if found is None:
            where = output.path_text(row.resolved) if row.resolved else "nowhere"
            output.say(f"  {where}", strong=output.single(row.target))
            continue
        output.say(
            f"  {output.path_text(found.path)}", strong=output.single(found.title)
        )
        if found.summary:
            output.say(f"    {output.single(found.summary)}")


def _print_block(
    node: NodeRow, chunk: ChunkRow, text: str, project: str, mark: str
) -> None:
    output.say(mark, strong=output.single(chunk.anchor[1:]))
    rows = [
        ("path", f"{output.path_text(node.path)}:{chunk.line_start}"),
        ("type", node.type),
        ("date", chunk.at[:16] or node.date),
        ("project", output.single(project)),
    ]
    for line in output.table([row for row in rows if row[1]]):
        output.say("  " + line)
    output.say()
    output.say(text)


def _print_json(call: Call, reader: Reader, node: NodeRow, note: Note) -> None:
    from mindcache import wire
    from mindcache.recall.belief import belief_of
    from mindcache.recall.standing import standing_of

    text = {
        **wire.standing(standing_of(reader, node, call.app.now())),
        "belief": wire.belief(belief_of(reader, node, call.app.now())),
        "properties": dict(note.properties),
        "text": note.body,
        "text_line": note.text.count("\n", 0, note.body_offset) + 1,
        "links": [wire.link(row) for row in reader.links_from(node.path)],
        "backlinks": [wire.link(row) for row in reader.links_to(node.path)],
        "problems": wire.problems(note.problems),
        "stale": call.app.freshness.stale,
        "pending": call.app.freshness.pending,
    }
    output.print_json(wire.merged(wire.node(node), text))


def _print_head(
    node: NodeRow, properties: Mapping[str, object], mark: str, belief: Belief | None
) -> None:
    output.say(mark, strong=output.single(node.title))
    kind = f"{node.type}{' (inferred)' if node.type_inferred else ''}, {node.status}"
    rows = [
        ("path", output.path_text(node.path)),
        ("id", node.id),
        ("type", kind),
        ("date", node.date),
        ("tags", ", ".join(node.tags)),
        ("aliases", ", ".join(node.aliases)),
        ("summary", node.summary),
    ]
    if belief is not None and belief.value != belief.base:
        rows.append(("believed", _told(belief)))
    rows += [
        (key, _shown(value)) for key, value in properties.items() if key not in _TOLD
    ]
    clear = [
        (output.single(key), text if key == "path" else output.single(text))
        for key, text in rows
        if text
    ]
    for line in output.table(clear):
        output.say("  " + line)


def _told(belief: Belief) -> str:
    why = [output.counted(belief.sources, "source")] if belief.sources else []
    if belief.contradicted_by:
        why.append(f"contradicted by {', '.join(belief.contradicted_by)}")
    return f"{belief.value:g} ({', '.join(why)})"


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_shown(each) for each in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _print_links(reader: Reader, node: NodeRow) -> None:
    out, back = reader.links_from(node.path), reader.links_to(node.path)
    nowhere = sum(1 for row in out if not row.resolved)
    if not (out or back):
        return
    broken = f" ({nowhere:,} nowhere)" if nowhere else ""
    output.say()
    output.say(
        f"{output.counted(len(out), 'link')} out{broken}, {len(back):,} back;"
        " mindcache links shows them"
    )
