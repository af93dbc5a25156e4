r"""Journal entries: one as the lines of its day's note, and back. Pure.

Owns the form of an entry: `- HH:MM [project] text ^j-ID`, further lines of its text
and its links as sub-bullets. Whatever the text holds, the list goes on behind it, and
what is read is what was written: marks that would begin something else (a heading, a
fence, a comment, a block id) get one backslash, which reading takes away again. Text
that has backslashes there already gets one more, so that no two texts look alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from mindcache.lazy import regex

__all__ = ["Entry", "draw_id", "is_entry_id", "parse", "render", "tidy"]

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_EPOCH = datetime(2020, 1, 1)  # noqa: DTZ001  civil time
# Seconds since then in six characters last until 2054, and in more from there on; a
# million ids a second keep machines apart that write at the same time.
_TIME_DIGITS, _RANDOM_DIGITS = 6, 4
_ID = regex(r"j-[0-9A-Za-z]+")


class Entry(NamedTuple):
    r"""One entry. `text` has lines parted by "\n", `links` are links as written.

    `id` comes without "^", `time` is HH:MM.
    """

    id: str
    time: str
    text: str
    project: str = ""
    links: tuple[str, ...] = ()


def draw_id(now: datetime, draw: Callable[[int], int]) -> str:
    """An id from the time of writing, to the second, and a number that is drawn.

    `draw(n)` gives a whole number below n.
    """
    seconds = max(0, (now - _EPOCH) // timedelta(seconds=1))
    return f"j-{_digits(seconds, _TIME_DIGITS)}" + _digits(
        draw(32**_RANDOM_DIGITS), _RANDOM_DIGITS
    )


def _digits(number: int, least: int) -> str:
    found = ""
    while number or len(found) < least:
        number, digit = divmod(number, 32)
        found = _CROCKFORD[digit] + found
    return found


def is_entry_id(name: str) -> bool:
    """Whether a block id, without "^", is an entry's."""
    return _ID.fullmatch(name) is not None


# -- text ---------------------------------------------------------------------

_LINE_END = regex("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")
_CONTROL = regex("[\x00-\x08\x0e-\x1f\x7f-\x9f]")


def tidy(text: str) -> str:
    """The text as an entry holds it, equal to what is read back.

    Line ends become line feeds; space at the ends of lines, and blank lines around
    the whole, are left out; a control character becomes U+FFFD.
    """
    lines = _LINE_END.sub("\n", text).split("\n")
    return "\n".join(_CONTROL.sub("\ufffd", line).rstrip() for line in lines).strip()


# Between these two lie no backslashes or some: one more goes in, or comes out.
_INSIDE = (
    r"(?<=%){}(?=%)"  # a comment
    r"|(?<=\$){}(?=\$)"  # a formula
    r"|(?<=<){}(?=!--)"  # a comment of HTML
    r"|(?<=;base64){}(?=,)"  # data that searches leave out
    r"|(?<=[ \t\xa0\u3000]){}(?=\^[A-Za-z0-9-]+$)"  # a block id
)
# What begins another thing than text at the start of a list item.
_STARTER = (
    r"(?:\#{1,6}(?:[ \t]|$)|>|[-+*](?:[ \t]|$)|([-*_])[ \t]*(?:\1[ \t]*)+$|`{3}|~{3}"
    r"|\[.\](?:[ \t]|$)|<br>$|&\#(?:32|9);|\^[A-Za-z0-9-]+$)"
)
# What would be taken for the project, where there is none.
_BRACKETED = r"\[(?!\[)[^\[\]]+\](?: |$)"

_NO_OR_SOME, _SOME = r"\\*", r"\\+"
_PUT_INSIDE, _TAKE_INSIDE = (
    re.compile(_INSIDE.replace("{}", run)) for run in (_NO_OR_SOME, _SOME)
)
_PUT_START, _TAKE_START = (
    re.compile(f"{run}(?={_STARTER})") for run in (_NO_OR_SOME, _SOME)
)
_PUT_FIRST, _TAKE_FIRST = (
    re.compile(f"{run}(?={_BRACKETED})") for run in (_NO_OR_SOME, _SOME)
)
_PUT_NUMBER, _TAKE_NUMBER = (
    re.compile(rf"(?P<number>\d{{1,9}}){run}(?=[.)](?:[ \t]|$))", re.ASCII)
    for run in (_NO_OR_SOME, _SOME)
)
_BLANKS = {" ": "&#32;", "\t": "&#9;"}  # at its start, a line's space would be lost
_EMPTY = "<br>"


def _put(line: str) -> str:
    """A further line of text as it is written."""
    if not line:
        return _EMPTY
    if _PUT_START.match(line):
        line = "\\" + line
    elif number := _PUT_NUMBER.match(line):
        at = number.end("number")
        line = f"{line[:at]}\\{line[at:]}"
    line = _put_inside(line)
    return _BLANKS.get(line[0], line[0]) + line[1:]


def _take(line: str) -> str:
    """A further line of text as it was before `_put`."""
    if line == _EMPTY:
        return ""
    for blank, written in _BLANKS.items():
        if line.startswith(written):
            line = blank + line.removeprefix(written)
    line = _take_inside(line)
    if _TAKE_START.match(line):
        return line[1:]
    if number := _TAKE_NUMBER.match(line):
        at = number.end("number")
        return line[:at] + line[at + 1 :]
    return line


def _put_inside(line: str) -> str:
    return _PUT_INSIDE.sub(lambda run: "\\" + run[0], line)


def _take_inside(line: str) -> str:
    return _TAKE_INSIDE.sub(lambda run: run[0][1:], line)


# -- lines --------------------------------------------------------------------

_FIRST = regex(
    r"[-*+] (?P<time>(?:[01][0-9]|2[0-3]):[0-5][0-9])"
    r"(?: \[(?P<project>(?!\[)[^\[\]]+)\](?= |$))?(?: (?P<text>.*))?"
)
_BELOW = regex(r"[ \t]+(?P<mark>[-*+]) (?P<text>.*)")
_LINK = regex(r"!?\[\[[^\[\]]+\]\]|\[[^\[\]]*\]\([^()\s]+\)")


def render(entry: Entry) -> list[str]:
    """The entry's lines, without line ends; `text` and `project` are tidy."""
    first, *rest = entry.text.split("\n")
    project = f" [{_put_inside(entry.project)}]" if entry.project else ""
    if not project and _PUT_FIRST.match(first):
        first = "\\" + first
    lines = [f"- {entry.time}{project} {_put_inside(first)} ^{entry.id}"]
    for line in rest:
        # Below an entry, a link alone is one of its links; the other bullet isn't.
        mark = "*" if _LINK.fullmatch(line) else "-"
        lines.append(f"  {mark} {_put(line)}")
    return lines + [f"  - {link}" for link in entry.links]


def parse(text: str, block: str) -> Entry | None:
    """The entry that a list item is, whose block id is `block`; None for no entry.

    `text` comes without the block id, as in a chunk. What a person added below it is
    taken as further lines.
    """
    head, *rest = text.split("\n")
    first = _FIRST.fullmatch(head)
    if first is None or not is_entry_id(block):
        return None
    project = _take_inside(first["project"] or "")
    opening = _take_inside(first["text"] or "")
    if not project and _TAKE_FIRST.match(opening):
        opening = opening[1:]
    lines, links = _parse_below(rest)
    return Entry(block, first["time"], "\n".join((opening, *lines)), project, links)


def _parse_below(rest: Iterable[str]) -> tuple[list[str], tuple[str, ...]]:
    lines: list[str] = []
    links: list[str] = []
    for line in rest:
        below = _BELOW.fullmatch(line)
        if below is None:
            lines.append(line.strip())
        elif below["mark"] == "-" and _LINK.fullmatch(below["text"]):
            links.append(below["text"])
        elif below["mark"] == "*" and _LINK.fullmatch(below["text"]):
            lines.append(below["text"])
        else:
            lines.append(_take(below["text"]))
    return lines, tuple(links)
