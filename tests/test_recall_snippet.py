"""The words shown of a hit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.recall.snippet import LENGTH, snippet

FENCED = """Before the code.

```python title="x"
def rehearse(plan):
    # not a heading
    return plan * 2
```

~~~~
```
literal ~~~ tildes
~~~~
After the code."""


def test_code_is_shown_without_its_fences_and_as_it_is_written():
    shown = snippet(FENCED, {"rehears"}, "en")
    assert "def rehearse(plan):" in shown
    assert "return plan * 2" in shown
    assert "# not a heading" in shown
    assert "```python" not in shown
    assert "title=" not in shown


def test_another_fence_inside_a_fence_is_not_its_end():
    shown = snippet("~~~~\n~~~\nkeep *this*\n~~~~\nand **that**", {"keep"}, "en")
    assert shown == "~~~ keep *this* and that"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Some **bold** and [[Note|shown]] text.", "Some bold and shown text."),
        ("Seen. %% unseen %%", "Seen."),
        ("- [ ] call Marit\n- [x] write", "call Marit write"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
        ("> [!note] Title\n> quoted", "Title quoted"),
        ("", ""),
        ("```\n```", ""),
        ("***", ""),
    ],
)
def test_markdown_is_shown_as_it_reads(text, expected):
    assert snippet(text, (), "en") == expected


def test_the_richest_sentence_is_shown_with_what_is_around_it():
    filler = "Nothing of interest happened on that day in the harbour. "
    text = filler * 6 + "The berth costs twelve euros a metre. " + filler * 6
    shown = snippet(text, {"berth", "metr"}, "en")
    assert "The berth costs twelve euros a metre." in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) <= LENGTH + 4


def test_a_long_sentence_is_cut_a_little_before_its_match():
    text = "word " * 200 + "berth " + "word " * 200
    shown = snippet(text, {"berth"}, "en")
    assert "berth" in shown
    assert shown.startswith("… word")
    assert len(shown) <= LENGTH + 4


def test_a_script_without_spaces_is_cut_at_its_full_stops():
    text = "今天天气很好。" * 40 + "合約已經簽署。" + "今天天气很好。" * 40
    assert "合約已經簽署。" in snippet(text, {"合約"}, "zh")


@given(st.text(max_size=400), st.sets(st.text(max_size=5), max_size=3))
def test_any_text_gives_one_line_of_bounded_length(text, terms):
    shown = snippet(text, terms, "en")
    assert "\n" not in shown
    assert len(shown) <= LENGTH + 4


@pytest.mark.parametrize(
    "piece", ["`", "[[", "%%", "(", "a", "a ", "- ", "```\n", "。"]
)
def test_a_huge_chunk_gives_no_more_than_any_other(piece):
    shown = snippet(piece * (900_000 // len(piece)), {"a"}, "en")
    assert len(shown) <= LENGTH + 4
