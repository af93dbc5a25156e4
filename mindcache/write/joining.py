"""What one note gets of another that becomes part of it: values and text. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mindcache.errors import Refused
from mindcache.links import fold
from mindcache.note import Note, Property, parse
from mindcache.write.anchors import Anchors, marked

__all__ = ["OWN", "appended", "differing", "incoming", "united", "with_ends"]

# What belongs to one note alone and means nothing in another.
OWN = frozenset({"id", "created_at", "updated_at", "summary", "type", "status"})
# Of those, what a reader of the other note's text would not miss.
_UNTOLD = frozenset({"id", "created_at", "updated_at"})


def united(one: Property, other: Property) -> list[Property]:
    """Both as one list; texts that differ only in case or Unicode form are one."""
    found = _listed(one)
    seen = {_key(value) for value in found}
    for value in _listed(other):
        if _key(value) not in seen:
            seen.add(_key(value))
            found.append(value)
    return found


def _key(value: Property) -> str:
    return fold(value.strip()) if isinstance(value, str) else repr(value)


def _listed(value: Property) -> list[Property]:
    return [*value] if isinstance(value, list) else [value]


def differing(carried: Note, note: Note) -> dict[str, tuple[Property, Property]]:
    """The properties of which both have one value, and not the same."""
    found: dict[str, tuple[Property, Property]] = {}
    for key, value in carried.properties.items():
        mine = note.properties.get(key)
        if key in _UNTOLD or key.casefold() in ("aliases", "alias"):
            continue
        if mine in (None, "", []) or value in (None, "", []):
            continue
        is_list = isinstance(value, list) or isinstance(mine, list)
        if (key in OWN or not is_list) and _key(mine) != _key(value):
            found[key] = (mine, value)
    return found


def incoming(
    carried: Note,
    differing: Mapping[str, tuple[Property, Property]],
    anchors: Anchors,
    name: str,
    known: Note | None = None,
) -> str:
    """What is put below the note's text: the other's values and text, or "".

    Without the lines that `known` has already. Raises Refused where
    headings can't be told apart.
    """
    text = marked(carried, anchors)
    told = dict(differing)
    if known is not None:
        text = _fresh(text, known)
        if "summary" in told and _is_said(told["summary"][1], carried, known):
            del told["summary"]
    text = text.strip("\n")
    lines = [_line(key, theirs) for key, (_, theirs) in told.items()]
    parts = ["\n".join(lines), text if text.strip() else ""]
    below = "\n\n".join(part for part in parts if part)
    return f"## {name}\n\n{below}\n" if below else ""


def _is_said(value: Property, *notes: Note) -> bool:
    """Whether these words stand in one of the texts anyway."""
    return any(_words(str(value)) in _words(note.body) for note in notes)


def _fresh(text: str, known: Note) -> str:
    """The text without the lines of `known`.

    What is code, part of a table, can be linked to or has lines below it stays.
    """
    there = {_words(line) for line in known.body.splitlines()} - {""}
    note = parse("", text.encode("utf-8", "surrogatepass"))
    lines = text.split("\n")
    stays = {n for first, last in note.fences for n in range(first, last + 1)}
    stays |= {block.line for block in note.blocks}
    for heading in note.headings:
        stays |= set(range(heading.line, (heading.last or heading.line) + 2))
    kept: list[str] = []
    below = ""  # the line that follows, of those that stay
    for number in range(len(lines), 0, -1):
        line = lines[number - 1]
        is_known = _words(line) in there and line.lstrip()[:1] != "|"
        if number in stays or not is_known or _indent(below) > _indent(line):
            below = line
            kept.append(line)
    whole = "\n".join(reversed(kept))
    while "\n\n\n" in whole and not note.fences:
        whole = whole.replace("\n\n\n", "\n\n")
    return whole


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip()) if line.strip() else 0


def _words(line: str) -> str:
    return " ".join(fold(line).split())


def _line(key: str, value: Property) -> str:
    """A value as an item of a list, which says nothing but that."""
    text = " ".join(str(value).split())
    if isinstance(value, (bool, list)) or value is None:
        text = json.dumps(value, ensure_ascii=False, default=str)
    line = f"- {key}: {text}"
    note = parse("", f"{line}\n".encode("utf-8", "surrogatepass"))
    if note.tags or note.blocks or note.fields or note.tasks:
        return f"- {key}: `{text}`"
    return line


def with_ends(text: str, newline: str) -> str:
    """The text with the line ends of the note that it goes into."""
    return text.replace("\n", newline)


def appended(data: bytes, text: str, path: str) -> bytes:
    """The note with this text below it.

    Raises Refused where it would not be read as text there.
    """
    note = parse(path, data)
    newline = note.encoding.newline
    gap = "" if not note.body else newline
    if note.body and not note.text.endswith(("\n", "\r")):
        gap += newline
    after = data + f"{gap}{with_ends(text, newline)}".encode()
    headings = len(parse("", text.encode()).headings)
    if len(parse(path, after).headings) != len(note.headings) + headings:
        raise Refused(
            f"{path}: what is put below its text would not be read as text",
            mend="close the code block, formula or comment that is left open in it",
        )
    return after
