"""The one hash function of this package, without what comes with `hashlib`."""

from __future__ import annotations

try:
    # `hashlib` loads OpenSSL before it hands out this very function: a fortieth of a
    # tag query.
    from _blake2 import blake2b
except ImportError:  # another Python than CPython
    from hashlib import blake2b

__all__ = ["blake2b"]
