"""Surgery on a note's properties: some change, every other byte stays.

Owns which bytes belong to a property and when a change is refused. Works on bytes in
memory and writes no file. How a value is written is `emit`'s business.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from mindcache.errors import EditRefused
from mindcache.note.block import compose, yaml_loader
from mindcache.note.decoding import plain_newlines
from mindcache.note.emission import (
    emit,
    emit_flow_scalar,
    emit_list_item,
    emit_property,
    emit_scalar,
)
from mindcache.note.markdown import parse
from mindcache.note.types import Frontmatter, Note, Property

__all__ = ["DELETE", "UNSAFE", "Delete", "edit", "same_value"]

UNSAFE = frozenset(
    {
        "duplicate-key",
        "encoding",
        "frontmatter-broken",
        "frontmatter-late",
        "frontmatter-not-a-map",
        "frontmatter-too-large",
        "frontmatter-unclosed",
        "git-conflict",
    }
)
"""What a note must be free of for its properties to be changed, or added to."""

# Line ends for YAML, but for no editor.
_ODD_LINE_END = re.compile("[\x85\u2028\u2029]")
_COMMENT = re.compile(r"(?:^|(?<=[ \n]))#[^\n]*")
_DASH = re.compile(r" *- *")
_SHARED = ("AnchorToken", "AliasToken")
_SEVERAL = ("DocumentStartToken", "DocumentEndToken", "DirectiveToken")


class Delete(enum.Enum):
    """The type of `DELETE`, the value that removes a property."""

    DELETE = "delete"


DELETE = Delete.DELETE

_Edit = tuple[int, int, str]


def edit(data: bytes, changes: Mapping[str, Property | Delete]) -> bytes:
    """The note's bytes with the properties in `changes` set, added or removed.

    Only the bytes of those properties differ; with nothing to change the very same
    bytes come back. A note without properties gets a block in front; removing the
    last line of a block removes its fences too. Raises EditRefused, naming line and
    reason, when that can't be done safely.
    """
    for key, value in changes.items():
        if not isinstance(value, Delete):
            emit_property(key, value)  # refuses what no property can hold
    note = parse("", data)
    for problem in note.problems:
        if problem.code in UNSAFE:
            _refuse(problem.line, problem.message, problem.mend)
    if note.frontmatter is None:
        text = _with_new_block(note, changes)
    else:
        text = _Block(note, note.frontmatter).changed(changes)
    if text == note.text:
        return data
    if note.frontmatter is not None:
        bare = _without_fences(note, note.frontmatter, text)
        if bare is not None and not _fault(note, changes, bare):
            return _stored(note, bare)
    fault = _fault(note, changes, text)
    if fault:
        _refuse(0, fault)
    return _stored(note, text)


def same_value(one: Property, other: Property) -> bool:
    """Whether two values are the same property: 1 and 1.0 are, 1 and true aren't."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same_value(a, b) for a, b in pairs)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same_value(value, other[key]) for key, value in one.items()
        )
    return one == other


def _refuse(line: int, reason: str, mend: str = "") -> NoReturn:
    raise EditRefused(f"line {line}: {reason}" if line else reason, mend=mend)


def _stored(note: Note, text: str) -> bytes:
    return (b"\xef\xbb\xbf" if note.encoding.bom else b"") + text.encode("utf-8")


def _with_new_block(note: Note, changes: Mapping[str, Property | Delete]) -> str:
    properties = {
        key: value for key, value in changes.items() if not isinstance(value, Delete)
    }
    return emit(properties, "", note.encoding.newline) + note.text


def _without_fences(note: Note, front: Frontmatter, text: str) -> str | None:
    """The text without its block, if nothing is left between the fences."""
    tail = len(note.text) - front.end
    if text[front.start : len(text) - tail]:
        return None
    return note.text[front.body :]


def _fault(note: Note, changes: Mapping[str, Property | Delete], text: str) -> str:
    """What is wrong with `text` as the outcome of `changes`; "" when nothing is."""
    after = parse("", text.encode("utf-8"))
    if any(problem.code in UNSAFE for problem in after.problems):
        return "the changed properties could not be read again"
    if after.body != note.body:
        return "the change would have touched the text of the note"
    wanted = dict(note.properties)
    for key, value in changes.items():
        if isinstance(value, Delete):
            wanted.pop(key, None)
        else:
            wanted[key] = value
    if not same_value(dict(after.properties), wanted):
        return "the change would have touched other properties, or not held"
    return ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A property in its block; all numbers are offsets into the block.

    `line` is where its first line starts, `colon` the place after its colon, `eol`
    the end of that line, `value` and `stop` where the value itself starts and stops,
    `end` the start of the line after its last.
    """

    node: Any  # a yaml.Node, known only when PyYAML is loaded
    line: int
    colon: int
    eol: int
    value: int
    stop: int
    end: int

    @property
    def is_empty(self) -> bool:
        return self.value == self.stop


class _Block:
    """The properties of one note as YAML nodes with their marks."""

    def __init__(self, note: Note, front: Frontmatter) -> None:
        self.text = note.text
        self.front = front
        self.properties = front.properties
        self.newline = note.encoding.newline
        self.block = note.text[front.start : front.end]
        self.plain = plain_newlines(self.block)
        self._refuse_odd_characters()
        root: Any = compose(self.block)
        self.pairs: list[tuple[Any, Any]] = [] if root is None else root.value
        if root is not None and root.flow_style:
            mend = "write one `name: value` line for each property"
            self._refuse(root.start_mark.index, "the properties stand in braces", mend)
        self.shared = list(self._shared())
        self.indent = self._indent()

    def changed(self, changes: Mapping[str, Property | Delete]) -> str:
        """The whole text of the note with `changes` made."""
        edits: list[_Edit] = []
        added: list[str] = []
        for key, value in changes.items():
            if key in self.properties:
                if isinstance(value, Delete):
                    edits.append(self._delete(self._entry(key)))
                elif not same_value(self.properties[key], value):
                    edits.extend(self._set(self._entry(key), key, value))
            elif not isinstance(value, Delete):
                added.extend(emit_property(key, value))
        if added:
            edits.append((len(self.block), len(self.block), self._lines(added)))
        block = _applied(self.block, edits)
        return self.text[: self.front.start] + block + self.text[self.front.end :]

    def _refuse_odd_characters(self) -> None:
        tab = self.block.find("\t")
        if tab >= 0:
            self._refuse(tab, "there is a tab in the properties", "use spaces")
        odd = _ODD_LINE_END.search(self.block)
        if odd is not None:
            self._refuse(odd.start(), "there is an unusual line end in the properties")

    def _shared(self) -> Iterator[int]:
        """Where anchors and aliases stand; refuses several YAML documents."""
        import yaml

        for token in yaml.scan(self.block, Loader=yaml_loader()):
            kind = type(token).__name__
            if kind in _SHARED:
                yield token.start_mark.index
            elif kind in _SEVERAL:
                reason = "the properties hold a YAML document mark"
                self._refuse(token.start_mark.index, reason, "remove that line")

    def _indent(self) -> str:
        if not self.pairs:
            return ""
        start: int = self.pairs[0][0].start_mark.index
        return " " * (start - self._line_start(start))

    def _refuse(self, index: int, reason: str, mend: str = "") -> NoReturn:
        line = plain_newlines(self.text).count("\n", 0, self.front.start + index) + 1
        _refuse(line, reason, mend)

    def _line_start(self, index: int) -> int:
        return self.plain.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        """The start of the line after the one that `index` is in."""
        end = self.plain.find("\n", index)
        return len(self.plain) if end < 0 else end + 1

    def _lines(self, lines: Iterable[str], indent: str | None = None) -> str:
        prefix = self.indent if indent is None else indent
        return "".join(prefix + line + self.newline for line in lines)

    def _entry(self, name: str) -> _Entry:
        index = next(i for i, (key, _) in enumerate(self.pairs) if key.value == name)
        key, node = self.pairs[index]
        start = key.start_mark.index
        line = self._line_start(start)
        limit = len(self.block)
        if index + 1 < len(self.pairs):
            limit = self._line_start(self.pairs[index + 1][0].start_mark.index)
        if limit <= line or any(line <= shared < limit for shared in self.shared):
            reason = f"the property `{name}` uses a YAML anchor or alias"
            self._refuse(start, reason, "write the value out")
        if self.block[line:start].strip(" "):
            reason = f"the property `{name}` is written as a complex YAML key"
            self._refuse(start, reason, "write it as `name: value`")
        colon = self.block.index(":", key.end_mark.index) + 1
        stop = self._stop(node)
        value = node.start_mark.index
        if value == stop:
            value = stop = colon
        end = self._line_end(max(colon, stop - 1))
        if not colon <= value <= stop <= end <= limit:
            self._refuse(start, f"it is unclear where the property `{name}` ends")
        return _Entry(node, line, colon, self._eol(colon), value, stop, end)

    def _eol(self, index: int) -> int:
        """The end of the line that `index` is in, its line end not included."""
        end = self._line_end(index)
        return index + len(self.block[index:end].rstrip("\r\n"))

    def _stop(self, node: Any) -> int:  # noqa: ANN401 - see _Entry
        """Where a value stops: comments and blank lines after it aren't its own."""
        start, stop = node.start_mark.index, node.end_mark.index
        if node.id == "scalar":
            if node.style not in ("|", ">"):
                return int(stop)
            raw = self.block[start:stop]
            header = raw.partition("\n")[0].partition("#")[0]
            return int(stop) if "+" in header else start + len(raw.rstrip())
        if node.flow_style or not node.value:
            return int(stop)
        last = node.value[-1]
        return self._stop(last[1] if node.id == "mapping" else last)

    def _comments(self, node: Any, start: int, end: int) -> list[str]:  # noqa: ANN401 - see _Entry
        """The comments between `start` and `end` that are not part of a value."""
        found: list[str] = []
        for leaf in self._leaves(node):
            # a key may stand in front of `start`, an empty value has no text
            found += self._comments_between(start, leaf.start_mark.index)
            if leaf.style in ("|", ">"):
                header = self._line_end(leaf.start_mark.index)
                found += self._comments_between(leaf.start_mark.index, header)
            start = max(start, self._stop(leaf))
        return found + self._comments_between(start, end)

    def _comments_between(self, start: int, end: int) -> list[str]:
        return [found.strip() for found in _COMMENT.findall(self.plain[start:end])]

    def _leaves(self, node: Any) -> Iterator[Any]:  # noqa: ANN401 - see _Entry
        if node.id == "scalar":
            yield node
        elif node.id == "sequence":
            for child in node.value:
                yield from self._leaves(child)
        else:
            for key, value in node.value:
                yield from self._leaves(key)
                yield from self._leaves(value)

    def _delete(self, entry: _Entry) -> _Edit:
        comments = self._comments(entry.node, entry.colon, entry.end)
        return entry.line, entry.end, self._lines(comments)

    def _set(self, entry: _Entry, key: str, value: Property) -> list[_Edit]:
        old = self.properties[key]
        if isinstance(old, list) and isinstance(value, list) and old and value:
            edits = self._edit_list(entry, old, value)
            if edits is not None:
                return edits
        lines = emit_property(key, value)[1:]
        scalar = "" if lines or value is None else emit_scalar(value)
        if "\n" not in self.plain[entry.colon : entry.stop]:
            return [self._replace_on_line(entry, scalar, lines)]
        return [self._replace_lines(entry, scalar, lines)]

    def _replace_on_line(self, entry: _Entry, scalar: str, lines: list[str]) -> _Edit:
        """Put a value in the place of one that stands on its key's line, or of none."""
        gap = self.block[entry.colon : entry.value]
        tail = self.block[entry.stop : entry.eol]
        if scalar and entry.is_empty and not tail.strip():
            gap, tail = tail, ""
        new = (gap or " ") + scalar + tail if scalar else tail
        end = self.block[entry.eol : entry.end]
        return entry.colon, entry.end, new + end + self._lines(lines)

    def _replace_lines(self, entry: _Entry, scalar: str, lines: list[str]) -> _Edit:
        """Put a value in the place of one of several lines; its comments go below."""
        rest, start = "", entry.colon
        if entry.value > entry.eol:  # the key's own line holds at most a comment
            rest, start = self.block[entry.colon : entry.eol], entry.eol
        if scalar:
            rest = f" {scalar}{rest if rest.strip() else ''}"
        comments = self._comments(entry.node, start, entry.end)
        text = rest + self.newline + self._lines(lines) + self._lines(comments)
        return entry.colon, entry.end, text

    def _edit_list(
        self, entry: _Entry, old: list[Property], new: list[Property]
    ) -> list[_Edit] | None:
        """Edits of single items, so that the others keep their bytes; None if odd."""
        items = entry.node.value if entry.node.id == "sequence" else []
        if len(items) != len(old):
            return None  # an unquoted link, for one
        if not entry.node.flow_style:
            return self._edit_block_list(items, _aligned(old, new))
        flat = "\n" not in self.plain[entry.value : entry.stop]
        if flat and all(item.id == "scalar" for item in items):
            return [self._edit_flow_list(entry, items, _aligned(old, new))]
        return None

    def _edit_block_list(
        self, items: list[Any], steps: list[tuple[int, Property]]
    ) -> list[_Edit] | None:
        starts = [self._line_start(item.start_mark.index) for item in items]
        ends = [
            self._line_end(max(item.start_mark.index, self._stop(item) - 1))
            for item in items
        ]
        for item, start in zip(items, starts, strict=True):
            if not _DASH.fullmatch(self.block, start, item.start_mark.index):
                return None
        indent = self.block[starts[0] : self.block.index("-", starts[0])]
        edits: list[_Edit] = []
        place = starts[0]
        kept = {index for index, _ in steps}
        for index, value in steps:
            if index < 0:
                lines = self._lines(emit_list_item(value, indent), "")
                edits.append((place, place, lines))
            else:
                place = ends[index]
        for index in set(range(len(items))) - kept:
            comments = self._comments(items[index], starts[index], ends[index])
            edits.append((starts[index], ends[index], self._lines(comments, indent)))
        return edits

    def _edit_flow_list(
        self, entry: _Entry, items: list[Any], steps: list[tuple[int, Property]]
    ) -> _Edit:
        spans = [(item.start_mark.index, item.end_mark.index) for item in items]
        text = self.block[entry.value : spans[0][0]]
        previous = None
        for index, value in steps:
            if previous is not None and index == previous + 1:
                text += self.block[spans[previous][1] : spans[index][0]]
            elif previous is not None:
                text += ", "
            if index < 0:
                text += emit_flow_scalar(value)
            else:
                text += self.block[slice(*spans[index])]
            previous = index if index >= 0 else len(items)
        return entry.value, entry.stop, text + self.block[spans[-1][1] : entry.stop]


def _aligned(old: list[Property], new: list[Property]) -> list[tuple[int, Property]]:
    """For each new item the index of the old item that it is, or -1 for none."""
    places: dict[str, list[int]] = {}
    for index, value in enumerate(old):
        places.setdefault(repr(value), []).append(index)
    steps: list[tuple[int, Property]] = []
    start = 0
    for value in new:
        found = places.get(repr(value), [])
        at = bisect_left(found, start)
        steps.append((found[at] if at < len(found) else -1, value))
        if at < len(found):
            start = found[at] + 1
    return steps


def _applied(text: str, edits: list[_Edit]) -> str:
    """`text` with the edits made; of edits at one place the insertions come first."""
    pieces: list[str] = []
    last = 0
    for start, end, new in sorted(edits, key=lambda item: item[:2]):
        pieces += (text[last:start], new)
        last = end
    pieces.append(text[last:])
    return "".join(pieces)
