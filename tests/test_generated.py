"""The generated part of a note: whoever writes into it loses not a byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.generated import (
    Section,
    find_section,
    rendered,
    replaced,
    words_in,
    words_line,
    words_of,
)
from mindcache.note import parse

LINES = ("Words: a, b", "- [[One]]: the first", "- [[Two]]")


def text_of(*lines: str, above: str = "Above.\n\n", below: str = "") -> str:
    return above + "".join(f"{line}\n" for line in rendered(lines)) + below


def section_of(text: str) -> Section:
    found = find_section(parse("", text.encode()))
    assert isinstance(found, Section), found
    return found


def put(text: str, *lines: str, ours: tuple[str, ...] = ()) -> str:
    note = parse("", text.encode())
    return replaced(note, section_of(text), lines, ours)


def test_what_was_generated_is_known_again() -> None:
    found = section_of(text_of(*LINES))
    assert found.lines == LINES
    assert not found.is_edited
    assert found.holds(4)
    assert not found.holds(found.begin)
    assert not found.holds(found.end)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("the first", "the second"),
        lambda t: t.replace("- [[Two]]\n", ""),
        lambda t: t.replace("- [[Two]]", "- [[Two]]\nmine"),
        lambda t: t.replace("begin ", "begin 0"),
    ],
)
def test_an_edit_is_known(change) -> None:
    assert section_of(change(text_of(*LINES))).is_edited


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No markers.",
        "%% mindcache:begin 1 %%\n",
        "%% mindcache:end %%\n",
        "%% mindcache:end %%\n%% mindcache:begin 1 %%\n",
        text_of("a") + text_of("b"),
        text_of("a", below="%% mindcache:end %%\n"),
        "```\n" + text_of("a", above="") + "```\n",
        text_of("a").replace("%% mindcache:begin", "- %% mindcache:begin"),
        text_of("a").replace("\n", "\r"),
    ],
)
def test_anything_but_one_pair_is_none(text: str) -> None:
    assert isinstance(find_section(parse("", text.encode())), str)


def test_the_same_lines_leave_every_byte() -> None:
    for text in (text_of(*LINES), text_of(*LINES).rstrip("\n"), text_of()):
        assert put(text, *section_of(text).lines) == text


def test_a_persons_lines_move_below() -> None:
    text = text_of(*LINES, below="Below.\n").replace("- [[Two]]", "mine\n- [[Two]]")
    after = put(text, *LINES)
    assert after == text_of(*LINES, below="\nmine\n\nBelow.\n")
    assert put(after, *LINES) == after


def test_what_is_known_as_ours_does_not_move() -> None:
    text = text_of(*LINES).replace("- [[Two]]", "mine\n- [[Two]]")
    after = put(text, *LINES[1:], ours=(LINES[0],))
    assert after == text_of(*LINES[1:], below="\nmine\n")


def test_line_ends_are_kept() -> None:
    text = text_of(*LINES, below="Below").replace("\n", "\r\n")
    after = put(text, "- [[Three]]")
    assert after == text_of("- [[Three]]", below="Below").replace("\n", "\r\n")


LINE = st.text(st.characters(exclude_categories=("C", "Z")), max_size=12).filter(
    lambda line: "%%" not in line and "`" not in line and "~" not in line
)


@given(st.lists(LINE), st.lists(LINE), st.lists(LINE), st.booleans())
def test_nothing_outside_changes(old, new, outside, ends) -> None:
    rest = "\n".join(outside)
    text = text_of(*old, above=f"x\n{rest}\n", below=rest + ("\n" if ends else ""))
    after = put(text, *new)
    assert after == text_of(
        *new, above=f"x\n{rest}\n", below=rest + ("\n" if ends else "")
    )


@given(st.lists(LINE, min_size=1), st.lists(LINE), st.lists(LINE))
def test_no_line_of_a_persons_is_lost(old, mine, new) -> None:
    text = text_of(*old)
    for line in mine:
        text = text.replace("%% mindcache:end", f"{line}\n%% mindcache:end")
    after = put(text, *new)
    lines = after.split("\n")
    assert all(line in lines for line in mine if line.strip())
    assert put(after, *new) == after


def test_terms_are_in_the_first_line() -> None:
    line = words_line(["a", "b c"])
    assert words_in([line, "- [[x]]"]) == ["a", "b c"]
    assert words_in(["- [[x]]", line]) == []
    assert words_of(text_of(line, "- [[x]]")) == ["a", "b c"]
    assert words_of("Words: a, b") == []
