"""How strong a memory is, and when it fades."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from mindcache.wire.shape import JSON, SCHEMA

if TYPE_CHECKING:
    from mindcache.digest.fading import Reason

__all__ = ["faintness"]


def faintness(value: Reason) -> JSON:
    """Why a memory is faint, or when it will be; days are civil."""
    memory, found = value.memory, value.strength
    linked = memory.life.linked
    return {
        "schema": SCHEMA,
        "path": memory.node.path,
        "id": memory.node.id,
        "status": memory.node.status,
        "band": value.band,
        "score": found.score,
        "threshold": value.threshold,
        "activation": found.activation,
        "half_life_days": found.half_life,
        "last_use": value.last_use.isoformat() if value.last_use else "",
        "uses": found.times,
        "days_used": found.days,
        "counted_from": date.fromordinal(memory.life.born).isoformat(),
        "importance": memory.life.importance,
        "linked": memory.life.degree,
        "linked_on": date.fromordinal(linked).isoformat() if linked else "",
        "passing": memory.life.is_passing,
        "keeps": value.keeps,
        "falls_on": value.falls.isoformat() if value.falls else "",
        "written": value.is_written,
        "line": value.line(),
    }
