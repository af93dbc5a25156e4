"""Settling plans: each transition, on both sides of the date line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from mindcache.errors import EditRefused, Refused, UsageError
from mindcache.memory import Meaning, describe
from mindcache.note import parse
from mindcache.recurrence import Occurrence, expand, read_plan, window
from mindcache.when import Interval, parse_interval
from mindcache.write.plans import Settlement, Verdict, settle

ZONES = [
    "Pacific/Auckland",
    "Pacific/Kiritimati",
    "America/Los_Angeles",
    "Pacific/Pago_Pago",
]
ONCE = (
    b"---\r\ntype: plan   # mine\r\nstatus: planned\r\ntime_start: 2026-03-01T09:00\r\n"
    b"time_end: 2026-03-01T10:00\r\ntimezone: ZONE\r\n---\r\nText.\r\n"
)
SERIES = (
    b"---\ntype: plan\nstatus: planned\ntime_start: 2026-03-01T09:00\n"
    b"time_end: 2026-03-01T10:00\ntimezone: ZONE\nrecurrence: RRULE:FREQ=WEEKLY\n---\n"
    b"Text.\n\n## Outcomes\n\n- 2026-03-08 missed: ill ^o-20260308\n"
    b"- 2026-03-15 moved to 2026-03-16T11:00: hall ^o-20260315\n\nThe end.\n"
)
LATER = datetime(2026, 6, 1, tzinfo=UTC)


def day(text: str) -> Interval:
    found = parse_interval(text)
    assert found is not None
    return found


def run(
    data: bytes,
    outcome: str,
    because: str = "",
    on: str = "",
    now: datetime = LATER,
    home: str = "",
) -> Settlement:
    note = parse("p.md", data)
    verdict = Verdict(outcome, because, day(on) if on else None)
    return settle(data, note, describe(note, Meaning(zone=home)), verdict, now, home)


def occurrences(data: bytes) -> dict[str, Occurrence]:
    note = parse("p.md", data)
    memory = describe(note, Meaning())
    plan, problems = read_plan(note, memory.type, memory.status, "")
    assert plan is not None
    assert problems == []
    return {o.key: o for o in expand(plan, *window(2026)).occurrences}


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("outcome", ["occurred", "missed", "canceled"])
@pytest.mark.parametrize("home", ["", "Asia/Tokyo"])
def test_a_single_plan_gets_status_and_outcome(
    zone: str, outcome: str, home: str
) -> None:
    data = ONCE.replace(b"ZONE", zone.encode())
    done = run(data, outcome, home=home)
    word = outcome.encode()
    assert done.after == data.replace(b"status: planned", b"status: " + word).replace(
        b"---\r\nText", b"outcome: " + word + b"\r\n---\r\nText"
    )
    assert (done.was, done.key) == ("planned", "")
    assert done.changes == {"status": outcome, "outcome": outcome}
    assert run(done.after, outcome, home=home).after == done.after


def test_a_reason_is_kept_in_the_note(zone: str) -> None:
    data = ONCE.replace(b"ZONE", zone.encode())
    done = run(data, "missed", "a cold")
    assert done.after.endswith(
        b"Text.\r\n\r\n## Outcomes\r\n\r\n- 2026-03-01 missed: a cold ^o-20260301\r\n"
    )
    (only,) = occurrences(done.after).values()
    assert (only.status, only.because) == ("missed", "a cold")


def test_nothing_has_occurred_before_it_began(zone: str) -> None:
    data = ONCE.replace(b"ZONE", zone.encode())
    begins = datetime(2026, 3, 1, 9, tzinfo=ZoneInfo(zone))
    just_before = (begins - timedelta(minutes=1)).astimezone(UTC)
    with pytest.raises(Refused, match=f"begins 2026-03-01T09:00 {zone}") as caught:
        run(data, "occurred", now=just_before)
    assert "say canceled" in caught.value.mend
    assert run(data, "occurred", now=begins.astimezone(UTC)).after != data
    for outcome in ("missed", "canceled", "archived"):
        assert run(data, outcome, now=just_before).after != data
    on = run(
        SERIES.replace(b"ZONE", zone.encode()), "occurred", on="2026-03-01", now=begins
    )
    assert on.key == "20260301"


@pytest.mark.parametrize("home", ["", *ZONES])
def test_a_whole_day_begins_where_one_is(zone: str, home: str) -> None:
    data = b"---\ntype: plan\nall_day: true\ntime_start: 2026-06-27\n---\n"
    here = ZoneInfo(home or zone)
    midnight = datetime(2026, 6, 27, tzinfo=here)
    with pytest.raises(Refused, match=r"begins 2026-06-27\b"):
        run(data, "occurred", now=midnight - timedelta(minutes=1), home=home)
    assert run(data, "occurred", now=midnight, home=home).after != data


def test_of_a_series_only_the_line_is_written(zone: str) -> None:
    data = SERIES.replace(b"ZONE", zone.encode())
    done = run(data, "occurred", "went well", on="2026-03-22")
    assert done.after == data.replace(
        b"^o-20260315\n",
        b"^o-20260315\n- 2026-03-22 occurred: went well ^o-20260322\n",
    )
    assert (done.was, done.key, done.changes) == ("planned", "20260322", {})
    assert occurrences(done.after)["20260322"].status == "occurred"
    again = run(done.after, "occurred", on="2026-03-22")
    assert again.after == done.after


@pytest.mark.parametrize("on", ["2026-03-15", "2026-03-16", "2026-03-16T11:00"])
def test_a_moved_occurrence_answers_to_both_dates(zone: str, on: str) -> None:
    done = run(SERIES.replace(b"ZONE", zone.encode()), "missed", "slept", on=on)
    assert (
        b"- 2026-03-15 moved to 2026-03-16T11:00, missed: hall; slept ^o-20260315\n"
        in done.after
    )
    moved = occurrences(done.after)["20260315"]
    assert (moved.status, moved.start.isoformat()) == ("missed", "2026-03-16T11:00:00")


def test_a_date_may_be_the_reader_s_own() -> None:
    """It is still the first of March where the second has begun."""
    data = SERIES.replace(b"ZONE", b"Pacific/Auckland")
    done = run(data, "occurred", on="2026-02-28", home="America/Los_Angeles")
    assert done.key == "20260301"


def test_settling_anew_needs_a_reason_and_keeps_what_it_was(zone: str) -> None:
    data = SERIES.replace(b"ZONE", zone.encode())
    with pytest.raises(Refused, match="is settled: it is missed") as caught:
        run(data, "occurred", on="2026-03-08")
    assert "--because" in caught.value.mend
    done = run(data, "occurred", "came late", on="2026-03-08")
    assert (
        b"- 2026-03-08 occurred: came late (was missed: ill) ^o-20260308\n"
        in done.after
    )
    once = run(ONCE.replace(b"ZONE", zone.encode()), "missed").after
    with pytest.raises(Refused, match="it is missed"):
        run(once, "canceled")
    assert b"status: canceled" in run(once, "canceled", "called off").after


@pytest.mark.parametrize("outcome", ["occurred", "missed"])
def test_of_a_series_one_must_be_named(zone: str, outcome: str) -> None:
    data = SERIES.replace(b"ZONE", zone.encode())
    with pytest.raises(UsageError, match="is a series") as caught:
        run(data, outcome)
    assert "--on 2026-05-31T09:00" in caught.value.mend
    with pytest.raises(UsageError, match="no occurrence on 2026-03-03") as caught:
        run(data, outcome, on="2026-03-03")
    assert "the nearest: 2026-03-01T09:00" in caught.value.mend
    with pytest.raises(UsageError, match="takes place 5 times then"):
        run(data, outcome, on="2026-03")


@pytest.mark.parametrize("outcome", ["canceled", "archived"])
def test_a_whole_series_can_end(zone: str, outcome: str) -> None:
    data = SERIES.replace(b"ZONE", zone.encode())
    done = run(data, outcome, "moved away")
    assert (
        f"- 2026-06-01: {outcome} (the whole series): moved away\n".encode()
        in done.after
    )
    found = occurrences(done.after)
    assert found["20260308"].status == "missed"
    assert found["20260322"].status == outcome
    assert ("outcome" in done.changes) == (outcome == "canceled")


def test_archiving_keeps_the_outcome(zone: str) -> None:
    settled = run(ONCE.replace(b"ZONE", zone.encode()), "occurred").after
    done = run(settled, "archived")
    assert done.after == settled.replace(b"status: occurred", b"status: archived")
    assert [o.status for o in occurrences(done.after).values()] == ["occurred"]
    with pytest.raises(UsageError, match="only a whole plan"):
        run(SERIES.replace(b"ZONE", zone.encode()), "archived", on="2026-03-08")


def test_a_plan_without_a_date_can_be_settled() -> None:
    data = b"---\ntype: plan\n---\nSomeday."
    assert run(data, "occurred", "at last").after == (
        b"---\ntype: plan\nstatus: occurred\noutcome: occurred\n---\nSomeday.\n\n"
        b"## Outcomes\n\n- 2026-06-01: occurred: at last"
    )
    with pytest.raises(UsageError, match="no time_start"):
        run(data, "occurred", on="2026-03-01")


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"---\ntype: fact\n---\n", Refused, "not a plan"),
        (b"---\ntype: plan\ntype: plan\n---\n", EditRefused, "twice"),
        (b"---\nbroken: [\n---\n", EditRefused, "can't read"),
        ("---\ntype: plan\ntime_start: 2026-03-01\n---\n\xe9".encode("latin-1"),
         EditRefused, "Windows-1252"),
        (b"---\ntype: plan\ntime_start: 2026-03-01\n---\n```\nopen", Refused,
         "no text is read"),
    ],
)  # fmt: skip
def test_what_can_t_be_written_safely_is_refused(
    data: bytes, error: type[Refused], words: str
) -> None:
    with pytest.raises(error, match=words):
        run(data, "missed", "why")


def test_a_byte_order_mark_stays() -> None:
    data = b"\xef\xbb\xbf" + SERIES.replace(b"ZONE", b"UTC")
    done = run(data, "missed", on="2026-03-22")
    assert done.after.startswith(b"\xef\xbb\xbf---\n")
    assert done.diff().count("\n+") == 2
