from __future__ import annotations

import re
import time

import pathspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.ignoring import linear, simple_matcher
from mindcache.vault import Vault
from tests.conftest import MakeVault

# Little enough that patterns and paths often meet.
_PATTERNS = st.lists(st.text("ab.*?/ #!\\\\[]\\té-", max_size=7), max_size=3)
_NAMES = st.text("ab. é-", min_size=1, max_size=3).filter(lambda n: n.strip(". "))
_PATHS = st.builds(
    lambda names, end: "/".join(names) + end,
    st.lists(_NAMES, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)


@given(_PATTERNS, st.lists(_PATHS, max_size=12))
def test_what_is_understood_means_the_same(lines: list[str], paths: list[str]) -> None:
    ours = simple_matcher(lines)
    if ours is None:
        return
    theirs = pathspec.GitIgnoreSpec.from_lines(lines)
    assert [ours(path) for path in paths] == [theirs.match_file(p) for p in paths]


@pytest.mark.parametrize(
    "line",
    ["/templates/*.md", "node_modules", "drafts/", "*.tmp.md", "a/b?.md", "old notes/"],
)
def test_usual_patterns_are_understood(line: str) -> None:
    ours = simple_matcher(["# a comment", "", line])
    theirs = pathspec.GitIgnoreSpec.from_lines([line])
    assert ours is not None
    for path in ("templates/x.md", "a/node_modules/b.md", "drafts/", "a/drafts/x.md"):
        assert ours(path) == theirs.match_file(path)
    for path in ("x.tmp.md", "a/x.tmp.md", "a/b1.md", "c/a/b1.md", "old notes/x.md"):
        assert ours(path) == theirs.match_file(path)


@pytest.mark.parametrize(
    "line",
    ["!keep.md", "**/x", "a/**", "[ab].md", "\\\\#x", "*", "a/*", "/", "x ", " x"],
)
def test_what_has_rules_of_its_own_is_left_alone(line: str) -> None:
    assert simple_matcher([line]) is None


_SEGMENTS = st.lists(
    st.one_of(st.just("**"), st.text("ab.*?\\", min_size=1, max_size=6), st.just("[ab]*[b]")),
    min_size=1,
    max_size=4,
)  # fmt: skip


@given(_SEGMENTS, st.sampled_from(["", "/"]), st.lists(_PATHS, max_size=12))
def test_a_linear_pattern_means_the_same(
    parts: list[str], end: str, paths: list[str]
) -> None:
    try:
        theirs = pathspec.GitIgnoreSpec.from_lines(["/".join(parts) + end])
    except ValueError:
        return  # no pattern, and told as such
    before = [theirs.match_file(path) for path in paths]
    for pattern in theirs.patterns:
        regex = getattr(pattern, "regex", None)
        if regex is not None:
            pattern.regex = re.compile(linear(regex.pattern))
    assert [theirs.match_file(path) for path in paths] == before


@pytest.mark.parametrize("kind", ["simple", "whole syntax"])
@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 12 + "b", "a" * 250),
        ("*?a" * 12 + "b", "a" * 250),
        ("x/" + "*a" * 12 + "b", "x/" + "a" * 250),
        ("**/*a" * 12 + "/b", "a/" * 500),
        ("*[ab]" * 12 + "c", "a" * 250),
        ("*[!b]" * 12 + "b", "a" * 250),
    ],
)
def test_many_wildcards_cost_no_more_than_their_length(
    make_vault: MakeVault, pattern: str, path: str, kind: str
) -> None:
    rules = [pattern] if kind == "simple" else ["!nothing", pattern]
    root = make_vault({".mindcacheignore": "\n".join(rules)})
    started = time.process_time()
    assert not Vault(str(root)).folders_left_out()(path)
    assert time.process_time() - started < 1.0


def test_a_set_holds_no_slash() -> None:
    theirs = pathspec.GitIgnoreSpec.from_lines(["a[!b]c"])
    regex = re.compile(linear(theirs.patterns[0].regex.pattern))
    assert regex.match("axc")
    assert not regex.match("a/c")
