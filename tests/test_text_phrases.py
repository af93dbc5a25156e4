from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mindcache.text import phrases

# Little enough of each that phrases and texts often meet.
_TEXTS = st.text("ab *_[]|` ", max_size=24)
_PHRASES = st.lists(st.text("ab*_|[", min_size=1, max_size=3), min_size=2, max_size=4)


@given(_TEXTS, _PHRASES)
def test_no_phrase_is_ruled_out_that_the_pattern_finds(
    text: str, words: list[str]
) -> None:
    phrase = " ".join(words)
    found = phrases._loose(phrase).search(text) is not None
    assert phrases._may_hold(text, phrase) or not found


@given(
    _PHRASES,
    st.lists(
        st.sampled_from([" ", "* ", " [[", " [[a b|", "]] ", "** [[b|_"]),
        min_size=4,
        max_size=4,
    ),
)
def test_a_phrase_with_markup_between_its_words_is_there(
    words: list[str], gaps: list[str]
) -> None:
    text = "".join(a + b for a, b in zip(words, gaps, strict=False))
    assert phrases._loose(" ".join(words)).search(text) is not None
    assert phrases._may_hold(text, " ".join(words))
