"""A vault in a temporary folder, and the processes that are let loose on it."""

from __future__ import annotations

import glob
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.measure import BenchError, Cost, run, start
from bench.vaults import Synthetic
from mindcache import model
from mindcache.cache import beat

__all__ = ["Lab", "Say", "opened"]

Say = Callable[[str], None]

# The repository; the product and this package are taken from here.
_SOURCES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Variables that change what is measured, or how fast.
_SETTINGS = ("MINDCACHE_", "PYTHON", "OPENBLAS_", "OMP_", "TOKENIZERS_")
# What the installed command runs, without its file.
_COMMAND = "from mindcache.__main__ import main; main()"
# A daemon first walks the vault and watches each folder.
_DAEMON_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Lab:
    """One synthetic vault on disk, with a cache folder and settings of its own."""

    vault: Synthetic
    runs: int
    folder: str
    say: Say

    @property
    def root(self) -> str:
        """The vault's folder."""
        return os.path.join(self.folder, "vault")

    @property
    def env(self) -> dict[str, str]:
        """The environment of every process: nobody's own settings come in.

        Neither those of Python: a shell that forbids it to keep bytecode makes
        every start compile what an installed program has compiled.
        """
        own = {k: v for k, v in os.environ.items() if not k.startswith(_SETTINGS)}
        return {
            **own,
            "PYTHONPATH": _SOURCES,
            "MINDCACHE_CONFIG_DIR": os.path.join(self.folder, "config"),
            "MINDCACHE_CACHE_DIR": os.path.join(self.folder, "cache"),
            "MINDCACHE_STATE_DIR": os.path.join(self.folder, "state"),
        }

    @property
    def cache(self) -> str:
        """The cache file. Raises BenchError when none was made."""
        found = glob.glob(
            os.path.join(glob.escape(self.folder), "cache", "*", "*.sqlite")
        )
        if len(found) != 1:
            raise BenchError(f"{len(found)} caches where one was expected")
        return found[0]

    def python(self, *arguments: str) -> tuple[Cost, bytes]:
        """Run Python to its end: (cost, output). Raises BenchError."""
        return run(arguments, self.env, self.folder)

    def mindcache(self, *arguments: str) -> tuple[Cost, bytes]:
        """Run the product to its end, as a person would: (cost, output)."""
        return self.python("-c", _COMMAND, *arguments, "--vault", self.root)

    def inside(self, job: str, what: str) -> dict[str, list[Cost]]:
        """The costs that a job of `bench.inside` measured, by name."""
        self.say(what)
        vault = self.vault
        numbers = (str(vault.notes), str(vault.seed), str(self.runs))
        _, out = self.python("-m", "bench.inside", job, self.root, *numbers)
        return {
            name: [Cost(*pair) for pair in pairs]
            for name, pairs in json.loads(out).items()
        }

    def floor(self, *arguments: str) -> dict[str, Cost]:
        """The costs that `bench.floors` measured of one of its jobs, by step."""
        _, out = self.python("-m", "bench.floors", *arguments)
        return {name: Cost(**cost) for name, cost in json.loads(out).items()}

    def index_floor(self) -> dict[str, Cost]:
        """What the steps of a full index cost by bare libraries."""
        scratch = os.path.join(self.folder, "floor.sqlite")
        found = self.floor("index", self.root, self.cache, model.shipped(), scratch)
        for path in glob.glob(glob.escape(scratch) + "*"):
            os.unlink(path)
        return found

    @contextmanager
    def daemon(self) -> Iterator[None]:
        """A real daemon watches the vault and has seen all of it."""
        self.say("a daemon starts")
        folder = os.path.dirname(self.cache)
        log = os.path.join(self.folder, "daemon.log")
        with open(log, "wb") as out:
            arguments = ("-m", "mindcache", "watch", "--vault", self.root)
            process = start(arguments, self.env, self.folder, (out, out))
        try:
            self._wait_until_fresh(process, folder, log)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @staticmethod
    def _wait_until_fresh(
        process: subprocess.Popen[bytes], folder: str, log: str
    ) -> None:
        deadline = time.monotonic() + _DAEMON_SECONDS
        while not beat.is_fresh(folder):
            if process.poll() is not None or time.monotonic() > deadline:
                with open(log, encoding="utf-8", errors="replace") as file:
                    raise BenchError(f"the daemon did not come up: {file.read()}")
            time.sleep(0.05)


@contextmanager
def opened(vault: Synthetic, runs: int, say: Say) -> Iterator[Lab]:
    """Lay the vault down in a temporary folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mindcache-bench-") as folder:
        lab = Lab(vault, runs, os.path.realpath(folder), say)
        for done in vault.write(lab.root):
            if done % 500 == 0:
                say(f"writing the vault: {done:,}")
        os.sync()  # so that nothing is written out while something is timed
        # As an installer does it.
        lab.python("-m", "compileall", "-q", *_packages())
        yield lab


def _packages() -> list[str]:
    return [os.path.join(_SOURCES, name) for name in ("mindcache", "bench")]
