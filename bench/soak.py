"""`scripts/bench soak`: an eight-hour day of one vault, in two minutes.

A daemon watches while somebody saves notes, a calendar is imported again and again,
questions are asked and digests run, each the next night's. The day has ten marks; the
daemon is killed at the first and restarted at the second, and from the third on it is
one process, whose memory, descriptors and threads must stay as they are.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bench.measure import BenchError, percentile, start
from bench.vaults import Synthetic
from mindcache.app import App
from mindcache.cache import beat
from mindcache.cache.read import Reader

__all__ = ["Mark", "main", "soaked"]

_MARKS = 10
_KILLED_AT, _RESTARTED_AT, _FROM = 1, 2, 3
# Seconds between two of each, and how long one may wait to be found.
_SAVES, _QUESTIONS, _IMPORTS, _DIGESTS = 0.4, 3.0, 11.0, 17.0
_PATIENCE = 30.0
# Events of the calendar. No text is saved twice, but there are no more notes at the end:
# a vault that grows would need more memory.
_EVENTS = 40
_LONGEST = 1.05  # how much of its memory of the third mark it may have at the last
_BEGUN = datetime(2026, 11, 30, 3)  # noqa: DTZ001  civil time


@dataclass(slots=True)
class Mark:
    """How things stood at a tenth of the day; memory in KiB, waits in ms.

    `refused` imports and digests left a note alone that was saved meanwhile.
    """

    number: int
    memory: int = 0
    descriptors: int = 0
    threads: int = 0
    saves: int = 0
    questions: int = 0
    imports: int = 0
    digests: int = 0
    refused: int = 0
    found: list[float] = field(default_factory=list)


class _Day:
    """One vault, its daemon, and everybody who is at work on it."""

    def __init__(self, folder: str, notes: int, seconds: float) -> None:
        self.vault = os.path.join(folder, "vault")
        self._folder = folder
        self._tenth = seconds / _MARKS
        self._synthetic = Synthetic(notes, 1)
        self._notes = notes
        self._chance = random.Random(1)  # noqa: S311  the same day each time
        for _ in self._synthetic.write(self.vault):
            pass
        os.makedirs(os.path.join(self.vault, ".obsidian"), exist_ok=True)
        names = ("CONFIG", "CACHE", "STATE")
        mine = {f"MINDCACHE_{n}_DIR": os.path.join(folder, n.lower()) for n in names}
        os.environ.update(mine)
        self._app = App(self.vault)
        self._daemon: subprocess.Popen[bytes] | None = None
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []
        self._night = _BEGUN

    # -- processes --------------------------------------------------------

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        with open(os.path.join(self._folder, "said.txt"), "ab") as said:
            arguments = ["-m", "mindcache", *words, "--vault", self.vault]
            return start(arguments, dict(os.environ), self._folder, (said, said))

    def _watch(self) -> None:
        self._daemon = self._start("watch")
        self._await(lambda: beat.is_fresh(self._app.cache_folder), "the daemon is up")

    def _end(self, *, kill: bool) -> None:
        assert self._daemon is not None  # noqa: S101  it was started first
        if kill:
            self._daemon.kill()
        else:
            self._daemon.terminate()
        self._daemon.wait(_PATIENCE)

    def _await(self, seen: object, what: str) -> float:
        began = time.monotonic()
        while not seen():  # type: ignore[operator]
            if time.monotonic() - began > 4 * _PATIENCE:
                raise BenchError(f"waited in vain until {what}: {self._said()}")
            time.sleep(0.01)
        return time.monotonic() - began

    def _said(self) -> str:
        with open(os.path.join(self._folder, "said.txt"), encoding="utf-8") as said:
            return said.read()[-4_000:]

    def _reap(self, mark: Mark, *, wait: bool = False) -> None:
        """Count who has ended; raises BenchError for one that failed."""
        left = []
        for what, process in self._running:
            if wait:
                process.wait(4 * _PATIENCE)
            code = process.poll()
            if code is None:
                left.append((what, process))
            elif code == 1 and what != "questions" and "Traceback" not in self._said():
                mark.refused += 1  # a note was saved in between: said, and left alone
            elif code:
                raise BenchError(f"{what} ended with {code}: {self._said()}")
            else:
                setattr(mark, what, getattr(mark, what) + 1)
        self._running = left

    def _at_once(self, what: str, *words: str) -> None:
        if all(name != what for name, _ in self._running):
            self._running.append((what, self._start(*words)))

    # -- what is done -----------------------------------------------------

    def _save(self, number: int) -> tuple[str, str]:
        """Save a note as an editor does; its path and the sentence that it begins with."""
        path = self._synthetic.path(self._chance.randrange(self._notes))
        said = f"Saved for the {number}th time."
        full = os.path.join(self.vault, path)
        text = f"{said}\n\n{self._synthetic.passage((number, 'save'), 120)}\n"
        if number % 2:
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            with open(f"{full}~", "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(f"{full}~", full)
        return path, said

    def _is_found(self, path: str, said: str) -> bool:
        reader = Reader.open(self._app.cache_path, self._app.fingerprint)
        if reader is None:
            return False
        try:
            node = reader.find_node(path)
        finally:
            reader.close()
        return node is not None and node.summary == said

    def _calendar(self, number: int) -> str:
        path = os.path.join(self._folder, "work.ics")
        events = "".join(
            f"BEGIN:VEVENT\nUID:{n}\nDTSTART:202612{n % 28 + 1:02}T0900"
            f"{number % 60 if n % 3 == number % 3 else 0:02}\nSUMMARY:Meeting {n}\nEND:VEVENT\n"
            for n in range(_EVENTS)
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"BEGIN:VCALENDAR\nVERSION:2.0\n{events}END:VCALENDAR\n")
        return path

    def _cost(self, mark: Mark) -> None:
        assert self._daemon is not None  # noqa: S101  it was started first
        if self._daemon.poll() is not None:
            raise BenchError(f"the daemon has ended: {self._said()}")
        proc = f"/proc/{self._daemon.pid}"
        with open(f"{proc}/status", encoding="utf-8") as status:
            rows = dict(line.split(":", 1) for line in status)
        mark.memory = int(rows["VmRSS"].split()[0])
        mark.descriptors = len(os.listdir(f"{proc}/fd"))
        mark.threads = len(os.listdir(f"{proc}/task"))

    def _quiet(self) -> None:
        """Wait until the daemon has nothing left to do, so that marks are comparable."""
        folder = self._app.cache_folder
        self._await(
            lambda: beat.is_fresh(folder) and beat.read(folder).get("pending") == 0,
            "the daemon is done",
        )

    # -- the day ------------------------------------------------------------

    def marks(self) -> list[Mark]:
        """Live through the day."""
        marks: list[Mark] = []
        try:
            self._watch()
            due = dict.fromkeys(("questions", "imports", "digests"), 0.0)
            number = 0
            for tenth in range(1, _MARKS + 1):
                mark = Mark(tenth)
                ends = time.monotonic() + self._tenth
                while (now := time.monotonic()) < ends:
                    self._work(mark, due, now)
                    number += 1
                    path, said = self._save(number)
                    mark.saves += 1
                    began = time.monotonic()
                    self._await(lambda p=path, s=said: self._is_found(p, s), path)
                    mark.found.append((time.monotonic() - began) * 1000)
                    time.sleep(max(0.0, _SAVES - (time.monotonic() - now)))
                self._reap(mark, wait=True)
                self._quiet()
                self._cost(mark)
                marks.append(mark)
                if tenth in (_KILLED_AT, _RESTARTED_AT):
                    self._end(kill=tenth == _KILLED_AT)
                    self._watch()
        finally:
            for _, process in self._running:
                with suppress(ProcessLookupError):
                    process.kill()
            if self._daemon is not None and self._daemon.poll() is None:
                self._end(kill=False)
            self._app.close()
        return marks

    def _work(self, mark: Mark, due: dict[str, float], now: float) -> None:
        """Start what is due beside the saves."""
        self._reap(mark)
        for what, pause in (
            ("questions", _QUESTIONS),
            ("imports", _IMPORTS),
            ("digests", _DIGESTS),
        ):
            if now < due[what]:
                continue
            due[what] = now + pause
            if what == "questions":
                (asked,) = self._synthetic.questions(1, f"{now}")
                self._at_once(what, "recall", "--budget", "500", asked)
            elif what == "imports":
                path = self._calendar(int(now) % 40)
                self._at_once(what, "import", "calendar", path)
            else:
                self._night += timedelta(days=1)
                at = self._night.isoformat(timespec="minutes")
                self._at_once(what, "digest", "--now", at)


def soaked(minutes: float, notes: int) -> list[Mark]:
    """The ten marks of a day that takes so many minutes. Raises BenchError."""
    with tempfile.TemporaryDirectory(prefix="mindcache-soak-") as folder:
        return _Day(os.path.realpath(folder), notes, minutes * 60).marks()


def _verdict(marks: Sequence[Mark]) -> list[str]:
    first, last = marks[_FROM - 1], marks[-1]
    wrong = []
    if last.memory > _LONGEST * first.memory:
        wrong.append(f"memory grew by {last.memory / first.memory - 1:.1%}")
    if last.descriptors != first.descriptors:
        wrong.append(f"descriptors went from {first.descriptors} to {last.descriptors}")
    if last.threads != first.threads:
        wrong.append(f"threads went from {first.threads} to {last.threads}")
    return wrong


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each mark; 1 when something grew, or somebody failed."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench soak", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--minutes", type=float, default=2.0, metavar="M", help="how long it takes (2)")
    add("--notes", type=int, default=300, metavar="N", help="size of the vault (300)")
    options = parser.parse_args(argv)
    try:
        marks = soaked(options.minutes, options.notes)
    except BenchError as error:
        sys.stderr.write(f"bench: {error}\n")
        return 1
    lines = [
        "mark  RSS MB  fds  threads  saves  found p50/p95 ms  asked  imports  nights  refused"
    ]
    lines += [
        f"{m.number:4d}  {m.memory / 1024:6.1f}  {m.descriptors:3d}  {m.threads:7d}"
        f"  {m.saves:5d}  {percentile(m.found, 0.5):7.0f} / {percentile(m.found, 0.95):6.0f}"
        f"  {m.questions:5d}  {m.imports:7d}  {m.digests:6d}  {m.refused:7d}"
        for m in marks
        if m.found
    ]
    found = [each for mark in marks for each in mark.found]
    first, last = marks[_FROM - 1], marks[-1]
    lines.append(
        f"saved to found: p50 {percentile(found, 0.5):.0f} ms,"
        f" p95 {percentile(found, 0.95):.0f} ms of {len(found)} saves;"
        f" memory of the last mark {last.memory / first.memory:.3f} of the third's"
    )
    wrong = _verdict(marks)
    lines += [f"not level: {each}" for each in wrong]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if wrong else 0
