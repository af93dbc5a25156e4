"""What a caller may restrict an answer to, and which notes that leaves.

OR within one option, AND across options; a tag matches itself and its children.
An empty value is no filter. An unknown one is an error that names the nearest:
an agent that misspells a tag should hear it, not get an empty answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from mindcache import tags
from mindcache.cache.read import EntryRow, Reader
from mindcache.errors import UsageError
from mindcache.links import Names, fold, target_key
from mindcache.recall.standing import successors

if TYPE_CHECKING:
    from mindcache.when import Interval

__all__ = [
    "EPISODIC",
    "Filters",
    "entries_apart",
    "interval_of",
    "moment_of",
    "projects_like",
    "select",
    "spans_of",
]


# The languages whose time phrases a flag understands.
_PHRASE_LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?")

_MINUTE = timedelta(minutes=1)

# Values that an error lists where none is near the one that was asked for.
_SHOWN = 8

# What happened, when; everything else is knowledge (design 1).
EPISODIC = ("event", "journal")


class Filters(NamedTuple):
    """Each a tuple of alternatives; `start` and `end` are dates as written.

    `date` asks for notes that touch an interval, `start` and `end` for notes
    from, and before the end of, one. `memory` is "episodic" or "knowledge".
    `pinned` keeps pinned notes, `current` what holds now: neither superseded nor out
    of its time; `as_of` what was there by then; `named` what the question calls by name (`naming` decides, not
    `select`).
    """

    types: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    memory: str = ""
    as_of: str = ""
    pinned: bool = False
    current: bool = False
    named: bool = False

    def cleaned(self) -> Filters:
        """The same without empty values, surrounding space and repetitions."""
        values: dict[str, object] = {}
        for name, value in self._asdict().items():
            if isinstance(value, tuple):
                kept = dict.fromkeys(v.strip() for v in value if v and v.strip())
                values[name] = tuple(kept)
            elif isinstance(value, bool):
                values[name] = value
            else:
                values[name] = (value or "").strip()
        return Filters(**values)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return self.cleaned() != Filters()


def select(
    reader: Reader, filters: Filters, now: datetime | None = None
) -> set[int] | None:
    """The file ids of the notes that pass; None when nothing is filtered.

    `now` is what "last week" and its like are reckoned from.
    Raises UsageError for a value that nothing in the vault has.
    """
    wanted = filters.cleaned()
    chosen = [
        choose(reader, asked)
        for choose, asked in (
            (_types, wanted.types),
            (_statuses, wanted.statuses),
            (_tagged, wanted.tags),
            (_namespaced, wanted.namespaces),
            (_identified, wanted.ids),
            (_located, wanted.locations),
            (_of_project, wanted.projects),
            (_titled, wanted.titles),
            (_aliased, wanted.aliases),
            (_involving, wanted.entities),
        )
        if asked
    ]
    chosen += [
        set[int]().union(*(_between(reader, span) for span in spans))
        for spans in _asked_times(wanted, now)
    ]
    if wanted.memory:
        chosen.append(_memory(reader, wanted.memory))
    if wanted.as_of:
        chosen.append(_there_by(reader, moment_of(wanted.as_of, now)))
    if wanted.pinned:
        chosen.append(reader.where("n.pinned", []))
    if wanted.current:
        then = moment_of(wanted.as_of, now) if wanted.as_of else None
        chosen.append(_holding(reader, then or now, then))
    return set.intersection(*chosen) if chosen else None


def entries_apart(
    reader: Reader,
    entries: Iterable[EntryRow],
    filters: Filters,
    now: datetime | None = None,
) -> tuple[set[int], set[int]]:
    """What `select` takes in of the journal for entries that don't pass themselves.

    An entry has a time and may have a project of its own; `entries` are all. Gives the ids of entries'
    chunks that fail, and the file ids of notes in which only entries pass. Raises
    UsageError as `select` does.
    """
    wanted = filters.cleaned()
    times = _asked_times(wanted, now)
    named = set(projects_like(reader, wanted.projects)) if wanted.projects else None
    if not times and named is None:
        return set(), set()
    own = set() if named is None else _where_in(reader, "n.project", named)
    failing: set[int] = set()
    homes: set[int] = set()
    for entry in entries:
        at = datetime.fromisoformat(entry.at)
        in_time = all(
            any(at < span.end and at + _MINUTE > span.start for span in spans)
            for spans in times
        )
        is_named = (
            named is None
            or entry.project in named
            or (not entry.project and entry.file_id in own)
        )
        homes.add(entry.file_id)
        if not (in_time and is_named):
            failing.add(entry.chunk_id)
    return failing, set() if named is None else homes - own


def _where_in(reader: Reader, column: str, values: Iterable[str]) -> set[int]:
    """`column` is one of our own words, the values are parameters."""
    clause = f"{column} IN (SELECT value FROM json_each(?))"  # noqa: S608  see above
    return reader.where(clause, [json.dumps(list(values))])


def _types(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    from mindcache.memory import TYPES

    return _known(reader, "type", asked, TYPES)


def _statuses(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    from mindcache.memory import STATUSES

    return _known(reader, "status", asked, STATUSES)


def _known(
    reader: Reader, column: str, asked: tuple[str, ...], known: tuple[str, ...]
) -> set[int]:
    wanted = [value.casefold() for value in asked]
    for value in wanted:
        if value not in known:
            raise UsageError(
                f"no {column} is called {value!r}",
                mend=f"one of: {', '.join(known)}",
            )
    return _where_in(reader, f"n.{column}", wanted)


def _tagged(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    found: set[int] = set()
    for tag in asked:
        rows = reader.tagged(tags.key(tag))
        if not rows:
            used = _tag_names(reader)
            raise _unknown("tag", tag, tags.nearest(tag, used), used)
        found.update(file_id for file_id, _ in rows)
    return found


def _tag_names(reader: Reader) -> list[str]:
    """The tags in use, those of most notes first."""
    return [t.name for t in sorted(reader.tags(), key=lambda t: (-t.notes, t.name))]


def _namespaced(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    found: set[int] = set()
    for namespace in asked:
        head = tags.key(namespace)
        under = [t for t in reader.tags(head) if t.key.startswith(head + "/")]
        if not under:
            spaces = {n for t in reader.tags() if (n := tags.namespace(t.name))}
            close = _close_matches(head, sorted(spaces), n=3, cutoff=0.3)
            raise _unknown("namespace", namespace, close or sorted(spaces)[:5])
        found.update(file_id for file_id, _ in reader.tagged(head))
    return found


def _containing(reader: Reader, column: str, asked: tuple[str, ...]) -> list[str]:
    """The locations or projects that hold any of these parts, whatever their case."""
    existing = reader.distinct(column)
    matching: list[str] = []
    for value in asked:
        part = fold(value)
        found = [each for each in existing if part in fold(each)]
        if not found:
            close = _close_matches(value, existing, n=3, cutoff=0.4)
            raise _unknown(column, value, close, existing)
        matching += found
    return matching


def _identified(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    for value in asked:
        if not reader.nodes_by_id(value):
            known = sorted(node.id for node in reader.nodes() if node.id)
            close = _close_matches(value, known, n=3, cutoff=0.8)
            raise _unknown("id", value, close)
    return _where_in(reader, "n.node_id", asked)


def _located(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    return _where_in(reader, "n.location", _containing(reader, "location", asked))


def _of_project(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    named = json.dumps(projects_like(reader, asked))
    return reader.where(
        "n.project IN (SELECT value FROM json_each(?)) OR f.id IN (SELECT file_id"
        " FROM entries WHERE project IN (SELECT value FROM json_each(?)))",
        [named, named],
    )


def projects_like(reader: Reader, asked: Iterable[str]) -> list[str]:
    """The projects, of notes or of entries, that hold any of these parts.

    Raises UsageError for a part that none has, naming the nearest.
    """
    return _containing(reader, "project", tuple(asked))


def _titled(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    """By any part of the title."""
    nodes = reader.nodes()
    found: set[int] = set()
    for value in asked:
        part = fold(value)
        those = {n.file_id for n in nodes if part in fold(n.title)}
        if not those:
            titles = [n.title for n in nodes]
            close = _close_matches(value, titles, n=3, cutoff=0.5)
            raise _unknown("title", value, close)
        found |= those
    return found


def _aliased(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    """By a whole alias."""
    nodes = reader.nodes()
    found: set[int] = set()
    for value in asked:
        wanted = fold(value)
        those = {n.file_id for n in nodes if wanted in map(fold, n.aliases)}
        if not those:
            aliases = [alias for n in nodes for alias in n.aliases]
            close = _close_matches(value, aliases, n=3, cutoff=0.5)
            raise _unknown("alias", value, close)
        found |= those
    return found


def _involving(reader: Reader, asked: tuple[str, ...]) -> set[int]:
    """Notes that link to the entity, and the entity's own note."""
    keys = {k for name in asked for k in (target_key(name), fold(name))}
    names = Names(reader.names(keys))
    found: set[int] = set()
    for name in asked:
        home = names.resolve("", name)
        mentions = reader.linking(home.path if home else "", target_key(name))
        if home is None and not mentions:
            entities = [n.title for n in reader.nodes() if n.type == "entity"]
            close = _close_matches(name, entities, n=3, cutoff=0.4)
            raise _unknown("entity", name, close, entities)
        found |= mentions
        if home is not None:
            found.update(reader.file_ids([home.path]).values())
    return found


def interval_of(
    value: str, option: str, now: datetime | None = None, zone: str = ""
) -> Interval:
    """A date given by flag, as written or, reckoned from `now`, as a phrase.

    `zone` is the one in which a time with an offset is read. Raises UsageError with
    the forms that are understood.
    """
    from mindcache.when import parse_interval

    found = parse_interval(value, zone)
    if found is None and now is not None:
        from mindcache.when import parse_phrase

        found = parse_phrase(value, now, _PHRASE_LANGUAGES)
    if found is None:
        raise UsageError(
            f"{option}: {value!r} is not a date",
            mend="write 2026, 2026-03, 2026-03-05, 2026-03-05T14:30, 2026-W10,"
            ' 2026-Q1, or a phrase such as "last week"',
        )
    return found


def _asked_times(wanted: Filters, now: datetime | None) -> list[list[Interval]]:
    """For each option about dates its stretches, any of which will do."""
    asked: list[list[Interval]] = []
    if wanted.dates:
        asked.append([interval_of(value, "--date", now) for value in wanted.dates])
    if wanted.start or wanted.end:
        asked.append([_span(wanted.start, wanted.end, now)])
    return asked


def _span(start: str, end: str, now: datetime | None) -> Interval:
    """From one date up to the end of another; an end that isn't given is open."""
    low = interval_of(start, "--from", now).start if start else datetime.min  # noqa: DTZ901  civil time
    high = interval_of(end, "--to", now).end if end else datetime.max  # noqa: DTZ901  civil time
    if low >= high:
        raise UsageError("--from is not before --to", mend="swap the two")
    from mindcache.when import Interval

    return Interval(low, high)


def spans_of(filters: Filters, now: datetime | None = None) -> list[Interval]:
    """The stretches of time that the filters ask for. Raises UsageError."""
    return [span for spans in _asked_times(filters.cleaned(), now) for span in spans]


def _between(reader: Reader, span: Interval) -> set[int]:
    """By a note's own date, or by that of one of its occurrences."""
    clause = "n.date_start != '' AND n.date_start < ? AND n.date_end > ?"
    found = reader.where(clause, [span.end.isoformat(), span.start.isoformat()])
    if not reader.has_plans():
        return found
    from mindcache.recall.occasions import taking_place

    return found | taking_place(reader, span, besides=found)


def moment_of(value: str, now: datetime | None) -> datetime:
    """The moment that `--as-of` means: the end of a day, or of a month; or an instant.

    Raises UsageError.
    """
    if _INSTANT.fullmatch(value):
        return datetime.fromisoformat(value)
    return interval_of(value, "--as-of", now).end


def _there_by(reader: Reader, moment: datetime) -> set[int]:
    """The notes that were written, or valid, or of a date, before a moment.

    Those of which nobody knows when count as having been there.
    """
    written = "coalesce(json_extract(n.properties, '$.created_at'), '')"
    # Of a plan its date says when it takes place, and nothing of when it was made.
    dated = "CASE WHEN n.type = 'plan' THEN '' ELSE n.date_start END"
    times = (written, dated, "n.valid_from")
    # A date alone begins at midnight; as text it would come before that.
    clause = " OR ".join(
        f"({time} != '' AND substr({time} || 'T00:00:00', 1, 19) < ?)" for time in times
    )
    unknown = " AND ".join(f"{time} = ''" for time in times)
    return reader.where(f"{clause} OR ({unknown})", [moment.isoformat()] * len(times))


def _holding(
    reader: Reader, now: datetime | None, then: datetime | None = None
) -> set[int]:
    """The notes that nothing supersedes and that are within their time."""
    moment = now.isoformat() if now else ""
    holds = reader.where(
        "? = '' OR ((n.valid_until = '' OR n.valid_until > ?) AND n.valid_from <= ?)",
        [moment, moment, moment],
    )
    over = successors(reader, holds, then) if then else reader.superseding(holds)
    return holds - over.keys()


def _memory(reader: Reader, value: str) -> set[int]:
    kind = value.casefold()
    if kind not in {"episodic", "knowledge"}:
        raise UsageError(
            f"no memory is called {value!r}", mend="one of: episodic, knowledge"
        )
    episodic = _where_in(reader, "n.type", EPISODIC)
    return episodic if kind == "episodic" else reader.where("1", []) - episodic


def _close_matches(
    value: str, known: Sequence[str], n: int, cutoff: float
) -> list[str]:
    import difflib

    return difflib.get_close_matches(value, known, n=n, cutoff=cutoff)


def _unknown(
    option: str, value: str, close: list[str], used: Sequence[str] = ()
) -> UsageError:
    """Names what is near, else a few that there are."""
    if close:
        mend = f"nearest: {', '.join(close)}"
    elif used:
        more = ", …" if len(used) > _SHOWN else ""
        mend = f"in use: {', '.join(used[:_SHOWN])}{more}"
    else:
        mend = "nothing here is like it"
    return UsageError(f"no note has the {option} {value!r}", mend=mend)
