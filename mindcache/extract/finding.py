"""What extraction takes and gives, as plain values. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from mindcache.when import Interval

__all__ = ["Context", "Extractor", "Finding", "Findings", "Kind", "Passage"]

Kind = Literal["event", "plan", "fact"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Words that one person said in one go, or a paragraph or list item of prose.

    `text` is exactly what stands in the note from the line `line` on (from 1, over the
    whole file). `speaker` is "" in prose, `anchor` the block id without "^" ("" for
    none). `said` is the civil time that "yesterday" is relative to, None when unknown.
    `people` are all who speak in the note.
    """

    text: str
    line: int
    anchor: str = ""
    speaker: str = ""
    said: datetime | None = None
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement: what it says, and where exactly it was said.

    `quote` is a part of its passage, letter by letter, beginning in `line`. `summary`
    is the quote with the speaker's name in place of "I" and the date beside its phrase.
    `when` is the time of an event or a plan (the day by which something is due), of a
    fact the time since which it holds; `until` when a passing state is no longer to be
    relied on. `rule` names why it was taken, `confidence` is 0..1.
    """

    kind: Kind
    rule: str
    summary: str
    quote: str
    line: int
    anchor: str = ""
    speaker: str = ""
    when: Interval | None = None
    until: datetime | None = None
    confidence: float = 0.5
    links: tuple[str, ...] = ()


def _no_links(_text: str) -> Sequence[str]:
    return ()


def _no_link(_name: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Context:
    """What an extractor may know of the vault.

    `me` is what its owner is called. `links_in` gives the links to the notes that a
    text names, `link_of` the one of a name ("" for none).
    """

    me: tuple[str, ...] = ()
    week_start: int = 0
    links_in: Callable[[str], Sequence[str]] = _no_links
    link_of: Callable[[str], str] = _no_link


@dataclass(slots=True)
class Findings:
    """The findings of one note in its order, and the names in them without a note."""

    of: list[Finding] = field(default_factory=list)
    new_names: Counter[str] = field(default_factory=Counter)


class Extractor(Protocol):
    """Something that finds statements in a passage.

    Ours (`rules.Rules`) is deterministic and needs no model; another may stand in its
    place as long as each finding quotes its passage.
    """

    def find(self, passage: Passage, context: Context) -> Iterator[Finding]:
        """The statements of a passage in its order. Never raises for any text."""
        ...
