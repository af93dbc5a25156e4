"""Text to vectors, by a model2vec folder on this machine.

Owns the reading of such a folder and the two ways to encode with it: `Encoder`
reads the plain layout (`config.json`, `model.safetensors`, `tokenizer.json`)
with numpy and tokenizers alone, `StaticEmbedder` hands any layout that model2vec
knows to its `StaticModel`. For a plain folder both give the same vectors, and
the first takes a third of the time to start and half of it to encode; so
`open_encoder` takes it wherever it can. Nothing is ever asked of a network. What
happens to vectors afterwards is not decided here.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mindcache.errors import MindcacheError
from mindcache.lazy import regex
from mindcache.model import shipped
from mindcache.model.wordpiece import WordPieces

if TYPE_CHECKING:
    from model2vec import StaticModel
    from tokenizers import Tokenizer

__all__ = ["Embedder", "Encoder", "StaticEmbedder", "open_encoder"]

Vectors = npt.NDArray[np.float32]
AnyPath = str | os.PathLike[str]

_WEIGHTS = "model.safetensors"

# The tensor types that model2vec writes (bfloat16 is none of them).
_DTYPES: dict[str, type[np.generic]] = {
    "I8": np.int8,
    "F16": np.float16,
    "F32": np.float32,
    "F64": np.float64,
    "I32": np.int32,
    "I64": np.int64,
}
# A safetensors header of a static model is a few hundred bytes; a length far past
# that means the file is something else (a Git LFS pointer, an error page).
_MAX_HEADER = 1 << 20
# Texts encoded in one go: enough to share a call to the tokenizer among their new
# words, little enough that their split words stay a few megabytes.
_BATCH = 256
# Rows gathered at once for one text (4 MB of float32 at 256 dimensions), so that
# a chunk of a million characters costs no gigabyte.
_ROWS = 4096
# Characters of distinct words whose token ids are kept: about 64,000 words, 20 MB. A
# vault of 10,000 notes has as many, counted with their punctuation.
_MEMO_CHARS = 1 << 19
# A text of so many characters is short: a question, a sentence. For the first of
# these no tokenizer is built; for more it is worth it.
_SHORT, _FIRST = 300, 2
# Of those a process keeps so many between two syncs, about 2,000 words: the words of a
# single note are tokenised anew in a millisecond.
_KEPT_CHARS = 1 << 14
# Longer words are cut at their punctuation before they are looked up: no word of
# a language is longer, while URLs, paths, tables and CJK text are.
_LONG_WORD = 48
# StaticModel holds one float32 row for each token of a text at once: longer texts
# are cut here. Chunks are a hundredth of this.
_LONG_TEXT = 100_000

# Where Python and BERT disagree: `str.split` splits at these control characters,
# BERT's normaliser deletes them and so joins what stands around.
_DELETED = "\v\f\x1c\x1d\x1e\x1f\x85"
_BLANK = regex(r"[^\S\v\f\x1c-\x1f\x85]+")
# Characters that BERT always makes a token of their own (ASCII punctuation,
# ideographic comma and stop, CJK ideographs), and the runs between them.
_ALONE = "!-/:-@\\[-`{-~\u3001\u3002\u4e00-\u9fff"
_PIECE = f"[{_ALONE}]|[^{_ALONE}]+"  # made a pattern where a word is that long


class Embedder(Protocol):
    """What turns texts into vectors.

    `encode` gives float32 of shape (n, `dim`), rows of length one, a zero row for
    a text without any known token; a row depends on its own text only, never on
    what else is in the batch. What identifies a model is `mindcache.model`'s to say.
    """

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of the texts, float32 (n, dim)."""
        ...

    def forget_words(self) -> None:
        """Let go of what is remembered of a whole vault; the vectors stay the same."""
        ...


def open_encoder(folder: AnyPath) -> Embedder:
    """The quickest encoder that can read the model in this folder.

    Raises:
        MindcacheError: the folder holds no model that can be read.
    """
    try:
        encoder = Encoder(folder)
        encoder.check()
    except MindcacheError:
        if not _is_another_layout(folder):
            raise
        return StaticEmbedder(folder)
    return encoder


def _is_another_layout(folder: AnyPath) -> bool:
    """Whether a model is here that is not in the plain layout, or of other numbers."""
    if os.path.isfile(
        os.path.join(folder, "modules.json")
    ):  # as sentence-transformers lays it out
        return True
    try:
        with open(os.path.join(folder, _WEIGHTS), "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            return length < _MAX_HEADER and b'"BF16"' in file.read(length)
    except OSError:
        return False


class _Tensor(NamedTuple):
    dtype: type[np.generic]
    shape: tuple[int, ...]
    start: int
    end: int


class _Folder:
    """A model2vec folder: its files checked, its tensors mapped into memory."""

    def __init__(self, folder: AnyPath) -> None:
        self.path = os.fspath(folder)
        self.weights_file = os.path.join(folder, _WEIGHTS)
        self.tokenizer_file = os.path.join(folder, "tokenizer.json")
        if not os.path.isdir(folder):
            raise _broken(self.path, "there is no such folder")
        for name in ("config.json", _WEIGHTS, "tokenizer.json"):
            if not os.path.isfile(os.path.join(folder, name)):
                raise _broken(self.path, f"{name} is missing")

    @cached_property
    def tensors(self) -> dict[str, _Tensor]:
        """The tensors by name, with their byte ranges, as the header gives them."""
        try:
            return _read_header(self.weights_file)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise _broken(self.path, f"model.safetensors: {error}") from error

    @property
    def dim(self) -> int:
        return self.tensors["embeddings"].shape[1]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The tensors as read-only arrays over the mapped file: nothing is copied."""
        tensors = self.tensors
        try:
            with open(self.weights_file, "rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise _broken(self.path, f"model.safetensors: {error}") from error
        whole = np.frombuffer(mapped, dtype=np.uint8)
        return {
            name: whole[tensor.start : tensor.end]
            .view(tensor.dtype)
            .reshape(tensor.shape)
            for name, tensor in tensors.items()
        }

    def tokenizer(self) -> Tokenizer:
        # A process that forks after the tokenizer ran its threads gets a warning on
        # standard error; and threads cost CPU where words are mostly remembered.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from tokenizers import Tokenizer

        try:  # tokenizers raises nothing more precise than Exception
            tokenizer = Tokenizer.from_file(self.tokenizer_file)
        except Exception as error:
            raise _broken(self.path, f"tokenizer.json: {error}") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if tokenizer.get_vocab_size() > self.tokens:
            raise _broken(self.path, "the tokenizer has more tokens than the matrix")
        return tokenizer

    @property
    def tokens(self) -> int:
        """How many tokens it has numbers for."""
        rows = self.tensors.get("mapping", self.tensors["embeddings"]).shape[0]
        weights = self.tensors.get("weights")
        return rows if weights is None else min(rows, weights.shape[0])

    def pieces(self) -> WordPieces | None:
        """What short plain texts need no tokenizer for, where the file allows it."""
        try:
            return WordPieces.read(self.tokenizer_file)
        except OSError:
            return None  # the tokenizer says why


class Encoder:
    """Reads a model2vec folder with numpy and tokenizers only.

    Ready in a few hundredths of a second, and the quicker of the two at any
    number of texts, because it remembers the tokens of words. The vectors are
    those of `StaticModel.encode` with `max_length=None`: nothing is cut off.
    """

    def __init__(self, folder: AnyPath) -> None:
        """Check the folder; the files are read when they are first needed.

        Raises:
            MindcacheError: the folder or one of its files is missing.
        """
        self._folder = _Folder(folder)
        self._memo: dict[str, list[int]] = {}
        self._memo_chars = 0
        self._left = _FIRST

    def check(self) -> None:
        """Read the header of the weights. Raises MindcacheError when it is none."""
        _ = self.dim

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        return self._folder.dim

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of the texts, float32 (n, dim); zero for a text of no tokens.

        Raises:
            MindcacheError: a file of the folder can't be understood.
        """
        sums = np.zeros((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [_encodable(text) for text in texts[start : start + _BATCH]]
            for row, ids in enumerate(self._token_ids(batch), start):
                if ids:
                    sums[row] = self._mean(np.array(ids, dtype=np.intp))
        return _unit(sums)

    def forget_words(self) -> None:
        """Let go of the tokens of words, where more are kept than a few notes have."""
        if self._memo_chars > _KEPT_CHARS:
            self._memo = {}
            self._memo_chars = 0

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return self._folder.tokenizer()

    @cached_property
    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return self._folder.arrays()

    @cached_property
    def _unknown(self) -> int | None:
        return _unknown_token(self._tokenizer)

    @cached_property
    def _literals(self) -> re.Pattern[str] | None:
        """What BERT's tokenizer finds in the raw text, or None for other kinds.

        With BERT's normaliser and splitter each word between blanks has tokens of
        its own, whatever stands around it; that is what makes them memorable.
        """
        from tokenizers.models import WordPiece
        from tokenizers.normalizers import BertNormalizer
        from tokenizers.pre_tokenizers import BertPreTokenizer

        tokenizer = self._tokenizer
        normalizer = tokenizer.normalizer
        added = list(tokenizer.get_added_tokens_decoder().values())
        if not (
            isinstance(normalizer, BertNormalizer)
            and normalizer.clean_text
            and normalizer.handle_chinese_chars
            and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
            and isinstance(tokenizer.model, WordPiece)
            and added
            and not any(
                token.single_word or token.lstrip or token.rstrip or token.normalized
                for token in added
            )
        ):
            return None
        longest_first = sorted((token.content for token in added), key=len)[::-1]
        return re.compile("(" + "|".join(map(re.escape, longest_first)) + ")")

    @cached_property
    def _pieces(self) -> WordPieces | None:
        return self._folder.pieces()

    def _short_ids(self, text: str) -> list[int] | None:
        """The tokens of a text for which no tokenizer is worth building, or None."""
        if len(text) > _SHORT or not self._left or not self._pieces:
            return None
        self._left -= 1
        ids = self._pieces.ids(text)
        # More tokens than the matrix has: the tokenizer says so.
        return ids if ids is None or max(ids, default=0) < self._folder.tokens else None

    def _token_ids(self, texts: list[str]) -> Iterable[list[int]]:
        if len(texts) == 1 and (ids := self._short_ids(texts[0])) is not None:
            return [ids]
        literals = self._literals
        if literals is None:
            return self._tokenise(texts)
        memo = self._memo
        if self._memo_chars > _MEMO_CHARS:
            memo = self._memo = {}
            self._memo_chars = 0
        split = [_words(text, literals) for text in texts]
        new = sorted({word for words in split for word in words if word not in memo})
        memo.update(zip(new, self._tokenise(new), strict=True))
        self._memo_chars += sum(map(len, new))
        return ([i for word in words for i in memo[word]] for words in split)

    def _tokenise(self, texts: list[str]) -> list[list[int]]:
        unknown = self._unknown
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [[i for i in each.ids if i != unknown] for each in encodings]

    def _mean(self, ids: npt.NDArray[np.intp]) -> Vectors:
        """The mean of the weighted rows, summed in the order of the text.

        Rows are added one after the other (never by BLAS), so that the sum is the
        same on every machine, block by block as well as at once.
        """
        matrix = self._arrays["embeddings"]
        weights, mapping = self._arrays.get("weights"), self._arrays.get("mapping")
        total = np.zeros(matrix.shape[1], dtype=np.float32)
        for start in range(0, len(ids), _ROWS):
            part = ids[start : start + _ROWS]
            places = part if mapping is None else mapping.take(part)
            rows = matrix.take(places, axis=0).astype(np.float32)
            if weights is not None:
                rows *= weights.take(part)[:, None].astype(np.float32, copy=False)
            rows[0] += total
            total = np.add.reduce(rows, axis=0)
        return total / np.float32(len(ids))


class StaticEmbedder:
    """model2vec's `StaticModel`, in any layout it can load from a folder.

    Importing and loading it costs about half a second of CPU, spent at the first
    use.
    """

    def __init__(self, folder: AnyPath) -> None:
        """Check the folder; the model is loaded when it is first needed.

        Raises:
            MindcacheError: there is no such folder.
        """
        # A path that does not exist would be asked for on a model hub.
        self._path = os.fspath(folder)
        if not os.path.isdir(folder):
            raise _broken(self._path, "there is no such folder")

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        return int(self._model.dim)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of the texts, float32 (n, dim); zero for a text of no tokens.

        Raises:
            MindcacheError: a file of the folder can't be understood.
        """
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        vectors: Vectors = self._model.encode(
            [_encodable(text[:_LONG_TEXT]) for text in texts],
            max_length=None,
            normalize=True,
            show_progress_bar=False,
            use_multiprocessing=False,
        ).astype(np.float32)
        return vectors

    def forget_words(self) -> None:
        """Nothing: it remembers none."""

    @cached_property
    def _model(self) -> StaticModel:
        from model2vec import StaticModel

        try:  # the loaders of its parts raise nothing more precise than Exception
            return StaticModel.from_pretrained(self._path)
        except Exception as error:
            raise _broken(self._path, str(error)) from error


def _broken(folder: str, reason: str) -> MindcacheError:
    mend = (
        "install the package again"
        if folder == shipped()
        else "let the setting `model` name a folder that model2vec saved"
    )
    message = f"The embedding model in {folder} can't be used: {reason}"
    return MindcacheError(message, mend=mend)


def _read_header(file: str) -> dict[str, _Tensor]:
    with open(file, "rb") as opened:
        size = os.fstat(opened.fileno()).st_size
        length = int.from_bytes(opened.read(8), "little")
        if length > min(_MAX_HEADER, size - 8):
            raise ValueError("it has no safetensors header")
        header = json.loads(opened.read(length))
    tensors = {
        name: _tensor(entry, 8 + length, size)
        for name, entry in header.items()
        if name != "__metadata__"
    }
    if "embeddings" not in tensors or len(tensors["embeddings"].shape) != 2:
        raise ValueError("it holds no matrix of embeddings")
    return tensors


def _tensor(entry: dict[str, Any], base: int, size: int) -> _Tensor:
    dtype = _DTYPES.get(entry["dtype"])
    if dtype is None:
        raise ValueError(f"no reader for numbers of type {entry['dtype']}")
    shape = tuple(int(n) for n in entry["shape"])
    first, last = entry["data_offsets"]
    start, end = base + first, base + last
    if end > size:
        raise ValueError("the file is cut short")
    count = 1
    for n in shape:
        count *= n
    if first < 0 or count * np.dtype(dtype).itemsize != end - start:
        raise ValueError("a tensor's shape doesn't fit its bytes")
    return _Tensor(dtype, shape, start, end)


def _unknown_token(tokenizer: Tokenizer) -> int | None:
    """The id that stands for unknown words, which model2vec leaves out."""
    model = tokenizer.model
    if not hasattr(model, "unk_token"):  # Unigram keeps a number instead
        found = json.loads(tokenizer.to_str())["model"].get("unk_id")
        return None if found is None else int(found)
    token = model.unk_token
    return None if token is None else tokenizer.token_to_id(token)


def _encodable(text: str) -> str:
    """The text without lone surrogates, which no tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _words(text: str, literals: re.Pattern[str]) -> list[str]:
    """Pieces of the text whose tokens, in a row, are the tokens of the text."""
    parts = literals.split(text) if literals.search(text) else (text,)
    words: list[str] = []
    for part in parts:
        if any(char in part for char in _DELETED):
            words += filter(None, _BLANK.split(part))
        else:
            words += part.split()
    if any(len(word) > _LONG_WORD for word in words):
        return [
            piece
            for word in words
            for piece in (
                re.findall(_PIECE, word) if len(word) > _LONG_WORD else (word,)
            )
        ]
    return words


def _unit(sums: Vectors) -> Vectors:
    # As StaticModel does it: the tiny number keeps a zero row zero.
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    scaled: Vectors = sums / (lengths + np.float32(1e-32))
    return scaled
