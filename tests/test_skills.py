"""What the skills tell an agent to type works as it stands."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from mindcache.cli import run
from mindcache.note import parse
from mindcache.session.manifest import check_skill

ROOT = Path(__file__).parents[1]
SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md"))
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)

CALENDAR = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:1@x\r\n"
    "DTSTAMP:20261101T000000Z\r\nDTSTART:20261210T090000Z\r\nSUMMARY:Call\r\n"
    "END:VEVENT\r\nEND:VCALENDAR\r\n"
)
TRANSCRIPT = {
    "type": "user",
    "sessionId": "s",
    "uuid": "u",
    "timestamp": "2026-11-02T09:00:00Z",
    "cwd": "/code/site",
    "message": {"role": "user", "content": "Which port does the harbour use?"},
}


def commands() -> list[str]:
    found = []
    for path in SKILLS:
        for block in BLOCK.findall(path.read_text(encoding="utf-8")):
            found += [line for line in block.splitlines() if line.strip()]
    return list(dict.fromkeys(found))


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A home with the example's vault, and a folder with what is imported."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "examples" / "consultant", home / "vault")
    work = home / "code"
    (work / "old-notes").mkdir(parents=True)
    (work / "old-notes" / "Bread.md").write_text("Bread rises in two hours.\n")
    (work / "work.ics").write_text(CALENDAR)
    sessions = home / ".claude" / "projects" / "-code-site"
    sessions.mkdir(parents=True)
    (sessions / "s.jsonl").write_text(json.dumps(TRANSCRIPT) + "\n")
    return home


@pytest.mark.parametrize("path", SKILLS, ids=lambda p: p.parent.name)
def test_a_skill_is_short_and_as_documented(path: Path) -> None:
    note = parse("SKILL.md", path.read_bytes())
    assert check_skill(path.parent.name, note.properties) == []
    assert len(note.body.split()) < 450


def test_there_is_a_skill_for_each_thing_an_agent_does() -> None:
    assert [path.parent.name for path in SKILLS] == [
        "curate",
        "import",
        "recall",
        "remember",
    ]


@pytest.mark.parametrize("line", commands())
def test_every_command_of_a_skill_runs(line: str, place: Path, monkeypatch) -> None:
    words = shlex.split(line)
    assert words[0] == "mindcache"
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("MINDCACHE_CACHE_DIR", str(place / "cache"))
    monkeypatch.setenv("MINDCACHE_VAULT", str(place / "vault"))
    monkeypatch.chdir(place / "code")
    words = [word.replace("~", str(place)) for word in words]
    with CliRunner().isolation() as (out, err, _):
        code = run(words[1:])
    assert code == 0, out.getvalue().decode() + err.getvalue().decode()
    assert out.getvalue().strip()
    if "--dry-run" not in words:
        assert not {"remember", "update", "archive"}.intersection(words[1:2])
