"""Hits as text for a reader with little room: whole where they fit, else cut.

Owns how a hit reads when it stands by itself (place, date and heading in front, so
that no fact loses when and where it belongs) and how a budget of tokens is shared.
Pure: texts in, texts out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from mindcache.recall.answer import Budget, Hit, Linked
from mindcache.recall.around import Neighbours
from mindcache.text import analyze
from mindcache.text.cuts import is_inside_character
from mindcache.text.tokens import estimate

__all__ = ["Material", "pack"]

# Less of a text than this says nothing; its hit is rather left out.
_LEAST = 12
# The share of what is left that one hit may take while others wait behind it.
_SHARE = 0.5
# What a fence that was cut open takes to be closed again, at either end.
_FENCE_COST = 8

_CUT = "…"
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[^`]*$")
_SENTENCES = re.compile(r"(?<=[.!?…])[ \t]+|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class Material:
    """All that may be shown of one hit: its own text first, then what is around it.

    `terms` are index terms of the question; where the text has to be cut, the part
    that holds most of them stays.
    """

    text: str
    lang: str = ""
    terms: Collection[str] = ()
    around: Neighbours = field(default_factory=Neighbours)
    linked: tuple[Linked, ...] = ()


@dataclass(slots=True)
class _Part:
    """A hit on its way into the answer, and what its pieces take."""

    hit: Hit
    material: Material
    head: str
    fixed: int
    body: str | None = None  # None: no room for it
    size: int = 0
    before: str = ""
    after: str = ""
    links: tuple[Linked, ...] = ()

    def text(self) -> str:
        links = map(_link, self.links)
        inner = "\n\n".join(p for p in (self.before, self.body, self.after) if p)
        return "\n".join(part for part in (self.head, inner, *links) if part)


def pack(
    hits: Sequence[Hit], materials: Sequence[Material], tokens: int | None
) -> tuple[tuple[Hit, ...], Budget | None]:
    """The hits with their `text`, best first, and what became of the budget.

    The texts, one after the other with a blank line between, take no more than
    `tokens` by `text.tokens.estimate` (None: as many as they need). The hits' own
    texts come first; what is left goes to those that were cut, then to linked notes,
    then to what stands around. A hit without room is left out and a later, smaller
    one may still come in.
    """
    parts = []
    for hit, material in zip(hits, materials, strict=True):
        head = _head(hit)
        parts.append(_Part(hit, material, head, estimate(head)))
    sizes = [estimate(part.material.text) for part in parts]
    if tokens is None:
        for part in parts:
            part.body = part.material.text
            part.links = part.material.linked
            part.before = part.material.around.before
            part.after = part.material.around.after
        return tuple(_finished(part) for part in parts), None
    room = _share_out(parts, sizes, tokens)
    kept = [part for part in parts if part.body is not None]
    room = _add_links(kept, room)
    _add_around(kept, room)
    done = tuple(_finished(part) for part in kept)
    budget = Budget(
        tokens=tokens,
        used=sum(estimate(hit.text or "") for hit in done),
        left_out=tuple(part.hit.path for part in parts if part.body is None),
        cut=sum(p.body != p.material.text for p in kept),
        needed=sum(p.fixed for p in parts) + sum(sizes),
    )
    return done, budget


def _head(hit: Hit) -> str:
    """One line: the place to open, the date, and what the text is below of."""
    place = f"{hit.path}#{hit.anchor}" if hit.anchor else f"{hit.path}:{hit.lines[0]}"
    above = hit.heading.split(" > ")
    if above[0] == hit.title:  # a note that begins with its own name
        del above[0]
    topic = " ".join(" > ".join(p for p in (hit.title, *above) if p).split())
    alike = f"+{len(hit.alike)} alike" if hit.alike else ""
    # What holds no longer says so before anything else of it is read.
    parts = (_marked(hit.standing), place, hit.date, topic, alike)
    return f"[{' · '.join(p for p in parts if p)}]"


def _marked(standing: str) -> str:
    return f"({standing})" if standing else ""


def _link(link: Linked) -> str:
    arrow = "←" if link.is_back else "→"
    summary = f": {' '.join(link.summary.split())}" if link.summary else ""
    mark = f" {_marked(link.standing)}" if link.standing else ""
    return f"{arrow} {link.relation} {link.path}{mark}{summary}"


def _finished(part: _Part) -> Hit:
    return part.hit._replace(text=part.text(), linked=part.links)


# -- sharing ------------------------------------------------------------------


def _share_out(parts: Sequence[_Part], sizes: Sequence[int], room: int) -> int:
    """Give each hit its own text, or a part of it; what is left over, in tokens."""
    in_need = sum(sizes) + sum(part.fixed for part in parts) > room
    for at, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        wanted = part.fixed + size
        is_last = at + 1 == len(parts)
        most = room if is_last or not in_need else int(room * _SHARE)
        # A text that all but fits is not cut for the sake of a few tokens.
        granted = wanted if wanted <= most * 1.25 and wanted <= room else most
        least = min(size, _LEAST)
        if granted < part.fixed + least:
            granted = min(room, part.fixed + least)
        room -= _give(part, size, granted)
    for part, size in zip(parts, sizes, strict=True):
        if part.body != part.material.text:
            room += part.size
            room -= _give(part, size, room)
    return room


def _give(part: _Part, size: int, granted: int) -> int:
    """Fill a hit's text into what it is granted; what it takes of that."""
    room = granted - part.fixed
    if size <= room:
        part.body = part.material.text
    else:
        part.body = (room >= _LEAST and _cut(part.material, room)) or None
    part.size = 0 if part.body is None else part.fixed + estimate(part.body)
    return part.size


def _add_links(parts: Sequence[_Part], room: int) -> int:
    for part in parts:
        for link in part.material.linked:
            if (cost := estimate(_link(link))) <= room:
                part.links += (link,)
                room -= cost
    return room


def _add_around(parts: Sequence[_Part], room: int) -> None:
    for part in parts:
        if part.body != part.material.text:
            continue  # who has no room for the text has none for its neighbours
        around = part.material.around
        part.after = _lines_of(around.after, room)
        room -= estimate(part.after)
        part.before = _lines_of(around.before, room, from_end=True)
        room -= estimate(part.before)


def _lines_of(text: str, room: int, *, from_end: bool = False) -> str:
    """The whole lines nearest to the hit that fit."""
    lines = text.split("\n") if text else []
    if from_end:
        lines.reverse()
    kept: list[str] = []
    for line in lines:
        room -= estimate(line)
        if room < 0:
            break
        kept.append(line)
    if from_end:
        kept.reverse()
    shown = "\n".join(kept).strip("\n")
    # Half of a listing is worse than none.
    return shown if len(kept) == len(lines) or not _opens(kept) else ""


# -- cutting ------------------------------------------------------------------


def _cut(material: Material, room: int) -> str:
    """The part of a text that fits and holds most of what was asked.

    Cut at line ends; a line that is too long by itself at the ends of sentences,
    then of words, then between characters as a reader sees them. "…" stands where
    something is left out, and a fence that was cut is closed again.
    """
    lines = material.text.split("\n")
    reserve = 2 + (_FENCE_COST if any(map(_FENCE.match, lines)) else 0)
    span = _window(lines, room - reserve, material)
    if span is None:
        line = _richest(lines, material)
        return _cut_line(lines[line], room, material)
    first, last = span
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    shown = lines[first:last]
    if opening := _opens(lines[:first]):
        shown.insert(0, opening)
    if opening := _opens(shown):
        shown.append(opening)
    head = [_CUT] if first else []
    tail = [_CUT] if last < len(lines) else []
    return "\n".join((*head, *shown, *tail))


def _cut_line(line: str, room: int, material: Material) -> str:
    for pieces in ([p for p in _SENTENCES.split(line) if p], line.split(" ")):
        span = _window(pieces, room - 2, material)
        if span is not None:
            first, last = span
            head = f"{_CUT} " if first else ""
            tail = f" {_CUT}" if last < len(pieces) else ""
            glue = " " if " " in line else ""
            return head + glue.join(pieces[first:last]) + tail
    end = 0
    for stop in range(1, len(line) + 1):
        if stop < len(line) and is_inside_character(line, 0, stop):
            continue
        if estimate(line[:stop]) > room - 1:
            break
        end = stop
    return line[:end] + _CUT if end else ""


def _window(
    pieces: Sequence[str], room: int, material: Material
) -> tuple[int, int] | None:
    """The run of pieces that fits around the richest one; from the top if possible."""
    costs = [estimate(piece) for piece in pieces]
    best = _richest(pieces, material)
    if costs[best] > room:
        return None
    sums = [0, *accumulate(costs)]
    first = 0 if sums[best + 1] <= room else best
    last = best + 1
    while last < len(pieces) and sums[last + 1] - sums[first] <= room:
        last += 1
    while first > 0 and sums[last] - sums[first - 1] <= room:
        first -= 1
    return first, last


def _richest(pieces: Sequence[str], material: Material) -> int:
    wanted = frozenset(material.terms)
    found = [
        len(wanted.intersection(analyze(piece, material.lang))) if piece.strip() else -1
        for piece in pieces
    ]
    return max(range(len(pieces)), key=lambda at: (found[at], -at))


def _opens(lines: Sequence[str]) -> str:
    """The mark of the fence that is open after these lines, "" for none."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
    return fence
