"""`scripts/bench fading`: a simulated year of memories that are used or not.

Every day brings new memories and a number of recalls; every night each memory is put
into its band. What is recalled is drawn so: most of it from a few subjects that are at
work for three weeks each, by how much a memory is worth (a Pareto weight of its own),
some of it from everything by worth, a little from everything alike. Beside our bands,
over the same recalls: the least recently used ones thrown out (LRU), and forgetting by
Ebbinghaus' curve, exp(−t/S) with S growing by one day with each recall.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from bisect import insort
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from mindcache.digest.fading.strength import (
    MOST_HOT,
    MOST_WARM,
    Band,
    Life,
    banded,
)

__all__ = ["Year", "draw", "main", "measure"]

_SUBJECTS = 60
_AT_WORK = 4
_WEEKS = 21  # days that a subject is at work
# Shares of the recalls that go to what is at work, to all by worth, to all alike.
_BUSY, _WORTHY = 0.7, 0.2
# A change of what is hot is undone when the memory is back within so many nights.
_UNDONE = 2


@dataclass(frozen=True, slots=True)
class Drawn:
    """What happened: recalls day by day, and what each memory is."""

    recalls: tuple[tuple[int, ...], ...]
    born: tuple[int, ...]
    importance: tuple[float, ...]
    degree: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Year:
    """How one way of banding did: shares of the recalls, and of changes in hot.

    `flapping` is the share of changes that were undone within two nights.
    """

    name: str
    hot: float
    near: float
    changes_a_night: float
    flapping: float
    most_hot: int
    most_warm: int
    faint_at_end: int


def draw(days: int, new_a_day: int, recalls_a_day: int, seed: int) -> Drawn:
    """A year by the model above, the same for a seed."""
    rng = random.Random(seed)  # noqa: S311  no secret
    size = days * new_a_day
    worth = [rng.paretovariate(1.2) for _ in range(size)]
    subject = [rng.randrange(_SUBJECTS) for _ in range(size)]
    importance = [min(1.0, max(0.0, rng.gauss(0.5, 0.15))) for _ in range(size)]
    degree = [min(40, int(rng.paretovariate(1.0)) - 1) for _ in range(size)]
    recalls = []
    busy: set[int] = set()
    for day in range(days):
        there = range((day + 1) * new_a_day)
        if day % _WEEKS == 0:
            busy = set(rng.sample(range(_SUBJECTS), _AT_WORK))
        among = [n for n in there if subject[n] in busy] or list(there)
        first, second = int(recalls_a_day * _BUSY), int(recalls_a_day * _WORTHY)
        picked = rng.choices(among, [worth[n] for n in among], k=first)
        picked += rng.choices(there, worth[: len(there)], k=second)
        picked += rng.choices(there, k=recalls_a_day - first - second)
        recalls.append(tuple(picked))
    born = tuple(n // new_a_day for n in range(size))
    return Drawn(tuple(recalls), born, tuple(importance), tuple(degree))


Night = Callable[[int, Mapping[int, Sequence[tuple[int, int]]]], dict[int, Band]]


def _ours(drawn: Drawn) -> Night:
    def night(
        day: int, used: Mapping[int, Sequence[tuple[int, int]]]
    ) -> dict[int, Band]:
        lives = {
            f"{n:08}": Life(
                born, tuple(used.get(n, ())), drawn.importance[n], drawn.degree[n]
            )
            for n, born in enumerate(drawn.born)
            if born <= day
        }
        return {int(key): band for key, band in banded(lives, day).items()}

    return night


def _by(
    drawn: Drawn, worth: Callable[[int, int, Sequence[tuple[int, int]]], float]
) -> Night:
    """The 400 that are worth most are hot, the next 1,200 warm."""

    def night(
        day: int, used: Mapping[int, Sequence[tuple[int, int]]]
    ) -> dict[int, Band]:
        order: list[tuple[float, int]] = []
        for n, born in enumerate(drawn.born):
            if born <= day:
                insort(order, (-worth(day, born, used.get(n, ())), n))
        cut = (MOST_HOT, MOST_HOT + MOST_WARM)
        return {
            n: "hot" if at < cut[0] else "warm" if at < cut[1] else "faint"
            for at, (_, n) in enumerate(order)
        }

    return night


def _lru(_day: int, born: int, used: Sequence[tuple[int, int]]) -> float:
    return float(used[-1][0] if used else born)


def _ebbinghaus(day: int, born: int, used: Sequence[tuple[int, int]]) -> float:
    last = used[-1][0] if used else born
    return math.exp(-(day - last) / (1 + sum(times for _, times in used)))


def measure(name: str, drawn: Drawn, night: Night) -> Year:
    """Live through the days, and see where what was recalled was the night before."""
    used: dict[int, list[tuple[int, int]]] = {}
    bands: dict[int, Band] = {}
    hits: Counter[str] = Counter()
    hot: list[frozenset[int]] = []
    most_hot = most_warm = 0
    for day, recalls in enumerate(drawn.recalls):
        hits.update(bands.get(n, "new") for n in recalls)
        for n, times in sorted(Counter(recalls).items()):
            used.setdefault(n, []).append((day, times))
        bands = night(day, used)
        sizes = Counter(bands.values())
        most_hot = max(most_hot, sizes["hot"])
        most_warm = max(most_warm, sizes["warm"])
        hot.append(frozenset(n for n, band in bands.items() if band == "hot"))
    total = sum(hits.values())
    changes, undone = _changes(hot)
    return Year(
        name,
        round(hits["hot"] / total, 4),
        round((hits["hot"] + hits["warm"]) / total, 4),
        round(changes / len(hot), 1),
        round(undone / max(changes, 1), 5),
        most_hot,
        most_warm,
        sum(band == "faint" for band in bands.values()),
    )


def _changes(hot: Sequence[frozenset[int]]) -> tuple[int, int]:
    """How many memories came into hot or left it, and how many of that was undone."""
    changes = undone = 0
    for at in range(1, len(hot)):
        changed = hot[at] ^ hot[at - 1]
        changes += len(changed)
        later = hot[at + 1 : at + 1 + _UNDONE]
        undone += sum(
            any((n in night) != (n in hot[at]) for night in later) for n in changed
        )
    return changes, undone


def main(arguments: Sequence[str]) -> int:
    """Simulate and print: 0 when done, 1 when hot or warm grew past their caps."""
    parser = argparse.ArgumentParser(prog="scripts/bench fading", description=__doc__)
    add = parser.add_argument
    add("--days", type=int, default=365, help="how long (365)")
    add("--new", type=int, default=30, help="new memories a day (30)")
    add("--recalls", type=int, default=80, help="recalls a day (80)")
    add("--seed", type=int, default=1, help="other memories and recalls (1)")
    add("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args(arguments)
    drawn = draw(options.days, options.new, options.recalls, options.seed)
    years = [
        measure("mindcache", drawn, _ours(drawn)),
        measure("lru", drawn, _by(drawn, _lru)),
        measure("ebbinghaus", drawn, _by(drawn, _ebbinghaus)),
    ]
    if options.json:
        shape = {
            "days": options.days,
            "memories": len(drawn.born),
            "seed": options.seed,
            "ways": [asdict(each) for each in years],
        }
        sys.stdout.write(json.dumps(shape, indent=1) + "\n")
    else:
        sys.stdout.write("\n".join(_printed(options.days, drawn, years)) + "\n")
    ours = years[0]
    return int(ours.most_hot > MOST_HOT or ours.most_warm > MOST_WARM)


def _printed(days: int, drawn: Drawn, years: Sequence[Year]) -> list[str]:
    recalls = sum(map(len, drawn.recalls))
    heads = ("hot", "hot/warm", "changes", "undone", "most hot", "warm", "faint")
    return [
        f"{days} days, {len(drawn.born):,} memories, {recalls:,} recalls",
        " " * 12 + "".join(f"{head:>10}" for head in heads),
        *(
            f"{y.name:<12}{y.hot:>10.1%}{y.near:>10.1%}{y.changes_a_night:>10.1f}"
            f"{y.flapping:>10.2%}{y.most_hot:>10,}{y.most_warm:>10,}"
            f"{y.faint_at_end:>10,}"
            for y in years
        ),
    ]
