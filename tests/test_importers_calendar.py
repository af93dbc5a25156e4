"""Calendars become plans: what an event says, and how a later copy changes its note."""

from __future__ import annotations

import io
import json
import tempfile
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.importers import Context, Item, Source, find
from mindcache.note import emit, parse
from mindcache.recurrence import expand, read_plan
from mindcache.recurrence.lines import read_lines
from tests.calendars import bring_in, bring_in_paths, calendar, event, properties

DENTIST = (
    "SUMMARY:Dentist",
    "DTSTART;TZID=Europe/Berlin:20270305T100000",
    "DTEND;TZID=Europe/Berlin:20270305T110000",
)
WEEKLY = (
    "SUMMARY:Choir",
    "DTSTART;TZID=Europe/Berlin:20270301T190000",
    "DTEND;TZID=Europe/Berlin:20270301T210000",
    "RRULE:FREQ=WEEKLY;COUNT=5",
)


@pytest.fixture
def app(make_vault, make_app):
    return make_app(make_vault({}))


@pytest.fixture
def source(tmp_path) -> Path:
    return tmp_path / "feeds"


def root(app) -> Path:
    return Path(app.vault.root)


def everything(app) -> dict[str, bytes]:
    return {
        str(path.relative_to(root(app))): path.read_bytes()
        for path in sorted(root(app).rglob("*"))
        if path.is_file()
    }


def occurrences(app, path: str, home: str = "") -> list[tuple[str, str]]:
    """(start, status) of what a note's plan comes to."""
    _, note, memory = app.look(path)
    plan, problems = read_plan(note, memory.type, memory.status, home)
    assert plan is not None
    assert problems == []
    found = expand(
        plan, datetime.fromisoformat("2000-01-01"), datetime.fromisoformat("2040-01-01")
    )
    assert found.problems == ()
    return [
        (each.start.isoformat("T", "minutes"), each.status)
        for each in found.occurrences
    ]


def paths(report, action: str = "made") -> list[str]:
    return [step.path for step in report.plan.of(action)]


def read_items(text: str) -> list[Item]:
    """What an importer makes of a calendar, before any vault sees it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "work.ics"
        path.write_text(text)
        importer = find("calendar")
        assert importer is not None
        context = Context(datetime.fromisoformat("2026-11-30"))
        found = importer.read([Source(str(path), "work.ics")], context)
        return [each for each in found if isinstance(each, Item)]


HOSTILE_LINES = st.lists(
    st.tuples(
        st.sampled_from(["- ", "* ", "+ ", "1. ", "2) ", "- [x] ", "  - ", "- - ", "> - ", "", "\u2028- ", "<li>"]),
        st.sampled_from(["2027-03-01", "2027-03-08T19:00", "2027-03-15 19:00", "2027-03-22T18:00Z"]),
        st.sampled_from([" occurred", " missed: ill", " canceled: hostile", " moved to 2027-03-09", " cancelled ^o-20270301", " Occurred"]),
    ).map("".join),
    min_size=1,
    max_size=4,
).map("\n".join)  # fmt: skip


@pytest.mark.parametrize("place", ["DESCRIPTION", "LOCATION", "SUMMARY", "CATEGORIES"])
@given(text=HOSTILE_LINES)
def test_nothing_that_a_calendar_says_settles_an_occurrence(place, text) -> None:
    """The words of others are no outcome of the owner's."""
    written = text.replace("\n", "\\n").replace(",", "\\,")
    plain = [line for line in WEEKLY if not line.startswith(place)]
    shapes = []
    for lines in (plain, [*plain, f"{place}:{written}"]):
        source = calendar(event(*lines))
        (item,) = read_items(source)
        note = parse(
            "n.md", emit({"type": "plan", **item.properties}, item.body).encode()
        )
        assert read_lines(note) == ([], [])
        plan, problems = read_plan(note, "plan", "planned", "")
        assert plan is not None
        assert problems == []
        low, high = (
            datetime.fromisoformat("2027-01-01"),
            datetime.fromisoformat("2028-01-01"),
        )
        shapes.append(
            [(o.start, o.status) for o in expand(plan, low, high).occurrences]
        )
    assert shapes[0] == shapes[1]
    assert len(shapes[0]) == 5


def test_secrets_in_a_calendar_are_taken_out_and_counted(app, source) -> None:
    token = "ghp_" + "a1B2" * 9
    lines = (
        f"SUMMARY:Key {token}",
        f"LOCATION:{token} street",
        f"DESCRIPTION:use {token}",
        *DENTIST[1:],
    )
    report = bring_in(app, source, calendar(event(*lines)))
    assert dict(report.redacted) == {"GitHub token": 3}
    assert len(paths(report)) == 1
    for path, data in everything(app).items():
        assert token not in path
        assert token.encode() not in data
    again = bring_in(app, source, calendar(event(*lines)))
    assert paths(again, "unchanged") == paths(report)


# -- what an event says ------------------------------------------------------


def test_an_event_is_a_plan_under_contract(app, source) -> None:
    details = ("LOCATION:Main St 1", "DESCRIPTION:Bring the card.\\nBe early.")
    report = bring_in(app, source, calendar(event(*DENTIST, *details)))
    assert paths(report) == ["plans/2027-03-05 Dentist.md"]
    text = (root(app) / "plans/2027-03-05 Dentist.md").read_text()
    assert text == (
        "---\n"
        "id: m-01KNZ1SP80DQKSCCE6AQYJHD5W\n"
        "type: plan\n"
        "title: Dentist\n"
        "summary: Dentist\n"
        "status: planned\n"
        "time_start: 2027-03-05T10:00\n"
        "time_end: 2027-03-05T11:00\n"
        "timezone: Europe/Berlin\n"
        "location: Main St 1\n"
        "tags:\n"
        "  - scope/project\n"
        "source_type: calendar\n"
        "source_id: one\n"
        "source_path: work.ics\n"
        "created_at: 2026-11-30T12:00\n"
        "---\n"
        "Bring the card.\n"
        "Be early.\n"
    ).replace(
        "m-01KNZ1SP80DQKSCCE6AQYJHD5W", str(properties(app, paths(report)[0])["id"])
    )
    assert not report.is_lossy


def test_the_id_is_the_same_on_every_machine(app, source, make_vault, make_app) -> None:
    other = make_app(make_vault({}), "other cache")
    text = calendar(event(*DENTIST))
    first = bring_in(app, source, text).plan.steps[0]
    second = bring_in(other, source, text).plan.steps[0]
    assert (first.id, first.change) == (second.id, second.change)


@pytest.mark.parametrize(
    "zone", ["", "America/Los_Angeles", "Pacific/Kiritimati", "UTC"]
)
def test_whole_days_are_the_same_days_everywhere(
    make_vault, make_app, source, zone
) -> None:
    config = f'timezone = "{zone}"\n' if zone else ""
    app = make_app(make_vault({".mindcache/config.toml": config}))
    day = event(
        "SUMMARY:Fair", "DTSTART;VALUE=DATE:20260627", "DTEND;VALUE=DATE:20260628"
    )
    path = paths(bring_in(app, source, calendar(day)))[0]
    assert occurrences(app, path, zone) == [("2026-06-27T00:00", "planned")]
    _, _, memory = app.look(path)
    assert memory.date is not None
    assert memory.date.start == datetime.fromisoformat("2026-06-27")
    assert memory.date.end == datetime.fromisoformat("2026-06-28")


def test_several_whole_days_end_where_the_calendar_says(app, source) -> None:
    days = event(
        "SUMMARY:Trip", "DTSTART;VALUE=DATE:20260627", "DTEND;VALUE=DATE:20260630"
    )
    path = paths(bring_in(app, source, calendar(days)))[0]
    _, _, memory = app.look(path)
    assert memory.date is not None
    assert memory.date.end == datetime.fromisoformat("2026-06-30")


def test_a_length_stands_for_an_end(app, source) -> None:
    long = event("SUMMARY:A", "DTSTART:20270301T100000", "DURATION:PT1H30M", uid="a")
    back = event(
        "SUMMARY:B", "DTSTART:20270301T100000", "DTEND:20270301T090000", uid="b"
    )
    none = event("SUMMARY:C", "DTSTART:20270301T100000", "DURATION:soon", uid="c")
    report = bring_in(app, source, calendar(long, back, none))
    ends = [properties(app, path).get("time_end") for path in paths(report)]
    assert ends == ["2027-03-01T11:30", None, None]
    assert [p.line for p in report.problems] == [9, 19]


@pytest.mark.parametrize(
    ("tzid", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("Eastern Time", "America/New_York"),
        ("/freeassociation.sourceforge.net/Europe/Berlin", "Europe/Berlin"),
        ("/mozilla.org/20050126_1/America/New_York", "America/New_York"),
        ("(UTC+01:00) Amsterdam, Berlin, Bern", "Europe/Amsterdam"),
        ("Somewhere/Else", None),
        ("../../../etc/passwd", None),
    ],
)
def test_a_zone_by_any_name(app, source, tzid, zone) -> None:
    here = event("SUMMARY:A", f'DTSTART;TZID="{tzid}":20270301T100000')
    report = bring_in(app, source, calendar(here))
    found = properties(app, paths(report)[0])
    assert found["time_start"] == "2027-03-01T10:00"
    assert found.get("timezone") == zone
    if zone is None:
        assert [p.code for p in report.problems] == ["calendar-event"]
        assert tzid in report.problems[0].message


def test_a_zone_of_the_calendars_own(app, source) -> None:
    own = (
        "BEGIN:VTIMEZONE\nTZID:Custom\nBEGIN:STANDARD\nDTSTART:19701025T030000\n"
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nTZOFFSETFROM:+0300\nTZOFFSETTO:+0200\n"
        "END:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:19700329T020000\n"
        "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0300\n"
        "END:DAYLIGHT\nEND:VTIMEZONE"
    )
    here = event("SUMMARY:A", "DTSTART;TZID=Custom:20270301T100000")
    report = bring_in(app, source, calendar(here, own))
    zone = properties(app, paths(report)[0])["timezone"]
    assert zone == "Europe/Helsinki"
    assert f"its clocks go like {zone}" in report.problems[0].message


def test_a_zone_that_never_stops_changing_is_not_followed(app, source) -> None:
    own = (
        "BEGIN:VTIMEZONE\nTZID:Bomb\nBEGIN:STANDARD\nDTSTART:19700101T000000\n"
        "RRULE:FREQ=SECONDLY\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nEND:STANDARD\n"
        "END:VTIMEZONE"
    )
    here = event("SUMMARY:A", "DTSTART;TZID=Bomb:20270301T100000")
    report = bring_in(app, source, calendar(own, here))
    assert "timezone" not in properties(app, paths(report)[0])
    assert "no time zone is called 'Bomb'" in report.problems[0].message


def test_a_single_time_in_utc_comes_home(make_vault, make_app, source) -> None:
    config = 'timezone = "Asia/Tokyo"\n'
    app = make_app(make_vault({".mindcache/config.toml": config}))
    once = event(
        "SUMMARY:A", "DTSTART:20270301T100000Z", "DTEND:20270301T110000Z", uid="a"
    )
    daily = event("SUMMARY:B", "DTSTART:20270301T100000Z", "RRULE:FREQ=DAILY", uid="b")
    report = bring_in(app, source, calendar(once, daily))
    first, second = (properties(app, path) for path in paths(report))
    assert (first["time_start"], first["timezone"]) == (
        "2027-03-01T19:00",
        "Asia/Tokyo",
    )
    assert (second["time_start"], second["timezone"]) == ("2027-03-01T10:00", "UTC")


def test_a_to_do(app, source) -> None:
    due = event("SUMMARY:Tax", "DUE;VALUE=DATE:20270415", kind="VTODO", uid="a")
    done = event(
        "SUMMARY:Bike", "DUE:20270301T100000", "STATUS:COMPLETED", kind="VTODO", uid="b"
    )
    some_day = event("SUMMARY:Some day", kind="VTODO", uid="c")
    report = bring_in(app, source, calendar(due, done, some_day))
    tax, bike, open_end = (properties(app, path) for path in paths(report))
    assert (tax["time_start"], tax["status"]) == ("2027-04-15", "planned")
    assert (bike["time_end"], bike["status"]) == ("2027-03-01T10:00", "occurred")
    assert bike["outcome"] == "occurred"
    assert "time_start" not in open_end
    assert paths(report)[2] == "plans/Some day.md"


def test_what_is_no_plan_is_left_and_said(app, source) -> None:
    text = calendar(
        event(*DENTIST, "ATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA", " BBBB"),
        event("SUMMARY:Diary", kind="VJOURNAL", uid="j"),
        event("DTSTART:20270101T000000Z", kind="VFREEBUSY", uid="f"),
    )
    report = bring_in(app, source, text)
    assert [(left.what, left.count) for left in report.left] == [
        ("ATTACH", 1),
        ("VFREEBUSY", 1),
        ("VJOURNAL", 1),
    ]
    assert "BBBB" not in (root(app) / paths(report)[0]).read_text()
    reply = calendar("METHOD:REPLY", event(*DENTIST, uid="r"))
    assert bring_in(app, source, reply).plan.steps == []


# -- series ------------------------------------------------------------------


def test_a_series_with_a_canceled_and_a_moved_occurrence(app, source) -> None:
    canceled = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20270308T190000",
        "DTSTART;TZID=Europe/Berlin:20270308T190000",
        "DTEND;TZID=Europe/Berlin:20270308T210000",
        "SUMMARY:Choir",
        "STATUS:CANCELLED",
    )
    moved = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20270315T190000",
        "DTSTART;TZID=Europe/Berlin:20270316T180000",
        "DTEND;TZID=Europe/Berlin:20270316T190000",
        "SUMMARY:Choir in the church",
    )
    renamed = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20270322T190000",
        "DTSTART;TZID=Europe/Berlin:20270322T190000",
        "DTEND;TZID=Europe/Berlin:20270322T210000",
        "SUMMARY:Concert",
    )
    report = bring_in(app, source, calendar(event(*WEEKLY), canceled, moved, renamed))
    path = paths(report)[0]
    assert (root(app) / path).read_text().partition("## Outcomes\n\n")[2] == (
        "- 2027-03-08 canceled ^o-20270308\n"
        "- 2027-03-15 moved to 2027-03-16T18:00 until 19:00: Choir in the church"
        " ^o-20270315\n"
        "- 2027-03-22: Concert ^c-20270322\n"
    )
    assert occurrences(app, path) == [
        ("2027-03-01T19:00", "planned"),
        ("2027-03-08T19:00", "canceled"),
        ("2027-03-16T18:00", "planned"),
        ("2027-03-22T19:00", "planned"),
        ("2027-03-29T19:00", "planned"),
    ]


def test_an_exception_named_in_another_zone(app, source) -> None:
    series = event(
        "SUMMARY:Call",
        "DTSTART;TZID=Pacific/Auckland:20270301T090000",
        "RRULE:FREQ=DAILY;COUNT=3",
    )
    other = event(  # nine in the morning of the 2nd in Auckland
        "RECURRENCE-ID;TZID=Europe/Paris:20270301T210000",
        "DTSTART;TZID=Europe/Paris:20270301T220000",
    )
    path = paths(bring_in(app, source, calendar(series, other)))[0]
    assert [start for start, _ in occurrences(app, path)] == [
        "2027-03-01T09:00",
        "2027-03-02T10:00",
        "2027-03-03T09:00",
    ]


def test_a_date_taken_out_in_another_zone(app, source) -> None:
    text = calendar(event(*WEEKLY, "EXDATE:20270308T180000Z"))
    path = paths(bring_in(app, source, text))[0]
    assert [start for start, _ in occurrences(app, path)][:2] == [
        "2027-03-01T19:00",
        "2027-03-15T19:00",
    ]


def test_the_end_of_a_rule_is_read_in_the_series_zone(app, source) -> None:
    until = event(*WEEKLY[:3], "RRULE:FREQ=WEEKLY;UNTIL=20270308T180000Z")
    path = paths(bring_in(app, source, calendar(until)))[0]
    assert len(occurrences(app, path)) == 2
    floating = event(
        "SUMMARY:F", "DTSTART:20270301T190000", "RRULE:FREQ=WEEKLY;UNTIL=20270308T190000Z",
        uid="f",
    )  # fmt: skip
    path = paths(bring_in(app, source, calendar(floating)))[0]
    assert len(occurrences(app, path)) == 2


def test_dates_of_their_own_length(app, source) -> None:
    text = calendar(
        event(
            "SUMMARY:Shift",
            "DTSTART;TZID=Europe/Berlin:20270301T100000",
            "DURATION:PT1H",
            "RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20270305T100000/PT3H,"
            "20270308T100000/20270308T110000",
        )
    )
    path = paths(bring_in(app, source, text))[0]
    assert (
        (root(app) / path)
        .read_text()
        .endswith(
            "- 2027-03-05T10:00 moved to 2027-03-05T10:00 until 13:00 ^o-20270305T1000\n"
        )
    )
    assert len(occurrences(app, path)) == 3


def test_all_later_ones_are_not_supported_and_that_is_said(app, source) -> None:
    later = event(
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20270315T190000",
        "DTSTART;TZID=Europe/Berlin:20270315T200000",
        "DTEND;TZID=Europe/Berlin:20270315T220000",
    )
    report = bring_in(app, source, calendar(event(*WEEKLY), later))
    assert "THISANDFUTURE" in report.problems[0].message
    assert report.problems[0].line == 10
    assert occurrences(app, paths(report)[0])[2][0] == "2027-03-15T20:00"


def test_a_revised_series_outgrows_its_old_exceptions(app, source) -> None:
    old = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20270330T190000",
        "DTSTART;TZID=Europe/Berlin:20270331T190000",
        "SEQUENCE:1",
    )
    path = paths(bring_in(app, source, calendar(event(*WEEKLY, "SEQUENCE:2"), old)))[0]
    assert len(occurrences(app, path)) == 5


def test_single_changes_without_their_series(app, source) -> None:
    parts = [
        event(
            f"RECURRENCE-ID:2027030{day}T100000", f"DTSTART:2027030{day}T120000",
            f"DTEND:2027030{day}T1{day + 2}0000", "SUMMARY:Part",
        )
        for day in (1, 2)
    ]  # fmt: skip
    path = paths(bring_in(app, source, calendar(*parts)))[0]
    assert [start for start, _ in occurrences(app, path)] == [
        "2027-03-01T12:00",
        "2027-03-02T12:00",
    ]
    whole = event("SUMMARY:Part", "DTSTART:20270301T100000", "RRULE:FREQ=DAILY;COUNT=3")
    assert paths(bring_in(app, source, calendar(whole)), "changed") == [path]
    assert len(occurrences(app, path)) == 3
    report = bring_in(app, source, calendar(*parts))
    assert "only a part" in report.plan.of("older")[0].reason
    assert len(occurrences(app, path)) == 3


def test_one_uid_for_all_events(app, source) -> None:
    text = calendar(
        event("SUMMARY:A", "DTSTART:20270301T100000", uid="0"),
        event("SUMMARY:B", "DTSTART:20270302T100000", uid="0"),
    )
    assert len(paths(bring_in(app, source, text))) == 2
    assert len(bring_in(app, source, text).plan.of("unchanged")) == 2


def test_rules_without_an_end_or_sense_take_no_time(app, source) -> None:
    rules = (
        "FREQ=SECONDLY", "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=31", "FREQ=DAILY;COUNT=999999999",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=NEVER", "nonsense", "FREQ=DAILY;INTERVAL=0",
    )  # fmt: skip
    text = calendar(
        *(
            event("SUMMARY:A", "DTSTART:20270301T100000Z", f"RRULE:{rule}", uid=str(n))
            for n, rule in enumerate(rules)
        )
    )
    report = bring_in(app, source, text)
    assert len(paths(report)) == len(rules)
    assert "nonsense" in report.problems[0].message.lower()


# -- statuses ----------------------------------------------------------------


def test_canceled_declined_missed_and_vanished_are_four_things(
    make_vault, make_app, source
) -> None:
    config = 'me = ["Me@Example.com"]\n'
    app = make_app(make_vault({".mindcache/config.toml": config}))
    no = "ATTENDEE;CN=Me;PARTSTAT=DECLINED:mailto:me@example.com"
    theirs = "ATTENDEE;CN=Ann;PARTSTAT=DECLINED:mailto:ann@example.com"
    text = calendar(
        event(*DENTIST, "STATUS:CANCELLED", uid="canceled"),
        event(*DENTIST, no, uid="declined"),
        event(*DENTIST, theirs, uid="open"),
        event("SUMMARY:Past", "DTSTART:20200101T100000", uid="past"),
        event("SUMMARY:Off", "DTSTART:20200101T100000", "STATUS:CANCELLED", uid="off"),
    )
    found = [properties(app, path) for path in paths(bring_in(app, source, text))]
    assert [(each["status"], each.get("outcome")) for each in found] == [
        ("canceled", "canceled"),
        ("missed", "missed"),
        ("planned", None),
        ("planned", None),
        ("canceled", "canceled"),
    ]
    before = everything(app)
    report = bring_in(app, source, calendar(event(*DENTIST, no, uid="declined")))
    assert [each.key for each in report.vanished] == [
        "open"
    ]  # ahead, and still planned
    assert everything(app) == before


def test_a_series_that_is_over_has_not_vanished(app, source) -> None:
    over = event(
        "SUMMARY:A", "DTSTART:20260101T100000", "RRULE:FREQ=DAILY;COUNT=3", uid="a"
    )
    goes_on = event("SUMMARY:B", "DTSTART:20260101T100000", "RRULE:FREQ=DAILY", uid="b")
    bring_in(app, source, calendar(over, goes_on))
    report = bring_in(app, source, calendar(event(*DENTIST)))
    assert [each.key for each in report.vanished] == ["b"]
    other = bring_in(app, source, calendar(event(*DENTIST)), name="home.ics")
    assert other.vanished == []  # another calendar says nothing about this one


def test_nothing_has_vanished_from_a_file_that_is_cut_off(app, source) -> None:
    bring_in(app, source, calendar(event(*DENTIST), event(*WEEKLY, uid="two")))
    cut = (
        calendar(event(*DENTIST)).removesuffix("END:VCALENDAR\n")
        + "BEGIN:VEVENT\nUID:t"
    )
    report = bring_in(app, source, cut)
    assert report.vanished == []
    assert report.is_lossy


def test_a_declined_occurrence(make_vault, make_app, source) -> None:
    app = make_app(make_vault({".mindcache/config.toml": 'me = ["Mia"]\n'}))
    no = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20270308T190000",
        "DTSTART;TZID=Europe/Berlin:20270308T190000",
        "DTEND;TZID=Europe/Berlin:20270308T210000",
        "ATTENDEE;CN=mia;PARTSTAT=DECLINED:mailto:m@example.com",
    )
    path = paths(bring_in(app, source, calendar(event(*WEEKLY), no)))[0]
    assert occurrences(app, path)[1] == ("2027-03-08T19:00", "missed")


# -- people ------------------------------------------------------------------


def test_known_people_are_linked_and_others_named(make_vault, make_app, source) -> None:
    ann = "---\ntype: entity\naliases:\n  - ann@example.com\n---\n"
    crane = "---\ntype: entity\n---\n"
    app = make_app(make_vault({"people/Ann Lee.md": ann, "Crane.md": crane}))
    text = calendar(
        event(
            "SUMMARY:About the crane",
            "DTSTART:20270305T100000",
            "ORGANIZER;CN=A. Lee:mailto:ann@example.com",
            "ATTENDEE;CN=Bob:mailto:bob@example.com",
            "ATTENDEE;CUTYPE=ROOM;CN=Room 7:mailto:room@example.com",
        )
    )
    report = bring_in(app, source, text)
    path = paths(report)[0]
    assert properties(app, path)["entities"] == ["[[Crane]]", "[[Ann Lee]]"]
    assert (
        (root(app) / path).read_text().endswith("With [[Ann Lee]] (organizer), Bob.\n")
    )
    assert [who.address for who in report.strangers] == ["bob@example.com"]


# -- again -------------------------------------------------------------------


def test_an_import_twice_changes_nothing(app, source) -> None:
    text = calendar(event(*DENTIST), event(*WEEKLY, uid="two"))
    bring_in(app, source, text)
    before = everything(app)
    report = bring_in(app, source, text)
    assert everything(app) == before
    assert len(report.plan.of("unchanged")) == 2


def test_a_dry_run_says_what_the_real_run_does(app, source) -> None:
    before = everything(app)
    text = calendar(event(*DENTIST), event(*WEEKLY, uid="two"))
    said = bring_in(app, source, text, dry_run=True)
    assert everything(app) == before
    done = bring_in(app, source, text)
    assert said.plan == done.plan
    later = calendar(
        event("SUMMARY:Dentist moved", *DENTIST[1:]), event(*WEEKLY, uid="two")
    )
    said = bring_in(app, source, later, dry_run=True)
    assert said.plan == bring_in(app, source, later).plan


def test_a_move_a_cancellation_and_back(app, source) -> None:
    path = paths(bring_in(app, source, calendar(event(*DENTIST))))[0]
    moved = ("SUMMARY:Dentist", "DTSTART:20270306T090000", "SEQUENCE:1")
    bring_in(app, source, calendar(event(*moved)))
    found = properties(app, path)
    assert found["time_start"] == "2027-03-06T09:00"
    assert found["updated_at"] == "2026-11-30T12:00"
    assert not {"time_end", "timezone"} & found.keys()
    bring_in(app, source, calendar(event(*moved, "STATUS:CANCELLED")))
    assert properties(app, path)["status"] == "canceled"
    bring_in(app, source, calendar(event(*moved)))
    found = properties(app, path)
    assert found["status"] == "planned"
    assert "outcome" not in found


def test_an_older_copy_never_overwrites_a_newer_one(app, source) -> None:
    new = ("SUMMARY:New", "DTSTART:20270305T100000", "SEQUENCE:2")
    old = ("SUMMARY:Old", "DTSTART:20270305T100000", "SEQUENCE:1")
    path = paths(bring_in(app, source, calendar(event(*new))))[0]
    before = everything(app)
    report = bring_in(app, source, calendar(event(*old)))
    assert paths(report, "older") == [path]
    assert everything(app) == before
    stamped = (
        ("SUMMARY:Second", "DTSTART:20270305T100000", "LAST-MODIFIED:20260102T000000Z"),
        ("SUMMARY:First", "DTSTART:20270305T100000", "LAST-MODIFIED:20260101T000000Z"),
    )
    path = paths(bring_in(app, source, calendar(event(*stamped[0], uid="s"))))[0]
    bring_in(app, source, calendar(event(*stamped[1], uid="s")))
    assert properties(app, path)["title"] == "Second"


def test_of_two_copies_in_one_import_the_newer_counts(app, source) -> None:
    new = calendar(event("SUMMARY:New", "DTSTART:20270305T100000", "SEQUENCE:2"))
    old = calendar(event("SUMMARY:Old", "DTSTART:20270305T100000", "SEQUENCE:1"))
    for name, text in (("a.ics", new), ("b/b.ICS", old), ("c.txt", "no calendar")):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    report = bring_in_paths(app, [str(source)])
    assert [step.item.title for step in report.plan.of("made")] == ["New"]
    assert report.sources == 2


def test_what_a_person_changed_holds(app, source) -> None:
    path = paths(bring_in(app, source, calendar(event(*DENTIST, "LOCATION:Here"))))[0]
    full = root(app) / path
    text = full.read_text().replace("status: planned", "status: occurred")
    full.write_text(text.replace("location: Here", "location: There") + "It hurt.\n")
    later = calendar(event(*DENTIST, "LOCATION:Elsewhere", "STATUS:CANCELLED"))
    report = bring_in(app, source, later)
    step = report.plan.steps[0]
    assert set(step.held) == {"status", "location"}
    found = properties(app, path)
    assert (found["status"], found["location"]) == ("occurred", "There")
    assert full.read_text().endswith("It hurt.\n")
    before = everything(app)
    again = bring_in(app, source, later)
    assert again.plan.steps[0].held == ()  # said once
    assert everything(app) == before


def test_an_outcome_said_by_a_person_outlives_the_next_import(app, source) -> None:
    path = paths(bring_in(app, source, calendar(event(*WEEKLY))))[0]
    full = root(app) / path
    full.write_text(
        full.read_text() + "\n## Outcomes\n\n- 2027-03-01 missed: ill ^o-20270301\n"
    )
    off = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20270308T190000",
        "DTSTART;TZID=Europe/Berlin:20270308T190000",
        "STATUS:CANCELLED",
    )
    bring_in(app, source, calendar(event(*WEEKLY), off))
    assert full.read_text().count("## Outcomes") == 1
    assert [status for _, status in occurrences(app, path)][:2] == [
        "missed",
        "canceled",
    ]


def test_a_note_that_faded_is_not_woken_by_its_feed(app, source) -> None:
    path = paths(bring_in(app, source, calendar(event(*DENTIST))))[0]
    full = root(app) / path
    full.write_text(full.read_text().replace("status: planned", "status: faint"))
    report = bring_in(app, source, calendar(event(*DENTIST, "STATUS:CANCELLED")))
    assert report.plan.steps[0].held == ()
    found = properties(app, path)
    assert (found["status"], found["outcome"]) == ("faint", "canceled")
    assert "updated_at" not in found


def test_deleted_stays_deleted_until_it_is_asked_for(app, source) -> None:
    text = calendar(event(*DENTIST), event(*WEEKLY, uid="two"))
    path = paths(bring_in(app, source, text))[0]
    (root(app) / path).unlink()
    report = bring_in(app, source, text)
    assert [step.item.key for step in report.plan.of("left_out")] == ["one"]
    assert not (root(app) / path).exists()
    assert not report.is_lossy
    again = bring_in(app, source, text, again=("one", "three"))
    assert paths(again) == [path]
    assert [p.code for p in again.problems] == ["import-again"]
    assert bring_in(app, source, text).plan.of("left_out") == []


def test_a_note_may_be_moved_and_renamed(app, source) -> None:
    path = paths(bring_in(app, source, calendar(event(*DENTIST))))[0]
    there = root(app) / "Teeth/Ouch.md"
    there.parent.mkdir()
    (root(app) / path).rename(there)
    report = bring_in(app, source, calendar(event("SUMMARY:Teeth", *DENTIST[1:])))
    assert paths(report, "changed") == ["Teeth/Ouch.md"]
    assert properties(app, "Teeth/Ouch.md")["title"] == "Teeth"


def test_a_note_is_known_without_its_ledger(app, source) -> None:
    path = paths(bring_in(app, source, calendar(event(*DENTIST))))[0]
    for entry in (root(app) / ".mindcache/ledger").iterdir():
        entry.unlink()
    app.__dict__.pop("ledger", None)
    report = bring_in(app, source, calendar(event(*DENTIST)))
    assert paths(report, "unchanged") == [path]
    assert app.ledger.made("calendar")


def test_a_note_that_broke_is_not_taken_for_deleted(app, source) -> None:
    path = paths(bring_in(app, source, calendar(event(*DENTIST))))[0]
    full = root(app) / path
    full.write_text(full.read_text().replace("title: Dentist", "title: [Dentist"))
    report = bring_in(app, source, calendar(event(*DENTIST)))
    assert paths(report, "refused") == [path]
    assert report.is_lossy


def test_a_lone_event_changes_nothing_else(app, source) -> None:
    note = b"---\r\ntitle: Mine\r\n---\r\nText"
    (root(app) / "Mine.md").write_bytes(note)
    bring_in(app, source, calendar(event(*DENTIST)))
    assert (root(app) / "Mine.md").read_bytes() == note


# -- broken and hostile ------------------------------------------------------


def test_one_broken_event_never_loses_the_rest(app, source) -> None:
    text = "\n".join(
        [
            "BEGIN:VCALENDAR",
            event("SUMMARY:No day", uid="a"),
            event("SUMMARY:Bad day", "DTSTART:20271341T000000", uid="b"),
            "BEGIN:VEVENT\nUID:c\nSUMMARY:No end\nDTSTART:20270301T100000",
            event(*DENTIST, "DESCRIPTION;X=:\x00\x1b[31mred", "what is this", uid="d"),
            "END:VEVENT",
            "END:VCALENDAR",
        ]
    )
    report = bring_in(app, source, text)
    assert [step.item.title for step in report.plan.of("made")] == ["No end", "Dentist"]
    assert report.is_lossy
    lost = [p for p in report.problems if p.severity == "error"]
    assert [(p.path, p.line) for p in lost] == [("work.ics", 2), ("work.ics", 6)]
    assert all(p.mend for p in report.problems)
    note = (root(app) / report.plan.of("made")[1].path).read_bytes()
    assert b"\x00" not in note
    assert b"\x1b" not in note


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Dear all,\nno calendar here",
        "<html>\n<b>Please log in:</b>\n</html>",
        "\x00" * 900,
    ],
)
def test_what_is_no_calendar_is_refused(app, source, text) -> None:
    report = bring_in(app, source, text)
    assert [p.code for p in report.problems if p.severity == "error"] == [
        "calendar-none"
    ]
    assert report.plan.steps == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_however_it_is_encoded(app, source, encoding, newline) -> None:
    text = calendar(event(*DENTIST[1:], "SUMMARY:Café 東京")).replace("\n", newline)
    report = bring_in(app, source, text.encode(encoding))
    assert [step.item.title for step in report.plan.of("made")] == ["Café 東京"]


def test_folds_within_a_character(app, source) -> None:
    data = calendar(event(*DENTIST[1:], "SUMMARY:Caf\u00e9")).encode()
    folded = data.replace(b"\xc3\xa9", b"\xc3\r\n \xa9")
    assert bring_in(app, source, folded).plan.steps[0].item.title == "Café"


def test_hostile_names_stay_in_the_vault(app, source, tmp_path) -> None:
    titles = (
        "../../up",
        "/etc/passwd",
        "CON",
        "a" * 9_000,
        "\x1b]0;x\x07",
        ".hidden",
        "[[x]]",
    )
    text = calendar(
        *(
            event(
                f"SUMMARY:{title}", "DTSTART:20270301T100000", uid=f"../{n}\x00{title}"
            )
            for n, title in enumerate(titles)
        )
    )
    report = bring_in(app, source, text)
    assert len(paths(report)) == len(titles)
    assert all(Path(path).parent == Path("plans") for path in paths(report))
    outside = {p.name for p in tmp_path.iterdir()} - {root(app).name, "feeds", "cache"}
    assert outside <= {"machine-state", "machine-cache", "machine-config"}
    before = everything(app)
    bring_in(app, source, text)
    assert everything(app) == before


def test_long_lines_and_many_lines_end(app, source) -> None:
    huge = "DESCRIPTION:" + "x" * 300_000
    blob = "ATTACH;ENCODING=BASE64;VALUE=BINARY:" + "\n ".join(["A" * 70] * 20_000)
    many = event(
        "SUMMARY:Many", "DTSTART:20270301T100000", *["ATTENDEE:a@b"] * 6_000, uid="m"
    )
    report = bring_in(app, source, calendar(event(*DENTIST, huge, blob), many))
    assert [step.item.title for step in report.plan.of("made")] == ["Dentist"]
    assert {p.code for p in report.problems} == {"calendar-long", "calendar-large"}
    assert (root(app) / paths(report)[0]).stat().st_size < 25_000


SAMPLE = calendar(
    event(*WEEKLY, "EXDATE;TZID=Europe/Berlin:20270308T190000", "DURATION:PT1H"),
    event(
        "RECURRENCE-ID:20270315T180000Z", "DTSTART:20270315T200000Z", "STATUS:CANCELLED",
        'ATTENDEE;CN="A;B":mailto:a@example.com', "RDATE;VALUE=PERIOD:20270401T100000Z/PT1H",
    ),
    event("SUMMARY:Tax", "DUE;VALUE=DATE:20270415", kind="VTODO", uid="t"),
)  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.integers(0, len(SAMPLE)),
            st.integers(0, 12),
            st.sampled_from(
                ["", "\n", "\n ", ";", ":", ",", '"', "\x00", "é", "99999999", "T", "Z", "-",
                 "\\", "BEGIN:VEVENT\n", "END:VEVENT\n", "VALUE=DATE", "0", "/P1D", "00010101"]
            ),
        ),
        max_size=6,
    )
)  # fmt: skip
def test_whatever_is_damaged_nothing_raises(tmp_path_factory, damage) -> None:
    text = SAMPLE
    for at, gone, new in damage:
        text = text[:at] + new + text[at + gone :]
    path = tmp_path_factory.getbasetemp() / "damaged.ics"
    path.write_bytes(text.encode())
    context = Context(
        datetime.fromisoformat("2026-11-30"), "Asia/Tokyo", ("a@example.com",)
    )
    importer = find("calendar")
    assert importer is not None
    for each in importer.read([Source(str(path), "damaged.ics")], context):
        if isinstance(each, Item):
            data = emit({"type": each.type, **each.properties}, each.body).encode()
            note = parse("x.md", data)
            assert note.problems == ()
            plan, _ = read_plan(note, each.type, "planned", "")
            if plan is not None:
                low = datetime.fromisoformat("2027-01-01")
                expand(plan, low, low.replace(year=9000))


def test_from_standard_input(app, monkeypatch) -> None:
    class Stdin:
        buffer = io.BytesIO(calendar(event(*DENTIST)).encode())

    monkeypatch.setattr("sys.stdin", Stdin())
    report = bring_in_paths(app, ["-"])
    assert properties(app, paths(report)[0])["source_path"] == "stdin"


def test_the_ledger_is_readable_json(app, source) -> None:
    bring_in(app, source, calendar(event(*DENTIST)))
    lines = [
        line
        for file in (root(app) / ".mindcache/ledger").iterdir()
        for line in file.read_text().splitlines()
    ]
    entry = json.loads(lines[0])
    assert (entry["what"], entry["kind"], entry["key"]) == ("made", "calendar", "one")
