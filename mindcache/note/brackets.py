"""Where wikilinks stand in a text; what is in them is `wikilinks`' to say.

Apart from that, because a search needs no more of a note's syntax than this.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["wikilink_spans"]


def wikilink_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where `[[` and `]]` of each wikilink stand, in order, each on one line."""
    last = 0
    close = text.find("]]")
    while close >= 0:
        start = text.rfind("[[", last, close)
        if start >= 0 and text.find("\n", start, close) < 0:
            yield start, close
        last = close + 2
        close = text.find("]]", last)
