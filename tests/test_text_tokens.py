"""The estimate of tokens: exact in its sums, near to what a tokenizer makes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from mindcache import model
from mindcache.text.tokens import estimate

VAULTS = Path(__file__).parents[2] / "shared" / "data" / "vaults"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("the index", 2),
        ("understanding", 3),
        ("GB/s", 3),
        ("2026-03-05", 6),
        ("深色模式。", 5),
        ("다크", 2),
        ("тема", 2),
        ("été", 1),
        ("Straßenbahn", 3),
    ],
)
def test_what_counts_as_one(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(max_size=80), st.sampled_from([" ", "\n", "\n\n"]), st.text(max_size=80))
def test_texts_add_up(first: str, space: str, second: str) -> None:
    assert estimate(first + space + second) == estimate(first) + estimate(second)


@pytest.mark.skipif(not VAULTS.is_dir(), reason="no ../shared/data/vaults")
def test_it_is_near_to_the_tokenizer_of_the_model() -> None:
    """Within 10 % for each vault, and for nine paragraphs in ten within 30 %."""
    tokenizer = Tokenizer.from_file(str(Path(model.shipped()) / "tokenizer.json"))
    tokenizer.no_truncation()
    for vault in sorted(p for p in VAULTS.iterdir() if p.is_dir()):
        notes = sorted(vault.rglob("*.md"))
        paragraphs = [
            part
            for note in notes
            for part in re.split(r"\n\n+", note.read_text("utf-8", "replace"))
            if len(part) > 80
        ][:500]
        made = [
            len(each.ids)
            for each in tokenizer.encode_batch(paragraphs, add_special_tokens=False)
        ]
        guessed = [estimate(part) for part in paragraphs]
        assert 0.9 < sum(guessed) / sum(made) < 1.1, vault.name
        ratios = sorted(g / m for g, m in zip(guessed, made, strict=True) if m)
        tail = len(ratios) // 20
        assert ratios[tail] > 0.7, vault.name
        assert ratios[-tail - 1] < 1.3, vault.name


@given(
    st.text(
        alphabet=st.sampled_from("aé Ж1_…“—.\t\u0e01漢가\u2fff\u3005𠀀"), max_size=30
    )
)
def test_a_script_beside_it_changes_nothing(text: str) -> None:
    for beside in ("漢", "ก", "a"):
        assert estimate(f"{text} {beside}") == estimate(text) + 1
