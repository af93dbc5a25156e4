"""`mindcache completion`: the script that makes a shell complete our words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from mindcache.cli.call import Call
from mindcache.cli.shape import command

__all__ = ["completion"]


@command("mindcache completion zsh > ~/.zfunc/_mindcache", has_json=False)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(call: Call, shell: str) -> None:
    """Print the completion script for SHELL; evaluate or source it there."""
    from mindcache.cli.root import root

    del call
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"No completion for {shell}.")
    click.echo(kind(root, {}, "mindcache", "_MINDCACHE_COMPLETE").source())
