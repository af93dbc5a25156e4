"""The block of properties at the start of a note: where it is, and what is told of it.

Owns the fences and the head of a note as a whole; what stands between the fences is
read by `block`. python-frontmatter is loaded when the first block is met: it costs
more than the whole of a light command.
"""

from __future__ import annotations

import functools
import re
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from mindcache.errors import Problem
from mindcache.lazy import regex
from mindcache.note.block import (
    MAX_BLOCK,
    Block,
    BlockError,
    compose,
    placed_links,
    read_block,
    yaml_loader,
)
from mindcache.note.decoding import plain_newlines
from mindcache.note.emission import emit_property
from mindcache.note.types import Frontmatter, Link, Tag
from mindcache.note.wikilinks import find_wikilinks

__all__ = [
    "MAX_BLOCK",
    "BlockError",
    "NoteHandler",
    "Reading",
    "Span",
    "block_end",
    "compose",
    "note_handler",
    "placed_links",
    "read_frontmatter",
    "yaml_loader",
]

_OPENING = regex(r"---[ \t]*(?:\n|\Z)")
_CLOSING = regex(r"^---[ \t]*$", re.MULTILINE)
# What a property looks like, to tell a forgotten fence from a horizontal rule.
_KEY_LINE = regex(r"[\w\"'][\w \"'-]{0,60}:(?=[ \t\n]|\Z)")


class Span(NamedTuple):
    """Offsets: the YAML text is `start:end`, the body starts at `body`."""

    start: int
    end: int
    body: int


class Reading(NamedTuple):
    """All that the head of a note gives. `skip` is where the Markdown begins."""

    frontmatter: Frontmatter | None = None
    links: tuple[Link, ...] = ()
    tags: tuple[Tag, ...] = ()
    problems: tuple[Problem, ...] = ()
    skip: int = 0


class NoteHandler(Protocol):
    """python-frontmatter's handler interface, and the two steps with positions."""

    def detect(self, text: str) -> bool:
        """Whether the text starts with a closed block."""

    def split(self, text: str) -> tuple[str, str]:
        """The YAML text and the body, both as they are; ("", text) without a block."""

    def load(self, fm: str) -> dict[str, Any]:
        """The properties; raises BlockError where they can't be read."""

    def export(self, metadata: dict[str, object], **kwargs: object) -> str:
        """The properties as Obsidian would write them, without fences."""

    def locate(self, text: str) -> Span | None:
        """Where the block is; None without one. `text` has plain line feeds."""

    def read(self, fm: str) -> Block:
        """The properties with their links, tags and faults; raises BlockError."""


@functools.cache
def note_handler() -> NoteHandler:
    """The one handler for notes, a `BaseHandler` of python-frontmatter.

    Its detection, splitting and reading are our own. The functions of that package
    are not for notes: they skip detection, strip the body and read YAML 1.1.
    """
    from frontmatter.default_handlers import BaseHandler

    class Handler(BaseHandler):
        FM_BOUNDARY = _CLOSING
        START_DELIMITER = END_DELIMITER = "---"

        def detect(self, text: str) -> bool:
            return self.locate(text) is not None

        def split(self, text: str) -> tuple[str, str]:
            span = self.locate(text)
            if span is None:
                return "", text
            return text[span.start : span.end], text[span.body :]

        def load(self, fm: str) -> dict[str, Any]:
            return self.read(fm).properties

        def export(self, metadata: dict[str, Any], **_kwargs: object) -> str:
            lines = (line for item in metadata.items() for line in emit_property(*item))
            return "\n".join(lines)

        def locate(self, text: str) -> Span | None:
            opening = _OPENING.match(text)
            if opening is None:
                return None
            closing = _CLOSING.search(text, opening.end())
            if closing is None:
                return None
            after = min(closing.end() + 1, len(text))
            return Span(opening.end(), closing.start(), after)

        def read(self, fm: str) -> Block:
            return read_block(fm)

    return Handler()


def block_end(text: str) -> int:
    """Where the body begins behind a closed block, be it readable or not; else 0."""
    span = note_handler().locate(plain_newlines(text))
    return 0 if span is None else span.body


def read_frontmatter(path: str, text: str, plain: str) -> Reading:
    """Read the head of a note. `plain` is `text` with `plain_newlines`.

    Never raises: what can't be read is told in the frontmatter's `error` and in
    `problems`, and links and tags are then empty.
    """
    if not plain.startswith("---"):
        return _without_block(path, plain)
    span = note_handler().locate(plain)
    if span is None:
        return _without_block(path, plain)
    block = text[span.start : span.end]
    try:
        read = note_handler().read(block)
    except BlockError as error:
        return _broken(path, plain, span, error)
    at = functools.partial(_line, plain, span)
    return Reading(
        Frontmatter(*span, MappingProxyType(read.properties)),
        tuple(
            link
            for key, value, index in read.texts
            for link in find_wikilinks(value, at(index), key)
        ),
        tuple(Tag(name, 0) for name in read.tags),
        tuple(_problem(path, at(fault.index), fault) for fault in read.faults),
        span.body,
    )


def _line(plain: str, span: Span, index: int) -> int:
    return plain.count("\n", 0, span.start + index) + 1


def _problem(path: str, line: int, error: BlockError) -> Problem:
    return Problem(path, line, error.code, error.message, error.mend)


def _broken(path: str, plain: str, span: Span, error: BlockError) -> Reading:
    problem = _problem(path, _line(plain, span, error.index), error)
    frontmatter = Frontmatter(*span, MappingProxyType({}), problem)
    # Prose between two rules is text like any other; a broken block is none.
    skip = 0 if error.is_prose else span.body
    return Reading(frontmatter, problems=(problem,), skip=skip)


def _without_block(path: str, plain: str) -> Reading:
    stripped = plain.lstrip("\n\t ")
    blank = len(plain) - len(stripped)
    opening = _OPENING.match(stripped)
    if opening is None or not _KEY_LINE.match(stripped, opening.end()):
        return Reading()
    if blank == 0:
        problem = Problem(
            path,
            1,
            "frontmatter-unclosed",
            "the properties have no closing `---` line, so they are plain text",
            "add a line `---` after the last property",
        )
    elif plain[blank - 1] == "\n" and _CLOSING.search(stripped, opening.end()):
        problem = Problem(
            path,
            plain.count("\n", 0, blank) + 1,
            "frontmatter-late",
            "the properties don't start on line 1, so Obsidian doesn't see them",
            "remove the blank lines above them",
        )
    else:
        return Reading()
    return Reading(problems=(problem,))
