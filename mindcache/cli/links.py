"""`mindcache links`: where links lead, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.cache.read import LinkRow, Reader

__all__ = ["links"]


@command('mindcache links "Halden Ferries"', "mindcache links --unresolved")
@click.argument("name", default="")
@click.option("--unresolved", is_flag=True, help="Only links that lead nowhere.")
@click.option(
    "--by-alias",
    is_flag=True,
    help="Only links that Mindcache resolves and Obsidian doesn't.",
)
def links(call: Call, name: str, unresolved: bool, by_alias: bool) -> None:
    """Show the links of the note NAME, out and back, with relation and line.

    Without NAME: `--unresolved` or `--by-alias` over the whole vault.
    """
    from mindcache.errors import UsageError
    from mindcache.recall.find import get_note

    if unresolved and by_alias:
        raise UsageError("--unresolved and --by-alias exclude each other")
    if not name.strip() and not (unresolved or by_alias):
        raise UsageError(
            "name a note, or ask for --unresolved or --by-alias",
            mend='for example: mindcache links "Start here"',
        )
    reader = call.app.reader()
    call.settle()
    path = get_note(reader, name).path if name.strip() else ""
    out = _out(reader, path, unresolved=unresolved, by_alias=by_alias)
    only_some = unresolved or by_alias
    back = [] if only_some or not path else reader.links_to(path)
    if call.json:
        from mindcache import wire

        shape = {
            "path": path,
            "links": [wire.link(row) for row in out],
            "backlinks": [wire.link(row) for row in back],
            "stale": call.app.freshness.stale,
            "pending": call.app.freshness.pending,
        }
        output.print_json(wire.merged(shape))
        return
    output.warn_when_stale(call.app.freshness)
    if only_some:
        for row in out:
            output.say(f"{output.path_text(row.source)}:{row.line} → {_target(row)}")
        output.say(f"{output.counted(len(out), 'link')}.")
        return
    _print_both(out, back)


def _out(
    reader: Reader, path: str, *, unresolved: bool, by_alias: bool
) -> Sequence[LinkRow]:
    if unresolved:
        rows = reader.unresolved()
    elif by_alias:
        rows = reader.links_by_alias()
    else:
        return reader.links_from(path)
    return [row for row in rows if not path or row.source == path]


def _target(row: LinkRow) -> str:
    subpath = f"#{row.subpath}" if row.subpath else ""
    written = output.single(row.target + subpath)
    if not row.resolved:
        return f"{written} (nowhere)"
    there = output.path_text(row.resolved) + output.single(subpath)
    if row.resolved_by == "path":
        return there
    return f"{there} (by the {row.resolved_by} {written})"


def _print_both(out: Sequence[LinkRow], back: Sequence[LinkRow]) -> None:
    output.say(f"{output.counted(len(out), 'link')} out")
    rows = [
        (f"line {r.line}", output.single(r.relation), f"→ {_target(r)}") for r in out
    ]
    for line in output.table(rows):
        output.say(f"  {line}")
    output.say(f"{output.counted(len(back), 'link')} back")
    rows = [
        (f"{output.path_text(r.source)}:{r.line}", output.single(r.relation), "")
        for r in back
    ]
    for line in output.table(rows):
        output.say(f"  ← {line}")
