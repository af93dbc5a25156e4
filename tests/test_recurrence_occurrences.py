"""From a plan's note to its occurrences: zones, days, series, outcomes, bounds."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindcache.errors import Problem
from mindcache.note import parse
from mindcache.recurrence import (
    MOST,
    Expansion,
    Occurrence,
    Plan,
    dump,
    expand,
    load,
    read_plan,
    window,
)

LOW, HIGH = window(2026)
# Both sides of the date line, and the vault's own.
ZONES = [
    "Pacific/Kiritimati",
    "Pacific/Auckland",
    "Europe/Berlin",
    "America/Los_Angeles",
    "Pacific/Pago_Pago",
]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def read(
    front: str, body: str = "", home: str = "", kind: str = "plan"
) -> tuple[Plan | None, list[Problem]]:
    note = parse("p.md", f"---\ntype: {kind}\n{front}\n---\n{body}".encode())
    return read_plan(note, kind, "active", home)


def plan(front: str, body: str = "", home: str = "") -> Plan:
    found, problems = read(front, body, home)
    assert problems == []
    assert found is not None
    return found


def occurrences(front: str, body: str = "", home: str = "") -> tuple[Occurrence, ...]:
    found = expand(plan(front, body, home), LOW, HIGH)
    assert found.problems == ()
    return found.occurrences


def starts(front: str, body: str = "", home: str = "") -> list[str]:
    return [
        o.start.isoformat(timespec="minutes") for o in occurrences(front, body, home)
    ]


# -- single plans ------------------------------------------------------------


def test_a_plan_without_recurrence_takes_place_once() -> None:
    (only,) = occurrences("time_start: 2026-03-01T09:00\ntime_end: 2026-03-01T10:30")
    assert (only.start, only.end) == (at("2026-03-01T09:00"), at("2026-03-01T10:30"))
    assert (only.key, only.status, only.all_day) == ("20260301", "planned", False)
    assert only.instants is None


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("home", ["", "America/Los_Angeles", "Pacific/Kiritimati"])
@pytest.mark.parametrize(
    "span",
    [
        "time_start: 2026-06-27\ntime_end: 2026-06-28\nall_day: true",
        "time_start: 2026-06-27T00:00:00\ntime_end: 2026-06-28T00:00:00\nall_day: true",
        "time_start: 2026-06-27\nall_day: true",
        "time_start: 2026-06-27\ntime_end: 2026-06-27\nall_day: true",
        "time_start: 2026-06-27\ntime_end: 2026-06-27",
        "time_start: 2026-06-27",
    ],
)
def test_27_june_is_one_day_in_every_zone(span: str, zone: str, home: str) -> None:
    (day,) = occurrences(f"{span}\ntimezone: {zone}", home=home)
    assert (day.start, day.end) == (at("2026-06-27"), at("2026-06-28"))
    assert (day.begins, day.ends, day.all_day) == (day.start, day.end, True)
    assert not day.touches(at("2026-06-28"), at("2026-06-29"))
    assert not day.touches(at("2026-06-26"), at("2026-06-27"))


def test_dates_alone_are_counted_to_the_last_one() -> None:
    (days,) = occurrences("time_start: 2026-06-27\ntime_end: 2026-06-28")
    assert days.end == at("2026-06-29")


@pytest.mark.parametrize("machine", ["America/Los_Angeles", "Pacific/Kiritimati"])
def test_the_machine_s_zone_moves_nothing(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", machine)
    time.tzset()
    try:
        assert starts("time_start: 2026-06-29") == ["2026-06-29T00:00"]
        assert starts("time_start: 2026-06-29T23:30") == ["2026-06-29T23:30"]
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("zone", "begins"),
    [
        ("Pacific/Kiritimati", "2026-03-01T04:00"),
        ("Pacific/Auckland", "2026-03-01T05:00"),
        ("America/Los_Angeles", "2026-03-02T02:00"),
        ("Pacific/Pago_Pago", "2026-03-02T05:00"),
    ],
)
def test_a_time_is_an_instant_that_others_see_elsewhere(zone: str, begins: str) -> None:
    (there,) = occurrences(
        f"time_start: 2026-03-01T09:00\ntimezone: {zone}", home="Asia/Tokyo"
    )
    assert there.start == at("2026-03-01T09:00")
    assert there.begins == at(begins)
    assert there.instants is not None
    assert there.instants[0].isoformat()[:16] == "2026-03-01T09:00"
    moment = there.instants[0].astimezone(UTC)
    assert not there.has_begun(moment - timedelta(minutes=1))
    assert there.has_begun(moment)
    assert there.has_begun(there.begins, "Asia/Tokyo")
    assert not there.has_begun(there.begins - timedelta(minutes=1), "Asia/Tokyo")


def test_an_offset_is_brought_into_the_plan_s_zone() -> None:
    assert starts("time_start: 2026-03-01T20:00Z\ntimezone: Pacific/Auckland") == [
        "2026-03-02T09:00"
    ]
    assert starts("time_start: 2026-03-01T20:00Z") == ["2026-03-01T20:00"]


def test_a_vault_s_zone_stands_in() -> None:
    assert occurrences("time_start: 2026-03-01T09:00", home="Asia/Tokyo")[0].zone == (
        "Asia/Tokyo"
    )


@pytest.mark.parametrize(
    ("front", "line", "code", "words"),
    [
        ("time_start: 2026-03-01T09:00\ntimezone: Mars/Olympus", 4, "plan-timezone",
         "no time zone is called 'Mars/Olympus'"),
        ("time_start: 2026-03-01T09:00\ntime_end: 2026-03-01T08:00", 4, "plan-time_end",
         "lies before time_start"),
        ("time_start: 2026-03-01T09:00\ntime_end: later", 4, "plan-time_end",
         "'later' is not a date"),
        ("time_start: 2026-03-01T09:00\nrecurrence: often", 4, "plan-recurrence",
         "not a line of a recurrence"),
        (("time_start: 2026-03-01T09:00\nrecurrence: |\n  RRULE:FREQ=WEEKLY;COUNT=1\n"
          "  EXRULE:FREQ=DAILY\nlocation: x"), 6, "plan-recurrence",
         "EXRULE is not supported"),
        ("time_start: 2026-03-01T09:00\nrecurrence: RRULE:FREQ=DAILY;INTERVAL=0", 4,
         "plan-recurrence", "INTERVAL=0 is not a number from 1"),
        ("time_start: 2026-03-01T09:00\nrecurrence: RRULE:FREQ=DAILY;RSCALE=HEBREW", 4,
         "plan-recurrence", "RSCALE is not supported"),
        ("time_start: 2026-03-01\nrecurrence: RRULE:FREQ=HOURLY", 4, "plan-recurrence",
         "whole days can't repeat hourly"),
        ("time_start: 2026-03-01T09:00\nrecurrence: EXDATE;TZID=Eastern Time:20260301T090000",
         4, "plan-recurrence", "no time zone is called 'Eastern Time'"),
        ("time_start: 2026-03-01T09:00\nrecurrence: EXDATE:20260230", 4,
         "plan-recurrence", "'20260230' is not a date"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_loses_nothing(
    front: str, line: int, code: str, words: str
) -> None:
    found, (problem,) = read(front)
    assert (problem.path, problem.line, problem.code) == ("p.md", line, code)
    assert words in problem.message
    assert problem.mend
    assert found is not None
    assert (
        expand(found, LOW, HIGH).occurrences[0].start.date() == at("2026-03-01").date()
    )


def test_a_plan_without_a_time_has_no_occurrence() -> None:
    assert read("created_at: 2026-03-01") == (None, [])
    found, (problem,) = read("time_start: someday")
    assert (found, problem.code) == (None, "plan-time_start")


def test_what_repeats_needs_no_type() -> None:
    found, _ = read("time_start: 2026-03-01\nrecurrence: FREQ=YEARLY", kind="entity")
    assert found is not None
    assert {o.status for o in expand(found, LOW, HIGH).occurrences} == {"active"}
    assert read("time_start: 2026-03-01", kind="event") == (None, [])


# -- series --------------------------------------------------------------------


def test_wall_clock_time_holds_when_the_clocks_change() -> None:
    found = occurrences(
        "time_start: 2026-03-22T09:00\ntimezone: Europe/Berlin\n"
        "recurrence: RRULE:FREQ=WEEKLY;COUNT=2",
        home="UTC",
    )
    assert [o.start.hour for o in found] == [9, 9]
    assert [o.begins.hour for o in found] == [8, 7]


def test_an_exdate_in_another_zone_is_an_instant() -> None:
    series = (
        "time_start: 2026-03-02T09:00\ntimezone: Europe/Berlin\n"
        'recurrence: "RRULE:FREQ=DAILY;COUNT=4\\nEXDATE:20260303T080000Z\\n'
        'EXDATE;TZID=Pacific/Auckland:20260304T210000"'
    )
    assert starts(series) == ["2026-03-02T09:00", "2026-03-05T09:00"]


def test_a_time_that_the_clocks_skip_is_kept_and_can_be_taken_out() -> None:
    series = (
        "time_start: 2026-09-26T02:30\ntimezone: Pacific/Auckland\n"
        'recurrence: "RRULE:FREQ=DAILY;COUNT=3{}"'
    )
    skipped = occurrences(series.format(""), home="UTC")[1]
    assert skipped.start == at("2026-09-27T02:30")
    assert skipped.begins == at("2026-09-26T14:30")
    assert len(starts(series.format("\\nEXDATE:20260926T143000Z"))) == 2
    assert len(starts(series.format("\\nEXDATE:20260927T023000"))) == 2


def test_until_in_utc_ends_a_series_in_its_own_zone() -> None:
    series = (
        "time_start: 2026-03-02T09:00\ntimezone: Pacific/Auckland\n"
        "recurrence: RRULE:FREQ=DAILY;UNTIL={}"
    )
    assert len(starts(series.format("20260303T200000Z"))) == 3
    assert len(starts(series.format("20260303T195959Z"))) == 2
    assert len(starts(series.format("20260303"))) == 2


@pytest.mark.parametrize(
    ("recurrence", "expected"),
    [
        ("FREQ=WEEKLY;COUNT=2", ["2026-03-01", "2026-03-08"]),
        ("RDATE:20260305T090000,20260307", ["2026-03-01", "2026-03-05", "2026-03-07"]),
        ("RRULE:FREQ=DAILY;COUNT=3 EXDATE:20260302", ["2026-03-01", "2026-03-03"]),
        ("[RRULE:FREQ=DAILY;COUNT=2, 'EXDATE:20260301T090000']", ["2026-03-02"]),
        ("RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2",
         ["2026-03-01", "2026-03-31", "2026-04-30"]),
        ("RRULE:FREQ=MONTHLY;BYDAY=1SU,-1FR;COUNT=3",
         ["2026-03-01", "2026-03-27", "2026-04-05"]),
    ],
)  # fmt: skip
def test_lines_are_read_in_each_form(recurrence: str, expected: list[str]) -> None:
    found = starts(f"time_start: 2026-03-01T09:00\nrecurrence: {recurrence}")
    assert [each[:10] for each in found] == expected


SERIES = (
    "time_start: 2026-03-01T09:00\ntime_end: 2026-03-01T10:00\n"
    "timezone: Pacific/Auckland\nrecurrence: RRULE:FREQ=WEEKLY;COUNT=4"
)


def test_items_tell_what_became_of_an_occurrence() -> None:
    found = occurrences(
        SERIES,
        "- 2026-03-01 missed: ill ^o-20260301\n"
        "- 2026-03-08 moved to 2026-03-09T11:00: hall ^o-20260308\n"
        "- 2026-03-15 moved to 2026-03-16 until 12:00, occurred ^o-20260315\n",
    )
    assert [(o.key, o.status, o.because, o.anchor, o.line) for o in found] == [
        ("20260301", "missed", "ill", "o-20260301", 8),
        ("20260308", "planned", "hall", "o-20260308", 9),
        ("20260315", "occurred", "", "o-20260315", 10),
        ("20260322", "planned", "", "", 0),
    ]
    moved, again = found[1:3]
    assert (moved.start, moved.end) == (at("2026-03-09T11:00"), at("2026-03-09T12:00"))
    assert moved.moved_from == at("2026-03-08T09:00")
    assert (again.start, again.end) == (at("2026-03-16T09:00"), at("2026-03-16T12:00"))


def test_an_item_in_another_zone_is_matched_as_an_instant() -> None:
    found = occurrences(
        SERIES, "- 2026-03-07T21:00+01:00 moved to 2026-03-07T22:00+01:00\n"
    )
    assert found[1].moved_from == at("2026-03-08T09:00")
    assert found[1].start == at("2026-03-08T10:00")


def test_several_a_day_are_told_apart_by_time() -> None:
    twice = (
        "time_start: 2026-03-01T09:00\nrecurrence: RRULE:FREQ=HOURLY;INTERVAL=8;COUNT=4"
    )
    found = occurrences(twice, "- 2026-03-01T17:00 missed ^o-20260301T1700\n")
    assert [(o.key, o.status) for o in found] == [
        ("20260301T0900", "planned"),
        ("20260301T1700", "missed"),
        ("20260302T0100", "planned"),
        ("20260302T0900", "planned"),
    ]
    found_again = expand(plan(twice, "- 2026-03-01 missed ^o-20260301\n"), LOW, HIGH)
    (problem,) = found_again.problems
    assert (problem.code, problem.line) == ("occurrence-ambiguous", 6)
    assert found_again.occurrences[0].status == "missed"


def test_a_key_is_the_same_in_every_window() -> None:
    series = plan(
        "time_start: 2026-03-01T09:00\nrecurrence: RRULE:FREQ=HOURLY;INTERVAL=8"
    )
    for hour in range(24):
        low = at("2026-05-01") + timedelta(hours=hour)
        for each in expand(series, low, low + timedelta(hours=9)).occurrences:
            assert each.key == f"{each.start:%Y%m%dT%H%M}"


def test_an_item_without_its_occurrence_is_told() -> None:
    found = expand(plan(SERIES, "- 2026-03-02 missed ^o-20260302\n"), LOW, HIGH)
    (problem,) = found.problems
    assert (problem.code, problem.line) == ("occurrence-unknown", 8)
    assert problem.mend == "the nearest is on 2026-03-01"
    assert len(found.occurrences) == 4


def test_a_moved_item_without_its_occurrence_is_one_more() -> None:
    item = "- 2026-03-03 moved to 2026-03-04: x ^o-20260303\n"
    found = expand(plan(SERIES, item), LOW, HIGH)
    assert [o.start.day for o in found.occurrences] == [1, 4, 8, 15, 22]
    assert found.occurrences[1].start == at("2026-03-04T09:00")
    assert [p.code for p in found.problems] == ["occurrence-unknown"]


def test_an_occurrence_moved_into_a_window_is_in_it() -> None:
    series = plan(SERIES, "- 2026-03-08 moved to 2027-06-01T10:00 ^o-20260308\n")
    found = expand(series, at("2027-06-01"), at("2027-06-02")).occurrences
    assert [o.key for o in found] == ["20260308"]
    there = expand(series, at("2026-03-08"), at("2026-03-09")).occurrences
    assert there == ()


@pytest.mark.parametrize(
    ("front", "status"),
    [("status: x", "planned"), ("outcome: missed", "planned")],
)
def test_an_active_plan_is_planned(front: str, status: str) -> None:
    assert occurrences(f"time_start: 2026-03-01\n{front}")[0].status == status


def test_a_faint_plan_keeps_its_outcome() -> None:
    note = parse("p.md", b"---\ntime_start: 2026-03-01\noutcome: missed\n---\n")
    found, _ = read_plan(note, "plan", "faint", "")
    assert found is not None
    assert found.status == "missed"


# -- bounds ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=SECONDLY;BYHOUR=5;BYMINUTE=6;BYSECOND=7",
        "FREQ=MINUTELY;BYDAY=MO;BYHOUR=3",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYHOUR=1,2,3,4,5,6;BYMINUTE=1,2,3,4,5;BYSECOND=1,2,3,4",
        "FREQ=DAILY;COUNT=999999",
        "FREQ=WEEKLY;BYMONTH=2;BYSETPOS=366",
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;INTERVAL=999999",
    ],
)
@pytest.mark.parametrize(
    "start", ["0001-01-01T00:00", "2026-03-01T00:00", "9999-12-31T23:59"]
)
def test_no_rule_is_followed_for_ever(rule: str, start: str) -> None:
    hostile = plan(f"time_start: {start}\nrecurrence: RRULE:{rule}", home="Asia/Tokyo")
    began = time.process_time()
    found = expand(hostile, LOW, HIGH)
    assert time.process_time() - began < 5  # a second at most; a hang is minutes
    assert len(found.occurrences) <= MOST
    assert found.is_cut == any(p.code == "occurrence-cut" for p in found.problems)


def test_what_is_cut_is_found_where_it_is_asked_for() -> None:
    often = plan("time_start: 2026-01-01T00:00\nrecurrence: RRULE:FREQ=MINUTELY")
    whole: Expansion = expand(often, LOW, HIGH)
    assert whole.is_cut
    assert len(whole.occurrences) == MOST
    later = expand(often, at("2026-11-30T12:00"), at("2026-11-30T12:05"))
    assert [o.start.minute for o in later.occurrences] == [0, 1, 2, 3, 4]
    assert not later.is_cut


# -- properties ----------------------------------------------------------------


PARTS = st.fixed_dictionaries(
    {"FREQ": st.sampled_from(["DAILY", "HOURLY", "WEEKLY"]),
     "INTERVAL": st.integers(1, 100)},
    optional={
        "COUNT": st.integers(1, 30),
        "BYMONTH": st.lists(st.integers(1, 12), min_size=3, max_size=6, unique=True),
        "BYDAY": st.lists(
            st.sampled_from(["MO", "TU", "WE", "TH", "FR"]), min_size=2, unique=True
        ),
        "BYHOUR": st.lists(st.integers(0, 23), min_size=6, max_size=12, unique=True),
    },
)  # fmt: skip


def _by_dateutil(
    rule: str, start: datetime, low: datetime, high: datetime
) -> set[datetime]:
    from dateutil import rrule

    try:
        oracle = rrule.rrulestr(rule, dtstart=start)
    except ValueError:  # its filters leave nothing
        return set()
    found = set()
    for moment in oracle:  # with a count, its COUNT ends it
        if moment >= high:
            break
        if moment >= low:
            found.add(moment)
    return found


@settings(max_examples=80)
@given(PARTS, st.integers(0, 700), st.integers(1, 40))
def test_a_rule_means_what_it_means_to_dateutil(
    parts: dict[str, object], begin: int, length: int
) -> None:
    rule = ";".join(
        f"{k}={','.join(map(str, v)) if isinstance(v, list) else v}"
        for k, v in parts.items()
    )
    start = at("2026-01-05T07:00")
    low = at("2026-01-01") + timedelta(days=begin)
    high = low + timedelta(days=length)
    series = plan(f"time_start: {start.isoformat()}\nrecurrence: RRULE:{rule}")
    found = expand(series, low, high)
    expected = _by_dateutil(rule, start, low, high)
    if low <= start < high:
        expected.add(start)
    if not found.is_cut:
        assert [o.start for o in found.occurrences] == sorted(expected)


@settings(max_examples=100)
@given(
    st.sampled_from(ZONES),
    st.sampled_from([*ZONES, ""]),
    st.integers(0, 1000),
    st.integers(1, 60),
    st.sampled_from(
        ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,FR", "FREQ=HOURLY;INTERVAL=7"]
    ),
)
def test_windows_add_up(
    zone: str, home: str, begin: int, length: int, rule: str
) -> None:
    series = plan(
        "time_start: 2026-01-05T07:00\ntime_end: 2026-01-05T09:00\n"
        f"timezone: {zone}\nrecurrence: RRULE:{rule}",
        home=home,
    )
    low = at("2025-12-20") + timedelta(hours=9 * begin)
    middle, high = low + timedelta(hours=length), low + timedelta(days=length)
    if middle >= high:
        return
    whole = expand(series, low, high).occurrences
    parts = {
        *expand(series, low, middle).occurrences,
        *expand(series, middle, high).occurrences,
    }
    assert set(whole) == parts
    assert all(o.touches(low, high) for o in whole)


def test_a_plan_is_kept_as_text() -> None:
    whole = plan(
        SERIES, "- 2026-03-01 missed: krank, é ^o-20260301\n", home="Asia/Tokyo"
    )
    assert load(dump(whole)) == whole
