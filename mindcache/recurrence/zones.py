"""Time zones by name, and civil time brought from one into another."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime

__all__ = ["brought", "find_zone", "local", "shown"]


def find_zone(name: str) -> zoneinfo.ZoneInfo | None:
    """The zone of an IANA name, None when there is none of that name."""
    if not name:
        return None
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


def brought(moment: datetime, source: str, target: str) -> datetime:
    """Civil time in one zone as civil time in another; as it is where one is unknown."""
    if source == target:
        return moment
    there, here = find_zone(source), find_zone(target)
    if there is None or here is None:
        return moment
    try:
        return moment.replace(tzinfo=there).astimezone(here).replace(tzinfo=None)
    except OverflowError:  # at the ends of time an hour more or less says nothing
        return moment


def shown(moment: datetime, zone: str) -> datetime:
    """A civil time as the clocks show it; one that they skip is later by the gap."""
    there = find_zone(zone)
    if there is None:
        return moment
    try:
        instant = moment.replace(tzinfo=there).astimezone(UTC)
        return instant.astimezone(there).replace(tzinfo=None)
    except OverflowError:
        return moment


def local(now: datetime, zone: str, home: str) -> datetime:
    """`now` as the clocks in `zone` show it.

    An aware `now` is an instant; a naive one is civil time in `home`.
    """
    if now.tzinfo is None:
        return brought(now, home, zone)
    found = find_zone(zone) or find_zone(home)
    return (now.astimezone(found) if found else now).replace(tzinfo=None)
