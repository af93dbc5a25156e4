"""Whole commands on small vaults: what was typed, and all that came back.

A transcript is a Markdown file in `transcripts/`. A fenced block whose info
string is `file PATH` writes that note into the vault; a `console` block holds
commands after `$ ` and their output, stdout and stderr together, with
`[exit N]` where it isn't 0. Blocks are taken in order. `vault.md` is laid down
before each. Besides `mindcache`, a command may be `cat PATH`, `rm PATH`, or
`echo TEXT | mindcache …`.

What differs between runs and machines is written as a word: VAULT, TMP, NN for
scores, NOW for times of today, TODAY for its date, m-NEW and j-ID for ids drawn
today. `UPDATE_TRANSCRIPTS=1 pytest tests/test_transcripts.py`
writes what the commands say now; read the diff before keeping it.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mindcache.cli import run
from mindcache.when import time_of_ulid

FOLDER = Path(__file__).parent / "transcripts"
SHARED = FOLDER / "vault.md"
TRANSCRIPTS = sorted(p for p in FOLDER.glob("*.md") if p != SHARED)
FENCE = re.compile(r"^(`{3,4})(\S.*)$")

MASKS = (
    (r"j-[0-9a-z]{10}\b", "j-ID"),
    (r'("elapsed_ms": ?)[\d.]+', r"\1NN"),
    (r'("(?:score|value|floor|best_rejected)": ?)-?\d+\.\d+', r"\1NN"),
    (r"(nearness in meaning|beside the \w+ \w+|[a-z]+): -?\d\.\d\d\b", r"\1: N.NN"),
    (r'("(?:below_floor|just_below)": ?)\d+', r"\1NN"),
    (r"(?m)^ *\d+ %", "NN %"),
    (r"(best |with )\d+ %", r"\1NN %"),
    (r"\d+( more)?( just)? below the floor", r"NN\1\2 below the floor"),
    (r"--floor 0\.\d+ shows them, --floor 0 all \d+", "--floor NN shows them"),
    (r"(?m)^( +)[+-]\d\.\d\d  ", r"\1+N.NN  "),
    (r'("last_scan": ")[\d:T-]+|(last scan +)[\d:T-]+', r"\1\2NOW"),
)


def of_today(text: str) -> str:
    """The text without what only a clock that stands still would print twice."""
    now = datetime.now()  # noqa: DTZ005, TID251  commands run by the real clock
    days = [(now - timedelta(days=n)).date().isoformat() for n in (0, 1)]
    day = "|".join(days)

    def word(match: re.Match[str]) -> str:
        moment = time_of_ulid(match[0])
        is_new = moment is not None and moment.date().isoformat() in days
        return "m-NEW" if is_new else match[0]

    text = re.sub(rf"\b(?:{day})T\d\d:\d\d(?::\d\d)?", "NOW", text)
    text = re.sub(rf"\b{days[0]}\b", "TODAY", text)
    return re.sub(r"\bm-[0-9A-HJKMNP-TV-Z]{26}\b", word, text)


@dataclass(frozen=True)
class Program:
    """`run` in the shape that click's test runner calls."""

    name: str = "mindcache"

    def main(self, args: list[str], **_: Any) -> None:
        sys.exit(run(args))


def blocks(text: str) -> list[tuple[str, list[str]]]:
    """The document in order: ("", lines between fences) and (info, block lines)."""
    found: list[tuple[str, list[str]]] = [("", [])]
    fence = ""
    for line in text.splitlines():
        opening = FENCE.match(line)
        if fence and line == fence:
            fence = ""
            found.append(("", [line]))
        elif not fence and opening:
            fence = opening[1]
            found[-1][1].append(line)
            found.append((opening[2], []))
        else:
            found[-1][1].append(line)
    assert not fence, "a fence is never closed"
    return found


class Stage:
    """A vault, and the commands that are played on it."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault

    def play(self, text: str) -> str:
        """The transcript with the output that its commands have now."""
        out: list[str] = []
        for info, lines in blocks(text):
            if info.startswith("file "):
                self.write(info.removeprefix("file "), lines)
                out += lines
            elif info == "console":
                out += self.play_commands(lines)
            else:
                out += lines
        return "\n".join(out) + "\n"

    def write(self, path: str, lines: list[str]) -> None:
        full = self.vault / path
        full.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in lines)
        full.write_text(text.replace("<ESC>", "\x1b"), encoding="utf-8", newline="")

    def play_commands(self, lines: list[str]) -> list[str]:
        commands = [line for line in lines if line.startswith("$ ")]
        out: list[str] = []
        for command in commands:
            out += [*([""] if out else []), command, *self.answer(command[2:])]
        return out

    def answer(self, command: str) -> list[str]:
        stdin, _, piped = command.partition(" | ")
        words = shlex.split(piped or command)
        if words[0] == "cat":
            text = (self.vault / words[1]).read_text(encoding="utf-8")
            return self.masked(text).splitlines()
        if words[0] == "rm":
            (self.vault / words[1]).unlink()
            return []
        assert words[0] == "mindcache", command
        fed = " ".join(shlex.split(stdin)[1:]).replace("\\n", "\n") if piped else None
        result = CliRunner().invoke(Program(), words[1:], input=fed)  # type: ignore[arg-type]
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        lines = self.masked(result.output).splitlines()
        return [*lines, f"[exit {result.exit_code}]"] if result.exit_code else lines

    def masked(self, output: str) -> str:
        assert "\x1b" not in output, "an escape reached the terminal"
        text = output.replace(str(self.vault), "VAULT")
        text = re.sub(
            re.escape(str(self.vault.parent)) + r"(\S*?)vault\d-\w{12}",
            r"TMP\1CACHE",
            text,
        )
        text = text.replace(str(self.vault.parent), "TMP")
        for pattern, word in MASKS:
            text = re.sub(pattern, word, text)
        return of_today(text)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda p: p.stem)
def test_transcript(transcript: Path, make_vault, monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    written = transcript.read_text(encoding="utf-8")

    def play() -> str:
        vault = make_vault({})
        monkeypatch.chdir(vault)
        stage = Stage(vault)
        stage.play(SHARED.read_text(encoding="utf-8"))
        return stage.play(written)

    began = time.time() // 60  # noqa: TID251  the commands read the same clock
    played = play()
    if played != written and time.time() // 60 > began:  # noqa: TID251
        # What was written before the minute turned shows as changed after it.
        played = play()
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        transcript.write_text(played, encoding="utf-8")
    else:
        assert played.splitlines() == written.splitlines()


def test_every_exit_code_is_shown() -> None:
    whole = "".join(p.read_text(encoding="utf-8") for p in TRANSCRIPTS)
    codes = set(re.findall(r"^\[exit (\d+)\]$", whole, re.MULTILINE))
    assert codes >= {"1", "2", "3", "4", "5"}
