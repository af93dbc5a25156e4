"""Names of files that every system and every link can carry."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.filenames import is_passing, portability, safe_stem, shortened


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Site Roadmap", "Site Roadmap"),
        ("Is it 5:30?", "Is it 5-30"),
        ("Pumps: why", "Pumps - why"),
        ("a/b\\c", "a-b-c"),
        ("#tag [[link]] ^block | alias", "tag - link - block - alias"),
        ("  ..hidden. ", "hidden"),
        ("aux", "aux note"),
        ("Con.txt", "Con.txt note"),
        ("e\u0301te\u0301", "été"),
        ("x\u200b\u202ey", "xy"),
        ("notes.md", "notes"),
        ("C++", "C++"),
        ("合約轉換", "合約轉換"),
        ("???", ""),
        ("", ""),
    ],
)
def test_safe_stem(title: str, stem: str) -> None:
    assert safe_stem(title) == stem


@pytest.mark.parametrize(
    ("char", "number"),
    [("é", 60), ("👨‍👩‍👧‍👦", 4), ("🇩🇪", 15), ("合", 40), ("👍🏽", 15)],
)
def test_a_long_name_ends_between_characters(char: str, number: int) -> None:
    assert safe_stem(char * 200) == char * number


def test_a_long_name_ends_between_words() -> None:
    assert shortened("one two three four", 14) == "one two three"
    assert shortened("one two three", 13) == "one two three"


@given(st.text(max_size=200))
def test_every_name_can_travel(title: str) -> None:
    stem = safe_stem(title)
    if not stem:
        return
    assert portability(f"{stem}.md") == ""
    assert not is_passing(f"{stem}.md")
    assert not set(stem) & set('/\\:*?"<>|#^[]')
    assert len(stem.encode()) <= 125  # " note" may stand behind
    assert unicodedata.is_normalized("NFC", stem)
    assert stem == stem.strip(" .")


@given(st.text(max_size=80), st.integers(0, 40))
def test_shortened_is_a_beginning_that_fits(text: str, most: int) -> None:
    cut = shortened(text, most)
    assert text.startswith(cut)
    assert len(cut.encode("utf-8", "surrogatepass")) <= most or cut == text
