"""`mindcache adopt`: make plain notes memories under contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command
from mindcache.errors import MindcacheError, Refused

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.write.adopt import Terms
    from mindcache.write.rewrite import Rewrite

__all__ = ["adopt"]


@command(
    'mindcache adopt "Reading list.md"',
    "mindcache adopt inbox --project acme/site --write",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--write", is_flag=True, help="Write it; without, only show it.")
@click.option("--project", metavar="P", default="", help="The project they belong to.")
@click.option(
    "--namespace", metavar="N", default="", help="Where tags without one go: domain."
)
@click.option(
    "--keep-type-as", metavar="KEY", default="", help="Where a type of your own goes."
)
@click.option(
    "--keep-status-as", metavar="KEY", default="", help="The same for a status."
)
@click.option(
    "--title-as-summary", is_flag=True, help="For notes without a sentence to take."
)
def adopt(call: Call, paths: tuple[str, ...], write: bool, **given: Any) -> None:  # noqa: ANN401  click's own
    """Give the notes at PATH what a memory needs: id, type, summary, tags, date.

    Shows the change as a diff and writes it only with --write. Everything else in
    the file stays as it is, byte for byte. A folder stands for the notes in it.
    """
    from mindcache.cli.places import notes_at
    from mindcache.write.adopt import Terms

    app = call.app
    chosen = notes_at(app.vault, paths)
    terms = Terms(
        app.settings.texts("namespaces"),
        given["namespace"].strip().rstrip("/"),
        given["keep_type_as"].strip(),
        given["keep_status_as"].strip(),
        given["project"].strip(),
        title_as_summary=given["title_as_summary"],
    )
    ready, failed = _decided(app, chosen, terms)
    written: list[str] = []
    behind: MindcacheError | None = None
    if write:
        ready, written, behind = _write(app, ready, failed)
    call.settle()
    if call.json:
        _print_json(ready, failed, written)
    else:
        _print(ready, write=write)
        if written and failed:
            for path in written:
                output.say(f"  written: {output.path_text(path)}")
        for _, failure in sorted(failed.items()):
            output.remark(f"mindcache: {failure}")
    if behind is not None:
        output.remark(
            f"mindcache: the notes are written, but not indexed yet: {behind}"
        )
    errors = [*failed.values(), *([behind] if behind else [])]
    if errors:
        # What keeps files from being written (1) is graver than a refusal (4).
        raise click.exceptions.Exit(min(error.exit_code for error in errors))


def _decided(
    app: App, chosen: list[str], terms: Terms
) -> tuple[list[Rewrite], dict[str, MindcacheError]]:
    """Each note's adoption, and the errors by path; one never stops the others."""
    ready: list[Rewrite] = []
    failed: dict[str, MindcacheError] = {}
    for path in chosen:
        try:
            ready.append(_decide(app, path, terms))
        except MindcacheError as error:
            failed[path] = _naming(path, error)
    return ready, failed


def _write(
    app: App, ready: list[Rewrite], failed: dict[str, MindcacheError]
) -> tuple[list[Rewrite], list[str], MindcacheError | None]:
    """Write and index them: those that are adopted, what was written, what is amiss."""
    from mindcache.cli.failures import as_ours
    from mindcache.vault import Replace

    changes = [Replace(a.path, a.after, a.before) for a in ready if a.changes]
    try:
        done = app.commit(changes)
    except KeyboardInterrupt:
        _tell_written(app, ready)
        raise
    failed.update((c.path, _naming(c.path, error)) for c, error in done.failed)
    behind = None if done.behind is None else as_ours(done.behind, app.cache_folder)
    return [a for a in ready if a.path not in failed], done.paths, behind


def _tell_written(app: App, ready: list[Rewrite]) -> None:
    """Say, of a run that was broken off, which notes it had written by then."""
    written = [each.path for each in ready if each.is_change and _holds(app, each)]
    output.remark(
        f"mindcache: interrupted; {output.counted(len(written), 'note')} written"
    )
    for path in written:
        output.remark(f"  written: {output.path_text(path)}")


def _holds(app: App, rewrite: Rewrite) -> bool:
    try:
        return app.look(rewrite.path)[0] == rewrite.after
    except (OSError, MindcacheError):
        return False


def _naming(path: str, error: MindcacheError) -> MindcacheError:
    """The error, saying which note it is about."""
    if path not in error.message:
        error.message = f"{path}: {error.message}"
    return error


def _decide(app: App, path: str, terms: Terms) -> Rewrite:
    """What adopting one note would write. Raises Refused, with the contract's words."""
    from mindcache import lint
    from mindcache.note import parse
    from mindcache.scribe import seen
    from mindcache.write.adopt import adopt as adopted
    from mindcache.write.adopt import refused

    found = seen(app, path)
    adoption = adopted(found.data, found.note, found.memory, terms, app.now())
    after = parse(path, adoption.after)
    found_now = lint.check(after, app.meaning_of(after), terms.namespaces)
    if breaches := [each for each in found_now if each.severity == "error"]:
        raise refused(found.note, breaches, terms)
    return adoption


def _print(ready: list[Rewrite], *, write: bool) -> None:
    changed = [each for each in ready if each.changes]
    for each in ready:
        if each.changes:
            output.say(each.diff().rstrip("\n"))
        else:
            output.say(f"{output.path_text(each.path)} lacks nothing")
    if not changed:
        return
    notes = output.counted(len(changed), "note")
    output.say(
        f"{notes} written" if write else f"{notes}; nothing written yet, --write does"
    )


def _print_json(
    ready: list[Rewrite], failed: dict[str, MindcacheError], written: list[str]
) -> None:
    from mindcache import wire

    done = set(written)
    notes = [wire.rewrite(each, written=each.path in done) for each in ready]
    failures = {
        kind: [
            {"path": path, **wire.error(error)}
            for path, error in failed.items()
            if isinstance(error, Refused) is (kind == "refused")
        ]
        for kind in ("refused", "failed")
    }
    output.print_json(wire.merged({"written": bool(done), "notes": notes}, failures))
