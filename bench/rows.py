"""The table: what is measured, against which floor, and what it is held to."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from statistics import median

from bench.floors import CLICK, LIBRARIES
from bench.lab import Lab
from bench.measure import BenchError, Cost, Spread, percentile
from mindcache import model
from mindcache.watch.pending import QUIET

__all__ = ["WHAT", "Row", "measure"]

_MS, _MB = 1e3, 1e-6

# Notes up to which the goals in milliseconds and megabytes are meant, and from
# which those that are shares of work: before, starting a process is most of it.
_SMALL, _LARGE = 10_000, 50_000
# More full indexes than these tell nothing that is worth the minutes.
_INDEX_RUNS = 2
# The 95th percentile of fewer runs is their worst.
_HOOK_RUNS = 20
# Questions of one run of warm recall, whose median and 95th percentile count.
_BATCH = 50

# The rows, in the order in which they are printed.
WHAT = {
    "index": "full index (CPU)",
    "memory": "peak memory of that",
    "unchanged": "update, nothing changed (CPU)",
    "changed": "one changed note, by a walk",
    "changed-path": "one changed note, by its path",
    "saved": "saved in an editor until found, p95",
    "tags": "cold tag query, live daemon (CPU)",
    "tags-scan": "cold tag query, no daemon (CPU)",
    "recall": "cold recall, live daemon (CPU)",
    "recall-wall": "cold recall, live daemon (wall)",
    "recall-scan": "cold recall, no daemon (CPU)",
    "hook-start": "hook: a session starts, p95 (CPU)",
    "hook-edit": "hook: a note was written, p95 (CPU)",
    "hook-other": "hook: another file was written, p95 (CPU)",
    "hook-stop": "hook: an answer was given, p95 (CPU)",
    "warm-p50": "warm recall, p50",
    "warm-p95": "warm recall, p95",
    "rename": "rename with 1,000 links (wall)",
}


@dataclass(frozen=True, slots=True)
class Goal:
    """The most that a value may be, in its unit; None where nothing is asked.

    `measured` says that the limit itself was measured, as `words` tell.
    """

    limit: float | None = None
    words: str = ""
    measured: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Everything is in `unit`; `runs` is how often it ran.

    `value` is what the goal is about; `cpu` and `wall` are the whole cost, `parts`
    the steps that a floor consists of.
    """

    name: str
    notes: int
    unit: str
    runs: int
    value: Spread
    floor: Spread | None = None
    goal: Goal = Goal()
    cpu: Spread | None = None
    wall: Spread | None = None
    parts: Mapping[str, float] | None = None

    @property
    def ratio(self) -> float | None:
        """How many times its floor the thing takes, None without a floor."""
        return self.value.median / self.floor.median if self.floor else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met, None where nothing is asked."""
        limit = self.goal.limit
        return None if limit is None else self.value.median <= limit


Group = Callable[[Lab], list[Row]]


def measure(lab: Lab, wanted: Collection[str]) -> tuple[list[Row], int]:
    """Measure the rows of these names: (rows in the table's order, chunks).

    The vault is always indexed first. Raises BenchError when something that is
    measured does not do its work.
    """
    found = _full_index(lab, with_floor="index" in wanted)
    with closing(sqlite3.connect(lab.cache)) as connection:
        chunks = int(connection.execute("SELECT count(*) FROM chunks").fetchone()[0])
    found += _groups(lab, wanted, _ALONE)
    if any(name in wanted for names, _ in _BESIDE_DAEMON for name in names):
        with lab.daemon():
            found += _groups(lab, wanted, _BESIDE_DAEMON)
    found += _groups(lab, wanted, _LAST)
    rows = {row.name: row for row in found}
    return [rows[name] for name in WHAT if name in rows and name in wanted], chunks


def _groups(
    lab: Lab, wanted: Collection[str], groups: Sequence[tuple[Sequence[str], Group]]
) -> list[Row]:
    found: list[Row] = []
    for names, group in groups:
        if any(name in wanted for name in names):
            found += group(lab)
    return found


def _row(lab: Lab, name: str, costs: Sequence[Cost], unit: str) -> Row:
    """A row about the CPU of these runs, in s or ms, without a goal."""
    factor = _MS if unit == "ms" else 1.0
    cpu = Spread.of([cost.cpu for cost in costs], factor)
    wall = Spread.of([cost.wall for cost in costs], factor)
    return Row(name, lab.vault.notes, unit, len(costs), cpu, cpu=cpu, wall=wall)


def _times(factor: float, floor: Spread, words: str) -> Goal:
    return Goal(factor * floor.median, words)


def _share_of_work(lab: Lab, factor: float, floor: Spread, words: str) -> Goal:
    return _times(factor, floor, words) if lab.vault.notes >= _SMALL else Goal()


def _at_most(lab: Lab, limit: float, unit: str, largest: int = _SMALL) -> Goal:
    if lab.vault.notes > largest:
        return Goal()
    return Goal(limit, f"{limit:g} {unit}", measured=False)


# -- the index and updates ---------------------------------------------------


def _full_index(lab: Lab, *, with_floor: bool) -> list[Row]:
    ours: list[Cost] = []
    floors: list[dict[str, float]] = []
    for turn in range(min(lab.runs, _INDEX_RUNS)):
        lab.say(f"full index, {turn + 1}")
        cost, out = lab.mindcache("index", "update", "--rebuild", "--json")
        added = len(json.loads(out)["added"])
        if added != lab.vault.notes:
            raise BenchError(f"{added} of {lab.vault.notes} notes were indexed")
        ours.append(cost)
        if with_floor:
            lab.say(f"the floor of a full index, {turn + 1}")
            steps = lab.index_floor()
            floors.append({name: cost.cpu for name, cost in steps.items()})
    rows = [_memory(lab, ours)]
    if with_floor:
        least = Spread.of([sum(steps.values()) for steps in floors])
        row = replace(
            _row(lab, "index", ours, "s"),
            floor=least,
            goal=_share_of_work(lab, 1.5, least, "1.5 x floor"),
            parts={name: median(steps[name] for steps in floors) for name in floors[0]},
        )
        rows.append(row)
    return rows


def _memory(lab: Lab, costs: Sequence[Cost]) -> Row:
    peak = Spread.of([cost.memory for cost in costs], _MB)
    goal = _at_most(lab, 300, "MB")
    return Row("memory", lab.vault.notes, "MB", len(costs), peak, goal=goal)


def _unchanged(lab: Lab) -> list[Row]:
    found = lab.inside("unchanged", "updates of an unchanged vault")
    floor = _cpu(found["floor"])
    goal = _share_of_work(lab, 2, floor, "2 x walk and stat")
    return [
        replace(_row(lab, "unchanged", found["ours"], "ms"), floor=floor, goal=goal)
    ]


def _changed(lab: Lab) -> list[Row]:
    found = lab.inside("changed", "updates after one edit")
    goal = _at_most(lab, 50, "ms")
    rows = []
    for name, costs, floor in (
        ("changed", found["walked"], _wall(found["floor"])),
        ("changed-path", found["told"], None),
    ):
        row = _row(lab, name, costs, "ms")
        rows.append(replace(row, value=_wall(costs), floor=floor, goal=goal))
    return rows


def _cpu(costs: Sequence[Cost]) -> Spread:
    return Spread.of([cost.cpu for cost in costs], _MS)


def _wall(costs: Sequence[Cost]) -> Spread:
    return Spread.of([cost.wall for cost in costs], _MS)


# -- cold processes ----------------------------------------------------------


@dataclass(slots=True)
class _Cold:
    """What each of several cold runs cost, everything having had its turn in each."""

    click: list[Cost]
    walk: list[Cost]
    libraries: list[Cost]
    tags: list[Cost]
    recall: list[Cost]


def _cold(lab: Lab) -> _Cold:
    """Run all that is cold, floors in between; the first round is not counted."""
    found = _Cold([], [], [], [], [])
    tokenizer = os.path.join(model.shipped(), "tokenizer.json")
    questions = lab.vault.questions(lab.runs + 1, "cold")
    tag = lab.vault.middling_client()
    for turn, question in enumerate(questions):
        lab.say(f"cold processes, {turn} of {lab.runs}")
        click, _ = lab.python("-c", CLICK)
        walk = lab.floor("walk", lab.root)["walk"]
        tags, said = lab.mindcache("index", "query", "--client", tag, "--json")
        if not json.loads(said)["notes"]:
            raise BenchError(f"no note is tagged client/{tag}")
        libraries, _ = lab.python("-c", LIBRARIES, tokenizer)
        recall, said = lab.mindcache("recall", question, "--floor", "0", "--json")
        if not json.loads(said)["hits"]:
            raise BenchError(f"no answer to {question!r}")
        if turn:
            found.click.append(click)
            found.walk.append(walk)
            found.tags.append(tags)
            found.libraries.append(libraries)
            found.recall.append(recall)
    return found


def _cold_alone(lab: Lab) -> list[Row]:
    found = _cold(lab)
    click, walk = _cpu(found.click), _cpu(found.walk)
    both = [a.cpu + b.cpu for a, b in zip(found.click, found.walk, strict=True)]
    goal = Goal(2 * click.median + walk.median, "2 x click + walk")
    floor = Spread.of(both, _MS)
    return [
        replace(_row(lab, "tags-scan", found.tags, "ms"), floor=floor, goal=goal),
        replace(
            _row(lab, "recall-scan", found.recall, "ms"), floor=_cpu(found.libraries)
        ),
    ]


def _cold_beside_daemon(lab: Lab) -> list[Row]:
    found = _cold(lab)
    click, libraries = _cpu(found.click), _cpu(found.libraries)
    twice = _times(2, click, "2 x import click")
    close = _times(1.6, libraries, "1.6 x libraries")
    whole = replace(
        _row(lab, "recall-wall", found.recall, "ms"),
        value=_wall(found.recall),
        floor=_wall(found.libraries),
        goal=_at_most(lab, 400, "ms"),
    )
    return [
        replace(_row(lab, "tags", found.tags, "ms"), floor=click, goal=twice),
        replace(_row(lab, "recall", found.recall, "ms"), floor=libraries, goal=close),
        whole,
    ]


def _hooks(lab: Lab) -> list[Row]:
    """Hooks as a session calls them, each beside a bare start of Python."""
    note = os.path.join(lab.root, lab.vault.path(0))
    project = os.path.join(lab.folder, "project")
    os.makedirs(project, exist_ok=True)
    with open(os.path.join(project, "CLAUDE.md"), "w", encoding="utf-8") as file:
        file.write(f"Mindcache: client/{lab.vault.middling_client()}\n")
    events: dict[str, tuple[str, dict[str, object]]] = {
        "hook-start": ("session-start", {"source": "startup"}),
        "hook-edit": ("post-tool-use", {"tool_input": {"file_path": note}}),
        "hook-other": ("post-tool-use", {"tool_input": {"file_path": "main.py"}}),
        "hook-stop": ("stop", {"last_assistant_message": "It is done."}),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in events}
    bare: list[Cost] = []
    for turn in range(max(lab.runs, _HOOK_RUNS) + 1):
        lab.say(f"hooks, {turn}")
        start, _ = lab.python("-c", "pass")
        if turn:
            bare.append(start)
        for name, (event, more) in events.items():
            cost, said = lab.hook(event, {"cwd": project, "session_id": name, **more})
            if name == "hook-start" and not json.loads(said)["hookSpecificOutput"]:
                raise BenchError("a session that starts is told nothing")
            if turn:
                costs[name].append(cost)
    floor = _cpu(bare)
    rows = []
    for name, each in costs.items():
        row = _row(lab, name, each, "ms")
        cpu = [cost.cpu * _MS for cost in each]
        late = Spread(percentile(cpu, 0.95), min(cpu), max(cpu))
        goal = _at_most(lab, 100, "ms")
        rows.append(replace(row, value=late, floor=floor, goal=goal))
    return rows


# -- warm, and live ----------------------------------------------------------


def _warm(lab: Lab) -> list[Row]:
    found = lab.inside("warm", "warm questions")
    half = _at_most(lab, 10, "ms")
    if half.limit is None:
        half = _at_most(lab, 50, "ms", _LARGE)
    rows = []
    for name, share, goal in (("warm-p50", 0.5, half), ("warm-p95", 0.95, Goal())):
        row = replace(
            _row(lab, name, found["ours"], "ms"),
            value=_percentiles(found["ours"], share),
            floor=_percentiles(found["floor"], share),
            goal=goal,
        )
        rows.append(row)
    return rows


def _percentiles(costs: Sequence[Cost], share: float) -> Spread:
    """The spread, over the batches, of a percentile of each."""
    walls = [cost.wall for cost in costs]
    batches = [walls[i : i + _BATCH] for i in range(0, len(walls), _BATCH)]
    return Spread.of([percentile(batch, share) for batch in batches], _MS)


def _saved(lab: Lab) -> list[Row]:
    costs = lab.inside("saved", "saves, until they are found")["ours"]
    walls = [cost.wall * _MS for cost in costs]
    late = percentile(walls, 0.95)
    quiet = QUIET * _MS
    row = Row(
        "saved",
        lab.vault.notes,
        "ms",
        len(costs),
        Spread(late, min(walls), max(walls)),
        floor=Spread(quiet, quiet, quiet),
        goal=Goal(quiet + 100, "debounce + 100 ms"),
        wall=_wall(costs),
    )
    return [row]


def _rename(lab: Lab) -> list[Row]:
    found = lab.inside("rename", "renames of a note with many links")
    row = _row(lab, "rename", found["ours"], "ms")
    return [replace(row, value=_wall(found["ours"]), floor=_wall(found["floor"]))]


_ALONE: tuple[tuple[Sequence[str], Group], ...] = (
    (("unchanged",), _unchanged),
    (("tags-scan", "recall-scan"), _cold_alone),
    (("changed", "changed-path"), _changed),
)
# Saves come last: they change the vault.
_BESIDE_DAEMON: tuple[tuple[Sequence[str], Group], ...] = (
    (("tags", "recall", "recall-wall"), _cold_beside_daemon),
    (("hook-start", "hook-edit", "hook-other", "hook-stop"), _hooks),
    (("warm-p50", "warm-p95"), _warm),
    (("saved",), _saved),
)
# It writes links into the notes, which are then others than those of the seed.
_LAST: tuple[tuple[Sequence[str], Group], ...] = ((("rename",), _rename),)
