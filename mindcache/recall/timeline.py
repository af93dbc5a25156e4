"""The timeline: what happened, in its order, each thing with its own time.

Answers from episodes: the journal's entries, events, and plans that are settled, each
occurrence of a series on its own. What was settled ahead of its time has yet to happen.
It reads the cache alone. Standard library only, so that it starts light.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from mindcache import journal
from mindcache.cache.read import EntryRow, NodeRow, Reader
from mindcache.errors import UsageError
from mindcache.recall.filters import interval_of, projects_like
from mindcache.recall.occasions import settled
from mindcache.recurrence import Occurrence

__all__ = ["DEFAULT_LIMIT", "Episode", "Span", "Timeline", "timeline"]

DEFAULT_LIMIT = 50  # a few screens: what a day or two of busy work comes to

OUTCOMES = ("occurred", "missed", "canceled")

_MINUTE = timedelta(minutes=1)
_LAST = "9999"  # sorts behind every time


@dataclass(frozen=True, slots=True)
class Span:
    """Which time and project are asked for; dates as written, "" for no limit."""

    since: str = ""
    until: str = ""
    day: str = ""
    project: str = ""
    limit: int = DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class Episode:
    r"""One thing that happened. `id` is what `show` knows it by.

    `type` is journal, event or plan; `date` a day or minute, `end` the end of a
    longer thing, exclusive, else "". `text` is an entry's, its lines parted by "\n",
    why an occurrence went as it did, or a note's summary; `status` how a plan or event
    ended, "" where nothing says so; `anchor` the block id of an entry or occurrence;
    `lines` its first and last line, (0, 0) for a whole note.
    """

    id: str
    type: str
    date: str
    end: str
    title: str
    text: str
    project: str
    status: str
    path: str
    anchor: str = ""
    lines: tuple[int, int] = (0, 0)
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Timeline:
    """Episodes from the oldest to the newest: the last ones, when there are more.

    `left_out` counts the earlier ones, `undated` events that no time is known of.
    """

    episodes: tuple[Episode, ...]
    left_out: int
    undated: int


class _Row(NamedTuple):
    """An episode before it is read whole; tuples sort as the timeline does."""

    start: str
    path: str
    ord: int
    file_id: int
    entry: EntryRow | None
    occurrence: Occurrence | None = None


def timeline(
    reader: Reader, asked: Span, now: datetime | None = None, zone: str = ""
) -> Timeline:
    """What happened in a time, oldest first.

    `now` is what "last week" is reckoned from, `zone` that in which a time with an
    offset is read. Raises UsageError for what is no date and for a project that
    nothing belongs to.
    """
    low, high = _bounds(asked, now, zone)
    named = None
    if asked.project.strip():
        named = set(projects_like(reader, [asked.project.strip()]))
    entries = reader.entries()
    plans = _settled(reader)
    single = _occurrences(reader, low, high, now)
    notes = reader.nodes(
        _events(reader, {e.file_id for e in entries})
        | plans.keys()
        | {file_id for file_id, _ in single}
    )
    homes = {n.file_id: n.project for n in reader.nodes({e.file_id for e in entries})}
    rows = [
        _Row(e.at, e.path, e.ord, e.file_id, e)
        for e in entries
        if _is_in(e.at, _after(e.at), low, high)
        and (named is None or (e.project or homes[e.file_id]) in named)
    ]
    known = {node.file_id: node for node in notes}
    chosen = [n for n in notes if named is None or n.project in named]
    rows += [
        _Row(n.date_start, n.path, -1, n.file_id, None)
        for n in chosen
        if n.date_start
        and _is_in(n.date_start, n.date_end, low, high)
        and _is_told_whole(n, plans, single, now)
    ]
    rows += [
        _Row(each.begins.isoformat(), known[at].path, each.line, at, None, each)
        for at, each in single
        if named is None or known[at].project in named
    ]
    shown = sorted(rows)[max(0, len(rows) - asked.limit) :]
    return Timeline(
        tuple(_whole(reader, shown, known, plans, _twins(entries))),
        len(rows) - len(shown),
        sum(not node.date_start for node in chosen),
    )


def _occurrences(
    reader: Reader, low: str, high: str, now: datetime | None
) -> list[tuple[int, Occurrence]]:
    """The occurrences that list items settle, those that have begun by `now`."""
    begin = datetime.fromisoformat(low) if low else datetime.min  # noqa: DTZ901  civil
    end = datetime.fromisoformat(high) if high != _LAST else datetime.max  # noqa: DTZ901  civil
    return [
        (file_id, each)
        for file_id, each in settled(reader, begin, end)
        if now is None or each.begins <= now
    ]


def _is_told_whole(
    node: NodeRow,
    plans: dict[int, str],
    single: Sequence[tuple[int, Occurrence]],
    now: datetime | None,
) -> bool:
    """Whether a note stands for itself: no plan to come, nor one told by an item."""
    if node.type != "plan":
        return True
    if node.file_id not in plans:
        return False
    if now is not None and datetime.fromisoformat(node.date_start) > now:
        return False
    return not any(
        at == node.file_id and each.begins.isoformat() == node.date_start
        for at, each in single
    )


def _bounds(asked: Span, now: datetime | None, zone: str) -> tuple[str, str]:
    """The stretch `[low, high)` that every option leaves, ISO."""
    low, high = "", _LAST
    if asked.since.strip():
        low = interval_of(asked.since, "--since", now, zone).start.isoformat()
    if asked.until.strip():
        high = interval_of(asked.until, "--until", now, zone).end.isoformat()
    if low >= high:
        raise UsageError("--since is not before --until", mend="swap the two")
    if asked.day.strip():
        day = interval_of(asked.day, "--day", now, zone)
        low, high = (
            max(low, day.start.isoformat()),
            min(high, day.end.isoformat()),
        )
    return low, high


def _is_in(start: str, end: str, low: str, high: str) -> bool:
    return start < high and end > low


def _after(at: str) -> str:
    return (datetime.fromisoformat(at) + _MINUTE).isoformat()


def _events(reader: Reader, homes: Iterable[int]) -> set[int]:
    """Events, and notes of a journal that its owner keeps in a form of his own."""
    found = reader.where("n.type IN ('event', 'journal')", [])
    return found - set(homes)


def _settled(reader: Reader) -> dict[int, str]:
    """The plans that are settled, with how; a faint one's outcome is kept apart."""
    found: dict[int, str] = {}
    for outcome in OUTCOMES:
        clause = (
            "n.type = 'plan' AND (n.status = ? OR (n.status NOT IN (?, ?, ?)"
            " AND json_extract(n.properties, '$.outcome') = ?))"
        )
        ids = reader.where(clause, [outcome, *OUTCOMES, outcome])
        found.update(dict.fromkeys(ids, outcome))
    return found


def _twins(entries: Sequence[EntryRow]) -> set[str]:
    """Ids that several entries carry, which therefore name none of them."""
    counts = Counter(entry.block for entry in entries)
    return {block for block, count in counts.items() if count > 1}


def _whole(
    reader: Reader,
    rows: Sequence[_Row],
    known: dict[int, NodeRow],
    plans: dict[int, str],
    twins: set[str],
) -> Iterable[Episode]:
    chunks = reader.chunks(row.entry.chunk_id for row in rows if row.entry)
    days = {n.file_id: n for n in reader.nodes(row.file_id for row in rows)}
    for row in rows:
        entry = row.entry
        if row.occurrence is not None:
            yield _of_occurrence(reader, known[row.file_id], row.occurrence)
            continue
        if entry is None:
            yield _of_note(reader, known[row.file_id], plans.get(row.file_id, ""))
            continue
        chunk = chunks[entry.chunk_id]
        found = journal.parse(chunk.text, entry.block)
        day = days[entry.file_id]
        yield Episode(
            id=f"{row.path}#^{entry.block}" if entry.block in twins else entry.block,
            type=day.type,
            date=entry.at[:16],
            end="",
            title=day.title,
            text=found.text if found else chunk.text,
            project=entry.project or day.project,
            status="",
            path=row.path,
            anchor=entry.block,
            lines=(chunk.line_start, chunk.line_end),
            links=found.links if found else (),
        )


def _of_note(reader: Reader, node: NodeRow, status: str) -> Episode:
    start = datetime.fromisoformat(node.date_start)
    end = datetime.fromisoformat(node.date_end)
    usual = _MINUTE if node.date_precise else timedelta(days=1)
    if not status and node.status in OUTCOMES:
        status = node.status
    return Episode(
        id=_name(reader, node),
        type=node.type,
        date=node.date,
        end=node.date_end[:16] if end - start > usual else "",
        title=node.title,
        text=node.summary,
        project=node.project,
        status=status,
        path=node.path,
    )


def _of_occurrence(reader: Reader, node: NodeRow, each: Occurrence) -> Episode:
    length = 10 if each.all_day else 16
    usual = timedelta(days=1) if each.all_day else timedelta()
    return Episode(
        id=f"{node.path}#^{each.anchor}" if each.anchor else _name(reader, node),
        type=node.type,
        date=each.begins.isoformat()[:length],
        end=each.ends.isoformat()[:16] if each.ends - each.begins > usual else "",
        title=node.title,
        text=each.because or node.summary,
        project=node.project,
        status=each.status,
        path=node.path,
        anchor=each.anchor,
        lines=(each.line, each.line),
    )


def _name(reader: Reader, node: NodeRow) -> str:
    """What `show` knows a note by."""
    is_own = bool(node.id) and reader.nodes_by_id(node.id)[0].path == node.path
    return node.id if is_own else node.path
