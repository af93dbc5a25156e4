"""Settings: which exist, and where they come from.

Two scopes that never overlap, so that two machines with one vault agree:
*vault* settings live in `.mindcache/config.toml` inside the vault and travel
with it; *machine* settings live in the machine's own `config.toml`, may be
overridden by a `MINDCACHE_*` variable and then by a flag. A vault's file is
declarative: it can name neither a command nor a path outside the vault.
"""

from __future__ import annotations

from mindcache.config.loading import (
    Settings,
    load,
    machine_config_path,
    remember_vault,
    vault_config_path,
    with_text,
)
from mindcache.config.table import FORMS, SETTINGS, Setting, Value

__all__ = [
    "FORMS",
    "SETTINGS",
    "Setting",
    "Settings",
    "Value",
    "load",
    "machine_config_path",
    "remember_vault",
    "vault_config_path",
    "with_text",
]
