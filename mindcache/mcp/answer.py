"""What a tool answers: text for whoever reads it, and the same as data. Pure.

Everything that comes out of a note goes through `Wash`: no secret, no terminal escape
and no unseen character gets into an answer, and what was taken out is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mindcache.cache.read import NodeRow
from mindcache.fence import fenced, harmless
from mindcache.redact import redact
from mindcache.text.tokens import estimate

__all__ = ["Answer", "Wash", "fitted", "shown_list"]

# The middle of a key that an answer cut off at both ends: nothing tells it from other
# such lines, which nobody reads either.
_BLOB = re.compile(r"(?m)(?:^[A-Za-z0-9+/]{60,76}[ \t]*\n){2,}[A-Za-z0-9+/=]*")

# Names of files and ids are handed back to the tools, and stay what they are.
_HANDLES = frozenset(
    {"path", "id", "anchor", "source", "target", "resolved", "superseded_by"}
    | {"start", "left_out_paths", "key", "contradicted_by"}
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answers; `used` are the notes whose text it hands over."""

    text: str
    data: dict[str, object]
    used: tuple[NodeRow, ...] = ()


@dataclass(slots=True)
class Wash:
    """Cleans what goes out, and remembers what it took out."""

    found: Counter[str] = field(default_factory=Counter)

    def text(self, text: str) -> str:
        """The text without secrets and without what nobody sees."""
        return _BLOB.sub("…\n", self._redacted(harmless(text)))

    def lines(self, text: str) -> list[str]:
        """The lines of a text without its secrets, each with its own number."""
        return self._redacted(text, keep_lines=True).split("\n")

    def _redacted(self, text: str, *, keep_lines: bool = False) -> str:
        clean = redact(text, keep_lines=keep_lines)
        self.found.update(dict(clean.found))
        return clean.text

    def line(self, text: str) -> str:
        """The same on one line."""
        return " ".join(self.text(text).split())

    def fence(self, text: str, origin: str, source_type: str = "") -> str:
        """The text, washed and fenced."""
        return fenced(self.text(text), origin, source_type)

    def data(self, value: object) -> object:
        """Every text in plain data, washed; keys and names of notes stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                key: each if key in _HANDLES else self.data(each)
                for key, each in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.data(each) for each in value]
        return value

    @property
    def count(self) -> int:
        """How many secrets were taken out."""
        return self.found.total()

    def told(self) -> list[str]:
        """A line about the secrets, none where there were none."""
        kinds = ", ".join(f"{n} × {kind}" for kind, n in sorted(self.found.items()))
        return [f"Taken out: {kinds}."] if kinds else []


def fitted(lines: Sequence[str], budget: int) -> tuple[list[str], int]:
    """The first lines that fit into so many tokens, and how many had no room.

    The first always fits: cut, if need be.
    """
    kept: list[str] = []
    room = budget
    for line in lines:
        room -= estimate(line)
        if room < 0 and kept:
            break
        kept.append(line if room >= 0 else _cut(line, budget))
    return kept, len(lines) - len(kept)


def _cut(line: str, budget: int) -> str:
    """As many words of one line as fit."""
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(line[:middle]) < budget:
            low = middle
        else:
            high = middle - 1
    return line[:low] + " …"


def shown_list(values: Iterable[str], most: int = 5) -> str:
    """A few names in a row, and how many more there are."""
    names = list(dict.fromkeys(values))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
