"""The report of the digests: one note that tells, night by night, what they did.

It is written only when something else was, holds a month of nights, the newest first,
and links to nothing, so that it is no hub in the graph and no source of anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from mindcache.digest.faces import plain
from mindcache.digest.step import SHOWS, Night, Outcome
from mindcache.errors import EditRefused, MindcacheError, Problem
from mindcache.filenames import shortened
from mindcache.generated import find_section, rendered, replaced
from mindcache.memory import moment
from mindcache.note import Property, edit, emit
from mindcache.vault import Create, Entry, Replace
from mindcache.write.ids import derived_id

if TYPE_CHECKING:
    from mindcache.digest.run import Digested

__all__ = ["KIND", "PATH", "reporting"]

PATH = "Digest report.md"
"""Where it is made: at the top, beside the page to start with. It may be moved."""

KIND = "report"
_KEY = "digest"
# It is of no one day; its id needs one.
_ID = derived_id(datetime(2026, 1, 1), KIND, _KEY)  # noqa: DTZ001  civil time

_KEPT = timedelta(days=30)
# Of a list of more lines than the first number, so many are told: nobody reads on.
_LONG, _FEW = 8, 5
_TOPICS = "mindcache topics"
_DOCTOR = "mindcache doctor"
_LINE = 200
_HEADING = re.compile(r"## (\d{4}-\d{2}-\d{2})")
_WAITING = "## Waiting for you"


def reporting(night: Night, report: Digested) -> Outcome:
    """The report of what the steps before did, where they did anything."""
    out = Outcome("report")
    if not report.is_change or night.dry_run:
        return out
    reader = night.app.reader()
    entries = [e for e in night.app.ledger.entries if (e.kind, e.key) == (KIND, _KEY)]
    paths = [node.path for node in reader.nodes_by_id(_ID)]
    if not paths:
        # Made once and gone: nobody wants to read it.
        if not entries and not night.app.vault.exists(PATH):
            _make(night, report, out)
        return out
    if not entries:
        out.after[paths[0]] = [_entry(night, paths[0])]
    try:
        _go_on(night, report, out, paths[0])
    except (OSError, MindcacheError) as error:
        said = getattr(error, "message", str(error))
        problem = Problem(paths[0], 1, "report-left", said, "mend it, or delete it")
        out.problems.append(problem)
    return out


def _make(night: Night, report: Digested, out: Outcome) -> None:
    lines = _Told(night.now.date()).lines(report)
    now = moment(night.now)
    properties: dict[str, Property] = {
        "id": _ID,
        "type": "summary",
        "summary": "What the digests of the last month did, and what waits for you",
        "tags": ["scope/project"],
        "digest": False,
        "created_at": now,
        "updated_at": now,
    }
    body = "".join(f"{line}\n" for line in rendered(lines))
    out.changes.append(Create(PATH, emit(properties, body).encode()))
    out.after[PATH] = [_entry(night, PATH)]


def _go_on(night: Night, report: Digested, out: Outcome, path: str) -> None:
    data, note, _ = night.app.look(path)
    section = find_section(note)
    if isinstance(section, str):
        raise EditRefused(f"{section}, and is left alone", mend="delete it")
    if note.encoding.name != "utf-8":
        raise EditRefused("the note is not UTF-8", mend="save it as UTF-8")
    told = _Told(night.now.date())
    told.read(section.lines)
    text = replaced(note, section, told.lines(report))
    bom = b"\xef\xbb\xbf" if note.encoding.bom else b""
    now: Property = moment(night.now)
    changed = edit(bom + text.encode(), {"updated_at": now})
    out.changes.append(Replace(path, changed, data))


def _entry(night: Night, path: str) -> Entry:
    return Entry("made", KIND, _KEY, id=_ID, path=path, at=night.at)


# -- what it says --------------------------------------------------------------


@dataclass(slots=True)
class _Told:
    """The lines of each night, as the report has them and goes on."""

    today: date
    nights: dict[str, list[str]] = field(default_factory=dict)

    def read(self, lines: Iterable[str]) -> None:
        """Take in what stands there of the last month; what waits is said anew."""
        night: list[str] | None = None
        for line in lines:
            heading = _HEADING.fullmatch(line.rstrip())
            if heading:
                night = self.nights.setdefault(heading[1], [])
            elif line.startswith("## "):
                night = None
            elif night is not None and line.strip():
                night.append(line)
        oldest = (self.today - _KEPT).isoformat()
        self.nights = {day: x for day, x in self.nights.items() if day > oldest}

    def lines(self, report: Digested) -> list[str]:
        """The whole of it, with tonight's."""
        found = list(_waiting(report))
        if found:
            found.insert(0, _WAITING)
        tonight = self.nights.setdefault(self.today.isoformat(), [])
        tonight += [line for line in _tonight(report) if line not in tonight]
        for day in sorted(self.nights, reverse=True):
            found += [f"## {day}", *self.nights[day]]
        return found


def _waiting(report: Digested) -> Iterator[str]:
    """What a person has to settle, by what it is, in the order of `report.waiting`."""
    for step, lines in report.waiting:
        yield from _items(lines, SHOWS.get(step, ""))


def _tonight(report: Digested) -> list[str]:
    """What was done, step by step, and what went wrong."""
    gone = [path + (f", into {to}" if to else "") for path, to in report.ended]
    found = [
        *_items((f"{path}: made" for path in report.made), _TOPICS),
        *_items((f"{path}: changed" for path in report.changed), _TOPICS),
        *_items((f"{path}: ended" for path in gone), _TOPICS),
    ]
    for outcome in report.outcomes:
        found += _items(outcome.said, SHOWS.get(outcome.step, ""))
    found += _items(
        (
            f"left as it is: {change.path}: {error.message}"
            for change, error in report.failed
        ),
        "",
    )
    problems = (p for p in report.problems if p.severity != "info")
    found += _items((f"problem: {p.path}: {p.message}" for p in problems), _DOCTOR)
    count = len(report.changes)
    return found or [f"- {count:,} note{'' if count == 1 else 's'} written"]


def _items(lines: Iterable[str], shows: str) -> Sequence[str]:
    """Plain list items: no link, tag or marker of somebody's comes to life here.

    `shows` is the command that shows all of them, "" where there is none.
    """
    every = [shortened(plain(line), _LINE) for line in lines]
    every = list(dict.fromkeys(line for line in every if line))
    if len(every) <= _LONG:
        return [f"- {line}" for line in every]
    items = [f"- {line}" for line in every[:_FEW]]
    where = f"; {shows} shows all" if shows else ""
    more = len(every) - _FEW
    return [*items, f"- and {more:,} more like these, {len(every):,} in all{where}"]
