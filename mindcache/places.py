"""Where on this machine the vault is, and what of it lies elsewhere.

Names folders, makes none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Literal

from mindcache import config
from mindcache.errors import ConfigError, VaultUnavailable
from mindcache.files import foreign
from mindcache.hashing import blake2b
from mindcache.homes import own_folder

__all__ = ["cache_path", "find_vault", "from_anywhere", "machine_folder"]

_SLUG = re.compile(r"[^\w-]+")

# What each folder is called to a person; the last word of its setting is not it.
_CALLED: dict[str, Literal["cache", "state"]] = {
    "cache_dir": "cache",
    "state_dir": "state",
}


def find_vault(flag: str | None, start: str) -> str:
    """The real path of the vault that is meant.

    By flag, `MINDCACHE_VAULT`, the nearest folder from `start` upwards that
    holds `.mindcache` or `.obsidian`, or the machine's default.
    Raises VaultUnavailable when there is none or it is no folder.
    """
    for chosen, origin in (
        (flag, "--vault"),
        (os.environ.get("MINDCACHE_VAULT") or None, "MINDCACHE_VAULT"),
    ):
        if chosen is not None:
            return _existing(chosen, origin, start)
    here = os.path.realpath(start)
    while True:
        if any(
            os.path.isdir(os.path.join(here, d)) for d in (".mindcache", ".obsidian")
        ):
            return here
        parent = os.path.dirname(here)
        if parent == here:
            break
        here = parent
    default = config.load(None).text("vault")
    if default:
        path = config.machine_config_path()
        return _existing(default, path, os.path.dirname(path))
    raise VaultUnavailable(
        "no vault here",
        mend="go into one, name it with --vault DIR, or make one: mindcache init DIR",
    )


def _existing(path: str, origin: str, start: str) -> str:
    """The real path of a folder named by `origin`, relative to `start`."""
    if not path:
        raise VaultUnavailable(
            f"{origin} names no folder", mend="give a path, or leave it out"
        )
    real = os.path.realpath(os.path.join(start, os.path.expanduser(path)))
    if not os.path.isdir(real):
        raise VaultUnavailable(
            f"{path} (from {origin}) is not a folder that can be read",
            mend="check the path, or whether its disk is mounted",
        )
    return real


def machine_folder(settings: config.Settings, key: str, vault: str) -> str:
    """The folder that a setting names, absolute, or else the system's own.

    Raises ConfigError when it lies inside the vault at the real path `vault`, and when
    somebody else may have put there what we would trust.
    """
    root = settings.text(key)
    what = _CALLED[key]
    if not root:
        root = own_folder(what)
    root = os.path.expanduser(root)
    if settings.origins[key] == config.machine_config_path():
        # A folder named in a file lies beside that file, not wherever one is.
        root = os.path.join(os.path.dirname(config.machine_config_path()), root)
    inside = os.path.realpath(root) + os.sep
    if inside.startswith(vault.rstrip(os.sep) + os.sep):
        raise ConfigError(
            f"the {what} folder {root} lies inside the vault",
            mend=f"name one outside of it: the {what} must not travel with the notes",
        )
    _check(root, what, is_shared=what == "cache")
    return os.path.abspath(root)


def _check(folder: str, what: str, *, is_shared: bool) -> None:
    if reason := foreign(folder, shared=is_shared):
        raise ConfigError(
            f"the {what} folder {folder} {reason}",
            mend=f"name one of your own, by MINDCACHE_{what.upper()}_DIR for instance",
        )


def cache_path(settings: config.Settings, vault: str) -> str:
    """The cache file of the vault at this real path. Raises ConfigError."""
    root = machine_folder(settings, "cache_dir", vault)
    slug = _SLUG.sub("-", os.path.basename(vault)).strip("-")[:40] or "vault"
    digest = blake2b(os.fsencode(vault), digest_size=6).hexdigest()
    folder = os.path.join(root, f"{slug}-{digest}")
    _check(folder, "cache", is_shared=False)
    return os.path.join(folder, "cache.sqlite")


def from_anywhere(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process of ours that runs in another folder than we do.

    The folders that its variables name are named in full.
    """
    found = dict(environment)
    names = [each.variable for each in config.SETTINGS if each.variable]
    for name in ("MINDCACHE_CONFIG_DIR", *names):
        if folder := found.get(name):
            found[name] = os.path.abspath(os.path.expanduser(folder))
    return found
