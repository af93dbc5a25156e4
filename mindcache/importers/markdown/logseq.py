"""Logseq's pages and journals as Markdown that Obsidian reads the same. Pure.

Page properties become frontmatter, names of files names of pages, journals the notes
of their days, block references links to block ids. All else keeps every byte.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import unquote

from mindcache.importers.item import Left
from mindcache.importers.markdown.docs import Doc, safe_path
from mindcache.note import Property, emit, parse

__all__ = ["Graph", "obsidian_docs"]

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
_PROPERTY = re.compile(r"^(?:- |  )?([^\W\d_][\w.?!-]*):: ?(.*)$")
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_ID_LINE = re.compile(rf"^[ \t]*id:: ({_UUID})[ \t]*$")
_BULLET = re.compile(r"^[ \t]*(?:[-*+] |#{1,6} )")
_FENCE = re.compile(r"^[ \t]*(?:[-*+] )?[ \t]*(?:```|~~~)")
_CODE = re.compile(r"(`+[^`]*`+)")
_REFERENCE = re.compile(
    rf"\{{\{{embed +\(\((?P<embed>{_UUID})\)\) *\}}\}}"
    rf"|\[(?P<label>[^\[\]|]+)\]\(\(\((?P<named>{_UUID})\)\)\)"
    rf"|\(\((?P<bare>{_UUID})\)\)"
    r"|\{\{embed +\[\[(?P<page>[^\[\]]+)\]\] *\}\}"
    r"|\[(?P<words>[^\[\]|]+)\]\(\[\[(?P<to>[^\[\]|]+)\]\]\)"
)
_UNLINKABLE = re.compile(r"[#^|\[\]]")
_LINKS = re.compile(r"(?:(?:\[\[[^\[\]]+\]\]|#[\w/-]+)(?:\s*,\s*|\s*$))+")
_LINK = re.compile(r"\[\[([^\[\]]+)\]\]|#([\w/-]+)")
_COMMA = re.compile(r",(?![^\[]*\]\])")
_JOURNAL = re.compile(
    r"(?:^|/)journals/(\d{4})[_-](\d{2})[_-](\d{2})\.md$", re.IGNORECASE
)
_PAGE = re.compile(r"^pages/(.+)\.md$", re.IGNORECASE)
_FORMAT = re.compile(r":journal/page-title-format\s+\"([^\"]+)\"")
_TOKEN = re.compile(r"yyyy|MMMM|MMM|MM|M|EEEE|EEE|E|dd|do|d")
_ASSET = re.compile(r"\]\((?:\.\./)+(assets/[^()\s]+)\)")

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December",
)  # fmt: skip
_DAYS = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
# Logseq's own, and what people change it to most.
_USUAL = ("MMM do, yyyy", "yyyy-MM-dd", "yyyy/MM/dd", "yyyy_MM_dd", "MMMM do, yyyy")


@dataclass(frozen=True, slots=True)
class Graph:
    """What has to be known of a Logseq graph: its `config.edn`, and its assets."""

    config: str = ""
    assets: frozenset[str] = frozenset()

    def titles(self, day: date) -> list[str]:
        """What the page of a day may be called in links."""
        found = _FORMAT.search(self.config)
        formats = [*([found[1]] if found else []), *_USUAL]
        return list(dict.fromkeys(_formatted(day, each) for each in formats))


def obsidian_docs(docs: Sequence[Doc], graph: Graph) -> Iterator[Doc | Left]:
    """The texts as Obsidian would have them."""
    pages = [_page(doc, graph) for doc in docs]
    wanted = {
        (m["embed"] or m["named"] or m["bare"]).lower()
        for doc in pages
        for m in _REFERENCE.finditer(doc.text)
        if m["embed"] or m["named"] or m["bare"]
    }
    homes: dict[str, str] = {}
    moved = []
    for doc in pages:
        name = doc.path.partition("/")[2].removesuffix(".md")
        text, found = _with_block_ids(doc.text, wanted)
        if not _UNLINKABLE.search(name):
            homes.update((uuid, f"{name}#^{uuid}") for uuid in found)
        moved.append(replace(doc, text=text))
    lost: Counter[str] = Counter()
    for doc in moved:
        text = _with_links(doc.text, homes, graph, lost)
        yield replace(doc, text=_with_front(text), by_alias=True)
    if lost:
        why = "the block isn't in the source, or can't carry an id"
        yield Left("block reference", why, sum(lost.values()))


def _page(doc: Doc, graph: Graph) -> Doc:
    """The text under its page's name, or its day's."""
    if match := _JOURNAL.search(doc.path):
        try:
            day = date(*map(int, match.groups()))
        except ValueError:
            return doc
        path = f"journals/{day}.md"
        extra: dict[str, str | float | list[str]] = {
            "type": "event", "time_start": day.isoformat(), "all_day": True,
        }  # fmt: skip
        names = tuple(graph.titles(day))
        return replace(doc, path=path, wanted=path, names=names, extra=extra)
    if match := _PAGE.match(doc.path):
        name = unquote(match[1].replace("___", "/")).strip("/") or match[1]
        path = f"pages/{name}.md"
        return replace(doc, path=path, wanted=safe_path(path), names=(name,))
    return doc


def _formatted(day: date, form: str) -> str:
    month, weekday = _MONTHS[day.month - 1], _DAYS[day.weekday()]
    ending = "th"
    if day.day not in {11, 12, 13}:
        ending = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    values = {
        "yyyy": f"{day.year:04d}", "MMMM": month, "MMM": month[:3],
        "MM": f"{day.month:02d}", "M": str(day.month), "EEEE": weekday,
        "EEE": weekday[:3], "E": weekday[:3], "dd": f"{day.day:02d}",
        "do": f"{day.day}{ending}", "d": str(day.day),
    }  # fmt: skip
    return _TOKEN.sub(lambda match: values[match[0]], form)


def _prose(text: str) -> Iterator[tuple[str, bool]]:
    """The lines with their ends, and whether each is outside of fenced code."""
    inside = False
    for line in _LINES.findall(text):
        is_fence = bool(_FENCE.match(line))
        yield line, not inside and not is_fence
        if is_fence and (inside or line.count("```") < 2):
            inside = not inside


def _with_block_ids(text: str, wanted: set[str]) -> tuple[str, list[str]]:
    """The text with block ids where something refers to, and those ids."""
    out: list[str] = []
    found: list[str] = []
    may_carry = False
    for line, is_prose in _prose(text):
        bare = line.rstrip("\r\n")
        match = _ID_LINE.match(bare) if is_prose else None
        if match and match[1].lower() in wanted and may_carry:
            last = out[-1]
            head = last.rstrip("\r\n")
            out[-1] = f"{head.rstrip()} ^{match[1].lower()}{last[len(head) :]}"
            found.append(match[1].lower())
            may_carry = False
            continue
        out.append(line)
        may_carry = is_prose and bool(_BULLET.match(bare))
    return "".join(out), found


def _with_links(
    text: str, homes: dict[str, str], graph: Graph, lost: Counter[str]
) -> str:
    def link(match: re.Match[str]) -> str:
        if match["page"]:
            return f"![[{match['page']}]]"
        if match["to"]:
            return f"[[{match['to']}|{match['words']}]]"
        uuid = (match["embed"] or match["named"] or match["bare"]).lower()
        home = homes.get(uuid)
        if home is None:
            lost[uuid] += 1
            return match[0]
        shown = f"|{match['label']}" if match["label"] else ""
        return f"{'!' if match['embed'] else ''}[[{home}{shown}]]"

    def asset(match: re.Match[str]) -> str:
        return f"]({match[1]})" if unquote(match[1]) in graph.assets else match[0]

    out = []
    for line, is_prose in _prose(text):
        if not is_prose:
            out.append(line)
            continue
        pieces = _CODE.split(line)
        pieces[::2] = [_ASSET.sub(asset, _REFERENCE.sub(link, p)) for p in pieces[::2]]
        out.append("".join(pieces))
    return "".join(out)


def _with_front(text: str) -> str:
    """The text with its page properties as frontmatter."""
    note = parse("", text.encode())
    if note.frontmatter is not None and note.frontmatter.error is not None:
        return text
    body = note.body
    found: dict[str, Property] = {}
    end = 0
    for line in _LINES.findall(body):
        match = _PROPERTY.match(line.rstrip("\r\n"))
        if match:
            key = match[1].lower()
            value = _value(key, match[2].rstrip(" \t"))
            found.setdefault({"alias": "aliases"}.get(key, key), value)
        elif found or line.strip():
            break
        end += len(line)
    if not found:
        return text
    properties = {**found, **note.properties}
    return emit(properties, "", note.encoding.newline) + body[end:]


def _value(key: str, text: str) -> Property:
    if key in {"alias", "aliases", "tags"}:
        items = (item.strip() for item in _COMMA.split(text))
        plain = [item.removeprefix("#") for item in items if item]
        return [re.sub(r"^\[\[(.*)\]\]$", r"\1", item) for item in plain]
    if not _LINKS.fullmatch(text) or "[[" not in text:
        return text
    links: list[Property] = [f"[[{m[1] or m[2]}]]" for m in _LINK.finditer(text)]
    return links if len(links) > 1 else links[0]
