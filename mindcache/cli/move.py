"""`mindcache rename` and `mindcache move`: other paths, with links that follow."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.errors import MindcacheError
    from mindcache.write.relink import Relinked

__all__ = ["ending", "links_json", "move", "print_links", "rename", "told"]

# What decides on new paths: (files, folders), from → to.
_Wanted = Callable[["App"], tuple[dict[str, str], list[tuple[str, str]]]]

# Links shown for people; --json has them all.
_SHOWN = 20


@command(
    'mindcache rename "Old name" "New name"',
    'mindcache rename memory/Pricing.md "Price list" --dry-run',
)
@click.argument("note")
@click.argument("newname")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def rename(call: Call, note: str, newname: str, dry_run: bool) -> None:
    """Give NOTE another file name; every link to it follows.

    NOTE is an id, a path, or a file name that no other note has.
    """
    from mindcache.cli.places import exact_note
    from mindcache.errors import UsageError
    from mindcache.write.moving import renamed

    if "/" in newname:
        raise UsageError(
            f"{newname!r} is a path, not a name", mend="mindcache move takes a folder"
        )

    def wanted(app: App) -> tuple[dict[str, str], list[tuple[str, str]]]:
        path = exact_note(app, note, by_name=True)
        to = renamed(path, newname.strip())
        if to == path:
            raise UsageError(f"{path} is its name already", mend="give another")
        return {path: to}, []

    _carry_out(call, wanted, dry_run=dry_run)


@command(
    'mindcache move "Old name" archive',
    "mindcache move inbox/a.md inbox/b.md projects/acme --dry-run",
)
@click.argument("notes", metavar="NOTE...", nargs=-1, required=True)
@click.argument("folder")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def move(call: Call, notes: tuple[str, ...], folder: str, dry_run: bool) -> None:
    """Move notes into FOLDER, which is made if need be; every link follows.

    NOTE is an id, a path, or a file name that no other note has; or the path of a
    folder, which moves with all that is in it. FOLDER counts from the vault's root
    unless it is there from where you stand.
    """

    def wanted(app: App) -> tuple[dict[str, str], list[tuple[str, str]]]:
        return _destinations(app, notes, folder)

    _carry_out(call, wanted, dry_run=dry_run)


def _destinations(
    app: App, notes: Sequence[str], folder: str
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    from mindcache.cli.places import exact_note, vault_path
    from mindcache.errors import Refused, UsageError

    home = vault_path(app.vault, folder)
    if home and os.path.isfile(os.path.join(app.vault.root, home)):
        raise Refused(f"{home} is a file, not a folder", mend="name a folder")
    moves: dict[str, str] = {}
    folders: list[tuple[str, str]] = []
    for each in notes:
        path = _folder(app, each)
        if path:
            folders.append((path, posixpath.join(home, posixpath.basename(path))))
        else:
            path = exact_note(app, each, by_name=True)
            moves[path] = posixpath.join(home, posixpath.basename(path))
    for path, to in (*moves.items(), *folders):
        if path == to:
            raise UsageError(f"{path} is there already", mend="leave it out")
        if any(path.startswith(f"{top}/") or path == top for top, _ in folders) and (
            (path, to) not in folders
        ):
            raise UsageError(f"{path} moves with its folder", mend="leave it out")
    return moves, folders


def _folder(app: App, given: str) -> str:
    """The folder of the vault that is meant by a path, "" when it is none."""
    from mindcache.cli.places import vault_path
    from mindcache.errors import UsageError

    try:
        path = vault_path(app.vault, given)
    except UsageError:
        return ""
    full = os.path.join(app.vault.root, path)
    is_own = bool(path) and os.path.isdir(full) and not os.path.islink(full)
    return path if is_own and not path.startswith(".") else ""


def _carry_out(call: Call, wanted: _Wanted, *, dry_run: bool) -> None:
    from mindcache.write import moving

    app = call.app
    if dry_run:
        plan = moving.decide(app, *wanted(app))
        app.remarks += plan.remarks
        pairs, texts, failed = sorted(plan.moves.items()), plan.texts, plan.failed
        behind = None
    else:
        with app.writing():
            plan = moving.decide(app, *wanted(app))
            done = moving.move(app, plan)
        app.remarks += plan.remarks
        pairs, texts, failed = done.moves, tuple(done.texts), tuple(done.failed)
        behind = done.behind
    call.settle()
    if call.json:
        from mindcache import wire

        shape = {
            "dry_run": dry_run,
            "moved": [{"from": path, "to": to} for path, to in pairs],
            "links": links_json(texts),
            "failed": told(failed),
        }
        output.print_json(wire.merged(shape))
    else:
        for path, to in pairs:
            output.say(f"{output.path_text(path)} → {output.path_text(to)}")
        print_links(texts, dry_run=dry_run)
    ending(app, failed, behind, say=not call.json)


def links_json(texts: Iterable[Relinked]) -> list[dict[str, object]]:
    """The links written anew: `{path, line, before, after}` each."""
    return [
        {
            "path": text.path,
            "line": each.line,
            "before": each.before,
            "after": each.after,
        }
        for text in texts
        for each in text.rewrites
    ]


def told(failed: Iterable[tuple[str, MindcacheError]]) -> list[dict[str, object]]:
    """What could not be done, for a program: errors with their paths."""
    from mindcache import wire

    return [{"path": path, **wire.error(error)} for path, error in failed]


def print_links(texts: Sequence[Relinked], *, dry_run: bool) -> None:
    """The links written anew, the first of them one by one."""
    rows = [(text.path, each) for text in texts for each in text.rewrites]
    for path, each in rows[:_SHOWN]:
        place = f"{output.path_text(path)}:{each.line}"
        before, after = output.single(each.before), output.single(each.after)
        output.say(f"  {place}  {before} → {after}")
    if len(rows) > _SHOWN:
        output.say(f"  and {len(rows) - _SHOWN:,} more; --json lists all")
    links = output.counted(len(rows), "link")
    notes = output.counted(len(texts), "note")
    if dry_run:
        output.say(f"{links} in {notes} would change; nothing written yet")
    else:
        output.say(f"{links} in {notes} rewritten")


def ending(
    app: App,
    failed: Sequence[tuple[str, MindcacheError]],
    behind: Exception | None,
    *,
    say: bool,
) -> None:
    """Tell what went wrong, and leave with its exit code; return if nothing did."""
    from mindcache.cli.failures import as_ours

    errors = [error for _, error in failed]
    if say:
        for path, error in failed:
            where = "" if path in error.message else f"{output.path_text(path)}: "
            output.remark(f"mindcache: {where}{error}")
    if behind is not None:
        error = as_ours(behind, app.cache_folder)
        output.remark(f"mindcache: it is written, but not indexed yet: {error}")
        errors.append(error)
    if errors:
        # What keeps files from being written (1) is graver than a refusal (4).
        raise click.exceptions.Exit(min(error.exit_code for error in errors))
