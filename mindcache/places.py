"""Where on this machine things lie that are not in the vault.

Names folders, makes none.
"""

from __future__ import annotations

import os
import re
from typing import Literal

from mindcache import config
from mindcache.errors import ConfigError
from mindcache.files import foreign
from mindcache.hashing import blake2b
from mindcache.homes import own_folder

__all__ = ["cache_path", "machine_folder"]

_SLUG = re.compile(r"[^\w-]+")

# What each folder is called to a person; the last word of its setting is not it.
_CALLED: dict[str, Literal["cache", "state"]] = {
    "cache_dir": "cache",
    "state_dir": "state",
}


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
