from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mindcache.note import parse
from mindcache.note.types import Block, Heading, Note
from mindcache.text import Chunk, chunk

VAULTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "vaults"


def chunks(text: str) -> list[Chunk]:
    return chunk(parse("note.md", text.encode()))


def words(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{n}" for n in range(count))


def sentences(count: int) -> str:
    """Sentences of ten words each."""
    return " ".join(
        f"Sentence {n} has ten words of its own and ends." for n in range(count)
    )


def sizes(text: str) -> list[int]:
    return [len(c.text.split()) for c in chunks(text)]


# Sections -------------------------------------------------------------------------


def test_a_short_note_is_one_chunk() -> None:
    assert chunks("First line\nsecond line.\n\nNext paragraph.\n") == [
        Chunk("First line\nsecond line.\n\nNext paragraph.", "", (), 1, 4)
    ]


def test_by_hand_as_parsed() -> None:
    text = "# One\ntext ^a1\n\nmore\n"
    note = Note(
        "n.md", text, headings=(Heading(1, "One", 1),), blocks=(Block("a1", 2),)
    )
    assert chunk(note) == [
        Chunk("text", "^a1", ("One",), 2, 2),
        Chunk("more", "One", ("One",), 4, 4),
    ]


def test_sections_are_never_merged_and_know_their_path() -> None:
    text = "lead\n\n# A\nin a\n## B\nin b\n### C\nin c\n## D\nin d\n# E\nin e\n"
    assert [(c.text, c.anchor, c.heading_path, c.line_start) for c in chunks(text)] == [
        ("lead", "", (), 1),
        ("in a", "A", ("A",), 4),
        ("in b", "B", ("A", "B"), 6),
        ("in c", "C", ("A", "B", "C"), 8),
        ("in d", "D", ("A", "D"), 10),
        ("in e", "E", ("E",), 12),
    ]


def test_a_skipped_level_and_twin_headings() -> None:
    found = chunks("### Deep\na\n# Top\nb\n# Top\nc\n")
    assert [(c.anchor, c.heading_path) for c in found] == [
        ("Deep", ("Deep",)),
        ("Top", ("Top",)),
        ("Top", ("Top",)),
    ]


def test_a_heading_without_text_is_kept_unless_headings_follow_under_it() -> None:
    assert chunks("# A\n## B\n## C\ntext\n# D\n") == [
        Chunk("", "B", ("A", "B"), 2, 2),
        Chunk("text", "C", ("A", "C"), 4, 4),
        Chunk("", "D", ("D",), 5, 5),
    ]


def test_an_underlined_heading_is_no_text() -> None:
    assert chunks("Title\n=====\ntext\n\nSub\n---\nmore\n") == [
        Chunk("text", "Title", ("Title",), 3, 3),
        Chunk("more", "Sub", ("Title", "Sub"), 7, 7),
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "---\na: 1\n---\n", "---\n---\n\n"])
def test_an_empty_body_is_one_empty_chunk(text: str) -> None:
    (only,) = chunks(text)
    assert (only.text, only.anchor, only.heading_path) == ("", "", ())
    assert only.line_start == only.line_end >= 1


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_the_files(newline: str) -> None:
    text = "---\ntitle: x\n---\n# A\n\none\ntwo\n\n## B\nthree"
    assert chunks(text.replace("\n", newline)) == [
        Chunk("one\ntwo", "A", ("A",), 6, 7),
        Chunk("three", "B", ("A", "B"), 10, 10),
    ]


# Packing --------------------------------------------------------------------------


def test_paragraphs_are_packed_to_the_target_and_under_the_limit() -> None:
    assert sizes("\n\n".join([words(50)] * 8)) == [150, 150, 100]
    assert sizes("\n\n".join([words(100), words(200), words(100)])) == [100, 200, 100]


def test_a_short_tail_joins_the_chunk_before() -> None:
    assert sizes("\n\n".join([words(130), words(30)])) == [160]
    assert sizes("\n\n".join([words(130), words(50)])) == [130, 50]
    assert sizes("\n\n".join([words(240), words(30)])) == [240, 30]
    assert sizes(f"{words(130)}\n\n# Next\n\n{words(5)}") == [130, 5]


def test_a_giant_paragraph_is_cut_at_sentence_ends() -> None:
    found = chunks(sentences(60))
    assert [len(c.text.split()) for c in found] == [120] * 5
    assert all(
        c.text.startswith("Sentence") and c.text.endswith("ends.") for c in found
    )


def test_without_sentences_it_is_cut_at_lines_and_then_at_spaces() -> None:
    lines = "\n".join(words(30) for _ in range(20))
    found = chunks(lines)
    assert [c.line_end - c.line_start + 1 for c in found] == [4] * 5
    assert sizes(words(900)) == [120] * 7 + [60]


def test_pieces_of_a_giant_paragraph_know_their_lines() -> None:
    text = "\n".join([sentences(13), sentences(13), sentences(13)])
    assert [(c.line_start, c.line_end) for c in chunks(text)] == [
        (1, 1),
        (1, 2),
        (2, 3),
    ]


def test_scripts_without_spaces_count_two_characters_as_a_word() -> None:
    sentence = "我们在会议上决定了新的价格。"
    found = chunks(sentence * 100)
    assert len(found) > 3
    assert all(c.text.endswith("。") and len(c.text) <= 500 for c in found)
    assert "".join(c.text for c in found) == sentence * 100


@pytest.mark.parametrize(
    "cluster",
    [
        "漢",
        "か\u3099",
        "ที่",
        "👨\u200d👩\u200d👧",
        "👍🏽",
        "🇩🇪",
        "e\u0301",
        "☎\ufe0f",
        "\u1112\u1161\u11ab",
    ],
)
@pytest.mark.parametrize("offset", range(4))
def test_a_string_without_spaces_is_cut_between_characters(
    cluster: str, offset: int
) -> None:
    text = "漢" * offset + cluster * 3000
    found = chunks(text)
    assert len(found) > 1
    assert "".join(c.text for c in found) == text
    for piece in found:
        rest = piece.text.lstrip("漢") if cluster != "漢" else piece.text
        assert rest == cluster * (len(rest) // len(cluster))
        assert piece.text.encode("utf-8").decode("utf-8") == piece.text


# What stays whole -----------------------------------------------------------------


def test_a_fence_stays_whole_however_long() -> None:
    code = "\n\n".join(f"print({n})  # a line of code" for n in range(100))
    found = chunks(f"{words(50)}\n```python\n{code}\n```\n{words(50)}\n")
    assert [c.text.startswith("```python") for c in found] == [False, True, False]
    assert found[1].text == f"```python\n{code}\n```"
    assert (found[1].line_start, found[1].line_end) == (2, 202)


def test_a_short_fence_goes_with_its_text() -> None:
    (only,) = chunks("Do this:\n```\nrun\n\n# no heading\n```\nand that.\n")
    assert "# no heading" in only.text


def test_a_table_stays_whole() -> None:
    rows = "\n".join(f"| {words(10)} | b |" for _ in range(50))
    found = chunks(f"Before.\n\n| a | b |\n|---|---|\n{rows}\n\nAfter.\n")
    assert [c.text.startswith("| a") for c in found] == [False, True, False]
    assert found[1].text.count("\n") == 51


def test_a_list_item_stays_with_what_is_nested_in_it() -> None:
    item = f"- {words(60)}\n  - {words(30)}\n\n  {words(20)}\n"
    found = chunks(item * 3)
    assert [c.text.count("\n- ") for c in found] == [1, 0]


def test_a_long_list_item_is_not_cut_but_a_tree_is_between_its_items() -> None:
    assert sizes(f"- {words(400)}\n- short") == [401, 2]
    tree = "- root\n" + "".join(f"  - {words(100)}\n" for _ in range(4))
    assert [c.text.count(" - ") for c in chunks(tree)] == [2, 2]


def test_a_fence_in_a_list_item_does_not_end_it() -> None:
    (only,) = chunks("- item ^x1\n  ```\n  - no item\n\n  code\n  ```\n  after\n")
    assert only.anchor == "^x1"
    assert only.text.endswith("after")


# Block ids ------------------------------------------------------------------------


def test_a_paragraph_with_an_id_stands_alone() -> None:
    found = chunks("# H\none\n\ntwo\nlines ^id-2\n\nthree\n")
    assert [(c.text, c.anchor, c.line_start, c.line_end) for c in found] == [
        ("one", "H", 2, 2),
        ("two\nlines", "^id-2", 4, 5),
        ("three", "H", 7, 7),
    ]


def test_journal_entries_stand_alone_with_their_links() -> None:
    text = "- 09:00 [p] first ^j-A\n  - [[Note]]\n- 10:00 [p] second ^j-B\n"
    assert [(c.text, c.anchor, c.line_start, c.line_end) for c in chunks(text)] == [
        ("- 09:00 [p] first\n  - [[Note]]", "^j-A", 1, 2),
        ("- 10:00 [p] second", "^j-B", 3, 3),
    ]


def test_a_nested_item_with_an_id_is_taken_out_of_its_parent() -> None:
    text = "- parent\n  - before\n  - named ^n1\n    - below\n  - after\n"
    assert [(c.text.strip(), c.anchor) for c in chunks(text)] == [
        ("- parent\n  - before", ""),
        ("- named\n    - below", "^n1"),
        ("- after", ""),
    ]


@pytest.mark.parametrize(
    "block", ["| a | b |\n|---|---|\n| 1 | 2 |", "> [!note] Title\n> text", "- a\n- b"]
)
def test_an_id_on_its_own_line_names_the_block_before(block: str) -> None:
    found = chunks(f"Intro.\n\n{block}\n\n^whole\n\nOutro.\n")
    assert [(c.text, c.anchor) for c in found] == [
        ("Intro.", ""),
        (block, "^whole"),
        ("Outro.", ""),
    ]


def test_a_giant_paragraph_with_an_id_has_it_on_every_piece() -> None:
    found = chunks(f"{sentences(60)} ^big")
    assert len(found) == 5
    assert {c.anchor for c in found} == {"^big"}
    assert "^big" not in found[-1].text


# What is left out -----------------------------------------------------------------


def test_generated_sections_are_left_out_and_divide() -> None:
    text = (
        "before\n\n%% mindcache:begin 0123abcd %%\n- [[Member]]\n\n# Generated\n"
        "%% mindcache:end %%\nafter\n"
    )
    note = parse("topic.md", text.encode())
    note = Note("t.md", text, headings=note.headings, generated=((3, 7),))
    assert chunk(note) == [
        Chunk("before", "", (), 1, 1),
        Chunk("after", "", (), 8, 8),
    ]


def test_text_after_the_notes_text_is_left_out() -> None:
    text = "about the drawing\n\n%%\n# Drawing\nN4KAkARAL\n%%\n"
    note = Note("d.md", text, text_end=text.index("%%"))
    assert chunk(note) == [Chunk("about the drawing", "", (), 1, 1)]


def test_comment_marks_go_and_comments_stay() -> None:
    (only,) = chunks("shown %%hidden%% end\n```\na %% b\n```\n")
    assert only.text == "shown hidden end\n```\na %% b\n```"


def test_the_data_of_a_pasted_image_goes() -> None:
    (only,) = chunks(f"A ![p](data:image/png;base64,{'iVBORw0KGgo' * 5000}) picture.")
    assert only.text == "A ![p](data:image/png;base64,) picture."


def test_other_data_is_cut_to_the_size_of_a_chunk() -> None:
    blob = "deadbeef" * 5000
    found = chunks(blob)
    assert "".join(c.text for c in found) == blob
    assert max(len(c.text) for c in found) <= 2200


# Properties -----------------------------------------------------------------------

LINES = st.one_of(
    st.sampled_from(
        [
            "",
            "",
            "# Heading",
            "## Sub heading",
            "- item one",
            "  - nested item ^nest",
            "\t1. tabbed",
            "* * *",
            "---",
            "| a | b |",
            "|---|---|",
            "> quoted",
            "> - quoted item",
            "```",
            "  ```",
            "> ```",
            "~~~",
            "^alone",
            "a paragraph's end ^para",
            "%%",
            "%% remark %%",
            "    indented",
            "$$",
            "漢字かな交じり文。次の文。" * 30,
            words(130),
            words(260),
            f"- {words(70)}",
        ]
    ),
    st.text(alphabet="ab #-|>`^%[]\té漢\u0301\u200d", max_size=12),
)
NOTES = st.lists(LINES, max_size=25).map("\n".join)


def letters(text: str) -> str:
    """What is left when ids, marks and white space are gone: no word may be lost."""
    return re.sub(r"[\s%]", "", text)


def expected_letters(note: Note) -> str:
    lines = re.split(r"\r\n|\r|\n", note.text)
    left_out = set(
        range(1, len(re.findall(r"\r\n|\r|\n", note.text[: note.body_offset])) + 1)
    )
    for heading in note.headings:
        last = heading.line
        if not re.match(r" {0,3}#{1,6}(\s|$)", lines[last - 1]):
            while not re.match(r" {0,3}(=+|-+)\s*$", lines[last - 1]):
                last += 1
        left_out.update(range(heading.line, last + 1))
    for first, last in note.generated:
        left_out.update(range(first, last + 1))
    ids = {block.line: block.id for block in note.blocks}
    return without_rules(
        "\n".join(
            re.sub(rf"\^{ids.get(number, '^')}\s*$", "", line)
            for number, line in enumerate(lines, 1)
            if number not in left_out
        )
    )


def without_rules(text: str) -> str:
    """Rules across the page may be left out or kept; they hold no words."""
    return letters(
        re.sub(r"^\s*([-*_])[ \t]*(\1[ \t]*){2,}$", "", text, flags=re.MULTILINE)
    )


@given(NOTES)
@example("$$\n[\n%%\n---")
def test_no_text_is_lost_or_doubled(text: str) -> None:
    note = parse("note.md", text.encode())
    whole = "".join(without_rules(c.text) for c in chunk(note))
    assert whole == expected_letters(note)


@given(NOTES)
def test_lines_are_in_order_and_only_cut_lines_are_shared(text: str) -> None:
    found = chunks(text)
    count = len(text.split("\n"))
    assert found
    for piece in found:
        assert 1 <= piece.line_start <= piece.line_end <= count
    for before, after in itertools.pairwise(found):
        assert before.line_end <= after.line_start
        if before.line_end == after.line_start:
            line = text.split("\n")[after.line_start - 1]
            assert (
                len(line.split()) + len(re.findall("[\u3040-\u9fff]", line)) / 2 > 120
            )


@given(NOTES)
def test_sizes(text: str) -> None:
    for piece in chunks(text):
        size = (
            len(piece.text.split()) + len(re.findall("[\u3040-\u9fff]", piece.text)) / 2
        )
        whole = re.search(
            r"^\s*(```|~~~|>|\||[-*+]\s|\d+[.)]\s)", piece.text, re.MULTILINE
        )
        assert size <= 251 or whole
        assert piece.text == piece.text.rstrip()


@given(NOTES)
def test_anchors_are_ids_or_the_last_heading(text: str) -> None:
    note = parse("note.md", text.encode())
    ids = {f"^{block.id}" for block in note.blocks}
    for piece in chunk(note):
        assert piece.anchor in ids or piece.anchor == (piece.heading_path or ("",))[-1]


# Real notes -----------------------------------------------------------------------


def test_real_notes() -> None:
    paths = sorted(VAULTS.rglob("*.md"))
    if not paths:
        pytest.skip("no shared sample vaults beside the repository")
    for path in paths:
        note = parse(path.name, path.read_bytes())
        lines = [
            line.replace("%%", "").strip()
            for line in re.split(r"\r\n|\r|\n", note.text)
        ]
        last = 0
        for piece in chunk(note):
            assert last <= piece.line_start <= piece.line_end
            last = piece.line_end
            inside = lines[piece.line_start - 1 : piece.line_end]
            shown = [line.strip() for line in piece.text.split("\n") if line.strip()]
            if not shown:
                continue
            assert shown[0] in inside[0], (path, piece)
            assert inside[-1] == "" or shown[-1] in inside[-1] or inside[-1][0] == "^"
            heads = [h.text for h in note.headings if h.line < piece.line_start]
            assert (piece.heading_path or ("",))[-1] == (heads or [""])[-1]
        whole = "".join(without_rules(c.text) for c in chunk(note))
        if note.text_end == len(note.text) and ";base64," not in note.text:
            assert whole == expected_letters(note), path


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "[[",
        "`",
        "%%",
        "(",
        "- \n",
        "  - a\n",
        "|-|\n",
        "> ",
        "\n",
        "漢",
        "🇩🇪",
        "a. ",
    ],
)
def test_a_big_note_of_one_thing(unit: str) -> None:
    # Work that grows with the square of the length would not come to an end here.
    text = unit * (900_000 // len(unit))
    found = chunk(Note("big.md", text))
    assert letters("".join(c.text for c in found)) == letters(text)
