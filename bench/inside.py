"""What is measured within one process: a warm App, asked and updated many times.

Run as a process of its own (`python -m bench.inside JOB …`), so that what it
loads weighs on nothing else; prints one JSON object of lists of seconds. Each
thing takes turns with its floor.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bench import floors
from bench.measure import BenchError, Cost, Stopwatch
from bench.vaults import Synthetic

if TYPE_CHECKING:
    from mindcache.app import App

# How often a process that waits for a note to be found looks for it.
_LOOK_SECONDS = 0.004
# When a saved note is not found after this long, it won't be.
_LOST_SECONDS = 20.0
# Between two saves: past what the first of them set going.
_PAUSE_SECONDS = 0.15

# Links to the note that is renamed, and how often it is: most of it is the disk.
_LINKS = 1_000
_RENAMES = 3

Costs = dict[str, list[Cost]]


def _note(cost: Callable[[], object]) -> Cost:
    with Stopwatch() as watch:
        cost()
    return watch.cost


def unchanged(app: App, vault: Synthetic, runs: int) -> Costs:
    """Updates that find nothing, beside walks over the same vault."""
    app.update()
    found: Costs = {"ours": [], "floor": []}
    for _ in range(runs):
        found["floor"].append(_note(lambda: _count(app, vault)))
        with Stopwatch() as watch:
            report = app.update()
        found["ours"].append(watch.cost)
        if report.added or report.changed or report.moved or report.removed:
            raise BenchError("an update of an unchanged vault changed something")
    return found


def _count(app: App, vault: Synthetic) -> None:
    met = floors.walk(app.vault.root)
    if met != vault.notes:
        raise BenchError(f"{met} notes on disk, not {vault.notes}")


def changed(app: App, vault: Synthetic, runs: int) -> Costs:
    """One edited note: found by a walk, and told by its path as a daemon does it."""
    from mindcache.sync import Scope

    app.update()
    found: Costs = {"walked": [], "told": [], "floor": []}
    for turn in range(-2, runs * 2):  # the first of each kind is not counted
        path = vault.path((turn + 2) * 7 % vault.notes)
        _append(app, path, f"\nOne more thing, number {turn}, about the contract.\n")
        scope = Scope(only=(path,)) if turn % 2 else None
        with Stopwatch() as watch:
            report = app.update(scope=scope)
        if report.changed != [path]:
            raise BenchError(f"{path} was edited, the update says {report.changed}")
        if turn < 0:
            continue
        found["told" if turn % 2 else "walked"].append(watch.cost)
        if turn % 2:
            found["floor"].append(_note(lambda: _count(app, vault)))
    return found


def _append(app: App, path: str, text: str) -> None:
    with open(os.path.join(app.vault.root, path), "a", encoding="utf-8") as file:
        file.write(text)


def saved(app: App, vault: Synthetic, runs: int) -> Costs:
    """From a save, in place or by a renamed copy, until the cache has the words."""
    from mindcache.text import analyze

    found: Costs = {"ours": []}
    reader = app.reader()
    for turn in range(runs * 4):
        word = f"zq{turn}xv{os.getpid()}"
        path = vault.path(turn * 11 % vault.notes)
        (term,) = analyze(word, "en")
        _save(os.path.join(app.vault.root, path), f"\nNew: {word}\n", whole=turn % 2)
        with Stopwatch() as watch:
            deadline = time.perf_counter() + _LOST_SECONDS
            while not reader.texts_with(term):
                if time.perf_counter() > deadline:
                    raise BenchError(f"{path} was saved and not found")
                time.sleep(_LOOK_SECONDS)
        found["ours"].append(watch.cost)
        time.sleep(_PAUSE_SECONDS)
    return found


def _save(full: str, text: str, *, whole: int) -> None:
    """Append to a file, or put a longer copy in its place, as editors do."""
    if not whole:
        with open(full, "a", encoding="utf-8") as file:
            file.write(text)
        return
    with open(full, encoding="utf-8") as file:
        before = file.read()
    copy = os.path.join(os.path.dirname(full), ".copy.tmp")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(before + text)
    os.replace(copy, full)


def warm(app: App, vault: Synthetic, runs: int) -> Costs:
    """Questions never asked before, beside one pass over as many vectors.

    The answers of a process that has answered a few; the pass is over floats, by
    numpy itself and without the threads of its BLAS, whose pace depends on what
    else the machine does.
    """
    from mindcache.recall import Ask

    for text in vault.questions(20, "first"):
        app.ask("deep", Ask(text))
    import numpy as np  # only now: how numpy starts is the product's to decide

    count = len(app.corpus())
    rng = np.random.default_rng(vault.seed)
    matrix = rng.random((count, app.encoder.dim), dtype=np.float32)
    query = matrix[0].copy()
    found: Costs = {"ours": [], "floor": []}
    answered = 0
    for text in vault.questions(50 * runs, "warm"):
        with Stopwatch() as watch:
            answer = app.ask("deep", Ask(text))
        found["ours"].append(watch.cost)
        answered += bool(answer.hits)
        found["floor"].append(_note(lambda: np.einsum("ij,j->i", matrix, query)))
    if answered < len(found["ours"]) // 2:
        raise BenchError("most questions from the vault's own words had no answer")
    return found


def rename(app: App, vault: Synthetic, runs: int) -> Costs:
    """A note that a thousand others link to, renamed again and again.

    The floor writes as many files of that size, each so that no crash leaves half.
    """
    from mindcache.write import moving

    hub, count = "Hub of the bench.md", min(_LINKS, vault.notes)
    with open(os.path.join(app.vault.root, hub), "w", encoding="utf-8") as file:
        file.write("The note that all link to.\n")
    for number in range(count):
        _append(app, vault.path(number), "\nSee [[Hub of the bench]].\n")
    app.update()
    found: Costs = {"ours": [], "floor": []}
    for turn in range(min(runs, _RENAMES)):
        found["floor"].append(_note(lambda: _rewrite(app, vault, count)))
        name = f"Hub of the bench {turn}.md"
        with Stopwatch() as watch, app.writing():
            done = moving.move(app, moving.decide(app, {hub: name}))
        found["ours"].append(watch.cost)
        links = sum(len(text.rewrites) for text in done.texts)
        if links != count or done.failed:
            raise BenchError(f"{links} of {count} links were rewritten")
        hub = name
    return found


def _rewrite(app: App, vault: Synthetic, count: int) -> None:
    """Read and write so many notes, by a temporary file that is on the disk first."""
    for number in range(count):
        full = os.path.join(app.vault.root, vault.path(number))
        with open(full, "rb") as file:
            data = file.read()
        copy = os.path.join(os.path.dirname(full), ".copy.tmp")
        with open(copy, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(copy, full)


_JOBS: dict[str, Callable[[App, Synthetic, int], Costs]] = {
    "unchanged": unchanged,
    "changed": changed,
    "saved": saved,
    "warm": warm,
    "rename": rename,
}


def _main(arguments: Sequence[str]) -> None:
    """`JOB VAULT NOTES SEED RUNS`, the cache being where MINDCACHE_CACHE_DIR says."""
    from mindcache.app import App

    job, root, notes, seed, runs = arguments
    app = App(root)
    try:
        found = _JOBS[job](app, Synthetic(int(notes), int(seed)), int(runs))
    finally:
        app.close()
    shape = {
        name: [(cost.cpu, cost.wall) for cost in costs] for name, costs in found.items()
    }
    json.dump(shape, sys.stdout)


if __name__ == "__main__":
    _main(sys.argv[1:])
