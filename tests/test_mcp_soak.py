"""An agent that asks for minutes on end, while the vault changes under its hands."""

from __future__ import annotations

import os
import random
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

from tests.mcp_client import asked

CALLS = 1_000
MINUTES = 5
WORDS = [
    "harbour",
    "crane",
    "berth",
    "tide",
    "ferry",
    "price",
    "invoice",
    "warehouse",
    "model",
    "snapshot",
    "reader",
    "cache",
    "meeting",
    "budget",
    "board",
    "winter",
    "crew",
    "engine",
    "ticket",
    "mart",
    "schema",
    "export",
    "review",
    "office",
]


def sentence(random_: random.Random, size: int = 12) -> str:
    return " ".join(random_.choice(WORDS) for _ in range(size)).capitalize() + "."


def note(random_: random.Random) -> str:
    head = f"---\ntags: [domain/{random_.choice(WORDS)}]\n---\n"
    links = f"See [[Note {random_.randrange(300)}]].\n"
    return head + "\n\n".join(sentence(random_) for _ in range(8)) + "\n" + links


def questions_of(random_: random.Random, number: int) -> tuple[str, dict[str, object]]:
    """One call in the mix that an agent makes; one in twenty is a wrong one."""
    query = {"query": sentence(random_, 4)}
    name = {"name": f"Note {random_.randrange(300)}"}
    calls: list[tuple[str, dict[str, object]]] = [
        ("recall", query),
        ("recall", {**query, "mode": "deep", "budget": 3_000}),
        ("recall", {**query, "tags": f"domain/{random_.choice(WORDS)}"}),
        ("recall", {**query, "qery": "x"}),
        ("get", name),
        ("neighbours", name),
        ("timeline", {"since": "last year"}),
        ("status", {}),
        ("remember", {"text": f"Fact {number}: {sentence(random_)}", "project": "a/b"}),
        ("update", {"name": f"Note {random_.randrange(300)}.md", "append": "More."}),
    ]
    weights = [8, 4, 3, 1, 6, 3, 2, 1, 1, 1]
    return random_.choices(calls, weights)[0]


def server_memory() -> float:
    """Megabytes that the one child process holds."""
    me = os.getpid()
    children = Path(f"/proc/{me}/task/{me}/children").read_text().split()
    found: list[float] = []
    for child in children:
        lines = Path(f"/proc/{child}/status").read_text().splitlines()
        found += [
            int(row.split()[1]) / 1024 for row in lines if row.startswith("VmRSS:")
        ]
    return max(found)


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="memory is read from /proc"
)
def test_a_thousand_calls_leave_memory_where_it_was(make_vault, capsys) -> None:
    random_ = random.Random(7)
    vault = make_vault({f"Note {n}.md": note(random_) for n in range(300)})
    stop = threading.Event()
    writes = 0

    def change() -> None:
        nonlocal writes
        other = random.Random(8)
        while not stop.wait(0.25):
            path = vault / f"Note {other.randrange(300)}.md"
            if other.random() < 0.1:
                path.unlink(missing_ok=True)
            else:
                path.write_text(note(other))
            writes += 1

    rows: list[tuple[int, int, int, float, float, float]] = []

    async def talk(client: Any) -> None:
        import anyio

        began = time.monotonic()
        each = MINUTES * 60 / CALLS
        times: list[float] = []
        errors = 0
        for number in range(CALLS):
            await anyio.sleep(max(0.0, began + number * each - time.monotonic()))
            tool, given = questions_of(random_, number)
            at = time.perf_counter()
            result = await client.call_tool(tool, given)
            times.append((time.perf_counter() - at) * 1000)
            errors += result.is_error
            assert "a fault of Mindcache" not in result.content[0].text
            if (number + 1) % (CALLS // MINUTES) == 0:
                times.sort()
                rows.append(
                    (
                        len(rows) + 1,
                        len(times),
                        errors,
                        statistics.median(times),
                        times[int(len(times) * 0.95)],
                        server_memory(),
                    )
                )
                times, errors = [], 0

    changing = threading.Thread(target=change)
    changing.start()
    try:
        asked(vault, talk, within=MINUTES * 60 + 120)
    finally:
        stop.set()
        changing.join()
    head = "minute  calls  errors  p50 ms  p95 ms  RSS MB"
    form = "{:6d}  {:5d}  {:6d}  {:6.0f}  {:6.0f}  {:6.1f}"
    table = [f"{writes} writes beside {CALLS} calls", head]
    table += [form.format(*row) for row in rows]
    with capsys.disabled():
        sys.stdout.write("\n" + "\n".join(table) + "\n")
    after = [row[-1] for row in rows]
    assert after[-1] <= 1.05 * after[2]
