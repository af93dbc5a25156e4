"""What agents give is read as it can only be meant, and told by name otherwise."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.errors import UsageError
from mindcache.mcp.arguments import read, tool_called
from mindcache.mcp.tools import TOOLS

RECALL = tool_called("recall")
UPDATE = tool_called("update")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from([a.name for tool in TOOLS for a in tool.arguments]) | st.text(
    max_size=12
)


@given(st.sampled_from(TOOLS), st.dictionaries(NAMES, JSON, max_size=6))
def test_whatever_is_given_is_read_or_refused(tool, given_) -> None:
    with suppress(UsageError):
        found = read(tool, given_)
        assert set(found) <= {argument.name for argument in tool.arguments}
        as_json = {k: list(v) if isinstance(v, tuple) else v for k, v in found.items()}
        assert read(tool, as_json) == found


@pytest.mark.parametrize(
    ("given_", "found"),
    [
        (None, {}),
        ({"query": " ", "tags": [], "type": ["", " "], "from": None}, {}),
        (
            {"budget": "500", "limit": 3.0, "floor": "0"},
            {"budget": 500, "limit": 3, "floor": 0.0},
        ),
        ({"tags": "tool/git, client/acme"}, {"tags": ("tool/git", "client/acme")}),
        ({"entity": "Solheim, Marit"}, {"entity": ("Solheim, Marit",)}),
        ({"mode": " Deep "}, {"mode": "deep"}),
        ({"query": 2026}, {"query": "2026"}),
        ({"nonsense": ""}, {}),
    ],
)
def test_what_can_be_meant_one_way_is_taken_that_way(given_, found) -> None:
    assert read(RECALL, given_) == found


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"tag": "x"}, "no argument 'tag', did you mean tags?"),
        ({"question": "x"}, "did you mean query?"),
        ({"start_date": "x"}, "did you mean from?"),
        ({"max_tokens": 5}, "did you mean budget?"),
        ({"Budget": 500}, "did you mean budget?"),
        ({"zzz": 5}, "no argument 'zzz' (it takes query, mode,"),
        ({"budget": 10}, "budget is 10, not a whole number from 100 to"),
        ({"budget": True}, "budget is True, not a whole number"),
        ({"floor": 2}, "floor is 2, not a number from 0 to 1"),
        ({"floor": float("nan")}, "floor is nan, not"),
        ({"mode": "quick"}, "mode is 'quick', not one of auto, fast, deep"),
        ({"tags": {"a": 1}}, "tags is {'a': 1}, not a list of texts"),
        ({"query": ["a", "b"]}, "query is ['a', 'b'], not a text"),
        ({"query": "\ud800"}, "not valid Unicode"),
        ({"query": "x", "qery": "y", "limit": "many"}, "limit is 'many'"),
    ],
)
def test_what_cannot_is_told_with_its_name(given_, said: str) -> None:
    with pytest.raises(UsageError) as error:
        read(RECALL, given_)
    assert said in str(error.value)


def test_properties_are_flat() -> None:
    flat = {
        "status": "archived",
        "importance": 0.5,
        "aliases": ["a", "b"],
        "pinned": True,
    }
    assert read(UPDATE, {"name": "x", "set": flat}) == {"name": "x", "set": flat}
    for wrong in ({"a": {"b": 1}}, {"a": [["b"]]}, {"a": None}, {"": "x"}):
        with pytest.raises(UsageError, match=r"set\."):
            read(UPDATE, {"name": "x", "set": wrong})
    with pytest.raises(UsageError, match="set is 'status=x', not an object"):
        read(UPDATE, {"name": "x", "set": "status=x"})


def test_what_is_required_is_said_once() -> None:
    with pytest.raises(UsageError) as error:
        read(UPDATE, {"name": {"a": 1}})
    assert "name is {'a': 1}" in str(error.value)
    assert "missing" not in str(error.value)


def test_schemas_say_what_is_read() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="comes with the extra [mcp]")
    for tool in TOOLS:
        for schema in (tool.input_schema(), tool.output_schema()):
            jsonschema.Draft202012Validator.check_schema(schema)
        assert len(tool.about) < 500


def test_no_tool_is_named_for_one_that_is_far() -> None:
    with pytest.raises(UsageError) as far:
        tool_called("nope")
    assert "did you mean" not in far.value.mend
    with pytest.raises(UsageError) as near:
        tool_called("updte")
    assert "did you mean update?" in near.value.mend


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("recall", {"query": "x " * 5_000_000}),
        ("recall", {"query": "x", "tags": "x" * 5_000_000}),
        ("recall", {"query": "x", "tags": [f"tool/t{n}" for n in range(200_000)]}),
        ("recall", {"query": 10**5_000}),
        ("get", {"name": "x" * 5_000_000}),
        ("timeline", {"since": "9" * 1_000_000}),
        ("remember", {"text": "[[x]]" * 2_000_000}),
        ("remember", {"text": "x", "about": ["n"] * 100_000}),
        ("update", {"name": "a", "set": {"k" * 1_000_000: "v"}}),
        ("update", {"name": "a", "set": {f"k{n}": "v" for n in range(100_000)}}),
        ("update", {"name": "a", "set": {"k": ["v"] * 100_000}}),
        ("update", {"name": "a", "set": {"k": 10**5_000}}),
        ("update", {"name": "a", "append": "x" * 5_000_000}),
    ],
)
def test_what_is_too_much_is_told_in_few_words(
    tool: str, given: dict[str, object]
) -> None:
    with pytest.raises(UsageError) as told:
        read(tool_called(tool), given)
    assert len(str(told.value)) < 1_000


def test_a_note_of_any_size_that_is_indexed_is_taken() -> None:
    text = "A crane. " * 100_000
    assert read(tool_called("remember"), {"text": text}).text("text") == text
    with pytest.raises(UsageError) as told:
        tool_called("x" * 5_000_000)
    assert len(str(told.value)) < 1_000
