"""The sentences of a note's text, one by one, as they read. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mindcache.alike.words import TIMES
from mindcache.plain import plain_text
from mindcache.text import fold

__all__ = ["READ", "sentences_of"]

READ: Final = 2_000
"""Characters of a text that are read: who writes more tells a story."""

_FENCE: Final = re.compile(r"^ *(```+|~~~+).*?(?:^ *\1|\Z)", re.MULTILINE | re.DOTALL)
_ALONE_LINE: Final = re.compile(r"[ \t>]*(?:[-*+#|]|\d+[.)]\s|$|[\w -]{1,40}::)")
_END: Final = re.compile(r"(?<![.!?])[.!?]+[\"'”’)\]]*(?=\s|$)")
_WORD: Final = re.compile(r"\s*(\w+)")
_ABBREVIATIONS: Final = frozenset(
    {
        "dr", "mr", "mrs", "ms", "st", "prof", "nr", "no", "approx", "ca", "bzw",
    }
)  # fmt: skip


def sentences_of(text: str) -> list[str]:
    """The sentences of a Markdown text, without its marks; code is left out."""
    found: list[str] = []
    for passage in _passages(_FENCE.sub("\n\n", text)):
        plain = plain_text(passage)
        at = 0
        for match in _END.finditer(plain):
            if match[0] == "." and _goes_on(plain, match):
                continue
            found.append(plain[at : match.end()].strip())
            at = match.end()
        found.append(plain[at:].strip())
    return [sentence for sentence in found if sentence]


def _passages(text: str) -> Iterator[str]:
    """The paragraphs of a text, each item, heading and field on its own."""
    run: list[str] = []
    for line in text.split("\n"):
        if _ALONE_LINE.match(line):
            yield " ".join(run)
            run = [line]
            if line.lstrip()[:1] == "#":
                yield line
                run = []
        else:
            run.append(line)
    yield " ".join(run)


def _goes_on(plain: str, stop: re.Match[str]) -> bool:
    """Whether a stop ends no sentence: behind an initial, "Dr", or "3. Mai"."""
    head = plain[max(0, stop.start() - 12) : stop.start()].rpartition(" ")[2]
    if head.isdigit() and len(head) < 3:
        following = _WORD.match(plain, stop.end())
        return following is not None and fold(following[1]) in TIMES
    return len(head) == 1 or head.lower() in _ABBREVIATIONS
