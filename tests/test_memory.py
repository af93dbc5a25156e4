"""What a note means: its type, names, date, edges, summary and contract."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from mindcache.memory import RELATIONS, Meaning, Memory, conflict_copy_of, describe
from mindcache.note import parse
from mindcache.when import Interval, daily_pattern

ID = "m-01ARYZ6S41TSV4RRFFQ69G5FAV"  # 2016-07-30


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def memory(
    text: str, path: str = "memory/Note.md", meaning: Meaning | None = None
) -> Memory:
    return describe(parse(path, text.encode()), meaning or Meaning())


def props(*lines: str, body: str = "Body.\n") -> str:
    return "---\n" + "".join(f"{line}\n" for line in lines) + "---\n" + body


def start(found: Memory) -> datetime | None:
    return found.date.start if found.date else None


# -- type and status --------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("event", "event"),
        ("Plan", "plan"),
        (" topic ", "topic"),
        ('"[[Book]]"', ""),
        ("[[Book]]", ""),
        ("book", ""),
        ("3", ""),
        ("true", ""),
        ("[fact]", ""),
        ("{a: fact}", ""),
        ("", ""),
        ("null", ""),
    ],
)
def test_a_foreign_type_counts_as_absent(written: str, expected: str) -> None:
    found = memory(props(f"type: {written}"))
    assert found.type == (expected or "fact")
    assert found.type_inferred is not bool(expected)


def test_a_foreign_type_that_links_is_an_edge_all_the_same() -> None:
    found = memory(props('type: "[[Book]]"'))
    assert [(e.link.target, e.relation, e.weight) for e in found.edges] == [
        ("Book", "about", 0.5)
    ]


@pytest.mark.parametrize(
    ("path", "meaning", "expected"),
    [
        ("2026-06-29.md", Meaning(), "event"),
        ("any/where/2026-06-29.md", Meaning(), "event"),
        ("any/2026_06_29.md", Meaning(), "event"),
        ("any/20260629.md", Meaning(), "event"),
        ("any/20260629.MD", Meaning(), "event"),
        ("2026-06-29 Meeting.md", Meaning(), "fact"),
        ("v2026.06.md", Meaning(), "fact"),
        ("X20260629Y.md", Meaning(), "fact"),
        ("2026.4.10.md", Meaning(), "fact"),
        ("29.06.2026.md", Meaning(daily=daily_pattern("DD.MM.YYYY")), "event"),
        ("d/2026/06/29.md", Meaning(daily=daily_pattern("YYYY/MM/DD")), "event"),
        ("29.md", Meaning(daily=daily_pattern("YYYY/MM/DD")), "fact"),
        (
            "Daily/29.06.2026.md",
            Meaning(daily=daily_pattern("DD.MM.YYYY"), daily_folder="/Daily/"),
            "event",
        ),
        (
            "Other/29.06.2026.md",
            Meaning(daily=daily_pattern("DD.MM.YYYY"), daily_folder="Daily"),
            "fact",
        ),
        (
            "Daily notes/29.06.2026.md",
            Meaning(daily=daily_pattern("DD.MM.YYYY"), daily_folder="Daily"),
            "fact",
        ),
    ],
)
def test_a_plain_note_is_a_fact_or_the_event_of_its_day(
    path: str, meaning: Meaning, expected: str
) -> None:
    found = memory("Text.", path, meaning)
    assert (found.type, found.type_inferred) == (expected, True)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("Occurred", "occurred"), ("missed", "missed"), ("done", "active"), ("3", "active"),
     ("[active, missed]", "active"), ("", "active")],
)  # fmt: skip
def test_a_status_is_a_known_word_or_active(written: str, expected: str) -> None:
    assert memory(props(f"status: {written}")).status == expected


# -- names ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("title: A title", "A title"),
        ("title: 2026", "2026"),
        ("title: 2026-06-29", "2026-06-29"),
        ('title: "a: b"', "a: b"),
        ("title: true", "true"),
        ("title: None", "None"),
        ("title: a: b", "Note"),
        ("title:", "Note"),
        ("title: null", "Note"),
        ("title: ''", "Note"),
        ("title: '  '", "Note"),
        ("title: [a]", "Note"),
        ("title: |\n  two\n  lines", "two lines"),
    ],
)
def test_a_title_is_kept_as_text_or_the_file_name_stands_in(
    written: str, expected: str
) -> None:
    assert memory(props(written)).title == expected


@pytest.mark.parametrize(
    ("path", "title"),
    [("a/Note.MD", "Note"), ("foo.md.md", "foo.md"), ("2026.4.10.md", "2026.4.10")],
)
def test_the_title_of_a_plain_note_is_its_name(path: str, title: str) -> None:
    assert memory("x", path).title == title


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("aliases: AI", ("AI",)),
        ("aliases: [AI, ai, ML]", ("AI", "ML")),
        ("aliases:\n  - AC/DC\n  - 2026\n  - true\n  -\n  - [x]", ("AC/DC", "2026", "true")),
        ("aliases: one, two", ("one, two",)),
        ("alias: AI", ("AI",)),
        ("aliases:\nalias: AI", ("AI",)),
        ("aliases:", ()),
    ],
)  # fmt: skip
def test_aliases_are_a_list_or_a_single_text(
    written: str, expected: tuple[str, ...]
) -> None:
    assert memory(props(written)).aliases == expected


def test_the_scope_is_the_value_of_the_scope_tag() -> None:
    assert memory(props("tags: [tool/git, Scope/Global]")).scope == "Global"
    assert memory(props("tags: [scope, tool/git]")).scope == ""
    assert memory("Text #scope/project").scope == "project"


def test_one_tag_in_two_spellings_is_one_tag() -> None:
    found = memory(props("tags: [Tool/Git]", body="Text #tool/git #other\n"))
    assert found.tags == ("Tool/Git", "other")


# -- dates ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "path", "by", "expected"),
    [
        (
            ["time_start: 2021-01-01", "created_at: 2022-01-01", "created: 2023-01-01"],
            "2025-01-01.md", "time_start", "2021-01-01",
        ),
        (
            ["date: 2024-01-01", "created: 2023-01-01", "created_at: 2022-01-01"],
            "2025-01-01.md", "created_at", "2022-01-01",
        ),
        (["date: 2024-01-01", "created: 2021-03-04"], "n.md", "created", "2021-03-04"),
        (["date: 2024-01-01"], "2025-01-01.md", "date", "2024-01-01"),
        (["date: soon"], "2025-01-01 Trip.md", "name", "2025-01-01"),
        (["created: [2021-03-04]"], "2025-01-01.md", "name", "2025-01-01"),
        (['date: "[[2024-05-06|May]]"'], "n.md", "date", "2024-05-06"),
        (['date: "[[Somewhen]]"'], "2025-01-01.md", "name", "2025-01-01"),
        ([f"id: {ID}"], "2025-01-01.md", "name", "2025-01-01"),
        ([f"id: {ID}"], "n.md", "id", "2016-07-30"),
    ],
)  # fmt: skip
def test_the_first_of_the_dates_that_can_be_read_counts(
    lines: list[str], path: str, by: str, expected: str
) -> None:
    found = memory(props(*lines), path)
    assert (start(found), found.dated_by) == (datetime.fromisoformat(expected), by)


def test_a_note_that_says_nothing_of_when_is_undated() -> None:
    found = memory("Text of 2026-01-01.", "Note.md")
    assert (found.date, found.dated_by) == (None, "")


def test_a_daily_note_is_dated_by_the_format_of_the_vault() -> None:
    meaning = Meaning(daily=daily_pattern("dddd, MMMM Do YYYY"), daily_folder="Daily")
    found = memory("x", "Daily/Monday, June 29th 2026.md", meaning)
    assert (start(found), found.dated_by) == (at("2026-06-29"), "name")
    assert memory("x", "Monday, June 29th 2026.md", meaning).date is None


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ["time_start: 2026-03-05T10:00", "time_end: 2026-03-05T11:30"],
            Interval(at("2026-03-05T10:00"), at("2026-03-05T11:30"), precise=True),
        ),
        (
            ["time_start: 2026-03-05", "time_end: 2026-03-07"],
            Interval(at("2026-03-05"), at("2026-03-08")),
        ),
        (
            ["time_start: 2026-03-05T10:00", "time_end: 2026-03-04"],
            Interval(at("2026-03-05T10:00"), at("2026-03-05T10:01"), precise=True),
        ),
        (
            ["time_start: 2026-06-27", "time_end: 2026-06-28", "all_day: true"],
            Interval(at("2026-06-27"), at("2026-06-28")),
        ),
        (
            [
                "time_start: 2026-06-27T00:00:00",
                "time_end: 2026-06-29T00:00:00",
                "all_day: true",
            ],
            Interval(at("2026-06-27"), at("2026-06-29")),
        ),
        (
            ["time_start: 2026-03-05", "time_end: whenever"],
            Interval(at("2026-03-05"), at("2026-03-06")),
        ),
    ],
)  # fmt: skip
def test_an_event_reaches_to_its_end(lines: list[str], expected: Interval) -> None:
    assert memory(props(*lines)).date == expected


ZONES = """
from mindcache.memory import Meaning, describe
from mindcache.note import parse
for line in ("date: 2026-06-29", "date: 2026-06-29T23:30", "created: 2026-06-29T23:30Z"):
    note = parse("n.md", f"---\\n{line}\\n---\\n".encode())
    print(describe(note, Meaning()).date, describe(note, Meaning(zone="Asia/Tokyo")).date)
"""


def test_the_zone_of_the_machine_moves_no_date() -> None:
    """F1: the civil day that was written, wherever the reader sits."""
    answers = {
        subprocess.run(
            [sys.executable, "-c", ZONES],
            env={**os.environ, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parent.parent,
        ).stdout
        for zone in ("America/Los_Angeles", "Pacific/Kiritimati", "UTC")
    }
    assert len(answers) == 1
    lines = answers.pop().splitlines()
    assert lines[0].count("datetime.datetime(2026, 6, 29, 0, 0)") == 2
    assert lines[1].count("datetime.datetime(2026, 6, 29, 23, 30)") == 2
    assert lines[2].count("datetime.datetime(2026, 6, 29, 23, 30)") == 1
    assert lines[2].count("datetime.datetime(2026, 6, 30, 8, 30)") == 1


# -- edges ------------------------------------------------------------------------


def edges(found: Memory) -> list[tuple[str, str, str, float]]:
    return [(e.link.target, e.relation, e.origin, e.weight) for e in found.edges]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("written", ['"[[Ana]]"', '["[[Ana]]"]', '\n  - "[[Ana|her]]"'])
def test_a_relation_is_a_list_of_links_or_a_single_one(
    relation: str, written: str
) -> None:
    found = memory(props(f"{relation}: {written}"))
    assert edges(found) == [("Ana", relation, "property", 1.0)]


@pytest.mark.parametrize(
    ("field", "relation"),
    [
        ("entities", "involves"),
        ("superseded_by", "superseded_by"),
        ("Derived_From", "derived_from"),
        ("before-after", "before_after"),
    ],
)
def test_a_relation_has_other_names_and_spellings(field: str, relation: str) -> None:
    found = memory(props(f'{field}: "[[Ana]]"'))
    assert edges(found) == [("Ana", relation, "property", 1.0)]


def test_inline_fields_are_typed_edges_and_other_links_are_weak_ones() -> None:
    body = "derived_from:: [[Source]]\n\nText [[Ana]] (contradicts:: [[Old]]).\n"
    found = memory(props('author: "[[Bob]]"', body=body))
    assert edges(found) == [
        ("Bob", "about", "property", 0.5),
        ("Source", "derived_from", "inline", 1.0),
        ("Ana", "about", "body", 0.3),
        ("Old", "contradicts", "inline", 1.0),
    ]


GENERATED = (
    "Text [[Mine]].\n\n%% mindcache:begin abc %%\nOnly members. - [[Member]]\n"
    "%% mindcache:end %%\n\nAfter [[Later]].\n"
)


def test_members_of_a_topic_hang_by_a_thread() -> None:
    found = memory(props("type: topic", 'parent_topic: "[[Up]]"', body=GENERATED))
    assert edges(found) == [
        ("Up", "parent_topic", "property", 1.0),
        ("Mine", "about", "body", 0.3),
        ("Member", "about", "topic", 0.1),
        ("Later", "about", "body", 0.3),
    ]
    other = memory(props("type: fact", body=GENERATED))
    assert [origin for _, _, origin, _ in edges(other)] == ["body"] * 3


# -- summary and words ------------------------------------------------------------


def test_a_written_summary_is_kept_on_one_line() -> None:
    found = memory(props("summary: |\n  two\n  lines. And more"))
    assert (found.summary, found.summary_inferred) == ("two lines. And more", False)


LONG = "- [[Member]] says something\n" * 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\n\nFirst. Second.", "First."),
        ("# Title\r\n\r\nFirst. Second.\r\n", "First."),
        ("# Title\rFirst. Second.\r", "First."),
        (props("a: b", body="%% todo %%\n\nFirst.\n"), "First."),
        (props("a: [", body="First.\n"), "First."),
        ("---\na: [\n\nb: c\n\n---\nFirst.\n", "First."),
        (props("summary:", body="First.\n"), "First."),
        ("%% mindcache:begin x %%\n- [[A]]\n%% mindcache:end %%\n\nFirst.", "First."),
        (f"%% mindcache:begin x %%\n{LONG}%% mindcache:end %%\n\nFirst.", ""),
        ("", ""),
    ],
)
def test_a_plain_note_is_summed_up_by_its_first_sentence(
    text: str, expected: str
) -> None:
    found = memory(text)
    assert (found.summary, found.summary_inferred) == (expected, True)


def test_a_drawing_is_not_summed_up_by_its_data() -> None:
    text = "---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n## Text Elements\nX. Y\n"
    assert memory(text, "d.excalidraw.md").summary == ""


def test_words_are_what_properties_say_beside_the_machinery() -> None:
    found = memory(
        props(
            "summary: About pricing",
            "id: x",
            "tags: [a]",
            "created: 2026-01-01",
            'author: "[[People/Ana|Ana B.]]"',
            "rating: 5",
            "url: https://example.org",
            "deep: {one: [two, three]}",
        )
    )
    assert found.words == "About pricing author Ana B. rating 5 deep two three"


def test_words_of_data_dumped_into_a_property_stay_few() -> None:
    lines = [f"k{n}: {'word ' * 90}" for n in range(120)]
    assert 1000 < len(memory(props(*lines)).words) <= 2000


# -- the contract, fractions --------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "folders", "expected"),
    [
        ("memory/a.md", ("memory",), True),
        ("memory/deep/a.md", ("/memory/",), True),
        ("memory/a.md", ("./memory",), True),
        ("Memory/a.md", ("memory",), True),
        ("memory2/a.md", ("memory",), False),
        ("x/memory/a.md", ("memory",), False),
        ("cafe\u0301/a.md", ("caf\u00e9",), True),
        ("a.md", ("",), True),
        ("x/a.md", (".",), True),
        ("x/a.md", ("/",), True),
        ("x/a.md", (), False),
    ],
)
def test_a_folder_can_put_notes_under_contract(
    path: str, folders: tuple[str, ...], *, expected: bool
) -> None:
    assert memory("x", path, Meaning(contract_paths=folders)).under_contract is expected


@pytest.mark.parametrize(("note_id", "ours"), [(ID, True), ("42", False), ("", False)])
def test_an_id_of_ours_puts_a_note_under_contract(note_id: str, *, ours: bool) -> None:
    found = memory(props(f"id: {note_id}"))
    assert (found.under_contract, found.id) == (ours, note_id)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("0", 0.0), ("1", 1.0), (".25", 0.25), ("2", 0.5), ("-1", 0.5), (".nan", 0.5),
     (".inf", 0.5), ("true", 0.5), ("high", 0.5), ("'0.9'", 0.5)],
)  # fmt: skip
def test_a_fraction_is_from_0_to_1_or_half(written: str, expected: float) -> None:
    found = memory(props(f"confidence: {written}", f"importance: {written}"))
    assert (found.confidence, found.importance) == (expected, expected)


def test_broken_frontmatter_leaves_a_plain_note() -> None:
    found = memory("---\ntype: [event\n---\nText here. More.\n", "a/2026-06-29.md")
    assert found.type_inferred
    assert found.summary == "Text here."
    assert (start(found), found.dated_by) == (at("2026-06-29"), "name")


# -- conflict copies ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "original"),
    [
        ("a/n.sync-conflict-20261130-032821-CJ7RRAW.md", "a/n.md"),
        ("n.sync-conflict-20261130-032821.md", "n.md"),
        ("n (Conflicted copy MacBook 202611300328).md", "n.md"),
        ("n (Conflicted copy Ana's Phone 202611300328).md", "n.md"),
        ("n (Ana's conflicted copy 2026-11-30).md", "n.md"),
        ("n (Ana (work)'s conflicted copy 2026-11-30).md", "n.md"),
        ("n (Ana's conflicted copy 2026-11-30 (1)).md", "n.md"),
        ("n (ANA-PC's conflicted copy 2026-11-30).md", "n.md"),
        ("n (James' conflicted copy 2026-11-30).md", "n.md"),
        ("a b/n (ana's conflicted copy 2026-11-30).md", "a b/n.md"),
        ("n (Ana's case conflict 2026-11-30).md", "n.md"),
        ("n (In Konflikt stehende Kopie von Ana 2026-11-30).md", "n.md"),
        ("n (Copie en conflit de Ana 2026-11-30).md", "n.md"),
        ("n (Copia en conflicto de Ana 2026-11-30).md", "n.md"),
        ("n (Selective Sync Conflict).md", "n.md"),
        ("n (Selective Sync Conflict 2).md", "n.md"),
        ("n (conflicted copy 2026-11-30 123456).md", "n.md"),
        ("n_conflict-20261130-123456.md", "n.md"),
        ("n (SFConflict ana@x.org 2026-11-30-12-34-56).md", "n.md"),
        ("v1.2 (final) (conflicted copy 2026-11-30 123456).md", "v1.2 (final).md"),
        ("n.sync-conflict-20261130-032821-CJ7RRAW.MD", "n.MD"),
    ],
)
def test_the_names_of_sync_programs_are_known(path: str, original: str) -> None:
    assert conflict_copy_of(path) == original


@pytest.mark.parametrize(
    "path",
    [
        "n.md",
        "n 2.md",
        "n (1).md",
        "n-MACBOOK.md",
        "n (Conflict).md",
        "Conflict resolution.md",
        "Merge (conflicted copy) explained.md",
        "Merge (conflicted copy).md",
        "What is a conflicted copy 2026-11-30.md",
        "Smith v. Jones (case conflict).md",
        "n.sync-conflict.md",
        "n.sync-conflict-20261130-032821-CJ7RRAW explained.md",
        "a.sync-conflict-20261130-032821-CJ7RRAW/n.md",
        ".sync-conflict-20261130-032821-CJ7RRAW.md",
        "(conflicted copy 2026-11-30 123456).md",
        "Retro (2026-11-30).md",
        "Treffen (Konflikt 2026-11-30).md",
    ],
)
def test_names_that_people_give_are_no_conflict_copies(path: str) -> None:
    assert conflict_copy_of(path) == ""


def test_a_hostile_note_takes_no_longer_than_its_length() -> None:
    for unit in ("[[", "(", "%%", "x. ", "\r", "- [ ] "):
        note = parse("n.md", (unit * (300_000 // len(unit))).encode())
        started = time.process_time()
        describe(note, Meaning())
        assert time.process_time() - started < 1.5
    started = time.process_time()
    for name in ("(" * 250, "( " * 120, "(x's " * 60, "(conflicted copy 2026" * 12):
        conflict_copy_of(name + ".md")
    assert time.process_time() - started < 0.5
