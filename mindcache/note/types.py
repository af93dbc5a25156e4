"""The plain values that a parsed Markdown file consists of.

Everything here says what was *written*, with its line; what a note means as a
memory (its type, date, edges) is derived from these values in `memory`.
Lines count from 1 over the whole file, frontmatter included.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from mindcache.errors import Problem

__all__ = [
    "Block",
    "Callout",
    "Encoding",
    "Field",
    "Frontmatter",
    "Heading",
    "Link",
    "Note",
    "Place",
    "Property",
    "Tag",
    "Task",
]

# A property's value: a YAML 1.2 scalar, a list of values, or (rarely) a map.
# Dates and times stay the strings that were written.
Property = str | int | float | bool | None | list["Property"] | dict[str, "Property"]

LinkKind = Literal["wikilink", "embed", "markdown", "image"]
LinkOrigin = Literal["body", "property", "inline"]


class Encoding(NamedTuple):
    """How the file's bytes became text.

    `name` is a Python codec ("utf-8", "utf-16-le", "cp1252", …), `bom` whether a
    byte order mark stood in front (it is not part of the text), `newline` the
    line end of the first line (LF, CRLF or CR; LF for a text of one line).
    """

    name: str = "utf-8"
    bom: bool = False
    newline: str = "\n"


class Frontmatter(NamedTuple):
    """The block between the fences at the very start of the text.

    `start` and `end` are offsets of the YAML text between the fences (without
    them), `body` the offset of the first character after the closing fence's
    line. `error` is set when the block is there but is not a map that YAML
    can read; `properties` is then empty.
    """

    start: int
    end: int
    body: int
    properties: Mapping[str, Property]
    error: Problem | None = None


class Link(NamedTuple):
    """A link as written: `[[target#subpath|display]]` or `[display](target#subpath)`.

    `target` is "" for a link into the note itself; a Markdown link's target is
    percent-decoded. `subpath` comes without the leading "#" (a block reference
    starts with "^"). `field` names the property or inline field the link stands
    in ("" for the running text).
    """

    target: str
    subpath: str
    display: str
    kind: LinkKind
    line: int
    origin: LinkOrigin = "body"
    field: str = ""


class Place(NamedTuple):
    """Where a link is written; all numbers are offsets into the note's text.

    `start` and `end` are those of the whole link (without an embed's "!"), `inner`
    and `inner_end` those of what stands between `[[` and `]]`, or of a Markdown
    link's destination without its angle brackets. `within` is what the link is
    written in: the quote of a YAML scalar, "<" for angle brackets, "[" for a
    wikilink that lacks its quotes in a property, "" for everything else.
    """

    link: Link
    start: int
    end: int
    inner: int
    inner_end: int
    within: str = ""


class Tag(NamedTuple):
    """A tag without its "#", spelled as written; `line` 0 when from a property."""

    name: str
    line: int


class Heading(NamedTuple):
    """A heading of either style; its text comes without the marks of its level.

    `last` is its last line, 0 where it has but one: an underlined one may have several.
    """

    level: int
    text: str
    line: int
    last: int = 0


class Block(NamedTuple):
    """A block id (`^id` at the end of a line), without the "^"."""

    id: str
    line: int


class Field(NamedTuple):
    """A Dataview inline field; `key` is cleaned: lower case, spaces to "-"."""

    key: str
    value: str
    line: int


class Task(NamedTuple):
    """A list item with a checkbox; `mark` is the character between the brackets."""

    mark: str
    text: str
    line: int


class Callout(NamedTuple):
    """`> [!kind] title`; `kind` in lower case."""

    kind: str
    title: str
    line: int


class Note(NamedTuple):
    """A Markdown file, read.

    `text` is the whole of it without a byte order mark, line ends untouched.
    `fences` are the first and last lines of fenced code blocks, fences included.
    `conflict_line` is the line of the first git conflict marker, 0 for none.
    `generated` are the first and last lines of sections that Mindcache wrote, their
    marker lines included. `text_end` is the offset in `text` where reading stopped:
    the start of an Excalidraw note's drawing, the end of any other note.
    """

    path: str
    text: str
    encoding: Encoding = Encoding()
    frontmatter: Frontmatter | None = None
    links: tuple[Link, ...] = ()
    tags: tuple[Tag, ...] = ()
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    fields: tuple[Field, ...] = ()
    tasks: tuple[Task, ...] = ()
    callouts: tuple[Callout, ...] = ()
    problems: tuple[Problem, ...] = ()
    fences: tuple[tuple[int, int], ...] = ()
    conflict_line: int = 0
    generated: tuple[tuple[int, int], ...] = ()
    text_end: int = sys.maxsize

    @property
    def properties(self) -> Mapping[str, Property]:
        """The frontmatter's properties, empty when there are none or it is broken."""
        if self.frontmatter is None:
            return MappingProxyType({})
        return self.frontmatter.properties

    @property
    def body(self) -> str:
        """The text after the frontmatter."""
        return self.text[self.body_offset :]

    @property
    def body_offset(self) -> int:
        """Offset of the body in `text`; 0 when the frontmatter is broken or absent."""
        if self.frontmatter is None or self.frontmatter.error is not None:
            return 0
        return self.frontmatter.body
