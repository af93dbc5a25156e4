"""The command line: one noun per file, each imported only when it is called.

Owns words, options, printing and exit codes. It decides nothing: what a command
does is asked of `app.App`, and what it prints as JSON has its shape from `wire`.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["run"]


def run(args: Sequence[str]) -> int:
    """Run one command, everything printed; gives the exit code."""
    from mindcache.cli.failures import guarded

    return guarded(args)
