"""Plans by time, and filters by date that find their occurrences."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mindcache.app import App
from mindcache.errors import UsageError
from mindcache.recall import Ask, Filters
from mindcache.recall.agenda import Wanted, agenda
from tests.conftest import NOW
from tests.test_write_moving import play

WEEKLY = (
    "---\nid: weekly\ntype: plan\ntags: [client/acme]\ntime_start: 2026-11-02T09:00\n"
    "time_end: 2026-11-02T10:00\nrecurrence: RRULE:FREQ=WEEKLY;UNTIL=20270101\n---\n"
    "The weekly meeting.\n\n"
    "- 2026-11-09 missed: ill ^o-20261109\n"
    "- 2026-11-23 moved to 2026-11-24T15:00: hall ^o-20261123\n"
    "- 2026-12-07 canceled ^o-20261207\n"
)
FILES = {
    "Weekly.md": WEEKLY,
    "Trip.md": "---\ntype: plan\nall_day: true\ntime_start: 2026-12-24\n"
    "time_end: 2026-12-27\nlocation: Oslo\n---\nSkiing.\n",
    "Birthday.md": "---\ntype: entity\ntime_start: 1980-12-03\n"
    "recurrence: RRULE:FREQ=YEARLY\n---\nShe was born.\n",
    "Old.md": "---\ntype: plan\ntime_start: 2019-05-01T10:00\n---\nOld.\n",
    "Someday.md": "---\ntype: plan\ntags: [client/zenith]\n---\nSomeday.\n",
    "Fact.md": "A fact of 2026.\n",
}


@pytest.fixture
def app(make_vault, make_app) -> App:
    return make_app(make_vault(FILES))


def look(app: App, wanted: Wanted, home: str = "") -> list[tuple[str, str, str]]:
    """(title, start, status) of each occurrence."""
    found = agenda(app.reader(), wanted, NOW.replace(tzinfo=UTC), home)
    return [
        (
            o.node.title,
            o.occurrence.start.isoformat(timespec="minutes"),
            o.occurrence.status,
        )
        for o in found.occasions
    ]


@pytest.mark.parametrize(
    ("wanted", "low", "high"),
    [
        (Wanted("upcoming"), "2026-11-30", "2028-01-01"),
        (Wanted("due"), "2025-01-01", "2026-12-01"),
        (Wanted(""), "2025-01-01", "2028-01-01"),
        (Wanted("upcoming", start="2026-12-05"), "2026-12-05", "2028-01-01"),
    ],
)
def test_the_days_that_were_asked_for_are_told(
    app: App, wanted: Wanted, low: str, high: str
) -> None:
    found = agenda(app.reader(), wanted, NOW.replace(tzinfo=UTC), "")
    assert (str(found.low.date()), str(found.high.date())) == (low, high)


def test_upcoming_is_what_is_not_over(app: App) -> None:
    assert look(app, Wanted("upcoming", end="2026-12-28")) == [
        ("Birthday", "2026-12-03T00:00", "active"),
        ("Weekly", "2026-12-07T09:00", "canceled"),
        ("Weekly", "2026-12-14T09:00", "planned"),
        ("Weekly", "2026-12-21T09:00", "planned"),
        ("Trip", "2026-12-24T00:00", "planned"),
        ("Weekly", "2026-12-28T09:00", "planned"),
    ]


def test_due_is_what_is_over_and_still_planned_the_latest_first(app: App) -> None:
    assert look(app, Wanted("due")) == [
        ("Weekly", "2026-11-30T09:00", "planned"),
        ("Weekly", "2026-11-24T15:00", "planned"),
        ("Weekly", "2026-11-16T09:00", "planned"),
        ("Weekly", "2026-11-02T09:00", "planned"),
    ]
    assert look(app, Wanted("due", start="2019"))[-1][0] == "Old"


def test_open_is_whatever_is_planned(app: App) -> None:
    assert {s for *_, s in look(app, Wanted("open"))} == {"planned"}
    assert len(look(app, Wanted("open", start="2026-12"))) == 4


def test_each_narrowing_narrows(app: App) -> None:
    assert look(app, Wanted(statuses=("Missed",))) == [
        ("Weekly", "2026-11-09T09:00", "missed")
    ]
    tagged = Wanted(filters=Filters(tags=("client/acme",)), start="2026-12-28")
    assert [t for t, *_ in look(app, tagged)] == ["Weekly"]
    assert look(app, Wanted(start="last week", end="last week")) == [
        ("Weekly", "2026-11-24T15:00", "planned")
    ]
    found = agenda(app.reader(), Wanted("due", limit=1), NOW.replace(tzinfo=UTC), "")
    assert (len(found.occasions), found.left_out, found.order) == (1, 3, "latest")
    assert found.undated == 1


def test_dates_past_the_window_are_expanded(app: App) -> None:
    assert look(app, Wanted(start="2040", end="2041")) == [
        ("Birthday", "2040-12-03T00:00", "active"),
        ("Birthday", "2041-12-03T00:00", "active"),
    ]
    assert look(app, Wanted(start="2040"))[0][1] == "2040-12-03T00:00"
    assert ("Old", "2019-05-01T10:00", "planned") in look(app, Wanted(end="2019"))
    assert look(app, Wanted(start="2024-12", end="2025-12-03")) == [
        ("Birthday", "2024-12-03T00:00", "active"),
        ("Birthday", "2025-12-03T00:00", "active"),
    ]


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(start="2026-12", end="2026-11"),
        Wanted(statuses=("plannned",)),
        Wanted(start="soonish"),
        Wanted(filters=Filters(tags=("client/nobody",))),
    ],
)
def test_what_makes_no_sense_is_an_error(app: App, wanted: Wanted) -> None:
    with pytest.raises(UsageError):
        look(app, wanted)


ELSEWHERE = (
    "---\ntype: plan\ntime_start: 2026-12-01T09:00\ntime_end: 2026-12-01T10:00\n"
    "timezone: {}\n---\n"
)


@pytest.mark.parametrize(
    ("zone", "ends"),
    [
        ("Pacific/Auckland", "2026-11-30T21:00"),
        ("Pacific/Kiritimati", "2026-11-30T20:00"),
        ("America/Los_Angeles", "2026-12-01T18:00"),
        ("Pacific/Pago_Pago", "2026-12-01T21:00"),
    ],
)
@pytest.mark.parametrize("home", ["", "Pacific/Auckland", "America/Los_Angeles"])
def test_due_and_upcoming_part_at_an_instant(
    make_vault, make_app, zone: str, ends: str, home: str
) -> None:
    config = {".mindcache/config.toml": f'timezone = "{home}"\n'} if home else {}
    app = make_app(make_vault({"p.md": ELSEWHERE.format(zone), **config}))
    over = datetime.fromisoformat(ends).replace(tzinfo=UTC)
    reader = app.reader()
    for moment, kind in ((over, "due"), (over - timedelta(minutes=1), "upcoming")):
        other = "due" if kind == "upcoming" else "upcoming"
        assert len(agenda(reader, Wanted(kind), moment, home).occasions) == 1
        assert agenda(reader, Wanted(other), moment, home).occasions == ()


def test_a_range_is_in_the_vault_s_zone(make_vault, make_app) -> None:
    root = make_vault(
        {
            "p.md": ELSEWHERE.format("UTC"),
            ".mindcache/config.toml": 'timezone = "Asia/Tokyo"\n',
        }
    )
    app = make_app(root)
    day = Wanted(start="2026-12-01T18:00", end="2026-12-01T18:30")
    assert len(look(app, day, "Asia/Tokyo")) == 1
    assert look(app, Wanted(start="2026-12-01T09:00", end="2026-12-01T10:00")) == []


# -- filters -------------------------------------------------------------------


def listed(app: App, **given: object) -> dict[str, str]:
    """Path → date of what passes the filters."""
    hits = app.ask("exact", Ask("", Filters(**given))).hits  # type: ignore[arg-type]
    return {hit.path: hit.date for hit in hits}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"dates": ("2026-12-03",)}, {"Birthday.md": "2026-12-03"}),
        ({"dates": ("2026-11-24",)}, {"Weekly.md": "2026-11-24T15:00"}),
        ({"dates": ("2026-11-23",)}, {}),
        ({"dates": ("2026-11-02",)}, {"Weekly.md": "2026-11-02T09:00"}),
        ({"dates": ("2026-12-26",)}, {"Trip.md": "2026-12-24"}),
        ({"dates": ("2026-12-27",)}, {}),
        ({"dates": ("2033-12",)}, {"Birthday.md": "2033-12-03"}),
        ({"start": "2027-02"}, {"Birthday.md": "2027-12-03"}),
        ({"start": "2026-12-27", "end": "2026-12-31"},
         {"Weekly.md": "2026-12-28T09:00"}),
        ({"end": "1981"}, {"Birthday.md": "1980-12-03"}),
        ({"start": "1981-01", "end": "1981-12"}, {"Birthday.md": "1981-12-03"}),
        ({"dates": ("next month",), "types": ("plan",)},
         {"Trip.md": "2026-12-24", "Weekly.md": "2026-12-07T09:00"}),
    ],
)  # fmt: skip
def test_a_date_finds_what_takes_place_on_it(
    app: App, given: dict[str, object], expected: dict[str, str]
) -> None:
    assert listed(app, **given) == expected


def test_recall_says_the_date_that_a_hit_passed_by(app: App) -> None:
    ask = Ask("weekly meeting", Filters(dates=("2026-12-14",)), floor=0.0)
    for search in ("deep", "exact", "semantic"):
        (hit, *_) = app.ask(search, ask).hits  # type: ignore[arg-type]
        assert (hit.path, hit.date) == ("Weekly.md", "2026-12-14T09:00")
    (hit, *_) = app.ask("deep", Ask("weekly meeting", floor=0.0)).hits
    assert hit.date == "2026-11-02T09:00"


def test_a_rule_too_long_to_keep_is_found_where_asked(make_vault, make_app) -> None:
    often = (
        "---\ntype: plan\ntime_start: 2025-01-01T00:00\n"
        "recurrence: RRULE:FREQ=MINUTELY;INTERVAL=5\n---\nOften.\n"
    )
    app = make_app(make_vault({"o.md": often}))
    assert listed(app, dates=("2026-11-30T12:00",)) == {"o.md": "2026-11-30T12:00"}
    assert look(app, Wanted("upcoming", limit=1)) == [
        ("o", "2026-11-30T12:05", "planned")
    ]


def test_of_a_series_the_list_of_what_comes_shows_three(make_vault) -> None:
    vault = make_vault(
        {
            "plans/Standup.md": "---\ntype: plan\nsummary: Standup\n"
            "time_start: 2026-01-05T09:00\nrecurrence: RRULE:FREQ=DAILY\n"
            "status: planned\n---\nUp.\n"
        }
    )
    code, out = play(vault, "plans")
    assert code == 0
    assert out.count("plans/Standup.md") == 3
    assert "Standup: " in out
    assert " more to " in out
    whole = play(vault, "plans", "--to", "2027-12-31")[1]
    assert whole.count("plans/Standup.md") == 50


def test_only_series_that_are_shown_say_how_they_go_on(make_vault) -> None:
    plan = (
        "---\ntype: plan\nsummary: {0}\ntime_start: 2026-01-0{1}T09:00\n"
        "recurrence: RRULE:FREQ={2}\nstatus: planned\n---\nUp.\n"
    )
    vault = make_vault(
        {
            "plans/Standup.md": plan.format("Standup", 5, "DAILY"),
            "plans/Rent.md": plan.format("Rent", 1, "YEARLY;BYMONTH=6,7,8,9"),
        }
    )
    out = play(vault, "plans", "--limit", "2")[1]
    assert "Standup: " in out
    assert "Rent: " not in out
