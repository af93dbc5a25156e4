"""Asking a vault through the real client and a real process, over stdio."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio

ROOT = Path(__file__).parents[1]
HANDSHAKES = ["legacy", "auto"]  # of programs before the revision of 2026, and since
T = TypeVar("T")


def words(vault: Path, *more: str) -> list[str]:
    return ["-m", "mindcache", "mcp", "--vault", str(vault), *more]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@asynccontextmanager
async def connected(vault: Path, mode: str, within: float) -> AsyncIterator[Any]:
    """A client whose server is `mindcache mcp` in a process of its own."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(
        command=sys.executable, args=words(vault), env=environment(), cwd=str(vault)
    )
    with anyio.fail_after(within):
        async with Client(stdio_client(server), mode=mode) as client:  # type: ignore[arg-type]
            yield client


def asked(
    vault: Path,
    questions: Callable[[Any], Awaitable[T]],
    mode: str = "auto",
    within: float = 120,
) -> T:
    """What a conversation with the server comes to; it ends after so many seconds."""

    async def talk() -> T:
        async with connected(vault, mode, within) as client:
            return await questions(client)

    return anyio.run(talk)


def text(result: Any) -> str:
    return "\n".join(each.text for each in result.content)
