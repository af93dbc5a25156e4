"""Writing memories: each verb decides, as a plain value, what the vault then writes."""

from __future__ import annotations

from mindcache.errors import Problem
from mindcache.vault import Vault

__all__ = ["unfinished"]


def unfinished(vault: Vault) -> list[Problem]:
    """What was begun in several steps and not ended, each as a problem."""
    from mindcache.write import merging, resuming

    return [*resuming.pending(vault), *merging.pending(vault)]
