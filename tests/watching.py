"""A daemon under test: the real process, and looks into the cache that it keeps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mindcache.app import App
from mindcache.cache import beat
from mindcache.cache.read import NodeRow, Reader

ROOT = Path(__file__).parents[1]

# Generous: the machines that run this are shared. Speed is printed, not asserted.
PATIENCE = 20.0


def until(seen: Callable[[], object], what: str, patience: float = PATIENCE) -> float:
    """Wait until `seen()` is true; the seconds that it took."""
    began = time.monotonic()
    while True:
        if seen():
            return time.monotonic() - began
        if time.monotonic() - began > patience:
            raise AssertionError(f"waited in vain: {what}")
        time.sleep(0.01)


class Cache:
    """What the cache holds right now; it never syncs."""

    def __init__(self, vault: Path, caches: Path) -> None:
        self.app = App(str(vault), str(caches))

    @property
    def folder(self) -> str:
        return self.app.cache_folder

    def _reader(self) -> Reader | None:
        self.app.refresh()
        return Reader.open(self.app.cache_path, self.app.fingerprint)

    def note(self, path: str) -> NodeRow | None:
        reader = self._reader()
        if reader is None:
            return None
        try:
            return reader.find_node(path)
        finally:
            reader.close()

    def paths(self) -> list[str]:
        reader = self._reader()
        if reader is None:
            return []
        try:
            return [node.path for node in reader.nodes()]
        finally:
            reader.close()

    def says(self, path: str, summary: str) -> bool:
        """Whether the note's first sentence is this one."""
        node = self.note(path)
        return node is not None and node.summary == summary

    def resolved(self, path: str) -> list[str]:
        """Where the links of a note lead."""
        reader = self._reader()
        assert reader is not None
        try:
            return [link.resolved for link in reader.links_from(path)]
        finally:
            reader.close()

    def is_fresh(self) -> bool:
        return beat.is_fresh(self.folder)


class Daemon:
    """`mindcache watch` over one vault, in a process of its own."""

    def __init__(
        self,
        vault: Path,
        caches: Path,
        *,
        before: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.vault = vault
        self.caches = caches
        self.cache = Cache(vault, caches)
        self._before = before
        self._env = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        self._log = vault.parent / f"{vault.name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def words(self) -> list[str]:
        return [*self._before, *self._program("watch")]

    def _program(self, *words: str) -> list[str]:
        places = ["--vault", str(self.vault), "--cache-dir", str(self.caches)]
        return [sys.executable, "-P", "-m", "mindcache", *words, *places]

    def command(self, *words: str) -> str:
        """What another command prints over the same vault and cache."""
        done = subprocess.run(
            self._program(*words),
            capture_output=True,
            text=True,
            env=self._env,
            check=True,
            timeout=30,
        )
        return done.stdout

    def start(self) -> Daemon:
        """Start it, and wait until it has nothing left to do."""
        self.launch()
        try:
            until(self.is_idle, "the daemon comes up")
        except AssertionError as error:
            state = beat.read(self.cache.folder)
            raise AssertionError(f"{error}: {state}\n{self.log()}") from error
        return self

    def launch(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self.words, stdout=log, stderr=log, env=self._env
            )

    def is_idle(self) -> bool:
        state = beat.read(self.cache.folder)
        return (
            beat.alive(self.cache.folder)
            and state.get("pending") == 0
            and bool(state.get("last_scan"))
            and state.get("mode") in {"notified", "polling"}
        )

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> int:
        """End it as a system does; its exit code."""
        assert self.process is not None
        if self.alive():
            self.process.terminate()
        return self.process.wait(30)

    def close(self) -> None:
        self.cache.app.close()
        if self.alive():
            with suppress(ProcessLookupError):
                self.kill()

    # -- what it costs ------------------------------------------------------

    def rss_kb(self) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise AssertionError("no VmRSS")

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
