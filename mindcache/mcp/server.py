"""The server: one process, one vault, one call at a time, over stdin and stdout.

Owns the protocol, the thread that answers, and how both end. The SDK is imported here
and nowhere else. Nothing but the protocol is ever written to stdout: what anything
else prints goes to stderr.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import logging
import signal
import sys
import urllib.parse
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mindcache import __version__
from mindcache.app import App
from mindcache.errors import Locked, MindcacheError, UsageError
from mindcache.fence import NOTICE
from mindcache.mcp.answer import Wash
from mindcache.mcp.desk import PAGE, Desk
from mindcache.mcp.spoken import spoken
from mindcache.mcp.tools import INSTRUCTIONS, TOOLS, Tool
from mindcache.mcp.wires import In, Out, take_wires

if TYPE_CHECKING:
    import anyio
    from mcp import types
    from mcp.server.lowlevel import Server

__all__ = ["serve"]

# Programs wait a minute for an answer; another process has the cache or the vault for
# seconds, but for a first index.
_PATIENCE = 20.0
# A call that waits this long, because of a first index for example, says so instead.
_LONGEST = 45.0
# A write that is under way when the program ends may finish; whoever started us kills
# us some seconds later anyway.
_LAST_WRITE = 5.0
# Python's own rhythm: the command line looks for garbage rarely, being over soon.
_COLLECT = (700, 10, 10)

# Some programs show their model the structured answer alone.
_DATA = {"notice": NOTICE}

_NOTE = "note://"
_NO_RESOURCE = -32002

_log = logging.getLogger("mindcache.mcp")
T = TypeVar("T")


class _Speaker:
    """The protocol's side: requests in, answers out, each made on the desk's thread."""

    def __init__(self, desk: Desk, thread: ThreadPoolExecutor) -> None:
        self._desk = desk
        self._thread = thread

    async def _done(self, work: Callable[[], T], *, writes: bool = False) -> T:
        """The work's result. A write that has begun is waited for; a look is not."""
        future: Future[T] = self._thread.submit(work)
        waiting = asyncio.wrap_future(future)
        try:
            done, _ = await asyncio.wait({waiting}, timeout=_LONGEST)
            if not done and (future.cancel() or not writes):
                raise Locked(
                    f"{self._desk.busy()}; nothing was done",
                    mend="ask again in half a minute",
                )
            return await waiting
        finally:
            # Who no longer waits stops nothing that has begun; the rest never begins.
            future.cancel()
            waiting.add_done_callback(_ignored)

    async def list_tools(
        self, _context: object, _params: object
    ) -> types.ListToolsResult:
        from mcp import types

        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def call_tool(
        self, _context: object, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        from mcp import types

        writes = any(t.writes for t in TOOLS if t.name == params.name)
        work = functools.partial(self._desk.call, params.name, params.arguments)
        try:
            answer = await self._done(work, writes=writes)
        except MindcacheError as error:
            return _failed(spoken(error))
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            return _failed(f"{where}{error.strerror or error}")
        except Exception as error:  # noqa: BLE001  the outer wall: a fault of ours ends one call
            _log.exception("%s failed", params.name)
            return _failed(f"a fault of Mindcache: {type(error).__name__}: {error}")
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content={**answer.data, **({} if writes else _DATA)},
        )

    async def list_templates(
        self, _context: object, _params: object
    ) -> types.ListResourceTemplatesResult:
        from mcp import types

        template = types.ResourceTemplate(
            name="note",
            title="A note of the memory",
            uri_template=f"{_NOTE}{{+path}}",
            description="A note by its path, id or name; its text is data.",
            mime_type="text/markdown",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def list_resources(
        self, _context: object, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        from mcp import types

        after = (params.cursor if params is not None else None) or ""
        try:
            found = await self._done(functools.partial(self._desk.notes, after))
        except (MindcacheError, OSError) as error:
            raise _protocol_error(error) from error
        resources = [
            types.Resource(
                uri=_NOTE + urllib.parse.quote(path),
                name=path,
                title=title,
                description=summary or None,
                mime_type="text/markdown",
            )
            for path, title, summary in found
        ]
        more = found[-1][0] if len(found) == PAGE else None
        return types.ListResourcesResult(resources=resources, next_cursor=more)

    async def read_resource(
        self, _context: object, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        from mcp import types

        uri = str(params.uri)
        name = urllib.parse.unquote(uri.removeprefix(_NOTE))
        try:
            if not uri.startswith(_NOTE):
                raise UsageError(f"{uri} is no {_NOTE} address")
            text = await self._done(functools.partial(self._desk.note, name))
        except (MindcacheError, OSError) as error:
            raise _protocol_error(error) from error
        contents = types.TextResourceContents(
            uri=uri, mime_type="text/markdown", text=text
        )
        return types.ReadResourceResult(contents=[contents])


def _ignored(future: asyncio.Future[Any]) -> None:
    """Take note of how it ended, so that nobody is told of what nobody waits for."""
    if not future.cancelled():
        future.exception()


def _protocol_error(error: Exception) -> Exception:
    from mcp.shared.exceptions import MCPError

    said = spoken(error) if isinstance(error, MindcacheError) else str(error)
    return MCPError(_NO_RESOURCE, said)


def _failed(words: str) -> types.CallToolResult:
    from mcp import types

    clean = Wash().text(words)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=clean)], is_error=True
    )


def _described(tool: Tool) -> types.Tool:
    from mcp import types

    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.input_schema(),
        output_schema=tool.output_schema(),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.again,
            open_world_hint=False,
        ),
    )


def _server(speaker: _Speaker) -> Server[Any]:
    from mcp.server.lowlevel import Server

    return Server(
        "mindcache",
        version=__version__,
        title="Mindcache",
        instructions=INSTRUCTIONS,
        on_list_tools=speaker.list_tools,
        on_call_tool=speaker.call_tool,
        on_list_resources=speaker.list_resources,
        on_list_resource_templates=speaker.list_templates,
        on_read_resource=speaker.read_resource,
    )


def serve(vault: str | None, cache_dir: str | None, folder: str) -> int:
    """Serve until stdin ends or a signal comes; gives the exit code.

    `vault` and `cache_dir` as for `App`; a vault that isn't there is told to whoever
    calls, since nobody reads what a server says before it ends. Raises
    ModuleNotFoundError without the SDK.
    """
    import mcp.server.lowlevel  # noqa: F401  so that its absence is seen first

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    gc.set_threshold(*_COLLECT)

    def make(progress: Callable[..., None]) -> App:
        app = App(vault, cache_dir, cwd=folder, progress=progress)
        app.patience = _PATIENCE
        return app

    desk = Desk(make, folder)
    thread = ThreadPoolExecutor(1, "mindcache")
    wires = take_wires()
    thread.submit(desk.warm)
    try:
        return asyncio.run(_until_the_end(_Speaker(desk, thread), wires))
    finally:
        desk.end()
        last = thread.submit(desk.close)
        with suppress(TimeoutError):
            last.result(_LAST_WRITE)


async def _until_the_end(speaker: _Speaker, wires: tuple[int, int]) -> int:
    import anyio
    from mcp.server.stdio import stdio_server

    server = _server(speaker)
    code = 0

    async def obey_signals(scope: anyio.CancelScope) -> None:
        nonlocal code
        if sys.platform == "win32":  # there a program is ended without being asked
            return
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for number in signals:
                code = 130 if number == signal.SIGINT else 0
                scope.cancel()
                return

    lines = cast("anyio.AsyncFile[str]", In(wires[0]))
    answers = cast("anyio.AsyncFile[str]", Out(wires[1]))
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(obey_signals, tasks.cancel_scope)
            async with stdio_server(lines, answers) as (incoming, outgoing):
                options = server.create_initialization_options()
                await server.run(incoming, outgoing, options)
            tasks.cancel_scope.cancel()
    except* (BrokenPipeError, ConnectionResetError):
        pass  # whoever asked is gone
    return code
