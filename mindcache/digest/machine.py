"""Whose daemon lets the digest run: one device of those that share a vault.

A digest by hand asks nobody. Where two daemons begin in one night, before either
knows of the other, both digests write the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.config import vault_config_path, with_text
from mindcache.errors import MindcacheError, Problem

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["KEY", "claim", "elsewhere"]

KEY = "digest.machine"
_PATH = ".mindcache/config.toml"


def elsewhere(app: App) -> str:
    """The other device whose daemon digests this vault, "" where none is named."""
    named = app.settings.text(KEY).strip()
    return "" if named in {"", app.device} else named


def claim(app: App) -> Problem | None:
    """Write this device into the vault's settings where none is named.

    Every other byte of the file is kept; where that can't be, nothing is written, and
    the problem says what to write. Raises Locked.
    """
    with app.writing():
        app.refresh()
        if app.settings.text(KEY).strip():
            return None
        try:
            _write(app)
        except (OSError, MindcacheError) as error:
            message = getattr(error, "message", "") or str(error)
            mend = getattr(error, "mend", "")
            return Problem(_PATH, 0, "digest-machine", message, mend)
        app.refresh()
    return None


def _write(app: App) -> None:
    try:
        with open(vault_config_path(app.vault.root), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        app.vault.create(_PATH, with_text(_PATH, b"", KEY, app.device))
        return
    app.vault.replace(_PATH, with_text(_PATH, data, KEY, app.device), data)
