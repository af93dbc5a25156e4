"""What a note means as a memory: its type, title, date, edges and contract.

Pure: turns the values that a parsed note consists of (`note.Note`) into one
node of the memory graph (`Memory`). A property that holds a foreign value
(`type: "[[Book]]"`, `status: 3`) counts as absent; nothing here is ever written
back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from mindcache.links import fold
from mindcache.note import Link, Note, Property
from mindcache.when import Interval, date_in_name, parse_interval, time_of_ulid

__all__ = [
    "RELATIONS",
    "STATUSES",
    "SYMMETRIC",
    "TYPES",
    "EdgeSpec",
    "Meaning",
    "Memory",
    "conflict_copy_of",
    "describe",
    "plain_text",
]

TYPES = ("fact", "event", "entity", "summary", "plan", "topic", "journal", "proposal")
STATUSES = (
    "active",
    "planned",
    "occurred",
    "missed",
    "canceled",
    "faint",
    "archived",
    "hot",
    "warm",
    "cool",
)
RELATIONS = (
    "about",
    "involves",
    "before_after",
    "same_topic",
    "derived_from",
    "planned_for",
    "occurred_after",
    "contradicts",
)
SYMMETRIC = frozenset({"same_topic", "contradicts"})

# Properties that are edges under another name (design 3.1, 3.3).
_RELATION_OF = {
    **{relation: relation for relation in RELATIONS},
    "entities": "involves",
    "superseded_by": "superseded_by",
    "parent_topic": "parent_topic",
    "related_topics": "same_topic",
    "anchors": "about",
}

# Edge weights of design 3.2. A link in a property that names no relation (an
# author, a category) says more than a mention in passing and less than an edge
# somebody typed, so it stands between the two.
WEIGHT_TYPED = 1.0
WEIGHT_PROPERTY = 0.5
WEIGHT_BODY = 0.3
WEIGHT_TOPIC = 0.1

SUMMARY_LENGTH = 160

_CONFLICT = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?$"
    r"| ?\((?:[^()]*'s? )?(?:[^()]* )?conflicted copy[^()]*\)$"
    r"|_conflict-\d{8}-\d{6}$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s|(?<=[。！？])")
_WIKILINK = re.compile(r"!?\[\[([^\]|]*?)(?:\\?\|([^\]]*))?\]\]")
_MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_MARKS = re.compile(
    r"(?m)^\s{0,3}(?:>\s?)+(?:\[![\w-]+\][+-]?\s*)?|^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?"
)
_EMPHASIS = re.compile(
    r"(\*\*|__|~~|==|`+)(?=\S)(.+?)(?<=\S)\1|(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"
)
_COMMENT = re.compile(r"%%.*?%%|<!--.*?-->", re.DOTALL)
_BLOCK_ID = re.compile(r"(?m)\s+\^[A-Za-z0-9-]+\s*$")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What of a vault's settings decides what a note means."""

    zone: str = ""
    daily: re.Pattern[str] = re.compile(r"^\d{4}-\d{2}-\d{2}$")
    daily_folder: str = ""
    contract_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeSpec:
    """A link with the relation it stands for, its origin and its weight."""

    link: Link
    relation: str
    origin: str
    weight: float


@dataclass(frozen=True, slots=True)
class Memory:
    """One node of the memory graph.

    `id` is "" for a note without one: its path is then its identity.
    `type_inferred` and `summary_inferred` mark what was guessed. `date` is when
    the memory is about, `dated_by` what said so ("" when undated). `words` is
    property text worth searching beside title and body.
    """

    path: str
    id: str
    type: str
    type_inferred: bool
    title: str
    summary: str
    summary_inferred: bool
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    status: str
    project: str
    location: str
    date: Interval | None
    dated_by: str
    valid_from: str
    valid_until: str
    confidence: float
    importance: float
    pinned: bool
    under_contract: bool
    edges: tuple[EdgeSpec, ...] = ()
    words: str = ""
    properties: Mapping[str, Property] = field(default_factory=dict)

    @property
    def scope(self) -> str:
        """The first `scope/` tag's value, "" without one."""
        for tag in self.tags:
            head, _, value = tag.partition("/")
            if head.casefold() == "scope" and value:
                return value
        return ""


def describe(note: Note, meaning: Meaning, first_text: str = "") -> Memory:
    """Read a parsed note as a memory.

    `first_text` is the note's first chunk of text; the summary of a note that
    has none of its own is taken from it.
    """
    properties = note.properties
    stem = _stem(note.path)
    note_id = _text(properties.get("id"))
    kind = _known(properties.get("type"), TYPES)
    summary = _one_line(properties.get("summary"))
    date, dated_by = _date(properties, stem, meaning)
    return Memory(
        path=note.path,
        id=note_id,
        type=kind or _inferred_type(note.path, stem, meaning),
        type_inferred=not kind,
        title=_one_line(properties.get("title")) or stem,
        summary=summary or first_sentence(first_text),
        summary_inferred=not summary,
        tags=_distinct(tag.name for tag in note.tags),
        aliases=_distinct(_texts(properties.get("aliases", properties.get("alias")))),
        status=_known(properties.get("status"), STATUSES) or "active",
        project=_one_line(properties.get("project")),
        location=plain_text(_one_line(properties.get("location"))),
        date=date,
        dated_by=dated_by,
        valid_from=_text(properties.get("valid_from")),
        valid_until=_text(properties.get("valid_until")),
        confidence=_fraction(properties.get("confidence")),
        importance=_fraction(properties.get("importance")),
        pinned=properties.get("pinned") is True,
        under_contract=_is_under_contract(note.path, note_id, meaning),
        edges=tuple(_edges(note, kind)),
        words=_words(properties),
        properties=properties,
    )


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name[-3:].lower() == ".md" else name


def _inferred_type(path: str, stem: str, meaning: Meaning) -> str:
    folder = meaning.daily_folder.strip("/")
    inside = not folder or path.startswith(folder + "/")
    if inside and meaning.daily.match(stem):
        return "event"
    return "event" if _is_bare_date(stem) else "fact"


def _is_bare_date(stem: str) -> bool:
    """A name that is a date and nothing else is a day, wherever it lies."""
    return len(stem) in {8, 10} and date_in_name(stem) is not None


def _is_under_contract(path: str, note_id: str, meaning: Meaning) -> bool:
    if time_of_ulid(note_id) is not None:
        return True
    return any(path.startswith(p.strip("/") + "/") for p in meaning.contract_paths)


# -- values ----------------------------------------------------------------


def _text(value: Property) -> str:
    """A scalar as text; "" for nothing, a list or a map."""
    if value is None or isinstance(value, (list, dict, bool)):
        return ""
    return str(value).strip()


def _one_line(value: Property) -> str:
    return _SPACE.sub(" ", _text(value))


def _texts(value: Property) -> list[str]:
    """A list property; a single text is a list of one, commas are not split."""
    if isinstance(value, list):
        return [text for item in value if (text := _one_line(item))]
    text = _one_line(value)
    return [text] if text else []


def _known(value: Property, known: tuple[str, ...]) -> str:
    text = _text(value).casefold()
    return text if text in known else ""


def _fraction(value: Property) -> float:
    """A number from 0 to 1; the default .5 for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.5
    return float(value) if 0 <= value <= 1 else 0.5


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for text in texts:
        seen.setdefault(fold(text), text)
    return tuple(seen.values())


def _date(
    properties: Mapping[str, Property], stem: str, meaning: Meaning
) -> tuple[Interval | None, str]:
    """When the memory is about, by the order of design 3.1."""
    for key in ("time_start", "created_at", "created", "date"):
        found = parse_interval(properties.get(key), meaning.zone)
        if found is None:
            continue
        if key == "time_start":
            found = _until(found, properties, meaning)
        return found, key
    found = date_in_name(stem)
    if found:
        return found, "name"
    moment = time_of_ulid(_text(properties.get("id")))
    if moment:
        day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        return parse_interval(day.date().isoformat()), "id"
    return None, ""


def _until(
    start: Interval, properties: Mapping[str, Property], meaning: Meaning
) -> Interval:
    """Stretch a start to `time_end`; an end before its start is left out."""
    end = parse_interval(properties.get("time_end"), meaning.zone)
    if end is None:
        return start
    last = end.start if end.precise else end.end
    return Interval(start.start, last, start.precise) if last > start.start else start


# -- edges -----------------------------------------------------------------


def _edges(note: Note, kind: str) -> Iterable[EdgeSpec]:
    for link in note.links:
        if link.origin == "body":
            generated = kind == "topic" and any(
                first <= link.line <= last for first, last in note.generated
            )
            if generated:
                yield EdgeSpec(link, "about", "topic", WEIGHT_TOPIC)
            else:
                yield EdgeSpec(link, "about", "body", WEIGHT_BODY)
            continue
        name = link.field.replace("-", "_").replace(" ", "_").casefold()
        relation = _RELATION_OF.get(name)
        if relation:
            yield EdgeSpec(link, relation, link.origin, WEIGHT_TYPED)
        else:
            yield EdgeSpec(link, "about", link.origin, WEIGHT_PROPERTY)


# -- text ------------------------------------------------------------------

# Properties that are the note's machinery and say nothing worth searching.
_MACHINERY = frozenset(
    {
        "id", "type", "tags", "tag", "status", "outcome", "created_at", "updated_at",
        "created", "updated", "cssclasses", "cssclass", "pinned", "confidence",
        "importance", "lang", "aliases", "alias", "title", "timezone", "all_day",
        "source_id", "external_ref", "publish", "permalink", "time_start", "time_end",
        "valid_from", "valid_until", "position", "banner", "cover", "image",
    }
)  # fmt: skip

# Enough for any hand-written block, too little for data dumped into one.
_WORDS_LENGTH = 2_000


def _words(properties: Mapping[str, Property]) -> str:
    parts: list[str] = []
    for key, value in properties.items():
        if key in _MACHINERY:
            continue
        texts = [t for t in _leaves(value) if not t.startswith(("http://", "https://"))]
        if texts:
            label = "" if key == "summary" else key.replace("_", " ")
            parts.append(f"{label} {' '.join(texts)}")
    return plain_text("\n".join(parts))[:_WORDS_LENGTH]


def _leaves(value: Property) -> Iterable[str]:
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    else:
        text = _text(value)
        if text:
            yield text


def plain_text(markdown: str) -> str:
    """Markdown without its marks, on one line: links as they read, no comments."""
    text = markdown
    if "%%" in text or "<!--" in text:
        text = _COMMENT.sub(" ", text)
    if "[" in text:
        text = _WIKILINK.sub(lambda m: m[2] or _readable(m[1]), text)
        text = _MARKDOWN_LINK.sub(r"\1", text)
    if "^" in text:
        text = _BLOCK_ID.sub("", text)
    text = _MARKS.sub("", text)
    if "*" in text or "_" in text or "`" in text or "=" in text or "~" in text:
        text = _EMPHASIS.sub(lambda m: m[2] or m[3] or "", text)
    return _SPACE.sub(" ", text).strip()


def _readable(target: str) -> str:
    return target.rpartition("/")[2].replace("#^", " ").replace("#", " ").strip()


def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph, at most 160 characters."""
    paragraph = next(
        (p for p in re.split(r"\n\s*\n", text[:4_000]) if plain_text(p)), ""
    )
    line = plain_text(paragraph)
    line = _SENTENCE_END.split(line, maxsplit=1)[0].strip()
    if len(line) <= SUMMARY_LENGTH:
        return line
    cut = line[: SUMMARY_LENGTH - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > SUMMARY_LENGTH // 2 else cut).rstrip(" ,;:") + "…"


def conflict_copy_of(path: str) -> str:
    """The note that a sync program's conflict copy belongs to, "" for others.

    Knows the names that Syncthing, Obsidian Sync, Dropbox and Nextcloud give
    and that nobody would give by hand.
    """
    stem = _stem(path)
    match = _CONFLICT.search(stem)
    if not match or match.start() == 0:
        return ""
    return (
        path[: len(path) - len(path.rpartition("/")[2])] + stem[: match.start()] + ".md"
    )


def moment(value: datetime) -> str:
    """A civil time as it is written in a property."""
    return value.isoformat(timespec="minutes" if not value.second else "seconds")
