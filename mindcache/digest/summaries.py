"""Summaries of days and weeks that are over: what was said and done, in its own words.

Every line is a sentence of a note and leads to it; nothing is worded anew, and no
summary is read for another. One that a person changed or deleted is his. One that
nobody touched follows its sources: those that arrive late, and those that are gone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from mindcache.digest.gist import (
    Happening,
    Sentence,
    by_source,
    chosen,
    happenings,
    quoted,
)
from mindcache.digest.orphans import orphans
from mindcache.digest.step import Night, Outcome
from mindcache.errors import MindcacheError, Problem
from mindcache.filenames import shortened
from mindcache.generated import rendered
from mindcache.links import Names, path_key, written
from mindcache.memory import moment
from mindcache.note import Property, edit, emit
from mindcache.vault import Create, Entry, Replace, Trash
from mindcache.write.ids import derived_id

if TYPE_CHECKING:
    from mindcache.cache.read import Reader

__all__ = ["FOLDER", "KIND", "summaries"]

FOLDER = "memory/summaries"

# What the ledger calls them.
KIND = "summary"

# A day on which less happened is read as quickly as its summary.
_FEWEST = 3
# Of such days: a week with one is told by the summary of that day.
_FULL_DAYS = 2
# Sentences: a day fits on a card, a week on a screen.
_OF_A_DAY, _OF_A_WEEK = 7, 12
# How far back a digest looks. What a phone brings in a fortnight late still counts;
# of an old vault, what lies further back is history, and searched as such.
_DAYS, _WEEKS = 14, 8
# Where no digest ran for long, what lies between is made up for, as far as this.
_CAUGHT_UP = 62
_DAY = timedelta(days=1)
# Bytes of the summary in the properties: it is a line in lists.
_LINE = 240


@dataclass(frozen=True, slots=True)
class _Period:
    """A day, or a week from its Monday: [first, last]."""

    first: date
    last: date

    @property
    def is_week(self) -> bool:
        return self.first != self.last

    @property
    def name(self) -> str:
        if not self.is_week:
            return self.first.isoformat()
        year, week, _ = self.first.isocalendar()
        return f"{year}-W{week:02}"

    @property
    def key(self) -> str:
        return f"{'week' if self.is_week else 'day'}:{self.name}"

    @property
    def title(self) -> str:
        return f"{'Week' if self.is_week else 'Day'} {self.name}"

    @property
    def id(self) -> str:
        return derived_id(datetime.combine(self.first, time()), KIND, self.key)

    @property
    def over(self) -> datetime:
        """When it was over."""
        return datetime.combine(self.last + _DAY, time())

    def days(self) -> list[date]:
        return [self.first + _DAY * n for n in range((self.last - self.first).days + 1)]


@dataclass(slots=True)
class _Made:
    """What the ledger knows of the summary of one period."""

    is_made: bool = False
    path: str = ""
    marks: frozenset[str] = frozenset()


def summaries(night: Night) -> Outcome:
    """The summaries that are to be made, and those that have to follow their sources."""
    return _Summaries(night).run()


class _Summaries:
    def __init__(self, night: Night) -> None:
        self.night = night
        self.app = night.app
        self.reader: Reader = night.app.reader()
        self.past = _past_of(night.app.ledger.entries)
        self.out = Outcome("summaries")
        self.orphans = orphans(self.reader)
        self.days: dict[date, list[Happening]] = {}
        self.sentences: dict[date, list[Sentence]] = {}

    def run(self) -> Outcome:
        today = self.night.now.date()
        periods = self._periods(today)
        # What lies further back is looked at again only where a source is gone.
        known = {period.id: period for period in map(_period_of, self.past) if period}
        lost = [
            known[node.id]
            for node in self.reader.nodes(self.reader.where("n.type = ?", [KIND]))
            if node.path in self.orphans
            and node.id in known
            and self._is_ours(known[node.id], node.path)
        ]
        periods = sorted({*periods, *lost}, key=lambda p: (p.last, p.first))
        if periods:
            since, until = min(p.first for p in periods), today
            self.days = happenings(
                self.app, self.reader, since, until, self.night.now, self.orphans
            )
        for at, period in enumerate(periods, 1):
            self._settle(period)
            self.night.tell(at, len(periods))
        touched = {change.path for change in self.out.changes}
        self.out.problems += [
            Problem(
                path,
                links[0].line,
                "orphaned",
                f"what it is derived from is gone: [[{links[0].target}]]",
                "see whether it still holds; drop the link, or forget the note",
                "info",
            )
            for path, links in sorted(self.orphans.items())
            if path not in touched
        ]
        return self.out

    def _periods(self, today: date) -> list[_Period]:
        """The days and weeks that are over, and not for too long."""
        last = max(self.night.past.days, default="")
        since = today - _DAY * _DAYS
        if last:
            gap = max(date.fromisoformat(last), today - _DAY * _CAUGHT_UP)
            since = min(since, gap)
        days = [
            _Period(since + _DAY * n, since + _DAY * n)
            for n in range((today - since).days)
        ]
        monday = today - _DAY * today.weekday()
        weeks = max(_WEEKS, -(-(monday - since).days // 7))
        first = (monday - _DAY * 7 * n for n in range(1, weeks + 1))
        return days + [_Period(each, each + _DAY * 6) for each in first]

    def _is_ours(self, period: _Period, path: str) -> bool:
        """Whether it is as a digest wrote it."""
        try:
            data, _, _ = self.app.look(path)
        except (OSError, MindcacheError):
            return False
        return _mark(data) in self.past.get(period.key, _Made()).marks

    # -- one of them -------------------------------------------------------

    def _settle(self, period: _Period) -> None:
        made = self.past.get(period.key, _Made())
        there = self.reader.nodes_by_id(period.id)
        if not there:
            if not made.is_made:
                self._make(period)
            return
        paths = [node.path for node in there]
        path = made.path if made.path in paths else paths[0]
        if not made.is_made:
            # It was written just before a digest was killed.
            self.out.after[path] = [self._entry("made", period, path)]
        try:
            data, note, _ = self.app.look(path)
        except (OSError, MindcacheError):
            return
        if _mark(data) not in made.marks:
            return  # a person's by now
        lines = self._lines(period)
        if not lines:
            if path in self.orphans:
                self.out.changes.append(Trash(path, data))
                self.out.after[path] = [self._entry("ended", period, path)]
                self.out.said.append(f"{path}: all that it told of is gone")
            return
        updated = str(note.properties.get("updated_at") or "")
        if _mark(self._text(period, path, lines, updated)) == _mark(data):
            return
        text = self._text(period, path, lines, self.night.at)
        if status := note.properties.get("status"):
            text = edit(text, {"status": status})
        self.out.changes.append(Replace(path, text, data))
        self.out.before.append(self._entry("said", period, said=_mark(text)))
        self.out.said.append(f"{path}: rewritten, its sources have changed")

    def _make(self, period: _Period) -> None:
        lines = self._lines(period, fewest=_FEWEST)
        path = self._path(period)
        if not lines or not path:
            return
        text = self._text(period, path, lines, moment(period.over))
        self.out.changes.append(Create(path, text))
        self.out.before.append(self._entry("said", period, said=_mark(text)))
        self.out.after[path] = [self._entry("made", period, path)]
        self.out.said.append(f"{path}: made")

    def _path(self, period: _Period) -> str:
        """A name that nobody has; "" where a person has them all."""
        for behind in ("", " summary"):
            path = f"{FOLDER}/{period.title}{behind}.md"
            if not self.app.vault.exists(path) and not self.reader.names(
                {path_key(path)}
            ):
                return path
        return ""

    def _lines(self, period: _Period, fewest: int = 1) -> list[Sentence]:
        """What it tells, the most telling first."""
        days = [day for day in period.days() if day in self.days]
        full = sum(len(self.days[day]) >= fewest for day in days)
        if full < (_FULL_DAYS if period.is_week and fewest > 1 else 1):
            return []
        sentences = [each for day in days for each in self._of(day)]
        most = _OF_A_WEEK if period.is_week else _OF_A_DAY
        return chosen(sentences, self.app.encoder, most)

    def _of(self, day: date) -> list[Sentence]:
        found = self.sentences.get(day)
        if found is None:
            found = self.sentences[day] = quoted(self.app, self.days[day])
        return found

    # -- how it reads ------------------------------------------------------

    def _text(
        self, period: _Period, path: str, lines: Sequence[Sentence], updated: str
    ) -> bytes:
        told = sorted(lines, key=lambda s: s.order)
        sources = by_source(told)
        names = Names(self.reader.names({path_key(each) for each in sources}))
        projects = {sentence.of.project for sentence in told}
        head = period.name
        if period.is_week:
            head += f", {period.first.isoformat()} to {period.last.isoformat()}"
        most = "; ".join(sentence.text.rstrip(" .") for sentence in lines[:3])
        properties: dict[str, Property] = {
            "id": period.id,
            "type": KIND,
            "summary": shortened(f"{head}: {most}", _LINE),
            "tags": ["scope/project"],
        }
        if len(projects) == 1 and (project := projects.pop()):
            properties["project"] = project
        properties["time_start"] = period.first.isoformat()
        if period.is_week:
            properties["time_end"] = period.last.isoformat()
        properties |= {
            "derived_from": [written(names, path, each) for each in sources],
            "created_at": moment(period.over),
            "updated_at": updated,
        }
        body = rendered([_line(names, path, each, period) for each in told])
        return emit(properties, "".join(f"{line}\n" for line in body)).encode()

    def _entry(
        self, what: str, period: _Period, path: str = "", said: str = ""
    ) -> Entry:
        return Entry(
            what, KIND, period.key, id=period.id, path=path, at=self.night.at, said=said
        )


def _line(names: Names, path: str, sentence: Sentence, period: _Period) -> str:
    of = sentence.of
    when = of.at.replace("T", " ") if period.is_week else of.at[11:]
    stem = of.path.rpartition("/")[2][:-3]
    if of.anchor and not of.status:
        link = written(names, path, of.path, when, f"^{of.anchor}")
        return f"- {link} {sentence.text}"
    link = written(names, path, of.path)
    if of.anchor:  # one of several occurrences
        link = written(names, path, of.path, stem, f"^{of.anchor}")
        if link.endswith("]]") and "|" not in link:
            link = f"{link[:-2]}|{stem}]]"
    behind = f" ({when})" if period.is_week else ""
    colon = "" if of.status else ":"
    return f"- {link}{behind}{colon} {sentence.text}"


# The digest itself says in a property how faint a note is.
_STATUS = re.compile(rb"^(?:status|outcome):[^\n]*\n", re.MULTILINE)


def _mark(data: bytes) -> str:
    """What a text is known by: all of it but its status."""
    head, closing, body = data.partition(b"\n---\n")
    told = _STATUS.sub(b"", head + b"\n") + closing + body
    return hashlib.blake2b(told, digest_size=6).hexdigest()


def _past_of(entries: Iterable[Entry]) -> Mapping[str, _Made]:
    """By key, what was made and said; what we ended ourselves may be made again."""
    found: dict[str, _Made] = {}
    for entry in sorted(entries, key=lambda e: e.at):
        if entry.kind != KIND:
            continue
        made = found.setdefault(entry.key, _Made())
        if entry.what == "made":
            made.is_made, made.path = True, entry.path
        elif entry.what == "ended":
            made.is_made = False
        elif entry.what == "said":
            made.marks |= {entry.said}
    return found


def _period_of(key: str) -> _Period | None:
    """The day or week that a key of the ledger names."""
    kind, _, name = key.partition(":")
    try:
        if kind == "week":
            first = date.fromisoformat(f"{name}-1")
            return _Period(first, first + _DAY * 6)
        return _Period(date.fromisoformat(name), date.fromisoformat(name))
    except ValueError:
        return None
