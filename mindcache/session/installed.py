"""Whether a plugin is whole on this machine, and finds the command, a vault, a cache."""

from __future__ import annotations

import glob
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from mindcache import __version__
from mindcache.cache.read import Reader
from mindcache.errors import MindcacheError
from mindcache.session import manifest, spool
from mindcache.session.entry import EVENTS, log_path, vault_meant

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Finding", "examine", "plugin_folder"]

# Lines of the log that are shown.
_LINES = 3
# A start has to be over in this time by the wall, whatever else the machine does.
_PATIENCE_SECONDS = 2.0
# Hooks' own places beside the PATH, as in `hooks/launch`.
_PLACES = (*("~/.local/bin", "~/bin", "/opt/homebrew/bin", "/usr/local/bin"),)


class Finding(NamedTuple):
    """One thing that was checked: what is so, and what to do where it should not be."""

    what: str
    ok: bool = True
    mend: str = ""


def plugin_folder() -> str:
    """The plugin's folder: named by its host, beside the package, or where it installs.

    "" where there is none.
    """
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    cached = os.path.join(glob.escape(home), "plugins", "cache", "*", "mindcache", "*")
    newest = sorted(glob.glob(cached), key=lambda p: (os.path.getmtime(p), p))
    for each in (os.environ.get("CLAUDE_PLUGIN_ROOT") or "", here, *reversed(newest)):
        if each and os.path.isfile(os.path.join(each, ".claude-plugin", "plugin.json")):
            return each
    return ""


def examine(folder: str, vault: str, cache_dir: str | None) -> list[Finding]:
    """Everything that has to be so for a session to have its memory."""
    return [
        *_files(folder or plugin_folder()),
        *_command(),
        *_vault(vault, cache_dir),
        *_log(),
    ]


# -- the plugin's files ---------------------------------------------------------------


def _files(folder: str) -> Iterator[Finding]:
    if not folder or not os.path.isdir(folder):
        yield Finding(
            "no plugin was found",
            ok=False,
            mend="in Claude Code: /plugin marketplace add, then /plugin install"
            " mindcache@mindcache; or name its folder with --folder",
        )
        return
    yield Finding(f"the plugin is in {folder}")
    checks: tuple[tuple[str, Callable[[object], list[str]]], ...] = (
        (".claude-plugin/plugin.json", manifest.check_plugin),
        (".claude-plugin/marketplace.json", manifest.check_marketplace),
        ("hooks/hooks.json", manifest.check_hooks),
        (".mcp.json", manifest.check_mcp),
    )
    for name, check in checks:
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                value = json.load(file)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else f"no JSON: {error}"
            yield Finding(f"{name}: {why}", ok=False, mend="install the plugin anew")
            continue
        wrong = check(value)
        yield Finding(f"{name}: {'; '.join(wrong) or 'as documented'}", ok=not wrong)
        if name.endswith("plugin.json") and isinstance(value, dict):
            yield from _version(str(value.get("version", "")))
    launcher = os.path.join(folder, "hooks", "launch")
    if not os.path.isfile(launcher):
        yield Finding("hooks/launch is missing", ok=False, mend="install it anew")


def _version(theirs: str) -> Iterator[Finding]:
    is_ours = theirs == __version__
    yield Finding(
        f"the plugin is {theirs or 'of no version'}, the command {__version__}",
        mend="" if is_ours else "they may differ, but newer hooks need a newer command",
    )


# -- what it calls ----------------------------------------------------------------------


def _command() -> Iterator[Finding]:
    path = shutil.which("mindcache")
    others = [os.path.expanduser(os.path.join(p, "mindcache")) for p in _PLACES]
    found = path or next((p for p in others if os.access(p, os.X_OK)), "")
    if found:
        yield Finding(f"hooks call {found}")
    else:
        yield Finding(
            "hooks find no mindcache on the PATH nor in the usual places",
            ok=False,
            mend="link it into ~/.local/bin, where they look when the PATH is short",
        )
    if shutil.which("sh") is None:
        yield Finding("there is no sh to run hooks/launch", ok=False)
    for name in ("MINDCACHE_NESTED", "MINDCACHE_SESSION"):
        if os.environ.get(name):
            yield Finding(f"{name} is set here: hooks of a session below are silent")


def _vault(given: str, cache_dir: str | None) -> Iterator[Finding]:
    root = given or vault_meant()
    if not root:
        yield Finding(
            "this machine has no vault of its own, and hooks take no other",
            ok=False,
            mend="mindcache init DIR --default, or set MINDCACHE_VAULT",
        )
        return
    yield Finding(f"the vault is {root}")
    from mindcache.app import App

    app = App(root, cache_dir)
    try:
        reader = Reader.open(app.cache_path, app.fingerprint)
        if reader is None:
            yield Finding(
                "its index is not built, or is of another version",
                ok=False,
                mend="mindcache index update",
            )
        else:
            yield _timed(app, reader)
            reader.close()
        folder = spool.folder_of(app.state_folder, app.cache_folder)
        yield from _state(app.state_folder)
        if what := spool.trouble_was(folder):
            yield Finding(f"what sessions left to do failed at {what}", ok=False)
    except MindcacheError as error:
        yield Finding(error.message, ok=False, mend=error.mend)
    finally:
        app.close()


def _state(folder: str) -> Iterator[Finding]:
    above = folder
    while not os.path.exists(above):
        above = os.path.dirname(above)
    if not os.access(above, os.W_OK | os.X_OK):
        yield Finding(
            f"nothing can be written in {folder}, so no session is kept",
            ok=False,
            mend="check its permissions, or name another by state_dir",
        )


def _timed(app: App, reader: Reader) -> Finding:
    from mindcache.session.events import place_of
    from mindcache.session.picture import select
    from mindcache.session.start import Wanted, compose

    began = time.perf_counter()
    place = place_of(app, {"cwd": os.getcwd()})
    made = compose(
        select(reader, app.vault.root, place, app.now()),
        Wanted(place.project, budget=app.settings.number("session.budget")),
    )
    took = time.perf_counter() - began
    where = place.project or "no project"
    return Finding(
        f"a session here ({where}; tags: {', '.join(place.tags) or 'none'}) is told"
        f" {made.shown} notes in about {made.tokens:,} tokens, put together in"
        f" {took * 1000:.0f} ms",
        ok=took < _PATIENCE_SECONDS,
    )


def _log() -> Iterator[Finding]:
    try:
        with open(log_path(), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()[-_LINES:]
    except (OSError, MindcacheError):
        lines = []
    yield Finding(
        f"{len(EVENTS)} hooks; none is known to have failed"
        if not lines
        else "hooks failed"
    )
    for line in lines:
        yield Finding(f"hooks.log: {line}")
