"""What takes place when: the occurrences of plans, and what the timeline tells."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING

from mindcache.wire.shape import JSON, moment

if TYPE_CHECKING:
    from mindcache.recall.agenda import Agenda, Occasion
    from mindcache.recall.timeline import Episode

__all__ = ["agenda", "episode", "occasion"]

_OUTCOMES = ("occurred", "missed", "canceled")


def occasion(value: Occasion) -> JSON:
    """One occurrence of a plan.

    `start` and `end` are civil in `timezone`: days (`end` the one after the last) or
    minutes; `starts_at` and `ends_at` are the same as instants, with their offset.
    """
    note, each = value.node, value.occurrence
    length = 10 if each.all_day else 19
    first, last = each.instants or (None, None)
    has_end = each.end > each.start
    return {
        "path": note.path,
        "id": note.id,
        "title": note.title,
        "start": moment(each.start)[:length],
        "end": moment(each.end)[:length] if has_end else "",
        "all_day": each.all_day,
        "timezone": each.zone,
        "starts_at": moment(first) if first else "",
        "ends_at": moment(last) if last and has_end else "",
        "status": each.status,
        "outcome": each.status if each.status in _OUTCOMES else "",
        "because": each.because,
        "moved_from": moment(each.moved_from)[:length] if each.moved_from else "",
        "location": note.location,
        "anchor": each.anchor,
        "key": each.key,
    }


def agenda(value: Agenda) -> JSON:
    """Occurrences, and the days that were looked at (`to` is the last of them)."""
    last = value.high - timedelta(microseconds=1)
    return {
        "plans": [occasion(each) for each in value.occasions],
        "from": value.low.date().isoformat(),
        "to": last.date().isoformat(),
        "order": value.order,
        "left_out": value.left_out,
        "undated": value.undated,
    }


def episode(value: Episode) -> JSON:
    """Something that happened, as the timeline has it."""
    shape = asdict(value)
    return {**shape, "lines": list(value.lines), "links": list(value.links)}
