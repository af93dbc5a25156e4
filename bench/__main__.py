"""`scripts/bench`: measure, print, save and compare."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import FrameType
from typing import Any

from bench.lab import opened
from bench.measure import BenchError
from bench.report import Section, Table, compared, from_json, printed, to_json
from bench.rows import WHAT, measure
from bench.vaults import VERSION, Synthetic
from mindcache import __version__

_DEFAULT_NOTES = (1_000, 10_000)
# A question is a run of words of one note; fewer notes make too few of them.
_FEWEST_NOTES = 50

# What else is measured, each by a module of its own with options of its own.
_OTHERS = ("recall", "alike", "chats", "digest", "fading", "fast", "soak")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measure Mindcache on a synthetic vault, beside the floor of each"
        " job. Takes minutes; leaves nothing behind.",
        epilog="rows: " + ", ".join(WHAT),
    )
    add = parser.add_argument
    add(
        "--notes",
        type=_at_least(_FEWEST_NOTES),
        action="append",
        metavar="N",
        help="size of the vault; may be repeated (1000 and 10000)",
    )
    add(
        "--runs", type=_at_least(1), default=5, metavar="K", help="runs of each row (5)"
    )
    add("--seed", type=int, default=1, help="another seed, another vault (1)")
    add("--rows", type=_names, default=tuple(WHAT), metavar="A,B", help="only these")
    add("--json", action="store_true", help="one JSON object instead of tables")
    add("--save", metavar="FILE", help="write that JSON to a file too")
    add("--compare", metavar="FILE", help="show what changed since a saved run")
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text.replace(",", "").replace("_", ""))
        if value < least:
            raise argparse.ArgumentTypeError(f"at least {least}")
        return value

    return number


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in WHAT]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"no row is called {', '.join(unknown) or 'that'}; there are "
            + ", ".join(WHAT)
        )
    return names


class _Progress:
    """One line on a terminal that says what is going on; nothing elsewhere."""

    def __init__(self) -> None:
        self._wanted = sys.stderr.isatty()

    def say(self, line: str) -> None:
        """Put `line` in the place of the one before."""
        if self._wanted:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()


def _run(options: argparse.Namespace, progress: _Progress) -> Table:
    sections = []
    before = os.getloadavg()[0]
    for notes in options.notes or _DEFAULT_NOTES:

        def say(line: str, notes: int = notes) -> None:
            progress.say(f"{notes:,} notes: {line}")

        vault = Synthetic(notes, options.seed)
        with opened(vault, options.runs, say) as lab:
            rows, chunks = measure(lab, options.rows)
        sections.append(Section(notes, chunks, tuple(rows)))
    progress.say("")
    return Table(_about(options, before), tuple(sections))


def _about(options: argparse.Namespace, load_before: float) -> dict[str, Any]:
    return {
        "made": time.strftime("%Y-%m-%d %H:%M"),
        "version": __version__,
        "generator": VERSION,
        "seed": options.seed,
        "runs": options.runs,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "stemmer": "compiled" if find_spec("Stemmer") else "pure",
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load": [load_before, os.getloadavg()[0]],
    }


def _load(path: str) -> Table:
    try:
        with open(path, encoding="utf-8") as file:
            shape = json.load(file)
    except (OSError, ValueError) as error:
        raise BenchError(f"{path} can't be read: {error}") from error
    if not isinstance(shape, dict):
        raise BenchError(f"{path} is not a saved run")
    return from_json(shape)


def _show(table: Table, then: Table | None, options: argparse.Namespace) -> None:
    shape = to_json(table)
    if options.save:
        with open(options.save, "w", encoding="utf-8") as file:
            json.dump(shape, file, indent=1)
            file.write("\n")
    comparison = [] if then is None else compared(table, then)
    if options.json:
        lines = [json.dumps({**shape, "compared": comparison}, indent=1)]
    else:
        lines = [*printed(table), *(["", *comparison] if comparison else [])]
    sys.stdout.write("\n".join(lines) + "\n")


def _end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)  # by way of everything that cleans up


def main(arguments: Sequence[str]) -> int:
    """Run the bench: 0 when everything was measured, however slow; 1 when not."""
    if arguments and arguments[0] in _OTHERS:
        other = import_module(f"bench.{arguments[0]}")
        code: int = other.main(arguments[1:])
        return code
    options = _parser().parse_args(arguments)
    progress = _Progress()
    try:
        then = _load(options.compare) if options.compare else None
        _show(_run(options, progress), then, options)
    except (BenchError, OSError) as error:
        progress.say("")
        sys.stderr.write(f"bench: {error}\n")
        return 1
    except KeyboardInterrupt:
        progress.say("")
        return 130
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    sys.exit(main(sys.argv[1:]))
