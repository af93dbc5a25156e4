"""A Markdown file read: its links, tags, headings and the other plain facts.

Owns `parse` and what of a body counts, as Obsidian and Dataview count it. Resolves
no link and gives no property a meaning. Never raises, whatever the bytes are, and
takes time linear in their number.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from mindcache.errors import Problem
from mindcache.lazy import regex
from mindcache.note.block import placed_links
from mindcache.note.brackets import wikilink_spans
from mindcache.note.decoding import decode, plain_newlines
from mindcache.note.fields import FieldSpan, find_fields
from mindcache.note.frontmatter import Reading, read_frontmatter
from mindcache.note.mask import FILLER, Masked, mask
from mindcache.note.types import (
    Block,
    Callout,
    Field,
    Heading,
    Link,
    LinkKind,
    LinkOrigin,
    Note,
    Place,
    Tag,
    Task,
)
from mindcache.note.wikilinks import TAG_CHARACTERS, wikilink

__all__ = ["find_places", "links_in_text", "parse", "tags_in_text"]

_TAG = regex(rf"#(?<!\S#)({TAG_CHARACTERS}+)")
_ATX = regex(r"^ {0,3}(#{1,6})[ \t]+([^\n]*)", re.MULTILINE)
_ATX_END = regex(r"(?:^|[ \t])#+$")
_UNDERLINE = regex(r"\n {0,3}(?:=++|-++)[ \t]*+$", re.MULTILINE)
# A line that can't be the text of an underlined heading: it is a block of its own.
_NO_PARAGRAPH = regex(
    r" {4}|\t|[ ]{0,3}(?:#{1,6}[ \t]|>|\||[-*+][ \t]|[0-9]{1,9}[.)][ \t]"
    r"|(?:[-*_][ \t]*){3,}$|=+[ \t]*$|-+[ \t]*$)"
)
_BLOCK_ID = regex(r"(?:(?<=[ \t\n])|\A)\^([A-Za-z0-9-]++)[ \t]*$", re.MULTILINE)
_MARKER = r"^[ \t>]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t]++"
_TASK = regex(_MARKER + r"\[([^\n])\](?:[ \t]+([^\n]*)|$)", re.MULTILINE)
_CALLOUT = regex(
    r"^[ \t>*+-]*>[ \t]*\[!([^\]\n|]+)(?:\|[^\]\n]*)?\][+-]?([^\n]*)", re.MULTILINE
)
_DRAWING = regex(
    r"^(?:%%[ \t]*\n+)?# (?:Excalidraw Data|Text Elements)[ \t]*$"
    r"|^%%[ \t]*\n+#{1,2} (?:Drawing|Embedded Files)[ \t]*$",
    re.MULTILINE,
)
_GENERATED_BEGIN = regex(r"^%% mindcache:begin [^\n%]*%%[ \t]*$", re.MULTILINE)
_GENERATED_END = regex(r"^%% mindcache:end %%[ \t]*$", re.MULTILINE)
_CONFLICT = regex(r"^<<<<<<< ", re.MULTILINE)
_CONFLICT_MIDDLE = regex(r"^=======[ \t]*$", re.MULTILINE)
_CONFLICT_END = regex(r"^>>>>>>> ", re.MULTILINE)

# Brackets that pair up around the label of a Markdown link; a blank line ends it.
_BRACKET = regex(r"!?\[|\]\(?|\n[ \t]*+\n")
_DESTINATION = regex(
    r"[ \t]*+(?:<([^<>\n]*+)>|([^\s()<>][^\s()]*+(?:\([^\s()]*+\)[^\s()]*+)*+))"
    r"(?:[ \t\n]++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?[ \t\n]*+\)"
)
# A scheme has at least two letters (RFC 3986), so that `C:` is a drive, no link either.
_EXTERNAL = regex(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_PERCENT = regex(r"(?:%[0-9A-Fa-f]{2})+")
_ESCAPED = regex(r"\\([!-/:-@\[-`{-~])")

_Span = tuple[int, int]


def parse(path: str, data: bytes) -> Note:
    """Read the note at the vault-relative `path` from its bytes.

    Every field of the `Note` is filled; what is wrong is in its `problems`. Never
    raises.
    """
    text, encoding, faults = decode(data)
    plain = plain_newlines(text)
    head = read_frontmatter(path, text, plain)
    end = _text_end(path, plain, head)
    body = _Body(text[head.skip : end], plain[head.skip : end], plain, head.skip)
    links = body.links()
    tags = body.tags()
    conflict = body.conflict_line(plain)
    problems = [Problem(path, 0, *fault) for fault in faults]
    problems += sorted(head.problems)
    if conflict:
        message = "git left conflict markers in the note"
        mend = "keep one of the versions and remove the marker lines"
        problems.append(
            Problem(path, conflict, "git-conflict", message, mend, severity="error")
        )
    return Note(
        path=path,
        text=text,
        encoding=encoding,
        frontmatter=head.frontmatter,
        links=(*head.links, *links),
        tags=(*head.tags, *tags),
        headings=body.headings(),
        blocks=body.blocks(),
        fields=body.fields(),
        tasks=body.tasks(),
        callouts=body.callouts(),
        problems=tuple(problems),
        fences=body.fences,
        conflict_line=conflict,
        generated=body.generated(),
        text_end=end,
    )


def find_places(note: Note) -> list[Place]:
    """Where the links of a note are written, in order.

    A link of a property that YAML spells in some roundabout way (folded over lines,
    in escapes, by an alias) has no place here, though it is among `note.links`.
    """
    plain = plain_newlines(note.text)
    head = read_frontmatter(note.path, note.text, plain)
    found: list[Place] = []
    front = head.frontmatter
    if front is not None and front.error is None:
        block = note.text[front.start : front.end]
        line = plain.count("\n", 0, front.start) + 1
        plain_block = plain[front.start : front.end]
        placed = placed_links(block, plain_block, line)
        found += [_shifted(place, front.start) for place in placed]
    body = _Body(
        note.text[head.skip : note.text_end],
        plain[head.skip : note.text_end],
        plain,
        head.skip,
    )
    found += [_shifted(place, head.skip) for place in body.places()]
    return found


def _shifted(place: Place, by: int) -> Place:
    return place._replace(
        start=place.start + by,
        end=place.end + by,
        inner=place.inner + by,
        inner_end=place.inner_end + by,
    )


def links_in_text(text: str) -> list[Link]:
    """The links in a piece of Markdown; their lines count from 1."""
    plain = plain_newlines(text)
    return list(_Body(text, plain, plain, 0).links())


def tags_in_text(text: str) -> list[Tag]:
    """The tags in a piece of Markdown, each once; their lines count from 1."""
    plain = plain_newlines(text)
    body = _Body(text, plain, plain, 0)
    body.links()
    return list(body.tags())


def _text_end(path: str, plain: str, head: Reading) -> int:
    """Where an Excalidraw note stops being text; the end of any other note."""
    is_drawing = path.endswith(".excalidraw.md") or (
        head.frontmatter is not None
        and "excalidraw-plugin" in head.frontmatter.properties
    )
    found = _DRAWING.search(plain, head.skip) if is_drawing else None
    return len(plain) if found is None else found.start()


class _Body:
    """One body with its masked copy. `source` is cut from, `masked` is searched."""

    __slots__ = (
        "fences",
        "field_spans",
        "first_line",
        "link_spans",
        "masked",
        "source",
        "starts",
        "view",
    )

    def __init__(self, source: str, view: str, plain: str, offset: int) -> None:
        self.source = source
        self.view = view
        masked: Masked = mask(view)
        self.masked = masked.text
        self.first_line = plain.count("\n", 0, offset) + 1
        lengths = (len(line) + 1 for line in view.split("\n"))
        self.starts = list(accumulate(lengths, initial=0))
        first = self.first_line
        self.fences = tuple((first + a, first + b) for a, b in masked.fences)
        self.field_spans: list[FieldSpan] = []
        if "::" in self.masked:
            self.field_spans = find_fields(self.masked)
        self.link_spans: list[_Span] = []

    def line(self, offset: int) -> int:
        return self.first_line + bisect_right(self.starts, offset) - 1

    def links(self) -> tuple[Link, ...]:
        """All links in reading order; notes where they stand, for `tags`."""
        return tuple(place.link for place in self.places())

    def places(self) -> list[Place]:
        """The same with their places in the body."""
        found: list[Place] = []
        if "]]" in self.masked:
            found.extend(self._wikilinks())
        if "](" in self.masked:
            found.extend(self._markdown_links({place.end for place in found}))
            found.sort(key=lambda place: place.start)
        self.link_spans = [(place.start, place.end) for place in found]
        return found

    def _wikilinks(self) -> Iterator[Place]:
        masked = self.masked
        for start, close in wikilink_spans(masked):
            embed = start > 0 and masked[start - 1] == "!"
            origin, field = self._origin(start)
            link = wikilink(
                self.source[start + 2 : close],
                self.line(start),
                embed=embed,
                origin=origin,
                field=field,
            )
            if link is not None:
                yield Place(link, start, close + 2, start + 2, close)

    def _markdown_links(self, wikilink_ends: set[int]) -> Iterator[Place]:
        masked = self.masked
        opened: list[_Span] = []
        for bracket in _BRACKET.finditer(masked):
            token = bracket[0]
            if token[-1] == "[":
                opened.append(bracket.span())
            elif token[0] == "\n":
                opened.clear()
            elif opened:
                start, label = opened.pop()
                close = bracket.start()
                if len(token) == 1 or close + 1 in wikilink_ends:
                    continue
                destination = _DESTINATION.match(masked, close + 2)
                if destination is None:
                    continue
                group = 1 if destination[1] is not None else 2
                inner = destination.span(group)
                link = self._markdown_link(start, self.source[label:close], inner)
                if link is not None:
                    within = "<" if group == 1 else ""
                    yield Place(link, start, destination.end(), *inner, within)

    def _markdown_link(self, start: int, label: str, inner: _Span) -> Link | None:
        written = self.source[slice(*inner)]
        written = _ESCAPED.sub(r"\1", written).strip()
        if _EXTERNAL.match(written):
            return None
        target, _, subpath = written.partition("#")
        target, subpath = _percent_decoded(target), _percent_decoded(subpath)
        if not target and not subpath:
            return None
        kind: LinkKind = "image" if self.masked[start] == "!" else "markdown"
        display = " ".join(label.split())
        origin, field = self._origin(start)
        line = self.line(start)
        return Link(target, subpath, display, kind, line, origin, field)

    def _origin(self, offset: int) -> tuple[LinkOrigin, str]:
        if self.field_spans:
            index = bisect_right(self.field_spans, offset, key=lambda span: span.start)
            if index and offset < self.field_spans[index - 1].end:
                return "inline", self.field_spans[index - 1].key
        return "body", ""

    def tags(self) -> tuple[Tag, ...]:
        """The tags, each once. Call `links` first: a "#" inside a link is no tag."""
        first: dict[str, Tag] = {}
        for found in _TAG.finditer(self.masked):
            name = found[1]
            key = name.casefold()
            if key in first or (name.isascii() and name.isdigit()):
                continue
            if not self._is_in_link(found.start()):
                first[key] = Tag(name, self.line(found.start()))
        return tuple(first.values())

    def _is_in_link(self, offset: int) -> bool:
        index = bisect_right(self.link_spans, (offset, len(self.masked) + 1))
        return index > 0 and offset < self.link_spans[index - 1][1]

    def headings(self) -> tuple[Heading, ...]:
        masked = self.masked
        found: list[Heading] = []
        if "#" in masked:
            for atx in _ATX.finditer(masked):
                text = self.source[atx.start(2) : atx.end(2)].strip()
                text = _ATX_END.sub("", text).rstrip()
                if text:
                    found.append(Heading(len(atx[1]), text, self.line(atx.start())))
        underlined = list(self._underlined())
        if underlined:
            found += underlined
            found.sort(key=lambda heading: heading.line)
        return tuple(found)

    def _underlined(self) -> Iterator[Heading]:
        for rule in _UNDERLINE.finditer(self.masked):
            last = self.line(rule.start()) - self.first_line
            first = last
            while first >= 0 and self._is_paragraph(first):
                first -= 1
            first += 1
            if first > last:
                continue
            text = self.source[self.starts[first] : rule.start()]
            level = 1 if "=" in rule[0] else 2
            line = self.first_line + first
            under = self.first_line + last + 1
            yield Heading(level, " ".join(text.split()), line, under)

    def _is_paragraph(self, index: int) -> bool:
        line = self.masked[self.starts[index] : self.starts[index + 1] - 1]
        return bool(line.strip(FILLER + " \t")) and not _NO_PARAGRAPH.match(line)

    def blocks(self) -> tuple[Block, ...]:
        if "^" not in self.masked:
            return ()
        found = _BLOCK_ID.finditer(self.masked)
        return tuple(Block(m[1], self.line(m.start())) for m in found)

    def fields(self) -> tuple[Field, ...]:
        return tuple(
            Field(
                span.key,
                self.source[span.value_start : span.value_end].strip(),
                self.line(span.start),
            )
            for span in self.field_spans
        )

    def tasks(self) -> tuple[Task, ...]:
        if "[" not in self.masked:
            return ()
        return tuple(
            Task(found[1], self._cut(found, 2), self.line(found.start()))
            for found in _TASK.finditer(self.masked)
        )

    def callouts(self) -> tuple[Callout, ...]:
        if "[!" not in self.masked:
            return ()
        return tuple(
            Callout(
                found[1].strip().lower(), self._cut(found, 2), self.line(found.start())
            )
            for found in _CALLOUT.finditer(self.masked)
        )

    def _cut(self, found: re.Match[str], group: int) -> str:
        start, end = found.span(group)
        return self.source[start:end].strip() if start >= 0 else ""

    def generated(self) -> tuple[_Span, ...]:
        """The line ranges between our markers, each begin with the next end."""
        if "mindcache:begin" not in self.view:
            return ()
        found: list[_Span] = []
        last = 0
        for begin in _GENERATED_BEGIN.finditer(self.view):
            if begin.start() < last or self._is_fenced(self.line(begin.start())):
                continue
            end = _GENERATED_END.search(self.view, begin.end())
            if end is None:
                break
            last = end.end()
            found.append((self.line(begin.start()), self.line(end.start())))
        return tuple(found)

    def conflict_line(self, plain: str) -> int:
        """The line in the whole file where the first git conflict starts, else 0."""
        if "<<<<<<< " not in plain:
            return 0
        for start in _CONFLICT.finditer(plain):
            line = plain.count("\n", 0, start.start()) + 1
            if self._is_fenced(line):
                continue
            middle = _CONFLICT_MIDDLE.search(plain, start.end())
            if middle is None or not _CONFLICT_END.search(plain, middle.end()):
                return 0
            return line
        return 0

    def _is_fenced(self, line: int) -> bool:
        index = bisect_right(self.fences, line, key=lambda fence: fence[0])
        return index > 0 and line <= self.fences[index - 1][1]


def _percent_decoded(text: str) -> str:
    """`text` with `%20` and the like decoded, where they are valid UTF-8."""
    return _PERCENT.sub(_decoded, text) if "%" in text else text


def _decoded(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return match[0]
