"""Every command that writes, ended at every call that it writes by.

Whatever ends it (a kill, half a write, a full disk, a vault that may no longer be
written, Ctrl-C), the same command run again leads to the bytes of a run that nothing
disturbed, the doctor finds nothing, the cache says what one built anew says, and no
word that anybody wrote was gone at any time.

By default a few calls of each command; `slow` takes all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mindcache.atomic import is_temporary
from mindcache.errors import Problem
from tests.conftest import write_files
from tests.dumps import dump
from tests.faults import Fault, How, in_a_child
from tests.operations import OPERATIONS, Home, Operation, as_here, basic, loaded

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="watches the calls of a forked process by /proc"
)

# A word of each note's own, which must be somewhere in the vault at all times.
TOKEN = re.compile(rb"word\d+zq")
# What a command draws for what it writes, and what is made of it: two runs differ in it.
DRAWN = re.compile(rb"\bm-[0-9A-HJKMNP-TV-Z]{26}\b|\^j-\w+|\^p-\w+")
HOWS: tuple[How, ...] = ("kill", "torn", "full", "lost", "interrupt")

# -- what there is after -------------------------------------------------------------


@dataclass
class After:
    """What a machine looks like once a command has come to its end."""

    files: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    uses: dict[str, int] = field(default_factory=dict)
    state: str = ""
    cache: str = ""
    rebuilt: str = ""
    left: list[str] = field(default_factory=list)


def kept_files(vault: Path) -> Iterator[tuple[str, bytes]]:
    """The vault's files, but for logs of what was done and git's own."""
    for path in sorted(vault.rglob("*")):
        name = path.relative_to(vault).as_posix()
        is_log = name.startswith((".mindcache/ledger/", ".mindcache/access/", ".git/"))
        if path.is_file() and not is_log and not is_temporary(path.name):
            yield name, path.read_bytes()


def words_in(vault: Path) -> set[bytes]:
    """The words of their own that stand anywhere in the vault, hidden files too."""
    found: set[bytes] = set()
    for path in vault.rglob("*"):
        if path.is_file() and ".git" not in path.relative_to(vault).parts:
            found.update(TOKEN.findall(path.read_bytes()))
    return found


def is_left(problem: Problem) -> bool:
    """Whether it is what a killed write left: a repair, or the next write, clears it."""
    is_half_line = problem.code == "ledger" and "doctor --repair" in problem.mend
    return is_half_line or problem.code == "leftover"


def hash_of(value: object) -> str:
    return hashlib.blake2b(repr(value).encode()).hexdigest()


def look(home: Home, operation: Operation, known: After | None) -> After:
    after = After(state=hash_of(list(kept_files(home.vault))))
    for name, data in kept_files(home.vault):
        text = DRAWN.sub(b"DRAWN", data).decode("latin-1")
        if operation.adds:
            text = "\n".join(dict.fromkeys(text.split("\n")))
        after.files[name] = "" if name == operation.apart else text
    app = home.app()
    try:
        health = app.doctor()
        after.problems = [*health.faults]
        after.problems += [str(p) for p in health.problems if not is_left(p)]
        after.uses = {
            key: sum(days.values()) for key, days in app.access.uses().days.items()
        }
        after.cache = hash_of(dump(app.cache_path))
        if known is not None and known.state == after.state:
            after.rebuilt = known.rebuilt  # of the same bytes, the same cache
        else:
            fresh = home.app("fresh")
            fresh.update()
            after.rebuilt = hash_of(dump(fresh.cache_path))
            fresh.close()
        # An hour later, what a killed write left is swept away.
        for path in home.vault.rglob(".*.tmp"):
            os.utime(path, (0, 0))
        app.tidy()
        after.problems += map(str, app.ledger.damaged())
        after.left = [p.name for p in home.vault.rglob("*") if is_temporary(p.name)]
    finally:
        app.close()
    return after


class Machine:
    """A machine that is put back before each run, and what a run made of it."""

    def __init__(self, folder: Path, operation: Operation) -> None:
        self.home = Home(folder / "home")
        self.operation = operation
        self._before = folder / "before"
        self._said = folder / "said.txt"
        self._told = folder / "told.json"
        self.home.vault.joinpath(".obsidian").mkdir(parents=True)
        write_files(self.home.vault, basic())
        code = in_a_child(lambda: operation.ready(self.home) or 0, self._said)
        assert code == 0, self.said()
        shutil.copytree(self.home.root, self._before, symlinks=True)
        self.words = words_in(self.home.vault)

    def said(self) -> str:
        return self._said.read_text()

    def put_back(self) -> None:
        shutil.rmtree(self.home.root)
        shutil.copytree(self._before, self.home.root, symlinks=True)

    def meet(self, how: How, at: int = 0) -> int:
        """Put all back and run the command into a fault; how it ended."""
        self.put_back()

        def work() -> int:
            fault = Fault(str(self.home.root), str(self.home.vault), how, at)
            fault.install()
            try:
                return self.operation.run(self.home)
            finally:
                self._told.write_text(json.dumps(fault.names))

        return in_a_child(work, self._said)

    def calls(self) -> list[str]:
        """The calls that an undisturbed run writes by."""
        assert self.meet("count") in self.operation.codes, self.said()
        return json.loads(self._told.read_text())

    def again(self) -> int:
        return in_a_child(lambda: self.operation.run(self.home), self._said)

    def after(self, known: After | None = None) -> After:
        def work() -> int:
            as_here(self.home)
            found = look(self.home, self.operation, known)
            self._told.write_text(json.dumps(found.__dict__))
            return 0

        code = in_a_child(work, self._said)
        assert code == 0, self.said()
        return After(**json.loads(self._told.read_text()))


# -- the matrix -----------------------------------------------------------------------


def places(calls: list[str], how: How) -> list[int]:
    """The calls, from 1, at which this may happen."""
    return [
        n
        for n, call in enumerate(calls, 1)
        if how != "torn" or call.startswith("write ")
    ]


def few(calls: list[str]) -> list[tuple[How, int]]:
    """One of each kind of fault, far apart, and a kill at the last call."""
    found: list[tuple[How, int]] = []
    for number, how in enumerate(HOWS, 1):
        at = places(calls, how)
        found += [(how, at[number * len(at) // (len(HOWS) + 1)])] if at else []
    return [*found, ("kill", len(calls))]


def fault_of(machine: Machine, how: How, at: int, expected: After) -> str:
    """What is wrong after this fault; "" for nothing."""
    code = machine.meet(how, at)
    if how in ("kill", "torn"):
        if code == 0 and machine.after(expected).files == expected.files:
            return ""  # it came to its end with a call less, as where a stamp was young
        if code != -signal.SIGKILL:
            return f"ended by itself: {code}"
    elif code not in (0, 1, 3, 4, 5, 130) or "Traceback" in machine.said():
        return f"no clear end, but {code}: {machine.said()[-1500:]}"
    elif code and how != "interrupt" and not machine.said().strip():
        return f"ended with {code} and not a word"
    lost = machine.words - words_in(machine.home.vault)
    if lost:
        return f"lost at once: {sorted(lost)}"
    if code == 0 and machine.after(expected).files != expected.files:
        return f"said to be done and is not: {machine.said()[-600:]}"
    if (code := machine.again()) not in machine.operation.codes:
        return f"the next run ended with {code}: {machine.said()[-1500:]}"
    after = machine.after(expected)
    lost = machine.words - words_in(machine.home.vault)
    if lost:
        return f"lost: {sorted(lost)}"
    return different(after, expected)


def different(after: After, expected: After) -> str:
    # What somebody else wrote, or seems to have, is kept in the trash.
    extra = {p for p in after.files if p not in expected.files}
    if odd := [p for p in extra if not p.startswith(".trash/")]:
        return f"left behind: {odd}"
    if gone := [p for p in expected.files if p not in after.files]:
        return f"missing: {gone}"
    for path, text in expected.files.items():
        if after.files[path] != text:
            return f"{path} differs:\n{after.files[path]}\n--- from ---\n{text}"
    if after.problems != expected.problems:
        return f"the doctor says {after.problems}, not {expected.problems}"
    if after.cache != after.rebuilt:
        return "the cache is not what a rebuild makes"
    if after.uses != expected.uses:
        return f"uses: {after.uses}, not {expected.uses}"
    return f"temporary files stay: {after.left}" if after.left else ""


def hold(folder: Path, operation: Operation, capsys, how: How | None = None) -> None:
    """Meet a few faults of each kind, or all of one."""
    machine = Machine(folder, operation)
    calls = machine.calls()
    assert calls
    expected = machine.after()
    assert expected.cache == expected.rebuilt
    assert not expected.left
    assert machine.words <= words_in(machine.home.vault)
    cases = few(calls) if how is None else [(how, n) for n in places(calls, how)]
    wrong: list[str] = []
    for each, at in cases:
        if fault := fault_of(machine, each, at, expected):
            wrong.append(f"{each} at {at} of {len(calls)}, {calls[at - 1]}: {fault}")
    counts = Counter(each for each, _ in cases)
    with capsys.disabled():
        shown = ", ".join(f"{count} {each}" for each, count in counts.items())
        sys.stdout.write(
            f"\n{operation.name}: {len(calls)} calls; {shown}; {len(wrong)} wrong\n"
        )
        sys.stdout.writelines(f"  {each[:600]}\n" for each in wrong)
        sys.stdout.flush()
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n\n".join(wrong[:8])


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "CACHE", "STATE"):
        folder = tmp_path / "home" / name.lower()
        monkeypatch.setenv(f"MINDCACHE_{name}_DIR", str(folder))
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Ines\nemail = i@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    loaded()


def named(operations: Iterable[Operation]) -> list[object]:
    needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
    return [
        pytest.param(each, id=each.name, marks=needs_git if "git" in each.name else ())
        for each in operations
    ]


@pytest.mark.parametrize("operation", named(OPERATIONS))
def test_a_few_faults_of_each_command(tmp_path, capsys, operation: Operation) -> None:
    hold(tmp_path, operation, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("operation", named(OPERATIONS))
def test_every_fault_of_each_command(
    tmp_path, capsys, operation: Operation, how: How
) -> None:
    hold(tmp_path, operation, capsys, how)
