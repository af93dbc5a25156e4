"""Folders to import from in which something waits that is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from tests.test_write_moving import play

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices")

_EVENT = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20270301T100000\r\n"
    "SUMMARY:High water\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.mark.parametrize(
    ("importer", "name", "text"),
    [
        ("markdown", "Tide.md", "High water. ![[pipe.png]] ![[device.png]]\n"),
        ("calendar", "tide.ics", _EVENT),
        ("openclaw", "MEMORY.md", "# Tide\n\nHigh water is at six.\n"),
        ("chat", "talk.txt", "High water.\n"),
    ],
)
def test_pipes_and_devices_keep_no_import_from_its_end(
    make_vault: MakeVault, tmp_path: Path, importer: str, name: str, text: str
) -> None:
    folder = tmp_path / "from"
    (folder / "memory").mkdir(parents=True)
    (folder / name).write_text(text)
    ending = Path(name).suffix
    for inner in (f"a{ending}", f"memory/2026-01-01{ending}", "USER.md", "pipe.png"):
        os.mkfifo(folder / inner)
    for inner in (f"z{ending}", f"memory/2026-01-02{ending}", "device.png"):
        (folder / inner).symlink_to("/dev/zero")
    root = make_vault({})
    play(root, "import", importer, str(folder))
    made = "".join(p.read_text() for p in root.rglob("*.md"))
    assert "root:" not in made
    assert ("High water" in made) == (importer != "chat")
