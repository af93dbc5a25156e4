"""The contract: what a note that Mindcache vouches for must have (design 3.4).

Pure. Each breach is a `Problem` with the file, the line and the mend, in the
words with which a write that breaches it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mindcache import tags
from mindcache.errors import Problem
from mindcache.lazy import regex
from mindcache.memory import RELATIONS, STATUSES, TYPES, Memory
from mindcache.note import Note, Property
from mindcache.when import parse_interval

__all__ = ["LONGEST_SUMMARY", "check", "check_links", "check_text", "property_line"]

_NEWLINE = regex(r"\r\n|\r|\n")
_KEY = regex(
    r"(?:\"([^\"]+)\"\s*|'([^']+)'\s*|([^\s\"'#\-][^:]*|-[^\s:][^:]*)):(?:\s|$)"
)
_IN_TEXT = regex(r"([a-z][a-z_]*):(?: .*)?$")
_OFFSET = regex(r":[0-9]{2}[^:]*(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)\s*$")
_WIKILINK = regex(r"\[\[[^\[\]]+\]\]")

LONGEST_SUMMARY = 300
"""Characters of a summary: two sentences, three lines of a terminal. What is inferred
has 160 at most."""

# The properties that hold nothing but links (design 3.1).
_LINKED = ("entities", *RELATIONS, "superseded_by")

# Hot, warm and cool are for topics.
_STATUSES = tuple(s for s in STATUSES if s not in {"hot", "warm", "cool"})

# Kinds of note with a shape of their own, to which the contract of a memory
# does not apply (design 3.3, 3.5, 6).
_OTHER_SHAPES = ("topic", "journal", "proposal")

_TIMES = (
    "time_start",
    "time_end",
    "created_at",
    "updated_at",
    "valid_from",
    "valid_until",
)
_ORDERED = (
    ("time_start", "time_end"),
    ("valid_from", "valid_until"),
    ("created_at", "updated_at"),
)


def check(note: Note, memory: Memory, namespaces: Sequence[str]) -> list[Problem]:
    """The breaches of one note, by line; none for a note that is not under contract."""
    if not memory.under_contract or memory.type in _OTHER_SHAPES:
        return []
    if note.frontmatter is not None and note.frontmatter.error is not None:
        # Whatever else is missing may well stand in the block that can't be read.
        return [note.frontmatter.error._replace(severity="error")]
    found = [
        *_required(note, memory),
        *_summary(note),
        *_known_words(note),
        *_tags(note, memory, namespaces),
        *_times(note),
        *_numbers(note),
        *_edges(note),
    ]
    return sorted(found, key=lambda p: (p.line, p.code, p.message))


def check_text(note: Note) -> list[Problem]:
    """The lines with which a text begins that read like properties the note has.

    They are what is left when git's markers are deleted around a property that both
    sides had changed: the properties hold one of the two already. Warnings.
    """
    first = note.text[: note.body_offset].count("\n") + 1
    found: list[Problem] = []
    for number, line in enumerate(_NEWLINE.split(note.body), first):
        match = _IN_TEXT.match(line.rstrip())
        if match and match[1] in note.properties:
            message = f"a line like the property {match[1]} stands in the text"
            mend = "the properties above have one already: delete the line, or say it there"
            found.append(Problem(note.path, number, "stray-property", message, mend))
        elif line.strip():
            break
    return found


def property_line(note: Note, key: str) -> int:
    """The line of a property's key in the file; 1 when it isn't there."""
    return next((number for number, name, _ in _keyed_lines(note) if name == key), 1)


def _keyed_lines(note: Note) -> Iterator[tuple[int, str, str]]:
    """The frontmatter's lines: (number, the property it belongs to, the line)."""
    if note.frontmatter is None:
        return
    block = note.text[note.frontmatter.start : note.frontmatter.end]
    key = ""
    for number, line in enumerate(_NEWLINE.split(block), start=2):
        if match := _KEY.match(line):
            key = match[1] or match[2] or match[3].rstrip()
        yield number, key, line


def _item_line(note: Note, keys: Sequence[str], item: str) -> int:
    """The line where an item of a property stands, else that of the property."""
    first = 0
    for number, key, line in _keyed_lines(note):
        if key in keys:
            first = first or number
            if item in line:
                return number
    return first or 1


def _breach(note: Note, key: str, message: str, mend: str) -> Problem:
    line = property_line(note, key)
    return Problem(note.path, line, f"contract-{key}", message, mend, "error")


def _required(note: Note, memory: Memory) -> Iterator[Problem]:
    if memory.summary_inferred:
        yield _breach(
            note, "summary", "no summary", "add one line: summary: What this note says"
        )
    if note.properties.get("created_at") in (None, ""):
        yield _breach(
            note, "created_at", "no created_at", "add created_at: 2026-03-05T14:30"
        )
    if note.properties.get("type") in (None, ""):
        yield _breach(
            note, "type", "no type", f"add type: with one of {', '.join(TYPES)}"
        )


def _summary(note: Note) -> Iterator[Problem]:
    """A summary is read before the note, in lists: one line, and no page.

    A warning, since what stands in a note is no reason to fail; new ones are refused.
    """
    value = note.properties.get("summary")
    if isinstance(value, str) and (
        len(value) > LONGEST_SUMMARY or _NEWLINE.search(value.strip())
    ):
        message = f"the summary is more than one line of {LONGEST_SUMMARY} characters"
        line = property_line(note, "summary")
        mend = "say it in a sentence; the rest belongs into the text"
        yield Problem(note.path, line, "contract-summary", message, mend)


def _known_words(note: Note) -> Iterator[Problem]:
    for key, known in (("type", TYPES), ("status", _STATUSES)):
        value = note.properties.get(key)
        if value in (None, ""):
            continue
        if not isinstance(value, str) or value.casefold() not in known:
            yield _breach(
                note,
                key,
                f"unknown {key} {_shown(value)}",
                f"one of: {', '.join(known)}",
            )


def _tags(note: Note, memory: Memory, namespaces: Sequence[str]) -> Iterator[Problem]:
    if not memory.scope:
        yield _breach(
            note, "tags", "no scope/ tag", "add scope/project or scope/global to tags"
        )
    allowed = {tags.key(name) for name in namespaces}
    for tag in note.tags:
        if tag.line:
            continue  # a tag in the running text is the writer's own affair
        space = tags.namespace(tag.name)
        if space not in allowed:
            mend = f"put it under one of: {', '.join(f'{n}/' for n in namespaces)}"
            line = _item_line(note, ("tags", "tag"), tag.name)
            message = f"the tag {tag.name} has no known namespace"
            yield Problem(note.path, line, "contract-tags", message, mend, "error")


def _times(note: Note) -> Iterator[Problem]:
    written: dict[str, str] = {}
    for key in _TIMES:
        value = note.properties.get(key)
        if value in (None, ""):
            continue
        if parse_interval(value) is None:
            mend = f"write it as {key}: 2026-03-05T14:30 or {key}: 2026-03-05"
            yield _breach(note, key, f"{_shown(value)} is not a date", mend)
        else:
            written[key] = str(value)
    for first, last in _ORDERED:
        both = first in written and last in written
        if both and _is_before(written[last], written[first]):
            mend = "swap the two, or mend one"
            yield _breach(note, last, f"{last} lies before {first}", mend)


def _is_before(last: str, first: str) -> bool:
    """Whether an end lies before its start; two offsets are made one."""
    zone = "UTC" if _OFFSET.search(last) and _OFFSET.search(first) else ""
    end, start = parse_interval(last, zone), parse_interval(first, zone)
    return end is not None and start is not None and end.end <= start.start


def _numbers(note: Note) -> Iterator[Problem]:
    for key in ("confidence", "importance"):
        value = note.properties.get(key)
        if value is None:
            continue
        fits = (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and 0 <= value <= 1
        )
        if not fits:
            yield _breach(
                note,
                key,
                f"{_shown(value)} is not a number from 0 to 1",
                f"for example {key}: 0.5",
            )


def _edges(note: Note) -> Iterator[Problem]:
    """Edges lead to notes: what stands in their properties must be links."""
    for key in _LINKED:
        value = note.properties.get(key)
        for item in value if isinstance(value, list) else [value]:
            if item in (None, "") or (isinstance(item, str) and _WIKILINK.search(item)):
                continue
            text = str(item)
            line = _item_line(note, (key,), text)
            mend = "write links"
            if isinstance(item, str):
                mend = f'write "[[{text}]]"'
                if "[" in text or "]" in text:
                    mend = "rename the note that it leads to, and write a link to it"
            message = f"{_shown(item)} in {key} is not a link"
            yield Problem(note.path, line, f"contract-{key}", message, mend, "error")


def _shown(value: Property) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else text[:39] + "…")


def check_links(rows: Iterable[tuple[str, int, str, str]]) -> list[Problem]:
    """Links that only Mindcache resolves: (note, line, target, where it leads).

    Obsidian finds a note by its name, never by an alias or an id.
    """
    found = []
    for path, line, target, resolved in rows:
        name = resolved.rpartition("/")[2]
        name = name[:-3] if name[-3:].lower() == ".md" else name
        message = f"[[{target}]] leads to {resolved} here, and nowhere in Obsidian"
        found.append(
            Problem(path, line, "link-by-alias", message, f"write [[{name}|{target}]]")
        )
    return found
