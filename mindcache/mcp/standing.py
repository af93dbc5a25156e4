"""What every answer that reads says of itself, and of the notes that it is from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mindcache import wire
from mindcache.mcp.answer import Wash

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow, Reader

__all__ = ["counted", "nodes_at", "sources", "stale_line", "state"]


def state(app: App, wash: Wash) -> dict[str, object]:
    """How far the answer is behind the disk, and how much was taken out of it."""
    fresh = app.freshness
    return {
        "stale": fresh.stale,
        "pending": fresh.pending,
        "problems": wire.problems(fresh.problems),
        "redacted": wash.count,
    }


def stale_line(app: App) -> list[str]:
    """A line where the answer is behind the disk, else none."""
    if not app.freshness.stale:
        return []
    pending = app.freshness.pending
    return [f"Behind the disk by {pending:,} files: another process is indexing."]


def nodes_at(reader: Reader, paths: Sequence[str]) -> tuple[NodeRow, ...]:
    """The notes at these paths."""
    found = reader.file_ids(dict.fromkeys(paths))
    return tuple(reader.nodes(found.values()))


def sources(reader: Reader, paths: Sequence[str]) -> dict[str, str]:
    """How these notes came into the vault, by path; those written here are left out."""
    ids = reader.file_ids(dict.fromkeys(paths))
    facts = reader.facts(ids.values())
    found: dict[str, str] = {}
    for path, file_id in ids.items():
        source = facts[file_id].properties.get("source_type")
        if isinstance(source, str) and source.strip():
            found[path] = source.strip()
    return found


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"
