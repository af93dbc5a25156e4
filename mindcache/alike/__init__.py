"""What two texts are to each other: the same, a contradiction, or neither. Pure.

The one judge of duplicates, wherever a text must not come twice (`verdict`), and of
what speaks against each other (`contradiction`). A cold start loads what it asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.alike.early import CLOSE, NEAR, may_be_alike
    from mindcache.alike.reading import Wording
    from mindcache.alike.twins import Twin, same_name, twin
    from mindcache.alike.verdict import Kind, More, Verdict, judge

__all__ = [
    "CLOSE",
    "NEAR",
    "Kind",
    "More",
    "Twin",
    "Verdict",
    "Wording",
    "judge",
    "may_be_alike",
    "same_name",
    "twin",
]

__getattr__ = exports(
    __name__,
    {
        "early": "CLOSE NEAR may_be_alike",
        "reading": "Wording",
        "twins": "Twin same_name twin",
        "verdict": "Kind More Verdict judge",
    },
)
