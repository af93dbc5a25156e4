"""What of the vault decides how strong each memory is, and which never fade."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from mindcache.digest.fading.passing import is_passing
from mindcache.digest.fading.strength import Life
from mindcache.digest.later import later_notes
from mindcache.errors import Problem
from mindcache.recall.occasions import between
from mindcache.recall.topics import templates_in
from mindcache.recurrence import load, window
from mindcache.when import parse_interval

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import FactsRow, NodeRow, Reader
    from mindcache.vault import Entry

__all__ = ["KIND", "Memories", "Remembered", "read_memories"]

# What the ledger calls the statuses that a digest wrote.
KIND = "status"

# Topics have a status of their own, and the journal and proposals aren't remembered.
_NO_MEMORIES = frozenset({"topic", "journal", "proposal"})
# What the digest writes: were it counted as a link, tonight's news would be its own.
_MADE_BY_DIGEST = frozenset({"topic", "proposal", "summary"})
# Of what was lived through nothing is ever written, nor of what a digest summed up.
_KNOWLEDGE = frozenset({"fact", "entity", "plan"})

# Notes whose properties are read at once.
_READ = 2_000

# How long a plan that is over waits for somebody to say what became of it.
_WAITS = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A note as a memory that may fade.

    `status` and `outcome` are the note's own. `keeps` says why it never fades ("" where
    it may), `is_ours` that its status may be written. `faded` and `woken` are the days
    on which a digest wrote that it is faint, and that it is awake again.
    """

    node: NodeRow
    life: Life
    status: str
    outcome: str
    keeps: str
    is_ours: bool
    faded: frozenset[str] = frozenset()
    woken: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """What it is known by: its id, else its path."""
        return self.node.id or self.node.path

    @property
    def was_faded(self) -> bool:
        """Whether its being faint is the digest's word, and not a person's."""
        return len(self.faded) > len(self.woken)


@dataclass(frozen=True, slots=True)
class Memories:
    """All memories by key; `is_tracked` says whether anybody counts what is used.

    `problems` are lines of access logs that say nothing.
    """

    by_key: Mapping[str, Remembered]
    is_tracked: bool
    problems: tuple[Problem, ...] = ()


def read_memories(app: App, now: datetime, reader: Reader | None = None) -> Memories:
    """Every memory of the vault as it stands at `now`, civil in the vault's zone."""
    reader = reader or app.reader()
    later = later_notes(reader, now, app.settings.text("timezone"))
    never = dict.fromkeys(templates_in(reader, app.templates), "a template")
    never |= dict.fromkeys(later, "not there yet")
    nodes = [n for n in reader.nodes() if n.type not in _NO_MEMORIES]
    degrees, linked = _links(reader, now, later)
    coming, ended = _plans(reader, now)
    uses = app.access.uses()
    made, faded, woken = _told(app.ledger.entries)
    found: dict[str, Remembered] = {}
    for node, fact in _with_facts(reader, nodes):
        key = node.id or node.path
        if key in found:
            continue  # of two with one id the first is meant
        days = uses.of(key, node.path)
        by_hand = _woken_by_hand(fact, faded.get(key, {}), woken.get(key, {}), now)
        for at in by_hand:
            days[at] = days.get(at, 0) + 1
        born = _born(node, fact, made.get(node.id, ""), ended.get(node.file_id))
        found[key] = Remembered(
            node=node,
            life=Life(
                born=(born or now.date()).toordinal(),
                uses=tuple(sorted((d.toordinal(), n) for d, n in days.items())),
                importance=fact.importance,
                degree=degrees.get(node.path, 0),
                linked=day.toordinal() if (day := linked.get(node.path)) else None,
                is_passing=node.type == "fact" and is_passing(node.summary),
            ),
            status=_own_status(fact),
            outcome=str(fact.properties.get("outcome") or ""),
            keeps=never.get(node.file_id)
            or _keeps(node, fact, coming, ended.get(node.file_id), now),
            is_ours=node.under_contract and node.type in _KNOWLEDGE,
            faded=frozenset(faded.get(key, {})),
            woken=frozenset(woken.get(key, {})),
        )
    is_tracked = app.settings.flag("track_access")
    return Memories(found, is_tracked, tuple(uses.problems))


def _with_facts(
    reader: Reader, nodes: Sequence[NodeRow]
) -> Iterator[tuple[NodeRow, FactsRow]]:
    """Each note with what it says of itself, part by part: all are more than fits."""
    for start in range(0, len(nodes), _READ):
        block = nodes[start : start + _READ]
        facts = reader.facts(node.file_id for node in block)
        yield from ((node, facts[node.file_id]) for node in block)


def _own_status(fact: FactsRow) -> str:
    written = fact.properties.get("status")
    return written.strip().casefold() if isinstance(written, str) else ""


def _keeps(
    node: NodeRow,
    fact: FactsRow,
    coming: Collection[int],
    ended: date | None,
    now: datetime,
) -> str:
    """Why a memory never fades, in a word; "" where it may."""
    is_open = node.type == "plan" and _own_status(fact) in {"", "active", "planned"}
    is_waiting = ended is not None and now.date() - ended <= _WAITS
    is_ahead = node.type == "plan" and node.date_start > now.isoformat()
    never_says_when = is_open and ended is None and node.file_id not in coming
    reasons = (
        ("pinned", fact.pinned),
        ("scope/global", any(t.casefold() == "scope/global" for t in node.tags)),
        ("a plan that is still to come", node.file_id in coming or is_ahead),
        ("undated", not node.date_start or never_says_when),
        ("a plan that waits for its outcome", is_open and is_waiting),
    )
    return next((reason for reason, holds in reasons if holds), "")


def _born(node: NodeRow, fact: FactsRow, made: str, ended: date | None) -> date | None:
    """The day from which it counts: when it was made, or taken in, or is over."""
    created = parse_interval(fact.properties.get("created_at"))
    first = created.start.date() if created else _day(node.date_start)
    days = [day for day in (first, _day(made), ended) if day is not None]
    return max(days, default=None)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _links(
    reader: Reader, now: datetime, later: Collection[int]
) -> tuple[dict[str, int], dict[str, date]]:
    """How many notes each note is linked with, and the date of the last to link to it.

    What the digest wrote is left out, and so is what is dated later than now or came
    `later`.
    """
    nodes = {node.path: node for node in reader.nodes()}
    made = {
        path
        for path, node in nodes.items()
        if node.type in _MADE_BY_DIGEST or node.file_id in later
    }
    linked: dict[str, set[str]] = {}
    latest: dict[str, date] = {}
    for source, target, *_ in reader.edges():
        if source == target or source in made or target in made:
            continue
        linked.setdefault(source, set()).add(target)
        linked.setdefault(target, set()).add(source)
        day = _day(nodes[source].date_start) if source in nodes else None
        if day is not None and day <= now.date():
            latest[target] = max(day, latest.get(target, day))
    return {path: len(others) for path, others in linked.items()}, latest


def _plans(reader: Reader, now: datetime) -> tuple[set[int], dict[int, date]]:
    """The notes that take place now or later, and the last day of the others."""
    first, last = window(reader.window_year() or now.year)
    high = max(last, now + timedelta(days=366))
    coming = {file_id for file_id, _ in between(reader, now, high)}
    ended: dict[int, date] = {}
    for row in reader.plans():
        plan = load(row.source)
        if row.file_id in coming:
            continue
        if not plan.repeats and not plan.lines:
            if plan.start + plan.length >= now:
                coming.add(row.file_id)
            else:
                ended[row.file_id] = _last_day(plan.start, plan.start + plan.length)
    rest = {row.file_id for row in reader.plans()} - coming - ended.keys()
    if rest:
        for file_id, each in between(reader, min(first, now), now, rest):
            day = _last_day(each.begins, each.ends)
            ended[file_id] = max(day, ended.get(file_id, day))
    return coming, ended


def _last_day(start: datetime, end: datetime) -> date:
    return max(start, end - timedelta(microseconds=1)).date()


def _told(
    entries: Collection[Entry],
) -> tuple[dict[str, str], dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """When notes were made by an import; when each was said to be faint, and awake."""
    made: dict[str, str] = {}
    faded: dict[str, dict[str, str]] = {}
    woken: dict[str, dict[str, str]] = {}
    for entry in entries:
        if entry.what == "made" and entry.id and entry.kind != "topic":
            made[entry.id] = max(made.get(entry.id, ""), entry.at)
        elif entry.kind == KIND and entry.what in {"faded", "woken"}:
            told = faded if entry.what == "faded" else woken
            told.setdefault(entry.key, {})[entry.at[:10]] = entry.said
    return made, faded, woken


def _woken_by_hand(
    fact: FactsRow,
    faded: Mapping[str, str],
    woken: Mapping[str, str],
    now: datetime,
) -> list[date]:
    """The days on which a person, and not the digest, is known to have woken it.

    Today is one where a digest wrote that it is faint and the note says otherwise.
    """
    days = [d for at, said in woken.items() if said == "hand" and (d := _day(at))]
    is_faint = _own_status(fact) == "faint"
    if len(faded) > len(woken) and not is_faint and _own_status(fact) != "archived":
        days.append(now.date())
    return days
