from __future__ import annotations

import pathspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.ignoring import simple_matcher

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
