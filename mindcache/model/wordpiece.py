"""Token ids of a few plain words, without building a tokenizer.

A process that answers one question would spend a tenth of its time on building a
tokenizer for six words. With plain words (printable ASCII) BERT's tokenizer does
nothing but lower case, cut at punctuation and take the longest known pieces from the
left. That is done here, with the same result, and the pieces are searched for in the
file as it stands; whatever else there is in a text or in the file is left to the
tokenizers library.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["WordPieces"]

# Words, and punctuation one by one, as BERT cuts them. Quotes and backslashes are
# escaped in the file: a text that holds one is not plain.
_WORDS = re.compile(rb"[0-9a-z]+|[!#-/:-@\[\]-`{-~]")
_PLAIN = re.compile(r"[\t\n\r !#-\[\]-~]*")

# The members of a tokenizer file that decide what becomes of plain words.
_NORMALIZER = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "lowercase": True,
}
_SPLITTER = {"type": "BertPreTokenizer"}
_MODEL = {"type": "WordPiece", "continuing_subword_prefix": "##"}
# Of a token that is searched for in the raw text: it stands there as it is.
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized")

_NUMBER = re.compile(rb"[0-9]+")


class WordPieces:
    """The pieces of one tokenizer file, for plain words."""

    def __init__(self, vocabulary: bytes, added: list[str], longest: int) -> None:
        self._vocabulary = vocabulary
        self._added = added
        self._longest = longest
        self._known: dict[bytes, int] = {}

    @classmethod
    def read(cls, file: str) -> WordPieces | None:
        """Open `tokenizer.json`; None where only the library can read it.

        Raises:
            OSError: there is no such file, or it may not be read.
        """
        with open(file, "rb") as opened:
            whole = opened.read()
        # `tokenizers` writes the vocabulary last and without blanks. A file that says
        # it otherwise, or spells plain letters by their numbers, is not for us.
        before, _, vocabulary = whole.partition(b'"vocab":{')
        if not vocabulary.endswith(b"}}}") or b"\\u00" in vocabulary:
            return None
        try:
            rest = json.loads(before + b'"vocab":{}}}')
            if not _is_berts(rest):
                return None
            model = rest["model"]
            unknown = f'"{model["unk_token"]}":'.encode()
            added = [str(token["content"]) for token in rest["added_tokens"]]
            longest = int(model["max_input_chars_per_word"])
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        if unknown not in vocabulary or not added:
            return None
        return cls(vocabulary, added, longest)

    def ids(self, text: str) -> list[int] | None:
        """The ids of a text's tokens, unknown words left out; None if it isn't plain."""
        if _PLAIN.fullmatch(text) is None or any(each in text for each in self._added):
            return None
        words = _WORDS.findall(text.lower().encode("ascii"))
        return [number for word in words for number in self._pieces_of(word)]

    def _pieces_of(self, word: bytes) -> list[int]:
        found: list[int] = []
        if len(word) > self._longest:
            return found
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._id((b"##" if start else b"") + word[start:end])
                if number >= 0:
                    break
            else:
                return []  # a word with a strange part is unknown as a whole
            found.append(number)
            start = end
        return found

    def _id(self, piece: bytes) -> int:
        """Its id, or -1. A quote in a key is escaped, so what is found is a key."""
        number = self._known.get(piece)
        if number is None:
            number = -1
            key = b'"' + piece + b'":'
            at = self._vocabulary.find(key)
            if at >= 0:
                digits = _NUMBER.match(self._vocabulary, at + len(key))
                number = int(digits[0]) if digits else -1
            self._known[piece] = number
        return number


def _is_berts(rest: dict[str, Any]) -> bool:
    """Whether a tokenizer file, its vocabulary aside, is of the kind read here."""
    return (
        rest["normalizer"].items() >= _NORMALIZER.items()
        and rest["pre_tokenizer"] == _SPLITTER
        and rest["model"].items() >= _MODEL.items()
        and not any(token[flag] for token in rest["added_tokens"] for flag in _FLAGS)
    )
