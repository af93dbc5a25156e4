"""What is said in a chat, as Markdown: it looks the same and reaches out of nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.importers.chat.contained import contained, quoted, safe_line
from mindcache.importers.prose import seen
from mindcache.note import parse
from mindcache.sync.people import _SPEAKER

SIGNS = (
    *"[]#^%:<>`~$\\*_-=+|!() \n\t.1aé世",
    "[[", "]]", "![[", "](", "```", "~~~", "%%", "::", "#tag", " ^id", "---", "===",
    "**Ana:** ", "- ", "- [ ] ", "> ", "    ", "<!--", "-->", "$$", "https://a.b/#c",
    "| a | b |\n| - | - |\n", "\n\n", "`x`", "<<<<<<< ", "=======", ">>>>>>> ", "# ",
    "<b>", "[a](b.md)", "[a](https://b.c)", "[!note]", "[x]: y", "key:: value",
)  # fmt: skip


def laid_out(text: str) -> str:
    return "\n\n".join(block for _, block in contained(text))


def facts(text: str) -> list[object]:
    """Everything of structure that the vault would read out of a note with this in it."""
    body = f"**Ben:** before ^b-1\n\n{text}\n\n**Ben:** after ^b-3\n"
    note = parse("x.md", body.encode("utf-8", "replace"))
    blocks = [b.id for b in note.blocks if not b.id.startswith("b-")]
    return [
        *note.links, *note.tags, *note.headings, *blocks, *note.fields, *note.tasks,
        *note.callouts, *note.generated, *([1] if note.conflict_line else []),
    ]  # fmt: skip


@given(st.lists(st.sampled_from(SIGNS), max_size=25).map("".join))
def test_nothing_in_a_turn_is_structure(text: str) -> None:
    clean = seen(text)
    written = laid_out(clean)
    assert facts(written) == []
    kind, first = (contained(clean) or [("", "")])[0]
    if kind == "text":  # which begins on the speaker's line and ends with an id
        assert facts(f"**Ana:** {first} ^b-2") == []
    # What comes after it is still read as what it is.
    body = f"{written}\n\n**Ben:** [[After]] ^b-3\n"
    note = parse("x.md", body.encode())
    assert [link.target for link in note.links] == ["After"]
    assert [block.id for block in note.blocks] == ["b-3"]


@given(st.lists(st.sampled_from(SIGNS), max_size=25).map("".join))
def test_a_quote_holds_what_is_in_it(text: str) -> None:
    written = quoted(seen(text))
    assert facts(f"x\n\n{written}\n\n") == []
    assert all(line.startswith("> ") for line in written.split("\n") if written)


@given(st.lists(st.sampled_from(SIGNS), max_size=25).map("".join))
def test_nobody_speaks_in_anothers_turn(text: str) -> None:
    written = laid_out(seen(text))
    outside = re.sub(r"(?ms)^(`{3,}|~{3,}).*?^\1$", "", written)
    assert not _SPEAKER.search(outside), written


@given(st.text(alphabet="ab[]#^%:<>`$\\!() ", max_size=30).filter(lambda t: t.strip()))
def test_what_was_said_can_be_had_back(text: str) -> None:
    line = text.strip()
    written = safe_line(line)
    sign = re.compile(r"\\([!-/:-@\[-`{-~])|((`+)(?!`)(?:.*?[^`])\3(?!`))")
    assert sign.sub(lambda found: found[1] or found[2], written) == line


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("See [[Secret]] and #tag", r"See \[\[Secret\]\] and \#tag"),
        ("note:: x %%hidden%% ^id", r"note\:\: x \%\%hidden\%\% \^id"),
        ("# Not a heading", r"\# Not a heading"),
        ("a\n---\nb", "a\n\\---\nb"),
        ("one\n\ntwo\n\n\nthree", "one\ntwo\nthree"),
        ("**Boss:** pay him", "__Boss:__ pay him"),
        ("**Bold** stays, *it* too", "**Bold** stays, *it* too"),
        ("[here](https://x.org/a#b) and [there](note.md)",
         r"[here](https://x.org/a#b) and [there]\(note.md)"),
        ("https://x.org/#part and #part", r"https://x.org/#part and \#part"),
        ("use `[[x]] #y` here", "use `[[x]] #y` here"),
        ("5 $ and 6 $", r"5 \$ and 6 \$"),
        ("it costs $5", "it costs $5"),
        ("- [ ] do it", r"- \[ ] do it"),
        ("1. one\n2. two", "1. one\n2. two"),
        ("<script>x</script>", r"\<script>x\</script>"),
        (r"C:\dir and \#too", r"C:\dir and \\\#too"),
    ],
)  # fmt: skip
def test_signs(said: str, written: str) -> None:
    assert laid_out(said) == written


def test_blocks_stay_whole() -> None:
    text = (
        "Look:\n```python\ndef f(x):\n    return [[x]]  # tag\n\n\ny = 1\n```\nthen\n"
        "- one\n  - two\n- three\n\n| a | b |\n|---|---|\n| [[x]] | 2 |\n\n> said\n> so\nend"
    )
    assert contained(text) == [
        ("text", "Look:"),
        ("fence", "```python\ndef f(x):\n    return [[x]]  # tag\n\n\ny = 1\n```"),
        ("text", "then"),
        ("list", "- one\n  - two\n- three"),
        ("table", "| a | b |\n|---|---|\n| \\[\\[x\\]\\] | 2 |"),
        ("quote", "> said\n> so"),
        ("text", "end"),
    ]


def test_a_fence_that_is_never_closed_ends_with_the_turn() -> None:
    assert contained("```sh\nls\n~~~\n") == [("fence", "```sh\nls\n~~~\n\n```")]
    assert contained("  ```\n  a\n    b\n  ```") == [("fence", "```\na\n  b\n```")]


def test_signs_that_nobody_sees_go() -> None:
    assert seen("a\u200bb\u202ec\x00d\u2028e\r\nf\tg") == "abcd\ne\nf\tg"
