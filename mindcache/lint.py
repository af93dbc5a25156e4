"""The contract: what a note that Mindcache vouches for must have (design 3.4).

Pure. Each breach is a `Problem` with the file, the line and the mend, in the
words with which a write that breaches it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mindcache import tags
from mindcache.errors import Problem
from mindcache.memory import STATUSES, TYPES, Memory
from mindcache.note import Note, Property
from mindcache.when import parse_interval

__all__ = ["check", "check_links", "property_line"]

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
_TYPED = "type", "status"


def check(note: Note, memory: Memory, namespaces: Sequence[str]) -> list[Problem]:
    """The breaches of one note, by line; none for a note that is not under contract."""
    if not memory.under_contract or memory.type in _OTHER_SHAPES:
        return []
    found = [
        *_required(note, memory),
        *_known_words(note),
        *_tags(note, memory, namespaces),
        *_times(note),
        *_numbers(note),
    ]
    return sorted(found, key=lambda p: (p.line, p.code, p.message))


def property_line(note: Note, key: str) -> int:
    """The line of a property's key in the file; 1 when it isn't there."""
    if note.frontmatter is None:
        return 1
    block = note.text[note.frontmatter.start : note.frontmatter.end]
    for number, line in enumerate(block.splitlines(), start=2):
        name, colon, _ = line.partition(":")
        if colon and name.strip("'\" ") == key and not line.startswith((" ", "\t")):
            return number
    return 1


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


def _known_words(note: Note) -> Iterator[Problem]:
    for key, known in (("type", TYPES), ("status", STATUSES)):
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
    allowed = {name.casefold() for name in namespaces}
    for tag in note.tags:
        if tag.line:
            continue  # a tag in the running text is the writer's own affair
        space = tags.namespace(tag.name)
        if space not in allowed:
            mend = f"put it under one of: {', '.join(f'{n}/' for n in namespaces)}"
            yield _breach(
                note, "tags", f"the tag {tag.name} has no known namespace", mend
            )


def _times(note: Note) -> Iterator[Problem]:
    read = {}
    for key in _TIMES:
        value = note.properties.get(key)
        if value in (None, ""):
            continue
        found = parse_interval(value)
        if found is None:
            mend = f"write it as {key}: 2026-03-05T14:30 or {key}: 2026-03-05"
            yield _breach(note, key, f"{_shown(value)} is not a date", mend)
        else:
            read[key] = found
    for first, last in _ORDERED:
        if first in read and last in read and read[last].end <= read[first].start:
            yield _breach(
                note, last, f"{last} lies before {first}", "swap the two, or mend one"
            )


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


def _shown(value: Property) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else text[:39] + "…")


def check_links(rows: Iterable[tuple[str, int, str, str]]) -> list[Problem]:
    """Links that only Mindcache resolves: (note, line, target, where it leads).

    Obsidian finds a note by its name, never by an alias or an id.
    """
    found = []
    for path, line, target, resolved in rows:
        name = resolved.rpartition("/")[2].removesuffix(".md")
        message = f"[[{target}]] leads to {resolved} here, and nowhere in Obsidian"
        found.append(
            Problem(path, line, "link-by-alias", message, f"write [[{name}|{target}]]")
        )
    return found
