"""The note that proposals stand in: what is written into it, what is read out. Pure.

One box for each change (of diverged copies one for each way), known by its block id.
Nothing else in the note decides anything. What comes out of other notes is shown
behind backslashes or in a fence longer than any in it, so that none of it makes a box,
a link or a comment here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mindcache.digest.proposals.book import Proposal
from mindcache.digest.step import Source
from mindcache.note import Note
from mindcache.redact import redact

__all__ = [
    "Box",
    "Verdict",
    "boxes_of",
    "heading",
    "mentioned",
    "plain",
    "section",
    "settled",
    "verdict",
]

_ID = re.compile(r"(?<!\S)\^(p-[0-9a-z]{10})(?:-([ab]))?(?![0-9A-Za-z-])")
_BOX = re.compile(r"([ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[)([^\n])(\].*)", re.DOTALL)

_TICKS = frozenset("xX✓✔")
_NO = "-"

# What Markdown, Obsidian or a plugin would read as more than its words.
_SPECIAL = re.compile(r"[\\`*\[\]<>#$^|]|%(?=%)|=(?==)|~(?=~)|:(?=:)|_(?=_)")
# Controls, what turns text around, and what nobody sees.
_HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_RUN = re.compile(r"`{3,}")

# Characters of a quote: its source is a click away.
_QUOTE = 300
# Lines of a diff, and characters of one and of all: the rest is read with --dry-run.
_LINES = 120
_WIDTH = 400
_WHOLE = 6_000

_TITLES = {
    "merge": "Notes that say the same",
    "retire": "What holds no longer",
    "entity": "Names without a note",
    "promote": "What holds everywhere",
    "topics": "Topics that are one",
    "diverged": "Copies that went apart",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A box as it stands in a note: `choice` is "a" or "b" where there are two ways."""

    id: str
    choice: str
    mark: str
    line: int

    @property
    def is_ticked(self) -> bool:
        """Whether a person agreed."""
        return self.mark in _TICKS

    @property
    def is_refused(self) -> bool:
        """Whether a person said no."""
        return self.mark == _NO


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person made of a proposal: `yes`, `no`, `gone`, `open` or `unclear`.

    `gone` is a no that is taken back by putting the box back.
    """

    what: str
    choice: str = ""
    why: str = ""


# -- reading -------------------------------------------------------------------


def boxes_of(note: Note) -> list[Box]:
    """The boxes of a note that carry a proposal's id, in order."""
    lines = note.text.split("\n")
    found = []
    for task in note.tasks:
        ids = _ID.findall(lines[task.line - 1])
        if ids:
            found.append(Box(ids[-1][0], ids[-1][1], task.mark, task.line))
    return found


def mentioned(text: str) -> set[str]:
    """The ids that stand in a text at all, be it in code or a comment."""
    return {found[0] for found in _ID.findall(text)}


def verdict(boxes: Sequence[Box], *, is_mentioned: bool) -> Verdict:
    """What the boxes of one proposal say together.

    With none it was taken out by a person, unless its id `is_mentioned` in something
    that is no box.
    """
    if not boxes:
        return (
            Verdict("unclear", why="its box can't be read as one")
            if is_mentioned
            else Verdict("gone", why="its line was deleted")
        )
    ticked = {box.choice for box in boxes if box.is_ticked}
    choices = {box.choice for box in boxes}
    if len(ticked) > 1:
        return Verdict("unclear", why="both boxes are ticked")
    if len({(box.choice, box.mark) for box in boxes}) > len(choices):
        return Verdict("unclear", why="its box stands there twice")
    if ticked:
        return Verdict("yes", ticked.pop())
    is_no = all(box.is_refused for box in boxes)
    return Verdict("no", why="its box says so") if is_no else Verdict("open")


# -- writing -------------------------------------------------------------------


def heading(kind: str) -> str:
    """What the proposals of a kind stand under."""
    return f"## {_TITLES[kind]}"


def section(
    proposal: Proposal,
    ways: Sequence[tuple[str, str]],
    sources: Iterable[Source],
    diff: str,
    link: Callable[[str], str],
    remarks: Iterable[str] = (),
) -> list[str]:
    """The lines that show one proposal.

    `ways` are (choice, what ticking does, as Markdown), `link` gives the link to a
    path, `remarks` (Markdown of ours) are said behind the reason.
    """
    lines = [
        f"- [ ] {words} ^{proposal.id}{f'-{choice}' if choice else ''}"
        for choice, words in ways
    ]
    lines += ["", f"> {plain(proposal.reason)}"]
    lines += [f"> {remark}" for remark in remarks]
    for source in sources:
        where = link(source.path) + (f", line {source.line}" if source.line else "")
        words = plain(source.words)
        lines += [">", f"> {where}: {words}" if words else f"> {where}"]
    if diff:
        lines += ["", *_fenced(diff, proposal.id)]
    return [*lines, ""]


def plain(text: str) -> str:
    """Words of a note on one line, meaning nothing but themselves."""
    text = redact(" ".join(_HOSTILE.sub(" ", text).split())).text
    if len(text) > _QUOTE:
        text = f"{text[:_QUOTE].rstrip()}…"
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)


def _fenced(diff: str, note_id: str) -> list[str]:
    lines = [
        _HOSTILE.sub("\ufffd", line.removesuffix("\r"))
        for line in diff.rstrip("\n").split("\n")
    ]
    lines = redact("\n".join(lines)).text.split("\n")
    lines = [f"{x[:_WIDTH]}…" if len(x) > _WIDTH else x for x in lines]
    fits, size = 0, 0
    while fits < min(len(lines), _LINES) and size <= _WHOLE:
        size += len(lines[fits])
        fits += 1
    if more := len(lines) - fits:
        what = "1 more line" if more == 1 else f"{more:,} more lines"
        shows = f"mindcache digest apply {note_id} --dry-run"
        lines = [*lines[:fits], f"… {what}: {shows}"]
    longest = max((len(run) for x in lines for run in _RUN.findall(x)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}diff", *lines, fence]


def settled(text: str, marks: dict[int, tuple[str, str]]) -> str:
    """The text with these lines' boxes marked: line → (mark, what to say of it).

    Nothing but the mark and the words before the block id changes.
    """
    lines = text.split("\n")
    for number, (mark, words) in marks.items():
        line = lines[number - 1]
        found = _BOX.fullmatch(line)
        if found is None:
            continue
        line = f"{found[1]}{mark}{found[3]}"
        at = max((m.start() for m in _ID.finditer(line)), default=len(line))
        if words and words not in line:
            line = f"{line[:at].rstrip()} — {words} {line[at:]}"
        lines[number - 1] = line
    return "\n".join(lines)
