"""Ids of ours: `m-` and a ULID, whose time is civil."""

from __future__ import annotations

from datetime import datetime, timedelta

from mindcache.hashing import blake2b

__all__ = ["RANDOM_BYTES", "derived_id", "drawn_id"]

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  civil time

# What a ULID holds beside its time.
RANDOM_BYTES = 10


def derived_id(when: datetime, kind: str, key: str) -> str:
    """An id of ours made from the time of the thing and a hash of what it is."""
    digest = blake2b(f"{kind}\n{key}".encode(), digest_size=RANDOM_BYTES)
    return drawn_id(when, digest.digest())


def drawn_id(when: datetime, chance: bytes) -> str:
    """An id of ours from a time and `RANDOM_BYTES` bytes that nobody else has."""
    millis = max(0, (when - _EPOCH) // timedelta(milliseconds=1))
    number = (millis & ((1 << 48) - 1)) << 80 | int.from_bytes(chance, "big")
    return "m-" + "".join(
        _CROCKFORD[(number >> shift) & 31] for shift in range(125, -5, -5)
    )
