"""The timeline: what happened, in its order, each thing with its own time.

Answers from episodes: the journal's entries, events, and plans that are settled. It
reads the cache alone. Standard library only, so that it starts light.
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

__all__ = ["DEFAULT_LIMIT", "Episode", "Span", "Timeline", "timeline"]

DEFAULT_LIMIT = 50  # a few screens: what a day or two of busy work comes to

OUTCOMES = ("occurred", "missed", "canceled")

_MINUTE = timedelta(minutes=1)


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
    or a note's summary; `status` how a plan ended; `anchor` an entry's block id;
    `lines` an entry's first and last line, (0, 0) for a whole note.
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
    notes = reader.nodes(_events(reader, {e.file_id for e in entries}) | plans.keys())
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
        if n.date_start and _is_in(n.date_start, n.date_end, low, high)
    ]
    shown = sorted(rows)[max(0, len(rows) - asked.limit) :]
    return Timeline(
        tuple(_whole(reader, shown, known, plans, _twins(entries))),
        len(rows) - len(shown),
        sum(not node.date_start for node in chosen),
    )


def _bounds(asked: Span, now: datetime | None, zone: str) -> tuple[str, str]:
    """The stretch `[low, high)` that every option leaves, ISO."""
    low, high = "", "9999"
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
    is_own = bool(node.id) and reader.nodes_by_id(node.id)[0].path == node.path
    return Episode(
        id=node.id if is_own else node.path,
        type=node.type,
        date=node.date,
        end=node.date_end[:16] if end - start > usual else "",
        title=node.title,
        text=node.summary,
        project=node.project,
        status=status,
        path=node.path,
    )
