"""What is made late behaves as if it had been made at once."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindcache
from mindcache.lazy import exports, regex

SOURCES = [r"a+(b)?", r"(?P<word>\w+)\s", r"^x$", r"[^\W\d_]{2,}", ""]


@given(st.sampled_from(SOURCES), st.text("abx y1\n", max_size=12))
def test_a_late_pattern_does_what_a_pattern_does(source: str, text: str) -> None:
    late, early = regex(source, re.MULTILINE), re.compile(source, re.MULTILINE)
    assert late.findall(text) == early.findall(text)
    assert late.sub("-", text) == early.sub("-", text)
    assert late.split(text) == early.split(text)
    assert [m.span() for m in late.finditer(text)] == [
        m.span() for m in early.finditer(text)
    ]
    assert bool(late.match(text)) == bool(early.match(text))
    assert bool(late.fullmatch(text)) == bool(early.fullmatch(text))
    assert (late.pattern, late.flags, late.groups, dict(late.groupindex)) == (
        early.pattern,
        early.flags,
        early.groups,
        dict(early.groupindex),
    )


def test_bytes_have_patterns_too() -> None:
    assert regex(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_nothing_is_compiled_before_its_first_use() -> None:
    broken = regex("(")
    with pytest.raises(re.error):
        broken.search("")
    with pytest.raises(AttributeError):
        _ = regex("a").nothing_of_the_kind  # type: ignore[attr-defined]


def test_a_package_finds_its_names_once() -> None:
    find = exports("mindcache", {"hashing": "blake2b"})
    blake2b = find("blake2b")
    assert blake2b is sys.modules["mindcache.hashing"].blake2b
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        find("other")
    del sys.modules["mindcache"].blake2b


def test_no_name_of_a_package_is_that_of_a_module_in_it() -> None:
    """Whoever imports the module would find it where the name was meant."""
    for found in pkgutil.walk_packages(mindcache.__path__, "mindcache."):
        if found.ispkg:
            package = importlib.import_module(found.name)
            modules = {each.name for each in pkgutil.iter_modules(package.__path__)}
            assert not modules & set(getattr(package, "__all__", ())), found.name
