"""What an importer reads out of a source, as plain values. Pure.

An importer turns a source into `Item`s and knows nothing of the vault; `plan` decides
what becomes of them, `run` has it carried out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from mindcache.errors import Problem
from mindcache.importers.mentions import Known
from mindcache.note import Property

__all__ = ["Context", "Importer", "Item", "Left", "Read", "Source", "Stranger"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of the source that becomes one note.

    `key` names it in its source for good (an event's UID); `when` is when it takes
    place or was made, which goes into its id (None: unknown). `properties` follow the source at
    each import; `once` are given when the note is made and are the owner's from then
    on. `body` is Markdown without frontmatter. `place` says where it was read (file
    and line), `version` sorts behind those of older copies ("" when unknown). `is_part`
    when the source has only a part of the thing, which must not replace the whole.
    `grows` when its body only ever gets longer at its end, as a conversation's: the
    ledger then keeps one hash of it instead of one a line.
    """

    key: str
    type: str
    title: str
    when: datetime | None
    properties: Mapping[str, Property]
    once: Mapping[str, Property] = field(default_factory=dict)
    body: str = ""
    place: str = ""
    version: str = ""
    is_part: bool = False
    grows: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """Something that an importer knows and does not take: `count` of `what`."""

    what: str
    why: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Stranger:
    """Somebody who takes part and whom no note is about."""

    name: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """A source was read to its end; `whole` unless a part of it could not be."""

    source: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: `path` on this machine ("-" for stdin), `name` in reports.

    The name is what goes into a note as `source_path`: the same on every machine.
    `is_named` is False for a file that was met in a folder.
    """

    path: str
    name: str
    is_named: bool = True


@dataclass(frozen=True, slots=True)
class Context:
    """What an importer may know of the vault.

    `zone` is the vault's ("" for none), `me` what its owner is called, `now` a civil
    time; `known` finds the notes that names lead to. `format` is what the caller says
    the sources are ("" leaves it to the importer). `met` is kept for one import from
    source to source, for importers whose sources repeat each other.
    """

    now: datetime
    zone: str = ""
    me: tuple[str, ...] = ()
    known: Known = field(default_factory=Known)
    format: str = ""
    met: dict[str, str] = field(default_factory=dict, compare=False)


class Importer(Protocol):
    """Something that reads one kind of source.

    `name` is the word of the command line, and the kind under which the ledger keeps
    what was made; `source_type` goes into each note. `suffixes` are those of files
    that are taken from a folder, `folder` is where new notes go. Two attributes may be left
    out: `formats`, the words that `--format` takes, and `takes_folder(path)`, whether
    a folder is one source as a whole.
    """

    name: str
    source_type: str
    short: str
    suffixes: tuple[str, ...]
    folder: str

    def read(
        self, sources: Sequence[Source], context: Context
    ) -> Iterator[Item | Problem | Left | Stranger | Read]:
        """Everything in the sources, and what is wrong with them.

        One bad record is a `Problem` (severity `error` when something is lost by it)
        and never keeps the others. A `Read` ends each source. Raises OSError when one
        can't be read at all.
        """
        ...
