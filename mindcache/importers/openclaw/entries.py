"""MEMORY.md and USER.md as entries: a bullet or a paragraph, with what stands of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Entry", "entries"]

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
_COMMENT = re.compile(r"(?<![ \t])[ \t]*+<!--(.*?)-->", re.DOTALL)
_PAIR = re.compile(
    r"^\s*(trigger|triggers|importance|project|observed|status):(.*)$", re.DOTALL
)
_BULLET = re.compile(r"^(?:[-*+]|\d{1,9}[.)])[ \t]+")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*)$")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_SOURCE = re.compile(r"\bSource:\s*`?([^\s`#]+\.md)(?:#L\d+(?:-L?\d+)?)?")
_SEPARATOR = re.compile(r"[,;]")
# `;` in a project's key is written with a backslash.
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that an agent keeps of itself or of its user.

    `text` is Markdown without the comments; `lines` are its first and last, from 1;
    `section` is the heading above it. `importance` is from 1 to 10, 0 when nothing
    says so; `status` "active", "superseded" or "". `cites` is the file that it was
    promoted from.
    """

    text: str
    lines: tuple[int, int]
    section: str = ""
    triggers: tuple[str, ...] = ()
    importance: int = 0
    project: str = ""
    observed: str = ""
    status: str = ""
    cites: str = ""


@dataclass(slots=True)
class _Block:
    first: int
    text: list[str] = field(default_factory=list)


def entries(text: str) -> Iterator[Entry]:
    """The entries of a file, in its order."""
    section = ""
    ahead: dict[str, str] = {}
    for block in _blocks(text):
        whole = "".join(block.text)
        heading = _HEADING.match(whole.rstrip("\r\n"))
        if heading:
            section, ahead = heading[2].rstrip(" \t#").strip(), {}
            continue
        found: dict[str, str] = {}
        # Behind the last end no comment ends: nothing is looked for there.
        ended = whole.rfind("-->") + 3 if "-->" in whole else 0
        for match in _COMMENT.finditer(whole, 0, ended):
            found |= _pairs(match[1])
        plain = _COMMENT.sub("", whole[:ended]) + whole[ended:]
        plain = plain.strip("\r\n")
        if not plain.strip():
            # A comment on a line of its own is about what follows.
            ahead |= found
            continue
        yield _entry(plain, block, section, {**ahead, **found})
        ahead = {}


def _blocks(text: str) -> Iterator[_Block]:
    """Headings, comments, bullets with what is below them, and paragraphs."""
    block: _Block | None = None
    fenced = is_blank = commented = False
    for number, line in enumerate(_LINES.findall(text), 1):
        bare = line.rstrip("\r\n")
        if fenced or commented or _FENCE.match(bare):
            if _FENCE.match(bare) and not commented:
                fenced = not fenced
            block = block or _Block(number)
            block.text.append(line)
            commented = commented and "-->" not in bare
            continue
        starts = bool(_BULLET.match(bare) or _HEADING.match(bare))
        starts = starts or bare.startswith("<!--")
        starts = starts or (is_blank and bool(bare.strip()) and bare[0] not in " \t")
        starts = starts or (block is not None and _is_heading(block))
        if starts and block is not None:
            yield block
            block = None
        if bare.strip() or block is not None:
            block = block or _Block(number)
            block.text.append(line)
        commented = "<!--" in bare and "-->" not in bare.rpartition("<!--")[2]
        is_blank = not bare.strip()
    if block is not None:
        yield block


def _is_heading(block: _Block) -> bool:
    return bool(_HEADING.match(block.text[0].rstrip("\r\n")))


def _pairs(comment: str) -> dict[str, str]:
    found = {}
    for part in comment.split("|"):
        if match := _PAIR.match(part):
            name = "trigger" if match[1] == "triggers" else match[1]
            found[name] = " ".join(match[2].split())
    return found


def _entry(plain: str, block: _Block, section: str, said: dict[str, str]) -> Entry:
    text = _without_bullet(plain)
    cited = _SOURCE.search(text)
    words = said.get("importance", "")
    importance = int(words) if words.isascii() and words.isdigit() else 0
    last = block.first + len("".join(block.text).rstrip().splitlines()) - 1
    return Entry(
        text,
        (block.first, last),
        section,
        tuple(
            w
            for each in _SEPARATOR.split(said.get("trigger", ""))
            if (w := each.strip())
        ),
        importance if 1 <= importance <= 10 else 0,
        _ESCAPED.sub(r"\1", said.get("project", "")),
        said.get("observed", ""),
        said.get("status", "").casefold(),
        cited[1] if cited else "",
    )


def _without_bullet(text: str) -> str:
    """A bullet's text, what is below it moved to the left by as much."""
    match = _BULLET.match(text)
    if not match:
        return text.rstrip() + "\n"
    width = match.end()
    head, *rest = text[width:].split("\n")
    moved = [line[min(width, len(line) - len(line.lstrip(" "))) :] for line in rest]
    return "\n".join([head, *moved]).rstrip() + "\n"
