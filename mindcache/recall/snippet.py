"""The few words of a chunk that show best why it was found.

Owns which sentences are shown and where they are cut; what Markdown reads like
without its marks is decided in `plain`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mindcache.lazy import regex
from mindcache.plain import plain_text
from mindcache.text import analyze

__all__ = ["snippet"]

# About two lines of a terminal: enough to judge a hit, little enough to skim ten.
LENGTH = 220

# A chunk may be one huge table or listing; its words are looked for this far in.
_READ = 20_000

_SENTENCES = regex(r"(?<=[.!?…])[ \t]+|(?<=[。！？])")
_FENCE = regex(r"[ \t>]*(`{3,}|~{3,})")


def snippet(text: str, terms: Collection[str], lang: str) -> str:
    """At most 220 characters of plain text: the sentences richest in the terms.

    `terms` are index terms of the query. Without any in the text it is the
    beginning. Cut at words, with "…" where something is left out.
    """
    pieces = list(_pieces(text[:_READ]))
    if not pieces:
        return ""
    wanted = frozenset(terms)
    found = [wanted.intersection(analyze(piece, lang)) for piece in pieces]
    best = max(range(len(pieces)), key=lambda i: (len(found[i]), -i))
    shown = pieces[best]
    last = best
    while last + 1 < len(pieces) and len(shown) + len(pieces[last + 1]) < LENGTH:
        last += 1
        shown += " " + pieces[last]
    first = best
    while first > 0 and len(shown) + len(pieces[first - 1]) < LENGTH:
        first -= 1
        shown = pieces[first] + " " + shown
    if len(shown) > LENGTH:
        return _cut(shown, found[best], lang)
    return ("… " if first else "") + shown + (" …" if last + 1 < len(pieces) else "")


def _pieces(text: str) -> Iterator[str]:
    """Sentences, and lines of code without their fences; nothing that is blank."""
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif fence:
            if code := " ".join(line.split()):
                yield code
        else:
            for sentence in _SENTENCES.split(line):
                if plain := plain_text(sentence):
                    yield plain


def _cut(sentence: str, held: frozenset[str], lang: str) -> str:
    """A window of a long sentence that begins a little before the first match.

    `held` are the terms that are in it.
    """
    words = sentence.split(" ")
    if len(words) < 3:
        return sentence[: LENGTH - 1] + "…"
    hits = (
        i for i, word in enumerate(words) if not held.isdisjoint(analyze(word, lang))
    )
    first = max(0, next(hits, 0) - 8) if held else 0
    shown: list[str] = []
    size = 0
    for word in words[first:]:
        if shown and size + len(word) > LENGTH:
            break
        shown.append(word[:LENGTH])
        size += len(word) + 1
    tail = " …" if first + len(shown) < len(words) else ""
    return ("… " if first else "") + " ".join(shown) + tail
