"""What a command wrote to notes, or would write: entries, changes and new notes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mindcache.wire.shape import JSON, merged

if TYPE_CHECKING:
    from mindcache.write.journal import Appended
    from mindcache.write.plans import Settlement
    from mindcache.write.remember import Draft
    from mindcache.write.rewrite import Rewrite

__all__ = ["appended", "remembered", "rewrite", "rewrites", "settled"]


def appended(value: Appended) -> JSON:
    """An entry that was written."""
    return {
        "id": value.entry.id,
        "path": value.path,
        "line": value.line,
        "date": value.at.isoformat(timespec="minutes"),
        "project": value.entry.project,
        "text": value.entry.text,
        "links": list(value.entry.links),
        "redacted": [{"kind": k, "count": n} for k, n in value.redacted],
    }


def rewrite(value: Rewrite, *, written: bool) -> JSON:
    """One note's change; a property that goes is null."""
    from mindcache.note import Delete

    changes = {
        key: None if isinstance(change, Delete) else change
        for key, change in value.changes.items()
    }
    return {
        "path": value.path,
        "changes": changes,
        "diff": value.diff(),
        "written": written and value.is_change,
    }


def rewrites(values: Iterable[Rewrite], *, written: bool) -> JSON:
    """What was written to several notes, or would be."""
    all_of_them = list(values)
    remarks = [remark for each in all_of_them for remark in each.remarks]
    notes = [rewrite(each, written=written) for each in all_of_them]
    return merged({"written": written, "notes": notes, "remarks": remarks})


def remembered(value: Draft, *, written: bool) -> JSON:
    """A new note; `text` is the whole of it where it was not written."""
    return merged(
        {
            "written": written,
            "path": value.path,
            "id": value.id,
            "type": value.memory.type,
            "title": value.memory.title,
            "summary": value.memory.summary,
            "tags": list(value.memory.tags),
            "text": "" if written else value.note.text,
            "redacted": [{"kind": k, "count": n} for k, n in value.redacted],
            "remarks": list(value.remarks),
        }
    )


def settled(value: Settlement, node_id: str, outcome: str) -> JSON:
    """What became of a plan, or of one occurrence of it (`key`)."""
    return merged(
        {
            "path": value.path,
            "id": node_id,
            "outcome": outcome,
            "was": value.was,
            "key": value.key,
            "changes": dict(value.changes),
            "diff": value.diff(),
            "written": value.is_change,
        }
    )
