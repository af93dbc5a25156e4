"""Where the system wants a program's own folders.

Every command asks, and platformdirs takes longer to load than many a command takes
to answer. On Linux the rule is one variable and one default (XDG base directories),
so it is asked only elsewhere.
"""

from __future__ import annotations

import os
import sys
from typing import Literal

__all__ = ["own_folder"]

_APP = "mindcache"
_LINUX = {"config": "~/.config", "cache": "~/.cache", "state": "~/.local/state"}


def own_folder(kind: Literal["config", "cache", "state"]) -> str:
    """Our folder of this kind in the user's home. It need not exist."""
    if sys.platform == "linux" and os.path.isabs(os.path.expanduser("~")):
        home = os.environ.get(f"XDG_{kind.upper()}_HOME", "")
        if not os.path.isabs(home):  # as the standard has it: a relative one counts not
            home = os.path.expanduser(_LINUX[kind])
        return os.path.join(home, _APP)
    import platformdirs

    systems = {
        "config": platformdirs.user_config_dir,
        "cache": platformdirs.user_cache_dir,
        "state": platformdirs.user_state_dir,
    }
    return systems[kind](_APP, appauthor=False)
