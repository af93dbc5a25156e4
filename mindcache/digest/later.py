"""Notes that were not there yet: a digest at an earlier time knows nothing of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from mindcache.when import parse_interval

if TYPE_CHECKING:
    from mindcache.cache.read import Reader

__all__ = ["later_notes"]

# A note was there from its `created_at` on; without one, from the time that it is of.
# The time of a plan is meant to come.
_LATER = """(
    substr(json_extract(n.properties, '$.created_at'), 1, 10) >= ?
    OR (n.date_start > ? AND n.type != 'plan')
)"""


def later_notes(reader: Reader, now: datetime, zone: str = "") -> frozenset[int]:
    """The row ids of the notes that came after `now`, civil in the vault's `zone`."""
    moment = now.replace(tzinfo=None)
    # Written with another offset, a later time may bear the day before.
    day = (moment.date() - timedelta(days=1)).isoformat()
    ids = reader.where(_LATER, [day, moment.isoformat()])
    facts = reader.facts(ids)
    found = set()
    for node in reader.nodes(ids):
        created = parse_interval(facts[node.file_id].properties.get("created_at"), zone)
        if created is not None:
            if created.start.replace(tzinfo=None) > moment:
                found.add(node.file_id)
        elif node.type != "plan" and node.date_start > moment.isoformat():
            found.add(node.file_id)
    return frozenset(found)
