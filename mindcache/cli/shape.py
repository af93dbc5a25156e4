"""What all commands have in common: shared options, an example, lazy import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from mindcache.cli.call import Call

__all__ = ["Command", "Entry", "Group", "command", "examples", "json_option"]


class Entry(NamedTuple):
    """Where a command lives ("module:attribute") and its line in the list.

    Without a line it is no command for people, and isn't listed.
    """

    target: str
    short: str


def _store(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """A callback that keeps an option's value for whichever command runs."""

    def keep(context: click.Context, _: click.Parameter, value: Any) -> None:  # noqa: ANN401  click's own type
        call = context.ensure_object(Call)
        if isinstance(value, str) and not value.strip():
            option = "--" + name.replace("_", "-")
            raise click.UsageError(f"{option} names no folder.", context)
        if value:
            setattr(call, name, value)

    return keep


def _shared() -> list[click.Parameter]:
    """The options that are accepted before a command and after it."""
    return [
        click.Option(
            ["--vault", "vault_folder"],
            metavar="DIR",
            expose_value=False,
            callback=_store("vault"),
            help="The vault that is meant; inside one it needn't be named.",
        ),
        click.Option(
            ["--cache-dir", "cache_folder"],
            metavar="DIR",
            expose_value=False,
            callback=_store("cache_dir"),
            help="The folder for caches, instead of the system's own.",
        ),
    ]


def json_option() -> click.Option:
    """The option `--json`, for a group that answers by itself."""
    return click.Option(
        ["--json", "json_wanted"],
        is_flag=True,
        expose_value=False,
        callback=_store("json"),
        help="Answer as JSON.",
    )


def examples(*lines: str) -> str:
    """The end of a help page: calls that work as they stand."""
    head = "Example:" if len(lines) == 1 else "Examples:"
    return "\n".join(["\b", head, *(f"  {line}" for line in lines)])


class Command(click.Command):
    """A command with the shared options, and `--json` unless it has no use."""

    def __init__(self, *args: Any, has_json: bool = True, **attributes: Any) -> None:  # noqa: ANN401  click's own
        super().__init__(*args, **attributes)
        if has_json:
            self.params.append(json_option())
        self.params += _shared()


def command(
    *example: str, has_json: bool = True
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function a command; it gets the `Call` first, then its options."""

    def decorate(function: Callable[..., None]) -> click.Command:
        make = click.command(cls=Command, epilog=examples(*example), has_json=has_json)
        return make(click.pass_obj(function))

    return decorate


class Group(click.Group):
    """A group that imports none of its commands but the one that is called."""

    def __init__(
        self,
        name: str,
        entries: Mapping[str, Entry],
        params: list[click.Parameter] | None = None,
        **attributes: Any,  # noqa: ANN401  click's own
    ) -> None:
        super().__init__(name, params=[*(params or []), *_shared()], **attributes)
        self.entries = dict(entries)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which a person meets them."""
        del ctx
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of this name."""
        del ctx
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        found: click.Command = getattr(import_module(module), attribute)
        found.short_help = entry.short
        return found

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands by their entries, importing none."""
        del ctx
        with formatter.section("Commands"):
            listed = [(n, e.short) for n, e in self.entries.items() if e.short]
            formatter.write_dl(listed)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was nearly named."""
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], list(self.entries), n=2)
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)
