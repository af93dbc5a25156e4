"""Dates as people write them in properties, in names of files, in Obsidian's formats."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.when import (
    Interval,
    daily_pattern,
    date_in_name,
    date_of_daily,
    parse_interval,
    time_of_ulid,
)
from mindcache.write.adopt import derived_id


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def between(start: str, end: str, *, precise: bool = False) -> Interval:
    return Interval(at(start), at(end), precise)


def day(text: str) -> Interval:
    start = at(text)
    return Interval(start, start + timedelta(days=1))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026", between("2026-01-01", "2027-01-01")),
        (2026, between("2026-01-01", "2027-01-01")),
        ("2026-03", between("2026-03-01", "2026-04-01")),
        ("2026-12", between("2026-12-01", "2027-01-01")),
        ("2026-03-05", day("2026-03-05")),
        ("2026-3-5", day("2026-03-05")),
        ("  2026-03-05 ", day("2026-03-05")),
        ("20260305", day("2026-03-05")),
        (20260305, day("2026-03-05")),
        ("2028-02-29", day("2028-02-29")),
        (
            "2026-03-05T10:30",
            between("2026-03-05T10:30", "2026-03-05T10:31", precise=True),
        ),
        (
            "2026-03-05 10:30",
            between("2026-03-05T10:30", "2026-03-05T10:31", precise=True),
        ),
        (
            "2026-03-05T10:30:15",
            between("2026-03-05T10:30:15", "2026-03-05T10:30:16", precise=True),
        ),
        (
            "2026-03-05T10:30:15.250",
            between("2026-03-05T10:30:15", "2026-03-05T10:30:16", precise=True),
        ),
        ("2026-W14", between("2026-03-30", "2026-04-06")),
        ("2026W14", between("2026-03-30", "2026-04-06")),
        ("2026-w01", between("2025-12-29", "2026-01-05")),
        ("2026-W53", between("2026-12-28", "2027-01-04")),
        ("2026-W14-3", day("2026-04-01")),
        ("2026-Q3", between("2026-07-01", "2026-10-01")),
        ("Q4 2026", between("2026-10-01", "2027-01-01")),
    ],
)
def test_written_dates_cover_what_they_say(value: object, expected: Interval) -> None:
    assert parse_interval(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        None, "", " ", True, 3.5, [], {}, "soon", "2026-13", "2026-00-10", "2026-02-30",
        "2027-02-29", "2026-02-29", "20261301", "2026-W54", "2027-W53", "2026-W00",
        "2026-Q5", "2026-03-05T25:00", "2026-03-05T10:60", "2026-03-05T10", "0000",
        "0000-01-01", "26-03-05", "05.03.2026", "2026-03-05x", "x2026-03-05", "[[2026]]",
        5, -2026, "2026-03-05T10:30+9", "٢٠٢٦-٠٣-٠٥",
    ],
)  # fmt: skip
def test_what_is_no_date_is_none(value: object) -> None:
    assert parse_interval(value) is None


def test_a_number_too_long_to_write_out_is_none() -> None:
    assert parse_interval(10**5000) is None


@pytest.mark.parametrize(
    "value",
    [
        "9999", "9999-12", "9999-12-31", "9999-12-31T23:59", "9999-12-31T23:59:59",
        "9999-W52", "9999-Q4", "99991231", "9999-12-31T23:59:59-12:00",
        "0001-01-01T00:00+14:00",
    ],
)  # fmt: skip
@pytest.mark.parametrize("zone", ["", "Pacific/Kiritimati", "America/Los_Angeles"])
def test_the_ends_of_time_are_dates_too(value: str, zone: str) -> None:
    """`valid_until: 9999-12-31` is how people write "never"."""
    found = parse_interval(value, zone)
    assert found is not None
    assert found.start < found.end


@pytest.mark.parametrize("zone", ["", "America/Los_Angeles", "Pacific/Kiritimati"])
def test_a_date_or_time_without_offset_is_the_same_in_every_zone(zone: str) -> None:
    assert parse_interval("2026-06-29", zone) == day("2026-06-29")
    found = parse_interval("2026-06-29T23:30", zone)
    assert found is not None
    assert found.start == at("2026-06-29T23:30")


@pytest.mark.parametrize(
    ("value", "zone", "expected"),
    [
        ("2026-06-29T23:30Z", "", "2026-06-29T23:30"),
        ("2026-06-29T23:30+02:00", "", "2026-06-29T23:30"),
        ("2026-06-29T23:30Z", "Europe/Berlin", "2026-06-30T01:30"),
        ("2026-01-29T23:30z", "Europe/Berlin", "2026-01-30T00:30"),
        ("2026-06-29T23:30:15.5Z", "Europe/Berlin", "2026-06-30T01:30:15"),
        ("2026-06-29T23:30+0200", "Europe/Berlin", "2026-06-29T23:30"),
        ("2026-06-29 23:30 +02:00", "America/New_York", "2026-06-29T17:30"),
        ("2026-06-29T23:30+02", "America/New_York", "2026-06-29T17:30"),
        ("2026-06-29T23:30-10:00", "Pacific/Kiritimati", "2026-06-30T23:30"),
    ],
)
def test_an_offset_counts_only_where_a_zone_is_set(
    value: str, zone: str, expected: str
) -> None:
    found = parse_interval(value, zone)
    assert found is not None
    assert found.start == at(expected)
    assert found.precise


@given(st.text(st.sampled_from("0123456789-TWQ:Z+. "), max_size=24) | st.integers())
def test_any_text_is_a_sound_interval_or_none(value: object) -> None:
    found = parse_interval(value, "Europe/Berlin")
    assert found is None or found.start < found.end


@given(st.datetimes(min_value=at("1000-01-01")))
def test_what_python_writes_is_read(moment: datetime) -> None:
    written = moment.isoformat(timespec="seconds")
    found = parse_interval(written)
    assert found is not None
    assert found.start == moment.replace(microsecond=0)
    whole = parse_interval(moment.date().isoformat())
    assert whole is not None
    assert whole.overlaps(found)


def test_intervals_that_only_touch_do_not_overlap() -> None:
    assert not day("2026-03-05").overlaps(day("2026-03-06"))
    assert day("2026-03-05").overlaps(between("2026-03-01", "2026-03-06"))


# -- names of files -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("2023-09-12", "2023-09-12"),
        ("2023_09_12", "2023-09-12"),
        ("2023.09.12", "2023-09-12"),
        ("20230912", "2023-09-12"),
        ("2023-09-12 Meeting", "2023-09-12"),
        ("Meeting 2023-09-12", "2023-09-12"),
        ("Meeting (2023-09-12)", "2023-09-12"),
        ("IMG_20230912_101530", "2023-09-12"),
        ("202309121015 Zettel", "2023-09-12"),
        ("20230912101559", "2023-09-12"),
        ("2023-09-12T1015", "2023-09-12"),
        ("2023-09-12-1", "2023-09-12"),
        ("2023-13-40 2023-09-12", "2023-09-12"),
        ("a.2023.09.12.md", "2023-09-12"),
    ],
)
def test_a_date_in_a_name_is_found(stem: str, expected: str) -> None:
    assert date_in_name(stem) == day(expected)


@pytest.mark.parametrize(
    "stem",
    [
        "", "Meeting", "2023", "2023-09", "1.2.2023.01", "1.2023.09.12", "2023.09.12.1",
        "2026.4.10", "2023-9-12", "2023-13-01", "2023-02-30", "12023-09-12",
        "2023-09-123", "2023-09_12", "2023 09 12", "0912-20-23", "1234-56-78",
        "123456789012", "202309122560", "49 17620230912123", "3000-01-01",
    ],
)  # fmt: skip
def test_other_numbers_in_a_name_are_no_date(stem: str) -> None:
    assert date_in_name(stem) is None


# -- daily notes ----------------------------------------------------------------------

FORMATS = [
    ("YYYY-MM-DD", "2026-06-29", "2026-06-29"),
    ("", "2026-06-29", "2026-06-29"),
    ("YYYYMMDD", "20260629", "2026-06-29"),
    ("YYYY_MM_DD", "2026_06_29", "2026-06-29"),
    ("DD.MM.YYYY", "29.06.2026", "2026-06-29"),
    ("D.M.YY", "3.6.26", "2026-06-03"),
    ("MM-DD-YYYY", "06-05-2026", "2026-06-05"),
    ("YYYY/MM/YYYY-MM-DD", "2026/06/2026-06-29", "2026-06-29"),
    ("YYYY/MM/YYYY-MM-DD", "any/where/2026/06/2026-06-29", "2026-06-29"),
    ("YYYY/MM/DD", "2026/06/29", "2026-06-29"),
    ("YYYY/MM-MMMM/YYYY-MM-DD-dddd", "2026/06-Juni/2026-06-29-Montag", "2026-06-29"),
    ("dddd, MMMM Do YYYY", "Monday, June 29th 2026", "2026-06-29"),
    ("MMM D, YYYY", "Sept 3, 2026", "2026-09-03"),
    ("Do MMMM YYYY", "1st May 2026", "2026-05-01"),
    ("Do MMMM YYYY", "1er mai 2026", None),
    ("[Daily] YYYY-MM-DD", "Daily 2026-06-29", "2026-06-29"),
    ("YYYY-MM-DD [at] HH.mm", "2026-06-29 at 10.30", "2026-06-29"),
    ("[day/night] YYYY-MM-DD", "day/night 2026-06-29", "2026-06-29"),
    ("YYYY年MM月DD日", "2026年06月29日", "2026-06-29"),
    ("YYYY-[D]DDDD", "2026-D180", None),
    ("gggg-[W]ww", "2026-W27", None),
    ("YYYY.MM.DD ddd", "2026.06.29 Mo.", "2026-06-29"),
]


@pytest.mark.parametrize(("moment_format", "path", "expected"), FORMATS)
def test_a_daily_note_is_known_by_obsidians_format(
    moment_format: str, path: str, expected: str | None
) -> None:
    found = daily_pattern(moment_format).search(path)
    assert found is not None
    assert date_of_daily(found) == (day(expected) if expected else None)


@pytest.mark.parametrize(
    ("moment_format", "path"),
    [
        ("YYYY-MM-DD", "2026-06-29 Meeting"),
        ("YYYY-MM-DD", "x2026-06-29"),
        ("YYYY-MM-DD", "2026x06x29"),
        ("DD.MM.YYYY", "29x06x2026"),
        ("YYYY/MM/YYYY-MM-DD", "2025/06/2026-06-29"),
        ("YYYY/MM/DD", "29"),
        ("YYYY/MM/DD", "notes/29"),
        ("[Daily] YYYY-MM-DD", "2026-06-29"),
        ("dddd, MMMM Do YYYY", "Monday, June 2026"),
        ("Do MMM YYYY", "Do MMM YYYY"),
    ],
)
def test_other_names_are_no_daily_notes(moment_format: str, path: str) -> None:
    assert daily_pattern(moment_format).search(path) is None


def test_an_impossible_day_in_a_daily_name_is_no_date() -> None:
    found = daily_pattern("DD.MM.YYYY").search("31.02.2026")
    assert found is not None
    assert date_of_daily(found) is None


@given(st.text(st.sampled_from("YMDdoQwW[()*+.?^$|\\/- h"), max_size=60))
def test_what_stands_in_brackets_matches_itself_alone(literal: str) -> None:
    found = daily_pattern(f"[x{literal}]YYYY").search(f"x{literal}2026")
    assert found is not None
    assert daily_pattern(f"-[{literal}x]-").search(f"-{literal}y-") is None


@given(st.text(st.sampled_from("YMDdoQwWHhmsAaXxZeEgG[]*+?|()"), max_size=100))
def test_any_format_makes_a_pattern_that_a_plain_name_does_not_meet(
    moment_format: str,
) -> None:
    assert daily_pattern(moment_format + "YYYY").search("no such note") is None


def test_no_format_and_no_name_take_long() -> None:
    formats = [
        "MMMMMMMddddddddddAa" * 4,
        "MMMM[a]MMM[a]dddd[a]ddd[a]dd[a]A[a]a[a]",
        "Mo[a]Do[a]DDDo[a]do[a]wo[a]Wo[a]Qo[a]",
        "MDHhkmswWDDDXxdEe",
        "[" * 80,
        "YYYY" * 1000,
    ]
    names = ["a" * 255, "1" * 255, "1a" * 127, "a/" * 2000, "a" * 4000, "1a" * 2000]
    started = time.process_time()
    for moment_format in formats:
        pattern = daily_pattern(moment_format)
        for name in names:
            assert pattern.search(name + "!") is None
    for name in (*names, "2023-" * 1000, "2023.09.12." * 400):
        date_in_name(name)
        parse_interval(name + " " * 100_000 + "x")
    assert time.process_time() - started < 2.0


# -- ids ------------------------------------------------------------------------------


@given(
    st.datetimes(min_value=at("1970-01-01"), max_value=at("9999-12-31")),
    st.text(max_size=5),
)
def test_the_time_in_an_id_comes_back(moment: datetime, key: str) -> None:
    found = time_of_ulid(derived_id(moment, "adopt", key))
    assert found is not None
    # the sum in `derived_id` is a float's: exact to a millisecond
    assert abs(found - moment) <= timedelta(milliseconds=2)


def test_an_id_of_any_case_holds_the_time_that_ulid_says() -> None:
    # 01ARYZ6S41 is 1469918176385 ms (the example of the ULID specification)
    expected = at("1970-01-01") + timedelta(milliseconds=1469918176385)
    assert time_of_ulid("m-01ARYZ6S41TSV4RRFFQ69G5FAV") == expected
    assert time_of_ulid("m-01aryz6s41tsv4rrffq69g5fav") == expected


@pytest.mark.parametrize(
    "note_id",
    [
        "", "m-", "01ARYZ6S41TSV4RRFFQ69G5FAV", "m-01ARYZ6S41TSV4RRFFQ69G5FA",
        "m-01ARYZ6S41TSV4RRFFQ69G5FAVX", "m-01ARYZ6S41TSV4RRFFQ69G5FAU",
        "M-01ARYZ6S41TSV4RRFFQ69G5FAV", "m-ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "m-01ARYZ6S41TSV4RRFFQ69G5FAß", "m-٠١ARYZ6S41TSV4RRFFQ69G5FAV", "2026-03-05",
    ],
)  # fmt: skip
def test_other_ids_hold_no_time(note_id: str) -> None:
    assert time_of_ulid(note_id) is None
