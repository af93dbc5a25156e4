"""Questions that hold nothing but a time are answered by what is of it."""

from __future__ import annotations

import pytest

from mindcache.app import Mode
from mindcache.digest import digest
from mindcache.recall import Ask, Filters
from mindcache.recall.asked_time import asked_times
from tests.conftest import NOW
from tests.themes import notes

NOTES = {
    "journal/2026-11-29.md": (
        "---\ntype: journal\n---\n"
        "- 09:10 Moved the site to the new host ^j-aaaaaaaaaa\n"
        "- 15:40 Called the harbour office ^j-bbbbbbbbbb\n"
    ),
    "journal/2026-11-30.md": (
        "---\ntype: journal\n---\n- 08:30 Baked rye bread ^j-cccccccccc\n"
    ),
    "journal/2026-11-24.md": (
        "---\ntype: journal\n---\n- 11:00 Painted the hull ^j-dddddddddd\n"
    ),
    "Launch.md": (
        "---\ntype: event\ntime_start: 2026-11-29T18:00:00\nimportance: 0.9\n"
        "summary: The boat was launched.\n---\nThe boat was launched.\n"
    ),
    "Regatta.md": (
        "---\ntype: plan\nstatus: planned\ntime_start: 2026-12-01T10:00:00\n"
        "summary: The regatta starts.\n---\nThe regatta starts.\n"
    ),
    "Dentist.md": (
        "---\ntype: plan\nstatus: planned\ntime_start: 2026-11-29T10:00:00\n"
        "summary: See the dentist.\n---\nSee the dentist.\n"
    ),
    "Keel.md": "---\ntype: fact\ndate: 2026-11-29\n---\nThe keel weighs a ton.\n",
    "Habit.md": "What did I do yesterday? I ask it every day, what happened.\n",
}
YESTERDAY = [
    "The boat was launched.",
    "Called the harbour office",
    "Moved the site to the new host",
    "The keel weighs a ton.",
]


@pytest.fixture
def app(make_vault, make_app):
    return make_app(make_vault(NOTES))


def texts(found) -> list[str]:
    return [
        hit.snippet.rpartition("^j-")[0].partition(" ")[2].strip(" -")[6:]
        if hit.anchor.startswith("j-") and hit.snippet.startswith("-")
        else hit.snippet
        for hit in found.hits
    ]


@pytest.mark.parametrize("mode", ["auto", "deep"])
@pytest.mark.parametrize(
    "text",
    [
        "what did I do yesterday",
        "What happened yesterday?",
        "what did we do on Sunday",
        "what's been going on yesterday",
        "was habe ich gestern gemacht?",
        "was ist gestern passiert",
        "what did I do on 2026-11-29?",
        "yesterday",
    ],
)
def test_what_is_of_the_time_answers(app, text, mode) -> None:
    found = app.recall(mode, Ask(text))
    said = texts(found)
    assert len(said) == len(YESTERDAY)
    assert all(part in whole for part, whole in zip(YESTERDAY, said, strict=True))
    assert found.reason == "nothing but a time is asked: what is of 2026-11-29"
    assert [hit.score for hit in found.hits] == [0.8, 0.8, 0.8, 0.5]
    assert all(hit.why[0].detail == found.reason for hit in found.hits)


@pytest.mark.parametrize(
    ("ask", "parts"),
    [
        (Ask("what did I do today"), ["Baked"]),
        (Ask("what did I do", Filters(dates=("last week",))), [*YESTERDAY, "Painted"]),
        (Ask("what happened", Filters(start="2026-11-30")), ["Baked", "regatta"]),
        (Ask("what is on tomorrow"), ["regatta"]),
        (Ask("what did I do yesterday", Filters(types=("event",))), ["launched"]),
        (Ask("what did I do yesterday", limit=1), ["launched"]),
        (Ask("what did I do yesterday", floor=0.7), YESTERDAY[:3]),
        (Ask("what did I do yesterday", by_note=True), ["laun", "Called", "keel"]),
    ],
)
def test_filters_and_limits_hold(app, ask, parts) -> None:
    said = texts(app.recall("auto", ask))
    assert len(said) == len(parts)
    assert all(any(part in whole for whole in said) for part in parts)


def test_what_is_left_out_is_counted(app) -> None:
    assert app.recall("deep", Ask("what did I do yesterday", limit=1)).left_out == 3


@pytest.mark.parametrize(
    "text", ["what did the harbour do yesterday", "who painted last week", "2026-11-29"]
)
def test_a_word_of_its_own_is_searched_for(app, text) -> None:
    assert "nothing but a time" not in app.recall("deep", Ask(text)).reason


@pytest.mark.parametrize("text", ["what happened", "what did I do", "why", ""])
def test_without_a_time_nothing_changes(app, text) -> None:
    assert "nothing but a time" not in app.recall("deep", Ask(text)).reason


def test_of_a_time_of_which_nothing_is_known_nothing_is_told(app) -> None:
    found = app.recall("auto", Ask("what did I do in March 2019"))
    assert not found.hits
    assert "nothing is known of 2019-03-01 to 2019-03-31" in found.reason


def test_a_text_that_tells_of_the_time_answers_where_nothing_is_of_it(
    make_vault, make_app
) -> None:
    app = make_app(
        make_vault(
            {
                "Kiln.md": "On 29 November 2026 we fired the kiln for the first time.\n",
                "Habit.md": NOTES["Habit.md"],
            }
        )
    )
    assert app.now() == NOW
    found = app.recall("deep", Ask("what did we do yesterday", floor=0.000001))
    assert [hit.title for hit in found.hits] == ["Kiln"]


def test_a_packed_answer_has_the_texts(app) -> None:
    found = app.recall("deep", Ask("what did I do yesterday", budget=500))
    assert "harbour office" in "".join(hit.text or "" for hit in found.hits)


@pytest.mark.parametrize("text", ["what happened yesterday", "everything of yesterday"])
@pytest.mark.parametrize("mode", ["auto", "fast"])
def test_topics_are_not_asked_for_a_time(
    make_vault, make_app, text: str, mode: Mode
) -> None:
    """They hold together what is about one thing, of whatever time."""
    app = make_app(make_vault(notes() | NOTES))
    digest(app, now=NOW)
    found = app.recall(mode, Ask(text))
    assert [hit.path for hit in found.hits[:4]] == [
        "Launch.md",
        *["journal/2026-11-29.md"] * 2,
        "Keel.md",
    ]
    assert found.route == "deep"
    assert "2026-11-29" in found.reason
    assert (found.escalated, bool(found.went_on)) == ((mode == "auto",) * 2)
    assert app.recall("topic", Ask(text)).route == "topic"


def test_fast_says_that_nothing_is_known_of_a_time(make_vault, make_app) -> None:
    app = make_app(make_vault(notes() | NOTES))
    digest(app, now=NOW)
    found = app.recall("fast", Ask("what happened on 3 May 2024"))
    assert not found.hits
    assert "nothing is known of 2024-05-03" in found.reason


@pytest.mark.parametrize(
    "question",
    [
        "what is planned tomorrow",
        "plans for tomorrow",
        "what do I have planned for tomorrow?",
        "what's on my schedule tomorrow",
        "what is planned in December",
        "was ist morgen geplant",
        "what is due tomorrow",
    ],
)
def test_what_is_planned_is_asked_by_its_time(app, question: str) -> None:
    found = app.recall("auto", Ask(question))
    assert [hit.path for hit in found.hits] == ["Regatta.md"]


def test_a_month_that_is_over_is_the_next_one_only_for_what_is_ahead(app) -> None:
    now = app.now()
    (ahead,) = asked_times("plans for February", (), ["en"], now)
    (past,) = asked_times("what happened in February", (), ["en"], now)
    (given,) = asked_times("plans for February 2026", (), ["en"], now)
    assert (ahead.start.year, past.start.year, given.start.year) == (2027, 2026, 2026)
