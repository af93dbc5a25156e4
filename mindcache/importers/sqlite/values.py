"""SQLite's values as text and as civil time. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mindcache.importers.item import Context
from mindcache.memory import moment
from mindcache.when import in_zone, parse_interval

__all__ = ["as_text", "as_time"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A number of seconds of this size is one of milliseconds: year 5138 as seconds.
_MILLIS = 100_000_000_000


def as_text(value: object) -> str:
    """A value as text; bytes are UTF-8 or an error. Raises UnicodeDecodeError."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return str(value)


def as_time(value: object, context: Context) -> str:
    """A time as a property has it, "" for what is none.

    Numbers are seconds or milliseconds since 1970; a text with an offset, and a number,
    are brought into the vault's zone.
    """
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        seconds = value / 1000 if abs(value) >= _MILLIS else value
        try:
            at = _EPOCH + timedelta(seconds=seconds)
            return moment(in_zone(at, context.zone or "UTC").replace(microsecond=0))
        except (OverflowError, ValueError):
            return ""
    text = as_text(value).strip()
    found = parse_interval(text, context.zone)
    if found is None:
        return ""
    start = found.start.replace(microsecond=0)
    return moment(start) if found.precise else start.date().isoformat()
