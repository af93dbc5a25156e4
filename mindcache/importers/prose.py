"""Foreign text as Markdown that says the same and does nothing. Pure.

What comes from a calendar or a chat may hold anything: control characters, HTML,
`[[links]]`, `#tags`, `key:: value` fields, block ids, fences. None of it may become
part of the vault's structure by accident.
"""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

__all__ = ["escaped", "from_html", "one_line", "readable", "seen", "unlinked"]

# Control characters, what turns the direction of text around, what nobody sees, and
# line ends that no editor knows.
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e"
    "\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_ODD_SPACE = re.compile("[\t\xa0\x0b\x0c\u2028\u2029]")
_LINE_BREAKS = re.compile("[\x0b\x0c\u2028\u2029]")
_SPACE = re.compile(r"\s+")
_BLANKS = re.compile(r"\n{3,}")
_TAG = re.compile(
    r"</?(?:a|b|br|body|div|em|font|h[1-6]|html|i|li|ol|p|span|strong|table|td|tr|u"
    r"|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
# Whatever would start something at the beginning of a line, or of a list item in it.
# Lists stay lists.
_ITEM = r"^((?:(?:[-*+]|\d{1,9}[.)]) +)*)"
_LINE_START = re.compile(
    _ITEM + r"(#{1,6}(?=\s|$)|>|(?:-{3,}|={1,}|\*{3,}|_{3,}|-)$)", re.MULTILINE
)
_ANYWHERE = re.compile(
    r"\[\[|\]\]|\[(?=.\])|(?<=\])\(|!\[|(?<!\w)#(?=\w)|%%|::|<(?=[A-Za-z/!?])|`|\$\$"
    r"|~~~"
)
# A list item that begins with a date may say what became of an occurrence: that is for
# the owner to write.
_DATED_ITEM = re.compile(
    r"^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+)([0-9]{4})-(?=[0-9]{2}-[0-9]{2})",
    re.MULTILINE,
)
_BLOCK_ID = re.compile(r"(^|(?<=[ \t]))\^(?=[A-Za-z0-9-]+[ \t]*$)", re.MULTILINE)


def readable(text: str, longest: int = 20_000) -> str:
    """The text without characters that can't be seen, lines trimmed, not too long."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _UNWANTED.sub("", _ODD_SPACE.sub(" ", text))
    lines = "\n".join(line.strip() for line in text.split("\n"))
    plain = _BLANKS.sub("\n\n", lines).strip()
    return plain if len(plain) <= longest else plain[: longest - 1].rstrip() + "…"


def seen(text: str) -> str:
    """The text with plain line ends and without characters that nobody sees.

    All else is as it was, so that code in it stays code.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNWANTED.sub("", _LINE_BREAKS.sub("\n", text))


def one_line(text: str, longest: int = 200) -> str:
    """The same on one line."""
    plain = _SPACE.sub(" ", _UNWANTED.sub("", _ODD_SPACE.sub(" ", text))).strip()
    return plain if len(plain) <= longest else plain[: longest - 1].rstrip() + "…"


def unlinked(text: str) -> str:
    """Text for a property, in which Obsidian would read a link but for a space."""
    return re.sub(r"\[(?=\[)", "[ ", text)


def escaped(text: str) -> str:
    """Text as Markdown in which no link, tag, field, task or block id is read.

    Neither is what became of an occurrence of a plan. Only backslashes are added, each
    in front of a sign that Markdown then shows as it is.
    """
    text = _ANYWHERE.sub(_split, text.replace("\\", "\\\\"))
    text = _DATED_ITEM.sub(r"\1\2\-", _LINE_START.sub(r"\1\\\2", text))
    return _BLOCK_ID.sub(r"\1\\^", text)


def _split(match: re.Match[str]) -> str:
    """Each sign with a backslash in front, so that no two stand together."""
    return "".join(f"\\{sign}" for sign in match[0])


def from_html(text: str) -> str:
    """What a reader sees of HTML; text without any of its tags stays as it is."""
    if not _TAG.search(text):
        return text
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return "".join(reader.parts)


class _Reader(HTMLParser):
    """Collects what is shown; a link's address goes behind its words."""

    _BREAKS = frozenset(
        {
            "br",
            "p",
            "div",
            "li",
            "tr",
            "ul",
            "ol",
            "table",
            *(f"h{n}" for n in range(1, 7)),
        }
    )
    _UNSEEN = frozenset({"script", "style", "head", "title"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0
        self._link = ""
        self._words = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A line end for what begins a line, a dash for an item."""
        if tag in self._UNSEEN:
            self._hidden += 1
        elif tag in self._BREAKS:
            self.parts.append("\n- " if tag == "li" else "\n")
        elif tag == "a":
            self._link = html.unescape(dict(attrs).get("href") or "")
            self._words = len(self.parts)

    def handle_endtag(self, tag: str) -> None:
        """A link's address, where its words don't say it already."""
        if tag in self._UNSEEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "a" and self._link:
            shown = "".join(self.parts[self._words :])
            if (
                self._link.startswith(("http://", "https://"))
                and self._link not in shown
            ):
                self.parts.append(f" ({self._link})")
            self._link = ""
        elif tag in {"p", "div", "tr", "ul", "ol", "table"}:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        """Text, unless nobody sees it."""
        if not self._hidden:
            self.parts.append(data)
