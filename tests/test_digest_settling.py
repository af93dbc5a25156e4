"""Settling: what became of plans that are over, as far as something written says so."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.digest import digest
from mindcache.digest.settling import settle, unconfirmed
from mindcache.digest.step import Night
from mindcache.digest.tree import past_of
from mindcache.note import parse
from mindcache.recurrence import read_plan
from tests.calendars import bring_in, calendar, event, properties
from tests.conftest import NOW

TODAY = NOW.date()


def plan(says: str, day: str, number: int = 1, body: str = "", **more: str) -> str:
    values = {
        "id": f"m-01KB{number:022}",
        "type": "plan",
        "summary": f"{says}.",
        "status": "planned",
        "time_start": day,
        "created_at": "2026-10-01T09:00",
        **more,
    }
    head = "".join(f"{key}: {value}\n" for key, value in values.items())
    return f"---\n{head}tags:\n  - scope/project\n---\n{body or 'To be held.'}\n"


def journal(day: str, *entries: str) -> dict[str, str]:
    text = "\n".join(
        f"- {at} {words} ^j-{n}k3fd2a9xw" for n, (at, words) in enumerate(
            entry.split(" ", 1) for entry in entries
        )
    )  # fmt: skip
    return {
        f"journal/{day}.md": f"---\ntype: journal\ndate: {day}\n---\n{text}\n",
    }


def settled(app: App, now: datetime = NOW):
    report = digest(app, now=now, again=True)
    assert not report.failed
    assert not report.problems
    return next(o for o in report.outcomes if o.step == "settle")


def of(vault: Path, path: str) -> dict[str, object]:
    return dict(parse("", (vault / path).read_bytes()).properties)


BOARD = {"plans/Board.md": plan("Board meeting in Halden", "2026-11-20T14:00",
                                title="Board meeting in Halden")}  # fmt: skip


def test_the_journal_of_the_day_tells_that_it_took_place(make_vault, make_app) -> None:
    vault = make_vault(
        BOARD | journal("2026-11-20", "09:00 Breakfast", "16:10 Halden board meeting went well")
    )  # fmt: skip
    before = (vault / "plans/Board.md").read_text()
    outcome = settled(make_app(vault))
    assert outcome.waiting == []
    assert [line.split(",")[0] for line in outcome.said] == ["occurred plans/Board.md"]
    found = of(vault, "plans/Board.md")
    assert (found["status"], found["outcome"]) == ("occurred", "occurred")
    assert found["occurred_after"] == ["[[2026-11-20#^j-1k3fd2a9xw]]"]
    assert (vault / "plans/Board.md").read_text().endswith("---\nTo be held.\n")
    assert "status: occurred\n" in (vault / "plans/Board.md").read_text()
    assert before != (vault / "plans/Board.md").read_text()
    rows = make_app(vault).reader().links_from("plans/Board.md")
    assert [(r.relation, r.resolved) for r in rows] == [
        ("occurred_after", "journal/2026-11-20.md")
    ]


def test_a_second_run_changes_nothing(make_vault, make_app) -> None:
    vault = make_vault(BOARD | journal("2026-11-20", "16:10 Halden board meeting"))
    app = make_app(vault)
    settled(app)
    before = {p: p.read_bytes() for p in vault.rglob("*") if p.is_file()}
    assert settled(app).changes == []
    assert {p: p.read_bytes() for p in vault.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    "entry",
    [
        "09:00 Halden board meeting at two",  # before it began
        "16:00 The Halden board meeting was called off",
        "16:00 Moved to Friday: the Halden board meeting",
        "16:00 Prepared the board meeting in Halden",
        "16:00 Missed the Halden board meeting",
        "16:00 Board games with Ann",
    ],
)
def test_what_the_journal_does_not_settle(make_vault, make_app, entry) -> None:
    vault = make_vault(BOARD | journal("2026-11-20", entry))
    outcome = settled(make_app(vault))
    assert outcome.changes == []
    assert len(outcome.waiting) == 1
    assert outcome.waiting[0].startswith("plans/Board.md, 2026-11-20: what became")
    assert of(vault, "plans/Board.md")["status"] == "planned"


def test_an_event_of_the_day_tells_it(make_vault, make_app) -> None:
    note = (
        "---\nid: m-01KB0000000000000000000077\ntype: event\nsummary: We met the board.\n"
        "time_start: 2026-11-20T15:00\ncreated_at: 2026-11-20T18:00\n"
        "tags:\n  - scope/project\n---\nIt was long. [[Board]]\n"
    )
    vault = make_vault(BOARD | {"memory/Halden.md": note})
    before = note.encode()
    assert len(settled(make_app(vault)).said) == 1
    assert of(vault, "plans/Board.md")["occurred_after"] == ["[[Halden]]"]
    assert (vault / "memory/Halden.md").read_bytes() == before


def test_of_another_day_nothing_tells(make_vault, make_app) -> None:
    vault = make_vault(BOARD | journal("2026-11-21", "16:10 Halden board meeting"))
    assert settled(make_app(vault)).changes == []


@pytest.mark.parametrize("title", ["Canceled: Board meeting", "Board meeting (cancelled)",
                                   "CANCELLED - Board", "Abgesagt: Vorstand"])  # fmt: skip
def test_it_says_so_itself(make_vault, make_app, title) -> None:
    vault = make_vault(
        {"plans/B.md": plan("Board", "2026-11-20T14:00", title=f'"{title}"')}
    )
    assert settled(make_app(vault)).said[0].startswith("canceled plans/B.md")
    assert of(vault, "plans/B.md")["outcome"] == "canceled"


@pytest.mark.parametrize("title", ["Talk about canceled flights", "Cancel the gym"])
def test_what_only_speaks_of_canceling(make_vault, make_app, title) -> None:
    vault = make_vault({"plans/B.md": plan("Board", "2026-11-20", title=title)})
    assert settled(make_app(vault)).changes == []


@pytest.mark.parametrize(
    ("tasks", "outcome"),
    [
        ("- [x] Send invoices", "occurred"),
        ("- [ ] Send invoices", "missed"),
        ("- [x] Send the invoices\n- [ ] Buy milk", "planned"),
        ("- [-] Send invoices", "missed"),
        ("Some words.\n\n- [ ] Buy stamps", "planned"),
        ("Some words.\n\n- [ ] Send invoices", "missed"),
        ("```\n- [x] Send invoices\n```", "planned"),
    ],
)
def test_its_own_task(make_vault, make_app, tasks, outcome) -> None:
    vault = make_vault(
        {"plans/I.md": plan("Send invoices", "2026-11-20", title="Send invoices", body=tasks)}
    )  # fmt: skip
    settled(make_app(vault))
    assert of(vault, "plans/I.md")["status"] == outcome


def test_what_is_not_over_or_settled_is_left_alone(make_vault, make_app) -> None:
    files = {
        "plans/A.md": plan("Board", "2026-12-20T14:00", title="Canceled: Board"),
        "plans/B.md": plan("Board", "2026-11-20", 2, status="missed", title="X (canceled)"),
        "plans/C.md": plan("Board", "2026-11-20", 3, status="archived", title="X (canceled)"),
        "plans/D.md": plan("Board", "2026-11-30", 4, title="X (canceled)"),  # today
    }  # fmt: skip
    files["plans/A.md"] = files["plans/A.md"].replace(
        "Canceled: Board", '"X (canceled)"'
    )
    vault = make_vault(files)
    outcome = settled(make_app(vault))
    assert (outcome.changes, outcome.waiting) == ([], [])


def test_opened_again_it_stays_open(make_vault, make_app) -> None:
    vault = make_vault(BOARD | journal("2026-11-20", "16:10 Halden board meeting"))
    app = make_app(vault)
    settled(app)
    path = vault / "plans/Board.md"
    path.write_text(
        path.read_text()
        .replace("status: occurred", "status: planned")
        .replace("outcome: occurred\n", "")
    )
    outcome = settled(app)
    assert outcome.changes == []
    assert len(outcome.waiting) == 1
    # At another time it is another occurrence.
    path.write_text(path.read_text().replace("2026-11-20T14:00", "2026-11-20T15:00"))
    assert len(settled(app).said) == 1


def test_of_a_series_only_items_are_written(make_vault, make_app) -> None:
    rule = '"RRULE:FREQ=WEEKLY"'
    vault = make_vault(
        {"plans/Standup.md": plan("Standup of the crew", "2026-01-05T09:00",
                                  title="Standup of the crew", recurrence=rule)}
        | journal("2026-11-09", "09:20 Standup with the crew")
        | journal("2026-11-16", "09:20 The crew skipped the standup")
        | journal("2026-03-02", "09:20 Standup with the crew")
    )  # fmt: skip
    head = (vault / "plans/Standup.md").read_text().partition("---\nTo be")[0]
    outcome = settled(make_app(vault))
    text = (vault / "plans/Standup.md").read_text()
    assert text.startswith(head)
    item = "- 2026-11-09 occurred: [[2026-11-09#^j-0k3fd2a9xw]] ^o-20261109"
    assert text.endswith(f"To be held.\n\n## Outcomes\n\n{item}\n")
    # The last 60 days, asked for at once; and what was doubted is quoted.
    (asked,) = outcome.waiting
    assert asked.startswith(
        "plans/Standup.md: 8 since 2026-10-05, what became of them?"
    )
    assert "skipped the standup" in asked
    assert asked.endswith(" occurred --on DATE")
    (due,) = unconfirmed(make_app(vault))
    assert due.occurrence.start.date().isoformat() == "2026-11-30"
    assert settled(make_app(vault)).changes == []


def test_a_task_in_a_series_is_of_none_of_its_dates(make_vault, make_app) -> None:
    rule = '"RRULE:FREQ=WEEKLY"'
    for mark in " x":
        body = f"- [{mark}] Standup"
        files = {"plans/S.md": plan("Standup", "2026-11-02T09:00", body=body,
                                    title="Standup", recurrence=rule)}  # fmt: skip
        assert settled(make_app(make_vault(files), f"cache{mark}")).changes == []


def test_settled_by_a_clock_that_was_ahead_it_is_open_again(
    make_vault, make_app
) -> None:
    vault = make_vault(
        {"plans/I.md": plan("Send invoices", "2026-12-20", title="Send invoices",
                            body="- [ ] Send invoices")}
    )  # fmt: skip
    before = (vault / "plans/I.md").read_bytes()
    app = make_app(vault)
    settled(app, NOW + timedelta(days=30))
    assert of(vault, "plans/I.md")["status"] == "missed"
    assert settled(app).said == ["opened   plans/I.md: it was settled on 2026-12-30"]
    assert (vault / "plans/I.md").read_bytes() == before
    assert settled(app).changes == []
    settled(app, NOW + timedelta(days=21))
    assert of(vault, "plans/I.md")["status"] == "missed"


def test_a_plain_plan_is_asked_for_and_never_written(make_vault, make_app) -> None:
    vault = make_vault(
        {"Trip.md": "---\ntype: plan\ntime_start: 2026-11-20\n---\nCanceled.\n"}
    )
    outcome = settled(make_app(vault))
    assert outcome.changes == []
    assert outcome.waiting == [
        "Trip.md, 2026-11-20: what became of it? mindcache plan Trip.md occurred"
    ]


def test_what_waits_at_the_start_of_a_session(make_vault, make_app) -> None:
    vault = make_vault(
        BOARD
        | {
            "plans/Old.md": plan("Old", "2026-02-20", 2),
            "plans/New.md": plan("New", "2026-11-28", 3),
            "plans/Far.md": plan("Far", "2027-02-20", 4),
        }
    )
    found = [o.node.path for o in unconfirmed(make_app(vault))]
    assert found == ["plans/New.md", "plans/Board.md"]
    waiting = settled(make_app(vault)).waiting
    assert [line.split(",")[0] for line in waiting] == found


def test_a_dry_step_writes_nothing(make_vault, make_app) -> None:
    vault = make_vault(BOARD | journal("2026-11-20", "16:10 Halden board meeting"))
    app = make_app(vault)
    outcome = settle(Night(app, past_of([]), NOW, dry_run=True))
    assert len(outcome.changes) == 1
    assert of(vault, "plans/Board.md")["status"] == "planned"


# -- beside a calendar -------------------------------------------------------

WORK = (
    "SUMMARY:Halden board meeting",
    "DTSTART:20261120T140000",
    "DTEND:20261120T150000",
)


def taken_in(app: App, folder: Path, *lines: str) -> str:
    """The path of the plan that a calendar of one event makes or changes."""
    report = bring_in(app, folder, calendar(event(*lines)))
    assert report.failed == []
    return report.plan.steps[0].path


def test_settled_by_a_digest_a_plan_is_no_edit_of_its_owner(
    make_vault, make_app, tmp_path
) -> None:
    vault = make_vault(journal("2026-11-20", "16:10 Halden board meeting held"))
    app = make_app(vault)
    path = taken_in(app, tmp_path, *WORK)
    settled(app)
    assert properties(app, path)["status"] == "occurred"
    before = (vault / path).read_bytes()
    # Taken in again as it was, nothing changes, and nothing is held.
    report = bring_in(app, tmp_path, calendar(event(*WORK)))
    assert [(s.action, s.held) for s in report.plan.steps] == [("unchanged", ())]
    assert (vault / path).read_bytes() == before
    assert settled(app).changes == []
    # Its words change: the outcome stays.
    report = bring_in(app, tmp_path, calendar(event(*WORK, "LOCATION:Room 2")))
    assert [(s.action, s.held) for s in report.plan.steps] == [("changed", ())]
    assert properties(app, path)["status"] == "occurred"
    # The calendar says that it was canceled: it knows better than a guess.
    bring_in(app, tmp_path, calendar(event(*WORK, "STATUS:CANCELLED")))
    found = properties(app, path)
    assert (found["status"], found["outcome"]) == ("canceled", "canceled")


def test_put_off_after_it_was_settled_it_is_open_again(
    make_vault, make_app, tmp_path
) -> None:
    vault = make_vault(journal("2026-11-20", "16:10 Halden board meeting held"))
    app = make_app(vault)
    path = taken_in(app, tmp_path, *WORK)
    settled(app)
    later = [line.replace("20261120", "20261215") for line in WORK]
    bring_in(app, tmp_path, calendar(event(*later)))
    found = properties(app, path)
    assert found["status"] == "planned"
    assert "outcome" not in found


def test_what_its_owner_settled_holds_against_both(
    make_vault, make_app, tmp_path
) -> None:
    vault = make_vault(journal("2026-11-20", "16:10 Halden board meeting held"))
    app = make_app(vault)
    path = taken_in(app, tmp_path, *WORK)
    full = vault / path
    full.write_text(
        full.read_text().replace("status: planned", "status: missed\noutcome: missed")
    )
    assert settled(app).changes == []
    report = bring_in(app, tmp_path, calendar(event(*WORK, "STATUS:CANCELLED")))
    assert properties(app, path)["status"] == "missed"
    assert set(report.plan.steps[0].held) == {"status", "outcome"}


def test_declined_by_me_is_missed_and_stays(make_vault, make_app, tmp_path) -> None:
    vault = make_vault(
        {".mindcache/config.toml": 'me = ["ida@example.org"]\n'}
        | journal("2026-11-20", "16:10 Halden board meeting was held without me")
    )
    app = make_app(vault)
    line = "ATTENDEE;CN=Ida;PARTSTAT=DECLINED:mailto:ida@example.org"
    path = taken_in(app, tmp_path, *WORK, line)
    assert properties(app, path)["status"] == "missed"
    assert settled(app).changes == []


def test_items_in_a_series_live_beside_the_calendar(
    make_vault, make_app, tmp_path
) -> None:
    vault = make_vault(journal("2026-11-23", "14:40 Halden board meeting held"))
    app = make_app(vault)
    weekly = [
        "SUMMARY:Halden board meeting",
        "DTSTART:20261102T140000",
        "DTEND:20261102T150000",
        "RRULE:FREQ=WEEKLY",
    ]
    path = taken_in(app, tmp_path, *weekly)
    assert len(settled(app).said) == 1
    before = (vault / path).read_bytes()
    assert b"2026-11-23 occurred: [[2026-11-23#^j-0k3fd2a9xw]] ^o-20261123" in before
    report = bring_in(app, tmp_path, calendar(event(*weekly)))
    assert [(s.action, s.held) for s in report.plan.steps] == [("unchanged", ())]
    bring_in(app, tmp_path, calendar(event(*weekly, "DESCRIPTION:Bring the file")))
    text = (vault / path).read_text()
    assert "Bring the file" in text
    _, note, memory = app.look(path)
    read, problems = read_plan(note, memory.type, memory.status, "")
    assert problems == []
    assert read is not None
    assert [(x.date, x.outcome) for x in read.lines] == [("2026-11-23", "occurred")]


def test_a_plan_that_was_never_confirmed_fades_in_the_end(make_vault, make_app) -> None:
    vault = make_vault({"plans/Old.md": plan("Old", "2026-06-20", 2)})
    app = make_app(vault)
    digest(app, now=NOW)
    assert of(vault, "plans/Old.md")["status"] == "faint"
    assert "outcome" not in of(vault, "plans/Old.md")
    recent = make_vault({"plans/Old.md": plan("Old", "2026-10-20", 2)})
    digest(make_app(recent, "other"), now=NOW + timedelta(days=1))
    assert of(recent, "plans/Old.md")["status"] == "planned"


@pytest.mark.parametrize(
    ("title", "entry"),
    [
        ("Send the report to Olga", "16:10 Sent the report to Olga"),
        ("Buy the new crane", "16:10 Bought the new crane"),
    ],
)
def test_a_verb_that_bends_irregularly_settles_it(
    make_vault, make_app, title, entry
) -> None:
    vault = make_vault(
        {"plans/P.md": plan(title, "2026-11-20T14:00", title=title)}
        | journal("2026-11-20", entry)
    )
    outcome = settled(make_app(vault))
    assert outcome.waiting == []
    assert of(vault, "plans/P.md")["outcome"] == "occurred"


def test_a_plan_that_came_later_is_not_settled_before(make_vault, make_app) -> None:
    text = plan("Board meeting in Halden", "2026-11-20T14:00", status="canceled")
    text = text.replace("status: canceled", "status: planned")
    later = text.replace("2026-10-01T09:00", "2026-11-25T09:00")
    vault = make_vault({"plans/Board.md": later})
    app = make_app(vault)
    assert settled(app, datetime(2026, 11, 22, 9)).waiting == []  # noqa: DTZ001  civil time
    assert len(settled(app, datetime(2026, 11, 26, 9)).waiting) == 1  # noqa: DTZ001  civil time
