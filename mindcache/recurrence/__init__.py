"""When a plan takes place: from what its note says to its occurrences. Pure.

Owns the form in which a note says it. Properties:

`time_start`, `time_end`
    Civil time in the plan's zone. A date alone, or `all_day: true`, means whole days,
    which are the same days in every zone. With `all_day: true`, `time_end` is the day
    *after* the last one, as calendars have it (27 to 28 June is one day; a time on
    that day counts it in); with dates alone and no `all_day`, it is the last day, as a
    person writes it. Without `time_end` a time has no length and a date is one day.
`timezone`
    An IANA name. Without it the vault's zone is meant; without that none is known.
`recurrence`
    Lines of RFC 5545, parted by line ends (in one text; YAML writes it in double quotes
    and each line end as a backslash and an n; spaces or a YAML list do as well), in
    this order: `RRULE:`, `RDATE:`, `EXDATE:`.
    Times in them are civil times in the plan's zone; with `Z` or `;TZID=Europe/Berlin`
    they are instants, brought into it. An `EXDATE` that is a date takes out the whole
    day. `time_start` is always the first occurrence, unless an EXDATE takes it out;
    no DTSTART, DTEND or EXRULE stands here.

List items in the body say what became of one occurrence, each with a block id:

    - 2026-03-01 missed: ill ^o-20260301
    - 2026-03-08 moved to 2026-03-09T10:00: the hall was taken ^o-20260308
    - 2026-03-15 canceled ^o-20260315

    item:    DATE WHAT [`: ` because] ` ^o-` KEY
    DATE:    the day on which the occurrence would begin by the rule, `2026-03-01`;
             with its time, `2026-03-01T09:00`, where a day has several. Civil in the
             plan's zone; with an offset (`2026-03-01T20:00Z`) an instant.
    WHAT:    `occurred`, `missed`, `canceled`, or
             `moved to` WHEN [` until ` END] [`, ` OUTCOME]
    WHEN:    a date or a time; a date alone keeps the time of day. Unless END is given
             (a time, or a date with time), the length is kept.
    OUTCOME: `occurred`, `missed` or `canceled`: what became of it where it was moved to
    KEY:     DATE without signs: `20260301` or `20260301T0900`

An item whose DATE is none of the rule's is a problem, unless it moves: then it is an
occurrence of its own. Of two items for one occurrence the last counts.

Several hundred years of a rule are never walked: an expansion is bounded by a window,
by a number of occurrences and by a number of steps (`rules`, `occurrences`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.recurrence.lines import (
        OUTCOMES,
        Line,
        add_remark,
        outcome_line,
        read_lines,
        set_outcome,
    )
    from mindcache.recurrence.occurrences import (
        MOST,
        Expansion,
        Occurrence,
        expand,
        window,
    )
    from mindcache.recurrence.plans import Plan, dump, load, read_plan
    from mindcache.recurrence.zones import local

__all__ = [
    "MOST",
    "OUTCOMES",
    "Expansion",
    "Line",
    "Occurrence",
    "Plan",
    "add_remark",
    "dump",
    "expand",
    "load",
    "local",
    "outcome_line",
    "read_lines",
    "read_plan",
    "set_outcome",
    "window",
]

__getattr__ = exports(
    __name__,
    {
        "lines": "OUTCOMES Line add_remark outcome_line read_lines set_outcome",
        "occurrences": "MOST Expansion Occurrence expand window",
        "plans": "Plan dump load read_plan",
        "zones": "local",
    },
)
