"""The commands that write, each with what there is before it.

For tests that end them wherever they write: one fixed clock, one model, one machine
below one folder. Whoever runs them forks first: modules are patched for good.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import pkgutil
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import mindcache.app
from mindcache import model
from mindcache.app import App, database_errors
from mindcache.cli.failures import guarded
from mindcache.digest import digest
from mindcache.digest.proposals import listed, reject
from mindcache.errors import MindcacheError
from mindcache.index.embedding import open_encoder
from mindcache.mcp.desk import Desk
from mindcache.text import analyze
from tests import calendars, chats
from tests.conftest import NOW, write_files
from tests.test_digest_proposals import ALL, mark, night
from tests.test_digest_proposals import notes as proposed_notes
from tests.test_digest_summaries import files as week
from tests.themes import notes as themes

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
