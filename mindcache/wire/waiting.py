"""What waits for a person's word, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mindcache.wire.shape import JSON, SCHEMA, error

if TYPE_CHECKING:
    from mindcache.digest.proposals import Applied, Proposal, Told

__all__ = ["applied", "proposals"]


def proposals(found: Iterable[tuple[Proposal, str, int, str]]) -> JSON:
    """The open proposals, with where their boxes are and what these say."""
    return {
        "schema": SCHEMA,
        "proposals": [
            {**_proposal(each), "path": path, "line": line, "box": said}
            for each, path, line, said in found
        ],
    }


def applied(value: Applied) -> JSON:
    """What applying, rejecting or undoing came to."""
    return {
        "schema": SCHEMA,
        "dry_run": value.dry_run,
        "applied": [_told(each) for each in value.done],
        "undone": [_told(each) for each in value.undone],
        "rejected": [_told(each) for each in value.rejected],
        "changed_since": [_told(each) for each in value.skipped],
        "moot": [_told(each) for each in value.moot],
        "unclear": [_told(each) for each in value.unclear],
        "failed": [{**_proposal(each), **error(why)} for each, why in value.failed],
        "indexed": value.behind is None,
    }


def _told(value: Told) -> JSON:
    return {**_proposal(value.proposal), "why": value.why, "diff": value.diff}


def _proposal(value: Proposal) -> JSON:
    return {
        "id": value.id,
        "kind": value.kind,
        "key": value.key,
        "title": value.title,
        "reason": value.reason,
        "notes": list(value.paths),
        "value": value.value,
        "proposed_at": value.at,
    }
