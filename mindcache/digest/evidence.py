"""What is written somewhere of a plan that is over, and what that says became of it.

`judge` is pure; `Days` gathers what the vault holds of a day: entries of the journal
and events, each once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from mindcache.note import Note
from mindcache.recurrence import Occurrence
from mindcache.text import QueryTerm, analyze, query_terms, with_forms

if TYPE_CHECKING:
    from mindcache.cache.read import EntryRow, NodeRow, Reader

__all__ = ["Days", "Found", "Line", "Matter", "judge", "matter_of"]

# A plan says of itself that it is off: in front of its title, or marked behind it.
_CANCELED: Final = re.compile(
    r"^\W*(?:cancell?ed|abgesagt|annul[ée]e?s?|cancelad[oa]s?|取消)\b(?!\s+(?:by|for)\b)"
    r"|[(\[]\s*(?:cancell?ed|abgesagt|annulé|cancelado)\s*[)\]]"
    r"|\s[:–—-]\s*cancell?ed\W*$",
    re.IGNORECASE,
)
_STATUS_LINE: Final = re.compile(
    r"^[ \t>*-]*(?:\*\*)?(?:status\s*:{1,2}\s*)?cancell?ed(?:\*\*)?\s*(?:[:.!–—].*)?$",
    re.IGNORECASE | re.MULTILINE,
)
# Who writes so speaks of something that was not, is yet to be, or was moved.
_NOT_SO: Final = re.compile(
    r"\b(?:cancel\w*|called\s+off|call\s+off|postpon\w*|reschedul\w*|moved\s+(?:to|it)"
    r"|did(?:n['’]t|\s+not)|was(?:n['’]t|\s+not)|won['’]t|missed|skipped|no[- ]show"
    r"|couldn['’]t|could\s+not|forgot|tomorrow|tonight|next\s+(?:week|month|\w+day)"
    r"|upcoming|prepar\w+|prep|remind\w*|due|will|going\s+to|later\s+today|planned"
    r"|plan\s+to|need\s+to|have\s+to|should|instead\s+of|abgesagt|verschoben|verpasst"
    r"|annulé\w*|reporté\w*|cancelad\w+|aplazad\w+)\b",
    re.IGNORECASE,
)
_TASK: Final = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[(.)\][ \t]+(.+)$")
_MOST_WORDS = 160  # of a line that is quoted

# So much of a title's words has to be there; less where somebody of it is named too.
_MOST_OF: Final = 0.75
_HALF_OF: Final = 0.5
# A title of one word is found by it only where that is long enough to mean something.
_LONG: Final = 4


@dataclass(frozen=True, slots=True)
class Line:
    """Something written of a day: an entry of the journal, or an event.

    `name` is what a link to it is made of, `at` its minute (None for the day), `terms`
    its index terms, `links` the notes that it leads to.
    """

    name: str
    text: str
    at: datetime | None
    terms: frozenset[str]
    links: frozenset[str]


@dataclass(frozen=True, slots=True)
class Matter:
    """What a plan is about. `says_canceled` says where it calls itself off.

    `tasks` are its own, (is it done, its text); `only_tasks` when it says nothing else.
    """

    path: str
    title: tuple[QueryTerm, ...]
    entities: frozenset[str]
    tasks: tuple[tuple[bool, str], ...] = ()
    only_tasks: bool = False
    says_canceled: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What became of an occurrence ("" where nothing says so), why, and who says so.

    `doubt` is what is written of it and settles nothing; `is_whole` when it is said of
    the plan as a whole, a series too.
    """

    outcome: str = ""
    because: str = ""
    lines: tuple[Line, ...] = ()
    doubt: str = ""
    is_whole: bool = False


def matter_of(
    node: NodeRow, note: Note, links: Iterable[str], langs: Sequence[str]
) -> Matter:
    """A plan's note as what is looked for; `links` are the notes it involves."""
    fenced = {n for start, end in note.fences for n in range(start, end + 1)}
    first = note.text.count("\n", 0, note.body_offset) + 1
    body = [
        text
        for number, text in enumerate(note.body.split("\n"), first)
        if number not in fenced
    ]
    tasks = tuple(
        (m[1] in "xX", m[2]) for text in body if (m := _TASK.match(text.rstrip()))
    )
    rest = [
        t for t in body if t.strip() and not _TASK.match(t) and t.lstrip()[0] != "#"
    ]
    # What a calendar's organizer wrote into the text is nobody's own word.
    is_own = note.properties.get("source_type") != "calendar"
    says = any(_CANCELED.search(text) for text in (node.title, node.summary)) or (
        is_own and bool(_STATUS_LINE.search("\n".join(body)))
    )
    return Matter(
        node.path,
        # Whoever was to send something writes that it was sent.
        tuple(q for q in with_forms(query_terms(node.title, langs)) if not q.joined),
        frozenset(links),
        tasks,
        only_tasks=not rest,
        says_canceled=says,
    )


def judge(matter: Matter, each: Occurrence, day: Sequence[Line]) -> Found:
    """What became of one occurrence, by its own note and by the lines of its day."""
    if matter.says_canceled:
        return Found("canceled", "it says so", is_whole=True)
    own = _own_task(matter)
    if own is True:
        return Found("occurred", "its task is done")
    told: list[Line] = []
    doubt = ""
    for line in day:
        if not _tells_of(matter, line) or _is_before(line, each):
            continue
        if _NOT_SO.search(line.text):
            doubt = doubt or f"{line.name}: {line.text[:_MOST_WORDS]}"
        else:
            told.append(line)
    if told and not doubt:
        return Found("occurred", "the day tells of it", tuple(told))
    if own is False and not doubt:
        return Found("missed", "its task is not done")
    return Found(doubt=doubt)


def _own_task(matter: Matter) -> bool | None:
    """Whether the task that the plan is was done; None where it is none."""
    own = [
        is_done
        for is_done, text in matter.tasks
        if matter.only_tasks or _has(matter.title, _terms(text, ""), _MOST_OF)
    ]
    if own and all(own):
        return True
    return None if not own or any(own) else False


def _tells_of(matter: Matter, line: Line) -> bool:
    if matter.path in line.links:
        return True
    shared = bool(matter.entities & line.links)
    return _has(matter.title, line.terms, _HALF_OF if shared else _MOST_OF)


def _has(title: Sequence[QueryTerm], terms: frozenset[str], share: float) -> bool:
    """Whether so much of a title's words is there, two of them at least."""
    hits = [query for query in title if not terms.isdisjoint(query.terms)]
    if len(title) == 1:
        return bool(hits) and len(title[0].text) >= _LONG
    least = 2 if share > _HALF_OF else 1
    return len(hits) >= max(least, share * len(title))


def _is_before(line: Line, each: Occurrence) -> bool:
    """Whether it was written before that began, and so can't know."""
    return line.at is not None and not each.all_day and line.at < each.begins


def _terms(text: str, lang: str) -> frozenset[str]:
    return frozenset(analyze(text, lang)) | frozenset(analyze(text, ""))


class Days:
    """What the vault holds of each day, read when a day is first asked for."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._nodes = {node.file_id: node for node in reader.nodes()}
        self._entries: dict[str, list[EntryRow]] = {}
        for row in reader.entries():
            self._entries.setdefault(row.at[:10], []).append(row)
        self._events = [n for n in self._nodes.values() if n.type == "event"]
        self._known: dict[date, list[Line]] = {}
        self.langs = [lang for lang in reader.languages() if lang] or [""]

    def of(self, each: Occurrence) -> list[Line]:
        """The lines of the days on which it took place, in order; not of its own note."""
        last = max(each.begins, each.ends - timedelta(microseconds=1)).date()
        day, found = each.begins.date(), []
        while day <= last and (day - each.begins.date()).days < 31:
            if day not in self._known:
                self._known[day] = [*self._written(day), *self._happened(day)]
            found += self._known[day]
            day += timedelta(days=1)
        return list(dict.fromkeys(found))

    def _written(self, day: date) -> list[Line]:
        rows = self._entries.get(day.isoformat(), [])
        chunks = self._reader.chunks(row.chunk_id for row in rows)
        lines = []
        for row in rows:
            chunk, node = chunks[row.chunk_id], self._nodes[row.file_id]
            links = frozenset(
                link.resolved
                for link in self._reader.links_from(row.path)
                if link.resolved and chunk.line_start <= link.line <= chunk.line_end
            )
            lines.append(
                Line(
                    f"{row.path}#^{row.block}",
                    " ".join(chunk.text.split()),
                    datetime.fromisoformat(row.at),
                    _terms(chunk.text, node.lang),
                    links,
                )
            )
        return lines

    def _happened(self, day: date) -> list[Line]:
        """The events that began on the day: by what they are called, and their links."""
        lines = []
        for node in self._events:
            if node.date_start[:10] != day.isoformat():
                continue
            if node.status in {"canceled", "missed", "planned"}:
                continue
            text = f"{node.title}. {node.summary}"
            links = (x.resolved for x in self._reader.links_from(node.path))
            lines.append(
                Line(
                    node.path,
                    " ".join(text.split()),
                    None,
                    _terms(node.title, node.lang),
                    frozenset(link for link in links if link),
                )
            )
        return lines
