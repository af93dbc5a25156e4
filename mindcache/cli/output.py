"""Printing: text that no note can abuse, JSON, and progress on a terminal.

Whatever comes out of a note may hold terminal escapes; everything printed for
people passes through `clean`, everything printed for programs through
`json_text`.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from mindcache.errors import Problem
from mindcache.lazy import regex

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from mindcache.app import Freshness

__all__ = [
    "Progress",
    "clean",
    "counted",
    "failure_text",
    "first_of_each",
    "json_text",
    "mark",
    "path_text",
    "print_json",
    "print_problems",
    "problem_text",
    "remark",
    "say",
    "single",
    "speak_utf8",
    "table",
    "warn_when_stale",
]

# Embeddings, overrides and isolates: they reorder the text around them, so that
# it reads as something else.
_REORDERING = "\u202a-\u202e\u2066-\u2069"
# Characters that nobody sees, and in which a note may hide a text from whoever looks
# at what an agent reads. The joiners U+200C and U+200D are not among them: emoji and
# several scripts are wrong without; nor is the one selector that follows a character.
_UNSEEN = (
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\u3164\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e007f"
)
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_HOSTILE = regex(f"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f{_REORDERING}]")
_INVISIBLE = regex(f"[{_UNSEEN}]")
_SELECTED = regex(f"([{_SELECTORS}])[{_SELECTORS}]+")
_BEYOND_ASCII = regex(f"[\\x7f-\\x9f{_REORDERING}{_UNSEEN}]")
_NOT_IN_PATHS = regex(f"[\\x00-\\x1f\\x7f-\\x9f\u2028\u2029{_REORDERING}{_UNSEEN}]")
_SPACE = regex(r"\s+")

# Work that is over sooner needs no bar, and its import would take longer.
_PATIENCE_SECONDS = 0.5


def clean(text: str) -> str:
    """The text with every control character but newline and tab made harmless.

    That includes what turns the direction of text around; marks that have no
    width are left out.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if plain.isascii():
        return _HOSTILE.sub("\ufffd", plain)
    seen = _SELECTED.sub(r"\1", _INVISIBLE.sub("", plain))
    return _HOSTILE.sub("\ufffd", seen)


def single(text: str) -> str:
    """The text on one line, harmless."""
    return _SPACE.sub(" ", clean(text)).strip()


def mark(standing: str) -> str:
    """What stands behind a note that doesn't hold now; "" for one that does."""
    return f"  ({path_text(standing)})" if standing else ""


def path_text(path: str) -> str:
    """A path as it is, spaces and all; what can't be seen in it is escaped."""
    return _NOT_IN_PATHS.sub(lambda m: m[0].encode("unicode_escape").decode(), path)


def say(text: str = "", *, strong: str = "") -> None:
    """A line of the answer on stdout; `strong` stands in front, in bold."""
    head = click.style(clean(strong), bold=True) if strong else ""
    click.echo(head + clean(text), color=_colour())


def remark(text: str) -> None:
    """A line about the answer on stderr."""
    click.echo(clean(text), err=True, color=_colour())


def _colour() -> bool | None:
    """None leaves it to whether a terminal is there (see no-color.org)."""
    return False if os.environ.get("NO_COLOR") else None


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 note", "2 notes"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def json_text(value: object, *, compact: bool = False) -> str:
    """JSON in which no character can steer a terminal."""
    if compact:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    else:
        text = json.dumps(value, ensure_ascii=False, indent=2)
    return _BEYOND_ASCII.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    """A character as JSON has it; one beyond the first plane is a pair there."""
    units = match[0].encode("utf-16-be")
    return "".join(
        f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)
    )


def print_json(value: object, *, compact: bool = False) -> None:
    """One JSON value on stdout, flushed."""
    click.echo(json_text(value, compact=compact))
    sys.stdout.flush()


# Lines of a kind that are read; who wants all of a hundred wants a list.
_MOST_OF_A_KIND = 5


def print_problems(problems: Iterable[Problem], indent: str = "") -> None:
    """Each problem on its line: where, what, and how to mend it."""
    for problem in problems:
        say(indent + problem_text(problem))


def first_of_each(
    lines: Iterable[tuple[Hashable, str]], rest: Callable[[Hashable], str]
) -> Iterator[str]:
    """Of (kind, line) the first few of each kind, then how many more there are.

    In the order in which the kinds come first; `rest` says of a kind what lists all.
    """
    kinds: dict[Hashable, list[str]] = {}
    for kind, line in lines:
        kinds.setdefault(kind, []).append(line)
    for kind, found in kinds.items():
        # One more line costs no more than to say that there is one.
        most = _MOST_OF_A_KIND + (len(found) == _MOST_OF_A_KIND + 1)
        yield from found[:most]
        if len(found) > most:
            yield f"… and {len(found) - most:,} more like these; {rest(kind)} lists all"


def problem_text(problem: Problem) -> str:
    """A problem on one line, its path unchanged."""
    rest = str(problem).removeprefix(problem.path)
    return path_text(problem.path) + single(rest)


def failure_text(path: str, error: object) -> str:
    """An error about a note on one line, which names the note once."""
    said = single(str(error))
    named = said.startswith((f"{path}:", f"{path} "))
    return said if named else f"{path_text(path)}: {said}"


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale; what has no UTF-8 form is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class Progress:
    """Shows long work on a terminal; silent in a pipe. Callable as sync wants it."""

    def __init__(self) -> None:
        self.wanted = sys.stderr.isatty()
        self._started = 0.0
        self._bars: Bars | None = None
        self._tasks: dict[str, int] = {}

    def __call__(self, stage: str, done: int, of: int) -> None:
        """Note that `done` of `of` (0: unknown) files of a stage are through."""
        now = time.monotonic()
        self._started = self._started or now
        if now - self._started < _PATIENCE_SECONDS:
            return
        bars = self._open()
        if stage not in self._tasks:
            self._tasks[stage] = bars.add_task(stage, total=of or None)
        bars.update(bars.task_ids[self._tasks[stage]], completed=done, total=of or None)

    def _open(self) -> Bars:
        if self._bars is None:
            from rich.console import Console
            from rich.progress import Progress as Bars

            self._bars = Bars(console=Console(stderr=True), transient=True)
            self._bars.start()
        return self._bars

    def waiting(self) -> None:
        """Say that another process has the cache."""
        remark("mindcache: another process is writing the cache; waiting for it")

    def stop(self) -> None:
        """Take the display away."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
            self._tasks.clear()


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns as wide as their longest cell; the last one is free.

    The cells are harmless already: they come from `single` or `path_text`.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def warn_when_stale(freshness: Freshness) -> None:
    """Say on stderr when the answer may not show the notes as they are now."""
    if freshness.stale:
        waiting = counted(freshness.pending, "file")
        remark(
            f"mindcache: another process holds the cache; {waiting} not looked at yet"
        )
    for problem in freshness.problems:
        remark(f"mindcache: {problem_text(problem)}")
