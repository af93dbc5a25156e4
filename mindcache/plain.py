"""Markdown as plain text: what a reader hears of it, without its marks.

Pure, and linear in the length of the text, whatever it is. Made for one line of
output: snippets, summaries and what is embedded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from mindcache.lazy import regex
from mindcache.note.brackets import wikilink_spans

__all__ = ["SUMMARY_LENGTH", "first_sentence", "plain_text"]

SUMMARY_LENGTH = 160

# How much of a note is looked at for its first paragraph.
_OPENING_LENGTH = 8_000

# Marks inside code are no marks: they pass as noncharacters, which no text holds.
_MARKS = "*_~=[]|<>%^#-+.)!`$\\"
_SHIELD = str.maketrans(_MARKS, "".join(map(chr, range(0xFDD0, 0xFDD0 + len(_MARKS)))))
_UNSHIELD = {stand_in: mark for mark, stand_in in _SHIELD.items()}

# A fence without an end runs to the end of the text.
_FENCE = regex(
    r"^[ \t>]*+(`{3,}+|~{3,}+)[^\n`]*+\n(.*?)(?:^[ \t>]*+\1[`~]*+[ \t]*+$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BACKTICKS = regex(r"`+|\n[ \t]*+\n")
_LINK = regex(
    r"!?\[([^\[\]]*+)\]\((?:<[^<>\n]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'))?\s*+\)"
)
_FOOTNOTE = regex(r"\[\^[^\[\]\s]{1,40}\]:?")
_SIZE = regex(r"\d+(?:x\d+)?")
_BLOCK_ID = regex(r"(?:^|(?<=[ \t]))\^[A-Za-z0-9-]++[ \t]*+$", re.MULTILINE)
_RULE = regex(r"^[-*_=|:> \t]{3,}+$", re.MULTILINE)
_LINE_START = regex(
    r"^[ \t]*+(?:>[ \t]*+)*+(?:\[![^\]\n]++\][+-]?[ \t]*+)?"
    r"(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)*+(?:\[[^\n]\][ \t]++)?(?:\#{1,6}[ \t]++)?",
    re.MULTILINE,
)
_ROW = regex(r"^[ \t>]*+\|[^\n]*+$", re.MULTILINE)
_HTML = regex(
    r"</?(?:a|abbr|b|big|blockquote|br|center|cite|code|del|details|div|em|font"
    r"|h[1-6]|hr|i|iframe|img|ins|kbd|li|mark|ol|p|pre|q|s|small|span|strong|sub"
    r"|summary|sup|table|tbody|td|th|thead|tr|u|ul)(?:\s[^<>]*+)?/?>",
    re.IGNORECASE,
)
# Each runs from an opening mark to the next of its kind and no further. The mark comes
# first, before what may not stand in front of it: a literal is found much faster.
_STARS = regex(r"\*(?<!\*\*)(\*{0,2})(?=[^\s*])([^*\n]++)(?<=\S)\*\1(?!\*)")
_UNDERSCORES = regex(
    r"_(?<!\w_)(_{0,2})(?=[^\s_])((?:[^_\n]++|(?<=[^\W_])_++(?=[^\W_]))++)(?<=\S)_\1"
    r"(?!\w)"
)
_STRIKE = regex(r"~~(?=[^\s~])((?:[^~\n]++|~(?!~))++)(?<=\S)~~")
_HIGHLIGHT = regex(r"==(?=[^\s=])((?:[^=\n]++|=(?!=))++)(?<=\S)==(?!=)")


def plain_text(markdown: str) -> str:
    """Markdown without its marks, on one line: links as they read, no comments.

    The text of code is kept as it is written.
    """
    text = markdown
    is_shielded = "`" in text or "~~~" in text
    if is_shielded:
        text = _shield_spans(_FENCE.sub(lambda m: m[2].translate(_SHIELD), text))
    text = _without_comments(text)
    if "[" in text:
        text = _without_links(text)
    if "^" in text:
        text = _BLOCK_ID.sub("", text)
    text = _LINE_START.sub("", _RULE.sub("", text))
    if "|" in text:
        text = _ROW.sub(lambda m: m[0].replace("|", " "), text)
    if "<" in text:
        text = _HTML.sub(" ", text)
    text = _without_emphasis(text)
    if is_shielded:
        text = text.translate(_UNSHIELD)
    return " ".join(text.split())


def _shield_spans(text: str) -> str:
    """Take the backticks off code spans and shield what stands between them."""
    if "`" not in text:
        return text
    runs = list(_BACKTICKS.finditer(text))
    partner: dict[int, int] = {}
    following: dict[int, int] = {}  # by length, within the paragraph
    for index in range(len(runs) - 1, -1, -1):
        run = runs[index][0]
        if run[0] != "`":
            following.clear()
            continue
        if len(run) in following:
            partner[index] = following[len(run)]
        following[len(run)] = index
    pieces: list[str] = []
    last = index = 0
    while index < len(runs):
        close = partner.get(index)
        if close is not None:
            start, end = runs[index].span()
            code = text[end : runs[close].start()]
            pieces += (text[last:start], code.translate(_SHIELD))
            last = runs[close].end()
        index = (index if close is None else close) + 1
    return "".join((*pieces, text[last:]))


def _without_comments(text: str) -> str:
    if "%%" in text:
        parts = text.split("%%")
        unclosed = "" if len(parts) % 2 else f"%%{parts[-1]}"
        text = " ".join(parts[::2]) + unclosed
    if "<!--" in text:
        pieces: list[str] = []
        last = 0
        while (start := text.find("<!--", last)) >= 0:
            end = text.find("-->", start + 4)
            if end < 0:
                break
            pieces.append(text[last:start])
            last = end + 3
        text = " ".join((*pieces, text[last:]))
    return text


def _without_links(text: str) -> str:
    if "[[" in text:
        pieces: list[str] = []
        last = 0
        for start, close in wikilink_spans(text):
            is_embed = text[start - 1 : start] == "!"
            pieces.append(text[last : start - is_embed])
            pieces.append(_readable(text[start + 2 : close]))
            last = close + 2
        text = "".join((*pieces, text[last:]))
    if "](" in text:
        text = _LINK.sub(r"\1", text)
        if "](" in text:  # an image may stand inside a link
            text = _LINK.sub(r"\1", text)
    return _FOOTNOTE.sub("", text) if "[^" in text else text


def _readable(inner: str) -> str:
    """What a wikilink reads as: its display, else the name that it leads to."""
    target, _, display = inner.partition("|")
    display = display.strip()
    if display and not _SIZE.fullmatch(display):
        return display
    path, _, subpath = target.removesuffix("\\").partition("#")
    name = path.rpartition("/")[2]
    if name[-3:].lower() == ".md":
        name = name[:-3]
    return f"{name} {subpath.lstrip('^').replace('#', ' ')}".strip()


def _without_emphasis(text: str) -> str:
    if "*" in text:
        text = _twice(_STARS, _emphasised, text)
    if "_" in text:
        text = _twice(_UNDERSCORES, r"\2", text)
    if "~~" in text:
        text = _STRIKE.sub(r"\1", text)
    if "==" in text:
        text = _HIGHLIGHT.sub(r"\1", text)
    return text


def _twice(
    pattern: re.Pattern[str], by: str | Callable[[re.Match[str]], str], text: str
) -> str:
    """Of two marks in each other the inner goes first, then the outer."""
    text, found = pattern.subn(by, text)
    mark = pattern.pattern.lstrip("\\")[0]
    return pattern.sub(by, text) if found and mark in text else text


def _emphasised(match: re.Match[str]) -> str:
    """The text between stars; one star between words is a sign of its own (2*3)."""
    start, end = match.span()
    text = match.string
    if not match[1] and (
        text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()
    ):
        return match[0]
    return match[2]


# -- the first sentence ------------------------------------------------------

_HEADING = regex(r"\s{0,3}#{1,6}(?:\s|$)")
_ITEM = regex(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_CALLOUT = regex(r"[ \t>]*>[ \t]*\[![^\]\n]+\]")
_NO_PROSE = regex(
    r"[ \t>]*(?:"
    r"(?:!\[\[[^\]]*\]\]|!\[[^\]]*\]\([^)]*\))[ \t]*"  # a lone image or embed
    r"|(?:\#[^\s#]+[ \t]*)+"  # a line of tags
    r"|\^[A-Za-z0-9-]+[ \t]*"  # a block id
    r"|\[\^[^\]]+\]:.*"  # a footnote
    r"|\|.*"  # a table
    r"|[-*_=|: \t]{3,}"  # a rule
    r"|[\w *-]{1,60}::(?:[ \t].*)?"  # a field of Dataview's
    r"|(?:<[^<>]*>[ \t]*)+"  # nothing but HTML
    r")?$"
)
_UNDERLINE = regex(r"\s{0,3}(?:=+|-+)\s*$")
_MATH = regex(r"\$\$.*?\$\$", re.DOTALL)
_BLANK = regex(r"\n[ \t>]*\n")
_END = regex(
    r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？｡]+[」』”’）]*"  # the second needs no space
)
# What ends in a stop without ending a sentence, in the languages of Latin script
# that need it most.
_ABBREVIATIONS = frozenset(
    {
        "abb", "approx", "bsp", "bzw", "ca", "cf", "ch", "corp", "dept", "dr", "eds",
        "eg", "esp", "evtl", "fig", "figs", "geb", "ggf", "ie", "incl", "inkl", "jr",
        "kap", "ltd", "mr", "mrs", "ms", "mt", "nos", "nr", "pp", "prof", "resp", "sr",
        "st", "tel", "usw", "vgl", "vol", "vs", "zt", "zzgl",
    }
)  # fmt: skip
_JOINERS = "\u200d\ufe0e\ufe0f"


def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph, at most 160 characters.

    Headings, code, tables, comments, images, tags and fields are no paragraph; of
    a list the first item counts. "" where the beginning holds no prose.
    """
    text = text[:_OPENING_LENGTH]
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("\n", text)
    text = _without_comments(text)
    if "$$" in text:
        text = _MATH.sub("\n", text)
    for block in _BLANK.split(text):
        for lines in _paragraphs(block):
            line = plain_text(lines)
            if any(map(str.isalnum, line)):
                return _shortened(line[: _sentence_end(line)])
    return ""


def _paragraphs(block: str) -> Iterator[str]:
    """The runs of prose in lines without a blank one between them."""
    run: list[str] = []
    titles: list[str] = []
    for line in block.split("\n"):
        if not run and line.startswith(("    ", "\t")) and not _ITEM.match(line):
            continue  # indented code
        if run and _UNDERLINE.match(line):
            run = []  # it was a heading
            continue
        is_callout = _CALLOUT.match(line) is not None
        ends = is_callout or _HEADING.match(line) or _NO_PROSE.match(line)
        if (ends or _ITEM.match(line)) and run:
            yield "\n".join(run)
            run = []
        if is_callout:
            titles.append(line)
        elif not ends:
            run.append(line)
    if run:
        yield "\n".join(run)
    yield from titles  # a callout without text says what its title says


def _sentence_end(line: str) -> int:
    for match in _END.finditer(line):
        if not _goes_on(line, match):
            return match.end()
    return len(line)


def _goes_on(line: str, match: re.Match[str]) -> bool:
    """Whether the sentence goes on after this stop."""
    following = line[match.end() : match.end() + 2].lstrip()
    if match[0] != "." or following.islower():
        return following.islower() and match[0][0] not in "。！？｡"
    word = line[: match.start()].rpartition(" ")[2].lstrip("(\"'„“‘[")
    return (
        word.lower() in _ABBREVIATIONS
        or (len(word) == 1 and word.isalpha() and word != "I")  # an initial
        or (word.isdigit() and len(word) <= 2)  # "am 3. Mai", "1. First"
        or bool(re.fullmatch(r"(?:\w\.)+\w", word))
    )


def _shortened(line: str) -> str:
    line = line.strip()
    if len(line) <= SUMMARY_LENGTH:
        return line
    end = SUMMARY_LENGTH - 1
    space = line.rfind(" ", 0, end + 1)
    if space > SUMMARY_LENGTH // 2:
        end = space
    while end > 1 and (
        unicodedata.combining(line[end])
        or line[end] in _JOINERS
        or line[end - 1] == "\u200d"
    ):
        end -= 1  # never between a letter and its accent
    return line[:end].rstrip(" ,;:") + "…"
