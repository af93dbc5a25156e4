"""Spellings of one tag meet, siblings do not, and a wrong one finds its neighbours."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache import tags

# Texts made of what matters to a tag, so that few examples meet many cases.
TAGS = st.text(st.sampled_from("aBß#/: -_\u00a0éİ日ﬁ\u0345"), max_size=12)


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("tool: git", "tool/git"),
        ("#Tool/Git", "Tool/Git"),
        ("tool:git", "tool/git"),
        (" tool / git ", "tool/git"),
        ("tool//git/", "tool/git"),
        ("/tool/git", "tool/git"),
        ("#two words", "two-words"),
        ("two \t words", "two-words"),
        ("##a", "a"),
        ("# #a", "a"),
        ("cafe\u0301", "caf\u00e9"),
        ("client/Acme & Co", "client/Acme-&-Co"),
        ("#", ""),
        (" : / ", ""),
        ("", ""),
    ],
)
def test_a_tag_is_normalised_to_how_it_would_be_written(
    written: str, normal: str
) -> None:
    assert tags.normalise(written) == normal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("#Tool/Git", "tool: git"),
        ("STRASSE", "straße"),
        ("Cafe\u0301", "CAF\u00c9"),
        ("scope/Global", "Scope/global/"),
    ],
)
def test_two_spellings_have_one_key(one: str, other: str) -> None:
    assert tags.key(one) == tags.key(other)


@given(TAGS)
def test_normal_form_and_key_are_fixed_points(text: str) -> None:
    assert tags.normalise(tags.normalise(text)) == tags.normalise(text)
    assert tags.key(tags.key(text)) == tags.key(text)
    assert tags.key(tags.normalise(text)) == tags.key(text)


@pytest.mark.parametrize(
    ("tag", "space"),
    [
        ("client/acme", "client"),
        ("Client: Acme/EU", "client"),
        ("client", ""),
        ("client/", ""),
        ("", ""),
    ],
)
def test_the_namespace_is_the_first_of_several_parts(tag: str, space: str) -> None:
    assert tags.namespace(tag) == space


@pytest.mark.parametrize(
    ("wanted", "tag", "expected"),
    [
        ("a", "a", True),
        ("a", "A/b", True),
        ("#a", "a/b/c", True),
        ("a/b", "a/b/c", True),
        ("a", "ab", False),
        ("a/b", "a/bc", False),
        ("a/b", "a", False),
        ("b", "a/b", False),
        ("", "a", False),
        ("tool: git", "#Tool/Git", True),
    ],
)
def test_a_tag_matches_itself_and_its_children(
    wanted: str, tag: str, *, expected: bool
) -> None:
    assert tags.matches(wanted, tag) is expected


def test_the_nearest_tags_are_those_with_the_same_leaf_then_the_alike() -> None:
    existing = ["tool/git", "tool/grep", "client/acme", "domain/pricing"]
    assert tags.nearest("tools/git", existing)[0] == "tool/git"
    assert tags.nearest("git", existing)[0] == "tool/git"
    assert tags.nearest("client/acm", existing) == ["client/acme"]
    assert tags.nearest("zzz", existing) == []
    assert tags.nearest("", existing) == []


@given(st.permutations(["Tool/Git", "tool/git", "git", "domain/git", "gitter"]))
def test_the_nearest_tags_do_not_depend_on_the_order_they_come_in(
    existing: list[str],
) -> None:
    assert tags.nearest("git", existing) == tags.nearest("git", sorted(existing))


def test_a_tag_of_a_megabyte_takes_no_longer_than_its_length() -> None:
    for unit in (" ", "/", ":", "#", "a "):
        started = time.process_time()
        tags.key("a" + unit * 400_000 + "b")
        assert time.process_time() - started < 2.0
