"""Merging properties by key: what each should be after two sides changed them. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

from mindcache.merge.lines import Clash
from mindcache.note import Property, emit, same_value

__all__ = ["EARLIER", "LATER", "merged_properties"]

# Times that say when something was last or first so: no two answers, but one.
LATER = frozenset({"updated_at", "last_updated"})
EARLIER = frozenset({"created_at", "first_seen"})


class _Missing:
    """The value of a property that isn't there."""


_MISSING: Final = _Missing()
_Value = Property | _Missing


def merged_properties(
    base: Mapping[str, Property] | None,
    ours: Mapping[str, Property],
    theirs: Mapping[str, Property],
) -> tuple[dict[str, Property], list[Clash]]:
    """The properties that the note should have, in ours' order, then theirs'.

    Where both changed one to different things, ours stays and the clash has both.
    Without a base each side's own properties are kept.
    """
    wanted: dict[str, Property] = {}
    clashes: list[Clash] = []
    for key in {**ours, **theirs}:
        first = _MISSING if base is None else base.get(key, _MISSING)
        one, other = ours.get(key, _MISSING), theirs.get(key, _MISSING)
        if base is None and (isinstance(one, _Missing) or isinstance(other, _Missing)):
            value = other if isinstance(one, _Missing) else one
        elif _same(one, other) or _same(first, other):
            value = one
        elif _same(first, one):
            value = other
        else:
            value = _settled(key, first, one, other)
            if isinstance(value, _Missing):
                value = other if isinstance(one, _Missing) else one
                clashes.append(Clash(key, _written(key, one), _written(key, other)))
        if not isinstance(value, _Missing):
            wanted[key] = value
    return wanted, clashes


def _same(one: _Value, other: _Value) -> bool:
    if isinstance(one, _Missing) or isinstance(other, _Missing):
        return one is other
    return same_value(one, other)


def _settled(key: str, first: _Value, one: _Value, other: _Value) -> _Value:
    """What a property that both changed becomes; missing where that can't be said."""
    if isinstance(one, list) or isinstance(other, list):
        sides = [_as_list(side) for side in (first, one, other)]
        return _MISSING if None in sides else _sets(*(side or [] for side in sides))
    if isinstance(one, str) and isinstance(other, str):
        if key in LATER:
            return max(one, other)
        if key in EARLIER:
            return min(one, other)
    return _MISSING


def _as_list(value: _Value) -> list[Property] | None:
    """A value as a list of plain ones, None where it is none."""
    if value is None or isinstance(value, _Missing):
        return []
    values: list[Property] = value if isinstance(value, list) else [value]
    return None if any(isinstance(v, list | dict) for v in values) else values


def _sets(
    first: list[Property], one: list[Property], other: list[Property]
) -> list[Property]:
    """What both added, without what either took away, in ours' order."""
    was, mine, yours = ({_key(v) for v in side} for side in (first, one, other))
    gone = (was - mine) | (was - yours)
    kept: dict[str, Property] = {}
    for value in (*one, *other):
        if _key(value) not in gone:
            kept.setdefault(_key(value), value)
    return list(kept.values())


def _key(value: Property) -> str:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).casefold()
    return f"\0{value!r}"


def _written(key: str, value: _Value) -> str:
    """A property's own lines, "" for one that isn't there."""
    if isinstance(value, _Missing):
        return ""
    return (
        emit({key: value}, "", "\n")
        .removeprefix("---\n")
        .removesuffix("---\n")
        .rstrip("\n")
    )
