"""Civil time: what a property, a file name, a flag or a sentence says about when. Pure.

All times are naive and civil, as a person in the vault's zone reads them off a wall
clock; an interval is half-open, `[start, end)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.when.phrases import Phrase, find_phrases, parse_phrase
    from mindcache.when.tokens import may_name_a_time
    from mindcache.when.written import (
        Interval,
        daily_pattern,
        date_in_name,
        date_of_daily,
        in_zone,
        parse_interval,
        time_of_ulid,
    )

__all__ = [
    "Interval",
    "Phrase",
    "daily_pattern",
    "date_in_name",
    "date_of_daily",
    "find_phrases",
    "in_zone",
    "may_name_a_time",
    "parse_interval",
    "parse_phrase",
    "time_of_ulid",
]

__getattr__ = exports(
    __name__,
    {
        "tokens": "may_name_a_time",
        "phrases": "Phrase find_phrases parse_phrase",
        "written": "Interval daily_pattern date_in_name date_of_daily"
        " in_zone parse_interval time_of_ulid",
    },
)
