"""The two encoders agree, need no network, and refuse a folder that is broken."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mindcache import model
from mindcache.errors import MindcacheError
from mindcache.index.embedding import Encoder, StaticEmbedder, open_encoder

SHIPPED = Path(model.shipped())

WORDS = """
pricing decided Tuesday e-mail client's U.S.A. naïve façade ΑΘΗΝΑΣ Straße 東京タワー
記憶 메모리 память ذاكرة 😀 👩‍👩‍👧 C++ x_1 https://a.example/b?c=d#e [[Link|x]]
^block #tag/sub %% `code` 3.14 2026-03-01T09:00 [UNK] [PAD] don't a\u0301 \u200b \ufffd
"""


def varied_texts() -> list[str]:
    draw = random.Random(7)
    words = WORDS.split()
    texts = [" ".join(draw.choices(words, k=draw.randint(1, 120))) for _ in range(190)]
    texts += [
        "",
        " ",
        "\n\t",
        "[UNK]",
        "😀",
        "東京タワーに行きました。",
        "\x00",
        "\x0c",
    ]
    texts += ["a\x0cb c\x1cd\x85e", "[P\x0cAD]", "x[PAD]y", "(" * 3000, "a" * 3000]
    texts += ["word " * 30_000, "漢字" * 400, "https://x.example/" + "a-b_c/" * 200]
    texts += ["\u3000full\u2028width\u2029", "É" * 200, "ab" * 30 + "!" + "cd" * 90]
    return texts


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder(SHIPPED)


@pytest.fixture(scope="module")
def reader() -> Encoder:
    return Encoder(SHIPPED)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED, folder)
    return folder


def stock_encode(texts: list[str]) -> np.ndarray:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(SHIPPED)
    return model.encode(texts, max_length=None, use_multiprocessing=False)


def test_both_equal_model2vec_as_it_loads_itself(static, reader) -> None:
    texts = varied_texts()
    assert len(texts) >= 200
    wanted = stock_encode(texts)
    whole = np.array([len(text) <= 100_000 for text in texts])  # the rest is cut there
    assert np.abs((static.encode(texts) - wanted)[whole]).max() <= 1e-6
    assert np.abs(reader.encode(texts) - wanted).max() <= 1e-6


def test_vectors_are_unit_float32_and_zero_without_tokens(static, reader) -> None:
    for embedder in (static, reader):
        vectors = embedder.encode(["a decision about pricing", "", "[UNK]"])
        assert vectors.dtype == np.float32
        assert vectors.shape == (3, embedder.dim) == (3, 256)
        assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1, 0, 0])
        assert embedder.encode([]).shape == (0, 256)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=5))
@example(["a\x1cb", "\x85", "[PAD][UNK]", "\x0b[PAD]", "\u0345Σς", "\U000e0001x"])
@example(
    ["（" * 60, "、" * 60 + "e\u0301", "\u4e00" * 50 + "\u0301b", "x" * 47 + "[PAD]"]
)
@example(["-" * 49 + "a\u0323", "İ" * 60, "a]" * 30 + "[UN" + "K]", "ſ#" * 40])
def test_any_text_gives_the_same_in_both(texts: list[str]) -> None:
    static, reader = _pair()
    assert np.array_equal(reader.encode(texts), static.encode(texts))


@given(
    st.text(
        "aZ[]PADUNK(-_ \n\f\x1c\x85\u0301\u0345é漢、，İſΣ\u200b\u3000😀", max_size=200
    )
)
def test_hard_characters_give_the_same_in_both(text: str) -> None:
    static, reader = _pair()
    assert np.array_equal(reader.encode([text]), static.encode([text]))


def _pair(made: list = []) -> tuple[StaticEmbedder, Encoder]:  # noqa: B006 - loaded once
    if not made:
        made += [StaticEmbedder(SHIPPED), Encoder(SHIPPED)]
    return made[0], made[1]


def test_a_row_depends_on_its_text_alone(static, reader) -> None:
    texts = varied_texts()
    order = random.Random(3).sample(range(len(texts)), len(texts))
    for embedder in (static, reader):
        whole = embedder.encode(texts)
        mixed = embedder.encode([texts[i] for i in order])
        assert np.array_equal(mixed, whole[order])
        assert np.array_equal(embedder.encode([texts[5]])[0], whole[5])


def test_the_words_remembered_change_nothing(reader) -> None:
    fresh = Encoder(SHIPPED)
    text = "the budget for the lisbon offsite"
    first = fresh.encode([text])
    # Enough distinct words that what is remembered is dropped on the way.
    for start in range(0, 60_000, 20_000):
        fresh.encode([" ".join(f"w{i}" for i in range(start, start + 20_000))])
    assert np.array_equal(fresh.encode([text]), first)
    assert np.array_equal(reader.encode([text]), first)


def test_words_forgotten_change_nothing(reader) -> None:
    text = " ".join(f"harbour{n}" for n in range(3_000))
    before = reader.encode([text, "A pier."])
    assert reader._memo
    reader.forget_words()
    assert not reader._memo
    assert (reader.encode([text, "A pier."]) == before).all()
    reader.forget_words()
    reader.encode(["A pier."])
    reader.forget_words()
    assert reader._memo  # a few are kept


def test_long_text_is_not_cut_off(static, reader) -> None:
    filler = "plain words about nothing much " * 400
    for embedder in (static, reader):
        with_end, without = embedder.encode([filler + "zebra " * 900, filler])
        assert float(with_end @ without) < 0.9


@pytest.mark.parametrize("unit", ["(", "a", "[[", "`", "%%", "漢", "-1"])
def test_hostile_repetition_is_finite_and_unit(unit: str, static) -> None:
    vector = static.encode([unit * (300_000 // len(unit)), "x"])[0]
    assert np.isfinite(vector).all()
    assert float(np.linalg.norm(vector)) == pytest.approx(0 if unit == "a" else 1)


def test_lone_surrogates_are_taken(static, reader) -> None:
    for embedder in (static, reader):
        odd, plain = embedder.encode(["caf\udce9 menu", "caf? menu"])
        assert np.array_equal(odd, plain)


def test_meaning_orders_texts(reader) -> None:
    query, near, far = reader.encode(
        ["what did we charge the customer", "pricing and invoices", "a walk by the sea"]
    )
    assert float(query @ near) > float(query @ far)


def test_identity_tells_contents_not_place(copied: Path) -> None:
    name = model.identity(str(SHIPPED))
    assert model.identity(str(copied)) == name
    weights = copied / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    changed = model.identity(str(copied))
    config = copied / "config.json"
    config.write_text(config.read_text() + " ")
    assert len({name, changed, model.identity(str(copied))}) == 3


def test_the_shipped_model_is_read_without_model2vec() -> None:
    assert isinstance(open_encoder(SHIPPED), Encoder)


def test_a_layout_of_another_kind_goes_through_model2vec(
    copied: Path, tmp_path: Path
) -> None:
    """sentence-transformers puts the static embedding into a folder of its own."""
    module = "sentence_transformers.models.StaticEmbedding"
    folder = tmp_path / "st"
    inner = folder / "0_StaticEmbedding"
    inner.mkdir(parents=True)
    matrix = np.random.default_rng(1).normal(size=(29525, 8)).astype(np.float32)
    from safetensors.numpy import save_file

    save_file({"embedding.weight": matrix}, inner / "model.safetensors")
    shutil.copy(copied / "tokenizer.json", inner / "tokenizer.json")
    modules = [{"idx": 0, "name": "0", "path": "0_StaticEmbedding", "type": module}]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "config_sentence_transformers.json").write_text("{}")
    (folder / "README.md").write_text("a card")
    encoder = open_encoder(folder)
    assert isinstance(encoder, StaticEmbedder)
    vectors = encoder.encode(["a red house", ""])
    assert vectors.shape == (2, encoder.dim) == (2, 8)
    assert np.linalg.norm(vectors[0]) == pytest.approx(1)
    assert not vectors[1].any()
    assert model.identity(str(folder)) != model.identity(str(copied))


def test_a_broken_plain_folder_is_not_handed_on(copied: Path) -> None:
    _cut(copied / "model.safetensors")
    with pytest.raises(MindcacheError, match="cut short"):
        open_encoder(copied)


def test_other_kinds_of_folder(tmp_path: Path) -> None:
    """A vocabulary of shared rows, float32, another tokenizer, no normalising."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    vocab = {"[UNK]": 0, "red": 1, "blue": 2, "green": 3}
    tokenizer = Tokenizer(WordLevel(vocab, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    rows = np.array([[1, 2, 3], [-3, 0.5, 1]], dtype=np.float32)
    model = StaticModel(
        rows,
        tokenizer,
        normalize=False,
        weights=np.array([1, 0.5, 2, 0.25], dtype=np.float32),
        token_mapping=np.array([0, 0, 1, 1]),
    )
    model.save_pretrained(tmp_path / "small")
    texts = ["red blue", "green green red", "grey", "red " * 600]
    wanted = model.encode(texts, normalize=True, max_length=None)
    for embedder in (StaticEmbedder, Encoder):
        got = embedder(tmp_path / "small").encode(texts)
        assert np.abs(got - wanted).max() <= 1e-6


def test_missing_folder_or_file_is_named(tmp_path: Path, copied: Path) -> None:
    for embedder in (StaticEmbedder, Encoder, open_encoder):
        with pytest.raises(MindcacheError, match=r"no such folder.*setting `model`"):
            embedder(tmp_path / "minishlab" / "potion-base-8M")
    (copied / "tokenizer.json").unlink()
    with pytest.raises(MindcacheError, match=r"tokenizer\.json is missing"):
        open_encoder(copied)


def broken_header(folder: Path, change) -> None:
    file = folder / "model.safetensors"
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1000])


def _fewer_rows(folder: Path) -> None:
    def change(header: dict) -> None:
        start, _ = header["embeddings"]["data_offsets"]
        header["embeddings"].update(
            shape=[9, 256], data_offsets=[start, start + 9 * 256]
        )

    broken_header(folder, change)


BREAKS = {
    "cut short": lambda f: _cut(f / "model.safetensors"),
    "no safetensors header": lambda f: (f / "model.safetensors").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7676660\n"
    ),
    "model.safetensors: ": lambda f: (f / "model.safetensors").write_bytes(b""),
    "no matrix": lambda f: broken_header(f, lambda h: h.pop("embeddings")),
    "shape doesn't fit": lambda f: broken_header(
        f, lambda h: h["embeddings"].update(shape=[29525, 255])
    ),
    "BF16": lambda f: broken_header(f, lambda h: h["embeddings"].update(dtype="BF16")),
    "tokenizer.json: ": lambda f: (f / "tokenizer.json").write_text("{}"),
    "more tokens": _fewer_rows,
}


@pytest.mark.parametrize("reason", BREAKS)
def test_corrupt_files_are_told(reason: str, copied: Path) -> None:
    BREAKS[reason](copied)
    with pytest.raises(MindcacheError, match=reason) as caught:
        Encoder(copied).encode(["a word"])
    assert caught.value.mend


def test_a_cold_query_loads_no_model2vec() -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from mindcache.model import shipped\n"
        "from mindcache.index.embedding import Encoder\n"
        "assert 'tokenizers' not in sys.modules\n"
        "Encoder(Path(shipped())).encode(['when is the offsite?'])\n"
        "heavy = {'model2vec', 'safetensors', 'huggingface_hub', 'networkx', 'peewee'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
