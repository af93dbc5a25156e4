"""Plain words get the tokens that the tokenizer gives, or none are given at all."""

from __future__ import annotations

import json
import string
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from mindcache import model
from mindcache.model.wordpiece import WordPieces

FILE = Path(model.shipped()) / "tokenizer.json"

WORDS = st.one_of(
    st.sampled_from(
        [
            "the",
            "harbourmaster",
            "pricing",
            "e-mail",
            "C++",
            "U.S.A.",
            "[x]",
            "##",
            "##ing",
        ]
    ),
    st.text(string.ascii_letters, min_size=1, max_size=14),
    st.text(string.printable, max_size=12),
    st.text("ab", min_size=90, max_size=120),
)


@lru_cache
def tokenizer() -> Tokenizer:
    found = Tokenizer.from_file(str(FILE))
    found.no_truncation()
    found.no_padding()
    return found


@lru_cache
def pieces() -> WordPieces:
    found = WordPieces.read(str(FILE))
    assert found is not None
    return found


def wanted(text: str) -> list[int]:
    ids = tokenizer().encode(text, add_special_tokens=False).ids
    return [each for each in ids if each != tokenizer().token_to_id("[UNK]")]


@given(st.lists(WORDS, max_size=8).map(" ".join))
@example("What did Zeradon's harbourmaster say about e-mail (pricing)?")
@example("a:b::c,d ; <e> {f} |g| ~h `i` ^j _k_ \t l\r\nm")
@example("a" * 100 + " " + "a" * 101)
@example("[PAD] [UNK] [unk] x[PAD]y")
def test_plain_words_have_the_tokens_of_the_tokenizer(text: str) -> None:
    found = pieces().ids(text)
    assert found is None or found == wanted(text)


@pytest.mark.parametrize(
    "text", ["What about the harbour?", "e-mail: (x) #2", "", "a\nb"]
)
def test_ordinary_questions_are_plain(text: str) -> None:
    assert pieces().ids(text) == wanted(text)


@pytest.mark.parametrize(
    "text", ["café", "東京", 'say "x"', "back\\slash", "a\x0cb", "[UNK]", "nul\0"]
)
def test_other_texts_are_left_to_the_tokenizer(text: str) -> None:
    assert pieces().ids(text) is None


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    data = json.loads(FILE.read_text(encoding="utf-8"))
    change(data)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize(
    "text",
    [
        changed(lambda data: data["normalizer"].update(lowercase=False)),
        changed(lambda data: data["normalizer"].update(type="NFC")),
        changed(lambda data: data.update(normalizer=None)),
        changed(lambda data: data.update(pre_tokenizer={"type": "Whitespace"})),
        changed(lambda data: data["model"].update(continuing_subword_prefix="@@")),
        changed(lambda data: data["model"].update(type="BPE")),
        changed(lambda data: data["model"].update(unk_token="[GONE]")),
        changed(lambda data: data["added_tokens"][0].update(lstrip=True)),
        changed(lambda data: data["model"].update(vocab={"[UNK]": 0}, extra=1)),
        json.dumps(json.loads(FILE.read_text(encoding="utf-8"))),
        FILE.read_text(encoding="utf-8").replace('"the":', '"\\u0074he":'),
        "version https://git-lfs.example/spec/v1",
        "",
    ],
)
def test_a_file_of_another_kind_is_left_to_the_library(
    text: str, tmp_path: Path
) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(text, encoding="utf-8")
    assert WordPieces.read(str(file)) is None


def test_a_question_builds_no_tokenizer() -> None:
    code = (
        "import sys; from mindcache import model;"
        " from mindcache.index.embedding import Encoder;"
        " Encoder(model.shipped()).encode(['where is the harbour master?']);"
        " sys.exit('tokenizers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
