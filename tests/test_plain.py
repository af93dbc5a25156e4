"""Markdown read aloud, and the sentence that stands for a note."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.plain import SUMMARY_LENGTH, first_sentence, plain_text


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("plain words", "plain words"),
        ("two\nlines  and\n\nparagraphs", "two lines and paragraphs"),
        # emphasis
        ("**bold** *it* ***both*** __b__ _i_", "bold it both b i"),
        ("~~gone~~ ==seen==", "gone seen"),
        ("**bold *in* bold**, *it **in** it*", "bold in bold, it in it"),
        ("un**frigging**believable", "unfriggingbelievable"),
        ("snake_case_name and _a snake_case inside_", "snake_case_name and a snake_case inside"),
        ("2*3*4, a * b * c, 2 ** 3", "2*3*4, a * b * c, 2 ** 3"),
        ("a == b == c, ~approx~", "a == b == c, ~approx~"),
        ("lone * and _ and **unclosed", "lone * and _ and **unclosed"),
        # links
        ("[[Note]]", "Note"),
        ("[[a/b/Note]]", "Note"),
        ("[[Note.md]]", "Note"),
        ("[[Note|shown]]", "shown"),
        ("[[Note#Heading]]", "Note Heading"),
        ("[[Note#A/B]]", "Note A/B"),
        ("[[a/Note#^block-1]]", "Note block-1"),
        ("[[#Heading]]", "Heading"),
        ("| [[Note\\|shown]] |", "shown"),
        ("![[img.png|100x145]] ![[img.png|100]]", "img.png img.png"),
        ("[[Sq]uare]] [[]] [[unclosed", "Sq]uare [[unclosed"),
        ("[text](Folder/My%20Note.md#Heading)", "text"),
        ("[text](<My Note.md>) [t](u \"title\")", "text t"),
        ("[wiki](https://x.org/a_(b)) end", "wiki end"),
        ("[![badge](b.png)](https://x.org)", "badge"),
        ("![alt text](img.png)", "alt text"),
        ("[not a link] (at all)", "[not a link] (at all)"),
        ("<https://x.org>", "<https://x.org>"),
        ("said[^1] so[^note]", "said so"),
        # blocks
        ("# Title\n\n## Sub *it*", "Title Sub it"),
        ("- one\n* two\n+ three\n1. four\n2) five", "one two three four five"),
        ("- [ ] open\n- [x] done", "open done"),
        ("  - nested\n\t- deeper", "nested deeper"),
        ("> quoted\n> > twice", "quoted twice"),
        ("> [!note]- Title\n> text\n> - item", "Title text item"),
        ("> [!info|left] Title", "Title"),
        ("| a | b |\n|---|:-:|\n| c | d |", "a b c d"),
        ("above\n\n---\n\nbelow\n***\nend", "above below end"),
        ("text ^block-id\nmore", "text more"),
        ("x^2 stays, 2^n too", "x^2 stays, 2^n too"),
        ("one<br>two <b>bold</b> <span style='x'>s</span>", "one two bold s"),
        ("List<int> and 1 < 2 > 0", "List<int> and 1 < 2 > 0"),
        # comments
        ("a %%hidden%% b", "a b"),
        ("a %%\nlong\n%% b", "a b"),
        ("100%% sure", "100%% sure"),
        ("a <!-- hidden --> b <!-- open", "a b <!-- open"),
        # code stays as it is written
        ("run `__init__` and `**kw`", "run __init__ and **kw"),
        ("``a `b` c``", "a `b` c"),
        ("it`s and that`s [[Note]]", "its and thats Note"),
        ("one ` alone\n\nand ` another", "one ` alone and ` another"),
        ("```python\n# not a title\nx = a*b*c\n- y\n```\nafter", "# not a title x = a*b*c - y after"),
        ("~~~\n[[x]] %%y%%\n~~~", "[[x]] %%y%%"),
        ("```\nnever closed **x**", "never closed **x**"),
        ("> ```\n> a_b_\n> ```\n> end", "> a_b_ end"),
        ("`[[x]]` [[y]] `%%z%%`", "[[x]] y %%z%%"),
        # other scripts
        ("**重要**：今日は「良い」天気。", "重要：今日は「良い」天気。"),
        ("", ""),
        ("   \n\t\n", ""),
    ],
)  # fmt: skip
def test_marks_go_and_words_stay(markdown: str, expected: str) -> None:
    assert plain_text(markdown) == expected


@given(st.text(st.sampled_from("ab *_`[]()|!#>-%~=<^\n\\é。"), max_size=60))
def test_any_text_comes_out_on_one_line_with_no_letter_more(text: str) -> None:
    found = plain_text(text)
    assert "\n" not in found
    assert found == found.strip()
    assert "  " not in found
    letters = [c for c in found if c.isalnum()]
    assert all(letters.count(c) <= text.count(c) for c in set(letters))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One sentence. Another.", "One sentence."),
        ("No stop at all", "No stop at all"),
        ("First line\nsame paragraph. Next", "First line same paragraph."),
        ("Really? Yes.", "Really?"),
        ("Wait... what? Yes.", "Wait... what?"),
        ("Wait… What now?", "Wait…"),
        ('He said "no." Then left.', 'He said "no."'),
        ("(All of it.) Then more.", "(All of it.)"),
        # no end of a sentence
        ("Use tools, e.g. Git, for that. Next.", "Use tools, e.g. Git, for that."),
        ("That is z.B. Git. Next.", "That is z.B. Git."),
        ("Dr. Smith met Mrs. Jones. Next.", "Dr. Smith met Mrs. Jones."),
        ("J. R. R. Tolkien wrote it. Next.", "J. R. R. Tolkien wrote it."),
        ("Version 3.5 of example.com is out. Next.", "Version 3.5 of example.com is out."),
        ("Am 3. Mai kam er. Dann ging er.", "Am 3. Mai kam er."),
        ("The U.S. Senate voted. Next.", "The U.S. Senate voted."),
        ("It was in 2026. Then came more.", "It was in 2026."),
        ("So did I. Then more.", "So did I."),
        ("Yahoo! is a name. Next.", "Yahoo! is a name."),
        # other scripts end without a space
        ("今日は良い天気。明日も。", "今日は良い天気。"),
        ("「行く。」と言った。次。", "「行く。」"),
        ("真的吗？是的。", "真的吗？"),
        # what is no paragraph
        ("# Title\n\nText. More.", "Text."),
        ("# Title\nText. More.", "Text."),
        ("Title\n=====\nText. More.", "Text."),
        ("Text before. More\n# Title", "Text before."),
        ("```python\nprint(1)\n```\n\nText.", "Text."),
        ("~~~\ncode\n~~~\nText.", "Text."),
        ("    indented code\n\nText.", "Text."),
        ("| a | b |\n|---|---|\n| c | d |\n\nText.", "Text."),
        ("%% hidden. %%\nText.", "Text."),
        ("%%\nhidden\n\nhidden too\n%%\nText.", "Text."),
        ("<!-- hidden\n\n -->\nText.", "Text."),
        ("![[cover.png|300]]\n\nText.", "Text."),
        ("![[cover.png]]\nText.", "Text."),
        ("![alt](cover.png)\nText.", "Text."),
        ("#tag #client/acme\nText.", "Text."),
        ("status:: open\nText.", "Text."),
        ("---\nText.", "Text."),
        ("$$\nx = y. Z\n$$\nText.", "Text."),
        ("<div>\n\nText.</div>", "Text."),
        ("^block\nText.", "Text."),
        ("***\n\n...\n\nText.", "Text."),
        # what is
        ("- first item\n- second", "first item"),
        ("- [ ] a task\n- another", "a task"),
        ("1. first. More\n2. second", "first."),
        ("Intro:\n- first", "Intro:"),
        ("> a quote. More", "a quote."),
        ("> [!note] Title\n> Body here. More", "Body here."),
        ("> [!note] Title only", "Title only"),
        ("![[cover.png]] with words.", "cover.png with words."),
        ("See [[Note|the note]] **now**. Then", "See the note now."),
        ("Key: value. More", "Key: value."),
        ("", ""),
        ("# Only a title", ""),
        ("```\ncode\n```", ""),
        ("---\n***\n...", ""),
    ],
)  # fmt: skip
def test_the_first_sentence(text: str, expected: str) -> None:
    assert first_sentence(text) == expected


def test_a_long_sentence_is_cut_at_a_word() -> None:
    found = first_sentence("word " * 100)
    assert found == ("word " * 100)[:159].rstrip() + "…"
    assert len(first_sentence("x" * 500)) == SUMMARY_LENGTH
    assert first_sentence("x" * SUMMARY_LENGTH) == "x" * SUMMARY_LENGTH
    assert first_sentence("日" * 500) == "日" * 159 + "…"


@pytest.mark.parametrize(
    "unit", ["x\u0301", "👨\u200d👩\u200d👧", "❤\ufe0f", "xy\u0301\u0302"]
)
@pytest.mark.parametrize("shift", range(6))
def test_a_cut_never_parts_what_is_one_character(unit: str, shift: int) -> None:
    found = first_sentence("a" * shift + unit * 100)
    kept = found.removesuffix("…")
    following = ("a" * shift + unit * 100)[len(kept)]
    assert len(found) <= SUMMARY_LENGTH
    assert not unicodedata.combining(following)
    assert following not in "\u200d\ufe0f"
    assert not kept.endswith("\u200d")


@given(st.text(max_size=400))
def test_a_first_sentence_is_short_and_on_one_line(text: str) -> None:
    found = first_sentence(text)
    assert len(found) <= SUMMARY_LENGTH
    assert "\n" not in found


HOSTILE = [
    "[", "[[", "]]", "*", "**a ", "_", "_a", " _a", "%%", "`", "`\n\n", "~", "~~a", "=",
    "==a", "(", "<!--", " ", "\n", ">", "> ", "- ", " ^", "[x](", '[a](b "', "]( ", "1",
    "#", "<b ", "|", "a", "```\n", "~~~\n```\n", "> [!", "[^", "[!", "x. ", "$$a", "!",
    "![[", "a::", "\t", "\\", "。", "1. ",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_no_longer_than_its_length(unit: str) -> None:
    text = unit * (300_000 // len(unit))
    started = time.process_time()
    plain_text(text + "x")
    first_sentence(text + "x")
    assert time.process_time() - started < 1.5


def test_backticks_in_runs_of_every_length_are_quick() -> None:
    text = " ".join("`" * n for n in range(1, 800))
    started = time.process_time()
    plain_text(text)
    assert time.process_time() - started < 1.5
