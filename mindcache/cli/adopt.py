"""`mindcache adopt`: make plain notes memories under contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command
from mindcache.errors import MindcacheError, Refused

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.write.adopt import Adoption

__all__ = ["adopt"]


@command(
    'mindcache adopt "Reading list.md"',
    "mindcache adopt inbox --project acme/site --write",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--write", is_flag=True, help="Write it; without, only show it.")
@click.option("--project", metavar="P", default="", help="The project they belong to.")
def adopt(call: Call, paths: tuple[str, ...], write: bool, project: str) -> None:
    """Give the notes at PATH what a memory needs: id, type, summary, tags, date.

    Shows the change as a diff and writes it only with --write. Everything else in
    the file stays as it is, byte for byte. A folder stands for the notes in it.
    """
    from mindcache.cli.places import notes_at

    app = call.app
    chosen = notes_at(app.vault, paths)
    ready: list[Adoption] = []
    refused: dict[str, MindcacheError] = {}
    for path in chosen:
        try:
            adoption = _decide(app, path, project.strip())
            if write:
                app.vault.replace(path, adoption.after, adoption.before)
        except Refused as error:
            refused[path] = error
        else:
            ready.append(adoption)
    changed = [each for each in ready if each.changes]
    if write and changed:
        from mindcache.sync import Scope

        app.update(scope=Scope(only=tuple(each.path for each in changed)))
    call.settle()
    if call.json:
        _print_json(ready, refused, written=write)
    else:
        _print(ready, write=write)
        for refusal in refused.values():
            output.remark(f"mindcache: {refusal}")
    if refused:
        raise click.exceptions.Exit(Refused.exit_code)


def _decide(app: App, path: str, project: str) -> Adoption:
    """What adopting one note would write. Raises Refused, with the contract's words."""
    from mindcache import lint, sync
    from mindcache.note import parse
    from mindcache.write.adopt import adopt as adopted
    from mindcache.write.adopt import refusal

    try:
        data, note, memory = app.look(path)
    except OSError as error:
        raise Refused(f"{path} can't be read: {error.strerror}") from error
    if reason := sync.held_reason(note):
        raise Refused(f"{path}: {reason.message}", mend=reason.mend)
    adoption = adopted(data, note, memory, project, app.now())
    after = parse(path, adoption.after)
    namespaces = app.settings.texts("namespaces")
    breaches = lint.check(after, app.meaning_of(after), namespaces)
    if breaches:
        raise refusal(breaches)
    return adoption


def _print(ready: list[Adoption], *, write: bool) -> None:
    changed = [each for each in ready if each.changes]
    for each in ready:
        if each.changes:
            output.say(each.diff().rstrip("\n"))
        else:
            output.say(f"{output.single(each.path)} lacks nothing")
    if not changed:
        return
    notes = output.counted(len(changed), "note")
    output.say(
        f"{notes} written" if write else f"{notes}; nothing written yet, --write does"
    )


def _print_json(
    ready: list[Adoption], refused: dict[str, MindcacheError], *, written: bool
) -> None:
    from mindcache import wire

    notes = [
        {"path": each.path, "changes": dict(each.changes), "diff": each.diff()}
        for each in ready
    ]
    failures = [{"path": path, **wire.error(e)} for path, e in refused.items()]
    output.print_json(
        wire.merged({"written": written, "notes": notes, "refused": failures})
    )
