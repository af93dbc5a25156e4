"""What two texts are to each other: the same, a contradiction, or neither. Pure.

The one judge of duplicates, wherever a text must not come twice (`verdict`), and of
what speaks against each other (`contradiction`). A cold start loads what it asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.alike.attributes import ME, THIS, Slot, clash, slots_of, subject_key
    from mindcache.alike.contradiction import Conflict, Told, find_conflict
    from mindcache.alike.early import CLOSE, NEAR, Surface, may_be_alike
    from mindcache.alike.equal import Normal, normal_of
    from mindcache.alike.reading import Wording
    from mindcache.alike.twins import Twin, same_name, twin
    from mindcache.alike.verdict import Kind, More, Verdict, judge

__all__ = [
    "CLOSE",
    "ME",
    "NEAR",
    "THIS",
    "Conflict",
    "Kind",
    "More",
    "Normal",
    "Slot",
    "Surface",
    "Told",
    "Twin",
    "Verdict",
    "Wording",
    "clash",
    "find_conflict",
    "judge",
    "may_be_alike",
    "normal_of",
    "same_name",
    "slots_of",
    "subject_key",
    "twin",
]

__getattr__ = exports(
    __name__,
    {
        "attributes": "ME THIS Slot clash slots_of subject_key",
        "contradiction": "Conflict Told find_conflict",
        "early": "CLOSE NEAR Surface may_be_alike",
        "equal": "Normal normal_of",
        "reading": "Wording",
        "twins": "Twin same_name twin",
        "verdict": "Kind More Verdict judge",
    },
)
