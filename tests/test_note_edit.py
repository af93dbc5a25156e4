from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mindcache.errors import EditRefused
from mindcache.note import DELETE, Note, edit, emit, parse, same_value

VAULTS = Path(__file__).resolve().parents[1] / "../shared/data/vaults"

NOTE = """\
---
# at the top
title: "007"   # as text
date: 2026-06-29
tags:  # mine
  - a # one
  - 'b'
# after the list
folded: >-
  some text
  more

flow: [a,  b, c]  # f
none:
map:
  x: 1
  # inside
  y: [1, 2]
last: |+
  kept

---
body [[A]]
"""


def changed(text: str, **changes: object) -> str:
    return edit(text.encode(), changes).decode()  # type: ignore[arg-type]


def note(text: str) -> Note:
    return parse("n.md", text.encode())


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("tags", ["a", "b", "c"], "  - 'b'\n", "  - 'b'\n  - c\n"),
        ("tags", ["z", "a", "b"], "# mine\n", "# mine\n  - z\n"),
        ("tags", ["a"], "  - 'b'\n", ""),
        ("tags", ["b"], "  - a # one\n", "  # one\n"),
        ("tags", ["b", "a"], "  - a # one\n  - 'b'\n", "  # one\n  - 'b'\n  - a\n"),
        ("tags", [], ":  # mine\n  - a # one\n  - 'b'\n", ": []  # mine\n# one\n"),
        ("tags", "x", ":  # mine\n  - a # one\n  - 'b'\n", ": x  # mine\n# one\n"),
        ("tags", None, "  - a # one\n  - 'b'\n", "# one\n"),
        ("tags", DELETE, "tags:  # mine\n  - a # one\n  - 'b'\n", "# mine\n# one\n"),
        ("title", "no", '"007"', '"no"'),
        ("title", "008 b", '"007"', "008 b"),
        ("title", ["x"], ' "007"   # as text\n', "   # as text\n  - x\n"),
        ("title", DELETE, 'title: "007"   # as text\n', "# as text\n"),
        ("date", "2026-06-30", "06-29", "06-30"),
        ("date", None, "date: 2026-06-29", "date:"),
        ("date", DELETE, "date: 2026-06-29\n", ""),
        ("folded", "one", ">-\n  some text\n  more\n", "one\n"),
        ("folded", DELETE, "folded: >-\n  some text\n  more\n", ""),
        ("flow", ["a", "b", "c", "d, e"], "c]", 'c, "d, e"]'),
        ("flow", ["b", "c"], "[a,  b, c]", "[b, c]"),
        ("flow", ["a", "b", "x"], "[a,  b, c]", "[a,  b, x]"),
        ("flow", [], "[a,  b, c]", "[]"),
        ("none", 5, "none:", "none: 5"),
        ("none", ["v"], "none:\n", "none:\n  - v\n"),
        ("none", True, "none:", "none: true"),
        ("none", DELETE, "none:\n", ""),
        ("map", {"x": 2}, "  x: 1\n  # inside\n  y: [1, 2]\n", "  x: 2\n# inside\n"),
        ("map", DELETE, "map:\n  x: 1\n  # inside\n  y: [1, 2]\n", "# inside\n"),
        ("last", "z", "last: |+\n  kept\n\n", "last: z\n"),
        ("new", ["[[B]]"], "  kept\n\n", '  kept\n\nnew:\n  - "[[B]]"\n'),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_only_the_bytes_of_the_property_change(key, value, old, new, newline, bom):
    before, after = (
        (bom + text.replace("\n", newline)).encode()
        for text in (NOTE, NOTE.replace(old, new, 1))
    )
    assert NOTE.count(old) >= 1
    assert edit(before, {key: value}) == after


def test_an_equal_value_gives_the_very_same_bytes():
    data = NOTE.encode()
    same = {
        "title": "007",
        "tags": ["a", "b"],
        "none": None,
        "map": {"y": [1, 2], "x": 1},
    }
    assert edit(data, {**same, "missing": DELETE}) is data


def test_several_changes_at_once():
    got = changed(NOTE, date=DELETE, none="x", one=1, two=["[[B|b]]"])
    expected = NOTE.replace("date: 2026-06-29\n", "").replace("none:", "none: x")
    expected = expected.replace("kept\n\n", 'kept\n\none: 1\ntwo:\n  - "[[B|b]]"\n')
    assert got == expected


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("", {"a": 1}, "---\na: 1\n---\n"),
        ("text", {"a": ["x"]}, "---\na:\n  - x\n---\ntext"),
        ("\ufeffa\r\nb", {"k": "v"}, "\ufeff---\r\nk: v\r\n---\r\na\r\nb"),
        ("a\rb", {"k": "v"}, "---\rk: v\r---\ra\rb"),
        ("---\nprose after a rule\n", {"k": "v"}, "---\nk: v\n---\n---\nprose after a rule\n"),
        ("text", {"a": DELETE}, "text"),
        ("---\n---\nx", {"a": 1}, "---\na: 1\n---\nx"),
        ("---\n# c\n---\nx", {"a": 1}, "---\n# c\na: 1\n---\nx"),
        ("---\na: 1\n---", {"b": 2}, "---\na: 1\nb: 2\n---"),
        ("---\na: 1\n---\nx", {"a": DELETE}, "x"),
        ("---\na: 1 # c\n---\nx", {"a": DELETE}, "---\n# c\n---\nx"),
        ("---\na: 1\n---\n---\nb: 2\n---\n", {"a": DELETE}, "---\n---\n---\nb: 2\n---\n"),
        ("---\n  a: 1\n  b: 2\n---\n", {"b": [3], "c": 4}, "---\n  a: 1\n  b:\n    - 3\n  c: 4\n---\n"),
        ("---\na: \n---\n", {"a": "v"}, "---\na: v\n---\n"),
        ("---\na: # c\n---\n", {"a": "v"}, "---\na: v # c\n---\n"),
        ("---\na:   v\n---\n", {"a": "w"}, "---\na:   w\n---\n"),
        ("---\na:\n  v\n---\n", {"a": "w"}, "---\na: w\n---\n"),
        ('---\na: "x\n  y"\nb: 1\n---\n', {"a": "w"}, "---\na: w\nb: 1\n---\n"),
        ("---\na: [x, # c\n  y]\n---\n", {"a": ["x"]}, "---\na:\n  - x\n# c\n---\n"),
        ("---\na: | # c\n  x\n---\n", {"a": "y"}, "---\na: y\n# c\n---\n"),
        ("---\n'a b' : 1\n---\n", {"a b": 2}, "---\n'a b' : 2\n---\n"),
        ("---\na:\n- x\n- y\nb: 1\n---\n", {"a": ["x", "y", "z"]}, "---\na:\n- x\n- y\n- z\nb: 1\n---\n"),
        ("---\na:\n    - x\n---\n", {"a": ["x", "z"]}, "---\na:\n    - x\n    - z\n---\n"),
        ("---\na:\n  - x\n\n  # c\nb: 1\n---\n", {"a": ["x", "z"]}, "---\na:\n  - x\n  - z\n\n  # c\nb: 1\n---\n"),
        ("---\na:\n  - k: 1\n    l: 2\n  - y\n---\n", {"a": [{"k": 1, "l": 2}]}, "---\na:\n  - k: 1\n    l: 2\n---\n"),
        ("---\na: '# no'\nb: 'x # y'\n---\n", {"a": DELETE}, "---\nb: 'x # y'\n---\n"),
        ("---\na: [[A]]\nb: 1\n---\n", {"a": ["[[A]]"]}, '---\na:\n  - "[[A]]"\nb: 1\n---\n'),
        ("---\nx: &s 1\ny: *s\na: 1\n---\n", {"a": 2}, "---\nx: &s 1\ny: *s\na: 2\n---\n"),
        ("---\n? k\n: v\na: 1\n---\n", {"a": 2}, "---\n? k\n: v\na: 2\n---\n"),
        ("---\nüñ: 🎁\na: 1\n---\n🎁", {"a": 2}, "---\nüñ: 🎁\na: 2\n---\n🎁"),
    ],
)  # fmt: skip
def test_small_notes(text, changes, expected):
    assert edit(text.encode(), changes).decode() == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\nb: 1\na: x: y\n---\n", "line 3: YAML can't read"),
        ("---\na: {{date}}\n---\n", "line 2: YAML takes"),
        ("---\n- a\n---\n", "line 2: the properties are a list"),
        ("---\nprose\n---\n", "line 2: the text between"),
        ("---\na: 1\n", "line 1: the properties have no closing"),
        ("\n---\na: 1\n---\n", "line 2: the properties don't start on line 1"),
        ("---\n" + "a: 345678\n" * 7000 + "---\n", "line 2: the properties take 68 KB"),
        ("---\nb: 1\na: 1\nb: 2\n---\n", "line 4: the property `b` stands there twice"),
        ("---\nb: 1\na: &x 1\n---\n", "line 3: .* anchor or alias"),
        ("---\nb: &x 1\na: *x\n---\n", "line 3: .* anchor or alias"),
        ("---\na:\n  - &x y\nb: *x\n---\n", "line 2: .* anchor or alias"),
        ("---\nb: 1\n? a\n: 2\n---\n", "line 3: .* complex YAML key"),
        ("---\n{a: 1}\n---\n", "line 2: the properties stand in braces"),
        ('---\n{"a": 1}\n---\n', "line 2: the properties stand in braces"),
        ("---\nb: 1\na: 1\t\n---\n", "line 3: there is a tab"),
        ("---\na: 1\n...\n---\n", "line 3: .* document mark"),
        ("---\na: x\u2028b: 1\n---\n", "line 2: .* unusual line end"),
        ("x\n<<<<<<< a\n=======\n>>>>>>> b\n", "line 2: git left conflict markers"),
    ],
)
def test_unsafe_notes_are_refused(text, reason):
    with pytest.raises(EditRefused, match=reason):
        edit(text.encode(), {"a": "new"})


@pytest.mark.parametrize(
    "data",
    [b"f\xfcr", "äöü".encode() + b"\xff", "a".encode("utf-16"), b"\xef\xbb\xbf\xff"],
)
def test_a_file_that_is_not_utf_8_is_refused(data):
    with pytest.raises(EditRefused):
        edit(data, {"a": "new"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_values_that_no_property_can_hold_are_refused(value):
    with pytest.raises(EditRefused):
        edit(b"---\na: 1\n---\n", {"a": value})
    with pytest.raises(EditRefused):
        edit(b"text", {"a": [value]})


def test_a_number_without_end_is_refused():
    with pytest.raises(EditRefused, match="too long"):
        edit(b"---\na: [1]\n---\n", {"a": [1, 10**5000]})


def test_malformed_blocks_never_get_a_second_block():
    for text in (
        "---\na: b: c\n---\nx",
        "\n---\na: b\n---\nx",
        "---\na: {{x}}\n---\r\nx",
    ):
        with pytest.raises(EditRefused):
            edit(text.encode(), {"tags": ["x"]})
    for text in ("\ufeff---\na: b\n---\nx", "---\r\na: b\r\n---\r\nx"):
        after = edit(text.encode(), {"tags": ["x"]}).decode()
        assert after.count("---") == 2
        assert dict(note(after).properties) == {"a": "b", "tags": ["x"]}


# --- how values are written ----------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain words", "plain words"), ("", '""'), ("no", '"no"'), ("On", '"On"'),
        ("true", '"true"'), ("null", '"null"'), ("~", '"~"'), ("12:30", '"12:30"'),
        ("0123", '"0123"'), ("12", '"12"'), ("1.5", '"1.5"'), ("1e3", '"1e3"'),
        ("0x1F", '"0x1F"'), ("1_000", '"1_000"'), (".inf", '".inf"'), ("+5", '"+5"'),
        ("2020-08-21", "2020-08-21"), ("2020-08-21T10:30:00", "2020-08-21T10:30:00"),
        ("2020-08-21T10:30", "2020-08-21T10:30"), ("2020-8-1", '"2020-8-1"'),
        ("2020-08-21T10:30:00Z", '"2020-08-21T10:30:00Z"'),
        ("2020-08-21 10:30:00", '"2020-08-21 10:30:00"'),
        ("[[A]]", '"[[A]]"'), ("see [[A|b]]", '"see [[A|b]]"'), ("a: b", '"a: b"'),
        ("a:b", "a:b"), ("a:", '"a:"'), ("a #b", '"a #b"'), ("a#b", "a#b"),
        ("#a", '"#a"'), ("- a", '"- a"'), ("-a", '"-a"'), ("@a", '"@a"'), ("%a", '"%a"'),
        ("{{date}}", '"{{date}}"'), ("[a]", '"[a]"'), ("*a", '"*a"'), ("&a", '"&a"'),
        ("!a", '"!a"'), ("|", '"|"'), ("> a", '"> a"'), ("'a'", "\"'a'\""),
        ('say "hi"', 'say "hi"'), ('"a"', '"\\"a\\""'), ("it's", "it's"), ("=", '"="'),
        (" a", '" a"'), ("a ", '"a "'), ("a\nb", '"a\\nb"'), ("a\tb", '"a\\tb"'),
        ("a\\b", "a\\b"), ("a\\\n", '"a\\\\\\n"'), ("\x00\x1b", '"\\0\\x1b"'),
        ("a\u2028", '"a\\u2028"'), ("\x85", '"\\x85"'), ("\ufeff", '"\\ufeff"'),
        ("...", '"..."'), ("<<", '"<<"'), ("a, b", "a, b"), ("é 日本 🎁", "é 日本 🎁"),
        ("m-01JABC", "m-01JABC"), ("tool/git", "tool/git"), ("1984b", "1984b"),
        ("w" * 300, "w" * 300),
        (1, "1"), (-2.5, "-2.5"), (1.0, "1.0"), (1e22, "1.0e+22"), (1e-7, "1.0e-07"),
        (True, "true"), (False, "false"), ([], "[]"), ({}, "{}"),
    ],
)  # fmt: skip
def test_values_are_written_as_obsidian_does(value, written):
    text = emit({"key": value}, "")
    assert text == f"---\nkey: {written}\n---\n"
    assert same_value(dict(note(text).properties), {"key": value})


def test_a_whole_new_note():
    properties = {
        "id": "m-1", "tags": ["a/b", "no"], "up": "[[X]]", "none": None, "n": [None, 1, [2]],
        "map": {"k": {"l": [1]}, "e": {}}, "12:30": 1, "": 2, "maps": [{"a": 1, "b": ["x"]}],
    }  # fmt: skip
    text = emit(properties, "# T\r\n\nx\n", newline="\r\n")
    lines = [
        "---", "id: m-1", "tags:", "  - a/b", '  - "no"', 'up: "[[X]]"', "none:", "n:",
        "  - null", "  - 1", "  - - 2", "map:", "  k:", "    l:", "      - 1", "  e: {}",
        '"12:30": 1', '"": 2', "maps:", "  - a: 1", "    b:", "      - x", "---", "# T", "",
        "x", "",
    ]  # fmt: skip
    assert text == "\r\n".join(lines)
    assert same_value(dict(note(text).properties), properties)
    assert emit({}, "x\n") == "x\n"


def test_a_foreign_type_is_an_error():
    with pytest.raises(TypeError, match="bytes"):
        emit({"a": b"x"}, "")  # type: ignore[dict-item]


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    [
        "no",
        "12:30",
        "0123",
        "2020-01-01",
        "[[A]]",
        "a: b",
        "x #y",
        "-",
        "? ",
        "1e5",
        "é\n",
    ]
)
SCALARS = TEXTS | st.integers(-(10**17), 10**17) | st.booleans() | st.none()
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = SCALARS | NUMBERS | st.lists(SCALARS, max_size=4)


@given(st.dictionaries(TEXTS, VALUES, max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_what_is_emitted_reads_back_the_same(properties, newline):
    one = note(emit(properties, "body\n", newline))
    assert one.problems == () or {x.code for x in one.problems} <= {"tag-invalid"}
    assert same_value(dict(one.properties), properties)
    assert list(one.properties) == list(properties)


@given(TEXTS)
def test_yaml_1_1_reads_the_same_text(value):
    text = emit({"key": [value]}, "")
    (got,) = yaml.safe_load(text[4:-4])["key"]
    if not isinstance(got, str):
        assert got.isoformat()[:10] == value[:10]  # a bare date is one for YAML 1.1
    else:
        assert got == value


# --- any frontmatter -----------------------------------------------------------------


KEYS = st.sampled_from(["a", "tags", "long name", "ü", "z-1"])
ENTRIES = st.sampled_from(
    [
        "{k}: v\n", "{k}:\n", "{k}: \n", '{k}: "007"  # why\n', "{k}: 'it''s'\n",
        "{k}:\n  - x\n  - 'y' # c\n", "{k}:\n- x\n# in\n- y\n", "{k}: [x,  y]\n",
        "{k}: [x, # c\n  y]\n", "{k}: >-\n  folded\n  text\n", "{k}: |+\n  kept\n\n",
        "{k}: |\n  # text\n  b\n", "{k}: plain\n  goes on\n", "{k}:\n  m: 1\n  n: [2]\n",
        "{k}: {{m: 1}}\n", "{k}: 2026-06-29\n", "{k}: '[[L]]'\n", "{k}:\n  - m: 1\n    n: 2\n",
        '{k}: "two\n  lines"\n', "{k}: # c\n  v\n", "{k}:\n  # c\n  - x\n\n  - y\n",
    ]
)  # fmt: skip
BETWEEN = st.sampled_from(["", "", "# note\n", "\n", "  # indented\n"])
# Below a block scalar an indented line is text of it, not a comment.
PART = st.tuples(KEYS, ENTRIES, BETWEEN).filter(
    lambda part: not (part[2].startswith(" ") and set(part[1]) & {"|", ">"})
)
PARTS = st.lists(PART, max_size=5, unique_by=lambda part: part[0])


@given(
    PARTS,
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["\n", "\r\n"]),
    KEYS | st.just("new"),
    VALUES | st.just(DELETE) | st.lists(st.sampled_from(["x", "y", "q"]), max_size=3),
)
def test_an_edit_leaves_every_other_byte(parts, bom, newline, key, value):
    blocks = {name: entry.format(k=name) for name, entry, _ in parts}
    rest = {name: between for name, _, between in parts}
    block = "".join(blocks[name] + rest[name] for name in blocks)
    text = f"{bom}---\n{block}---\nbody\n\n--- \n".replace("\n", newline)
    before = note(text)
    try:
        after_text = edit(text.encode(), {key: value}).decode()
    except EditRefused:
        # a block scalar above would take in what stands below the property
        assert set(text) & {"|", ">"}
        assert {"\n", "  # indented\n"} & set(rest.values())
        return
    after = note(after_text)
    assert after.body == before.body
    wanted = {**before.properties, key: value}
    if value is DELETE:
        del wanted[key]
    assert same_value(dict(after.properties), wanted)
    head, tail = bom + "---\n", "---\nbody\n\n--- \n"
    names = list(blocks)
    if key in blocks:
        at = names.index(key)
        head += "".join(blocks[name] + rest[name] for name in names[:at])
        tail = rest[key] + "".join(blocks[n] + rest[n] for n in names[at + 1 :]) + tail
    else:
        head += block
    comments = [
        line for line in text.splitlines() if "# " in line and "text" not in line
    ]
    assert all("#" + line.partition("#")[2] in after_text for line in comments)
    if after.frontmatter is not None:
        assert after_text.startswith(head.replace("\n", newline))
        assert after_text.endswith(tail.replace("\n", newline))


def test_a_tag_added_and_removed_gives_real_notes_back():
    if not VAULTS.is_dir():
        pytest.skip("the real vaults are not beside this checkout")
    refused = seen = 0
    for file in sorted(VAULTS.rglob("*.md")):
        data = file.read_bytes()
        one = parse(file.name, data)
        old = one.properties.get("tags", DELETE)
        tags = [*old, "added/tag"] if isinstance(old, list) else ["added/tag"]
        try:
            after = edit(data, {"tags": tags})
        except EditRefused:
            refused += 1
            assert any(
                problem.code.startswith("frontmatter") for problem in one.problems
            )
            continue
        assert edit(after, {"tags": old}) == data, file.name
        assert parse(file.name, after).body == one.body
        seen += 1
    assert seen > 600
    assert refused == 28
