"""What an importer reads out of a source, as plain values. Pure.

An importer turns a source into `Item`s and knows nothing of the vault; `plan` decides
what becomes of them, `run` has it carried out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from mindcache.errors import Problem
from mindcache.importers.mentions import Known
from mindcache.links import Name
from mindcache.note import Property
from mindcache.tags import DEFAULT_NAMESPACES
from mindcache.write.relink import LinkFormat

__all__ = [
    "REPLACED",
    "Attachment",
    "Context",
    "Importer",
    "Item",
    "Left",
    "Places",
    "Read",
    "Source",
    "Stranger",
]


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
    `path` is where the importer was told that the note will lie (`Context.places`),
    "" to have it named by its title. `origin` is a hash of what the source itself says,
    for bodies that also depend on where other notes lie ("": the body is as it says).
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
    path: str = ""
    origin: str = ""


REPLACED = "secret"
"""What is not left out: of it a word stands in its place."""


@dataclass(frozen=True, slots=True)
class Left:
    """Something that an importer knows and does not take: `count` of `what`.

    What is called `REPLACED` came in, but for what it says.
    """

    what: str
    why: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that notes of the source refer to, and that comes along.

    `source` is where it lies on this machine, `path` where it shall lie in the vault,
    as `Context.places` said.
    """

    key: str
    source: str
    path: str


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


class Places(Protocol):
    """Where things of a source lie in the vault, or will lie after the import."""

    @property
    def link_format(self) -> LinkFormat:
        """What Obsidian is told to write in links."""
        ...

    def note(self, key: str, wanted: str) -> str:
        """The path of a key's note; where it lay, for one that its owner deleted.

        `wanted` is where a new one would like to lie, below the import's folder.
        """
        ...

    def asset(self, key: str, name: str, beside: str, data: bytes) -> str:
        """The path of an attachment that is called `name` and holds `data`.

        `beside` is the note that refers to it. For one that its owner deleted, where
        it lay.
        """
        ...

    def names(self, keys: Iterable[str]) -> list[Name]:
        """The names under these keys that the vault has already."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """What an importer may know of the vault.

    `zone` is the vault's ("" for none), `me` what its owner is called, `now` a civil
    time; `known` finds the notes that names lead to. `format` is what the caller says
    the sources are ("" leaves it to the importer). `met` is kept for one import from
    source to source, for importers whose sources repeat each other. `namespaces` are those that tags
    may have, `size_cap` the bytes of the largest note; `places` says where things lie,
    None where an importer runs without a vault.
    """

    now: datetime
    zone: str = ""
    me: tuple[str, ...] = ()
    known: Known = field(default_factory=Known)
    format: str = ""
    met: dict[str, str] = field(default_factory=dict, compare=False)
    namespaces: tuple[str, ...] = DEFAULT_NAMESPACES
    size_cap: int = 1_048_576
    places: Places | None = None


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
    ) -> Iterator[Item | Problem | Left | Stranger | Attachment | Read]:
        """Everything in the sources, and what is wrong with them.

        One bad record is a `Problem` (severity `error` when something is lost by it)
        and never keeps the others. A `Read` ends each source. Raises OSError when one
        can't be read at all.
        """
        ...
