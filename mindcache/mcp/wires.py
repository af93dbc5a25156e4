"""Stdin and stdout, for the protocol alone; waiting on either keeps nobody from ending."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator

__all__ = ["In", "Out", "take_wires"]


class In:
    """The lines that come in; waiting for one keeps nobody from ending.

    The SDK's own reader can't be interrupted, so that a signal would end nothing
    before the next line.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def __aiter__(self) -> AsyncIterator[str]:
        import anyio.to_thread

        parts: list[bytes] = []
        while True:
            data = await anyio.to_thread.run_sync(
                os.read, self._descriptor, 1 << 16, abandon_on_cancel=True
            )
            *lines, rest = data.split(b"\n")
            for line in lines:
                parts.append(line)
                whole = b"".join(parts)
                parts = []
                if whole.strip():
                    yield whole.decode("utf-8", "replace")
            if rest:
                parts.append(rest)
            if not data:
                return


class Out:
    """Where answers go; a reader that doesn't read keeps nobody from ending."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def write(self, text: str) -> None:
        """Write the whole of it."""
        import anyio.to_thread

        data = text.encode("utf-8", "backslashreplace")
        await anyio.to_thread.run_sync(self._write, data, abandon_on_cancel=True)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    async def flush(self) -> None:
        """Nothing is kept back."""


def take_wires() -> tuple[int, int]:
    """Two descriptors that only the protocol has: to read from and to write to.

    What else reads finds an end, what else prints goes to stderr.
    """
    sys.stdout.flush()
    read, written = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return read, written
