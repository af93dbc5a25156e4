"""Merging two sequences of pieces, with what both began as or without. Pure.

A piece is a line, or a list item with what hangs below it. Owns which changes exclude
each other, and how both are kept then.
"""

from __future__ import annotations

import difflib
import heapq
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Clash", "Settled", "hunks", "keyed", "marked", "merged_lines"]

Pieces = Sequence[str]
# Comparing each piece with each: more than these are first cut at what is unique.
_FEW = 40_000


@dataclass(frozen=True, slots=True)
class Clash:
    """What both sides changed, each in another way; both are kept.

    `what` is "lines", "file", or a property's name; `ours` and `theirs` are as written.
    """

    what: str
    ours: str
    theirs: str


# What begins an item of a list, and is no word of it.
_MARKS = frozenset({"-", "*", "+", "[", "]", "[x]", "#", "##", "###", ">"})
# Words from which on two lines can be told from two wordings of one.
_TELLING = 3


class Hunk(NamedTuple):
    """What stands in place of `a[a0:a1]`: `b[b0:b1]`."""

    a0: int
    a1: int
    b0: int
    b1: int


# What becomes of one place: (base, ours, theirs), None where it can't be said.
Settled = Callable[[Pieces, Pieces, Pieces], "list[str] | None"]


def merged_lines(
    base: Pieces | None,
    ours: Pieces,
    theirs: Pieces,
    labels: tuple[str, str],
    settle: Settled | None = None,
) -> tuple[list[str], list[Clash]]:
    """Both sides in one, and the places where git's markers part them.

    Without a base, what both have stands there once, and what only one has stands
    there too. `settle` is asked first about a place that both changed in different ways.
    """
    result: list[str] = []
    clashes: list[Clash] = []
    places = (
        _two_ways(ours, theirs) if base is None else _three_ways(base, ours, theirs)
    )
    for place in places:
        first, one, other = place.base, place.ours, place.theirs
        found = _plainly(first, one, other)
        if found is None and settle is not None:
            found = settle(first, one, other)
        if found is None:
            found = _settled(place, is_known=base is not None)
        if found is None:
            clashes.append(Clash("lines", "\n".join(one), "\n".join(other)))
            found = marked(one, other, labels)
        result += found
    return result, clashes


def marked(ours: Pieces, theirs: Pieces, labels: tuple[str, str]) -> list[str]:
    """Both, between git's markers."""
    head, tail = f"<<<<<<< {labels[0]}", f">>>>>>> {labels[1]}"
    return [head, *ours, "=======", *theirs, tail]


class _Place(NamedTuple):
    """A part of the base, and what it became; `new` is what each side put there."""

    base: Pieces
    ours: Pieces
    theirs: Pieces
    new: tuple[Pieces, Pieces] = ((), ())


def _same(pieces: Pieces) -> _Place:
    return _Place(pieces, pieces, pieces)


def _two_ways(ours: Pieces, theirs: Pieces) -> Iterator[_Place]:
    # What differs depends on which is looked at first: that must not be who asks.
    is_turned = list(ours) > list(theirs)
    one, other = (theirs, ours) if is_turned else (ours, theirs)
    at = 0
    for a0, a1, b0, b1 in hunks(one, other):
        yield _same(one[at:a0])
        mine, yours = one[a0:a1], other[b0:b1]
        if is_turned:
            mine, yours = yours, mine
        yield _Place((), mine, yours, (mine, yours))
        at = a1
    yield _same(one[at:])


def _three_ways(base: Pieces, ours: Pieces, theirs: Pieces) -> Iterator[_Place]:
    """The base cut into places that none, one or both sides changed."""
    left, right = hunks(base, ours), hunks(base, theirs)
    sides = (_news(left, ours, right, theirs), _news(right, theirs, left, ours))
    at = 0
    for low, high, mine, yours in _groups(*sides):
        yield _same(base[at:low])
        first = base[low:high]
        yield _Place(
            first,
            _part(ours, mine, low, high) if mine else first,
            _part(theirs, yours, low, high) if yours else first,
            (_put(ours, mine), _put(theirs, yours)),
        )
        at = high
    yield _same(base[at:])


def _news(
    found: list[Hunk], mine: Pieces, others: list[Hunk], yours: Pieces
) -> list[Hunk]:
    """Without what was put beside a place where the other side has it already."""
    begins = {hunk.a0: list(yours[hunk.b0 : hunk.b1]) for hunk in others}
    ends = {hunk.a1: begins[hunk.a0] for hunk in others if hunk.a0 < hunk.a1}
    begins = {hunk.a0: begins[hunk.a0] for hunk in others if hunk.a0 < hunk.a1}
    kept = []
    for hunk in found:
        new = list(mine[hunk.b0 : hunk.b1])
        after, before = begins.get(hunk.a0, []), ends.get(hunk.a0, [])
        is_there = new in (after[: len(new)], before[len(before) - len(new) :])
        if hunk.a0 < hunk.a1 or not is_there:
            kept.append(hunk)
    return kept


def _put(pieces: Pieces, found: Sequence[Hunk]) -> list[str]:
    return [piece for hunk in found for piece in pieces[hunk.b0 : hunk.b1]]


def _part(pieces: Pieces, found: Sequence[Hunk], low: int, high: int) -> Pieces:
    begin = found[0].b0 - (found[0].a0 - low)
    return pieces[begin : found[-1].b1 + (high - found[-1].a1)]


_Group = tuple[int, int, list[Hunk], list[Hunk]]


def _groups(left: list[Hunk], right: list[Hunk]) -> Iterator[_Group]:
    """Changes of both sides, those that reach into each other together."""
    rest = (left[::-1], right[::-1])
    while rest[0] or rest[1]:
        side = min((s for s in (0, 1) if rest[s]), key=lambda s: rest[s][-1][:2])
        first = rest[side].pop()
        low, high = first.a0, first.a1
        found: tuple[list[Hunk], list[Hunk]] = ([], [])
        found[side].append(first)
        while True:
            for each in (0, 1):
                if rest[each] and _meet(rest[each][-1], low, high):
                    more = rest[each].pop()
                    low, high = min(low, more.a0), max(high, more.a1)
                    found[each].append(more)
                    break
            else:
                break
        yield low, high, *found


def _meet(hunk: Hunk, low: int, high: int) -> bool:
    if low == high == hunk.a0 == hunk.a1:
        return True
    return hunk.a0 < high and low < hunk.a1


# -- one place ------------------------------------------------------------------------


def _plainly(base: Pieces, ours: Pieces, theirs: Pieces) -> list[str] | None:
    """What a place is that only one side changed, or both alike."""
    if list(ours) == list(theirs) or list(theirs) == list(base):
        return list(ours)
    return list(theirs) if list(ours) == list(base) else None


def _settled(place: _Place, *, is_known: bool) -> list[str] | None:
    """One place that both changed, None where they exclude each other."""
    base, ours, theirs, (mine, yours) = place
    if _says(base) and not (_says(ours) and _says(theirs)):
        return None  # gone here, changed there
    if _holds(ours, yours) and not (is_known and _took_out(theirs, base, ours)):
        return list(ours)
    if _holds(theirs, mine) and not (is_known and _took_out(ours, base, theirs)):
        return list(theirs)
    if is_known:
        if base:
            return None
        pairs = _longer(ours, theirs) if len(ours) * len(theirs) <= _FEW else []
        goes_on = any(ours[i] != theirs[j] for i, j in pairs)
        found = _woven(ours, theirs, both=True) if goes_on else None
        return found or _both(ours, theirs)
    return _woven(ours, theirs)


def _woven(one: Pieces, other: Pieces, *, both: bool = False) -> list[str] | None:
    """Both of two texts of which no earlier one is known, where some lines go on.

    None where a line of one may be what became of a line of the other, unless it is
    known that `both` were put there anew.
    """
    if len(one) * len(other) > _FEW:
        return None
    result: list[str] = []
    a = b = 0
    for i, j in [*_longer(one, other), (len(one), len(other))]:
        mine, yours = sorted((list(one[a:i]), list(other[b:j])))
        if not both and any(_may_be(line, each) for line in mine for each in yours):
            return None
        result += [*mine, *yours]
        if i < len(one):
            result.append(max(one[i], other[j], key=len))
        a, b = i + 1, j + 1
    return result


def _longer(one: Pieces, other: Pieces) -> list[tuple[int, int]]:
    """The lines of both that are the same but for words at the end of one."""
    size = len(other) + 1
    best = [[0] * size for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            pair = best[i + 1][j + 1] + 1 if _goes_on(one[i], other[j]) else 0
            best[i][j] = max(pair, best[i + 1][j], best[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(one) and j < len(other):
        if _goes_on(one[i], other[j]) and best[i][j] == best[i + 1][j + 1] + 1:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _may_be(one: str, other: str) -> bool:
    """Whether two lines may be one that was worded anew: too short to say, or alike."""
    words, others = (
        {w for w in line.split() if w not in _MARKS} for line in (one, other)
    )
    fewer = min(len(words), len(others))
    return fewer < _TELLING or len(words & others) * 2 >= fewer


def _goes_on(one: str, other: str) -> bool:
    """Whether one line is the other with more words behind it."""
    less, more = sorted((one, other), key=len)
    if one == other or not more.startswith(less):
        return one == other
    return len(less.split()) > 2 and more[len(less)] == " "


def _says(pieces: Pieces) -> bool:
    return any(piece.strip() for piece in pieces)


def _holds(more: Pieces, less: Pieces) -> bool:
    """Whether one has all of the other, in its order."""
    rest = iter(more)
    return all(piece in rest for piece in less)


def _took_out(side: Pieces, base: Pieces, other: Pieces) -> bool:
    """Whether a side has taken out of the base what the other still has."""
    return any(piece in other and piece not in side for piece in base if piece.strip())


def _both(one: Pieces, other: Pieces) -> list[str]:
    """Two texts that were put at one place: in an order that no side decides."""
    if not {line for line in one if line.strip()} & set(other):
        first, second = sorted((list(one), list(other)))
        return first + second
    result: list[str] = []
    at = 0
    first, second = sorted((list(one), list(other)))
    for a0, a1, b0, b1 in hunks(first, second):
        result += [*first[at:a0], *first[a0:a1], *second[b0:b1]]
        at = a1
    return result + first[at:]


def keyed(
    key: Callable[[str], str], order: Callable[[str], tuple[str, ...]]
) -> Settled:
    """A way to settle places where every piece has a key ("" for none).

    Each piece is merged by itself; what both have stands there once.
    """

    def settle(base: Pieces, ours: Pieces, theirs: Pieces) -> list[str] | None:
        sides = [_by_key(side, key) for side in (base, ours, theirs)]
        first, one, other = sides
        if first is None or one is None or other is None:
            return None
        kept: dict[str, str] = {}
        for name in {**one, **other}:
            mine, yours, was = one.get(name), other.get(name), first.get(name)
            if mine != yours and was not in (mine, yours):
                return None
            found = mine if yours in (was, mine) else yours
            if found is not None:
                kept[name] = found
        ranks = ([kept[n] for n in side if n in kept] for side in (one, other))
        return list(dict.fromkeys(heapq.merge(*ranks, key=order)))

    return settle


def _by_key(pieces: Pieces, key: Callable[[str], str]) -> dict[str, str] | None:
    found = {key(piece): piece for piece in pieces}
    return None if "" in found or len(found) < len(pieces) else found


# -- differences ----------------------------------------------------------------------


def hunks(a: Pieces, b: Pieces) -> list[Hunk]:
    """The differences of two sequences, from the first to the last."""
    found: list[Hunk] = []
    pending = [Hunk(0, len(a), 0, len(b))]
    while pending:
        hunk = _trimmed(a, b, pending.pop())
        a0, a1, b0, b1 = hunk
        if a0 == a1 or b0 == b1:
            found += [hunk] if a0 < a1 or b0 < b1 else []
        elif (a1 - a0) * (b1 - b0) <= _FEW:
            found += _small(a, b, hunk)
        else:
            pending += _between(a, b, hunk, found)
    return sorted(found)


def _trimmed(a: Pieces, b: Pieces, hunk: Hunk) -> Hunk:
    """Without what both have in front and at the end."""
    a0, a1, b0, b1 = hunk
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    return Hunk(a0, a1, b0, b1)


def _small(a: Pieces, b: Pieces, hunk: Hunk) -> Iterator[Hunk]:
    a0, a1, b0, b1 = hunk
    matcher = difflib.SequenceMatcher(None, a[a0:a1], b[b0:b1], autojunk=False)
    for tag, i0, i1, j0, j1 in matcher.get_opcodes():
        if tag != "equal":
            yield Hunk(a0 + i0, a0 + i1, b0 + j0, b0 + j1)


def _between(a: Pieces, b: Pieces, hunk: Hunk, found: list[Hunk]) -> list[Hunk]:
    """What lies between the pieces that stand once in each and in one order.

    Without any, all of it differs, and is added to `found`.
    """
    a0, a1, b0, b1 = hunk
    here, there = _once(a, a0, a1), _once(b, b0, b1)
    pairs = sorted((i, there[piece]) for piece, i in here.items() if piece in there)
    anchors = _rising(pairs)
    if not anchors:
        found.append(hunk)
        return []
    parts: list[Hunk] = []
    for i, j in anchors:
        parts.append(Hunk(a0, i, b0, j))
        a0, b0 = i + 1, j + 1
    return [*parts, Hunk(a0, a1, b0, b1)]


def _once(pieces: Pieces, low: int, high: int) -> dict[str, int]:
    places: dict[str, int] = {}
    for at in range(low, high):
        places[pieces[at]] = -1 if pieces[at] in places else at
    return {piece: at for piece, at in places.items() if at >= 0}


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs in which both numbers rise."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before.append(last[at - 1] if at else -1)
        if at == len(ends):
            ends.append(j)
            last.append(number)
        else:
            ends[at], last[at] = j, number
    result: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        result.append(pairs[at])
        at = before[at]
    return result[::-1]
