"""Processes that die in the middle, and processes that meet."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mindcache.cache.store import Cache
from tests.conftest import MakeApp, MakeVault, write_files
from tests.dumps import dump

UPDATE = """
import sys
from mindcache.app import App
app = App(sys.argv[1], sys.argv[2])
report = app.update()
print(report.indexed)
"""

RECALL = """
import sys
from mindcache.app import App
from mindcache import recall
app = App(sys.argv[1], sys.argv[2])
print(len(recall.deep(recall.Ask("zebra number 7", floor=0), app.corpus()).hits))
"""


def start(code: str, vault: Path, cache: Path, **more: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen(
        [sys.executable, "-c", code, str(vault), str(cache)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **more,  # type: ignore[call-overload]
    )


def notes(number: int) -> dict[str, str]:
    return {
        f"f{n % 7}/n{n}.md": f"---\ntags: [a/t{n % 9}]\n---\nzebra number {n}, see [[n{n + 1}]]\n"
        for n in range(number)
    }


def test_killed_at_any_moment_the_next_run_completes(
    tmp_path: Path, make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault(notes(1500))
    cache = tmp_path / "killed"
    fresh = make_app(vault, "fresh")
    fresh.update()
    expected = dump(fresh.cache_path)
    for delay in (0.15, 0.3, 0.45, 0.6, 0.8, 1.0):
        process = start(UPDATE, vault, cache)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    app = make_app(vault, "killed")
    assert app.update().indexed == 1500
    assert dump(app.cache_path) == expected
    assert app.with_cache(lambda c: c.faults()) == []
    # The same in the middle of a change: half the vault edited, a folder moved.
    write_files(vault, {p: t + " edited" for p, t in list(notes(1500).items())[::2]})
    (vault / "f3").rename(vault / "g3")
    for delay in (0.25, 0.4, 0.6):
        process = start(UPDATE, vault, cache)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    app.update()
    again = make_app(vault, "fresh2")
    again.update()
    assert dump(app.cache_path) == dump(again.cache_path)


@pytest.mark.parametrize("method", ["apply", "settle", "record_scan"])
def test_killed_before_and_after_each_write(
    method: str,
    tmp_path: Path,
    make_vault: MakeVault,
    make_app: MakeApp,
) -> None:
    """The process dies right before, and right after, each transaction in turn."""
    vault = make_vault(notes(450))
    fresh = make_app(vault, "fresh")
    fresh.update()
    expected = dump(fresh.cache_path)
    for moment in ("before", "after"):
        for call in (1, 2, 3):
            cache = tmp_path / f"{moment}{call}"
            code = (
                "import os\nfrom mindcache.cache.store import Cache\n"
                f"real, calls = Cache.{method}, []\n"
                "def dying(self, *values):\n"
                "    calls.append(1)\n"
                f"    last = len(calls) == {call}\n"
                f"    if last and {moment == 'before'}: os.kill(os.getpid(), 9)\n"
                "    real(self, *values)\n"
                "    if last: os.kill(os.getpid(), 9)\n"
                f"Cache.{method} = dying\n" + UPDATE
            )
            process = start(code, vault, cache)
            process.communicate()
            app = make_app(vault, f"{moment}{call}")
            assert app.reader().counts()["notes"] == 450
            assert dump(app.cache_path) == expected
            app.close()


def test_eight_processes_on_a_cold_cache_all_succeed(
    tmp_path: Path, make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault(notes(400))
    cache = tmp_path / "shared"
    running = [start(code, vault, cache) for code in (UPDATE, RECALL) * 4]
    answers = [(*p.communicate(timeout=120), p.returncode) for p in running]
    assert [code for _, _, code in answers] == [0] * 8, [err for _, err, _ in answers]
    assert {out.strip() for out, _, _ in answers[::2]} == {"400"}
    assert {out.strip() for out, _, _ in answers[1::2]} == {"10"}
    fresh = make_app(vault, "fresh")
    fresh.update()
    assert dump(make_app(vault, "shared").cache_path) == dump(fresh.cache_path)


def _drop_privileges() -> None:
    """Make even root respect permission bits in the program that follows."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


REPORT = """
import sys
from mindcache.app import App
from mindcache.errors import MindcacheError
app = App(sys.argv[1], sys.argv[2])
try:
    report = app.update()
except MindcacheError as error:
    sys.exit(error.exit_code)
print(report.indexed, report.failed, [(p.path, p.code, p.message) for p in (*report.skipped, *report.problems)])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="drops Linux capabilities")
def test_what_permissions_hide_is_kept_and_named(
    tmp_path: Path, make_vault: MakeVault, make_app: MakeApp
) -> None:
    """A11, A13: an unreadable note, folder or root never reads as deleted."""
    vault = make_vault(notes(50))
    cache = tmp_path / "cache"
    app = make_app(vault)
    app.update()

    def run() -> subprocess.Popen[str]:
        process = start(REPORT, vault, cache, preexec_fn=_drop_privileges)
        process.out, process.err = process.communicate(timeout=60)  # type: ignore[attr-defined]
        return process

    (vault / "f1/n1.md").write_text("changed, and locked")
    (vault / "f1/n1.md").chmod(0)
    process = run()
    assert process.out.startswith("50 True")  # type: ignore[attr-defined]
    assert "f1/n1.md" in process.out  # type: ignore[attr-defined]
    assert "EACCES" in process.out  # type: ignore[attr-defined]
    (vault / "f1/n1.md").chmod(0o644)

    (vault / "f2").chmod(0)
    process = run()
    assert process.out.startswith("50 True")  # type: ignore[attr-defined]
    assert "f2" in process.out  # type: ignore[attr-defined]
    (vault / "f2").chmod(0o755)

    vault.chmod(0)
    process = run()
    assert process.returncode == 5
    vault.chmod(0o755)
    report = app.update()
    assert report.indexed == 50
    assert not report.removed
    assert not report.failed


def test_a_new_note_that_cannot_be_read_is_one_of_fifty(
    tmp_path: Path, make_vault: MakeVault
) -> None:
    vault = make_vault(notes(50))
    (vault / "f1/n1.md").chmod(0)
    process = start(REPORT, vault, tmp_path / "cache", preexec_fn=_drop_privileges)
    out, _ = process.communicate(timeout=60)
    (vault / "f1/n1.md").chmod(0o644)
    assert out.startswith("49 True"), out
    assert "f1/n1.md" in out
    assert "EACCES" in out
    (vault / "f1/n1.md").chmod(0)
    command = "from mindcache.cli import run; import sys; sys.exit(run(['index',"
    command += (
        " 'update', '--json', '--vault', sys.argv[1], '--cache-dir', sys.argv[2]]))"
    )
    process = start(command, vault, tmp_path / "cache2", preexec_fn=_drop_privileges)
    out, _ = process.communicate(timeout=60)
    (vault / "f1/n1.md").chmod(0o644)
    told = json.loads(out)
    assert process.returncode == 1
    assert len(told["added"]) == 49
    assert [(p["path"], p["severity"]) for p in told["skipped"]] == [
        ("f1/n1.md", "error")
    ]


def test_doctor_sees_a_cache_that_lost_rows(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """A14: whatever is missing is noticed, and a rebuild mends it."""
    import sqlite3

    vault = make_vault(notes(40))
    app = make_app(vault)
    app.update()
    good = dump(app.cache_path)
    app.close()
    for sql in (
        "DELETE FROM segments",
        "DELETE FROM chunks WHERE id = 3",
        "DELETE FROM fts WHERE rowid = 5",
        "DELETE FROM nodes WHERE file_id = 2",
        "DELETE FROM stamps WHERE kind = 'note' AND path LIKE '%n9.md'",
        "UPDATE segments SET vectors = x'00'",
    ):
        with sqlite3.connect(app.cache_path) as connection:
            connection.execute(sql)
        connection.close()
        assert app.with_cache(Cache.faults), sql
        app.update(rebuild=True)
        assert app.with_cache(Cache.faults) == []
        assert dump(app.cache_path) == good
        app.close()
