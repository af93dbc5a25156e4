"""The form of a journal entry: any text in, the same text out, and a list that holds."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mindcache import journal, text
from mindcache.journal import Entry
from mindcache.note import parse

HEAD = "---\ntype: journal\ndate: 2026-11-30\n---\n"
BEFORE = Entry("j-before1", "08:00", "before")
AFTER = Entry("j-after1", "23:59", "after", "p")

# Pieces of Markdown that begin something, end something, or look like an entry's own.
PIECES = [
    "# ", "## h", "> ", "- ", "* ", "+ ", "1. ", "2) ", "12", ".", ")", "- [ ] ", "[x] ",
    "[", "]", "[p] ", "[[Note]]", "![[Note|a]]", "[a](b.md)", "```", "~~~", "`", "$", "$$",
    "%%", "%", "<!--", "-->", "<", "!--", "---", "***", "_ _ _", "===", "--", "^x", " ^j-1",
    "^", "\\", "\\\\", "|", "| a |", "<br>", "&#32;", "&#9;", "&", "#", " ", "  ", "\t", "\n",
    "\r\n", "\r", "\u2028", "\x0b", "\0", "\x1b[31m", "\u3000", "\xa0", ";base64,", ";base64",
    ",", "A" * 70, "::", "about:: x", "%% mindcache:begin x %%", "%% mindcache:end %%",
    "<<<<<<< a", "=======", ">>>>>>> b", "- 09:00 x ^j-2", "text", "é", "日本", "<div>",
    "</script>", "[^1]: n", "#tag", "{{x}}", "\ufeff",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=12).map(
    "".join
)  # fmt: skip


def read_back(lines: list[str]) -> list[Entry | None]:
    """The entries that a day's note holds after these lines, with two around them."""
    around = [*journal.render(BEFORE), *lines, *journal.render(AFTER)]
    data = (HEAD + "".join(f"{line}\n" for line in around)).encode()
    note = parse("journal/2026-11-30.md", data)
    assert note.problems == ()
    return [journal.parse(c.text, c.anchor.removeprefix("^")) for c in text.chunk(note)]


@given(TEXTS, st.sampled_from(["", "p", "acme/site", "50 %% $$"]), st.booleans())
@example("a\n\n\n  b", "", True)
@example("\\# x\n\\\\# y\n1\\. z", "", False)
def test_any_text_comes_back_and_the_list_holds(
    written: str, project: str, has_link: bool
) -> None:
    tidied = journal.tidy(written)
    if not tidied:
        return
    links = ("[[Real name|Alias]]", "[C#](C%23.md)") if has_link else ()
    entry = Entry("j-6kd3f2a9xw", "14:30", tidied, project, links)
    assert read_back(journal.render(entry)) == [BEFORE, entry, AFTER]


@given(TEXTS)
def test_tidy_text_stays_as_it_is(written: str) -> None:
    tidied = journal.tidy(written)
    assert journal.tidy(tidied) == tidied
    assert tidied.split() == re.sub("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]", "\ufffd", written).split()  # fmt: skip


def test_plain_entries_look_as_a_person_would_write_them() -> None:
    entry = Entry("j-6kd3f2a9xw", "14:30", "Met Ines\nShe asked: why?", "acme/site",
                  ("[[Ines]]",))  # fmt: skip
    assert journal.render(entry) == [
        "- 14:30 [acme/site] Met Ines ^j-6kd3f2a9xw",
        "  - She asked: why?",
        "  - [[Ines]]",
    ]
    assert journal.render(Entry("j-1", "09:05", "a ^b and ^c"))[0] == (
        "- 09:05 a ^b and \\^c ^j-1"
    )


@pytest.mark.parametrize(
    "line", ["# h", "> q", "- [ ] t", "```py", "1. one", "%% c", "---", "^id", "x ^id"]
)
def test_marks_mean_themselves_in_a_further_line(line: str) -> None:
    body = "\n".join(journal.render(Entry("j-1", "10:00", f"first\n{line}")))
    note = parse("a.md", body.encode())
    assert [b.id for b in note.blocks] == ["j-1"]
    assert (note.headings, note.fences, note.tasks, note.callouts) == ((), (), (), ())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("- 10:00 [p] text\n  - [[A]]\n  - mine", Entry("j-1", "10:00", "text\nmine", "p", ("[[A]]",))),
        ("* 10:00 text\n\t- [[A]]", Entry("j-1", "10:00", "text", "", ("[[A]]",))),
        ("- 10:00 text\n  goes on", Entry("j-1", "10:00", "text\ngoes on")),
        ("- 10:00 [[A]] came", Entry("j-1", "10:00", "[[A]] came")),
        ("- 10:00 [a](b) came", Entry("j-1", "10:00", "[a](b) came")),
        ("- 24:00 text", None),
        ("- text", None),
        ("10:00 text", None),
    ],
)  # fmt: skip
def test_what_a_person_made_of_an_entry_is_read(
    written: str, expected: Entry | None
) -> None:
    assert journal.parse(written, "j-1") == expected
    assert journal.parse(written, "other") is None


def test_ids_tell_the_second_and_are_drawn() -> None:
    now = datetime(2026, 11, 30, 14, 30, 5)  # noqa: DTZ001  civil time
    later = datetime(2026, 11, 30, 14, 30, 6)  # noqa: DTZ001  civil time
    lowest, highest = (
        journal.draw_id(now, lambda _: 0),
        journal.draw_id(now, lambda n: n - 1),
    )
    assert (len(lowest), lowest[-4:], highest[-4:]) == (12, "0000", "zzzz")
    assert lowest < highest < journal.draw_id(later, lambda _: 0)
    assert journal.is_entry_id(lowest)
    assert journal.draw_id(datetime(1999, 1, 1), lambda _: 0) == "j-0000000000"  # noqa: DTZ001  civil time
