"""`mindcache status`: the disk beside the cache."""

from __future__ import annotations

from dataclasses import asdict

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

__all__ = ["status"]


@command("mindcache status --json")
def status(call: Call) -> None:
    """Show what is on disk, what is indexed, and what is still to be looked at.

    Nothing is read into the cache by this.
    """
    from mindcache.digest import ledger_gone

    found = call.app.status()
    gone = ledger_gone(call.app) if found.indexed and not found.pending else []
    for problem in gone:
        output.remark(f"mindcache: {output.problem_text(problem)}")
    if call.json:
        from mindcache import wire

        output.print_json(wire.merged(asdict(found)))
        return
    rows = [
        ("vault", output.path_text(found.vault)),
        ("cache", output.path_text(found.cache)),
        ("on disk", output.counted(found.on_disk, "note")),
        ("indexed", output.counted(found.indexed, "note")),
        ("pending", output.counted(found.pending, "file")),
        ("held apart", output.counted(found.held, "note")),
        ("skipped", output.counted(found.skipped, "note")),
        ("unread", output.counted(found.unread, "file")),
        ("last scan", found.last_scan or "never"),
        ("daemon", output.single(found.daemon)),
    ]
    rows += [
        (name, f"{number:,}")
        for name, number in found.counts.items()
        if name != "notes"
    ]
    for line in output.table(rows):
        output.say(line)
    if found.pending:
        output.say("mindcache index update, or any question, brings it in step.")
    if found.held or found.skipped or found.unread:
        output.say("mindcache doctor names what is held apart, skipped or unread.")
