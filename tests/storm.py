"""Two machines that share a vault, and people who write into it on both at once.

A `Machine` has folders of its own, a daemon, and a process that runs commands as they
are typed. A `Writer` makes random edits, each with a word that nobody else writes; the
`Ledger` knows every word that must still stand somewhere at the end.

`MINDCACHE_STORM` multiplies how long a storm lasts, `MINDCACHE_STORM_SEED` is printed
at its start and repeats one.

Run as a program it is the process that runs commands: words in, what came of it out.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.note import parse
from tests.dumps import dump
from tests.watching import ROOT, Daemon, until

WORD = re.compile(r"zq\d{6}[ab]")
NEEDS_SYNCTHING = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("syncthing") is None, reason="Syncthing is not installed"
    ),
]

_HIDDEN = frozenset({".git", ".trash", ".stversions", ".stfolder", ".obsidian"})
NOTES = 60
SLOTS = 24
# Days of a storm, and how many times as long it lasts.
ROUNDS = 12
LENGTH = int(os.environ.get("MINDCACHE_STORM", "1"))
SEED = os.environ.get("MINDCACHE_STORM_SEED", "1")
# What each writes on a day: by hand, and by command.
SAVES = 210
COMMANDS = 8


def note_text(number: int) -> str:
    """A note under contract, with as many lines and properties as two can meet in."""
    ulid = f"01KQR4HQ00{number:016d}"
    keys = "".join(f"k{n}: start\n" for n in range(8))
    lines = "".join(f"- slot {n:02} of note {number}\n" for n in range(SLOTS))
    return (
        f"---\nid: m-{ulid}\ntype: fact\nsummary: Note {number} on pumps\ntags:\n"
        "  - scope/global\n  - domain/pumps\ncreated_at: 2026-11-01T09:00\n"
        f"{keys}---\n# Note {number}\n\nSee [[Note {(number + 1) % NOTES:02}]].\n\n{lines}"
    )


def seeded(root: Path) -> None:
    """The vault that both machines begin with."""
    for number in range(NOTES):
        path = root / f"memory/Note {number:02}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note_text(number))
    config = root / ".mindcache/config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text('timezone = "Europe/Oslo"\nmachines = 2\n')


# -- the ledger -----------------------------------------------------------------------


@dataclass
class Ledger:
    """Every word that was written; `gone` are those that a person took out again."""

    written: list[str] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)

    def word(self, side: str, kind: str) -> str:
        made = f"zq{len(self.written):06}{side}"
        self.written.append(made)
        self.kinds[kind] += 1
        return made

    def unwritten(self, word: str) -> None:
        """It was refused: nobody wrote it after all."""
        self.gone.add(word)

    def lost(self, root: Path) -> list[str]:
        """The words that stand nowhere in a vault."""
        there: set[str] = set()
        for path in files(root):
            if path.endswith(".md"):
                there |= set(WORD.findall((root / path).read_text()))
        return [w for w in self.written if w not in there and w not in self.gone]

    def doubled(self, root: Path) -> list[str]:
        """The words that stand twice in what people wrote."""
        counts: Counter[str] = Counter()
        for path in files(root):
            if not path.endswith(".md") or path.split("/")[0] in {
                "topics",
                "proposals",
            }:
                continue
            note = parse(path, (root / path).read_bytes())
            if note.properties.get("type") not in {"topic", "summary", "proposal"}:
                counts.update(WORD.findall(note.body))
        return sorted(word for word, count in counts.items() if count > 1)


def files(root: Path) -> list[str]:
    """The files that travel, by their paths."""
    found = []
    for folder, below, names in os.walk(root):
        below[:] = [n for n in below if n not in _HIDDEN]
        where = os.path.relpath(folder, root)
        if where == os.path.join(".mindcache", "tmp"):
            continue
        found += [
            os.path.normpath(os.path.join(where, name)).replace(os.sep, "/")
            for name in names
            if not name.startswith((".st", ".syncthing"))
        ]
    return sorted(found)


def notes(root: Path) -> list[str]:
    """The notes that people work on."""
    return [
        path
        for path in files(root)
        if path.startswith("memory/Note ") and "sync-conflict" not in path
    ]


def contents(root: Path) -> dict[str, bytes]:
    return {path: (root / path).read_bytes() for path in files(root)}


# -- who is right ---------------------------------------------------------------------


def apart(base: bytes, ours: bytes, theirs: bytes) -> bool:
    """Whether two edits touch different properties and different lines of a note."""
    sides = [parse("n.md", each) for each in (base, ours, theirs)]
    first, *others = [note.properties for note in sides]
    touched = [
        {k for k in {**first, **other} if first.get(k) != other.get(k)}
        for other in others
    ]
    lines = [note.body.split("\n") for note in sides]
    changed = [_lines(lines[0], each) for each in lines[1:]]
    return not (touched[0] & touched[1] - {"tags", "updated_at"}) and not (
        changed[0] & changed[1]
    )


def only_adds(base: bytes, other: bytes) -> bool:
    """Whether an edit leaves every property's value and every line's beginning."""
    was, now = parse("n.md", base), parse("n.md", other)
    kept = all(
        now.properties.get(key) == value
        for key, value in was.properties.items()
        if key not in {"tags", "updated_at", "about"}
    )
    rest = iter(now.body.split("\n"))
    return kept and all(
        any(line.startswith(each) for line in rest) for each in was.body.split("\n")
    )


def _lines(base: list[str], other: list[str]) -> set[int]:
    """The lines of the base that are no more; what is put between touches none."""
    matcher = difflib.SequenceMatcher(None, base, other, autojunk=False)
    return {
        at
        for tag, a0, a1, _, _ in matcher.get_opcodes()
        if tag != "equal"
        for at in range(a0, a1)
    }


@dataclass
class Tally:
    """How notes that both sides changed came together."""

    apart: int = 0
    apart_alone: int = 0
    meeting: int = 0
    meeting_alone: int = 0

    def count(self, *, is_apart: bool, is_alone: bool) -> None:
        if is_apart:
            self.apart += 1
            self.apart_alone += is_alone
        else:
            self.meeting += 1
            self.meeting_alone += is_alone

    def __str__(self) -> str:
        return (
            f"{self.apart_alone} of {self.apart} pairs in different lines or properties"
            f" merged by themselves, and {self.meeting_alone} of {self.meeting} that met"
        )


# -- a machine ------------------------------------------------------------------------


class Machine:
    """A computer with its own home, daemon and clock (`skew` days off)."""

    def __init__(self, name: str, home: Path, vault: Path, skew: int = 0) -> None:
        self.name = name
        self.vault = vault
        self.caches = home / "cache"
        self.skew = skew
        home.mkdir(parents=True, exist_ok=True)
        config = home / "gitconfig"
        config.write_text(
            f"[user]\nname = {name}\nemail = {name}@example.org\n"
            "[init]\ndefaultBranch = main\n[gc]\nauto = 0\n"
        )
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
            "HOME": str(home),
            "MINDCACHE_CONFIG_DIR": str(home / "config"),
            "MINDCACHE_CACHE_DIR": str(self.caches),
            "MINDCACHE_STATE_DIR": str(home / "state"),
            "GIT_CONFIG_GLOBAL": str(config),
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONPATH": str(ROOT),
        }
        self.daemon = Daemon(vault, self.caches, env=self.env)
        self._hand: subprocess.Popen[str] | None = None

    def command(self, *words: str) -> tuple[int, str]:
        """What a command ends with, and prints."""
        if self._hand is None:
            self._hand = subprocess.Popen(
                [sys.executable, "-P", "-m", "tests.storm"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=self.env,
                cwd=self.vault.parent,
            )
        assert self._hand.stdin is not None
        assert self._hand.stdout is not None
        given = ["--vault", str(self.vault), *words]
        self._hand.stdin.write(json.dumps(given) + "\n")
        self._hand.stdin.flush()
        answer = self._hand.stdout.readline()
        assert answer, f"{words}: the process is gone"
        code, out = json.loads(answer)
        return code, out

    def git(self, *words: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.vault), *words],
            check=False,
            capture_output=True,
            env=self.env,
        )
        assert fails or done.returncode == 0, done.stderr
        return done.stdout.decode()

    def rebuilt(self, caches: Path) -> tuple[str, str]:
        """The caches to be compared: the daemon's, and one that is built anew."""
        fresh = App(str(self.vault), str(caches))
        kept = App(str(self.vault), str(self.caches))
        try:
            fresh.update(rebuild=True)
            return kept.cache_path, fresh.cache_path
        finally:
            fresh.close()
            kept.close()

    def close(self) -> None:
        self.daemon.close()
        if self._hand is not None:
            assert self._hand.stdin is not None
            self._hand.stdin.close()
            self._hand.wait(30)
            assert self._hand.stdout is not None
            self._hand.stdout.close()


def two_machines(home: Path) -> list[Machine]:
    """Ines's, and Olav's, whose clock is a day behind; without vaults yet."""
    return [
        Machine(name, home / name, home / name / "vault", skew)
        for name, skew in (("ines", 0), ("olav", -1))
    ]


def agree_with_rebuilt(machines: Sequence[Machine], home: Path) -> None:
    """Assert that what each daemon kept is what a cache built anew holds."""
    for machine in machines:
        until(machine.daemon.is_idle, "the daemon rests", 60)
        kept, fresh = machine.rebuilt(home / f"fresh-{machine.name}")
        assert dump(kept) == dump(fresh)


def settled_by_hand(machine: Machine) -> int:
    """What a person does with a pair that is listed: what the note lacks goes below."""
    shape = json.loads(machine.command("doctor", "conflicts", "--json")[1])
    for pair in shape["pairs"]:
        other, note = (machine.vault / pair[key] for key in ("path", "original"))
        if not (other.exists() and note.exists()) or other == note:
            continue
        known = set(WORD.findall(note.read_text()))
        more = [w for w in WORD.findall(other.read_text()) if w not in known]
        with note.open("a") as file:
            file.writelines(f"- kept {word}\n" for word in dict.fromkeys(more))
        other.unlink()
    return len(shape["pairs"])


# -- a writer -------------------------------------------------------------------------


# Words of people, so that two lines are as unlike as they are in life.
_SYLLABLES = ("ka", "lo", "mi", "ren", "tu", "vas", "pel", "dor", "sin", "bex")
_VOCABULARY = [a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]


class Writer:
    """Somebody at a machine, who edits by hand and by command.

    `replaces` is how many of the saves put another value into a property.
    """

    def __init__(
        self,
        machine: Machine,
        side: str,
        ledger: Ledger,
        seed: str,
        replaces: float = 0.12,
    ) -> None:
        self.machine = machine
        self.side = side
        self.ledger = ledger
        self.chance = random.Random(f"{seed} {side}")
        self.replaces = replaces
        self.made = 0
        self.desk: list[str] = []
        self.refused: Counter[str] = Counter()

    def sits_down(self, both: list[str]) -> None:
        """Choose the notes to be worked on: those `both` do, and own ones."""
        self.desk = []
        self.desk = [*both, *(self._any_note() for _ in range(4))]

    def saves(self, count: int) -> None:
        """Edits as editors save them."""
        for _ in range(count):
            if self.chance.random() < 0.03:
                self._new_note()
            else:
                self._save(self._any_note())

    def _any_note(self) -> str:
        there = [p for p in self.desk if (self.machine.vault / p).exists()]
        return self.chance.choice(there or notes(self.machine.vault))

    def _new_note(self) -> None:
        """Of a name that the other side spells in another way, now and then."""
        self.made += 1
        stem = (
            f"New Caf\u00e9 {self.made // 2}" if self.made % 2 else f"Own {self.made}"
        )
        if self.side == "b":
            # A disk may have one file for both forms: what is there is written on.
            if not (self.machine.vault / f"inbox/{stem}.md").exists():
                stem = unicodedata.normalize("NFD", stem)
            stem = stem.lower() if self.made % 4 == 1 else stem
        if stem.startswith("Own"):
            stem += f" {self.side}"
        path = self.machine.vault / f"inbox/{stem}.md"
        path.parent.mkdir(exist_ok=True)
        there = path.read_text() if path.exists() else ""
        path.write_text(f"{there}A new one {self.ledger.word(self.side, 'new')}\n")

    def _save(self, path: str) -> None:
        full = self.machine.vault / path
        text = self._edited(full.read_text())
        way = self.chance.random()
        if way < 0.3:
            full.write_text(text)
        elif way < 0.8:
            beside = full.with_name(f".{full.name}.tmp")
            beside.write_text(text)
            beside.replace(full)
        else:
            full.replace(full.with_name(f"{full.name}~"))
            full.write_text(text)
            full.with_name(f"{full.name}~").unlink()
        if self.machine.skew or self.chance.random() < 0.1:
            days = self.machine.skew or self.chance.choice((-400, 400))
            at = datetime.now().timestamp() + 86400 * days + self.chance.random()  # noqa: DTZ005, TID251
            os.utime(full, (at, at))

    def _edited(self, text: str) -> str:
        lines = text.split("\n")
        roll = self.chance.random()
        if roll < 0.003:
            return self._property(lines, "k0")
        if self.chance.random() < self.replaces:
            return self._property(lines, self._own("k", 1, 8))
        if roll < 0.2:
            at = lines.index("tags:") + 1
            lines.insert(at, f"  - domain/{self.ledger.word(self.side, 'tag')}")
            return "\n".join(lines)
        if roll < 0.3:
            ending = f"- {self._sentence()} {self.ledger.word(self.side, 'end')}\n"
            return text if not text.strip() else text.rstrip("\n") + "\n" + ending
        slot = self._own("- slot ", 0, SLOTS)
        at = next((n for n, each in enumerate(lines) if each.startswith(slot)), 0)
        if roll < 0.75:
            lines[at] += f" {self.ledger.word(self.side, 'extend')}"
        else:
            lines.insert(
                at + 1, f"- {self._sentence()} {self.ledger.word(self.side, 'insert')}"
            )
        return "\n".join(lines)

    def _sentence(self) -> str:
        return " ".join(self.chance.choices(_VOCABULARY, k=5))

    def _own(self, head: str, low: int, high: int) -> str:
        """A line that the other side rarely touches."""
        parity = self.side == "b"
        if self.chance.random() < 0.003:
            parity = not parity
        mine = [n for n in range(low, high) if n % 2 == parity]
        number = self.chance.choice(mine)
        return f"{head}{number:02}" if head[0] == "-" else f"{head}{number}:"

    def _property(self, lines: list[str], key: str) -> str:
        key = key.rstrip(":")
        at = next(n for n, each in enumerate(lines) if each.startswith(f"{key}:"))
        self.ledger.gone.update(WORD.findall(lines[at]))
        lines[at] = f"{key}: {self.ledger.word(self.side, 'property')}"
        return "\n".join(lines)

    # -- by command ---------------------------------------------------------------

    def commands(self, count: int) -> None:
        for _ in range(count):
            self._command()

    def _command(self) -> None:
        kind = self.chance.choice(
            ("remember", "append", "set", "tag", "journal", "journal", "link", "rename")
        )
        if kind == "link":
            one, other = self._any_note(), self._any_note()
            self.run("link", one, "about", other)
            return
        if kind == "rename":
            self.made += 1
            self.run("rename", self._any_note(), f"Note {self.made}{self.side} renamed")
            return
        word = self.ledger.word(self.side, kind)
        note = self._any_note()
        words = {
            "remember": (
                *("remember", f"Told so: {word}.", "--summary", "Told so"),
                *("--tags", "scope/global", "--anyway"),
            ),
            "append": ("update", note, "--append", f"- {self._sentence()} {word}"),
            "set": ("update", note, "--set", f"own_{word}={word}"),
            "tag": ("update", note, "--add-tag", f"domain/{word}"),
            "journal": ("journal", "append", f"Did {word}", "--at", "2026-11-30 09:00"),
        }[kind]
        if not self.run(*words):
            self.ledger.unwritten(word)

    def run(self, *words: str) -> bool:
        """Whether a command did what it was told; one that refuses is counted."""
        code, _ = self.machine.command(*words)
        if code:
            self.refused[f"{words[0]} {code}"] += 1
        return code == 0

    def calendar(self, number: int) -> None:
        """A calendar with one event that the other side imports too, and an own one."""
        word = self.ledger.word(self.side, "calendar")
        feed = self.machine.vault.parent / f"{self.side}.ics"
        event = (
            "BEGIN:VEVENT\r\nUID:{0}@example.org\r\nDTSTAMP:20261101T090000Z\r\n"
            "DTSTART:2027010{1}T090000Z\r\nSUMMARY:{2}\r\nDESCRIPTION:{3}\r\nEND:VEVENT\r\n"
        )
        feed.write_text(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//x//EN\r\n"
            + event.format(f"both{number}", number % 9 + 1, f"Both {number}", "Shared")
            + event.format(word, number % 9 + 1, f"Own {number}{self.side}", word)
            + "END:VCALENDAR\r\n",
            newline="",
        )
        if not self.run("import", "calendar", str(feed)):
            self.ledger.unwritten(word)

    def forget(self) -> None:
        """Throw a note away, with the words that stand in it as it is here."""
        path = self._any_note()
        words = WORD.findall((self.machine.vault / path).read_text())
        if self.run("forget", path):
            self.ledger.gone.update(words)

    def digest(self) -> None:
        now = datetime.now() + timedelta(days=self.machine.skew)  # noqa: DTZ005, TID251
        at = now.isoformat(timespec="minutes")
        self.run("digest", "--again", "--now", at)


def begun(
    machines: Sequence[Machine], **more: float
) -> tuple[Ledger, list[Writer], random.Random]:
    """A writer at each machine, and what they write; the seed is printed."""
    print(f"\nMINDCACHE_STORM_SEED={SEED}")  # noqa: T201  to be seen with -s
    ledger = Ledger()
    writers = [
        Writer(machine, side, ledger, SEED, **more)
        for machine, side in zip(machines, "ab", strict=True)
    ]
    return ledger, writers, random.Random(SEED)


def one_day(
    writers: Sequence[Writer], number: int, chance: random.Random, desk: Sequence[str]
) -> None:
    """What all do before they hear of each other; of `desk` they all take the same."""
    both = chance.sample(desk, 6)
    for writer in writers:
        writer.sits_down(both)
        writer.saves(SAVES)
        writer.commands(COMMANDS)
    if number % 4 == 1:
        for writer in writers:
            writer.calendar(number)
            writer.digest()
    if number % 5 == 3:
        chance.choice(writers).forget()


# -- the process that runs commands -----------------------------------------------------


def _serve() -> None:
    from mindcache.cli import run

    out = sys.stdout
    for line in sys.stdin:
        said, besides = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(besides):
            try:
                code = run(json.loads(line))
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
        answer = said.getvalue() or besides.getvalue()
        out.write(json.dumps([code, answer]) + "\n")
        out.flush()


if __name__ == "__main__":
    _serve()
