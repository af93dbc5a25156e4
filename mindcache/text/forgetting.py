"""Which words a process that lives on still knows once a vault is indexed.

What is known of words makes a whole index quick, and takes tens of megabytes. Terms and
traits are the same without it.
"""

from __future__ import annotations

import sys

__all__ = ["forget_words"]

# Of each kind; half a megabyte. A note has 100 words that are new to it, and to analyse
# those anew takes a millisecond.
_KEPT = 1 << 11


def forget_words() -> None:
    """Let go of the words of a whole vault; a few notes' stay known. Loads nothing."""
    for name in ("analyzer", "traits"):
        module = sys.modules.get(f"mindcache.text.{name}")
        if module is not None:
            module.forget_words(_KEPT)
