"""`mindcache mcp`: the memory for agents, over the Model Context Protocol."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples
from mindcache.errors import MindcacheError

if TYPE_CHECKING:
    from mindcache.mcp.clients import Setup

__all__ = ["install", "mcp"]

# Of `mcp.clients`, which help has no need to load.
_CLIENTS = ("claude-code", "claude-desktop", "codex", "cursor", "gemini", "vscode",
            "windsurf", "zed")  # fmt: skip


@click.pass_context
def _mcp(context: click.Context) -> None:
    """Serve, unless a command of the group was named."""
    if context.invoked_subcommand is not None:
        return
    call = context.ensure_object(Call)
    if sys.stdin.isatty():
        output.remark(
            "mindcache: this speaks to programs; mindcache mcp install tells them of it"
        )
    from mindcache.mcp import server

    try:
        code = server.serve(call.vault, call.cache_dir, call.here)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_THE_SDK:
            raise
        raise MindcacheError(
            f"the MCP server needs the package {error.name}, which is not installed",
            mend="install Mindcache with its extra: pipx install '.[mcp]' in its clone",
        ) from error
    raise click.exceptions.Exit(code)


# What may be missing where the extra is.
_OF_THE_SDK = frozenset({"mcp", "mcp_types", "anyio", "pydantic", "starlette"})

mcp = Group(
    "mcp",
    {"install": Entry("mindcache.cli.mcp:install", "How programs are told of it.")},
    params=[],
    invoke_without_command=True,
    callback=_mcp,
    help="Serve the memory to agents, over stdin and stdout, until stdin ends.",
    epilog=examples("mindcache mcp --vault ~/notes", "mindcache mcp install"),
)


@command("mindcache mcp install", "mindcache mcp install --client cursor")
@click.option(
    "--client",
    "clients",
    type=click.Choice(_CLIENTS),
    multiple=True,
    help="This program only. Repeatable.",
)
def install(call: Call, clients: tuple[str, ...]) -> None:
    """Print the settings with which programs start the server for this vault.

    Nothing is written: each program's own command, or its file, takes them.
    """
    from mindcache.mcp.clients import CLIENTS, setup

    words = _words(call)
    found = [setup(client, words) for client in clients or CLIENTS]
    if call.json:
        from mindcache import wire

        shape = {"command": words, "clients": [asdict(each) for each in found]}
        output.print_json(wire.merged(shape))
        return
    if not _has_sdk():
        output.remark(
            "mindcache: the server can't run yet, its packages are not installed:"
            " pipx install '.[mcp]' in the clone"
        )
    for place, each in enumerate(found):
        if place:
            output.say()
        _print(each)


def _words(call: Call) -> list[str]:
    """The call that serves this very vault, from wherever a program starts it."""
    own = os.path.abspath(sys.argv[0])
    is_command = os.path.basename(own) == "mindcache" and os.access(own, os.X_OK)
    # Python looks for modules in no current folder: a vault may hold Python files.
    program = [own] if is_command else [sys.executable, "-P", "-m", "mindcache"]
    words = [*program, "mcp", "--vault", call.app.vault.root]
    if call.cache_dir:
        words += ["--cache-dir", os.path.abspath(call.cache_dir)]
    return words


def _has_sdk() -> bool:
    import importlib.util

    return importlib.util.find_spec("mcp") is not None


def _print(each: Setup) -> None:
    output.say(strong=each.title)
    if each.command:
        output.say(each.command)
        output.say(f"or in {each.file}:")
    else:
        also = f" ({each.elsewhere})" if each.elsewhere else ""
        output.say(f"In {each.file}{also}:")
    output.say(each.text.rstrip("\n"))
