from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mindcache.note import Note, note_handler, parse
from mindcache.note.frontmatter import MAX_BLOCK, BlockError, yaml_loader


def note(text: str) -> Note:
    return parse("n.md", text.encode())


def read(block: str) -> dict[str, object]:
    one = note(f"---\n{block}\n---\n")
    assert one.problems == ()
    return dict(one.properties)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("off", "off"), ("y", "y"),
        ("12:30", "12:30"), ("12:30:45", "12:30:45"), ("0123", "0123"), ("007", "007"),
        ("0x1F", "0x1F"), ("0o17", "0o17"), ("1_000", "1_000"), ("01.5", "01.5"),
        ("2020-08-21", "2020-08-21"), ("2020-08-21T10:30:00", "2020-08-21T10:30:00"),
        ("2026", 2026), ("-5", -5), ("+5", 5), ("0", 0), ("1.10", 1.1), (".5", 0.5),
        ("1.", 1.0), ("1e3", 1000.0), ("-1.5E-3", -0.0015), ("1e999", "1e999"),
        (".inf", ".inf"), (".nan", ".nan"), ("-x", "-x"), ("+", "+"), (".", "."),
        ("123456789012345678", 123456789012345678),
        ("1234567890123456789", "1234567890123456789"), ("9" * 5000, "9" * 5000),
        ("true", True), ("True", True), ("FALSE", False), ("tRue", "tRue"),
        ("null", None), ("~", None), ("", None), ("None", "None"), ("Null", None),
        ('"007"', "007"), ("'true'", "true"), ('""', ""), ("'it''s'", "it's"),
        ("a: b".replace(": ", ":"), "a:b"), ("a#b", "a#b"), ("x # comment", "x"),
        ("[a, b]", ["a", "b"]), ("[]", []), ("{}", {}), ("{a: 1}", {"a": 1}),
        ("|\n  a\n  b", "a\nb\n"), (">-\n  a\n  b", "a b"), ("a\n  b", "a b"),
        ("\n  - a\n  - [b]\n  -", ["a", ["b"], None]), ("\n- a", ["a"]),
        ("\n  b:\n    c: 1", {"b": {"c": 1}}), ("!!str 12", "12"), ("!!int '12'", 12),
        ("=", "="), ("<<", "<<"), ("🎁 é", "🎁 é"),
    ],
)  # fmt: skip
def test_scalars_are_read_as_yaml_1_2(written, value):
    got = read(f"key: {written}")["key"]
    assert got == value
    assert type(got) is type(value)


def test_the_pure_loader_reads_the_same(monkeypatch):
    block = "a: no\nb: 12:30\nc: 1.5\nd: [x, 007]\n2024: y\non: true\n"
    fast = read(block)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    yaml_loader.cache_clear()
    try:
        assert issubclass(yaml_loader(), yaml.SafeLoader)
        assert read(block) == fast
        deep = note("---\na: " + "[" * 20_000 + "\n---\n")
        assert [problem.code for problem in deep.problems] == ["frontmatter-broken"]
    finally:
        yaml_loader.cache_clear()


def test_keys_are_text_in_their_order():
    got = read(
        "on: 1\ncontent: 2\n2024: 3\ntrue: 4\n12:30: 5\n? odd\n: 6\n'q': 7\n~: 8"
    )
    assert list(got) == ["on", "content", "2024", "true", "12:30", "odd", "q", "~"]


def test_merge_keys_and_shared_values():
    got = read("a: &x [1, 2]\nb: *x\nc: &m {d: 1}\n<<: *m")
    assert got == {"a": [1, 2], "b": [1, 2], "c": {"d": 1}, "<<": {"d": 1}}


@pytest.mark.parametrize(
    ("text", "properties", "body"),
    [
        ("---\na: b\n---\nx", {"a": "b"}, "x"),
        ("\ufeff---\na: b\n---\nx", {"a": "b"}, "x"),
        ("---\r\na: b\r\n---\r\n\r\nx", {"a": "b"}, "\r\nx"),
        ("---\ra: b\r---\rx", {"a": "b"}, "x"),
        ("--- \t\na: b\n---  \nx", {"a": "b"}, "x"),
        ("---\na: b\n---", {"a": "b"}, ""),
        ("---\n---\nx", {}, "x"),
        ("---\n---", {}, ""),
        ("---\n\n# c\n---\nx", {}, "x"),
        ("---\na: b\n...\n---\nx", {"a": "b"}, "x"),
        ('---\n{"a": "b", "c": [1]}\n---\nx', {"a": "b", "c": [1]}, "x"),
        ("---\na: |\n  ---\n---\nx", {"a": "---\n"}, "x"),
        ("---\na: x --- y\n---\nx\n---\n", {"a": "x --- y"}, "x\n---\n"),
        ("---\na: b\n----\nc: d\n---\nx", None, None),
        ("para\n---\na: b\n---\n", None, None),
        ("----\na: b\n---\n", None, None),
        (" ---\na: b\n---\n", None, None),
        ("---a\nb: c\n---\n", None, None),
        ("---\n\nText after a rule.\n", None, None),
        ("---\n", None, None),
        ("---", None, None),
        ("", None, None),
        ("text --- more\n---\n", None, None),
    ],
)
def test_only_a_fence_at_the_very_start_opens_a_block(text, properties, body):
    one = note(text)
    if properties is None:
        assert dict(one.properties) == {}
        assert one.body == one.text
        return
    assert dict(one.properties) == properties
    assert one.body == body
    front = one.frontmatter
    assert front is not None
    assert front.error is None
    assert one.text[front.body :] == body
    assert "---" not in one.text[front.start : front.end].splitlines()[:1]


@pytest.mark.parametrize(
    ("text", "code", "line", "mend"),
    [
        ("---\nb: 1\na: {{date}}\n---\n", "frontmatter-broken", 3, '"{{date}}"'),
        ("---\n{{x}}\n---\n", "frontmatter-broken", 2, "quote"),
        ("---\na: <% tp %>: x\n---\n", "frontmatter-broken", 2, "quote"),
        ("---\na: b: c\n---\n", "frontmatter-broken", 2, 'a: "b: c"'),
        ("---\r\nx: 1\r\na: @x\r\n---\r\n", "frontmatter-broken", 3, '"@x"'),
        ("---\nx: 1\na: [[A]], [[B]]\n---\n", "frontmatter-broken", 3, '"[[Note]]"'),
        ("---\nx: 1\n\ta: b\n---\n", "frontmatter-broken", 3, "tabs"),
        ('---\nx: 1\na: "open\nb: 2\n---\n', "frontmatter-broken", 3, "quote"),
        ("---\na: !!python/name:os.system\n---\n", "frontmatter-broken", 2, "quote"),
        ("---\na: !x y\n---\n", "frontmatter-broken", 2, "quote"),
        ("---\na: !!int x\n---\n", "frontmatter-broken", 2, "quote"),
        ("---\na: *b\n---\n", "frontmatter-broken", 2, "quote"),
        ("---\na: &b [*b]\n---\n", "frontmatter-broken", 2, "aliases"),
        ("---\n? [a]\n: b\n---\n", "frontmatter-broken", 2, "quote"),
        ("---\na: 1\n...\nb: 2\n---\n", "frontmatter-broken", 4, "mend"),
        ("---\na: \x01\n---\n", "frontmatter-broken", 2, "control"),
        ("---\n- a\n- b\n---\n", "frontmatter-not-a-map", 2, "name: value"),
        ("---\njust prose\n---\n", "frontmatter-not-a-map", 2, "name: value"),
        ("---\n~\n---\n", "frontmatter-not-a-map", 2, "name: value"),
        ("---\na: b\n", "frontmatter-unclosed", 1, "---"),
        ("---\na:\n  - b\n", "frontmatter-unclosed", 1, "---"),
        ("\n---\na: b\n---\n", "frontmatter-late", 2, "blank"),
        (" \r\n\r\n---\r\na: b\r\n---\r\n", "frontmatter-late", 3, "blank"),
        ("---\na: 1\nb: 2\na: 3\n---\n", "duplicate-key", 4, "keep one"),
        ("---\nm:\n  a: 1\n  a: 2\n---\n", "duplicate-key", 4, "keep one"),
        ("---\na: 1\nb: [[B]]\n---\n", "unquoted-link", 3, '"[[B]]"'),
        ("---\na: 1\ntags:\n  - x y\n---\n", "tag-invalid", 4, "letters"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_mend(text, code, line, mend):
    one = note(text)
    (problem,) = one.problems
    assert (problem.path, problem.code, problem.line) == ("n.md", code, line)
    assert mend in problem.mend
    front = one.frontmatter
    if code.endswith(("-broken", "-not-a-map")):
        assert front is not None
        assert front.error == problem
        assert dict(one.properties) == {}
        assert one.body == one.text
    else:
        assert front is None or front.error is None


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("a: [[A]]", "[[A]]"),
        ("a: [[A|b]]", "[[A|b]]"),
        ("a: [[A#H]]", "[[A#H]]"),
        ("a: [[2024]]", "[[2024]]"),
        ("a:\n  - [[A]]\n  - b", ["[[A]]", "b"]),
        ("a: [[[A]], [[B]]]", ["[[A]]", "[[B]]"]),
        ("a: [[A, B]]", [["A", "B"]]),
        ("a: [['A']]", [["A"]]),
        ("a:\n  - - A", [["A"]]),
        ("a: [ [A, b] ]", [["A", "b"]]),
    ],
)
def test_a_link_without_quotes_is_understood(block, value):
    assert note(f"---\n{block}\n---\n").properties["a"] == value


def test_markdown_in_a_broken_block_is_no_structure_but_prose_is():
    broken = note("---\na: b: c\n# no\nx: '[[no]]'\n---\n# H\n[[A]]\n")
    assert [link.target for link in broken.links] == ["A"]
    assert [heading.text for heading in broken.headings] == ["H"]
    prose = note("---\nsee [[A]]\n---\n[[B]]\n")
    assert [link.target for link in prose.links] == ["A", "B"]


def test_a_block_over_the_cap_is_not_read():
    size = MAX_BLOCK // 10 + 1
    one = note("---\n" + "a: 345678\n" * size + "---\nx [[A]]\n")
    assert [problem.code for problem in one.problems] == ["frontmatter-too-large"]
    assert dict(one.properties) == {}
    assert [link.line for link in one.links] == [size + 3]
    under = note("---\na: " + "x" * (MAX_BLOCK - 10) + "\n---\n")
    assert under.problems == ()


def test_aliases_that_multiply_are_refused():
    levels = "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
    )
    one = note(f"---\na0: &a0 [x]\n{levels}---\n")
    assert [problem.code for problem in one.problems] == ["frontmatter-broken"]
    wide = '---\na: &a "' + "[[x]]" * 5000 + '"\nb: [' + "*a, " * 9000 + "]\n---\n"
    assert [problem.code for problem in note(wide).problems] == ["frontmatter-broken"]


@pytest.mark.parametrize(
    "piece",
    [
        "[", "{", "- ", "? ", "a: ", '"', "'", "&a ", "*a ", "!", "|", ">", "a\n", "a: b\n",
        "- a\n", "k: [[A]]\n", "#", "a:\n", "[[", "[a,", "{a: ", "<<: ", "%", "\u2028",
    ],
)  # fmt: skip
def test_hostile_blocks_finish(piece):
    one = note("---\n" + piece * (MAX_BLOCK // len(piece)) + "\n---\n[[A]]\n")
    assert one.links[-1].target == "A"
    assert one.text.endswith("[[A]]\n")


@pytest.mark.parametrize(
    ("title", "value"),
    [("2026", 2026), ("a: b", None), ("'a: b'", "a: b"), ("", None), ("None", "None")],
)
def test_odd_titles_do_no_harm(title, value):
    one = note(f"---\ntitle: {title}\n---\ntext\n")
    assert one.properties.get("title") == value
    assert one.text.endswith("text\n")


def test_the_handler_is_one_of_python_frontmatter():
    from frontmatter.default_handlers import BaseHandler

    handler = note_handler()
    assert isinstance(handler, BaseHandler)
    text = "---\na: no\n---\n\n  body \n"
    assert handler.detect(text)
    assert handler.split(text) == ("a: no\n", "\n  body \n")
    assert handler.load("a: no\n") == {"a": "no"}
    assert handler.export({"a": "no", "b": ["x"]}) == 'a: "no"\nb:\n  - x'
    assert not handler.detect("para\n---\na: b\n---\n")
    assert handler.split("para") == ("", "para")
    with pytest.raises(BlockError, match="list"):
        handler.load("- a")


@given(st.text(max_size=200))
def test_any_block_is_read_or_reported(block):
    one = note(f"---\n{block}\n---\n")
    if one.frontmatter is not None and one.frontmatter.error is not None:
        assert one.frontmatter.error in one.problems
    assert all(isinstance(key, str) for key in one.properties)
