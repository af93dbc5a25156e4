"""The program: `mindcache …` and `python -m mindcache …`."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run one command and leave with its exit code."""
    code = 0
    try:
        from mindcache.cli import run

        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except OSError:
        # Whoever read our output is gone, or its disk is full. The interpreter
        # flushes once more on its way out and must not complain a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = code or 1
    sys.exit(code)


if __name__ == "__main__":
    main()
