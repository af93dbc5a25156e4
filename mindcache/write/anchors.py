"""Headings and blocks of a note that becomes part of another, told apart from its own.

Pure. A link leads to the first heading, or block id, of its name: where the other note
has one of that name too, the one that comes in gets a mark, and so do links to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mindcache.errors import Refused
from mindcache.links import fold
from mindcache.note import Note, parse

__all__ = ["Anchors", "marked", "told_apart"]

_BLOCK_ID = re.compile(r"\s*(?<!\S)\^[A-Za-z0-9-]+\s*$")
# What may follow a heading's text on its line: closing marks, a block id.
_TAIL = re.compile(r"(?:[ \t]+#+)?(?:[ \t]+\^[A-Za-z0-9-]+)?[ \t]*$")
# Obsidian compares headings without what stands between their words.
_BETWEEN = re.compile(r"[\W_]+")
_UNLINKABLE = re.compile(r"[#^|\[\]\\()]+")


@dataclass(frozen=True, slots=True)
class Anchors:
    """Other names for what would be mistaken: headings by their keys, block ids.

    `headings` are those that the note which stays has; each gets `mark` behind it.
    `blocks` are its block ids, folded → what such an id is called instead.
    """

    mark: str = ""
    headings: frozenset[str] = frozenset()
    blocks: Mapping[str, str] = field(default_factory=dict)

    def subpath(self, given: str) -> str:
        """What stands behind "#" in a link to the note that comes in."""
        return "#".join(self._part(part) for part in given.split("#"))

    def _part(self, part: str) -> str:
        if part.startswith("^"):
            found = self.blocks.get(fold(part[1:].strip()))
            return f"^{found}" if found else part
        return f"{part.rstrip()}{self.mark}" if _key(part) in self.headings else part


def told_apart(source: Note, into: Note, name: str) -> Anchors:
    """The marks that keep the headings and blocks of `source` apart from `into`'s.

    `name` is the heading that they come in under, and what they are marked with.
    """
    # The heading that the text is put under is one more of them.
    own = (_key(each.text) for each in into.headings)
    headings = frozenset((*own, _key(name))) - {""}
    taken = headings | {_key(each.text) for each in source.headings}
    plain = " ".join(_UNLINKABLE.sub(" ", name).split()) or "merged"
    number, mark = 1, f" ({plain})"
    while any(_key(f"{each}{mark}") in taken for each in headings):
        number += 1
        mark = f" ({plain} {number})"
    ids = {fold(block.id) for note in (source, into) for block in note.blocks}
    blocks: dict[str, str] = {}
    for block in into.blocks:
        number = 2
        while f"{fold(block.id)}-{number}" in ids:
            number += 1
        blocks[fold(block.id)] = f"{block.id}-{number}"
        ids.add(f"{fold(block.id)}-{number}")
    return Anchors(mark, headings, blocks)


def _key(text: str) -> str:
    folded = fold(_BLOCK_ID.sub("", text))
    return " ".join(_BETWEEN.sub(" ", folded).split()) or folded.strip()


def marked(note: Note, anchors: Anchors) -> str:
    """The note's body, its line ends plain, with its headings and blocks so marked.

    Raises Refused for a heading or block that can't be given another name.
    """
    whole = _plain(note.text)
    lines = whole.split("\n")
    body = _plain(note.body)
    first = len(lines) - body.count("\n") - 1
    for heading in note.headings:
        if _key(heading.text) in anchors.headings:
            at = (heading.last or heading.line + 1) - 2
            end = _tail(lines[at], heading.last)
            lines[at] = lines[at][:end] + anchors.mark + lines[at][end:]
    for block in note.blocks:
        if found := anchors.blocks.get(fold(block.id)):
            head, _, tail = lines[block.line - 1].rpartition(f"^{block.id}")
            lines[block.line - 1] = f"{head}^{found}{tail}"
    after = parse(note.path, "\n".join(lines).encode("utf-8", "surrogatepass"))
    wanted = [anchors.subpath(_heading(each.text)) for each in note.headings]
    ids = [anchors.subpath(f"^{block.id}")[1:] for block in note.blocks]
    if [_heading(each.text) for each in after.headings] != [
        _whole(anchors, each.text) for each in note.headings
    ] or [block.id for block in after.blocks] != ids:
        named = ", ".join(dict.fromkeys(wanted)) or ", ".join(ids)
        raise Refused(
            f"{note.path}: headings or blocks can't be told apart: {named}",
            mend="rename those that both notes have, then run it again",
        )
    return "\n".join(lines[first:])


def _whole(anchors: Anchors, text: str) -> str:
    """A heading's text as it should be, "#" and all."""
    text = _heading(text)
    return f"{text}{anchors.mark}" if _key(text) in anchors.headings else text


def _heading(text: str) -> str:
    return _BLOCK_ID.sub("", text).rstrip()


def _tail(line: str, underlined: int) -> int:
    """Where the text of a heading ends on its line."""
    found = None if underlined else _TAIL.search(line)
    return found.start() if found else len(line.rstrip())


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
