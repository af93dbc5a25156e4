"""Every command that writes, ended at every call that it writes by.

Whatever ends it (a kill, half a write, a full disk, a vault that may no longer be
written, Ctrl-C), the same command run again leads to the bytes of a run that nothing
disturbed, the doctor finds nothing, the cache says what one built anew says, and no
word that anybody wrote was gone at any time.

By default a few calls of each command; `slow` takes all of them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import json
import os
import pkgutil
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

import mindcache.app
from mindcache import model
from mindcache.app import App, database_errors
from mindcache.atomic import is_temporary
from mindcache.cli.failures import guarded
from mindcache.digest import digest
from mindcache.digest.proposals import listed, reject
from mindcache.errors import MindcacheError, Problem
from mindcache.index.embedding import open_encoder
from mindcache.mcp.desk import Desk
from mindcache.text import analyze
from tests import calendars, chats
from tests.conftest import NOW, write_files
from tests.dumps import dump
from tests.faults import Fault, How, in_a_child
from tests.test_digest_proposals import ALL, mark, night
from tests.test_digest_proposals import notes as proposed_notes
from tests.test_digest_summaries import files as week
from tests.themes import notes as themes

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="watches the calls of a forked process by /proc"
)

# A word of each note's own, which must be somewhere in the vault at all times.
TOKEN = re.compile(rb"word\d+zq")
# What a command draws for what it writes, and what is made of it: two runs differ in it.
DRAWN = re.compile(rb"\bm-[0-9A-HJKMNP-TV-Z]{26}\b|\^j-\w+|\^p-\w+")
HOWS: tuple[How, ...] = ("kill", "torn", "full", "lost", "interrupt")

ENCODER = functools.cache(lambda: open_encoder(Path(model.shipped())))


@functools.cache
def loaded() -> None:
    """Import all there is, so that no child has to: that took most of its time."""
    for module in pkgutil.walk_packages(mindcache.__path__, "mindcache."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # an extra that is not installed
                importlib.import_module(module.name)
    ENCODER().encode(["warm"])
    analyze("warm", "en")


@dataclass(frozen=True)
class Home:
    """One machine with one vault, all below one folder."""

    root: Path

    @property
    def vault(self) -> Path:
        return self.root / "vault"

    @property
    def source(self) -> Path:
        return self.root / "source"

    def app(self, cache: str = "cache") -> App:
        app = App(str(self.vault), str(self.root / cache), now=lambda: NOW)
        app.__dict__["encoder"] = ENCODER()
        return app

    def run(self, *args: str) -> int:
        """A command of the program with the one clock; its exit code."""
        return guarded(
            [*args, "--vault", str(self.vault), "--cache-dir", str(self.root / "cache")]
        )

    def work(self, work: Callable[[App], object]) -> None:
        app = self.app()
        try:
            work(app)
        finally:
            app.close()


def as_here(home: Home) -> None:
    """In a child: this clock and this model, whoever makes the App."""

    class Here(App):
        def __init__(self, *values: object, **more: object) -> None:
            more["now"] = lambda: NOW
            super().__init__(*values, **more)  # type: ignore[arg-type]
            self.__dict__["encoder"] = ENCODER()

    mindcache.app.App = Here  # type: ignore[misc]
    os.chdir(home.root)


@dataclass(frozen=True)
class Operation:
    """One command: what there is before it, and how it is called.

    `adds` is one that is not the same when it is run twice: what it writes may stand
    there twice then. `codes` are those of a second run that finds all done. Of the file
    `apart` only that it is there counts: it tells what a run itself did.
    """

    name: str
    call: tuple[str, ...] | Callable[[App], int | None]
    ready: Callable[[Home], None] = lambda _home: None
    codes: frozenset[int] = frozenset({0})
    adds: bool = False
    apart: str = ""

    def run(self, home: Home) -> int:
        as_here(home)
        if isinstance(self.call, tuple):
            source = str(home.source)
            return home.run(*(each.replace("SOURCE", source) for each in self.call))
        codes: list[int] = []
        call = self.call
        try:
            home.work(lambda app: codes.append(int(call(app) or 0)))
        except MindcacheError as error:
            sys.stderr.write(f"{error}\n")
            return error.exit_code
        except (OSError, *database_errors()) as error:
            sys.stderr.write(f"{error}\n")  # as a server's outer wall does
            return 1
        except KeyboardInterrupt:
            return 130
        return codes[0]


# -- what there is before -----------------------------------------------------------


def basic() -> dict[str, str]:
    """Notes that link to each other, each with a word of its own."""
    head = (
        "---\nid: m-01KA0000000000000000000B{n:02}\ntype: {type}\nsummary: Note {n}\n"
    )
    head += "tags:\n  - scope/project\nstatus: {status}\ncreated_at: 2026-03-0{day}\n{more}---\n"
    files = {}
    for n in range(9):
        is_plan = n == 7
        text = head.format(
            n=n,
            type="plan" if is_plan else "entity" if n in (5, 6) else "fact",
            status="planned" if is_plan else "active",
            day=n + 1,
            more="time_start: 2026-11-20T10:00\n" if is_plan else "",
        )
        links = f"See [[Note {(n + 1) % 9}]] and [[sub/Note {(n + 4) % 9}|this]].\n"
        files[f"sub/Note {n}.md" if n % 2 else f"Note {n}.md"] = (
            f"{text}A word{n}zq of the harbour.\n\n{links}"
        )
    files["plain.md"] = "Nothing but word90zq. See [[Note 3]].\n"
    files["other/deep/Keep.md"] = "word91zq leads to [[Note 1]].\n"
    files[".mindcache/config.toml"] = ""
    return files


def edited(home: Home) -> None:
    home.work(lambda app: app.update())
    vault = home.vault
    (vault / "Note 2.md").write_text((vault / "Note 2.md").read_text() + "More.\n")
    (vault / "sub/Note 3.md").rename(vault / "other/Note 3.md")
    write_files(vault, {"new.md": "word95zq is new.\n", "plain.md": "word90zq.\n"})


def imported(
    kind: str, first: Callable[[Path], None], then: Callable[[Path], None], *more: str
) -> Callable[[Home], None]:
    def ready(home: Home) -> None:
        home.source.mkdir()
        first(home.source)
        as_here(home)
        assert home.run("import", kind, *more, str(home.source)) in (0, 1)
        then(home.source)

    return ready


def first_calendar(folder: Path) -> None:
    series = calendars.event(
        "DTSTART:20260302T090000", "RRULE:FREQ=WEEKLY", "SUMMARY:Crane", uid="weekly"
    )
    one = calendars.event("DTSTART:20261201T090000", "SUMMARY:Dentist")
    (folder / "work.ics").write_text(calendars.calendar(series, one))


def then_calendar(folder: Path) -> None:
    series = calendars.event(
        "DTSTART:20260302T093000", "RRULE:FREQ=WEEKLY", "SUMMARY:Crane", uid="weekly"
    )
    one = calendars.event("DTSTART:20261202T090000", "SUMMARY:Dentist")
    new = calendars.event("DTSTART:20261203T090000", "SUMMARY:Pier", uid="pier")
    (folder / "work.ics").write_text(calendars.calendar(series, one, new))


def first_chat(folder: Path) -> None:
    chats.save(folder, [chats.chatgpt("I decided to paint it", "Well.")])


def then_chat(folder: Path) -> None:
    talk = chats.chatgpt("I decided to paint it", "Well.", "On Monday", "Fine.")
    more = chats.chatgpt("I prefer tea to coffee.", "Yes.", name="c2", title="Tea")
    chats.save(folder, [talk, more])


def first_markdown(folder: Path) -> None:
    write_files(folder, {"A.md": "# A\n\nSee [[B]] ![[p.png]].\n", "B.md": "B.\n"})
    write_files(folder, {"p.png": b"\x89PNG\r\n\x1a\n"})


def then_markdown(folder: Path) -> None:
    write_files(folder, {"B.md": "B, and more.\n", "c/C.md": "See [[A]] ![[q.png]].\n"})
    write_files(folder, {"c/q.png": b"\x89PNG\r\n\x1a\nq"})


SQLITE = ("--table", "note", "--map", "title=name,body=words")


def rows_of(*rows: tuple[int, str, str]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        path = folder / "n.db"
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.execute(
            "CREATE TABLE note (nr INTEGER PRIMARY KEY, name TEXT, words TEXT)"
        )
        connection.executemany("INSERT INTO note VALUES (?, ?, ?)", rows)
        connection.commit()
        connection.close()

    return write


def first_openclaw(folder: Path) -> None:
    write_files(
        folder,
        {
            "MEMORY.md": "# Memory\n\n- Prefer concise updates.\n",
            "memory/2026-03-05.md": "# Day\n\nTea.\n",
        },
    )


def then_openclaw(folder: Path) -> None:
    write_files(
        folder,
        {
            "MEMORY.md": "# Memory\n\n- Prefer concise updates.\n- Tea is green.\n",
            "memory/2026-03-06.md": "# Day\n\nCoffee.\n",
        },
    )


def exported(home: Home) -> None:
    home.source.mkdir()
    as_here(home)
    target = home.source / "out.json"
    assert home.run("export", "json", "--to", str(target)) == 0
    for path in ("Note 0.md", "sub/Note 1.md", "other/deep/Keep.md"):
        (home.vault / path).unlink()


def digested(home: Home) -> None:
    write_files(home.vault, {**themes(), **week()})
    home.work(lambda app: digest(app, now=NOW - timedelta(days=1)))
    for title in ("Rye loaf", "Crust", "Backup"):
        path = home.vault / f"memory/{title}.md"
        write_files(home.vault, {f"memory/{title} 2.md": path.read_text() + "More.\n"})
    as_here(home)
    home.run("recall", "rye", "--budget", "300")


def proposed(home: Home) -> None:
    write_files(home.vault, proposed_notes())
    home.work(lambda app: night(app, ALL))
    for line in ("Merge", "Retire", "Make"):
        mark(home.vault, line)


def applied(home: Home) -> None:
    proposed(home)
    as_here(home)
    assert home.run("digest", "apply") == 0


def used(home: Home) -> None:
    home.work(lambda app: app.update())
    home.work(lambda app: app.used(app.reader().nodes(), "show"))


def flush(app: App) -> None:
    with app.writing():
        app.access.flush()


def thrown_away(home: Home) -> None:
    as_here(home)
    assert home.run("forget", "sub/Note 1.md") == 0


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)


def shared(home: Home) -> None:
    """A clone and its remote, which another clone has pushed to since."""
    as_here(home)
    remote, other = home.root / "remote.git", home.root / "other"
    git(home.root, "init", "-q", "--bare", "-b", "main", str(remote))
    git(home.vault, "init", "-q", "-b", "main")
    git(home.vault, "remote", "add", "origin", str(remote))
    assert home.run("git", "setup") == 0
    assert home.run("git", "sync") == 0
    git(home.root, "clone", "-q", str(remote), str(other))
    write_files(other, {"theirs.md": "word96zq is theirs.\n"})
    text = (other / "Note 2.md").read_text()
    write_files(other, {"Note 2.md": text.replace("tags:\n", "tags:\n  - tool/git\n")})
    git(other, "add", "-A")
    git(other, "commit", "-qm", "theirs")
    git(other, "push", "-q")
    shutil.rmtree(other)
    write_files(home.vault, {"Note 2.md": text + "Ours.\n", "ours.md": "word97zq.\n"})


def refuse_all(app: App) -> int:
    """Say no to every proposal that is open."""
    ids = [proposal.id for proposal, *_ in listed(app)]
    with app.writing():
        done = reject(app, ids)
    sys.stderr.writelines(f"{proposal.title}: {e}\n" for proposal, e in done.failed)
    return 1 if done.failed else 0


def diverging(home: Home) -> None:
    """Copies of a sync program: one that only adds, one whose note is gone."""
    vault, mark = home.vault, "sync-conflict-20261130-032821-CJ7RRAW"
    text = (vault / "Note 2.md").read_text()
    more = text.replace("tags:\n", "tags:\n  - tool/git\n") + "word94zq too.\n"
    write_files(
        vault, {f"Note 2.{mark}.md": more, f"sub/Gone.{mark}.md": "word93zq.\n"}
    )
    both = "<<<<<<< HEAD\nword92zq.\n=======\nword92zq.\nword89zq.\n>>>>>>> other\n"
    write_files(vault, {"Markers.md": f"# One\n\n{both}"})
    home.work(lambda app: app.update())


def of_a_project(home: Home) -> None:
    path = home.vault / "Note 2.md"
    path.write_text(path.read_text().replace("status:", "project: acme/site\nstatus:"))


def by_an_agent(tool: str, **given: object) -> Callable[[App], int]:
    """A call of the MCP server; 1 where what was to be proposed is not."""

    def call(app: App) -> int:
        answer = Desk(lambda _progress: app, str(app.vault.root)).call(tool, given)
        sys.stderr.write(answer.text)
        return 0 if answer.data.get("proposal", True) else 1

    return call


OPERATIONS = (
    Operation("first index", ("index", "update")),
    Operation("index update", ("index", "update"), edited),
    Operation("index rebuild", ("index", "update", "--rebuild"), edited),
    Operation("compact", ("doctor", "--compact"), edited),
    Operation(
        "import calendar",
        ("import", "calendar", "SOURCE"),
        imported("calendar", first_calendar, then_calendar),
    ),
    Operation(
        "import chat",
        ("import", "chat", "SOURCE"),
        imported("chat", first_chat, then_chat),
    ),
    Operation(
        "import markdown",
        ("import", "markdown", "SOURCE"),
        imported("markdown", first_markdown, then_markdown),
    ),
    Operation(
        "import sqlite",
        ("import", "sqlite", *SQLITE, "SOURCE"),
        imported(
            "sqlite",
            rows_of((1, "Tea", "Green."), (2, "Milk", "White.")),
            rows_of((1, "Tea", "Black."), (2, "Milk", "White."), (3, "Jam", "Red.")),
            *SQLITE,
        ),
    ),
    Operation(
        "import openclaw",
        ("import", "openclaw", "SOURCE"),
        imported("openclaw", first_openclaw, then_openclaw),
    ),
    Operation("import json", ("import", "json", "SOURCE/out.json"), exported),
    Operation("digest", ("digest", "--weekly"), digested, apart="Digest report.md"),
    Operation("digest of a day", ("digest",), digested, apart="Digest report.md"),
    Operation("digest apply", ("digest", "apply"), proposed),
    Operation("digest reject", refuse_all, proposed),
    Operation("digest undo", ("digest", "undo", "2026-11-30"), applied, frozenset({0, 3, 4})),
    Operation(
        "rename", ("rename", "Note 1", "Renamed one"), codes=frozenset({0, 3, 4})
    ),
    Operation("move folder", ("move", "sub", "other"), codes=frozenset({0, 3, 4})),
    Operation("entity merge", ("entity", "merge", "Note 5", "Note 6"), codes=frozenset({0, 3, 4})),
    Operation(
        "entity create",
        ("entity", "create", "Ada Quay", "--alias", "word88zq", "--tag", "domain/quay"),
        codes=frozenset({0, 4}),
    ),
    Operation("doctor conflicts", ("doctor", "conflicts", "--merge"), diverging),
    Operation("journal append", ("journal", "append", "word98zq at the pier"), adds=True),
    Operation(
        "remember",
        ("remember", "The office keeps word99zq closed.", "--scope", "project"),
        codes=frozenset({0, 4}),
    ),
    Operation("update", ("update", "Note 2.md", "--append", "word98zq"), adds=True),
    Operation(
        "plan",
        ("plan", "m-01KA0000000000000000000B07", "occurred"),
        codes=frozenset({0, 4}),
    ),
    Operation("link", ("link", "Note 2.md", "about", "sub/Note 5.md")),
    Operation(
        "retire",
        ("retire", "Note 4.md", "--for", "Note 2.md", "--because", "moved"),
        codes=frozenset({0, 4}),
    ),
    Operation(
        "remember by an agent",
        by_an_agent(
            "remember", text="The quay keeps word98zq dry.",
            tags=["scope/global"], project="acme/site",
        ),
        codes=frozenset({0, 4}),
    ),
    Operation(
        "update by an agent",
        by_an_agent(
            "update", name="Note 2.md", append="word98zq", set={"project": "acme/site"}
        ),
        adds=True,
    ),
    Operation(
        "promotion by an agent",
        by_an_agent(
            "update", name="Note 2.md", add_tags=["scope/global"],
            remove_tags=["scope/project"],
        ),
        of_a_project,
    ),
    Operation(
        "plan by an agent",
        by_an_agent("plan", name="m-01KA0000000000000000000B07", outcome="occurred"),
        codes=frozenset({0, 4}),
    ),
    Operation("adopt", ("adopt", "--write", "plain.md", "other")),
    Operation("archive", ("archive", "Note 4.md", "sub/Note 3.md")),
    Operation("forget", ("forget", "sub/Note 3.md"), codes=frozenset({0, 3})),
    Operation(
        "restore", ("restore", "sub/Note 1.md"), thrown_away, frozenset({0, 3, 4})
    ),
    Operation("access log", flush, used),
    Operation("git sync", ("git", "sync"), shared),
)  # fmt: skip


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
