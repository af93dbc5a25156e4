"""What a text tells of happened on another day than it was written."""

from __future__ import annotations

from datetime import datetime

import pytest

from mindcache.recall import Ask, Filters, deep
from mindcache.recall.told import told_times, touches
from mindcache.when import Interval

NOW = datetime(2026, 11, 30, 12, 0)  # noqa: DTZ001  civil time
WRITTEN = datetime(2026, 6, 10)  # noqa: DTZ001  civil time


def days(text: str, **more: bool) -> list[str]:
    found = told_times(text, WRITTEN, ("en", "de"), **more)
    return [each.start.date().isoformat() for each in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met on 3 May.", ["2026-05-03"]),
        ("We met on May 3rd, 2025, in Faro.", ["2025-05-03"]),
        ("Yesterday we sold the boat.", ["2026-06-09"]),
        ("Am 3. Mai war alles fertig.", ["2026-05-03"]),
        ("Born in 1987, long ago.", []),  # a year marks nothing
        ("We may meet; he sat there.", []),
    ],
)
def test_the_times_that_a_text_tells_of(text, expected):
    assert days(text) == expected


def test_where_nobody_knows_when_it_was_written_the_year_must_stand_there():
    assert days("We met on 3 May.", with_year=True) == []
    assert days("We met on 3 May 2025.", with_year=True) == ["2025-05-03"]


def test_times_touch_where_they_share_a_moment():
    may = Interval(datetime(2026, 5, 1), datetime(2026, 6, 1))  # noqa: DTZ001
    june = Interval(datetime(2026, 6, 1), datetime(2026, 7, 1))  # noqa: DTZ001
    third = Interval(datetime(2026, 5, 3), datetime(2026, 5, 4))  # noqa: DTZ001
    assert touches([third], [june, may])
    assert not touches([june], [may])
    assert not touches([], [may])


FILES = {
    "told.md": "---\ncreated_at: 2026-09-20\n---\nWe met Ines on 3 May in the harbour.",
    "other.md": "---\ncreated_at: 2026-09-20\n---\nWe met Ines on 8 July in the harbour.",
    "none.md": "---\ncreated_at: 2026-09-21\n---\nWe met Ines again in the harbour.",
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("whom did we meet in May?", "told.md"),
        ("whom did we meet on 2026-05-03?", "told.md"),
        ("whom did we meet in the harbour in July?", "other.md"),
    ],
)
def test_a_question_about_a_time_finds_what_tells_of_it(
    make_vault, make_app, question, first
):
    corpus = make_app(make_vault(FILES)).corpus()
    best = deep(Ask(question, floor=0.0, now=NOW), corpus).hits[0]
    assert best.path == first
    assert "told" in {why.signal for why in best.why}
    again = deep(Ask(question, floor=0.0, now=NOW), corpus).hits[0]
    assert again == best


def test_a_filter_by_date_goes_by_the_note(make_vault, make_app):
    corpus = make_app(make_vault(FILES)).corpus()
    ask = Ask("", Filters(dates=("2026-09-20",)), now=NOW)
    assert {h.path for h in deep(ask, corpus).hits} == {"told.md", "other.md"}
    assert deep(Ask("", Filters(dates=("2026-05",)), now=NOW), corpus).hits == ()
