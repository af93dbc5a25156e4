"""Importers: what lies elsewhere becomes notes, and stays in step with its source.

A source is read into plain values (`item`), from which a plan is made (`plan`) that
is shown or carried out (`run`). Each importer knows one kind of source and nothing of
the vault; `registry` finds them, those of other packages included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.importers.item import (
        Attachment,
        Context,
        Importer,
        Item,
        Left,
        Read,
        Source,
        Stranger,
    )
    from mindcache.importers.mentions import Entity, Known
    from mindcache.importers.registry import BUILT_IN, find, names
    from mindcache.importers.run import Report, run_import
    from mindcache.importers.wishes import Wishes

__all__ = [
    "BUILT_IN",
    "Attachment",
    "Context",
    "Entity",
    "Importer",
    "Item",
    "Known",
    "Left",
    "Read",
    "Report",
    "Source",
    "Stranger",
    "Wishes",
    "find",
    "names",
    "run_import",
]

__getattr__ = exports(
    __name__,
    {
        "item": "Attachment Context Importer Item Left Read Source Stranger",
        "mentions": "Entity Known",
        "registry": "BUILT_IN find names",
        "run": "Report run_import",
        "wishes": "Wishes",
    },
)
