r"""The text of a turn as Markdown that looks as it was meant and stays within the turn.

Pure. Fenced code, tables, lists, quotes, emphasis and web links stay. What would
reach out of the turn is written with a backslash in front: headings and rules,
`[[links]]`, `#tags`, `key:: value`, `%%`, HTML, block ids, tasks, math. A backslash
that stood before such a sign is doubled, so that taking one away before each sign
gives back what was said. A bold beginning of a line that would pass for a speaker
(`**Ana:**`) is bold by underscores. Blank lines within a turn's running text go, so
that it stays one paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["Block", "contained", "quoted", "safe_line"]

Block = tuple[str, str]
"""What sort it is (`text`, `list`, `quote`, `table`, `fence`), and its Markdown."""

_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_RUN = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_QUOTE = re.compile(r"[ \t]{0,3}>")
_TABLE_RULE = re.compile(
    r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)+$"
)
_HEAD = re.compile(r"^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)")
# What would start something where a line, or an item in it, begins.
_LINE_START = re.compile(
    r"(#{1,6}(?=\s|$)|(?:-{2,}|={1,}|-|(?:[-*_][ \t]*+){3,})[ \t]*+$|[<>]{7}|[+*](?=[ \t]*$))"
)
_BOLD = re.compile(r"^([ \t>*+-]{0,200}?)\*{2,}+([^*\n]{1,80}?)(?:(:)\*{2,}+|\*{2,}+:)")
_CODE = r"(?<!`)(`+)(?!`)(?:.*?[^`])\2(?!`)"
_LINK = r"!?\[[^\[\]`$<\\%#:]*\]\(https?://[^\s()`$<>\[\]\\]+\)"
_URL = r"https?://[^\s`$<>\[\]\\|\"*()]+"
_SIGN = re.compile(
    rf"({_CODE}|{_LINK}|{_URL})|"
    r"(\[\[|\]\]|\[(?=.\]|!)|(?<=\])\(|!\[|(?<!\w)#(?=[^\s#])|%%|::|<(?=[A-Za-z/!?])"
    r"|`|~~~|\\(?=[!-/:-@\[-`{-~]|$))"
)
_BLOCK_ID = re.compile(r"(^|(?<=[ \t]))\^(?=[A-Za-z0-9-]+[ \t]*$)")


def contained(text: str) -> list[Block]:
    """The blocks of a turn's text, in order; between two goes a blank line."""
    found: list[Block] = []
    for kind, lines in _segments(text.split("\n")):
        if kind == "fence":
            found.append((kind, _fenced(lines)))
            continue
        escaped = _escaped(lines)
        if kind == "text":
            # After a blank line four spaces would make code of it.
            escaped = [line.strip() for line in escaped]
        found.append((kind, "\n".join(escaped)))
    return found


def quoted(text: str) -> str:
    """Text as a quote whose lines are only text."""
    lines = _escaped([line.strip() for line in text.split("\n") if line.strip()])
    return "\n".join(f"> {line}" for line in lines)


def safe_line(line: str) -> str:
    """One line of running text in which nothing is read but text."""
    return _escaped([line])[0]


# -- segments ------------------------------------------------------------------


def _segments(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Neighbouring lines of one sort; blank lines only end lists, tables and quotes."""
    kind, held = "", list[str]()
    at = 0
    after_blank = False
    while at < len(lines):
        line = lines[at].rstrip()
        opening = _FENCE.match(line)
        if opening:
            if held:
                yield kind, held
            end = _fence_end(lines, at, opening[1])
            yield "fence", list(lines[at:end])
            kind, held, at = "", [], end
            continue
        at += 1
        if not line.strip():
            after_blank = True
            continue
        sort = _sort(line, lines[at : at + 1], kind, after_blank=after_blank)
        if held and (sort != kind or (after_blank and sort in {"table", "quote"})):
            yield kind, held
            held = []
        kind, after_blank = sort, False
        held.append(line)
    if held:
        yield kind, held


def _sort(line: str, following: Sequence[str], kind: str, *, after_blank: bool) -> str:
    if _ITEM.match(line) or (kind == "list" and line[:1] in " \t"):
        return "list"
    if _QUOTE.match(line):
        return "quote"
    if kind == "table" and "|" in line and not after_blank:
        return "table"
    if "|" in line and following and "-" in following[0]:
        return "table" if _TABLE_RULE.match(following[0]) else "text"
    return "text"


def _fence_end(lines: Sequence[str], start: int, marks: str) -> int:
    """The line after the fenced block; the last one when it is never closed."""
    for at in range(start + 1, len(lines)):
        bare = lines[at].strip()
        if len(bare) >= len(marks) and not bare.strip(marks[0]):
            return at + 1
    return len(lines)


def _fenced(lines: Sequence[str]) -> str:
    """The block at the margin, with marks that nothing in it can end."""
    opening = _FENCE.match(lines[0].rstrip())
    marks, info = (opening[1], opening[2]) if opening else ("```", "")
    indent = len(lines[0]) - len(lines[0].lstrip())
    last = lines[-1].strip()
    closed = len(lines) > 1 and len(last) >= len(marks) and not last.strip(marks[0])
    inner = lines[1 : -1 if closed else None]
    inner = [line[min(indent, len(line) - len(line.lstrip())) :] for line in inner]
    runs = [len(m[1]) for m in _RUN.finditer("\n".join(inner)) if m[1][0] == marks[0]]
    marks = marks[0] * max([len(marks), *(run + 1 for run in runs)])
    return "\n".join([marks + info.rstrip(), *inner, marks])


# -- signs ---------------------------------------------------------------------


def _escaped(lines: Sequence[str]) -> list[str]:
    # One sign of dollars starts no math; two may, and would hide what is between.
    is_math = sum(line.count("$") for line in lines) > 1
    return [_line(line, is_math=is_math) for line in lines]


def _line(line: str, *, is_math: bool) -> str:
    line = _BOLD.sub(_underscored, line)
    head = _HEAD.match(line)
    cut = head.end() if head else 0
    if cut and not line[cut:].strip():  # nothing but marks, such as a rule
        cut = len(line) - len(line.lstrip(" \t>"))
    start, rest = line[:cut], line[cut:]
    mark = _LINE_START.match(rest)
    text = _SIGN.sub(_split, rest)
    if is_math:
        text = _outside_code(text)
    if mark and not text.startswith("\\"):
        text = f"\\{text}"
    return start + _BLOCK_ID.sub(r"\1\\^", text)


def _underscored(match: re.Match[str]) -> str:
    bold = f"__{match[2]}:__" if match[3] else f"__{match[2]}__:"
    return match[1] + bold


def _split(match: re.Match[str]) -> str:
    """What stays as it is, or each sign with a backslash in front."""
    kept = match[1]
    if kept is not None:
        if kept[0] == "`" or not ("%%" in kept or "::" in kept):
            return kept
        return re.sub(r"[%:](?=[%:])", r"\\\g<0>", kept)
    return "".join(f"\\{sign}" for sign in match[3])


_CODE_OR_DOLLAR = re.compile(rf"(\\.|{_CODE})|\$")


def _outside_code(text: str) -> str:
    return _CODE_OR_DOLLAR.sub(lambda m: m[1] if m[1] is not None else "\\$", text)
