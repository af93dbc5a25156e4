"""The program: `mindcache …` and `python -m mindcache …`."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from typing import NoReturn

__all__ = ["main"]

# New objects after which Python looks for cycles among them. Imports make a hundred
# thousand that all stay; a question leaves no cycle that is worth the looking.
_RARELY = 100_000


def main() -> None:
    """Run one command and leave with its exit code."""
    code = 0
    gc.set_threshold(_RARELY)
    _fill_closed_streams()
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except OSError:
        # Whoever read our output is gone, or its disk is full. The interpreter
        # flushes once more on its way out and must not complain a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = code or 1
    _leave(code)


# The hooks that are called with nothing beside their name, as the plugin calls them.
_HOOKS = frozenset(
    {"session-start", "user-prompt-submit", "post-tool-use", "stop", "pre-compact"}
    | {"session-end"}
)


def _run(args: list[str]) -> int:
    if len(args) == 2 and args[0] == "hook" and args[1] in _HOOKS:
        # A session waits for these: click alone would take half of their time.
        from mindcache.session.entry import main as answer

        return answer(args[1])
    from mindcache.cli import run

    return run(args)


def _leave(code: int) -> NoReturn:
    """End the process, all being said and closed.

    Python would go on to free every array and module by itself, which takes as long
    as a tenth of a question; the system does it at once.
    """
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def _fill_closed_streams() -> None:
    """Give what the caller closed (`>&-`) a place that swallows or holds nothing.

    In this order each takes the lowest free number, which is its own, so that no
    file of ours is ever opened under the number of a standard stream.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  open to the end
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  the same
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  the same


if __name__ == "__main__":
    main()
