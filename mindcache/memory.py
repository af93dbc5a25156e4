"""What a note means as a memory: its type, title, date, edges and contract.

Pure: turns the values that a parsed note consists of (`note.Note`) into one
node of the memory graph (`Memory`). A property that holds a foreign value
(`type: "[[Book]]"`, `status: 3`) counts as absent; nothing here is ever written
back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mindcache.lazy import regex
from mindcache.links import fold
from mindcache.plain import first_sentence, plain_text
from mindcache.when import (
    Interval,
    daily_pattern,
    date_in_name,
    date_of_daily,
    parse_interval,
    time_of_ulid,
)

if TYPE_CHECKING:
    from mindcache.note import Link, Note, Property

__all__ = [
    "AWAKE",
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
    "waking_status",
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

# What sync programs put behind a name, in forms that nobody would write by hand:
# Syncthing and Nextcloud's old form; then, in parentheses and with the time of the
# conflict, Obsidian Sync, Nextcloud, Seafile, and Dropbox in its user's language.
_CONFLICT = regex(
    r"\.sync-conflict-[0-9]{8}-[0-9]{6}(?:-[A-Z0-9]{7})?$"
    r"|_conflict-[0-9]{8}-[0-9]{6}$"
    r"|[ ]?\(((?:[^()]++|\([^()]*+\))++)\)$",
    re.IGNORECASE,
)
_COPY = regex(
    r"(?:\b(?:conflicted copy|case conflict|konflikt stehende kopie|copie en conflit"
    r"|copia en conflicto|copia in conflitto|cópia em conflito)\b|^SFConflict )"
    r".*[0-9]{4}-?[0-9]{2}-?[0-9]{2}|^selective sync conflict(?: [0-9]+)?$",
    re.IGNORECASE,
)
_SPACE = regex(r"\s+")
_GENERATED = regex(
    r"^%% mindcache:begin [^\n]*\n.*?(?:^%% mindcache:end %%[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)

# One use keeps a memory awake for so long, whatever else is known of it; a digest may
# be as late with saying so in its note.
AWAKE = timedelta(days=7)

_BARE_DATE = regex(r"[0-9]{4}([-_.]?)[0-9]{2}\1[0-9]{2}")

_DAILY = daily_pattern("")

# How much of a note is looked at for its first paragraph.
_OPENING_LENGTH = 8_000


class Meaning(NamedTuple):
    """What of a vault's settings decides what a note means.

    `daily` is a `when.daily_pattern`, `daily_folder` the folder of those notes.
    """

    zone: str = ""
    daily: re.Pattern[str] = _DAILY
    daily_folder: str = ""
    contract_paths: tuple[str, ...] = ()


class EdgeSpec(NamedTuple):
    """A link with the relation it stands for, its origin and its weight."""

    link: Link
    relation: str
    origin: str
    weight: float


class Memory(NamedTuple):
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
    properties: Mapping[str, Property] = MappingProxyType({})

    @property
    def scope(self) -> str:
        """The first `scope/` tag's value, "" without one."""
        for tag in self.tags:
            head, _, value = tag.partition("/")
            if head.casefold() == "scope" and value:
                return value
        return ""


def describe(note: Note, meaning: Meaning) -> Memory:
    """Read a parsed note as a memory.

    The summary of a note that has none of its own is its first sentence.
    """
    properties = note.properties
    stem = _stem(note.path)
    note_id = _text(properties.get("id"))
    kind = _known(properties.get("type"), TYPES)
    summary = _one_line(properties.get("summary"))
    daily = _daily(note.path, meaning)
    date, dated_by = _date(properties, daily, stem, meaning)
    return Memory(
        path=note.path,
        id=note_id,
        type=kind or ("event" if daily or _BARE_DATE.fullmatch(stem) else "fact"),
        type_inferred=not kind,
        title=_name(properties.get("title")) or stem,
        summary=summary or _opening(note),
        summary_inferred=not summary,
        tags=_distinct(tag.name for tag in note.tags),
        aliases=_distinct(
            _names(properties.get("aliases")) or _names(properties.get("alias"))
        ),
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


def _daily(path: str, meaning: Meaning) -> re.Match[str] | None:
    """Where the path is named as Obsidian names daily notes."""
    folder = meaning.daily_folder.strip("/")
    if folder and not path.startswith(folder + "/"):
        return None
    return meaning.daily.search(path[:-3] if path[-3:].lower() == ".md" else path)


def _is_under_contract(path: str, note_id: str, meaning: Meaning) -> bool:
    if time_of_ulid(note_id) is not None:
        return True
    for given in meaning.contract_paths:
        folder = given.removeprefix("./").strip("/")
        if folder in {"", "."} or fold(path).startswith(f"{fold(folder)}/"):
            return True
    return False


def _opening(note: Note) -> str:
    """The first sentence near the beginning of what a person wrote."""
    start = note.frontmatter.body if note.frontmatter else 0
    text = note.text[start : min(note.text_end, start + _OPENING_LENGTH)]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if note.generated:
        text = _GENERATED.sub("\n", text)
    return first_sentence(text)


# -- values ----------------------------------------------------------------


def _text(value: Property) -> str:
    """A scalar as text; "" for nothing, a list or a map."""
    if value is None or isinstance(value, (list, dict, bool)):
        return ""
    return str(value).strip()


def _one_line(value: Property) -> str:
    return _SPACE.sub(" ", _text(value))


def _name(value: Property) -> str:
    """A name as it was written, be it a number, a date or `true`."""
    return str(value).lower() if isinstance(value, bool) else _one_line(value)


def _names(value: Property) -> list[str]:
    """A list property; a single text is a list of one, commas are not split."""
    items = value if isinstance(value, list) else [value]
    return [name for item in items if (name := _name(item))]


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
    properties: Mapping[str, Property],
    daily: re.Match[str] | None,
    stem: str,
    meaning: Meaning,
) -> tuple[Interval | None, str]:
    """When the memory is about, by the order of design 3.1."""
    for key in ("time_start", "created_at", "created", "date"):
        is_whole = key == "time_start" and properties.get("all_day") is True
        # A day is the same day in every zone.
        read_in = meaning._replace(zone="") if is_whole else meaning
        found = _written(properties, key, read_in)
        if found is None:
            continue
        if is_whole:
            found = _whole_days(found, _written(properties, "time_end", read_in))
        elif key == "time_start":
            found = _until(found, properties, meaning)
        return found, key
    found = (date_of_daily(daily) if daily else None) or date_in_name(stem)
    if found:
        return found, "name"
    moment = time_of_ulid(_text(properties.get("id")))
    if moment:
        day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        return parse_interval(day.date().isoformat()), "id"
    return None, ""


def _written(
    properties: Mapping[str, Property], key: str, meaning: Meaning
) -> Interval | None:
    """A date property; it may be a link to the day's note."""
    value = properties.get(key)
    if isinstance(value, str) and value.startswith("[["):
        value = value[2:].partition("]]")[0].partition("|")[0].partition("#")[0]
        return date_in_name(value)
    return parse_interval(value, meaning.zone)


def _until(
    start: Interval, properties: Mapping[str, Property], meaning: Meaning
) -> Interval:
    """Stretch a start to `time_end`; an end before its start is left out."""
    end = _written(properties, "time_end", meaning)
    if end is None:
        return start
    last = end.start if end.precise else end.end
    return Interval(start.start, last, start.precise) if last > start.start else start


def _whole_days(start: Interval, end: Interval | None) -> Interval:
    """Days from a start up to an end that is the day after the last (`recurrence`)."""
    days = _day_of(start.start) if start.precise else start
    if end is None or end.start <= days.end:
        return days
    last = _day_of(end.start)
    return Interval(days.start, last.end if end.start > last.start else last.start)


def _day_of(moment: datetime) -> Interval:
    found = parse_interval(moment.date().isoformat())
    return found or Interval(moment, moment)


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


# -- words -----------------------------------------------------------------

# Properties that are the note's machinery and say nothing worth searching.
_MACHINERY = frozenset(
    {
        "id", "type", "tags", "tag", "status", "outcome", "created_at", "updated_at",
        "created", "updated", "cssclasses", "cssclass", "pinned", "confidence",
        "importance", "lang", "aliases", "alias", "title", "timezone", "all_day",
        "recurrence", "sequence", "source_type", "source_path",
        "source_id", "external_ref", "publish", "permalink", "time_start", "time_end",
        "valid_from", "valid_until", "position", "banner", "cover", "image",
    }
)  # fmt: skip

# Enough for any hand-written block, too little for data dumped into one.
_WORDS_LENGTH = 2_000


def _words(properties: Mapping[str, Property]) -> str:
    parts: list[str] = []
    length = 0
    for key, value in properties.items():
        if key in _MACHINERY or length > _WORDS_LENGTH:
            continue
        label = "" if key == "summary" else key.replace("_", " ")
        texts = (t for t in _leaves(value) if not t.startswith(("http://", "https://")))
        if text := " ".join(texts)[: 2 * _WORDS_LENGTH]:
            parts.append(f"{label} {text}")
            length += len(text)
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


def waking_status(kind: str, outcome: Property) -> str:
    """What a faint note of this type is when it wakes: a plan what became of it."""
    if kind != "plan":
        return "active"
    return outcome if outcome in {"occurred", "missed", "canceled"} else "planned"


def conflict_copy_of(path: str) -> str:
    """The note that a sync program's conflict copy belongs to, "" for others.

    Knows the names that Syncthing, Obsidian Sync, Dropbox, Nextcloud and Seafile
    give and that nobody would give by hand; of others (`n 2.md`, `n (1).md`) only
    the ids tell.
    """
    stem = _stem(path)
    match = _CONFLICT.search(stem)
    if not match or match.start() == 0:
        return ""
    if match[1] and not _COPY.search(match[1]):
        return ""
    head = path[: len(path) - len(path.rpartition("/")[2])]
    return head + stem[: match.start()] + path[-3:]


def moment(value: datetime) -> str:
    """A civil time as it is written in a property."""
    return value.isoformat(timespec="minutes" if not value.second else "seconds")
