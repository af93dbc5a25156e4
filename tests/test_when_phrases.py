"""English time phrases: what they mean from a Wednesday afternoon, and what isn't one."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.when import Interval, Phrase, find_phrases, parse_phrase
from mindcache.when.civil import BEGINNING, END
from mindcache.when.words import LANGUAGES, lexicon

NOW = datetime.fromisoformat("2025-06-04T15:00")  # a Wednesday


def span(written: str) -> tuple[datetime, datetime]:
    """ "2025-06-03" is that day, "A..B" from A to B, either of which may be open."""
    start, dots, end = written.partition("..")
    first = datetime.fromisoformat(start) if start else BEGINNING
    if not dots:
        return first, first + timedelta(days=1)
    return first, datetime.fromisoformat(end) if end else END


def only(text: str, now: datetime = NOW, **options) -> Phrase:
    found = find_phrases(text, now, **options)
    assert len(found) == 1, found
    return found[0]


def bounds(interval: Interval | None) -> tuple[datetime, datetime]:
    assert interval is not None
    return interval.start, interval.end


MEANT = [
    # days
    ("today", "2025-06-04"),
    ("yesterday", "2025-06-03"),
    ("tomorrow", "2025-06-05"),
    ("the day before yesterday", "2025-06-02"),
    ("the day after tomorrow", "2025-06-06"),
    # parts of days
    ("tonight", "2025-06-04T20:00..2025-06-05T05:00"),
    ("this morning", "2025-06-04T05:00..2025-06-04T12:00"),
    ("this afternoon", "2025-06-04T12:00..2025-06-04T18:00"),
    ("this evening", "2025-06-04T17:00..2025-06-05"),
    ("yesterday evening", "2025-06-03T17:00..2025-06-04"),
    ("last night", "2025-06-03T20:00..2025-06-04T05:00"),
    ("the evening of 3 May", "2025-05-03T17:00..2025-05-04"),
    ("Friday morning", "2025-05-30T05:00..2025-05-30T12:00"),
    # weeks, months, quarters, years
    ("last week", "2025-05-26..2025-06-02"),
    ("this week", "2025-06-02..2025-06-09"),
    ("next week", "2025-06-09..2025-06-16"),
    ("the week before last", "2025-05-19..2025-05-26"),
    ("the week after next", "2025-06-16..2025-06-23"),
    ("last month", "2025-05-01..2025-06-01"),
    ("this month", "2025-06-01..2025-07-01"),
    ("next month", "2025-07-01..2025-08-01"),
    ("last quarter", "2025-01-01..2025-04-01"),
    ("this quarter", "2025-04-01..2025-07-01"),
    ("last year", "2024-01-01..2025-01-01"),
    ("next year", "2026-01-01..2027-01-01"),
    ("last weekend", "2025-05-31..2025-06-02"),
    ("this weekend", "2025-06-07..2025-06-09"),
    ("next weekend", "2025-06-14..2025-06-16"),
    ("over the weekend", "2025-05-31..2025-06-02"),
    ("two weekends ago", "2025-05-24..2025-05-26"),
    ("the last decade", "2010-01-01..2020-01-01"),
    # weekdays
    ("on Monday", "2025-06-02"),
    ("on Wednesday", "2025-06-04"),
    ("Friday", "2025-05-30"),
    ("this Friday", "2025-06-06"),
    ("last Tuesday", "2025-06-03"),
    ("last Wednesday", "2025-05-28"),
    ("next Fri", "2025-06-13"),
    ("this coming Friday", "2025-06-06"),
    ("this past Friday", "2025-05-30"),
    ("on Fri", "2025-05-30"),
    ("Monday last week", "2025-05-26"),
    ("Tuesday of next week", "2025-06-10"),
    ("next week on Tuesday", "2025-06-10"),
    ("two weeks ago on Monday", "2025-05-19"),
    ("Tuesday the 4th", "2025-03-04"),
    ("the first Monday of next month", "2025-07-07"),
    ("the last Friday of March", "2025-03-28"),
    # months and dates
    ("in March", "2025-03-01..2025-04-01"),
    ("in may", "2025-05-01..2025-06-01"),
    ("in July", "2024-07-01..2024-08-01"),
    ("March 2025", "2025-03-01..2025-04-01"),
    ("March of 2024", "2024-03-01..2024-04-01"),
    ("March last year", "2024-03-01..2024-04-01"),
    ("last year in March", "2024-03-01..2024-04-01"),
    ("next March", "2026-03-01..2026-04-01"),
    ("Mar 5", "2025-03-05"),
    ("5 March", "2025-03-05"),
    ("March 5th, 2025", "2025-03-05"),
    ("Dec. 31, 1994", "1994-12-31"),
    ("the 5th of May", "2025-05-05"),
    ("the fifth of May", "2025-05-05"),
    ("on May twenty-first", "2025-05-21"),
    ("15 April of 87", "1987-04-15"),
    ("on the 5th", "2025-05-05"),
    ("the 5th of next month", "2025-07-05"),
    ("next month on the 5th", "2025-07-05"),
    ("Feb 29", "2024-02-29"),
    ("Mon, 3 Mar 2025", "2025-03-03"),
    ("2025-03-05", "2025-03-05"),
    ("2025/03/05", "2025-03-05"),
    ("20250305", "2025-03-05"),
    ("2019-aug-01", "2019-08-01"),
    ("3/5/2025", "2025-03-05"),
    ("22/04/2025", "2025-04-22"),
    ("on 5/3", "2025-05-03"),
    ("23.04.2022", "2022-04-23"),
    ("in 2024", "2024-01-01..2025-01-01"),
    ("the year 1865", "1865-01-01..1866-01-01"),
    ("nineteen ninety-six", "1996-01-01..1997-01-01"),
    # quarters, seasons, decades, holidays
    ("Q3 2025", "2025-07-01..2025-10-01"),
    ("2024-Q1", "2024-01-01..2024-04-01"),
    ("third quarter", "2024-07-01..2024-10-01"),
    ("third quarter of 2023", "2023-07-01..2023-10-01"),
    ("first half of 2023", "2023-01-01..2023-07-01"),
    ("last summer", "2024-06-01..2024-09-01"),
    ("summer 2023", "2023-06-01..2023-09-01"),
    ("during the winter", "2024-12-01..2025-03-01"),
    ("the 90s", "1990-01-01..2000-01-01"),
    ("the 20s", "2020-01-01..2030-01-01"),
    ("the 1980's", "1980-01-01..1990-01-01"),
    ("the nineties", "1990-01-01..2000-01-01"),
    ("the 15th century", "1400-01-01..1500-01-01"),
    ("Christmas", "2024-12-25"),
    ("on New Year's Eve", "2024-12-31"),
    ("Halloween 2023", "2023-10-31"),
    ("last Easter", "2025-04-20"),
    ("next Easter", "2026-04-05"),
    ("Thanksgiving 2023", "2023-11-23"),
    # so many units away
    ("two weeks ago", "2025-05-21"),
    ("in three days", "2025-06-07"),
    ("3 days ago", "2025-06-01"),
    ("a couple of weeks ago", "2025-05-21"),
    ("a year ago", "2024-06-04"),
    ("half a year ago", "2024-12-04"),
    ("a week ago today", "2025-05-28"),
    ("three weeks from tomorrow", "2025-06-26"),
    ("2 weeks before Christmas", "2024-12-11"),
    ("a month from now", "2025-07-04"),
    ("10 minutes ago", "2025-06-04T14:50..2025-06-04T14:51"),
    # stretches up to now and from it
    ("the last 10 days", "2025-05-25..2025-06-05"),
    ("past 3 weeks", "2025-05-14..2025-06-05"),
    ("in the past month", "2025-05-04..2025-06-05"),
    ("previous 2 quarters", "2024-10-01..2025-04-01"),
    ("next 5 days", "2025-06-05..2025-06-10"),
    ("the next couple of weeks", "2025-06-05..2025-06-19"),
    ("within 9 months", "2025-06-04..2026-03-05"),
    ("in the last hour", "2025-06-04T14:00..2025-06-04T15:00"),
    ("3 days starting next Monday", "2025-06-09..2025-06-12"),
    ("year to date", "2025-01-01..2025-06-05"),
    # parts of stretches
    ("end of last week", "2025-05-29..2025-06-02"),
    ("mid-May", "2025-05-10..2025-05-21"),
    ("early June", "2025-06-01..2025-06-16"),
    ("late 2023", "2023-09-01..2024-01-01"),
    ("the beginning of 2020", "2020-01-01..2020-05-01"),
    ("end of month", "2025-06-16..2025-07-01"),
    ("earlier this year", "2025-01-01..2025-06-04"),
    ("later this week", "2025-06-04..2025-06-09"),
    ("earlier today", "2025-06-04..2025-06-04T15:00"),
    ("week of 3 May", "2025-04-28..2025-05-05"),
    ("the week of the 18th", "2025-06-16..2025-06-23"),
    ("weekend of 3 May", "2025-05-03..2025-05-05"),
    ("first week of June", "2025-06-02..2025-06-09"),
    ("the last week of last month", "2025-05-26..2025-06-02"),
    ("week 31", "2025-07-28..2025-08-04"),
    ("the third month of 2021", "2021-03-01..2021-04-01"),
    # open at one side
    ("since Monday", "2025-06-02.."),
    ("since 2024", "2024-01-01.."),
    ("since August", "2024-08-01.."),
    ("since yesterday", "2025-06-03.."),
    ("2024 or later", "2024-01-01.."),
    ("from May on", "2025-05-01.."),
    ("after 2018", "2019-01-01.."),
    ("after mid May", "2025-05-21.."),
    ("after the beginning of March", "2025-03-01.."),
    ("before June", "..2025-06-01"),
    ("before the end of May", "..2025-06-01"),
    ("until Friday", "..2025-06-07"),
    ("by Friday", "..2025-06-07"),
    ("by the end of the month", "..2025-07-01"),
    ("no later than 5 May", "..2025-05-06"),
    ("more than two weeks ago", "..2025-05-21"),
    # ranges take in what they name last
    ("between March and May", "2025-03-01..2025-06-01"),
    ("between 2007 and 2009", "2007-01-01..2010-01-01"),
    ("2014-2018", "2014-01-01..2019-01-01"),
    ("from Monday to Friday", "2025-06-02..2025-06-07"),
    ("from Friday to Monday", "2025-05-30..2025-06-03"),
    ("from next Monday to Friday", "2025-06-09..2025-06-14"),
    ("from 3 to 7 May", "2025-05-03..2025-05-08"),
    ("from 28 to 3 May", "2025-04-28..2025-05-04"),
    ("May 3-7", "2025-05-03..2025-05-08"),
    ("3-7 May 2024", "2024-05-03..2024-05-08"),
    ("April 9th through 17th", "2025-04-09..2025-04-18"),
    ("from Nov to March", "2024-11-01..2025-04-01"),
    ("from May to Oct 2020", "2020-05-01..2020-11-01"),
    ("Nov-Feb 2017", "2016-11-01..2017-03-01"),
    ("from 10/1 to 11/7", "2024-10-01..2024-11-08"),
    ("10/1/2018-10/7/2018", "2018-10-01..2018-10-08"),
    ("between Jan 22 and now", "2025-01-22..2025-06-05"),
    ("from 2007 to the end of 2008", "2007-01-01..2009-01-01"),
    # times of day
    ("at 5pm", "2025-06-04T17:00..2025-06-04T18:00"),
    ("15:30", "2025-06-04T15:30..2025-06-04T15:31"),
    ("at 15:30", "2025-06-04T15:30..2025-06-04T15:31"),
    ("tomorrow at 8:30 a.m.", "2025-06-05T08:30..2025-06-05T08:31"),
    ("9am on Tuesday", "2025-06-03T09:00..2025-06-03T10:00"),
    ("yesterday evening at 8", "2025-06-03T20:00..2025-06-03T21:00"),
    ("noon today", "2025-06-04T12:00..2025-06-04T13:00"),
    ("2025-03-05T10:30", "2025-03-05T10:30..2025-03-05T10:31"),
    ("2025-03-05T10:30:15.173", "2025-03-05T10:30:15..2025-03-05T10:30:16"),
    ("tomorrow from 3pm to 5pm", "2025-06-05T15:00..2025-06-05T17:00"),
    ("between 2pm and 4pm on Friday", "2025-05-30T14:00..2025-05-30T16:00"),
]


@pytest.mark.parametrize(("text", "expected"), MEANT)
def test_a_phrase_means_this(text: str, expected: str) -> None:
    found = only(text)
    assert found.text == text
    assert bounds(found.interval) == span(expected)
    assert bounds(parse_phrase(text, NOW)) == span(expected)


@pytest.mark.parametrize(("text", "expected"), MEANT)
def test_it_means_the_same_inside_a_sentence(text: str, expected: str) -> None:
    sentence = f"Tell me what we said on pricing, {text}, if you know."
    found = [bounds(p.interval) for p in find_phrases(sentence, NOW) if p.interval]
    # a year in words is one only behind a word that says so, or by itself
    assert found == ([] if text == "nineteen ninety-six" else [span(expected)])


@pytest.mark.parametrize(
    "text",
    [
        "May", "March", "sat", "winter", "2025", "5/12", "2/29", "Sep", "the month",
    ],
)  # fmt: skip
def test_weak_words_count_when_they_are_all_there_is(text: str) -> None:
    assert find_phrases(f"so {text} it is", NOW) == []
    if text != "the month":
        assert parse_phrase(text, NOW) is not None


NO_TIME = """
You may march to the sun and sat down for a second.
This may take longer. It may or may not. May I? One may ask. All 5 may fail.
We sat on sat, the sun was out; he wed her; jan said so; mar the paint; a sec!
March forward. We march 5 miles. They marched. April said hello to June.
Spring the trap, fall down, summer is nice and winter is coming.
I saw it in version 2.0.1 and again in 3.12.4, v2024.
It costs $20.25 or €2024, about 2010 dollars; call +49 30 2024 12 or 555-1212.
Tel: +86 138-2010-2015 and 000 111 82-2100, order ABC-12345-A1B2C3, SSN 123-12-1234.
Read chapter 12 of 20, pages 3-5, figures 4/5, half of it, a 4:3 screen, John 3:16.
The ratio is 3/4, the score 2-1 or 10:9, support is 24/7, a BUN/Cr of 30/4.85.
HTTP 404 and port 8080 on host 10.0.0.1, RFC 2822, ISO 8601-2019.
We have 2000 users in 1500 places, 2000 pieces of toys, in 2024 words or less.
See issue #2024 and PR 1234, commit 20231a2, room 2023, on the 5th floor.
Between 3 and 5 people, from 1 to 10, from A to B, at 5 of them, in 5 steps.
The next time, the last one, this one, past tense, the following steps, next item.
The second half of the file, a second round, the second time, second-guess.
The end of the line, the beginning of the story, end of, up to date, up-to-date.
Day by day, year over year, every Monday, each week, on weekends, 3 times per month.
Until then, since then, before that, after all, by now, back in the day.
Since he left, before you go, after the meeting, until done, by the way.
The year of the dragon, man of the year, partner of the month, Have a great week!
Mid-size, early adopter, late fee, quarter of the pie, Q1: why? The nice day.
Good Morning Paul. Good night. In a second. There is no week 00, nor W00.
Inspired by autumn, 2 1/2 * 3 3/8 - 1 1/4, a mixed number, and 5/6 to 7.
Feb 30 and 2/30/2024 and 2015-1-32 and 32-2015 are no dates.
"""


@pytest.mark.parametrize("text", NO_TIME.strip().splitlines())
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert [p for p in find_phrases(text, NOW) if p.kind != "duration"] == []


@pytest.mark.parametrize(
    "text", ["for two hours", "3 days", "a couple of weeks", "2 years, 1 month"]
)
def test_a_duration_is_no_interval(text: str) -> None:
    found = only(f"It took {text}.")
    assert (found.kind, found.text, found.interval) == ("duration", text, None)
    assert parse_phrase(text, NOW) is None


def test_phrases_come_in_order_with_their_places_and_kinds() -> None:
    text = (
        "Since Monday, in March and on 5 May 2025, for two hours, until Friday: what?"
    )
    found = find_phrases(text, NOW)
    assert [(p.kind, p.text) for p in found] == [
        ("since", "Since Monday"),
        ("range", "in March"),
        ("date", "on 5 May 2025"),
        ("duration", "for two hours"),
        ("before", "until Friday"),
    ]
    assert [text[p.start : p.end] for p in found] == [p.text for p in found]


def test_a_list_shares_its_word_for_time() -> None:
    found = find_phrases("sales in 2007 and 2009, and on 11/20, 11/22 or 11/25", NOW)
    starts = [p.interval.start.date().isoformat() for p in found if p.interval]
    assert starts == [
        "2007-01-01", "2009-01-01", "2024-11-20", "2024-11-22", "2024-11-25",
    ]  # fmt: skip


def test_a_range_tells_what_it_names_last() -> None:
    found = only("from Monday to Friday")
    assert bounds(found.last) == span("2025-06-06")
    assert bounds(only("until March").last) == span("2025-03-01..2025-04-01")
    assert only("last week").last is None


def test_rough_phrases_tell_what_they_may_well_mean() -> None:
    assert bounds(only("two months ago").wide) == span("2025-04-01..2025-05-01")
    assert bounds(only("two weeks ago").wide) == span("2025-05-19..2025-05-26")
    assert bounds(only("a year ago").wide) == span("2024-01-01..2025-01-01")
    assert only("yesterday").wide == only("yesterday").interval


@pytest.mark.parametrize(
    ("text", "past", "future"),
    [
        ("in March", "2025-03-01..2025-04-01", "2026-03-01..2026-04-01"),
        ("in June", "2025-06-01..2025-07-01", "2025-06-01..2025-07-01"),
        ("on Friday", "2025-05-30", "2025-06-06"),
        ("on Wednesday", "2025-06-04", "2025-06-04"),
        ("Christmas", "2024-12-25", "2025-12-25"),
        ("on the 5th", "2025-05-05", "2025-06-05"),
        ("over the weekend", "2025-05-31..2025-06-02", "2025-06-07..2025-06-09"),
        ("last Friday", "2025-05-30", "2025-05-30"),
        ("March 2025", "2025-03-01..2025-04-01", "2025-03-01..2025-04-01"),
    ],
)
def test_the_preferred_side_decides_what_is_left_open(
    text: str, past: str, future: str
) -> None:
    assert bounds(only(text).interval) == span(past)
    assert bounds(only(text, prefer="future").interval) == span(future)


def test_weeks_begin_where_the_vault_says() -> None:
    assert bounds(only("last week", week_start=6).interval) == span(
        "2025-05-25..2025-06-01"
    )
    assert bounds(only("last weekend", week_start=6).interval) == span(
        "2025-05-31..2025-06-02"
    )


@pytest.mark.parametrize("clock", ["00:00", "12:00", "23:30", "23:59:59"])
def test_yesterday_is_the_day_before_at_any_hour(clock: str) -> None:
    now = datetime.fromisoformat(f"2025-03-30T{clock}")  # a night that loses an hour
    assert bounds(only("yesterday", now).interval) == span("2025-03-29")
    assert bounds(only("in 2 days", now).interval) == span("2025-04-01")


def test_a_zone_shifts_nothing() -> None:
    now = datetime.fromisoformat("2025-06-04T23:30:00-07:00")
    assert bounds(only("yesterday", now).interval) == span("2025-06-03")
    assert bounds(only("2026-06-29", now).interval) == span("2026-06-29")


def test_a_note_speaks_from_its_own_date() -> None:
    written = datetime.fromisoformat("2023-07-23T18:46")
    found = find_phrases("Last Friday I went dancing, and we met on 3 May.", written)
    assert [bounds(p.interval) for p in found] == [
        span("2023-07-21"),
        span("2023-05-03"),
    ]


def test_a_flag_takes_one_phrase_or_a_written_date_and_nothing_beside_it() -> None:
    assert bounds(parse_phrase(" last week ", NOW)) == span("2025-05-26..2025-06-02")
    assert bounds(parse_phrase("2025-W14", NOW)) == span("2025-03-31..2025-04-07")
    assert bounds(parse_phrase("in March", NOW)) == span("2025-03-01..2025-04-01")
    for text in ("", " ", "last week we met", "soon", "every Monday", "x" * 5000):
        assert parse_phrase(text, NOW) is None


def test_blank_lines_part_phrases_and_single_line_ends_do_not() -> None:
    assert only("last\nweek").text == "last\nweek"
    assert find_phrases("last\n\nweek", NOW) == []


def test_places_hold_in_texts_that_change_length_in_lower_case() -> None:
    text = "İİİ yesterday, ﬁne; “last week’s” plan"
    assert [text[p.start : p.end] for p in find_phrases(text, NOW)] == [
        "yesterday",
        "last week",
    ]


# -- for any text -----------------------------------------------------------------------

WORDS = {
    language: sorted({e for e, _, _ in found.table.entries()})
    for language in LANGUAGES
    if (found := lexicon(language))
}
NUMBERS = [
    "1", "2", "5", "12", "29", "31", "99", "1999", "2024", "9999", "0001", "99999999",
    "20250305", "2025-03-05", "3/5", "2/29", "5.12", "10:30", "24:00", "5pm", "q1",
    "90s", "5th", "-", "–", ",", ".", "(", "/", "$", "%", "\n", "\n\n", "三", "月", "日",
    "年", "²", "İ",
]  # fmt: skip
MOMENTS = st.one_of(
    st.datetimes(),
    st.sampled_from([BEGINNING, END, NOW, datetime(2024, 2, 29, 23, 30)]),  # noqa: DTZ001  civil
)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[str, str]:
    language = draw(st.sampled_from(LANGUAGES))
    word = st.sampled_from(WORDS[language]) | st.sampled_from(NUMBERS)
    pieces = draw(st.lists(word | st.text(max_size=4), max_size=12))
    return draw(st.sampled_from([" ", ""])).join(pieces), language


@given(
    sentences(),
    MOMENTS,
    st.integers(0, 6),
    st.sampled_from(["past", "future"]),
)
def test_any_text_gives_phrases_in_it_apart_and_in_order(
    sentence: tuple[str, str], now: datetime, week_start: int, prefer
) -> None:
    text, language = sentence
    for langs in ((language,), LANGUAGES):
        found = find_phrases(text, now, langs, week_start, prefer=prefer)
        assert found == find_phrases(text, now, langs, week_start, prefer=prefer)
        end = 0
        for phrase in found:
            assert end <= phrase.start < phrase.end <= len(text)
            assert text[phrase.start : phrase.end] == phrase.text
            assert (phrase.interval is None) == (phrase.kind == "duration")
            for interval in (phrase.interval, phrase.last, phrase.wide):
                assert interval is None or interval.start < interval.end
            end = phrase.end
    alone = parse_phrase(text, now, (language,), week_start, prefer=prefer)
    assert alone is None or alone.start < alone.end


@pytest.mark.parametrize(
    "piece",
    [
        "a", "1", "1:", "1/", "1.", "-", "(", "\n", "the ", "last ", "twenty ", "may ",
        "2 days after ", "end of the ", "from may to ", "first week of ", "q1-", "may 5 ",
        "between may and ", "in 2 days and ", "monday ", "2024 ", "\n ", "İ", "年", "3月",
    ],
)  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    """30 kB take a second or two at worst; quadratic work would take minutes."""
    text = piece * (30_000 // len(piece)) + " today"
    started = time.process_time()
    find_phrases(text, NOW, ("en", "zh"))
    assert time.process_time() - started < 10.0


def test_importing_when_loads_no_grammar() -> None:
    code = (
        "import sys; from mindcache.when import Interval, parse_interval;"
        "sys.exit(any('phrases' in m or 'tables' in m for m in sys.modules))"
    )
    root = Path(__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == 0  # noqa: PLW1510  its code is the answer
