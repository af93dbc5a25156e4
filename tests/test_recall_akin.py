"""Words held against words, on a model small enough to follow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from mindcache.cache.read import ChunkRow
from mindcache.recall.akin import akin
from mindcache.recall.question import Question
from mindcache.recall.vocabulary import Vocabulary
from mindcache.text import QueryTerm, query_terms

# Words of one place in the list are near to each other and to nothing else.
KINDS = [["book", "novel"], ["boat", "kayak"], ["tea"], ["hill"], ["red"], ["sun"]]


class Kinds:
    """An embedder that knows a few words by their kind."""

    dim = 8

    def __init__(self) -> None:
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.encoded += len(texts)
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place, kind in enumerate(KINDS):
                if text in kind:
                    row[place] = 1.0
                    row[7] = 0.2 * kind.index(text)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return rows / lengths


def chunk(number: int, text: str) -> ChunkRow:
    return ChunkRow(number, 1, number, "", "", 1, 1, text)


TEXTS = ["A novel!", "tea", "hill sun", "red boat", "sun"]


def asked(question: str, texts: Sequence[str], lean: float = 1.0) -> list[float]:
    chunks = [chunk(n, text) for n, text in enumerate(texts)]
    rows = [
        (chunks[n - 1] if n else None, c, chunks[n + 1] if n + 1 < len(texts) else None)
        for n, c in enumerate(chunks)
    ]
    terms = query_terms(question, ("en",))
    found = akin(
        Question(question, tuple(terms)),
        dict.fromkeys(terms, 2.0),
        rows,
        np.full(len(texts), lean),
        Vocabulary(Kinds()),
    )
    return found.tolist()


def test_a_text_with_an_akin_word_stands_out():
    alone = asked("book", TEXTS, lean=0.0)
    assert alone[0] > alone[1] == alone[2] == alone[3] == alone[4]


def test_the_same_word_counts_most_whatever_its_form():
    same, near = asked("boats", ["boat", "kayak", "tea", "hill"], lean=0.0)[:2]
    assert same > near > 0


def test_the_text_after_an_akin_word_gains_and_the_one_before_a_little():
    found = asked("novel", ["tea", "hill", "book", "sun", "red"])
    assert found[2] > found[3] > found[1] > found[0] == found[4]
    still = asked("novel", ["tea", "hill", "book", "sun", "red"], lean=0.0)
    assert still[3] == still[1] == still[0]


def test_nothing_akin_anywhere_is_nothing_to_anyone():
    assert asked("tea", ["hill", "hill", "hill"]) == [0.0] * 3
    assert asked("", ["hill"]) == [0.0]
    assert asked("tea", []) == []
    assert asked("tea", ["", "…"]) == [0.0, 0.0]


def test_names_and_joined_terms_are_left_out():
    terms = [QueryTerm("tea", ("tea",)), QueryTerm("a_b", ("a_b",), joined=True)]
    question = Question("tea", tuple(terms), names=frozenset({"tea"}))
    rows = [(None, chunk(1, "tea"), None), (None, chunk(2, "sun"), None)]
    weights = dict.fromkeys(terms, 1.0)
    found = akin(question, weights, rows, np.ones(2), Vocabulary(Kinds()))
    assert found.tolist() == [0.0, 0.0]


def test_words_are_encoded_once():
    embedder = Kinds()
    vocabulary = Vocabulary(embedder)
    terms = query_terms("book", ("en",))
    rows = [(None, chunk(1, "tea tea hill"), None), (None, chunk(2, "tea"), None)]
    for _ in range(3):
        akin(
            Question("book", tuple(terms)),
            {terms[0]: 1.0},
            rows,
            np.ones(2),
            vocabulary,
        )
    assert embedder.encoded == 2 + 3


@pytest.mark.parametrize("piece", ["a", "word ", "語", "(", "_"])
def test_a_huge_text_costs_no_more_than_any_other(piece):
    assert asked("tea", [piece * (900_000 // len(piece)), "tea"])[1] > 0
