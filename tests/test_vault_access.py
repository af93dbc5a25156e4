"""The access log: noted outside the vault, brought in later, each use counted once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache.vault import AccessLog, Vault

ROOT = Path(__file__).parents[1]
AT = datetime(2026, 11, 30, 12, 0)  # noqa: DTZ001  civil time
DAY = AT.date()


def log_of(tmp_path: Path, device: str = "laptop-0a1b") -> AccessLog:
    root = tmp_path / "vault"
    root.mkdir(exist_ok=True)
    return AccessLog(
        Vault(str(root)), lambda: device, str(tmp_path / device / "spool.jsonl")
    )


def lines_of(tmp_path: Path, device: str = "laptop-0a1b") -> list[dict]:
    path = tmp_path / "vault" / ".mindcache" / "access" / f"{device}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_noting_leaves_the_vault_alone(tmp_path) -> None:
    log = log_of(tmp_path)
    log.note(["m-1", "notes/Two.md", "m-1"], AT, "recall")
    assert list((tmp_path / "vault").iterdir()) == []
    assert log.uses().of("m-1") == {DAY: 1}
    assert log.uses().of("notes/Two.md") == {DAY: 1}
    assert log.has_spooled()


def test_a_flush_brings_it_in(tmp_path) -> None:
    log = log_of(tmp_path)
    log.note(["m-1"], AT, "recall")
    log.note(["m-1"], AT, "show")
    assert log.flush() == 2
    assert not log.has_spooled()
    assert log.flush() == 0
    found = lines_of(tmp_path)
    assert [(e["key"], e["how"], e["at"]) for e in found] == [
        ("m-1", "recall", "2026-11-30T12:00:00"),
        ("m-1", "show", "2026-11-30T12:00:00"),
    ]
    assert log.uses().of("m-1") == {DAY: 2}


def test_what_was_written_twice_counts_once(tmp_path) -> None:
    """As after a crash between the vault's file and the spool, or in a sync's copy."""
    log = log_of(tmp_path)
    log.note(["m-1"], AT, "show")
    spool = tmp_path / "laptop-0a1b" / "spool.jsonl"
    again = spool.read_bytes()
    log.flush()
    spool.write_bytes(again)
    folder = tmp_path / "vault" / ".mindcache" / "access"
    (folder / "laptop-0a1b.sync-conflict-20261130-120000-ABCDEFG.jsonl").write_bytes(
        again
    )
    assert log.uses().of("m-1") == {DAY: 1}
    log.flush()
    assert len(lines_of(tmp_path)) == 2
    assert log.uses().of("m-1") == {DAY: 1}


def test_a_flush_that_was_killed_is_finished(tmp_path) -> None:
    log = log_of(tmp_path)
    log.note(["m-1"], AT, "show")
    spool = tmp_path / "laptop-0a1b" / "spool.jsonl"
    spool.rename(f"{spool}.0f0f0f0f")  # taken away, and then nothing
    assert log.uses().of("m-1") == {DAY: 1}
    log.note(["m-2"], AT, "show")
    assert log.flush() == 2
    assert {e["key"] for e in lines_of(tmp_path)} == {"m-1", "m-2"}


def test_lines_that_say_nothing_are_told_and_left_out(tmp_path) -> None:
    log = log_of(tmp_path)
    folder = tmp_path / "vault" / ".mindcache" / "access"
    folder.mkdir(parents=True)
    (folder / "x-1.jsonl").write_text(
        '{"use": "a", "key": "m-1", "at": "2026-11-30T12:00:00"}\n'
        '{"use": "b", "key": "m-1", "at": "yesterday"}\n'
        '["no"]\n'
        '{"use": "c", "key": "m-1", "day": "2026-11-30", "times": -3}\n'
        "\n"
        '{"use": "d", "key": "m-'
    )
    found = log.uses()
    assert found.of("m-1") == {DAY: 1}
    assert [p.line for p in found.problems] == [2, 3, 4, 6]
    assert {p.path for p in found.problems} == {".mindcache/access/x-1.jsonl"}


def test_what_is_older_than_a_year_is_folded_and_says_the_same(tmp_path) -> None:
    log = log_of(tmp_path)
    for days in (400, 400, 399, 366, 365, 0):
        log.note(["m-1", "m-2"], AT - timedelta(days=days), "recall")
    log.flush()
    other = log_of(tmp_path, "desk-9f9f")
    other.note(["m-1"], AT - timedelta(days=400), "recall")
    other.flush()
    theirs = lines_of(tmp_path, "desk-9f9f")
    before = log.uses().days
    assert log.fold(DAY)
    assert log.uses().days == before
    assert len(lines_of(tmp_path)) == 6 + 4  # three days each, and what is younger
    assert lines_of(tmp_path, "desk-9f9f") == theirs
    assert not log.fold(DAY)
    # What comes in later for such a day is folded into it.
    log.note(["m-1"], AT - timedelta(days=400), "recall")
    log.flush()
    assert log.uses().of("m-1")[DAY - timedelta(days=400)] == 4
    assert log.fold(DAY)
    assert log.uses().of("m-1")[DAY - timedelta(days=400)] == 4


def test_a_clock_far_ahead_folds_nothing(tmp_path) -> None:
    log = log_of(tmp_path)
    log.note(["m-1"], AT, "recall")
    log.flush()
    assert not log.fold(DAY.replace(year=2031))


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 900), st.booleans()),
        max_size=30,
    )
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_folding_never_changes_what_is_known(tmp_path_factory, noted) -> None:
    log = log_of(tmp_path_factory.mktemp("log"))
    for key, days, is_folded in noted:
        log.note([key], AT - timedelta(days=days), "show")
        before = log.uses().days
        log.flush()
        if is_folded:
            log.fold(DAY)
        assert log.uses().days == before


def test_what_was_used_lately_is_read_from_the_end(tmp_path) -> None:
    log = log_of(tmp_path)
    for days in range(3000, 0, -1):
        log.note([f"m-{days}"], AT - timedelta(days=days), "recall")
    log.flush()
    log.note(["m-now"], AT, "show")
    week = DAY - timedelta(days=7)
    assert log.since(week) == {"m-now", *(f"m-{n}" for n in range(1, 8))}
    assert log.since(date(2000, 1, 1)) >= {"m-3000", "m-now"}
    assert log.since(DAY + timedelta(days=1)) == set()


_WRITER = """
import sys
from datetime import datetime
from mindcache.vault import AccessLog, Vault
root, spool, name, flushes = sys.argv[1:]
log = AccessLog(Vault(root), lambda: "laptop-0a1b", spool)
for n in range(150):
    log.note([f"{name}-{n}"], datetime(2026, 11, 30), "show")
    if flushes == "yes" and n % 7 == 0:
        log.flush()
"""


def test_no_use_is_lost_while_others_flush(tmp_path) -> None:
    log = log_of(tmp_path)
    spool = str(tmp_path / "laptop-0a1b" / "spool.jsonl")
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path / "vault"), spool, name, f],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for name, f in (("a", "no"), ("b", "no"), ("c", "yes"), ("d", "yes"))
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0, 0]
    log.flush()
    days = log.uses().days
    assert len(days) == 600
    assert all(found == {DAY: 1} for found in days.values())


def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path) -> None:
    log = log_of(tmp_path)
    spool = str(tmp_path / "laptop-0a1b" / "spool.jsonl")
    script = _WRITER.replace("range(150)", "range(10**6)").replace(
        '"show")\n', '"show")\n    print(n, flush=True)\n'
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "vault"), spool, "k", "yes"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    said = process.stdout.read().split()
    process.stdout.close()
    process.wait()
    log.flush()
    days = log.uses().days
    assert {f"k-{n}" for n in said} <= days.keys()
    assert all(found == {DAY: 1} for found in days.values())


def test_a_spool_that_cannot_be_written_says_so(tmp_path) -> None:
    (tmp_path / "laptop-0a1b").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="laptop-0a1b"):
        log_of(tmp_path).note(["m-1"], AT, "show")
