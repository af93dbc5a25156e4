"""The folder of notes: scanning, reading and writing it.

Owns what counts as a note, the stamps by which a change is noticed, and every
byte that is written into a vault. It does not know the cache, and it parses
nothing but the small Obsidian settings files that it reads.

Paths are vault-relative with forward slashes, spelled as they are on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.vault.access import AccessLog, Uses
    from mindcache.vault.changes import (
        Change,
        Committed,
        Create,
        Move,
        MoveFolder,
        Replace,
        Trash,
        commit,
    )
    from mindcache.vault.folder import SCRATCH, TRASH, UNDO, Vault, template_folder
    from mindcache.vault.ledger import Entry, Ledger
    from mindcache.vault.names import Names
    from mindcache.vault.values import Obsidian, Scan, Stamp, content_hash
    from mindcache.vault.walk import unreadable

__all__ = [
    "SCRATCH",
    "TRASH",
    "UNDO",
    "AccessLog",
    "Change",
    "Committed",
    "Create",
    "Entry",
    "Ledger",
    "Move",
    "MoveFolder",
    "Names",
    "Obsidian",
    "Replace",
    "Scan",
    "Stamp",
    "Trash",
    "Uses",
    "Vault",
    "commit",
    "content_hash",
    "template_folder",
    "unreadable",
]

__getattr__ = exports(
    __name__,
    {
        "access": "AccessLog Uses",
        "changes": "Change Committed Create Move MoveFolder Replace Trash commit",
        "folder": "SCRATCH TRASH UNDO Vault template_folder",
        "ledger": "Entry Ledger",
        "names": "Names",
        "values": "Obsidian Scan Stamp content_hash",
        "walk": "unreadable",
    },
)
