"""JSON piece by piece: equal to json.loads, whatever the pieces; broken values are stepped over."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.importers.chat.values import Fault, Values, keys_of, repaired

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def of(text: str, piece: int = 1_000) -> Values:
    """The values of a text that comes in pieces of this size."""
    file = io.StringIO(text)
    return Values(lambda _: file.read(piece))


@given(st.lists(JSON, max_size=6), st.integers(1, 9), st.sampled_from([None, 1]))
def test_an_array_item_by_item(
    values: list[object], piece: int, indent: int | None
) -> None:
    text = json.dumps(values, indent=indent)
    assert [value for _, value in of(text, piece).items()] == values


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=5), st.integers(1, 9))
def test_an_object_key_by_key(value: dict[str, object], piece: int) -> None:
    stream = of(json.dumps(value), piece)
    found = {}
    for number, key in enumerate(stream.members()):
        if number % 2:  # the others are skipped
            found[key] = stream.value()
    assert found == {k: v for n, (k, v) in enumerate(value.items()) if n % 2}
    assert stream.peek() == ""


@given(st.lists(JSON, min_size=1, max_size=5), st.integers(1, 9), st.data())
def test_a_torn_array_gives_what_was_whole(
    values: list[object], piece: int, data
) -> None:
    text = json.dumps(values)
    torn = text[: data.draw(st.integers(1, len(text) - 1))]
    found = [value for _, value in of(torn, piece).items()]
    assert isinstance(found[-1], Fault)
    assert found[-1].is_end
    whole = found[:-1]
    # A number that is cut short is a number still.
    assert whole[:-1] == values[: len(whole[:-1])]


@pytest.mark.parametrize("piece", [1, 3, 1_000])
def test_a_broken_value_costs_itself(piece: int) -> None:
    text = '[{"a": 1},\n {"b": oops, "c": "]}"},\n {"d": [1,]},\n 5]'
    found = list(of(text, piece).items())
    assert [value for _, value in found if not isinstance(value, Fault)] == [
        {"a": 1},
        5,
    ]
    faults = [value for _, value in found if isinstance(value, Fault)]
    assert [fault.line for fault in faults] == [2, 3]
    assert not any(fault.is_end for fault in faults)


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 1_000])
def test_escapes_that_no_json_has(piece: int) -> None:
    text = r'[{"a": "x\x1Fy"}, {"b": "\\x41 \u0041 \q"}, {"c": "\x7f"}]'
    assert [value for _, value in of(text, piece).items()] == [
        {"a": "x\x1fy"}, {"b": "\\x41 A \\q"}, {"c": "\x7f"},
    ]  # fmt: skip


def test_repairing_again_changes_nothing() -> None:
    text = r'"\x41\q\\x\"\u12"'
    assert repaired(repaired(text)) == repaired(text)


def test_what_is_too_long_or_too_deep_is_said() -> None:
    file = io.StringIO('["' + "a" * 5_000_000 + '", 1]')
    found = [value for _, value in Values(file.read, most=1 << 20).items()]
    assert isinstance(found[0], Fault)
    assert "longer than 1 MB" in found[0].message
    assert found[1:] == [1]
    deep = "[" + "[" * 200_000 + "]" * 200_000 + ", 2]"
    found = [value for _, value in of(deep, 1 << 20).items()]
    assert isinstance(found[0], Fault)
    assert found[1:] == [2]
    digits = [value for _, value in of("[" + "9" * 10_000 + ", 3]").items()]
    assert isinstance(digits[0], Fault)
    assert digits[1:] == [3]


def test_keys_of_a_beginning() -> None:
    assert keys_of('\ufeff {"a": {"b": 1}, "c": ["d"]') == ("{", {"a", "c"})
    assert keys_of('[{"a": "x\\"y: ", "b": {') == ("[", {"a", "b"})
    assert keys_of('[{"a": 1}, {"z": 2}]') == ("[", {"a"})
    assert keys_of("plain") == ("", frozenset())
