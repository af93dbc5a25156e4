"""What is noted while a session goes on."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

from mindcache.session import spool


def test_records_come_back_in_order_for_nobody_else(tmp_path: Path) -> None:
    folder = str(tmp_path / "s")
    for n in range(3):
        spool.add(folder, "one", {"event": "stop", "n": n})
    spool.add(folder, "../../evil", {"event": "stop"})
    assert [r["n"] for r in spool.read(folder, "one")] == [0, 1, 2]
    assert len(spool.sessions(folder)) == 2
    assert os.listdir(tmp_path) == ["s"]
    for name in os.listdir(folder):
        assert stat.S_IMODE(os.stat(f"{folder}/{name}").st_mode) == 0o600


def test_half_a_line_harms_no_other(tmp_path: Path) -> None:
    folder = str(tmp_path)
    spool.add(folder, "one", {"event": "start"})
    with open(tmp_path / "one.jsonl", "ab") as file:
        file.write(b'{"event": "st\n[1]\n\xff\n')
    spool.add(folder, "one", {"event": "end"})
    assert [r["event"] for r in spool.read(folder, "one")] == ["start", "end"]


def test_many_hooks_at_once_lose_nothing(tmp_path: Path) -> None:
    script = (
        "import sys; from mindcache.session import spool\n"
        "for n in range(50): spool.add(sys.argv[1], 's', {'event': 'told', 'text': 'x' * 3000})"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
        for _ in range(4)
    ]
    assert [each.wait(60) for each in running] == [0] * 4
    assert len(spool.read(str(tmp_path), "s")) == 200


def test_what_is_held_goes_with_the_context() -> None:
    start = {"event": "start", "source": "startup", "keys": ["a", "b"]}
    told = {"event": "told", "keys": ["c"]}
    resumed = {"event": "start", "source": "resume", "keys": ["d"]}
    assert spool.held([start, told, resumed]) == {"a", "b", "c", "d"}
    assert spool.held([start, {"event": "compact"}]) == set()
    compacted = {"event": "start", "source": "compact", "keys": ["e"]}
    assert spool.held([start, {"event": "compact"}, compacted]) == {"e"}


def test_when_a_session_is_over(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()

    def due(*records: dict[str, object], age: float = 0.0) -> bool:
        spool.add(str(tmp_path), "s", {})
        path = tmp_path / "s.jsonl"
        now = path.stat().st_mtime
        os.utime(path, (now - age, now - age))
        return spool.is_due(str(tmp_path), "s", records)

    start, stop, end = {"event": "start"}, {"event": "stop"}, {"event": "end"}
    assert not due(start)
    assert not due(start, stop)
    assert due(start, stop, end)
    assert not due(start, stop, end, start)
    assert due(start, stop, age=3_600)
    assert due({**start, "host": gone.pid}, stop)
    assert not due({**start, "host": os.getpid()}, stop, age=3_600)
    assert due({**start, "host": os.getpid()}, stop, age=50_000)
    assert not due(start, stop, end, {"event": "kept"})
    assert due(start, stop, end, {"event": "kept"}, start, stop, end)


def test_trouble_is_told_until_it_is_over(tmp_path: Path) -> None:
    folder = str(tmp_path / "s")
    assert spool.trouble_was(folder) == ""
    spool.trouble(folder, "")
    assert not (tmp_path / "s").exists()
    spool.trouble(folder, "the disk is full")
    assert spool.trouble_was(folder) == "the disk is full"
    spool.trouble(folder, "")
    assert spool.trouble_was(folder) == ""


def test_old_sessions_are_forgotten(tmp_path: Path) -> None:
    folder = str(tmp_path)
    spool.add(folder, "old", {"event": "end"})
    spool.add(folder, "new", {"event": "end"})
    os.utime(tmp_path / "old.jsonl", (0, 0))
    spool.prune(folder)
    assert spool.sessions(folder) == ["new"]
