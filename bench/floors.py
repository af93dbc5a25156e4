"""The least that each job could cost: the same work by bare libraries.

A floor does what nobody could leave out, with no program around it. `index` is a
process of its own, since StaticModel and its threads would disturb what is
measured beside it; loading the texts that it works on is outside of its time.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator

from bench.measure import Cost, Stopwatch

__all__ = ["CLICK", "LIBRARIES", "index", "walk"]

# What `python -c` runs beside a cold tag query, and beside a cold recall.
CLICK = "import click"
# One BLAS thread, as a process that ends after one question wants it.
LIBRARIES = """\
import os, sys
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import click, numpy
from tokenizers import Tokenizer
Tokenizer.from_file(sys.argv[1])
"""


def walk(root: str) -> int:
    """List every folder and stat every note; gives the number of notes."""
    found = 0
    pending = [root]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(".md"):
                    entry.stat(follow_symlinks=False)
                    found += 1
    return found


def index(root: str, cache: str, model: str, scratch: str) -> dict[str, Cost]:
    """Read, YAML, FTS5 and encoding of what the cache at `cache` was made from.

    `scratch` is a file that may be written. Gives what each step cost.
    """
    from mindcache.memory import plain_text

    with sqlite3.connect(cache) as connection:
        rows = connection.execute(
            "SELECT rowid, body, heading, title, words FROM fts ORDER BY rowid"
        ).fetchall()
        texts = [row[0] for row in connection.execute("SELECT text FROM chunks")]
    connection.close()
    chunks = [plain_text(text) or "-" for text in texts]
    del texts
    blocks: list[str] = []
    with Stopwatch() as reading:
        for path in _notes(root):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if text.startswith("---\n"):
                blocks.append(text[4 : text.index("\n---\n", 4)])
    return {
        "read": reading.cost,
        "yaml": _yaml(blocks),
        "fts5": _full_text(rows, scratch),
        "encode": _encode(chunks, model),
    }


def _notes(root: str) -> Iterator[str]:
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def _yaml(blocks: list[str]) -> Cost:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with Stopwatch() as watch:
        for block in blocks:
            yaml.load(block, loader)  # noqa: S506  one of the safe loaders
    return watch.cost


def _full_text(rows: list[tuple[object, ...]], scratch: str) -> Cost:
    connection = sqlite3.connect(scratch, isolation_level=None)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("PRAGMA synchronous = normal")
    with Stopwatch() as watch:
        connection.execute(
            "CREATE VIRTUAL TABLE fts USING fts5(body, heading, title, words,"
            " columnsize=0, tokenize=\"ascii tokenchars '+#_'\")"
        )
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO fts (rowid, body, heading, title, words)"
            " VALUES (?, ?, ?, ?, ?)",
            rows,
        )
        connection.execute("COMMIT")
    connection.close()
    return watch.cost


def _encode(texts: list[str], model: str) -> Cost:
    # Threads make it quicker and dearer; CPU is what is compared.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from model2vec import StaticModel

    loaded = StaticModel.from_pretrained(model)
    with Stopwatch() as watch:
        loaded.encode(
            texts, max_length=None, show_progress_bar=False, use_multiprocessing=False
        )
    return watch.cost


def _main(arguments: list[str]) -> None:
    """`index ROOT CACHE MODEL SCRATCH` or `walk ROOT`: print the costs as JSON."""
    import json
    from dataclasses import asdict

    job, *rest = arguments
    if job == "walk":
        with Stopwatch() as watch:
            walk(*rest)
        costs = {"walk": watch.cost}
    else:
        costs = index(*rest)
    json.dump({name: asdict(cost) for name, cost in costs.items()}, sys.stdout)


if __name__ == "__main__":
    _main(sys.argv[1:])
