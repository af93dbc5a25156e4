"""Running processes and saying what they cost."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

__all__ = ["BenchError", "Cost", "Spread", "Stopwatch", "percentile", "run", "start"]

# The unit of `ru_maxrss` in bytes.
_MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


class BenchError(Exception):
    """Something that was to be measured did not do its work."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took: CPU and wall in seconds, peak memory in bytes (0: unknown)."""

    cpu: float
    wall: float
    memory: int = 0


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of several runs, and the least and the most."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float], factor: float = 1.0) -> Spread:
        """The spread of at least one value, in another unit where `factor` says so."""
        scaled = [value * factor for value in values]
        return cls(statistics.median(scaled), min(scaled), max(scaled))


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


class Stopwatch:
    """Times a block in this process, all of its threads together; see `cost`."""

    cost = Cost(0.0, 0.0)

    def __enter__(self) -> Stopwatch:
        self._wall = time.perf_counter()
        self._cpu = time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        cpu = time.process_time() - self._cpu
        self.cost = Cost(cpu, time.perf_counter() - self._wall)


def run(arguments: Sequence[str], env: dict[str, str], cwd: str) -> tuple[Cost, bytes]:
    """Run Python with these arguments to its end: (what it cost, what it printed).

    The cost is the system's own account of that process and of those that it
    waited for. Its output goes to files, so that reading it takes none of the
    time. Raises BenchError when it fails.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        begun = time.perf_counter()
        process = start(arguments, env, cwd, (out, error))
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said = _read(error).decode(errors="replace").strip()[-2_000:]
            words = " ".join(arguments)[:200]
            raise BenchError(f"{words} ended with {process.returncode}: {said}")
        memory = usage.ru_maxrss * _MEMORY_UNIT
        return Cost(usage.ru_utime + usage.ru_stime, wall, memory), _read(out)


def start(
    arguments: Sequence[str],
    env: dict[str, str],
    cwd: str,
    outputs: tuple[IO[bytes] | int, IO[bytes] | int],
) -> subprocess.Popen[bytes]:
    """Start Python with these arguments; `outputs` get what it prints and complains."""
    return subprocess.Popen(  # noqa: S603  our own programs
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=outputs[0],
        stderr=outputs[1],
        env=env,
        cwd=cwd,
    )


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
