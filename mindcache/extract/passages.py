"""A note's text cut into passages: who says it, where it stands, when. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mindcache.extract.finding import Passage
from mindcache.note import Note
from mindcache.plain import plain_text
from mindcache.when import parse_interval

__all__ = ["passages_of"]

_SPEAKER = re.compile(
    r"(?:[-*+] +)?\*\*(?P<name>[^*\n:()]{1,60}?) ?(?:\((?P<in>[^()\n*]{1,40})\))?"
    r"(?P<colon>:?)\*\*(?: \((?P<out>[^()\n]{1,40})\))?(?P<late>:?)[ \t]*"
)
_BLOCK_ID = re.compile(r"(?:^|[ \t]+)\^([A-Za-z0-9-]+)[ \t]*$")
# How a paragraph of a turn ends in an imported conversation. What was said there can't
# look like a turn of its own (`importers.chat.contained`).
_TURN_END = re.compile(r" \^t-[0-9a-f]+(?:-\d+)?[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")
# Somebody else's words, a to-do that its own list keeps, a table, code, a comment.
_NOT_PROSE = re.compile(
    r"[ \t]*(?:>|\||%%|\[\^|<!--|(?:[-*+]|\d{1,9}[.)])[ \t]+\[.\])|(?: {4}|\t)(?![-*+])"
)
# Text that a memory gave into a conversation, as any memory may mark it, and other
# blocks that programs put in: nothing in there was said by anybody.
_INJECTED = re.compile(
    r"<(?P<tag>[a-z][\w-]*(?:memor|mindcache|recall|remind|context|system)[\w-]*"
    r"|(?:memor|mindcache|recall|remind|context|system)[\w-]*)\b[^<>\n]*>"
    r"(?:.*?</(?P=tag)>|.*)",
    re.DOTALL | re.IGNORECASE,
)
_NOT_NEWLINE = re.compile(r"[^\n]")


@dataclass(slots=True)
class _Turn:
    """Who has the word, since which passage, and when they got it."""

    speaker: str = ""
    since: int = 0
    said: datetime | None = None


def passages_of(
    note: Note, said: datetime | None, speakers: Sequence[str] = ()
) -> list[Passage]:
    """What is said in a note, passage by passage, in its order.

    `said` is the note's own date; a heading that is a date, and the time beside a
    speaker's name, are closer. `speakers` are names that are known to be people's;
    so are those of turns, in an imported conversation.
    Left out: code, quotes, to-dos, tables, comments, what Mindcache generated and what
    a memory injected.
    """
    lines = _open_lines(note)
    known = [*speakers, *_of_turns(note, lines)]
    labels = _speakers(lines, known)
    found: list[Passage] = []
    turn = _Turn(said=said)
    day = said
    block: list[str] = []
    start = 0

    def end_block() -> None:
        if block:
            found.append(_passage(block, start, turn))
            block.clear()

    for number, line in lines:
        heading = _HEADING.match(line)
        mark = _speaker(line, labels)
        if heading or not line.strip() or _NOT_PROSE.match(line):
            end_block()
            if heading:
                _settle(found, turn)
                dated = parse_interval(heading[1].strip())
                day = dated.start if dated else day
                turn = _Turn("", len(found), day)
            continue
        if mark:
            end_block()
            _settle(found, turn)
            turn = _Turn(_name(mark["name"]), len(found), _time(mark) or day)
        elif _ITEM.match(line):
            end_block()
        if not block:
            start = number
        block.append(_words(line))
    end_block()
    _settle(found, turn)
    people = tuple(dict.fromkeys(p.speaker for p in found if p.speaker))
    return [replace(p, people=people) for p in found if p.text.strip()]


def _open_lines(note: Note) -> list[tuple[int, str]]:
    """The body's lines with their numbers; those that nobody said are empty."""
    body = note.text[note.body_offset : note.text_end]
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    body = _INJECTED.sub(lambda match: _NOT_NEWLINE.sub("", match[0]), body)
    head = note.text[: note.body_offset].replace("\r\n", "\n").replace("\r", "\n")
    first = head.count("\n") + 1
    shut = {n for a, b in (*note.fences, *note.generated) for n in range(a, b + 1)}
    return [
        (number, "" if number in shut else line)
        for number, line in enumerate(body.split("\n"), first)
    ]


def _of_turns(note: Note, lines: Sequence[tuple[int, str]]) -> list[str]:
    """Who has a turn in an imported conversation, however often; nobody elsewhere."""
    if note.properties.get("source_type") != "chat":
        return []
    found: dict[str, None] = {}
    head: re.Match[str] | None = None
    is_first = True
    for _, line in lines:
        head = _SPEAKER.match(line) if is_first else head
        is_first = not line.strip()
        if head and not is_first and _TURN_END.search(line):
            found[_name(head["name"])] = None
    return list(found)


def _speakers(lines: Sequence[tuple[int, str]], known: Sequence[str]) -> set[str]:
    """The bold words with a colon that are people: several, who come again, or known."""
    counts: Counter[str] = Counter()
    for _, line in lines:
        mark = _SPEAKER.match(line)
        if mark and (mark["colon"] or mark["late"]):
            counts[_name(mark["name"])] += 1
    sure = {name.casefold() for name in known}
    again = sum(counts.values()) > len(counts) > 1
    return {name for name in counts if again or name.casefold() in sure}


def _speaker(line: str, labels: set[str]) -> re.Match[str] | None:
    mark = _SPEAKER.match(line) if labels else None
    is_one = mark and (mark["colon"] or mark["late"]) and _name(mark["name"]) in labels
    return mark if is_one else None


def _words(line: str) -> str:
    """A line without the mark of its list item, its speaker or its bold label."""
    item = _ITEM.match(line)
    label = _SPEAKER.match(line)
    if label and (label["colon"] or label["late"]):
        return line[label.end() :]
    return line[item.end() :] if item else line


def _name(written: str) -> str:
    return " ".join(plain_text(written).split())


def _time(mark: re.Match[str]) -> datetime | None:
    for written in (mark["in"], mark["out"]):
        found = parse_interval(written.strip()) if written else None
        if found:
            return found.start
    return None


def _passage(block: Sequence[str], line: int, turn: _Turn) -> Passage:
    text = "\n".join(block)
    mark = _BLOCK_ID.search(text)
    anchor = mark[1] if mark else ""
    if mark:
        text = text[: mark.start()]
    return Passage(text, line, anchor, turn.speaker, turn.said)


def _settle(found: list[Passage], turn: _Turn) -> None:
    """Give the paragraphs of one turn the block id that one of them has."""
    ids = [p.anchor for p in found[turn.since :] if p.anchor]
    if not turn.speaker or not ids:
        return
    for at in range(turn.since, len(found)):
        if not found[at].anchor:
            found[at] = replace(found[at], anchor=ids[0])
