"""The list items that tell of one occurrence, read and written."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindcache.errors import Refused
from mindcache.note import parse
from mindcache.recurrence import Line, add_remark, outcome_line, read_lines, set_outcome


def lines(text: str) -> list[Line]:
    return read_lines(parse("p.md", text.encode()))[0]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("- 2026-03-01 missed: ill ^o-20260301",
         Line(1, "2026-03-01", "missed", because="ill", anchor="o-20260301")),
        ("* 2026-03-01T09:00 occurred ^o-20260301T0900",
         Line(1, "2026-03-01T09:00", "occurred", anchor="o-20260301T0900")),
        ("- 2026-03-08 moved to 2026-03-09T10:00: the hall: taken ^o-20260308",
         Line(1, "2026-03-08", to="2026-03-09T10:00", because="the hall: taken",
              anchor="o-20260308")),
        ("- 2026-03-08 moved to 2026-03-09T10:00 until 11:30, occurred: x",
         Line(1, "2026-03-08", "occurred", "2026-03-09T10:00", "11:30", "x")),
        ("  + [x] 2026-03-15 Cancelled", Line(1, "2026-03-15", "canceled")),
        ("- 2026-03-01T20:00Z missed", Line(1, "2026-03-01T20:00Z", "missed")),
        ("- 2026-03-01 missed – a cold", Line(1, "2026-03-01", "missed", because="a cold")),
        ("- 2026-03-01 missed a cold ^o-20260301",
         Line(1, "2026-03-01", "missed", because="a cold", anchor="o-20260301")),
    ],
)  # fmt: skip
def test_an_item_is_read(item: str, expected: Line) -> None:
    assert lines(item) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "- 2026-03-01 missed the bus",
        "- 2026-03-01 called John",
        "- 2026-03-01 called: John",
        "- 2026-03-01 dentist: at nine",
        "- 2026-03-01 move: all the boxes",
        "2026-03-01 missed: no list item",
        "- 2026-02-30 missed",
        "- 2026-03-01: canceled (the whole series): moved away",
        "```\n- 2026-03-01 missed: code ^o-20260301\n```",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert read_lines(parse("p.md", text.encode())) == ([], [])


def test_an_item_that_should_be_one_is_told_with_line_and_mend() -> None:
    text = "---\ntype: plan\n---\nText\n- 2026-03-01 was ill ^o-20260301\n"
    found, (problem,) = read_lines(parse("p.md", text.encode()))
    assert (found, problem.line, problem.code) == ([], 5, "plan-outcome")
    assert "2026-03-01 missed: why" in problem.mend


@pytest.mark.parametrize(
    ("item", "word"),
    [
        ("- 2026-11-01 occured: typo", "occured"),
        ("- 2026-11-01 Occur", "Occur"),
        ("* [x] 2026-11-01T09:00 mised", "mised"),
        ("1. 2026-11-01 cancel: ill ^a1", "cancel"),
        ("- 2026-11-01 cancelld ^a1", "cancelld"),
        ("- 2026-11-01 move to 2026-11-03", "move"),
        ("- 2026-11-01 moves to 2026-11-03T10:00: ill", "moves"),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_misspelt_outcome_is_told_with_the_known_words(item, word, end) -> None:
    text = f"---\ntype: plan\n---\nText\n{item}{end}"
    found, (problem,) = read_lines(parse("p.md", text.encode()))
    assert (found, problem.line, problem.code) == ([], 5, "plan-outcome")
    assert repr(word) in problem.message
    assert "occurred, missed, canceled, moved to" in problem.mend


def test_a_line_is_written_as_it_is_read() -> None:
    assert outcome_line("20260301", "missed", " ill,\nagain ") == (
        "- 2026-03-01 missed: ill, again ^o-20260301"
    )
    moved = outcome_line("20260308T0900", "", "x", "2026-03-09T10:00")
    assert moved == "- 2026-03-08T09:00 moved to 2026-03-09T10:00: x ^o-20260308T0900"
    with pytest.raises(ValueError, match="no outcome"):
        outcome_line("20260301", "forgotten")
    with pytest.raises(ValueError, match="no key"):
        outcome_line("2026-03-01", "missed")


HEAD = "---\ntype: plan # a comment\n---\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "## Outcomes\n\n- 2026-03-08 missed: ill ^o-20260308\n"),
        ("Text.\n", "Text.\n\n## Outcomes\n\n- 2026-03-08 missed: ill ^o-20260308\n"),
        ("Text.", "Text.\n\n## Outcomes\n\n- 2026-03-08 missed: ill ^o-20260308"),
        ("Text.\r\n",
         "Text.\r\n\r\n## Outcomes\r\n\r\n- 2026-03-08 missed: ill ^o-20260308\r\n"),
        ("# outcomes\n\nSaid here.\n\n# Next\n",
         "# outcomes\n\nSaid here.\n\n- 2026-03-08 missed: ill ^o-20260308\n\n# Next\n"),
        ("- 2026-03-01 occurred ^o-20260301\n  - with a note\n- 2026-03-15 canceled\n",
         ("- 2026-03-01 occurred ^o-20260301\n  - with a note\n"
          "- 2026-03-08 missed: ill ^o-20260308\n- 2026-03-15 canceled\n")),
        ("* 2026-03-15 canceled\n",
         "* 2026-03-08 missed: ill ^o-20260308\n* 2026-03-15 canceled\n"),
        ("- 2026-03-08 occurred: fine ^o-20260308\nrest",
         "- 2026-03-08 missed: ill (was occurred: fine) ^o-20260308\nrest"),
        ("* [x] 2026-03-08 missed ^o-20260308\n",
         "* [x] 2026-03-08 missed: ill ^o-20260308\n"),
        ("- 2026-03-08 moved to 2026-03-09T10:00 until 11:00: hall ^o-20260308\n",
         ("- 2026-03-08 moved to 2026-03-09T10:00 until 11:00, missed: hall; ill"
          " ^o-20260308\n")),
    ],
)  # fmt: skip
def test_an_outcome_is_set_and_nothing_else(before: str, after: str) -> None:
    head = HEAD.replace("\n", "\r\n") if "\r" in before else HEAD
    assert set_outcome(head + before, "20260308", "missed", "ill") == head + after


def test_what_would_not_be_read_again_is_refused() -> None:
    with pytest.raises(Refused, match="no text is read"):
        set_outcome(HEAD + "```\nnever closed\n", "20260308", "missed")
    with pytest.raises(Refused, match="no text is read"):
        add_remark(HEAD + "```\nnever closed\n", date(2026, 3, 8), "x")


BODIES = st.lists(
    st.sampled_from(
        [
            "Text.",
            "",
            "## Outcomes",
            "# Next",
            "- 2026-03-01 occurred: a ^o-20260301",
            "- 2026-03-20 moved to 2026-03-21: b ^o-20260320",
            "  - below",
            "- an item",
            "```",
            "é 日本",
        ]
    ),
    max_size=8,
)


@settings(max_examples=200)
@given(
    BODIES,
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["20260301", "20260310", "20260320", "20260325T0900"]),
)
def test_every_line_but_one_stays(body: list[str], newline: str, key: str) -> None:
    text = newline.join(["---", "type: plan", "---", *body])
    before = lines(text)
    try:
        after = set_outcome(text, key, "missed", "why")
    except Refused:
        assert "```" in body
        return
    known = {line.anchor: line for line in before}
    found = {line.anchor: line for line in lines(after)}
    assert found[f"o-{key}"].outcome == "missed"
    assert found.keys() - known.keys() <= {f"o-{key}"}
    old, new = text.split(newline), after.split(newline)
    kept = [line for line in old if line and f"^o-{key}" not in line]
    rest = [line for line in new if line and f"^o-{key}" not in line]
    assert rest in (kept, [*kept, "## Outcomes"])
    assert after.endswith(newline) == text.endswith(newline)
