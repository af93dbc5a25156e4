"""The list items that say what became of one occurrence: reading and writing them.

The grammar is that of the package's docstring. Writing changes one line of a note's
text; every other character stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from mindcache.errors import Problem, Refused
from mindcache.note import Note, parse

__all__ = [
    "OUTCOMES",
    "Line",
    "add_remark",
    "key_of",
    "outcome_line",
    "read_lines",
    "set_outcome",
    "written",
]

OUTCOMES = ("occurred", "missed", "canceled")

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2})?"
_OFFSET = r"(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})"
_WHEN = rf"{_DAY}(?:[Tt ]{_CLOCK}{_OFFSET}?)?"
_OUTCOME = r"occurred|missed|cancell?ed"
_ITEM = re.compile(
    r"(?P<lead>[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[[^\]\n]\][ \t]+)?)"
    rf"(?P<date>{_WHEN})[ \t]+"
    rf"(?:(?P<outcome>{_OUTCOME})"
    rf"|moved to (?P<to>{_WHEN})(?: until (?P<until>(?:{_DAY}[Tt ])?{_CLOCK}))?"
    rf"(?:,? (?P<after>{_OUTCOME}))?)"
    r"(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
# What is of this shape and has another word may be meant for one: "occured: ill".
_MEANT = re.compile(
    r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[[^\]\n]\][ \t]+)?"
    rf"{_WHEN}[ \t]+(?P<word>[^\W\d_]+)"
    rf"(?P<to>[ \t]+to[ \t]+{_WHEN})?(?:[ \t]*[:,][^\r\n]*|[ \t]+\^\S+)?[ \t]*\r?$",
    re.IGNORECASE | re.MULTILINE,
)
# Share of the letters of two words that are in both: "occur" and "mised" are as near,
# "mixed" and "called" are not.
_NEAR = 0.76
_ANCHOR = re.compile(r"[ \t]\^(o-[A-Za-z0-9-]+)[ \t]*$", re.IGNORECASE)
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$")
_BECAUSE = re.compile(r"[ \t]*(?::|[–—]|-(?=[ \t]))[ \t]*")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_SPACE = re.compile(r"\s+")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+outcomes[ \t#]*$", re.IGNORECASE)
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


@dataclass(frozen=True, slots=True)
class Line:
    """One such item. `number` is its line in the file, from 1.

    `date`, `to` and `until` are as written; `outcome` is "" where it only moves, `to`
    "" where it doesn't, `anchor` the block id without "^", "" without one.
    """

    number: int
    date: str
    outcome: str = ""
    to: str = ""
    until: str = ""
    because: str = ""
    anchor: str = ""


def key_of(moment: datetime, *, timed: bool) -> str:
    """The key of an occurrence: 20260301, or with its time 20260301T0900."""
    if not timed:
        return f"{moment:%Y%m%d}"
    return f"{moment:%Y%m%dT%H%M%S}" if moment.second else f"{moment:%Y%m%dT%H%M}"


def _date_of(key: str) -> str:
    """A key as the date that an item begins with."""
    try:
        day = date(int(key[:4]), int(key[4:6]), int(key[6:8])).isoformat()
        if len(key) == 8 and key.isascii() and key.isdigit():
            return day
        moment = datetime.strptime(key, "%Y%m%dT%H%M" + "%S" * (len(key) > 13))  # noqa: DTZ007  civil time
    except ValueError as error:
        raise ValueError(f"{key!r} is no key of an occurrence") from error
    return written(moment)


def written(moment: datetime) -> str:
    """A civil time as items and messages have it: to the minute where it is round."""
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")


# -- reading -----------------------------------------------------------------


def read_lines(note: Note) -> tuple[list[Line], list[Problem]]:
    """The items of a note in reading order, and what is wrong with some.

    What stands in fenced code is none; neither is a list item that doesn't read
    like one, unless its block id says that it should be (`^o-…`), or its word is
    nearly one that is known.
    """
    if not _may_hold(note.body):
        return [], []
    found: list[Line] = []
    problems: list[Problem] = []
    for number, text in _open_lines(note):
        line = read_line(text, number)
        if line is not None:
            found.append(line)
        elif _ANCHOR.search(text):
            message = "not an outcome that can be understood"
            mend = "write it as - 2026-03-01 missed: why ^o-20260301"
            problems.append(Problem(note.path, number, "plan-outcome", message, mend))
        elif misspelt := _misspelt(text):
            message = f"{misspelt!r} is no outcome that is known"
            mend = f"write one of: {', '.join(OUTCOMES)}, moved to 2026-03-02"
            problems.append(Problem(note.path, number, "plan-outcome", message, mend))
    return found, problems


def _may_hold(body: str) -> bool:
    """Whether it is worth looking line by line; most plans hold no such item."""
    folded = body.casefold()
    known = ("^o-", *OUTCOMES, "cancelled", "moved to")
    return any(word in folded for word in known) or bool(_MEANT.search(body))


def _misspelt(text: str) -> str:
    """The word of an item that is nearly an outcome, "" without one."""
    match = _MEANT.match(text)
    word = match["word"].casefold() if match else ""
    if match is None or word in {*OUTCOMES, "cancelled", "moved"}:
        return ""
    import difflib

    known = ["moved"] if match["to"] else [o for o in OUTCOMES if o[0] == word[0]]
    return match["word"] if difflib.get_close_matches(word, known, 1, _NEAR) else ""


def _open_lines(note: Note) -> list[tuple[int, str]]:
    """(number, text) of the body's lines that are not code."""
    first = len(_NEWLINE.findall(note.text, 0, note.body_offset)) + 1
    fenced = {n for start, end in note.fences for n in range(start, end + 1)}
    lines = enumerate(_NEWLINE.split(note.body), first)
    return [(number, text) for number, text in lines if number not in fenced]


def read_line(text: str, number: int = 0) -> Line | None:
    """One line of text as an item, None when it is none."""
    match = _ITEM.match(text)
    if match is None or not _exists(match["date"], match["to"]):
        return None
    anchor = _ANCHOR.search(match["rest"])
    rest = match["rest"][: anchor.start()] if anchor else match["rest"]
    if other := None if anchor else _BLOCK_ID.search(rest):
        rest = rest[: other.start()]
    colon = _BECAUSE.match(rest)
    if colon is None and rest.strip() and not (anchor and rest[0] in " \t"):
        return None  # "2026-03-01 missed the bus" is a sentence of somebody's
    outcome = (match["outcome"] or match["after"] or "").casefold()
    return Line(
        number=number,
        date=match["date"],
        outcome="canceled" if outcome == "cancelled" else outcome,
        to=match["to"] or "",
        until=match["until"] or "",
        because=(rest[colon.end() :] if colon else rest).strip(),
        anchor=anchor[1] if anchor else other[1] if other else "",
    )


def _exists(*moments: str | None) -> bool:
    try:
        for moment in moments:
            if moment:
                datetime.fromisoformat(moment.upper())
    except ValueError:
        return False
    return True


# -- writing -----------------------------------------------------------------


def outcome_line(key: str, outcome: str, because: str = "", moved: str = "") -> str:
    """A whole item: `- 2026-03-01 missed: ill ^o-20260301`.

    `outcome` may be "" where `moved` ("2026-03-09T10:00", perhaps with " until …")
    says where it went. Raises ValueError for a key or outcome that isn't one.
    """
    if outcome not in OUTCOMES and not (moved and not outcome):
        raise ValueError(f"{outcome!r} is no outcome")
    what = f"moved to {moved}" if moved else outcome
    if moved and outcome:
        what += f", {outcome}"
    why = _SPACE.sub(" ", because).strip()
    return f"- {_date_of(key)} {what}{': ' if why else ''}{why} ^o-{key}"


def set_outcome(
    text: str, key: str, outcome: str, because: str = "", line: int = 0
) -> str:
    """A note's text with the outcome of one occurrence set in it.

    The item of that occurrence (the one at `line`, from 1, else the last with that
    key) is written anew: where it was moved to stays, and what it said before is
    kept behind the new reason. Without one, an item is added in order of dates among
    the others, else under a heading `Outcomes`, which is made at the end where there
    is none. All other characters stay as they are. Raises Refused when the outcome
    could not be read again from where it would stand.
    """
    note = parse("", text.encode("utf-8", "surrogatepass"))
    present, _ = read_lines(note)
    old = next(
        (
            each
            for each in reversed(present)
            if (each.number == line if line else _key_in(each) == key)
        ),
        None,
    )
    if old is None:
        changed, number = _added(
            note, key, present, outcome_line(key, outcome, because)
        )
    else:
        changed, number = _replaced(note.text, old, outcome, because), old.number
    after, _ = read_lines(parse("", changed.encode("utf-8", "surrogatepass")))
    held = [each for each in after if each.number == number]
    if len(after) != len(present) + (old is None) or held[:1] == []:
        raise _unread()
    return changed


def add_remark(text: str, day: date, what: str) -> str:
    """A note's text with a list item among its outcomes that is none: `- 2026-03-01: …`.

    Raises Refused like `set_outcome`.
    """
    note = parse("", text.encode("utf-8", "surrogatepass"))
    present, _ = read_lines(note)
    item = f"- {day.isoformat()}: {_SPACE.sub(' ', what).strip()}"
    changed, number = _added(note, f"{day:%Y%m%d}", present, item)
    again = parse("", changed.encode("utf-8", "surrogatepass"))
    after, _ = read_lines(again)
    held = any(n == number and t.endswith(item[1:]) for n, t in _open_lines(again))
    if len(after) != len(present) or not held:
        raise _unread()
    return changed


def _unread() -> Refused:
    return Refused(
        "the outcome would stand where no text is read",
        mend="close the code block or comment at the end of the note",
    )


def _key_in(line: Line) -> str:
    """The key that an item's date stands for, as far as it is civil."""
    return re.sub("[-:]", "", line.date[:16]).replace(" ", "T").upper()


def _replaced(text: str, old: Line, outcome: str, because: str) -> str:
    """The text with that item's own line written anew, its list mark as it was."""
    start, end = _span(text, old.number)
    match = _ITEM.match(text[start:end])
    if match is None:  # it was read from that very line
        raise ValueError(f"line {old.number} is no outcome")
    why = _SPACE.sub(" ", because).strip()
    if old.outcome and old.outcome != outcome:
        was = f"was {old.outcome}" + (f": {old.because}" if old.because else "")
        why = f"{why} ({was})" if why else f"({was})"
    elif old.because and old.because != why:
        why = f"{old.because}; {why}" if why else old.because
    what = outcome
    if old.to:
        until = f" until {old.until}" if old.until else ""
        what = f"moved to {old.to}{until}, {outcome}"
    anchor = old.anchor or f"o-{_key_in(old)}"
    line = f"{match['lead']}{old.date} {what}{': ' if why else ''}{why} ^{anchor}"
    return text[:start] + line + text[end:]


def _added(note: Note, key: str, present: Sequence[Line], item: str) -> tuple[str, int]:
    """The text with a new item in its place, and the line where it is."""
    text, newline = note.text, note.encoding.newline
    if present:
        before = [each for each in present if _key_in(each) <= key]
        neighbour = max(before, key=_key_in) if before else min(present, key=_key_in)
        start, end = _span(text, neighbour.number)
        match = _ITEM.match(text[start:end])
        lead = re.match(r"[ \t]*", text[start:end])
        indent = lead[0] if lead and match else ""
        mark = match["lead"].strip()[:1] if match else "-"
        line = indent + (mark if mark in "*+" else "-") + item[1:]
        if not before:
            return text[:start] + line + newline + text[start:], neighbour.number
        last = _last_of(note, neighbour.number, len(indent))
        _, end = _span(text, last)
        return text[:end] + newline + line + text[end:], last + 1
    heading = next((n for n, t in _open_lines(note) if _HEADING.match(t)), 0)
    if heading:
        last = _end_of_section(note, heading)
        _, end = _span(text, last)
        gap = (
            2 if last == heading or not _is_item(text[slice(*_span(text, last))]) else 1
        )
        return text[:end] + newline * gap + item + text[end:], last + gap
    ended = text.endswith(("\n", "\r")) or not text
    above = newline * ((not ended) + bool(note.body.strip()))
    head = f"{above}## Outcomes{newline}{newline}"
    whole = text + head + item + (newline if ended else "")
    return whole, len(_NEWLINE.findall(text + head)) + 1


def _is_item(text: str) -> bool:
    return text.lstrip(" \t")[:2] in ("- ", "* ", "+ ")


def _last_of(note: Note, number: int, indent: int) -> int:
    """The last line of the list item at a line: what is indented under it."""
    lines = _NEWLINE.split(note.text)
    last = number
    while last < len(lines):
        following = lines[last]
        deeper = len(following) - len(following.lstrip(" \t"))
        if not following.strip() or deeper <= indent:
            break
        last += 1
    return last


def _end_of_section(note: Note, heading: int) -> int:
    """The last line with text before the next heading."""
    last = heading
    for number, text in enumerate(_NEWLINE.split(note.text), 1):
        if number <= heading:
            continue
        if _ATX.match(text):
            break
        if text.strip():
            last = number
    return last


def _span(text: str, number: int) -> tuple[int, int]:
    """Where a line starts and ends, its line end not included."""
    start = 0
    for _ in range(number - 1):
        match = _NEWLINE.search(text, start)
        if match is None:
            return len(text), len(text)
        start = match.end()
    match = _NEWLINE.search(text, start)
    return start, match.start() if match else len(text)
