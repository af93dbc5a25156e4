"""`scripts/bench digest --notes N`: what a digest costs in a large vault.

The product's own command, as a process of its own: the first digest of a synthetic
vault with a journal, a night that brings a hundred new notes, one that brings none, and
one after somebody deleted topics: none that was deleted comes back, and their notes
wait in the inbox.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from bench.lab import Lab, opened
from bench.vaults import Synthetic

__all__ = ["Row", "main", "measure"]

NEW = 100
# The synthetic notes end before this night, and the journal with them.
_NIGHT = datetime(2026, 9, 28, 3, 0)  # noqa: DTZ001  civil time
_JOURNAL_DAYS, _ENTRIES = 60, 20
# For 50,000 notes: seconds of the first digest; seconds and MB of a night.
_FIRST, _SECONDS, _MEMORY = 600.0, 30.0, 500.0


@dataclass(frozen=True, slots=True)
class Row:
    """One digest: seconds of CPU and wall, MB, the load then, what it had to write."""

    name: str
    cpu: float
    wall: float
    memory: float
    load: float
    placed: int
    topics: int
    goal: str = ""
    met: bool | None = None


def measure(notes: int, seed: int = 1) -> list[Row]:
    """The four digests. Raises BenchError when one fails."""
    vault = Synthetic(notes + NEW, seed)
    with opened(vault, 1, lambda _line: None) as lab:
        late = _put_aside(lab, notes)
        _write_journal(lab)
        lab.mindcache("index", "update")
        first = _digest(lab, "first digest", 0)
        for aside, path in late:
            shutil.move(aside, path)
        lab.mindcache("index", "update")
        night = _digest(lab, f"a night with {NEW} new notes", 1)
        idle = _digest(lab, "a night without news", 2)
        _delete_topics(lab, notes // 4)
        lab.mindcache("index", "update")
        inbox = _digest(lab, "a quarter of all in the inbox", 3)
    night_goal = f"{_SECONDS:.0f} s, {_MEMORY:.0f} MB"
    return [
        _held(first, f"{_FIRST:.0f} s", met=first.wall <= _FIRST),
        _held(night, night_goal, met=_is_quick(night)),
        idle,
        _held(inbox, night_goal, met=_is_quick(inbox)),
    ]


def _is_quick(row: Row) -> bool:
    return row.wall <= _SECONDS and row.memory <= _MEMORY


def _held(row: Row, goal: str, *, met: bool) -> Row:
    return replace(row, goal=goal, met=met)


def _put_aside(lab: Lab, notes: int) -> list[tuple[str, str]]:
    """Take the notes of the night to come out of the vault: (where they are, were)."""
    folder = os.path.join(lab.folder, "late")
    os.makedirs(folder)
    pairs = []
    for number in range(notes, notes + NEW):
        path = os.path.join(lab.root, lab.vault.path(number))
        aside = os.path.join(folder, f"{number}.md")
        shutil.move(path, aside)
        pairs.append((aside, path))
    return pairs


def _delete_topics(lab: Lab, notes: int) -> None:
    """Delete topics below others until so many notes have none."""
    folder = os.path.join(lab.root, "topics")
    left = notes
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        if left > 0 and any(line.startswith("parent_topic:") for line in lines):
            left -= sum(line.startswith("- [[") for line in lines)
            os.unlink(path)


def _write_journal(lab: Lab) -> None:
    folder = os.path.join(lab.root, "journal")
    os.makedirs(folder)
    for back in range(1, _JOURNAL_DAYS + 1):
        day = f"{_NIGHT - timedelta(days=back):%Y-%m-%d}"
        lines = [
            f"- {8 + n // 2:02}:{n % 2 * 30:02}"
            f" {lab.vault.passage((day, n), 15)} ^j-{back:04}{n:02}"
            for n in range(_ENTRIES)
        ]
        with open(os.path.join(folder, f"{day}.md"), "w", encoding="utf-8") as file:
            file.write(f"---\ntype: journal\ndate: {day}\n---\n")
            file.write("".join(f"{line}\n" for line in lines))


def _digest(lab: Lab, name: str, nights: int) -> Row:
    now = (_NIGHT + timedelta(days=nights)).isoformat(timespec="minutes")
    cost, out = lab.mindcache("digest", "--now", now, "--json")
    said = json.loads(out)
    return Row(
        name,
        round(cost.cpu, 1),
        round(cost.wall, 1),
        round(cost.memory * 1e-6),
        round(os.getloadavg()[0], 1),
        said["placed"],
        said["topics"],
    )


def main(notes: int, *, as_json: bool) -> int:
    """Measure and print."""
    rows = measure(notes)
    if as_json:
        lines = [json.dumps({"notes": notes, "rows": [asdict(row) for row in rows]})]
    else:
        lines = [f"{notes:,} notes, {os.cpu_count()} cores"]
        lines += [_printed(row) for row in rows]
    print("\n".join(lines), flush=True)  # noqa: T201  its answer
    return 0


def _printed(row: Row) -> str:
    met = {None: "", True: "met", False: "missed"}[row.met]
    goal = f"  goal {row.goal}: {met}" if row.goal else ""
    return (
        f"  {row.name:28}{row.wall:8.1f} s{row.cpu:8.1f} s CPU{row.memory:7.0f} MB"
        f"  load {row.load:.1f}  {row.placed:,} placed, {row.topics:,} topics{goal}"
    )
