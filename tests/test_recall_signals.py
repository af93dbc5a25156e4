"""The signals of texts, by hand."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from mindcache.index import lexical
from mindcache.recall.question import read
from mindcache.recall.signals import (
    answering,
    lexical_signals,
    note_signals,
    semantic_signals,
    text_signals,
    time_signals,
)
from mindcache.when import Interval

IDS = np.array([3, 4, 5, 6, 9])


def collection(length: int = 20, asks: tuple[int, ...] = ()) -> lexical.Collection:
    return lexical.Collection.of(
        IDS, np.full(5, length), np.array([1, 1, 1, 2, 2]), np.isin(IDS, asks)
    )


def postings(*pairs: tuple[int, int]) -> lexical.Postings:
    ids, columns = zip(*pairs, strict=True) if pairs else ((), ())
    return lexical.Postings(
        np.array(ids, dtype=np.int64), np.array(columns, dtype=np.intp)
    )


def test_signals_of_words():
    terms = [
        postings((3, lexical.BODY), (4, lexical.BODY), (4, lexical.TITLE)),
        postings((4, lexical.BODY)),
        postings(),
    ]
    matches = lexical.bm25(terms, collection())
    signals = lexical_signals(matches, terms, collection())
    first, second, unseen = (term.idf for term in matches.terms)
    whole = first + second + unseen
    assert signals["matches"].tolist() == [0.2, 0.4, 0.0, 0.0, 0.0]
    assert signals["titled"] == pytest.approx([0, first / whole, 0, 0, 0])
    assert signals["known"] == pytest.approx([(first + second) / whole] * 5)
    assert signals["best_words"][1] == 1.0
    assert signals["best_words"][2:].tolist() == [0.0, 0.0, 0.0]
    assert 0 < signals["words"][0] < signals["words"][1] < 1


def test_context_shows_in_reach_but_not_in_coverage():
    terms = [postings((4, lexical.BODY))]
    matches = lexical.bm25(terms, collection(), context=lexical.Context())
    signals = lexical_signals(matches, terms, collection())
    assert signals["coverage"].tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert signals["reach"].tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert signals["matches"].tolist() == [0.0, 0.2, 0.0, 0.0, 0.0]


def test_words_that_match_nothing_give_zeros():
    for terms in ([], [postings()]):
        signals = lexical_signals(
            lexical.bm25(terms, collection()), terms, collection()
        )
        assert all(not values.any() for values in signals.values())


def test_who_answers_a_question_has_its_words_before():
    terms = [postings((3, lexical.BODY), (6, lexical.BODY), (9, lexical.BODY))]
    brief = collection(asks=(3, 6))
    own = lexical.bm25(terms, brief).own
    signal = answering(own, brief)["answers"]
    # 9 doesn't follow 6: chunks of another note stood between them once.
    assert signal.tolist() == [0.0, pytest.approx(2 / 3), 0.0, 0.0, 0.0]
    assert answering(own, collection())["answers"].tolist() == [0.0] * 5


def test_a_whole_note_speaks_for_brief_texts_in_a_row_only():
    terms = [postings((3, lexical.BODY), (9, lexical.BODY))]
    brief = note_signals(terms, collection(20))["best_note"]
    assert (brief[:3] > 0).all()
    assert brief[3:].tolist() == [0.0, 0.0]
    long = note_signals(terms, collection(200))["best_note"]
    assert long[:3] == pytest.approx(brief[:3] / 4)


def test_signals_of_meaning_lie_between_the_extremes_of_what_is_allowed():
    cosines = np.array([-0.2, 0.1, 0.3, 0.5, 0.9])
    whole = semantic_signals(cosines, cosines, collection(5_000), None)
    assert whole["best_meaning"][[0, 4]].tolist() == [0.0, 1.0]
    assert whole["meaning"].tolist() == [0.0, 0.1, 0.3, 0.5, 0.9]
    assert whole["around"] == pytest.approx(whole["meaning"], abs=0.01)
    allowed = np.array([False, True, True, True, False])
    few = semantic_signals(cosines, cosines, collection(), allowed)
    # Of three, the farthest is not all that far: 0 counts for ten.
    low = 0.1 * 3 / 13
    wanted = np.clip((cosines - low) / (0.5 - low), 0.0, 1.0)
    assert few["best_meaning"] == pytest.approx(wanted)
    assert wanted.tolist() == pytest.approx([0.0, 0.161, 0.581, 1.0, 1.0], abs=0.001)


def test_a_brief_text_takes_meaning_from_before_and_after():
    cosines = np.array([0.0, 1.0, 0.0, 1.0, 0.0])
    around = semantic_signals(cosines, cosines, collection(), None)["around"]
    assert around == pytest.approx([0.2 / 1.6, 1 / 1.6, 0.4 / 1.6, 1 / 1.6, 0.0])


@pytest.mark.parametrize("value", [0.4, -0.4])
def test_where_all_are_equally_near_each_is_the_nearest(value):
    cosines = np.full(5, value)
    signals = semantic_signals(cosines, cosines, collection(5_000), None)
    assert signals["best_meaning"].tolist() == [1.0] * 5


DIALOGUE = """---
type: event
time_start: 2023-05-08T13:00
entities:
  - "[[Ana Silva]]"
  - "[[Ben]]"
---
**Ana:** Did you ever go to Lisbon? ^t1

**Ben:** I went there last May. "Blindness" was in my bag. ^t2

**Ana:** Nice! ^t3
"""


@pytest.fixture
def talk(make_vault, make_app):
    files = {
        "talk.md": DIALOGUE.replace("**Ana:**", "**Ana Silva:**"),
        "Ana Silva.md": "---\ntype: entity\naliases: [Anita]\n---\nA friend.",
        "plan.md": "---\ntype: plan\ntime_start: 2023-06-20\n---\nSail to Faro.",
    }
    return make_app(make_vault(files)).corpus()


def chunks_by_anchor(corpus) -> list[str]:
    rows = corpus.reader.chunks(corpus.ids.tolist())
    return [rows[i].anchor for i in corpus.ids.tolist()]


@pytest.mark.parametrize("name", ["Ana Silva", "ana", "Anita's", "ANITA"])
def test_somebody_is_known_by_name_first_name_and_alias(talk, name):
    question = read(f"Where did {name} go?", (), talk, None)
    assert question.subject == "ana silva"
    assert question.bare == "Where did go?"
    about = talk.about(question.subject)
    found = {
        a for a, is_about in zip(chunks_by_anchor(talk), about, strict=True) if is_about
    }
    assert found == {"", "^t1", "^t3"}


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("What books has Ana read?", True),
        ("Which three cities did Ben see?", True),
        ("In which harbours were they?", True),
        ("How many dogs does she have?", True),
        ("What did Ana read?", False),
        ("What is Ana's does for?", False),
        ("When were the books read?", False),
        ("books", False),
    ],
)
def test_whether_several_things_are_asked_for(talk, text, several):
    assert read(text, (), talk, None).asks_several is several


def test_two_people_are_no_subject(talk):
    question = read("Did Ana meet Ben?", (), talk, None)
    assert question.subject == ""
    assert question.names == {"ana", "ben"}


def test_traits_are_those_of_the_text(talk):
    signals = text_signals(talk, read("When was Ben in Lisbon?", (), talk, None))
    at = {anchor: place for place, anchor in enumerate(chunks_by_anchor(talk))}
    assert signals["asks"][at["^t1"]] == 1
    assert signals["when"][at["^t2"]] == 1
    assert signals["subject"][at["^t2"]] == 1
    assert signals["when"][at["^t3"]] == signals["subject"][at["^t3"]] == 0


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((2023, 5, 8), 1.0),
        ((2023, 4, 30), 1 - 8 / 22),
        ((2023, 5, 12), 0.5 * (1 - 4 / 15)),
        ((2022, 5, 8), 0.0),
        ((2024, 5, 8), 0.0),
    ],
)
def test_a_date_fits_in_the_weeks_after_what_was_asked(talk, asked, expected):
    start = datetime(*asked)  # noqa: DTZ001  civil
    signal = time_signals(talk, [Interval(start, start.replace(hour=23))])["time"]
    at = {anchor: place for place, anchor in enumerate(chunks_by_anchor(talk))}
    assert signal[at["^t1"]] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (datetime(1, 1, 1), datetime(2023, 5, 9)),  # noqa: DTZ001  civil
        (datetime(2023, 5, 1), datetime(9999, 12, 31)),  # noqa: DTZ001  civil
        (datetime(1, 1, 1), datetime(9999, 12, 31)),  # noqa: DTZ001  civil
    ],
)
def test_a_time_without_a_begin_or_an_end_is_near_what_it_holds(talk, start, end):
    signal = time_signals(talk, [Interval(start, end)])["time"]
    at = {anchor: place for place, anchor in enumerate(chunks_by_anchor(talk))}
    assert signal[at["^t1"]] == signal[at["^t3"]] == 1


def test_times_of_a_question_are_read_from_now(talk):
    now = datetime(2023, 6, 1)  # noqa: DTZ001  civil
    question = read("What did Ben say last month?", (), talk, now)
    assert [(t.start.month, t.end.month) for t in question.times] == [(5, 6)]
    assert question.asks_when is False
    assert read("When did Ben go?", (), talk, now).asks_when


def test_quotes_in_a_question_name_a_title_and_are_not_required(talk):
    soft = read('What did Ben say of "The Stone Raft"?', (), talk, None)
    assert soft.phrases == ()
    assert soft.quoted == ("the stone raft",)
    hard = read('"the stone raft" Ben', (), talk, None)
    assert hard.phrases == ("the stone raft",)
    assert read('"the stone raft?"', (), talk, None).phrases == ("the stone raft?",)


def test_irregular_forms_are_found(talk):
    terms = {t.text: t.terms for t in read("who goes or go", (), talk, None).terms}
    assert "went" in terms["go"]
