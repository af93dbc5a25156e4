"""The daemon as a process: started, found, never mistaken for another, ended."""

from __future__ import annotations

import json
import os
import plistlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindcache.cache import beat, lock
from mindcache.cache.beat import Beat
from mindcache.errors import Locked
from mindcache.watch import daemon as process
from tests.conftest import MakeApp, MakeVault, write_files
from tests.watching import ROOT, Cache, Daemon, until

HOLD = """
import sys, time
from mindcache.cache.beat import Beat
with Beat(sys.argv[1]).held():
    print("held", flush=True)
    time.sleep(60)
"""


class Machine:
    """Commands of the program over one vault, as a person types them."""

    def __init__(self, vault: Path, caches: Path) -> None:
        self.vault = vault
        self.caches = caches
        self.cache = Cache(vault, caches)
        self.folder = self.cache.folder

    def run(
        self, *words: str, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        caches = os.path.relpath(self.caches, cwd) if cwd else str(self.caches)
        return subprocess.run(
            [
                *(sys.executable, "-P", "-m", "mindcache", *words),
                *("--vault", str(self.vault), "--cache-dir", caches),
            ],
            check=False,
            capture_output=True,
            text=True,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=60,
        )

    def status(self) -> dict[str, object]:
        found = json.loads(self.run("daemon", "status", "--json").stdout)
        assert isinstance(found, dict)
        return found


@pytest.fixture
def machine(make_vault: MakeVault, tmp_path: Path) -> Iterator[Machine]:
    vault = make_vault({"n.md": "Text.\n", "sub/m.md": "More.\n"})
    made = Machine(vault, tmp_path / "caches")
    yield made
    made.run("daemon", "stop")
    made.cache.app.close()


def other_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])


def hold(folder: str) -> subprocess.Popen[str]:
    """A process that holds the daemon's lock and says nothing."""
    os.makedirs(folder, exist_ok=True)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, folder],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def end(*processes: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    for each in processes:
        each.kill()
        each.communicate()


# -- the commands ---------------------------------------------------------------------


def test_started_asked_and_stopped(machine: Machine, tmp_path: Path) -> None:
    assert "No daemon" in machine.run("daemon", "status").stdout
    assert "No daemon" in machine.run("daemon", "stop").stdout
    # A relative folder for caches is meant from where the command is called.
    done = machine.run("daemon", "start", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    started = json.loads(done.stdout)
    until(machine.cache.is_fresh, "it has seen the disk")
    state = machine.status()
    assert state["alive"] is True
    assert state["fresh"] is True
    assert state["pid"] == started["started"]
    assert state["pending"] == 0
    assert state["mode"] in {"notified", "polling"}
    assert "T" in str(state["last_scan"])
    shown = machine.run("daemon", "status").stdout
    assert "alive" in shown
    assert "notified" in shown or "polling" in shown
    assert "began" not in shown
    whole = json.loads(machine.run("status", "--json").stdout)
    assert (whole["on_disk"], whole["indexed"], whole["pending"]) == (2, 2, 0)
    assert whole["daemon"] == state["mode"]
    assert whole["last_scan"]
    assert Path(started["log"]).read_text().count("watching") == 1
    again = machine.run("daemon", "start")
    assert again.returncode == 5
    assert "already" in again.stderr
    second = machine.run("watch")
    assert second.returncode == 5
    assert f"process {started['started']}" in second.stderr
    stopped = machine.run("daemon", "stop", "--json")
    assert json.loads(stopped.stdout)["stopped"] is True
    assert not beat.alive(machine.folder)
    assert not os.path.exists(os.path.join(machine.folder, "daemon.json"))
    assert Path(started["log"]).read_text().endswith("  stopped\n")


def test_python_files_in_the_vault_are_never_run(
    machine: Machine, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    trap = f"open({str(ran)!r}, 'w').close()\n"
    write_files(
        machine.vault,
        {"mindcache/__init__.py": trap, "json.py": trap, "watchdog.py": trap},
    )
    done = machine.run("daemon", "start", cwd=machine.vault)
    assert done.returncode == 0, done.stderr
    until(lambda: len(machine.cache.paths()) == 2, "it indexes")
    assert not ran.exists()


def test_an_interrupt_ends_the_foreground_watch(machine: Machine) -> None:
    watch = Daemon(machine.vault, machine.caches).start()
    assert watch.process is not None
    watch.process.send_signal(signal.SIGINT)
    assert watch.process.wait(20) == 0
    assert not beat.alive(machine.folder)


def test_a_reader_of_the_log_that_leaves_ends_the_watch(machine: Machine) -> None:
    words = Daemon(machine.vault, machine.caches).words
    watch = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert watch.stdout is not None
    assert b"watching" in watch.stdout.readline()
    watch.stdout.close()
    (machine.vault / "n.md").write_text("Edited.\n")
    try:
        watch.wait(20)
    finally:
        end(watch)
    assert not beat.alive(machine.folder)


# -- who is meant -----------------------------------------------------------------------


def test_a_number_that_was_given_again_is_not_signalled(machine: Machine) -> None:
    """The daemon died, its file stayed, and its number is somebody else's now."""
    watch = Daemon(machine.vault, machine.caches).start()
    watch.kill()
    state = Path(machine.folder, "daemon.json")
    said = json.loads(state.read_text())
    stranger = other_process()
    try:
        state.write_text(json.dumps({**said, "pid": stranger.pid}))
        assert not beat.alive(machine.folder)
        assert not beat.is_fresh(machine.folder)
        assert "No daemon" in machine.run("daemon", "stop").stdout
        assert stranger.poll() is None
        # Even while another daemon holds the vault and has not said who it is.
        holder = hold(machine.folder)
        try:
            state.write_text(json.dumps({**said, "pid": stranger.pid}))
            assert beat.alive(machine.folder)
            assert beat.find_holder(machine.folder) is None
            done = machine.run("daemon", "stop")
            assert done.returncode == 1
            assert "who it is" in done.stderr
            assert stranger.poll() is None
            assert holder.poll() is None
        finally:
            end(holder)
        # A new one takes its place as if nothing had been there.
        watch.start()
        assert beat.find_holder(machine.folder) == watch.pid
        assert watch.stop() == 0
    finally:
        end(stranger)
        watch.close()


def test_a_daemon_that_does_not_listen_is_killed(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_STOP_SECONDS", 0.5)
    deaf = HOLD.replace("import sys, time", "import signal, sys, time").replace(
        "    print",
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    print",
    )
    deaf = deaf.replace(
        "with Beat(sys.argv[1]).held():",
        "own = Beat(sys.argv[1])\nwith own.held():\n    own.say({'pending': 0})",
    )
    os.makedirs(machine.folder, exist_ok=True)
    holder = subprocess.Popen(
        [sys.executable, "-c", deaf, machine.folder],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert process.stop(machine.cache.app) is True
        assert holder.wait(5) == -signal.SIGKILL
    finally:
        end(holder)
    assert process.stop(machine.cache.app) is False


# -- the sign of life --------------------------------------------------------------------


def test_fresh_is_only_what_was_seen_just_now(tmp_path: Path) -> None:
    folder = str(tmp_path / "c")
    state = Path(folder, "daemon.json")
    assert not beat.is_fresh(folder)
    idle: dict[str, object] = {"pending": 0, "mode": "notified"}
    own = Beat(folder)
    with own.held():
        assert not beat.is_fresh(folder)  # it has not said anything yet
        own.say(idle)
        assert beat.is_fresh(folder)
        for busy in ({**idle, "pending": 1}, {**idle, "mode": "polling"}, {}):
            own.say(busy)
            assert not beat.is_fresh(folder), busy
        own.say(idle)
        for age in (-3, 3):
            moment = time.time() - age  # noqa: TID251  a file's time
            os.utime(state, (moment, moment))
            assert not beat.is_fresh(folder)
        own.say(idle)  # nothing new to say is a beat all the same
        assert beat.is_fresh(folder)
        assert state.stat().st_mode & 0o077 == 0
        for broken in ("", "[]", "{", '"x"'):
            state.write_text(broken)
            assert beat.read(folder) == {}
            assert not beat.is_fresh(folder)
        state.unlink()
        own.say(idle)
        assert beat.is_fresh(folder)
        with pytest.raises(Locked, match=f"process {os.getpid()}"), Beat(folder).held():
            raise AssertionError("two at a time")
        assert beat.is_fresh(folder)
    assert not beat.is_fresh(folder)
    assert not state.exists()


def test_what_a_dead_daemon_said_is_not_its_successors(tmp_path: Path) -> None:
    folder = str(tmp_path / "c")
    os.makedirs(folder)
    Path(folder, "daemon.json").write_text('{"pending": 0, "mode": "notified"}')
    with Beat(folder).held():
        assert beat.read(folder) == {}
        assert not beat.is_fresh(folder)


def test_a_lock_whose_folder_was_deleted_is_taken_again(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    own = Beat(str(folder))
    with own.held():
        own.say({"pending": 0})
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        assert not beat.alive(str(folder))
        own.say({"pending": 0})
        assert beat.alive(str(folder))
        assert beat.find_holder(str(folder)) == os.getpid()
        # Another daemon was quicker: this one gives way.
        Path(folder, "daemon.lock").unlink()
        with lock.hold(str(folder / "daemon.lock"), 0), pytest.raises(Locked):
            own.say({"pending": 0})


def test_what_can_not_be_written_is_withdrawn(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    own = Beat(str(folder))
    with own.held():
        own.say({"pending": 0, "mode": "notified"})
        (folder / f"daemon.json.{os.getpid()}.tmp").mkdir()
        with pytest.raises(OSError, match="directory"):
            own.say({"pending": 1, "mode": "notified"})
        assert not beat.is_fresh(str(folder))
        assert beat.read(str(folder)) == {}


def test_those_who_ask_are_not_taken_for_holders(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    assert not lock.is_held(path)
    with lock.hold(path, 0):
        assert lock.is_held(path)
    import fcntl

    asking = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(asking, fcntl.LOCK_SH)  # one that asks right now
        assert not lock.is_held(path)
        with pytest.raises(Locked), lock.hold(path, 0):
            raise AssertionError("held beside it")
    finally:
        os.close(asking)
    with lock.hold(path, 0):
        assert lock.is_held(path)


# -- beside it ----------------------------------------------------------------------------


def test_a_log_that_grew_long_is_begun_anew(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    log.write_text("short\n")
    process._bound_log(str(log))
    assert log.read_text() == "short\n"
    with log.open("a") as writer:
        writer.write("x" * 1_000_001)
        writer.flush()
        process._bound_log(str(log))
        assert log.read_text() == ""
        writer.write("next\n")
    assert log.read_text() == "next\n"
    assert len((tmp_path / "daemon.log.old").read_text()) > 1_000_000
    process._bound_log(str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_units_for_odd_paths(
    make_app: MakeApp, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(make_vault({}))
    words = ["/a b/python", "-m", "mindcache", '--vault=/v/100% "x"$HOME\\y']
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/conf")
    path, text, turn_on = process.unit(app, words)
    assert path.startswith("/conf/systemd/user/mindcache-vault1-")
    assert os.path.basename(path) in turn_on
    line = next(x for x in text.splitlines() if x.startswith("ExecStart="))
    assert line == (
        'ExecStart="/a b/python" "-m" "mindcache" "--vault=/v/100%% \\"x\\"$$HOME\\\\y"'
    )
    monkeypatch.setattr(sys, "platform", "darwin")
    path, text, turn_on = process.unit(app, words)
    assert path.endswith(".plist")
    assert plistlib.loads(text.encode())["ProgramArguments"] == words
    assert "launchctl" in turn_on


def test_install_shows_and_writes(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "conf"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shown = json.loads(machine.run("daemon", "install", "--json").stdout)
    assert shown["written"] is False
    assert not Path(shown["path"]).exists()
    assert str(machine.vault) in shown["text"]
    written = machine.run("daemon", "install", "--write")
    assert written.returncode == 0
    assert Path(shown["path"]).read_text() == shown["text"]
    assert "Turn it on" in written.stdout
