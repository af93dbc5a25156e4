"""`mindcache config`: every setting, its value, and where it came from."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.config import Settings, Value

__all__ = ["config"]


@command("mindcache config", "mindcache config timezone")
@click.argument("key", default="")
def config(call: Call, key: str) -> None:
    """Show each setting with its value and where it comes from, or that of KEY.

    Settings of the vault are in its .mindcache/config.toml, those of this machine
    in its own config.toml, which MINDCACHE_CONFIG_DIR can place elsewhere. Ends with 1
    when a time is none.
    """
    from mindcache.config import SETTINGS

    settings, vault = _load(call)
    if key.strip():
        _print_one(call, settings, key.strip())
        return
    if call.json:
        from mindcache import wire

        rows = [
            {
                "key": setting.key,
                "value": settings.values[setting.key],
                "origin": settings.origins[setting.key],
                "default": setting.default,
                "scope": setting.scope,
                "variable": setting.variable,
                "help": setting.help,
            }
            for setting in SETTINGS
        ]
        problems = wire.problems(settings.problems)
        shape = {"vault": vault or "", "settings": rows, "problems": problems}
        output.print_json(wire.merged(shape))
        _fail_over(settings.faults)
        return
    for setting in SETTINGS:
        value = _shown(settings.values[setting.key])
        origin = settings.origins[setting.key]
        output.say(
            f" = {output.single(value)}  ({output.single(origin)})", strong=setting.key
        )
        output.say(f"    {setting.help}")
    for problem in settings.problems:
        output.remark(f"mindcache: {output.problem_text(problem)}")
    if vault is None:
        output.remark("mindcache: no vault here, so only this machine's settings count")
    _fail_over(settings.faults)


def _fail_over(faults: Collection[object]) -> None:
    """End with 1 where a value can't be used for what it is for."""
    if faults:
        raise click.exceptions.Exit(1)


def _load(call: Call) -> tuple[Settings, str | None]:
    """The settings, and the vault that some of them are of (None outside of any)."""
    from mindcache import config as settings
    from mindcache import places
    from mindcache.errors import VaultUnavailable

    vault: str | None = None
    try:
        vault = places.find_vault(call.vault, call.here)
    except VaultUnavailable:
        if call.vault:
            raise
    flags = {"vault": call.vault, "cache_dir": call.cache_dir}
    return settings.load(vault, {k: v for k, v in flags.items() if v}), vault


def _print_one(call: Call, settings: Settings, key: str) -> None:
    if key not in settings.values:
        import difflib

        from mindcache.errors import UsageError

        known = list(settings.values)
        close = difflib.get_close_matches(key, known, n=3, cutoff=0.5) or known
        mend = f"nearest: {', '.join(close)}"
        raise UsageError(f"no setting is called {key!r}", mend=mend)
    value, origin = settings.values[key], settings.origins[key]
    faults = [settings.faults[key]] if key in settings.faults else []
    if call.json:
        from mindcache import wire

        shape = {"key": key, "value": value, "origin": origin}
        output.print_json(wire.merged({**shape, "problems": wire.problems(faults)}))
    else:
        output.say(_plain(value))
        for problem in faults:
            output.remark(f"mindcache: {output.problem_text(problem)}")
    _fail_over(faults)


def _plain(value: Value) -> str:
    """A value for a script: a list one item a line, true and false in lower case."""
    if isinstance(value, list):
        return "\n".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: Value) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(f'"{item}"' for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
