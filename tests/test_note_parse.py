from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.note import Note, decode, links_in_text, parse, tags_in_text

VAULTS = Path(__file__).resolve().parents[1] / "../shared/data/vaults"


def note(text: str, path: str = "n.md") -> Note:
    return parse(path, text.encode())


def tags(text: str) -> list[str]:
    return [tag.name for tag in note(text).tags]


def targets(text: str) -> list[str]:
    return [link.target for link in note(text).links]


def codes(one: Note) -> list[str]:
    return [problem.code for problem in one.problems]


# --- bytes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text", "name", "bom", "newline", "faults"),
    [
        (b"", "", "utf-8", False, "\n", []),
        ("é\n".encode(), "é\n", "utf-8", False, "\n", []),
        (b"\xef\xbb\xbfa\r\nb\n", "a\r\nb\n", "utf-8", True, "\r\n", []),
        (b"a\rb\r", "a\rb\r", "utf-8", False, "\r", []),
        (b"a\nb\r\n", "a\nb\r\n", "utf-8", False, "\n", []),
        (b"\xff\xfea\0\n\0", "a\n", "utf-16-le", True, "\n", ["encoding"]),
        (b"\xfe\xff\0a\0\n", "a\n", "utf-16-be", True, "\n", ["encoding"]),
        ("Tea\n".encode("utf-16-le"), "Tea\n", "utf-16-le", False, "\n", ["encoding"]),
        (
            "Tee\r\n".encode("utf-16-be"),
            "Tee\r\n",
            "utf-16-be",
            False,
            "\r\n",
            ["encoding"],
        ),
        (
            "für “Tee” aus dem schönen Garten\n".encode("utf-16-le"),
            "für “Tee” aus dem schönen Garten\n",
            "utf-16-le",
            False,
            "\n",
            ["encoding"],
        ),
        (b"T\0e\0a\0\n\0x", "T\0e\0a\0\n\0x", "utf-8", False, "\n", ["nul"]),
        (b"T\0\0\0a\0\n\0", "T\0\0\0a\0\n\0", "utf-8", False, "\n", ["nul"]),
        (b"\0" * 8, "\0" * 8, "utf-8", False, "\n", ["nul"]),
        (b"f\xfcr \x80", "für €", "cp1252", False, "\n", ["encoding"]),
        (b"f\xfcr \x81", "für \x81", "latin-1", False, "\n", ["encoding"]),
        ("äöü".encode() + b"\xe2\x82", "äöü\ufffd", "utf-8", False, "\n", ["encoding"]),
        (b"a\0b", "a\0b", "utf-8", False, "\n", ["nul"]),
        (b"\xff\xfea", "\ufffd", "utf-16-le", True, "\n", ["encoding"]),
    ],
)
def test_decode_reads_what_can_be_read(data, text, name, bom, newline, faults):
    decoded = decode(data)
    assert decoded.text == text
    assert decoded.encoding.name == name
    assert decoded.encoding.bom is bom
    assert decoded.encoding.newline == newline
    assert [fault.code for fault in decoded.faults] == faults
    assert codes(parse("n.md", data)) == faults


# --- tags ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#tag", ["tag"]),
        ("a #tag b", ["tag"]),
        ("a\t#tag", ["tag"]),
        ("#1984 #1984b #2024-01 #y1984", ["1984b", "2024-01", "y1984"]),
        ("#ünï/x #日本 #🎁", ["ünï/x", "日本", "🎁"]),
        ("#a#b", ["a"]),
        ("##a", []),
        ("#end. #komma, #semi; #paren)", ["end", "komma", "semi", "paren"]),
        ("word#x (#x) http://h/#x [#x]", []),
        ("#a/b #a/b/c #_x #-", ["a/b", "a/b/c", "_x", "-"]),
        ("#Tag and #tag and #TAG", ["Tag"]),
        ("\\#no", []),
        ("# Title", []),
        ("#Title", ["Title"]),
        ("`#no` ``#no ` #no`` #yes", ["yes"]),
        ("```\n#no\n```\n#yes", ["yes"]),
        ("~~~\n#no\n~~~\n#yes", ["yes"]),
        ("%%#no%% %% #no %%\n#yes", ["yes"]),
        ("%%\n#no\n\n#no\n%%\n#yes", ["yes"]),
        ("<!-- #no --> #yes", ["yes"]),
        ("<!--\n\n#no\n--> #yes", ["yes"]),
        ("$ #yes $", ["yes"]),
        ("$x #no$ #yes", ["yes"]),
        ("$$\n #no\n\n#no\n$$\n#yes", ["yes"]),
        ('<span style="color: #fff">#no</span> #yes', ["yes"]),
        ("> [!note] #in\n> #quoted", ["in", "quoted"]),
        ("- #item\n- [ ] #task", ["item", "task"]),
        ("[[Note #Heading]] [[#H]] [t](<a #b.md>) #yes", ["yes"]),
        ("costs $5 #five and $6 #six", ["five", "six"]),
        ("a\u00a0#nbsp", ["nbsp"]),
        ("#", []),
        ("#\n# \n#a", ["a"]),
        ("|:--:|\n|#x|", []),
        ("| #x |", ["x"]),
    ],
)
def test_tags_in_the_body(text, expected):
    assert tags(text) == expected


@pytest.mark.parametrize(
    ("yaml", "expected", "invalid"),
    [
        ("tags: [a, b/c]", ["a", "b/c"], 0),
        ("tags:\n  - '#a'\n  - b", ["a", "b"], 0),
        ("tags: a, b c", ["a", "b", "c"], 0),
        ("tags: '#a #b'", ["a", "b"], 0),
        ("tag: a", ["a"], 0),
        ("Tags: [A]", ["A"], 0),
        ("tags: [2024-01, 1.10, true, no, 1e3]", ["2024-01", "true", "no", "1e3"], 1),
        ("tags: 2024", [], 1),
        ("tags: [2024, a b]", [], 2),
        ("tags:", [], 0),
        ("tags: []", [], 0),
        ("tags: [~, a]", ["a"], 0),
        ("tags: [[a], b]", ["b"], 0),
        ("tags: {a: b}", [], 0),
        ("tags: [A, a, b]", ["A", "b"], 0),
        ("summary: '#x'", [], 0),
    ],
)
def test_tags_in_properties(yaml, expected, invalid):
    one = note(f"---\n{yaml}\n---\n")
    assert [(tag.name, tag.line) for tag in one.tags] == [(x, 0) for x in expected]
    assert codes(one).count("tag-invalid") == invalid


def test_a_tag_in_both_places_is_listed_for_both():
    one = note("---\ntags: [a]\n---\n\n#a #A #b\n")
    assert [(tag.name, tag.line) for tag in one.tags] == [("a", 0), ("a", 5), ("b", 5)]
    assert [tag.name for tag in tags_in_text("x #a\n#b")] == ["a", "b"]


# --- links ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "target", "subpath", "display", "kind"),
    [
        ("[[A]]", "A", "", "", "wikilink"),
        ("[[A|b c]]", "A", "", "b c", "wikilink"),
        ("[[A#H]]", "A", "H", "", "wikilink"),
        ("[[A#H1#H2]]", "A", "H1#H2", "", "wikilink"),
        ("[[A#^id]]", "A", "^id", "", "wikilink"),
        ("[[#H]]", "", "H", "", "wikilink"),
        ("[[#^id|x]]", "", "^id", "x", "wikilink"),
        ("![[A]]", "A", "", "", "embed"),
        ("![[i.png|100x145]]", "i.png", "", "100x145", "embed"),
        ("![[d.pdf#page=3]]", "d.pdf", "page=3", "", "embed"),
        ("| [[A\\|b]] |", "A", "", "b", "wikilink"),
        ("| ![[i.png\\|100]] |", "i.png", "", "100", "embed"),
        ("[[Sq]uare]]", "Sq]uare", "", "", "wikilink"),
        ("[[[A]]]", "A", "", "", "wikilink"),
        ("[[a [[A]]", "A", "", "", "wikilink"),
        ("[[ A ]]", "A", "", "", "wikilink"),
        ("[[https://x]]", "https://x", "", "", "wikilink"),
        ("[[a/b/C.md]]", "a/b/C.md", "", "", "wikilink"),
        ("[[A%20B]]", "A%20B", "", "", "wikilink"),
        ("[[C#C#]]", "C", "C#", "", "wikilink"),
        ("> [!note] [[A]]", "A", "", "", "wikilink"),
        ("> > - [[A]]", "A", "", "", "wikilink"),
        ("- item\n\n    [[A]]", "A", "", "", "wikilink"),
        ("text\n    [[A]]", "A", "", "", "wikilink"),
        ("**[[A]]**", "A", "", "", "wikilink"),
        ("<b>[[A]]</b>", "A", "", "", "wikilink"),
        ("\\![[A]]", "A", "", "", "wikilink"),
        ("\\\\[[A]]", "A", "", "", "wikilink"),
        ("[t](A.md)", "A.md", "", "t", "markdown"),
        ("[t](Folder/My%20Note.md#Heading)", "Folder/My Note.md", "Heading", "t", "markdown"),
        ("[t](a%23b.md#c%20d)", "a#b.md", "c d", "t", "markdown"),
        ("[t](<My Note.md>)", "My Note.md", "", "t", "markdown"),
        ("[t](#Heading)", "", "Heading", "t", "markdown"),
        ('[t](A.md "title")', "A.md", "", "t", "markdown"),
        ("[t](A_(x).md)", "A_(x).md", "", "t", "markdown"),
        ("[t](A\\).md)", "A).md", "", "t", "markdown"),
        ("![alt|100](i.png)", "i.png", "", "alt|100", "image"),
        ("[`c`](A.md)", "A.md", "", "`c`", "markdown"),
        ("[a\nb](A.md)", "A.md", "", "a b", "markdown"),
        ("[t](%E9.md)", "%E9.md", "", "t", "markdown"),
        ("[t](%C3%A9.md)", "é.md", "", "t", "markdown"),
        ("[^1]: [t](A.md)", "A.md", "", "t", "markdown"),
        ("[[x] [t](A.md)", "A.md", "", "t", "markdown"),
    ],
)  # fmt: skip
def test_one_link(text, target, subpath, display, kind):
    (link,) = note(text).links
    got = (link.target, link.subpath, link.display, link.kind)
    assert got == (target, subpath, display, kind)
    assert (link.origin, link.field) == ("body", "")


@pytest.mark.parametrize(
    "text",
    [
        "[[ ]]", "[[]]", "[[|x]]", "[[#]]", "[[a\nb]]", "[[a", "a]]", "[ [a] ]",
        "\\[[x]]", "[\\[x]]",
        "`[[x]]`", "``a ` [[x]]``", "`a\n[[x]]`", "`` [[x]] ` ``",
        "```\n[[x]]\n```", "~~~\n[[x]]\n~~~", "````\n```\n[[x]]\n````",
        "```\n[[x]]", "> ```\n> [[x]]\n> ```", "> [!n]\n> ~~~\n> [[x]]\n> ~~~",
        "- ```\n  [[x]]\n  ```", "- a\n  ```\n  [[x]]\n  ```", "1. > ```\n   > [[x]]",
        "    [[x]]", "\t[[x]]", "a\n\n    [[x]]\n\n    [[x]]", "# H\n    [[x]]",
        "%%[[x]]%%", "%% a\n[[x]] %%", "%%\n\n[[x]]\n\n%%", "%%\n```\n%%\n`[[x]]`",
        "<!-- [[x]] -->", "<!--\n\n[[x]]\n-->", "$[[x]]$", "$$[[x]]$$", "$$\n\n[[x]]\n$$",
        '<a title="[x](y.md)">',
        "[t](https://x.org/a.md)", "[t](mailto:a@b.c)", "[t](obsidian://open?x)",
        "[t](My Note.md)", "[t]()", "[t](<>)", "[t] (A.md)", "\\[t](A.md)", "[t\\](A.md)",
        "[t](C:/x.md)", "[t](//host/x)", "<https://x.org/[[x>", "[a\n\nb](A.md)",
    ],
)  # fmt: skip
def test_no_link(text):
    assert note(text).links == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\n[[x]]\n```\n[[A]]", ["A"]),
        ("> ```\n> [[x]]\n[[A]]", ["A"]),
        ("- ```\n  [[x]]\n[[A]]", ["A"]),
        ("a ` b\n\n[[A]] ` c", ["A"]),
        ("- a ` b\n- [[A]] ` c", ["A"]),
        ("```a`b [[A]]```", []),
        ("``` [[x]] ``` [[A]]", ["A"]),
        ("100%% sure\n\n[[A]] %%", ["A"]),
        ("%% never closed\n[[A]]", ["A"]),
        ("<!-- never closed\n[[A]]", ["A"]),
        ("%%\n```\n%%\n[[A]]\n```\n[[x]]\n```", ["A"]),
        ("```\n%%\n```\n[[A]] %%", ["A"]),
        ("$5 [[A]] $6", ["A"]),
        ("[[A]](b.md)", ["A"]),
        ("[![alt](i.png)](A.md)", ["A.md", "i.png"]),
        ("[t](A.md) [[B]] ![x](c.png)", ["A.md", "B", "c.png"]),
        ("[[A]] [[A]]", ["A", "A"]),
        ("x <y and [[A]]> z", ["A"]),
    ],
)
def test_where_code_and_comments_end(text, expected):
    assert targets(text) == expected


def test_links_in_properties():
    one = note(
        '---\nup: "[[A|a]]"\nrel:\n  - "[[B#H]]"\n  - "see [[C]] and ![[D]]"\n'
        "md: '[t](X.md)'\nodd: [[E]]\n---\n[[F]]\n"
    )
    got = [(x.target, x.origin, x.field, x.line, x.kind) for x in one.links]
    assert got == [
        ("A", "property", "up", 2, "wikilink"),
        ("B", "property", "rel", 4, "wikilink"),
        ("C", "property", "rel", 5, "wikilink"),
        ("D", "property", "rel", 5, "embed"),
        ("E", "property", "odd", 7, "wikilink"),
        ("F", "body", "", 9, "wikilink"),
    ]
    assert one.properties["odd"] == "[[E]]"
    (problem,) = one.problems
    assert (problem.code, problem.line) == ("unquoted-link", 7)
    assert '"[[E]]"' in problem.mend


def test_links_in_inline_fields_are_listed_once():
    one = note("Up:: [[A]], [[B]]\ntext [part of:: [[C]]] and (x:: [t](D.md)) [[E]]\n")
    got = [(x.target, x.origin, x.field) for x in one.links]
    assert got == [
        ("A", "inline", "up"),
        ("B", "inline", "up"),
        ("C", "inline", "part-of"),
        ("D.md", "inline", "x"),
        ("E", "body", ""),
    ]


def test_links_in_a_piece_of_text():
    assert [(x.target, x.line) for x in links_in_text("a\r\n[[B]] `[[c]]`")] == [
        ("B", 2)
    ]


# --- the other syntax ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A", [(1, "A", 1)]),
        ("###### A ##", [(6, "A", 1)]),
        ("# C#", [(1, "C#", 1)]),
        ("####### A", []),
        ("   ## A", [(2, "A", 1)]),
        ("#\ttab", [(1, "tab", 1)]),
        ("#", []),
        ("# #", []),
        ("```\n# no\n```\n# A", [(1, "A", 4)]),
        ("A\n===\nB\n---", [(1, "A", 1), (2, "B", 3)]),
        ("one\ntwo\n---", [(2, "one two", 1)]),
        ("a\n\n---", []),
        ("- a\n---", []),
        ("> a\n---", []),
        ("---\n\nx\n\n***\n---", []),
        ("```\na\n```\n---", []),
        ("| a |\n| - |\n---", []),
        ("# A `b` [[C]]", [(1, "A `b` [[C]]", 1)]),
        ("# A\r\n\r\nB\r\n===\r\n", [(1, "A", 1), (1, "B", 3)]),
        ("x\r# A\r", [(1, "A", 2)]),
    ],
)
def test_headings(text, expected):
    got = [
        (heading.level, heading.text, heading.line) for heading in note(text).headings
    ]
    assert got == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("para ^a-1", [("a-1", 1)]),
        ("- item\n\n^list", [("list", 3)]),
        ("x^no", []),
        ("a ^no b", []),
        ("```\na ^no\n```", []),
        ("a ^x_y", []),
        ("> q ^q  \r\nz ^z\r\n", [("q", 1), ("z", 2)]),
    ],
)
def test_block_ids(text, expected):
    assert [(block.id, block.line) for block in note(text).blocks] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Key:: value", [("key", "value")]),
        ("Two words:: v w", [("two-words", "v w")]),
        ("- key:: v", [("key", "v")]),
        ("1. key:: v", [("key", "v")]),
        ("> key:: v", [("key", "v")]),
        ("**Key**:: v", [("key", "v")]),
        ("**Key::** v", [("key", "v")]),
        ("- [x] __Key__:: v", [("key", "v")]),
        ("empty::", [("empty", "")]),
        ("a [k:: v] b (p q:: w) c", [("k", "v"), ("p-q", "w")]),
        ("[k::v]", [("k", "v")]),
        ("[k:: [[A]] (b)]", [("k", "[[A]] (b)")]),
        ("[a:: x [b:: y]]", [("a", "x [b:: y]")]),
        ("k:: v [a:: x]", [("a", "x")]),
        ("k:: `c`", [("k", "`c`")]),
        ("std::vector and a::b", []),
        ("[[a::b]]", []),
        ("`k:: v`", []),
        ("```\nk:: v\n```", []),
        ("%% k:: v %%", []),
        ("http://x::y", []),
        ("k :: v\r\nl:: w\r\n", [("k", "v"), ("l", "w")]),
        (":: v", []),
    ],
)
def test_inline_fields(text, expected):
    assert [(field.key, field.value) for field in note(text).fields] == expected


def test_tasks_and_callouts():
    one = note(
        "- [ ] open\n* [x] done [[A]]\n  1. [-] odd\n- [] no\n- [xx] no\n"
        "> [!NOTE]- Title `c`\n> > [!tip|wide] \n> - [/] in quote\n[!no] x\n"
    )
    assert [(task.mark, task.text, task.line) for task in one.tasks] == [
        (" ", "open", 1),
        ("x", "done [[A]]", 2),
        ("-", "odd", 3),
        ("/", "in quote", 8),
    ]
    assert [
        (callout.kind, callout.title, callout.line) for callout in one.callouts
    ] == [
        ("note", "Title `c`", 6),
        ("tip", "", 7),
    ]


def test_fences_have_their_lines_in_the_file():
    one = note("---\na: 1\n---\n```py\nx\n```\n\n> ~~~\n> y\nz\n- ```\n  a\n  ```\n")
    assert one.fences == ((4, 6), (8, 9), (11, 13))
    assert note("a\n```\nb").fences == ((2, 3),)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_count_over_the_whole_file(newline):
    text = newline.join(["---", "a: '[[P]]'", "---", "", "# H", "#t [[L]]", "x ^b", ""])
    one = parse("n.md", b"\xef\xbb\xbf" + text.encode())
    assert one.text == text
    assert one.encoding.newline == newline
    assert [link.line for link in one.links] == [2, 6]
    assert (one.headings[0].line, one.tags[0].line, one.blocks[0].line) == (5, 6, 7)
    assert one.body == text.split("---" + newline)[2]


# --- special notes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "head"),
    [("d.excalidraw.md", ""), ("d.md", "---\nexcalidraw-plugin: parsed\n---\n")],
)
@pytest.mark.parametrize(
    "drawing", ["# Excalidraw Data", "%%\n# Excalidraw Data", "%%\n# Drawing"]
)
def test_a_drawing_is_read_up_to_its_data(path, head, drawing):
    text = f"{head}[[A]] #a\n{drawing}\n## Text Elements\n[[B]] #b ^x\n%%"
    one = note(text, path)
    assert [link.target for link in one.links] == ["A"]
    assert [tag.name for tag in one.tags] == ["a"]
    assert one.text[: one.text_end] == f"{head}[[A]] #a\n"
    assert one.text == text


def test_another_note_is_read_to_its_end():
    one = note("# Excalidraw Data\n[[A]]")
    assert one.text_end == len(one.text)
    assert len(one.links) == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_generated_sections(newline):
    lines = [
        "mine [[A]]", "%% mindcache:begin 1f2e %%", "- [[B]]", "%% mindcache:end %%", "x",
        "```", "%% mindcache:begin 1f2e %%", "%% mindcache:end %%", "```",
        "%% mindcache:begin 1 %%", "never ended [[C]]",
    ]  # fmt: skip
    one = note(newline.join(lines))
    assert one.generated == ((2, 4),)
    assert [link.target for link in one.links] == ["A", "B", "C"]


CONFLICT = "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x\n" + CONFLICT, 2),
        ("x\n" + CONFLICT.replace("=======", "||||||| base\nq\n======="), 2),
        (CONFLICT.replace("\n", "\r\n"), 1),
        (f"---\n{CONFLICT}---\n", 2),
        (f"```\n{CONFLICT}```\n", 0),
        (f"```\n{CONFLICT}```\n{CONFLICT}", 8),
        (" " + CONFLICT, 0),
        ("Title\n=======\ntext", 0),
        ("<<<<<<< HEAD\nno more", 0),
        ("<<<<<<< HEAD\n=======\nno more", 0),
        (">>>>>>> a\n=======\n<<<<<<< b\n", 0),
    ],
)
def test_git_conflicts(text, line):
    one = note(text)
    assert one.conflict_line == line
    assert ("git-conflict" in codes(one)) == bool(line)


# --- never raises, never slow --------------------------------------------------------


PIECES = st.sampled_from(
    [
        "---\n", "a: ", "[[", "]]", "`", "``", "```\n", "~~~", "%%", "$", "$$", "<!--",
        "-->", "#", "#t", "::", "[", "](", "(", ")", "\\", "|", "> ", "- ", "    ", "\n",
        "\r\n", "\r", "\t", "^x", "!", "[!", "{{", "<", ">", "=", "&a ", "*a ", "é", "🎁",
        "\0", "x", "%% mindcache:begin 1 %%\n", "%% mindcache:end %%\n", "<<<<<<< ",
        "tags: ", "\ufeff",
    ]
)  # fmt: skip


@given(st.binary(max_size=300))
def test_parse_never_raises_on_bytes(data):
    one = parse("n.md", data)
    assert one.text == decode(data).text


@given(st.lists(PIECES, max_size=60).map("".join))
def test_parse_never_raises_on_text_and_its_values_fit(text):
    one = note(text)
    last_line = one.text.count("\n") + one.text.count("\r") + 1
    placed = (*one.links, *one.headings, *one.blocks, *one.fields, *one.tasks)
    assert all(1 <= item.line <= last_line for item in placed)
    assert all(0 <= problem.line <= last_line for problem in one.problems)
    assert 0 <= one.body_offset <= one.text_end == len(one.text)
    assert [link.line for link in one.links] == sorted(link.line for link in one.links)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert all("#" in lines[tag.line - 1] for tag in one.tags if tag.line)


# Each would take hours, not a fraction of a second, where a pass is quadratic.
@pytest.mark.parametrize(
    "piece",
    [
        "[", "]", "(", "`", "$", "%", "#", ":", "*", ">", "-", "<", "\\", "!", " ", "\n",
        "\t", "[[", "[[\n", "](", "](a ", "[a::", "a:: ", "<!-- ", "$a ", "a$ ", "- ",
        "```\n", "a\n-\n", "> ", "[](<", '](a "', "{", "\\[", "x %%", "~~~ ", "[[a|",
        "<<<<<<< a\n",
    ],
)  # fmt: skip
def test_hostile_repetition_finishes(piece):
    text = piece * (900_000 // len(piece))
    assert note(text).text == text


def test_hostile_mixtures_finish():
    runs = " ".join("`" * length for length in range(1, 1200))
    assert note(f"{runs}\n\n{runs}").links == ()
    assert len(note("x" + " <!-- [[a]]" * 80_000 + "\n\n-->").links) == 80_000


def test_real_vaults_are_read():
    if not VAULTS.is_dir():
        pytest.skip("the real vaults are not beside this checkout")
    broken: dict[str, int] = {}
    wikilinks: dict[str, int] = {}
    for file in sorted(VAULTS.rglob("*.md")):
        vault = file.relative_to(VAULTS).parts[0]
        one = parse(file.name, file.read_bytes())
        broken[vault] = broken.get(vault, 0) + codes(one).count("frontmatter-broken")
        found = sum(x.kind == "wikilink" and x.origin == "body" for x in one.links)
        wikilinks[vault] = wikilinks.get(vault, 0) + found
    assert broken.pop("kepano-obsidian") == 28
    assert not any(broken.values())
    assert wikilinks["obsidian-help-en"] == 1524


def test_importing_the_package_loads_no_yaml():
    code = "import sys, mindcache.note; print('yaml' in sys.modules, 'frontmatter' in sys.modules)"
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "False"]
